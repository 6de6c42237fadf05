# SPDX-License-Identifier: MIT
"""The sweep command: rows that equal single runs, tables, continuing, ranks, refusals."""

import csv
import json
import signal
import unittest

import h5py
import numpy

from halt_rank import Preload
from harness import ProgramTest

SUNS = ("--vary", "sun.azimuth_deg=150,180", "--vary", "sun.elevation_deg=30:60:3")


def setUpModule():
    Preload.make()


class Sweep(ProgramTest):
    def setUp(self):
        super().setUp()
        self.config = self.write_config("2e4")

    def sweep(self, *arguments, code=0, **environment):
        done = self.run_program("sweep", self.config, *arguments, **environment)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def rows(self, *arguments, **environment):
        return json.loads(self.sweep("--json", *arguments, **environment).stdout)["variants"]

    def refused(self, *arguments, words):
        done = self.sweep(*arguments, code=2)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertEqual(self.leftovers(), [])
        return done

    def test_rows_are_those_of_single_runs(self):
        variants = self.rows(*SUNS, "--vary", "optics.slope_error_mrad=1,2")
        self.assertEqual(len(variants), 12)
        self.assertEqual(self.leftovers(), [])
        self.assertTrue((self.folder / "sweep.csv").is_file())
        # The sun alone differs between some neighbours, and the mirrors between others.
        for row in (variants[0], variants[1], variants[3], variants[11]):
            single = self.raytrace_json(self.config, *(word for key, value in row["vary"].items() for word in ("--set", f"{key}={value}")))
            self.assertEqual(row["fingerprint"], single["fingerprint"])
            self.assertAlmostEqual(row["target_power_w"], single["energy"]["target_power"], delta=1e-6 * row["target_power_w"])
            self.assertAlmostEqual(row["efficiency"], single["energy"]["target_power"] / single["energy"]["solar_power"], places=6)
            (name, target), = single["targets"].items()
            for quantity in ("peak_flux_w_m2", "peak_flux_std_error_w_m2", "peak_area_m2", "peak_pixel_w_m2"):
                self.assertAlmostEqual(row[f"{quantity}:{name}"], target[quantity], delta=1e-6 * target[quantity])
            self.assertAlmostEqual(row[f"power_std_error_w:{name}"], target["power_std_error_w"], delta=1e-6 * target["power_std_error_w"])

    def test_suns_alone_are_those_of_single_runs(self):
        for row in self.rows(*SUNS):
            single = self.raytrace_json(self.config, *(word for key, value in row["vary"].items() for word in ("--set", f"{key}={value}")))
            self.assertEqual(row["fingerprint"], single["fingerprint"])

    def test_tables(self):
        printed = self.rows(*SUNS, "-o", "table.csv")
        with open(self.folder / "table.csv") as table:
            rows = list(csv.DictReader(table))
        self.assertEqual([(row["sun.azimuth_deg"], row["sun.elevation_deg"]) for row in rows],
                         [(a, e) for a in ("150", "180") for e in ("30", "45", "60")])
        for row, one in zip(rows, printed):
            for key, value in one.items():
                if key not in ("vary", "fingerprint", "trace_seconds"):
                    self.assertEqual(float(row[key]), value, key)
        self.assertTrue(all(isinstance(row["rays"], int) and row["rays"] > 0 for row in printed), printed[0]["rays"])
        self.rows(*SUNS, "-o", "table.h5")
        with h5py.File(self.folder / "table.h5") as file:
            self.assertEqual(file.attrs["format"], "helioray-sweep")
            numpy.testing.assert_array_equal(file["vary/sun.elevation_deg"][()], [30, 45, 60, 30, 45, 60])
            numpy.testing.assert_array_equal(file["results/target_power_w"][()], [one["target_power_w"] for one in printed])
            self.assertEqual(file["results/target_power_w"].attrs["unit"], "W")
            self.assertEqual(file["results/rays"].dtype, numpy.int64)
            numpy.testing.assert_array_equal(file["results/rays"][()], [one["rays"] for one in printed])
            self.assertEqual([text.decode() for text in file["results/fingerprint"]], [one["fingerprint"] for one in printed])
            losses = sum(file[f"results/{term}_loss_w"][()] for term in ("cosine", "shading", "reflection", "blocking", "attenuation", "spillage"))
            numpy.testing.assert_allclose(losses + file["results/target_power_w"][()], file["results/solar_power_w"][()], rtol=1e-9)

    def test_values_that_are_maps(self):
        rows = self.rows("--vary", "sun.shape={type: pillbox, half_angle_mrad: 4.65},{type: buie, csr: 0.1}")
        self.assertEqual(len(rows), 2)
        self.assertGreater(rows[1]["spillage_loss_w"], rows[0]["spillage_loss_w"])

    def test_killed_and_started_again(self):
        whole = self.rows(*SUNS)
        (self.folder / "sweep.csv").unlink()
        done = self.run_program("sweep", self.config, *SUNS, **Preload.environment("any", at="commit:step_000003", number=signal.SIGKILL))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("sweep.csv.parts", self.leftovers())
        again = json.loads(self.sweep("--json", *SUNS).stdout)
        self.assertEqual(again["done_before"], 3)
        self.assertEqual([row["fingerprint"] for row in again["variants"]], [row["fingerprint"] for row in whole])
        self.assertEqual([row["target_power_w"] for row in again["variants"]], [row["target_power_w"] for row in whole])
        self.assertEqual(self.leftovers(), [])
        self.assertTrue((self.folder / "sweep.csv").is_file())

    def test_parts_of_another_sweep_are_refused(self):
        self.run_program("sweep", self.config, *SUNS, **Preload.environment("any", at="commit:step_000003", number=signal.SIGKILL))
        done = self.sweep("--vary", "sun.azimuth_deg=150,181", code=2)
        self.assertIn("sweep.csv.parts", done.stderr)
        self.assertEqual(len(self.rows("--vary", "sun.azimuth_deg=150,181", "--restart")), 2)

    def test_ranks(self):
        alone = self.rows(*SUNS)
        for ranks in (2, 3):
            self.assertEqual([row["fingerprint"] for row in self.rows(*SUNS, "--ranks", ranks)], [row["fingerprint"] for row in alone])

    def test_refusals(self):
        self.refused(words=["--vary"])
        self.refused("--vary", "sun.azimuth_deg", words=["--vary", "has no values"])
        self.refused("--vary", "sun.azimuth_deg=1,,2", words=["--vary", "has an empty value"])
        self.refused("--vary", "sun.azimuth_deg=150,180,150.0", words=["--vary: 'sun.azimuth_deg=150,180,150.0' has the value 150.0 twice"])
        self.refused("--vary", "sun.azimut_deg=1,2", words=["sun.azimut_deg", "did you mean"])
        done = self.refused("--vary", "optics.reflectivity=0.9,2,0.8,3", words=["variant optics.reflectivity=2", "variant optics.reflectivity=3"])
        self.assertNotIn("reflectivity=0.9", done.stderr)
        self.refused("--vary", "sun.elevation_deg=-3,40", words=["sun.elevation_deg=-3"])
        self.refused("--vary", "scenario=nowhere.h5", words=["nowhere.h5"])
        self.refused("--vary", "sun={times: {start: \"2026-06-21T10:00:00+00:00\", end: \"2026-06-21T12:00:00+00:00\", step_minutes: 60}}", words=["several positions"])
        for key, values, words in (("output.file", "a.h5,b.h5", ["one table", "--output"]), ("output.per_heliostat", "true,false", ["one table"]),
                                   ("output", "{file: a.h5},{file: b.h5}", ["one table"]), ("device", "cpu,auto", ["--device"]),
                                   ("distributed.timeout_s", "1,2", ["same ranks"]), ("aiming.strategy", "sigma,center", ["no aim points"])):
            self.refused("--vary", f"{key}={values}", words=[f"--vary: '{key}' cannot vary", *words])
        self.refused(*SUNS, "-o", "table.txt", words=["--output", ".csv"])


if __name__ == "__main__":
    unittest.main()
