# SPDX-License-Identifier: MIT
"""The annual command: energies that add up, files, weather, continuing, refusals."""

import csv
import json
import os
import signal
import subprocess
import time
import unittest

import h5py
import numpy

from harness import ARTIST, PROGRAM, ProgramTest, clean_environment

LOSSES = ("cosine_loss", "shading_loss", "reflection_loss", "blocking_loss", "attenuation_loss", "spillage_loss")
SMALL = ("--declinations", 3, "--hours", 5)


class Annual(ProgramTest):
    def setUp(self):
        super().setUp()
        self.config = self.write_config("2e4")

    def annual_json(self, *arguments):
        done = self.run_program("annual", self.config, "--json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_energies_add_up(self):
        printed = self.annual_json("--csv", "year.csv")
        self.assertEqual(self.leftovers(), ["annual.h5"])
        self.assertEqual(printed["num_positions"], 9 * 13)
        energy = printed["energy"]
        self.assertAlmostEqual(sum(energy[term] for term in LOSSES) + energy["target_power"], energy["solar_power"], delta=1e-9 * energy["solar_power"])
        self.assertAlmostEqual(sum(printed["monthly_energy_j"]), printed["energy_j"], delta=1e-9 * printed["energy_j"])
        self.assertAlmostEqual(sum(h["energy_j"] for h in printed["heliostats"].values()), printed["energy_j"], delta=1e-9 * printed["energy_j"])
        # About 2 MWh/m2 of a sky that is never cloudy, most of it above 10 degrees.
        self.assertTrue(5e9 < printed["usable_insolation_j_m2"] < printed["insolation_j_m2"] < 13e9)
        self.assertTrue(0.6 < printed["efficiency"] < 0.9)
        self.assertLess(printed["quadrature_error_j"], 0.01 * printed["energy_j"])
        self.assertLess(printed["std_error_j"], 0.01 * printed["energy_j"])
        with h5py.File(self.folder / "annual.h5") as file:
            self.assertEqual(file.attrs["format"], "helioray-annual")
            self.assertEqual(file.attrs["energy_j"], printed["energy_j"])
            weight, efficiency = file["sky/weight"][()], file["sky/efficiency"][()]
            self.assertEqual((weight.shape, efficiency.shape), ((9, 13), (9, 13, 3)))
            self.assertAlmostEqual(weight.sum(), printed["usable_insolation_j_m2"], delta=1e-9 * weight.sum())
            area = file["heliostats/solar_energy"][()] / weight.sum()
            numpy.testing.assert_allclose(numpy.einsum("ij,ijn,n->n", weight, efficiency, area), file["heliostats/target_energy"][()], rtol=1e-9)
            numpy.testing.assert_allclose(file["heliostats/monthly_target_energy"][()].sum(1), file["heliostats/target_energy"][()], rtol=1e-9)

            def check(name, item):
                if isinstance(item, h5py.Dataset):
                    self.assertTrue({"unit", "description"} <= set(item.attrs), name)
            file.visititems(check)
            with open(self.folder / "year.csv") as table:
                rows = list(csv.DictReader(table))
            self.assertEqual([row["name"] for row in rows], [name.decode() for name in file["heliostats/name"]])
            numpy.testing.assert_array_equal([float(row["target_energy_j"]) for row in rows], file["heliostats/target_energy"][()])

    def test_a_day_of_weather_is_the_sum_of_its_hours(self):
        # Interpolated between the year's sun positions against traced hour by hour.
        hours = [f"2026-05-10T{hour:02}:{minute:02}:00+00:00" for hour in range(6, 11) for minute in (0, 10, 20, 30, 40, 50)]
        (self.folder / "dni.csv").write_text("time,dni_w_m2\n" + "".join(f"{t},{500 + i}\n" for i, t in enumerate(hours)))
        printed = self.annual_json("--weather", "dni.csv")
        self.assertIn("not a year", " ".join(printed["notes"]))
        middles = [t.replace("0:00+00:00", "5:00+00:00") for t in hours]
        (self.folder / "suns.csv").write_text("time,dni_w_m2\n" + "".join(f"{t},{500 + i}\n" for i, t in enumerate(middles)))
        self.config.write_text(self.config.read_text().replace("azimuth_deg: 180.0, elevation_deg: 45.0", "file: suns.csv").replace(", dni_w_m2: 1000", ""))
        traced = self.raytrace_json(self.config)
        for term in ("target_power", "cosine_loss", "reflection_loss"):
            self.assertAlmostEqual(printed["energy"][term] / (600 * sum(traced["energy"][term])), 1, delta=2e-3, msg=term)

    def test_continues_after_sigkill_and_under_two_ranks(self):
        self.config = self.write_config("1e5")
        whole = self.annual_json(*SMALL, "-o", "whole.h5")
        run = subprocess.Popen([PROGRAM, "annual", str(self.config), *map(str, SMALL)], cwd=self.folder, env=clean_environment(),
                               start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while len(list(self.folder.glob("annual.h5.parts/step_*.h5"))) < 3:
                self.assertIsNone(run.poll())
                time.sleep(0.002)
        finally:
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()
        done = self.run_program("annual", self.config, *SMALL, "--ranks", 2)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("continues: ", done.stderr)
        self.assertIn(whole["fingerprint"], done.stdout)
        self.assertFalse((self.folder / "annual.h5.parts").exists())

    def test_bad_input(self):
        (self.folder / "bad.csv").write_text("time,dni_w_m2\n2026-05-10T06:00:00Z,7\n2026-05-10T05:00:00Z,x\n")
        for arguments, words in ((("--declinations", 4), ("4", "odd")), (("--min-elevation", 60), ("60.0", "shortest day")),
                                 (("--weather", "bad.csv"), ("bad.csv:3",)), (("--weather", "none.csv"), ("none.csv",)),
                                 (("--dni", "fog"), ("fog",)), (("--weather-time", "end"), ("--weather",)),
                                 (ARTIST, ("tracing.model",)), (("--csv", "nowhere/x.csv"), ("nowhere",))):
            done = self.run_program("annual", self.config, *arguments)
            self.assertEqual(done.returncode, 2, (arguments, done.stderr))
            for word in words:
                self.assertIn(word, done.stderr)
        self.assertEqual(self.leftovers(), [])

    def test_table(self):
        done = self.run_program("annual", self.config, *SMALL, "--dni", "meinel", "--year", 2025)
        self.assertEqual(done.returncode, 0, done.stderr)
        for word in ("multi_focus_tower", "cosine loss", "Jun", "Meinel", "2025", "not modelled", "annual.h5"):
            self.assertIn(word, done.stdout)
        info = self.run_program("info", "annual.h5")
        self.assertEqual(info.returncode, 0, info.stderr)
        table = done.stdout.split("  result ")[0]
        self.assertIn(table, info.stdout)
        self.assertIn("AA39", info.stdout)
        plot = self.run_program("plot", "annual.h5", "-o", "x.png")
        self.assertEqual(plot.returncode, 2)
        self.assertIn("helioray-annual", plot.stderr)


if __name__ == "__main__":
    unittest.main()
