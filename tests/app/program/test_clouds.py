# SPDX-License-Identifier: MIT
"""Clouds in raytrace, series and aim: shares of the light, powers that follow, refusals."""

import csv
import json
import unittest

import h5py
import numpy

from harness import ARTIST, ProgramTest
from plants import CYLINDER, CYLINDER_RUN

CLOUDS = ("--set", "sun.clouds={file: clouds.csv}")


class Clouds(ProgramTest):
    def setUp(self):
        super().setUp()
        self.generate(CYLINDER)
        self.config = self.write_config(text=CYLINDER_RUN)

    def terms(self, name="result.h5"):
        with h5py.File(self.folder / name) as file:
            heliostats = file["heliostats"]
            names = [n.decode() for n in heliostats["name"][()]]
            return names, {key: heliostats[key][()] for key in ("solar_power", "cosine_loss", "reflection_loss", "spillage_loss", "target_power")}

    def test_powers_are_those_of_a_clear_sky_times_the_share(self):
        clear = self.raytrace_json(self.config)
        names, bright = self.terms()
        shares = {names[0]: 0.25, names[3]: 0.0, names[7]: 0.7}
        (self.folder / "clouds.csv").write_text("name,share\n" + "".join(f"{n},{s}\n" for n, s in shares.items()))
        dim = self.raytrace_json(self.config, *CLOUDS)
        _, dimmed = self.terms()
        share = numpy.array([shares.get(name, 1) for name in names])
        for key, values in bright.items():
            numpy.testing.assert_allclose(dimmed[key], share * values, rtol=1e-5, atol=1e-4 * bright["solar_power"][0], err_msg=key)
        numpy.testing.assert_allclose(dimmed["target_power"][share == 1], bright["target_power"][share == 1], rtol=1e-12)
        self.assertEqual(dimmed["target_power"][3], 0)
        self.assertNotEqual(dim["fingerprint"], clear["fingerprint"])
        # A clear sky of clouds is a clear sky.
        (self.folder / "clouds.csv").write_text(f"name,share\n{names[0]},1\n")
        self.assertEqual(self.raytrace_json(self.config, *CLOUDS)["fingerprint"], clear["fingerprint"])

    def test_a_front_crosses_the_field_during_a_series(self):
        # Half of the sky is dark, and it comes from the west with 1 m/s.
        (self.folder / "clouds.csv").write_text("east_m,north_m,share\n" + "".join(
            f"{e},{n},{s}\n" for e, s in ((-2000, 0), (-60.001, 0), (-60, 1), (2000, 1)) for n in (-2000, 2000)))
        series = ("--set", 'sun={times: {start: "2026-06-21T12:00:00+00:00", end: "2026-06-21T12:02:00+00:00", step_minutes: 1}, dni_w_m2: 900, '
                  'shape: {type: pillbox, half_angle_mrad: 4.65}, clouds: {file: clouds.csv, velocity_m_s: [1, 0], time: "2026-06-21T12:00:00+00:00"}}')
        powers = self.raytrace_json(self.config, *series)["energy"]["solar_power"]
        with h5py.File(self.folder / "result.h5") as file:
            solar = file["heliostats/solar_power"][()]
            east = file["heliostats/mirror_origin"][0][:, 0]
        self.assertEqual(powers[2], 0)
        self.assertTrue(0.3 * powers[0] < powers[1] < 0.7 * powers[0])
        self.assertTrue((solar[0] > 0).all())
        clearly = abs(east) > 1
        numpy.testing.assert_array_equal(solar[1][clearly] > 0, east[clearly] > 0)
        ranks = self.raytrace_json(self.config, *series, "--ranks", 2, "-o", "ranks.h5")
        with h5py.File(self.folder / "result.h5") as file:
            self.assertEqual(file.attrs["fingerprint"], ranks["fingerprint"])

    def test_a_map_of_hdf5_is_the_same_map(self):
        east, north = numpy.array([-200.0, -10, 15, 200]), numpy.array([-200.0, 0, 200])
        share = numpy.array([[0, 0.2, 0.4, 1], [1, 0.5, 0.1, 0], [0.3, 0.9, 1, 0.7]])
        (self.folder / "clouds.csv").write_text("east_m,north_m,share\n" + "".join(
            f"{e},{n},{share[i, j]}\n" for i, n in enumerate(north) for j, e in enumerate(east)))
        table = self.raytrace_json(self.config, *CLOUDS)

        def write(**datasets):
            with h5py.File(self.folder / "clouds.h5", "w") as file:
                for name, values in {"east_m": east, "north_m": north, "share": share, **datasets}.items():
                    if values is not None:
                        file[name] = values

        write()
        self.assertEqual(self.raytrace_json(self.config, "--set", "sun.clouds={file: clouds.h5}")["fingerprint"], table["fingerprint"])
        for datasets, words in (({"share": share.T}, ("share", "(4, 3)", "(3, 4)")), ({"share": 2 * share}, ("share", "row 0, column 3")),
                                ({"east_m": -east}, ("east_m", "ascending")), ({"north_m": None}, ("north_m", "is missing")),
                                ({"share": numpy.where(share > 0, share, numpy.nan)}, ("share", "row 0, column 0"))):
            write(**datasets)
            done = self.run_program("raytrace", self.config, "--set", "sun.clouds={file: clouds.h5}")
            self.assertEqual(done.returncode, 2, done.stderr)
            for word in ("clouds.h5", *words):
                self.assertIn(word, done.stderr)
        (self.folder / "clouds.h5").write_text("no HDF5")
        done = self.run_program("raytrace", self.config, "--set", "sun.clouds={file: clouds.h5}")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("clouds.h5", done.stderr)

    def test_aim_points_know_of_the_clouds(self):
        clear = json.loads(self.run_program("aim", self.config, "--flux-limit-kw-m2", 25, "--json").stdout)
        with open(self.folder / "aims.csv") as table:
            names = [row["name"] for row in csv.DictReader(table)]
        (self.folder / "clouds.csv").write_text("name,share\n" + "".join(f"{n},{s}\n" for n, s in zip(names, [0, 0.3] * 15)))
        done = self.run_program("aim", self.config, *CLOUDS, "--flux-limit-kw-m2", 25, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        dim = json.loads(done.stdout)
        self.assertTrue(0.1 * clear["power_before_w"] < dim["power_before_w"] < 0.2 * clear["power_before_w"])
        # In little light the limit does not bind.
        self.assertLess(dim["worst_limit_share"], 0.9)
        self.assertGreater(dim["power_w"], 0.99 * dim["power_before_w"])
        traced = self.raytrace_json(self.config, *CLOUDS, "--set", "aim.file=aims.csv")
        self.assertEqual(traced["fingerprint"], dim["fingerprint"])

    def test_availability_by_step(self):
        # Rows of aim.file turn heliostats off in the steps that they name.
        self.run_program("aim", self.config, "--strategy", "center")
        with open(self.folder / "aims.csv") as table:
            rows = list(csv.DictReader(table))
        times = ("2026-06-21T12:00:00+00:00", "2026-06-21T12:30:00+00:00")
        with open(self.folder / "state.csv", "w", newline="") as table:
            writer = csv.DictWriter(table, [*rows[0], "time"])
            writer.writeheader()
            for i, row in enumerate(rows):
                writer.writerow({**row, "time": times[0]})
                writer.writerow({**row, "time": times[1], "active": "false" if i < 10 else "true"})
        done = self.raytrace_json(self.config, "--set", 'sun={times: ["%s", "%s"], dni_w_m2: 900, shape: {type: pillbox, half_angle_mrad: 4.65}}' % times,
                                  "--set", "aim.file=state.csv")
        solar = done["energy"]["solar_power"]
        self.assertAlmostEqual(solar[1] / solar[0], 20 / 30, delta=1e-5)

    def test_what_is_refused(self):
        (self.folder / "clouds.csv").write_text("name,share\nnobody,0.5\n")
        for arguments, words in ((CLOUDS, ("sun.clouds.file", "'nobody'")), ((*CLOUDS, *ARTIST), ("sun.clouds", "model artist")),
                                 (("--set", "sun.clouds={file: none.csv}"), ("none.csv",)), (("--set", "sun.clouds={map: x.csv}"), ("sun.clouds",))):
            done = self.run_program("raytrace", self.config, *arguments)
            self.assertEqual(done.returncode, 2, (arguments, done.stderr))
            for word in words:
                self.assertIn(word, done.stderr)
        # A year has a sky of its own.
        done = self.run_program("annual", self.config, *CLOUDS, "--declinations", 3, "--hours", 3)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("sun.clouds.file", done.stderr)


if __name__ == "__main__":
    unittest.main()
