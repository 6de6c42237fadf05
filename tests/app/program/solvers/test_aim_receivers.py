# SPDX-License-Identifier: MIT
"""Aim points on receivers of several surfaces: tables that are read back, several cavities, a year under a limit."""

import csv
import json
import unittest

import h5py

from harness import ProgramTest

PLANT = """\
site: {latitude_deg: 37, longitude_deg: -6, altitude_m: 20}
tower: {optical_height_m: 40, height_m: 35, radius_m: 1}
receiver: {type: cavity, name: den, azimuths_deg: [0, 120, 240], offset_m: 4, panels: 4, radius_m: 2, height_m: 5, aperture_width_m: 3, lip_top_m: 1, lip_bottom_m: 1}
heliostat: {width_m: 4, height_m: 3, facet_shape: sphere, pivot_height_m: 3, slant_step_m: 2}
layout: {type: radial_stagger, heliostats: 36, min_radius_m: 30}
"""
KEYS = ("--set", "tracing.rays_per_heliostat=5000", "--set", "bitmap={width: 8, height: 8}", "--set", "device=cpu")


class AimReceivers(ProgramTest):
    def setUp(self):
        super().setUp()
        (self.folder / "field.yaml").write_text(PLANT)
        done = self.run_program("scenario", "generate", "field.yaml", "-o", "plant.h5", "--config", "run.yaml")
        self.assertEqual(done.returncode, 0, done.stderr)

    def printed(self, *arguments):
        done = self.run_program(*arguments, *KEYS, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_table_names_receivers_and_is_read_back(self):
        center = self.printed("aim", "run.yaml", "--strategy", "center", "-o", "center.csv")
        limit = 0.7e-3 * center["peak_flux_w_m2"]
        best = self.printed("aim", "run.yaml", "--flux-limit-kw-m2", limit, "-o", "aims.csv", "--result", "flux.h5", "--image", "aims.png", "--report", "aims.html")
        self.assertTrue(best["limits_kept"])
        self.assertLessEqual(best["power_w"], best["power_bound_w"])
        self.assertGreater(best["power_w"], 0.9 * center["power_w"])
        with open(self.folder / "aims.csv") as table:
            targets = [row["target"] for row in csv.DictReader(table)]
        self.assertEqual(sorted(set(targets)), ["den_1", "den_2", "den_3"])
        again = self.printed("raytrace", "run.yaml", "--set", "aim.file=aims.csv", "-o", "again.h5")
        self.assertEqual(again["fingerprint"], best["fingerprint"])
        # A run that begins with these points never brings less, as they keep the limit.
        next_one = self.printed("aim", "run.yaml", "--flux-limit-kw-m2", limit, "--set", "aim.file=aims.csv", "-o", "next.csv")
        self.assertGreaterEqual(next_one["power_w"], best["power_w"] * (1 - 1e-9))
        with h5py.File(self.folder / "flux.h5") as file:
            limited = [name for name in file["aiming/targets"] if "flux_limit" in file["aiming/targets"][name]]
        self.assertEqual(len(limited), 3 * 6)

    def test_walls_that_reflect(self):
        (self.folder / "field.yaml").write_text(PLANT.replace("{type: cavity,", "{type: cavity, absorptance: 0.8, bounces: 2,"))
        done = self.run_program("scenario", "generate", "field.yaml", "-o", "plant.h5")
        self.assertEqual(done.returncode, 0, done.stderr)
        center = self.printed("aim", "run.yaml", "--strategy", "center", "-o", "center.csv")
        # Limits are those of the absorbed light.
        best = self.printed("aim", "run.yaml", "--flux-limit-kw-m2", 0.7e-3 * center["peak_flux_w_m2"], "-o", "aims.csv")
        self.assertTrue(best["limits_kept"])
        self.assertLessEqual(best["power_w"], best["power_bound_w"])
        self.assertGreater(best["power_w"], 0.9 * center["power_w"])

    def test_year_under_a_limit(self):
        options = ("annual", "run.yaml", "--declinations", 3, "--hours", 3, "-o", "year.h5", "--set", "tracing.rays_per_heliostat=2000")
        free = self.printed(*options)
        limited = self.printed(*options, "--set", "aiming={strategy: optimize, flux_limit_kw_m2: 60}", "--restart")
        self.assertLess(limited["energy_j"], free["energy_j"] * 1.02)
        self.assertGreater(limited["energy_j"], 0.5 * free["energy_j"])

    def test_what_is_not_supported_is_refused_by_name(self):
        (self.folder / "limits.csv").write_text("target,flux_limit_kw_m2\nden_1_lip_top,100\n")
        for settings, words in ((("aiming.robust_sigma=2",), ("aiming.robust_sigma", "several surfaces")),
                                (("aiming.flux_limit.file=limits.csv",), ("den_1_lip_top", "is a shield")),
                                (("aiming.target_shares={den_1: 0.5, den_2: 0.5}",), ("aiming.target_shares", "receiver"))):
            done = self.run_program("aim", "run.yaml", *(part for setting in settings for part in ("--set", setting)))
            self.assertEqual(done.returncode, 2, done.stdout)
            for word in words:
                self.assertIn(word, done.stderr)


if __name__ == "__main__":
    unittest.main()
