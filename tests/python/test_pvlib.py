# SPDX-License-Identifier: MIT
"""pvlib itself: its frames as suns of a series, and its solar position beside ours."""

import unittest

import numpy

from package import SMALL, hr, juelich, needs, small_field

lacking = needs("pvlib", "pandas")
if not lacking:
    import pandas
    import pvlib


@unittest.skipIf(lacking, lacking)
class Pvlib(unittest.TestCase):
    def times(self, plant):
        return pandas.date_range("2026-03-20 05:00", "2026-03-20 19:00", freq="100min", tz="Europe/Madrid")

    def test_solar_positions_agree(self):
        plant = juelich()
        latitude, longitude, altitude = plant.position
        for day in ("2026-03-20", "2026-06-21", "2026-12-21"):
            times = pandas.date_range(f"{day} 04:00", f"{day} 20:00", freq="37min", tz="UTC")
            series = hr.trace_series(plant, pandas.DataFrame(index=times), target="receiver", dni=1000, **{**SMALL, "rays": 10})
            lit = series.steps.index
            self.assertGreater(len(lit), 8)
            # The air of the International Standard Atmosphere at the plant, which ours has.
            theirs = pvlib.solarposition.spa_python(lit, latitude, longitude, altitude, pressure=pvlib.atmosphere.alt2pres(altitude),
                                                    temperature=15.0, delta_t=69.1)
            numpy.testing.assert_allclose(series.steps.elevation_deg, theirs.apparent_elevation, atol=1e-3)
            across = numpy.cos(numpy.radians(theirs.apparent_elevation))
            numpy.testing.assert_allclose(series.steps.azimuth_deg * across, theirs.azimuth * across, atol=1e-3)

    def test_frames_as_they_are(self):
        plant = small_field()
        latitude, longitude, altitude = plant.position
        times = self.times(plant)
        place = pvlib.location.Location(latitude, longitude, altitude=altitude)
        suns = place.get_solarposition(times).join(place.get_clearsky(times, model="haurwitz").rename(columns={"ghi": "dni"})[["dni"]])
        series = hr.trace_series(plant, suns, **SMALL)
        lit = suns[(suns.apparent_elevation > 0) & (suns.dni > 0)]
        self.assertEqual(list(series.steps.index), list(lit.index))
        self.assertTrue(0 < len(lit) < len(suns))
        self.assertEqual(str(series.steps.index.tz), "Europe/Madrid")
        numpy.testing.assert_allclose(series.steps.azimuth_deg, lit.azimuth, atol=1e-9)
        numpy.testing.assert_allclose(series.steps.dni_w_m2, lit.dni, rtol=1e-12)
        noon = lit.index[len(lit) // 2]
        row = lit.loc[noon]
        single = hr.trace(plant, sun=(row.azimuth, row.apparent_elevation), dni=row.dni, **SMALL)
        self.assertAlmostEqual(series.steps.target_power[noon], single.energy["target_power"], delta=1e-9 * single.energy["target_power"])
        # Solar time: the azimuth at the highest sun is south within the step of the times.
        self.assertAlmostEqual(lit.azimuth[lit.apparent_elevation.idxmax()], 180, delta=30)


if __name__ == "__main__":
    unittest.main()
