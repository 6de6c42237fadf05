# SPDX-License-Identifier: MIT
"""Tables for plant models, of a field in the east alone: SAM runs a year on them; azimuths, columns and hours have their right side."""

import datetime
import importlib.util
import json
import math
import pathlib
import shutil
import sys
import tempfile
import unittest

import h5py
import numpy

from harness import ProgramTest

LATITUDE = 35.0
FIELD = f"""\
site: {{latitude_deg: {LATITUDE}, longitude_deg: -117, altitude_m: 600}}
tower: {{optical_height_m: 45, height_m: 41, radius_m: 2}}
receiver: {{type: cylinder, radius_m: 3, height_m: 6, azimuth_deg: 30}}
heliostat: {{width_m: 5, height_m: 5, facet_shape: sphere, focal_length_m: slant_range, pivot_height_m: 3, slant_step_m: 1}}
layout: {{type: radial_stagger, heliostats: 40, min_radius_m: 40, azimuth_from_deg: 60, azimuth_to_deg: 120}}
"""
RUN = """\
scenario: east.h5
sun: {shape: {type: buie, csr: 0.02}}
aim: {target: receiver}
optics: {reflectivity: 0.9, slope_error_mrad: 1.5}
tracing: {rays_per_heliostat: 1e3}
device: cpu
"""
ABSORPTANCE = 0.93


def lacking(*names):
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    return f"{sys.executable} has no {', '.join(missing)}" if missing else ""


def cloudless_year():
    """Hourly sunlight of a year without clouds, as PySAM takes it."""
    hours = [datetime.datetime(2023, 1, 1) + datetime.timedelta(hours=i) for i in range(8760)]
    dni = []
    for hour in hours:
        declination = math.radians(23.45) * math.sin(2 * math.pi * (284 + hour.timetuple().tm_yday) / 365)
        angle = math.radians(15 * (hour.hour + 0.5 - 12))
        latitude = math.radians(LATITUDE)
        sine = math.sin(latitude) * math.sin(declination) + math.cos(latitude) * math.cos(declination) * math.cos(angle)
        dni.append(900 * (1 - math.exp(-8 * sine)) if sine > 0.05 else 0.0)
    constant = {"df": 60.0, "gh": 500.0, "tdry": 20.0, "twet": 12.0, "tdew": 8.0, "rhum": 40.0, "pres": 950.0, "wspd": 2.0, "wdir": 0.0}
    return {"lat": LATITUDE, "lon": -117.0, "tz": -8.0, "elev": 600.0, "minute": [30] * 8760, "dn": dni,
            **{key: [getattr(hour, key) for hour in hours] for key in ("year", "month", "day", "hour")},
            **{key: [value] * 8760 for key, value in constant.items()}}


class PlantModels(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.made = pathlib.Path(tempfile.mkdtemp(prefix="helioray_test_"))
        cls.addClassCleanup(shutil.rmtree, cls.made, ignore_errors=True)
        (cls.made / "east.yaml").write_text(FIELD)
        (cls.made / "run.yaml").write_text(RUN)
        maker = cls("run_program")
        maker.folder = cls.made
        for arguments in (("scenario", "generate", "east.yaml", "-o", "east.h5"),
                          ("efficiency", "run.yaml", "-o", "table.h5", "--azimuths", "0:330:12", "--elevations", "5,10,20,30,45,60,75,90"),
                          ("export", "sam", "table.h5", "-o", "sam", "--absorptance", ABSORPTANCE),
                          ("export", "solarpilot", "table.h5", "-o", "solarpilot", "--absorptance", ABSORPTANCE, "--panels", 36),
                          ("export", "solartherm", "table.h5", "-o", "optics.motab"),
                          ("export", "netcdf", "table.h5", "-o", "table.nc")):
            done = maker.run_program(*arguments)
            assert done.returncode == 0, (arguments, done.stderr)
        cls.sam = json.loads((cls.made / "sam/sam.json").read_text())
        with h5py.File(cls.made / "table.h5") as file:
            cls.efficiency = file["efficiency"][()]
            cls.azimuths, cls.elevations = file["azimuth_deg"][()], file["elevation_deg"][()]
            cls.area = file.attrs["mirror_area_m2"]

    def test_sam_tables(self):
        eta = numpy.array(self.sam["eta_map"])
        self.assertEqual(eta.shape, (96, 3))
        numpy.testing.assert_allclose(eta[:, 0], numpy.repeat(self.azimuths, 8), atol=1e-9)
        numpy.testing.assert_allclose(eta[:, 1], 90 - numpy.tile(self.elevations, 12), atol=1e-9)
        numpy.testing.assert_allclose(eta[:, 2], ABSORPTANCE * self.efficiency.ravel(), rtol=1e-12)
        self.assertTrue((eta[:, 0] >= 0).all() and (eta[:, 0] < 360).all())
        # Mirrors in the east are well lit by a sun in the west.
        self.assertGreater(self.efficiency[9, 3], 1.4 * self.efficiency[3, 3])
        flux = numpy.array(self.sam["flux_maps"])
        self.assertEqual(flux.shape, (96, 20))
        numpy.testing.assert_allclose(flux.sum(1), 1, rtol=1e-12)
        # 20 columns from the south over the east: column 5 begins at azimuth 90.
        middle = (flux * numpy.arange(0.5, 20)).sum(1)
        # At low sun shading moves it a little.
        numpy.testing.assert_allclose(middle, 5, atol=0.6)
        self.assertGreater(flux[:, 1:9].sum(1).min(), 0.97)
        self.assertEqual((self.sam["field_model_type"], self.sam["N_hel"], self.sam["D_rec"], self.sam["rec_height"]), (4, 40, 6, 6))
        # Mirrors of 5 x 5 m, slightly curved.
        self.assertAlmostEqual(self.sam["A_sf_in"], 40 * 25, delta=1)
        self.assertAlmostEqual(self.sam["h_tower"], 42, delta=0.01)
        with h5py.File(self.made / "east.h5") as file:
            places = numpy.array([group["position"][:2] for group in file["heliostats"].values()])
        # The hull lies within the box about the mirrors and fills most of it; an acre has 4047 m2.
        box = numpy.prod(numpy.ptp(places, axis=0)) / 4046.86
        self.assertTrue(0.4 * box < self.sam["total_land_area_before_rad_cooling_in"] < box)
        for name, values in (("eta_map", eta), ("flux_maps", flux)):
            numpy.testing.assert_array_equal(numpy.loadtxt(self.made / "sam" / f"{name}.csv", delimiter=","), values)
        errors = numpy.genfromtxt(self.made / "sam/eta_errors.csv", delimiter=",", names=True)
        self.assertTrue((errors["std_error"] > 0).all() and (errors["interpolation_error"] > 0).all())

    def test_solarpilot_tables(self):
        matrix = numpy.loadtxt(self.made / "solarpilot/efficiency_matrix.csv", delimiter=",")
        self.assertEqual(matrix.shape, (13, 9))
        self.assertEqual(matrix[0, 0], 0)
        numpy.testing.assert_allclose(matrix[0, 1:], self.elevations[::-1], atol=1e-9)
        numpy.testing.assert_allclose(matrix[1:, 0], self.azimuths - 180, atol=1e-9)
        numpy.testing.assert_allclose(matrix[1:, 1:], ABSORPTANCE * self.efficiency[:, ::-1], rtol=1e-12)
        lines = (self.made / "solarpilot/efficiency_matrix.txt").read_text().splitlines()
        self.assertEqual(lines[:2], ["#1", "double sf_eff_table(13,9)"])
        modelica = numpy.array([line.split(",") for line in lines[2:]], dtype=float)
        numpy.testing.assert_array_equal(modelica[1:, 1:], matrix[1:, :0:-1])
        rows = numpy.loadtxt(self.made / "solarpilot/efficiency.csv", delimiter=",")
        eta = numpy.array(self.sam["eta_map"])
        numpy.testing.assert_allclose(rows, eta - [180, 0, 0], rtol=1e-12, atol=1e-9)
        flux = numpy.loadtxt(self.made / "solarpilot/flux.csv", delimiter=",")
        self.assertEqual(flux.shape, (96, 36))
        # 36 columns: column 8 covers azimuths 90 to 100, column 9 those from 80.
        numpy.testing.assert_allclose((flux * numpy.arange(0.5, 36)).sum(1), 9, atol=1)

    @staticmethod
    def tables_of_motab(file):
        lines = file.read_text().splitlines()
        assert lines[0] == "#1", lines[0]
        labels, data = (line.split(",")[1:] for line in (lines[2], lines[4]))
        tables, at = {}, 5
        while at < len(lines):
            kind, rest = lines[at].split(" ", 1)
            assert kind == "double", kind
            name, size = rest[:-1].split("(")
            rows, columns = map(int, size.split(","))
            tables[name] = numpy.array([line.split() for line in lines[at + 1:at + 1 + rows]], dtype=float)
            assert tables[name].shape == (rows, columns), name
            at += 1 + rows
        return dict(zip(labels, map(float, data))), tables

    def test_solartherm_tables(self):
        meta, tables = self.tables_of_motab(self.made / "optics.motab")
        # The places that SolarTherm's function Metadata_Optics gives them.
        self.assertEqual(list(meta), ["n_helios", "A_helio", "Eff_design", "H_rcv", "W_rcv", "H_tower", "Q_in_rcv", "A_land"])
        self.assertEqual((meta["n_helios"], meta["H_rcv"]), (40, 6))
        self.assertAlmostEqual(meta["Q_in_rcv"], 1000 * self.area * meta["Eff_design"], delta=1e-6)
        self.assertAlmostEqual(meta["A_helio"], self.area / 40, delta=1e-9)
        optics = tables["optics"]
        self.assertEqual(set(tables), {"optics", "cosine_loss", "shading_loss", "reflection_loss", "blocking_loss", "attenuation_loss", "spillage_loss", "parked_loss"})
        hours, declinations = optics[0, 1:], optics[1:, 0]
        noon = list(hours).index(0)
        equinox = list(declinations).index(0)
        # Noon of an equinox: azimuth 180, elevation 90 - latitude.
        south = numpy.interp(90 - LATITUDE, self.elevations, self.efficiency[6])
        self.assertAlmostEqual(optics[1 + equinox, 1 + noon], south, delta=1e-9)
        self.assertAlmostEqual(meta["Eff_design"], south, delta=1e-9)
        # Afternoon lights mirrors in the east better than morning; nights are dark.
        self.assertGreater(optics[1 + equinox, 1 + noon + 9], 1.4 * optics[1 + equinox, 1 + noon - 9])
        self.assertEqual(optics[1 + equinox, 1], 0)
        numpy.testing.assert_allclose(sum(table[1:, 1:] for table in tables.values())[optics[1:, 1:] > 0], 1, rtol=1e-9)
        # Any position, by the sun's angles and an interpolation of its own.
        declination, hour = math.radians(declinations[7]), math.radians(hours[noon + 6])
        latitude = math.radians(LATITUDE)
        up = math.sin(latitude) * math.sin(declination) + math.cos(latitude) * math.cos(declination) * math.cos(hour)
        east = -math.cos(declination) * math.sin(hour)
        north = math.cos(latitude) * math.sin(declination) - math.sin(latitude) * math.cos(declination) * math.cos(hour)
        azimuth, elevation = math.degrees(math.atan2(east, north)) % 360, math.degrees(math.asin(up))
        by_azimuth = [numpy.interp(elevation, self.elevations, row) for row in self.efficiency]
        self.assertAlmostEqual(optics[8, 1 + noon + 6], numpy.interp(azimuth, self.azimuths, by_azimuth), delta=1e-9)

    def test_noon_in_the_southern_hemisphere(self):
        self.write_config(name="south.yaml", text=FIELD.replace(f"latitude_deg: {LATITUDE}", f"latitude_deg: {-LATITUDE}"))
        self.write_config(name="run.yaml", text=RUN)
        for arguments in (("scenario", "generate", "south.yaml", "-o", "east.h5"),
                          ("efficiency", "run.yaml", "-o", "table.h5", "--azimuths", "0,90,180,270", "--elevations", "45,55,65"),
                          ("export", "solartherm", "table.h5", "-o", "south.motab")):
            done = self.run_program(*arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
        meta, tables = self.tables_of_motab(self.folder / "south.motab")
        with h5py.File(self.folder / "table.h5") as file:
            north, south = file["efficiency"][0, 1], file["efficiency"][2, 1]
        self.assertAlmostEqual(meta["Eff_design"], north, delta=1e-9)
        self.assertGreater(abs(north - south), 1e-4)

    @unittest.skipIf(lacking("xarray", "h5netcdf"), lacking("xarray", "h5netcdf"))
    def test_netcdf(self):
        import xarray
        with xarray.open_dataset(self.made / "table.nc", engine="h5netcdf") as data:
            self.assertEqual(data["efficiency"].dims, ("altitude", "azimuth"))
            numpy.testing.assert_allclose(data["altitude"], numpy.radians(self.elevations), rtol=1e-12)
            numpy.testing.assert_allclose(data["azimuth"], numpy.radians(self.azimuths), rtol=1e-12)
            numpy.testing.assert_array_equal(data["efficiency"], self.efficiency.T)
            # As atlite reads it.
            west = data["efficiency"].interp(altitude=math.radians(30), azimuth=math.radians(270))
            self.assertAlmostEqual(float(west), self.efficiency[9, 3], delta=1e-12)
            share = data["flux_share_receiver"]
            self.assertEqual(share.dims, ("altitude", "azimuth", "height_m_receiver", "width_m_receiver"))
            numpy.testing.assert_allclose(share.sum(("height_m_receiver", "width_m_receiver")), 1, rtol=1e-9)
            self.assertTrue((data["efficiency_std_error"] > 0).all())
            self.assertEqual(data["azimuth"].attrs["units"], "rad")
        with xarray.open_dataset(self.made / "table.h5", engine="h5netcdf") as data:
            self.assertEqual(data["efficiency"].dims, ("azimuth_deg", "elevation_deg"))

    def year_of_sam(self, model):
        """Runs a year without clouds on the exported tables, checks the field's efficiency hour by hour, and returns the year's energy in kWh."""
        model.SolarResource.solar_resource_data = cloudless_year()
        model.value("sf_adjust_constant", 0)
        # PySAM takes every value. The tables hold for a larger plant of the same kind, that of SAM's cycle and receiver.
        size = {name: model.value(name) for name in ("D_rec", "rec_height", "h_tower")}
        for name, value in self.sam.items():
            model.value(name, value)
        scale = 1.3e6 / self.sam["A_sf_in"]
        size.update({name: scale * self.sam[name] for name in ("A_sf_in", "N_hel", "total_land_area_before_rad_cooling_in")})
        for name, value in size.items():
            model.value(name, value)
        model.execute(0)
        output = model.Outputs
        dni, azimuth, zenith = (numpy.array(getattr(output, name)) for name in ("beam", "solaz", "solzen"))
        field = numpy.array(output.eta_field)
        # What SAM reads between the entries is our table, on the right side of noon.
        by_elevation = numpy.array([numpy.interp(90 - zenith, self.elevations, row) for row in numpy.vstack([self.efficiency, self.efficiency[:1]])])
        turn = numpy.append(self.azimuths, 360)
        expected = ABSORPTANCE * numpy.array([numpy.interp(a, turn, by_elevation[:, i]) for i, a in enumerate(azimuth)])
        lit = (dni > 500) & (zenith < 80) & (field > 0)
        self.assertGreater(lit.sum(), 2000)
        self.assertLess(numpy.sqrt(numpy.mean((field - expected)[lit] ** 2)), 0.01)
        morning, afternoon = (lit & (azimuth < 150), lit & (azimuth > 210))
        self.assertGreater(field[afternoon].mean(), 1.2 * field[morning].mean())
        return output.annual_energy

    @unittest.skipIf(lacking("PySAM"), lacking("PySAM") + " (nrel-pysam)")
    def test_a_year_of_sam(self):
        import PySAM.TcsmoltenSalt as tower
        energy = self.year_of_sam(tower.default("MSPTSingleOwner"))
        self.assertTrue(4e8 < energy < 1.2e9, energy)

    @unittest.skipIf(lacking("PySAM"), lacking("PySAM") + " (nrel-pysam)")
    def test_a_year_of_process_heat_in_sam(self):
        import PySAM.MsptIph as heat
        energy = self.year_of_sam(heat.default("MSPTIPHNone"))
        # Heat, of which a cycle makes two fifths of electricity.
        self.assertTrue(1e9 < energy < 3e9, energy)

    def test_axes_hold_the_angles_asked_for(self):
        azimuths, elevations = [15.0, 45.0, 101.3, 285.0, 345.0], [14.4, 35.0, 82.7]
        shutil.copy(self.made / "east.h5", self.folder)
        self.write_config(text=RUN)
        done = self.run_program("efficiency", "run.yaml", "-o", "table.h5", "--azimuths", ",".join(map(str, azimuths)),
                                "--elevations", ",".join(map(str, elevations)), "--set", "tracing.rays_per_heliostat=100", "--no-checks", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        printed = json.loads(done.stdout)
        with h5py.File(self.folder / "table.h5") as file:
            # To the last bit, so that they are found by their value.
            for name, wanted in (("azimuth_deg", azimuths), ("elevation_deg", elevations)):
                self.assertEqual(file[name][()].tolist(), wanted)
                self.assertEqual(printed[name], wanted)
            self.assertEqual(file.attrs["latitude_deg"], LATITUDE)
            efficiency = file["efficiency"][()]
        self.assertEqual(self.run_program("export", "solarpilot", "table.h5", "-o", "solarpilot", "--absorptance", "1").returncode, 0)
        matrix = numpy.loadtxt(self.folder / "solarpilot/efficiency_matrix.csv", delimiter=",")
        self.assertEqual(matrix[0, 1:].tolist(), elevations[::-1])
        self.assertEqual(matrix[1:, 0].tolist(), [-165.0, -135.0, -78.7, 105.0, 165.0])
        if lacking("xarray", "h5netcdf"):
            self.skipTest(lacking("xarray", "h5netcdf"))
        import xarray
        with xarray.open_dataset(self.folder / "table.h5", engine="h5netcdf") as data:
            self.assertEqual(float(data["efficiency"].sel(azimuth_deg=15, elevation_deg=35)), efficiency[0, 1])
            self.assertEqual(float(data["efficiency"].sel(azimuth_deg=101.3, elevation_deg=82.7)), efficiency[2, 2])

    def test_wrong_options(self):
        shutil.copy(self.made / "table.h5", self.folder)
        for arguments, word in ((("--absorptance", "1.2"), "absorptance"), (("--panels", "0"), "panels"), (("--target", "tower"), "tower"),
                                (("--land-area-m2", "-1"), "land area")):
            done = self.run_program("export", "sam", "table.h5", "-o", "sam", *arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(word, done.stderr)
            self.assertFalse((self.folder / "sam").exists())


if __name__ == "__main__":
    unittest.main()
