# SPDX-License-Identifier: MIT
"""Frames of suns, weather, layouts and heliostats: the names and units that they may have, and that nothing in them is left out in silence."""

import pathlib
import tempfile
import unittest
import warnings

from package import SMALL, SOURCE, hr, juelich, needs, small_field

lacking = needs("pandas")
if not lacking:
    import numpy
    import pandas

FEW = {**SMALL, "rays": 10}
YEAR = {"declinations": 3, "hours": 3, "rays": 50, "device": "cpu"}


@unittest.skipIf(lacking, lacking)
class Frames(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plant = small_field(3)
        cls.times = pandas.date_range("2026-06-21 11:00", periods=2, freq="h", tz="Europe/Madrid")

    def setUp(self):
        # A warning that a case does not expect is a failure.
        caught = warnings.catch_warnings()
        caught.__enter__()
        self.addCleanup(caught.__exit__, None, None, None)
        warnings.simplefilter("error", hr.HelioRayWarning)

    def steps(self, frame, **keys):
        return hr.trace_series(self.plant, frame, **FEW, **keys).steps

    def refuse(self, message, frame, **keys):
        with self.subTest(message), self.assertRaisesRegex(hr.InputError, "^hr.trace_series: suns" + message):
            self.steps(frame, **keys)


class NamesOfSuns(Frames):
    def test_irradiance(self):
        for name, factor in {"dni": 1, "DNI": 1, "dni_w_m2": 1, "Beam": 1, "beam_irradiance": 1, "DNI (W/m^2)": 1, "DNI [W/m²]": 1, "Gb(n)": 1, "bni": 1, "DN": 1,
                             "Direct Normal Irradiance": 1, "dni_kw_m2": 1e-3, "DNI [kW/m2]": 1e-3}.items():
            with self.subTest(name):
                steps = self.steps(pandas.DataFrame({name: numpy.array([500.0, 600.0]) * factor}, index=self.times))
                numpy.testing.assert_allclose(steps.dni_w_m2, [500, 600], rtol=1e-12)

    def test_temperature(self):
        for name, offset in {"temp_air": 0, "temperature_c": 0, "Temperature (°C)": 0, "T2m": 0, "Tdry": 0, "temperature [K]": 273.15}.items():
            with self.subTest(name):
                steps = self.steps(pandas.DataFrame({"dni": 900.0, name: numpy.array([-5.0, 30.0]) + offset}, index=self.times))
                numpy.testing.assert_allclose(steps.temperature_c, [-5, 30], rtol=1e-12)
        self.assertNotIn("temperature_c", self.steps(pandas.DataFrame({"dni": 900.0}, index=self.times)))
        self.assertEqual(self.steps(pandas.DataFrame({"dni": 900.0, "temp_air": [numpy.nan, 30.0]}, index=self.times), temperature_c=12).temperature_c.tolist(), [12, 30])
        self.refuse(r": temperature_c.1.: 300 is not a number from -100 to 100", pandas.DataFrame({"dni": 900.0, "temp_air": [5.0, 300.0]}, index=self.times))
        self.refuse(r": temperature \[F\]: its unit is not known for temperature", pandas.DataFrame({"dni": 900.0, "temperature [F]": 80.0}, index=self.times))

    def test_angles(self):
        degrees = numpy.array([[170.0, 190.0], [40.0, 50.0]])
        radians = numpy.radians(degrees)
        for names, values in {("azimuth", "elevation"): degrees, ("Azimuth", "Apparent Elevation"): degrees, ("solar_azimuth", "solar_altitude"): degrees,
                              ("azimuth", "apparent_zenith"): [degrees[0], 90 - degrees[1]], ("Solar Azimuth Angle", "Solar Zenith Angle"): [degrees[0], 90 - degrees[1]],
                              ("azimuth_deg", "elevation_deg"): degrees, ("azimuth_rad", "elevation [rad]"): radians}.items():
            with self.subTest(names):
                steps = self.steps(dict(zip(names, values)), dni=900)
                numpy.testing.assert_allclose([steps.azimuth_deg, steps.elevation_deg], degrees, rtol=1e-12)

    def test_the_apparent_elevation_counts(self):
        frame = {"azimuth": [170.0], "zenith": [50.1], "apparent_zenith": [50.0], "elevation": [39.9], "apparent_elevation": [40.0], "equation_of_time": [3.0], "dni": [900.0]}
        self.assertEqual(self.steps(frame).elevation_deg.tolist(), [40.0])
        del frame["apparent_elevation"]
        self.assertEqual(self.steps(frame).elevation_deg.tolist(), [40.0])

    def test_columns_that_could_decide_are_refused(self):
        angles = {"azimuth": [170.0, 180.0], "elevation": [40.0, 45.0]}
        frame = pandas.DataFrame({"dni": 900.0}, index=self.times)
        for name in ("dni_measured", "Clearsky DNI", "direct_radiation", "Beam 2"):
            self.refuse(f": {name}: .*not known.*no column dni", frame.rename(columns={"dni": name}))
        self.refuse(": reflectivity: the column is not known .it could decide", frame.assign(reflectivity=0.9))
        self.refuse(r": DNI \[MJ/m2\]: its unit is not known for dni", frame.rename(columns={"dni": "DNI [MJ/m2]"}))
        self.refuse(": has neither .*apparent_elevation nor times", {"azimuth": [170.0], "sun_el": [40.0], "dni": [900.0]})
        self.refuse(": elevation_of_sun: the column is not known", {"azimuth": [170.0], "elevation_of_sun": [40.0], "dni": [900.0]})
        self.refuse(": azimuth: is the only angle", pandas.DataFrame({"azimuth": 170.0, "dni": 900.0}, index=self.times))
        self.refuse(": DNI: differs from the column dni", {**angles, "dni": [900.0, 800.0], "DNI": [900.0, 700.0]})
        self.refuse(": dni: the frame has several columns", pandas.DataFrame([[170.0, 40.0, 900.0, 900.0]], columns=["azimuth", "elevation", "dni", "dni"]))
        self.refuse(": its columns have several levels", pandas.concat({"a": frame}, axis=1))
        self.refuse(": is a tuple .*give the frame alone", (frame, {}))

    def test_other_columns_are_a_warning(self):
        frame = pandas.DataFrame({"dni": 900.0, "ghi": 800.0, "temp_air": 20.0, "wind_speed": 2.0, "Relative Humidity": 30.0}, index=self.times)
        self.steps(frame)
        with self.assertWarnsRegex(hr.HelioRayWarning, "^hr.trace_series: suns: columns that are not used: turbine, price$") as caught:
            self.steps(frame.assign(turbine=1.0, price=2.0))
        self.assertEqual(caught.filename, __file__)

    def test_irradiance_is_given_once(self):
        angles = {"azimuth": [170.0, 180.0], "elevation": [40.0, 45.0]}
        self.refuse(": has no column dni, and no irradiance is given .* dni=1000$", angles)
        for keys in ({"dni": 800}, {"sun": {"dni_w_m2": 800}}, {"dni_w_m2": 800}):
            self.assertEqual(self.steps(angles, **keys).dni_w_m2.tolist(), [800, 800])
            self.refuse(": has a column of irradiance, and .* is given as well", {**angles, "dni": [900.0, 900.0]}, **keys)

    def test_columns_of_times(self):
        index = self.steps(pandas.DataFrame({"time": self.times, "dni": 900.0})).index
        self.assertEqual(list(index), list(self.times))
        self.refuse(": its times have no time zone", pandas.DataFrame({"time": self.times.tz_localize(None), "dni": 900.0}))
        self.refuse(": time: cannot be read as times", pandas.DataFrame({"time": ["noon"], "dni": 900.0}))
        self.refuse(": has neither .* nor times", pandas.DataFrame({"dni": [900.0]}))

    def test_sizes_that_cannot_be(self):
        angles = {"azimuth": [170.0, 180.0], "elevation": [40.0, 45.0]}
        radians = {name: numpy.radians(values) for name, values in angles.items()}
        self.refuse(": azimuth and elevation: seem to be in radians .*azimuth_rad", radians, dni=900)
        self.refuse(": azimuth and zenith: seem to be in radians", {"azimuth": radians["azimuth"], "zenith": numpy.pi / 2 - radians["elevation"]}, dni=900)
        # High suns in the north are no radians.
        self.assertEqual(len(self.steps({"azimuth": [1.0, 3.0], "elevation": [88.0, 89.0]}, dni=900)), 2)
        with self.assertWarnsRegex(hr.HelioRayWarning, "dni: .*0.9 W/m2; .*dni_kw_m2"):
            self.steps({**angles, "dni": [0.9, 0.8]})
        with self.assertWarnsRegex(hr.HelioRayWarning, "azimuth: has negative values, .*clockwise from north"):
            self.assertEqual(self.steps({"azimuth": [-90.0, 180.0], "elevation": [40.0, 45.0]}, dni=900).azimuth_deg.tolist(), [270, 180])
        with self.assertRaisesRegex(hr.InputError, "hr.efficiency: elevations: seem to be in radians"):
            hr.efficiency(self.plant, azimuths=[0, 120, 240], elevations=numpy.radians([20, 50, 80]), **FEW)
        with self.assertRaisesRegex(hr.InputError, "hr.efficiency: azimuths: seem to be in radians"):
            hr.efficiency(self.plant, azimuths=numpy.radians([0, 120, 240]), **FEW)


class Nights(Frames):
    def test_values_of_instruments_are_dark(self):
        times = pandas.DatetimeIndex(["2026-06-21 00:00", "2026-06-21 12:00", "2026-06-21 23:00", "2026-06-22 00:00"], tz="Europe/Madrid")
        for dark in (numpy.nan, -0.8, -999.0, -9999.0, 9999.0, None):
            frame = pandas.DataFrame({"dni": [dark, 900.0, dark, dark]}, index=times)
            with self.subTest(dark):
                self.assertEqual(self.steps(frame).dni_w_m2.tolist(), [900])
                self.assertEqual(self.steps(frame.assign(azimuth=180.0, elevation=[-30.0, 60.0, -20.0, -30.0])).dni_w_m2.tolist(), [900])
                frame.iloc[1, 0] = dark
                self.refuse(r": dni\[1\]: .* .the sun is up, at .* leave such rows out", frame)

    def test_of_a_configuration(self):
        with tempfile.TemporaryDirectory() as folder:
            self.plant.write(pathlib.Path(folder) / "field.h5")
            file = pathlib.Path(folder) / "run.yaml"
            file.write_text("scenario: field.h5\naim: {target: receiver}\n")
            times = pandas.DatetimeIndex(["2026-06-21 00:00", "2026-06-21 12:00"], tz="Europe/Madrid")
            frame = pandas.DataFrame({"dni": [-0.8, 900.0]}, index=times)
            self.assertEqual(hr.trace_series(file, frame, **FEW).steps.dni_w_m2.tolist(), [900])


class Weather(Frames):
    def frame(self):
        times = pandas.date_range("2026-06-01", "2026-06-30 23:00", freq="h", tz="Europe/Madrid")
        return pandas.DataFrame({"dni": numpy.where((times.hour > 8) & (times.hour < 18), 800.0, 0.0)}, index=times)

    def test_frame_and_file_are_the_same(self):
        frame = self.frame()
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "dni.csv"
            file.write_text("time,dni_w_m2\n" + "".join(f"{time.isoformat()},{dni}\n" for time, dni in frame["dni"].items()))
            for keys in ({}, {"weather_time": "end"}):
                with self.subTest(keys), warnings.catch_warnings():
                    warnings.simplefilter("ignore", hr.HelioRayWarning)
                    there = hr.annual(self.plant, weather=file, **keys, **YEAR)
                    for weather in (frame, frame["dni"], frame.rename(columns={"dni": "DNI (W/m^2)"}).assign(**{"DNI source": 1, "GHI": 2.0}),
                                    frame.reset_index(names="time"), (frame / 1000).rename(columns={"dni": "dni_kw_m2"}), frame.tz_convert("UTC")):
                        here = hr.annual(self.plant, weather=weather, **keys, **YEAR)
                        self.assertAlmostEqual(here.facts["energy_j"], there.facts["energy_j"], delta=1e-9 * there.facts["energy_j"])
                        self.assertEqual(here.facts["irradiance"], "weather frame")

    def test_missing_values_are_missing(self):
        frame = self.frame()
        frame.iloc[12] = numpy.nan
        with self.assertWarnsRegex(hr.HelioRayWarning, "weather frame: "):
            hr.annual(self.plant, weather=frame, **YEAR)

    def test_refusals(self):
        frame = self.frame()
        middles = frame.set_axis(frame.index + pandas.Timedelta("30min"))
        for message, weather, keys in ((": its times have no time zone", frame.tz_localize(None), {}), (": has no column dni", frame.rename(columns={"dni": "ghi"}), {}),
                                       (": dni_2: the column is not known", frame.rename(columns={"dni": "dni_2"}), {}), (": has no times", frame.reset_index(drop=True), {}),
                                       (": .* 30 minutes after .*weather_time=\"middle\"", middles, {}),
                                       (r"\[1\]: .* does not follow", frame[::-1], {}), (r".*\[3\]", frame.assign(dni=numpy.where(frame.index == frame.index[3], 9e5, 800.0)), {}),
                                       (r".index\[2\]: there is no time", frame.set_axis(frame.index.where(frame.index != frame.index[2])), {}),
                                       (": is a tuple", (frame, {}), {}), (": 3 is not a frame", 3, {})):
            with self.subTest(message), self.assertRaisesRegex(hr.InputError, "^hr.annual: weather" + message):
                hr.annual(self.plant, weather=weather, **keys, **YEAR)


    @unittest.skipIf(needs("pvlib"), needs("pvlib"))
    def test_typical_years_as_pvlib_reads_them(self):
        """A TMY3 file that pvlib brings along, with both kinds of names; its months are of several years, one of them a leap year."""
        import pvlib
        file = pathlib.Path(pvlib.__file__).parent / "data/723170TYA.CSV"
        plant, energies = self.plant.replace(position=(36.1, -79.95, 273.0)), []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            frames = [pvlib.iotools.read_tmy3(file, map_variables=mapped)[0] for mapped in (True, False)]
            frames.append(pvlib.iotools.read_tmy3(file, coerce_year=2001)[0])
            for frame, year in zip(frames, (2001, 2001, 0)):
                facts = hr.annual(plant, weather=frame, weather_time="end", year=year, **YEAR).facts
                energies.append(facts["energy_j"])
        self.assertEqual(energies, [energies[0]] * 3)
        total = frames[0]["dni"].sum() * 3600
        self.assertAlmostEqual(facts["insolation_j_m2"], total, delta=0.003 * total)
        with self.assertRaisesRegex(hr.InputError, r"^hr.annual: weather\[\d+\]: .* does not follow .* use year=\.\.\."):
            hr.annual(plant, weather=frames[0][["dni"]], weather_time="end", **YEAR)


class Heliostats(Frames):
    def test_columns_that_cannot_be_replaced_are_refused(self):
        table = self.plant.heliostats
        self.assertEqual(self.plant.replace(heliostats=table.reset_index()), self.plant.replace(heliostats=table))
        for message, changed in ((": mirror_area_m2: H1: ", table.assign(mirror_area_m2=1.0)), (": facets: H1: 99 is not the plant's", table.assign(facets=99)),
                                 (": drives: H1: 'linear' is not the plant's 'ideal'", table.assign(drives="linear")), (": kinematics: H1: ", table.assign(kinematics="rigid_body")),
                                 (": reflectivity: a plant has no such column", table.assign(reflectivity=0.9)), (": width: ", table.assign(width=3.0)),
                                 (": there is no heliostat 'H9'", table.rename(index={"H1": "H9"})), (": has several columns", pandas.concat([table, table[["up_m"]]], axis=1)),
                                 (": H1: its position contains nan", table.assign(up_m=numpy.nan)), (": H1: .* is not 3 numbers", table.assign(up_m="x")),
                                 (": has no column up_m", table.drop(columns="up_m"))):
            with self.subTest(message), self.assertRaisesRegex(hr.InputError, "^plant.replace: heliostats" + message):
                self.plant.replace(heliostats=changed)

    def test_only_what_changes_is_checked(self):
        table = self.plant.heliostats
        moved = self.plant.replace(heliostats=table.assign(east_m=table["east_m"] + 1, facets=table["facets"].astype(float)).iloc[1:])
        numpy.testing.assert_allclose(moved.heliostats["east_m"], table["east_m"].iloc[1:] + 1)
        self.assertEqual(moved.targets, self.plant.targets)
        other = juelich().replace(targets={"receiver": {"height": 3.0}})
        self.assertEqual(len(other), 3)
        self.assertEqual(other.replace(targets={"receiver": {"height": juelich().targets["receiver"]["height"]}}), juelich())

    def test_names_in_an_index_without_a_name(self):
        table = pandas.DataFrame({"x": [0.0, 20.0, 40.0], "y": 60.0, "z": 0.0}, index=["A", "B", "C"])
        self.assertEqual(list(hr.from_layout(table, SOURCE / "configs/field.yaml").heliostats.index), ["A", "B", "C"])
        self.assertEqual(list(hr.from_layout(table.set_axis([5, 7, 9]), SOURCE / "configs/field.yaml").heliostats.index), ["H1", "H2", "H3"])
        for message, wrong in (("names in its index and in a column", table.assign(name=["D", "E", "F"])), ("several levels", pandas.concat({"a": table}))):
            with self.subTest(message), self.assertRaisesRegex(hr.InputError, "^hr.from_layout: table: has .*" + message):
                hr.from_layout(wrong, SOURCE / "configs/field.yaml")


class LargeTables(Frames):
    def test_rows_cost_little(self):
        """No work for single rows that a field of 100,000 heliostats would make long; the limits are ten times what it takes."""
        import time
        count = 20_000
        row = numpy.arange(count)
        table = pandas.DataFrame({"x": 12.0 * (row % 150 - 75), "y": 60 + 12.0 * (row // 150), "z": 0.0}, index=pandas.Index([f"N{i:06d}" for i in row], name="name"))
        begin = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", hr.HelioRayWarning)
            plant = hr.from_layout(table, SOURCE / "configs/field.yaml")
        changed = plant.replace(heliostats=plant.heliostats.assign(up_m=5.0))
        self.assertEqual((len(changed), changed.heliostats["up_m"].iloc[-1]), (count, 5.0))
        with self.assertRaisesRegex(hr.InputError, "has 19980 more unknown names"):
            plant.replace(heliostats=plant.heliostats.reset_index(drop=True))
        self.assertLess(time.process_time() - begin, 10)


if __name__ == "__main__":
    unittest.main()
