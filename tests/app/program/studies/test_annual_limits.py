# SPDX-License-Identifier: MIT
"""The annual command under flux limits: defocused energy, levels of irradiance, strategies, shards, refusals."""

import json
import math
import signal
import unittest

import h5py
import numpy

from halt_rank import Preload
from harness import ProgramTest

LOSSES = ("cosine_loss", "shading_loss", "reflection_loss", "blocking_loss", "attenuation_loss", "spillage_loss", "defocus_loss")
PLANT = """\
site: {latitude_deg: 24.4, longitude_deg: 54.4, altitude_m: 50}
tower: {optical_height_m: 35, height_m: 32, radius_m: 1.5}
receiver: {type: cylinder, radius_m: 1.5, height_m: 4}
heliostat: {width_m: 4, height_m: 3, facet_shape: sphere, pivot_height_m: 2, slant_step_m: 0.5}
layout: {type: radial_stagger, heliostats: 40, min_radius_m: 25}
"""
CONFIG = """\
scenario: plant.h5
sun: {dni_w_m2: 1000, shape: {type: pillbox, half_angle_mrad: 4.65}}
aim: {target: receiver}
optics: {reflectivity: 0.9, slope_error_mrad: 1.5}
tracing: {rays_per_heliostat: 2e4, seed: 3}
bitmap: {width: 16, height: 8}
device: cpu
"""
GRID = ("--declinations", 3, "--hours", 5)
OPTIMIZE = ("--set", "aiming.strategy=optimize")


def limit(kw_m2):
    """Center reaches 100 kW/m2. 12 turns a sixth of the light off, 50 is kept by moving aim points."""
    return (*OPTIMIZE, "--set", f"aiming.flux_limit_kw_m2={kw_m2}")


def setUpModule():
    Preload.make()


class AnnualLimits(ProgramTest):
    def setUp(self):
        super().setUp()
        self.generate(PLANT)
        self.config = self.write_config(text=CONFIG)

    def annual(self, *arguments, code=0):
        done = self.run_program("annual", self.config, *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def annual_json(self, *arguments):
        return json.loads(self.annual("--json", *arguments).stdout)

    def check_balance(self, year):
        energy = year["energy"]
        self.assertAlmostEqual((sum(energy[term] for term in LOSSES) + energy["target_power"]) / energy["solar_power"], 1, delta=1e-12)

    def test_limits_that_never_bind_change_nothing(self):
        plain = self.annual_json(*GRID)
        never = self.annual_json(*GRID, *limit(1e5))
        self.assertEqual(plain["energy"]["defocus_loss"], 0)
        self.assertNotIn("aiming", plain)
        self.assertEqual((never["aiming"]["limited_positions"], never["aiming"]["limits_kept"]), (0, True))
        for term, value in plain["energy"].items():
            self.assertAlmostEqual(never["energy"][term], value, delta=1e-12 * plain["energy"]["solar_power"], msg=term)
        for key in ("energy_j", "quadrature_error_j", "std_error_j"):
            self.assertAlmostEqual(never[key] / plain[key], 1, delta=1e-12, msg=key)
        self.assertAlmostEqual(never["aiming"]["center_energy_j"] / plain["energy_j"], 1, delta=1e-12)

    def test_lower_limits_bring_less_and_all_energy_is_accounted_for(self):
        plain = self.annual_json(*GRID)["energy_j"]
        moved = self.annual_json(*GRID, *limit(50), "-o", "moved.h5")
        off = self.annual_json(*GRID, *limit(12), "-o", "off.h5", "--csv", "off.csv")
        self.assertTrue(0.3 * plain < off["energy_j"] < 0.9 * moved["energy_j"])
        # Some heliostats lose light at the edges, and others gain because the centre is not their best aim point.
        self.assertAlmostEqual(moved["energy_j"] / plain, 1, delta=0.005)
        self.assertGreater(off["energy"]["defocus_loss"], 0.1 * plain)
        for year in (moved, off):
            self.check_balance(year)
            self.assertTrue(0 < year["aiming"]["limited_positions"] <= 15)
            self.assertTrue(year["aiming"]["limits_kept"])
            self.assertLess(year["aiming"]["worst_limit_share"], 1 + 3 * year["aiming"]["worst_limit_share_std_error"] + 1e-9)
            self.assertAlmostEqual(year["aiming"]["center_energy_j"] / plain, 1, delta=1e-12)
        with h5py.File(self.folder / "off.h5") as file:
            self.assertEqual(file.attrs["defocus_loss_j"], off["energy"]["defocus_loss"])
            self.assertAlmostEqual(file["heliostats/defocus_loss"][()].sum() / off["energy"]["defocus_loss"], 1, delta=1e-12)
            parts = sum(file["heliostats/" + name][()] for name in (*LOSSES, "target_energy"))
            numpy.testing.assert_allclose(parts, file["heliostats/solar_energy"][()], rtol=1e-12)
        self.assertIn("efficiency,east_m,north_m,up_m,defocus_loss_j", (self.folder / "off.csv").read_text().splitlines()[0])
        info = self.run_program("info", "off.h5")
        for word in ("defocus loss", "optimize; ", "start and shut-down of receivers"):
            self.assertIn(word, info.stdout)
        done = self.run_program("report", "off.h5", "-o", "off.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Defocused energy", (self.folder / "off.html").read_text())
        done = self.run_program("plot", "off.h5", "-o", "off.png", "--field", "defocus")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_morning_agrees_with_aim_points_chosen_for_each_of_its_suns(self):
        # Small mirrors, so that what is turned off and on matters little one by one.
        self.generate(PLANT.replace("width_m: 4, height_m: 3", "width_m: 2, height_m: 1.5").replace("40, min", "160, min"))
        self.config = self.write_config(text=CONFIG.replace("2e4", "5e3"))
        # Irradiances and positions that no level and no grid has.
        rows = [(f"2026-05-10T{6 + i // 6:02}:{i % 6}", 850 - 30 * i) for i in range(10)]
        (self.folder / "dni.csv").write_text("time,dni_w_m2\n" + "".join(f"{t}0:00+00:00,{dni}\n" for t, dni in rows))
        (self.folder / "suns.csv").write_text("time,dni_w_m2\n" + "".join(f"{t}5:00+00:00,{dni}\n" for t, dni in rows))
        year = self.annual_json("--weather", "dni.csv", "--declinations", 3, "--hours", 9, *limit(9))
        self.check_balance(year)
        done = self.run_program("aim", self.config, "--set", "sun={file: suns.csv, shape: {type: pillbox, half_angle_mrad: 4.65}}",
                                "--flux-limit-kw-m2", 9, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        chosen = 600 * sum(json.loads(done.stdout)["power_w"])
        self.assertLess(chosen, 0.99 * year["aiming"]["center_energy_j"])
        self.assertAlmostEqual(year["energy_j"] / chosen, 1, delta=0.015)
        self.assertLess(abs(year["energy_j"] - chosen), year["quadrature_error_j"])
        self.assertLess(year["quadrature_error_j"], 0.1 * year["energy_j"])

    def test_shards_ranks_and_threads_make_the_same_year(self):
        whole = self.annual_json(*GRID, *limit(30), "-o", "whole.h5")
        for index in (2, 1, 3):
            self.annual(*GRID, *limit(30), "--shard", f"{index}/3")
        joined = self.annual_json(*GRID, *limit(30), "--join")
        ranks = self.annual_json(*GRID, *limit(30), "--ranks", 2, "--threads", 1, "-o", "ranks.h5")
        for year in (joined, ranks):
            self.assertEqual(year["fingerprint"], whole["fingerprint"])
            self.assertEqual(year["energy"], whole["energy"])
        self.assertEqual(self.leftovers(), ["annual.h5", "plant.h5", "ranks.h5", "whole.h5"])

    def test_a_killed_year_continues(self):
        whole = self.annual_json(*GRID, *limit(30), "-o", "whole.h5")
        done = self.run_program("annual", self.config, *GRID, *limit(30), **Preload.environment("any", at="commit:step_000004", number=signal.SIGKILL))
        self.assertEqual(done.returncode, -signal.SIGKILL, done.stderr)
        parts = self.folder / "annual.h5.parts"
        self.assertTrue((parts / "step_000003.h5").exists())
        other = self.run_program("annual", self.config, *GRID, *limit(31))
        self.assertEqual(other.returncode, 2, other.stderr)
        continued = self.annual_json(*GRID, *limit(30))
        self.assertFalse(parts.exists())
        for key in ("fingerprint", "energy", "energy_j", "quadrature_error_j", "std_error_j", "aiming"):
            self.assertEqual(continued[key], whole[key], key)
        with h5py.File(self.folder / "whole.h5") as expected, h5py.File(self.folder / "annual.h5") as found:
            def check(name, item):
                if isinstance(item, h5py.Dataset):
                    numpy.testing.assert_array_equal(found[name][()], item[()], err_msg=name)
            expected.visititems(check)
            self.assertEqual(set(expected.attrs), set(found.attrs))
            for name in expected.attrs:
                if name not in ("created", "config"):
                    numpy.testing.assert_array_equal(found.attrs[name], expected.attrs[name], err_msg=name)

    def test_a_killed_shard_continues(self):
        whole = self.annual_json(*GRID, *limit(30), "-o", "whole.h5")
        self.annual(*GRID, *limit(30), "--shard", "1/2")
        done = self.run_program("annual", self.config, *GRID, *limit(30), "--shard", "2/2",
                                **Preload.environment("any", at="commit:step_000005", number=signal.SIGKILL))
        self.assertEqual(done.returncode, -signal.SIGKILL, done.stderr)
        self.annual(*GRID, *limit(30), "--shard", "2/2")
        joined = self.annual_json(*GRID, *limit(30), "--join")
        self.assertEqual((joined["fingerprint"], joined["energy"]), (whole["fingerprint"], whole["energy"]))

    def test_a_year_with_room_for_tracking_errors(self):
        errors = ("--set", "optics.tracking_error_mrad=1")
        plain = self.annual_json(*GRID, *limit(18), *errors)
        robust = self.annual_json(*GRID, *limit(18), *errors, "--set", "aiming.robust_sigma=2")
        never = self.annual_json(*GRID, *limit(1e5), *errors, "--set", "aiming.robust_sigma=2")
        for year in (plain, robust, never):
            self.check_balance(year)
            self.assertTrue(year["aiming"]["limits_kept"])
        # The room costs energy, and the mean stays clearly below the limit.
        self.assertLess(robust["energy_j"], 0.999 * plain["energy_j"])
        self.assertGreater(robust["energy_j"], 0.5 * plain["energy_j"])
        self.assertLess(robust["aiming"]["worst_limit_share"], plain["aiming"]["worst_limit_share"])
        # A limit far away needs no room: the year of strategy center or a little more.
        self.assertAlmostEqual(never["energy_j"] / never["aiming"]["center_energy_j"], 1, delta=0.005)
        self.assertGreaterEqual(never["energy_j"], 0.999 * never["aiming"]["center_energy_j"])

    def test_the_worst_violation_is_named(self):
        done = self.annual(*GRID, *limit(12), "--set", "aiming.strategy=equator", "--json", code=1)
        aiming = json.loads(done.stdout)["aiming"]
        self.assertGreater(aiming["worst_limit_share"], 1.5)
        self.assertIn(f"at {aiming['worst_limit_share']:.4f} times its limit", aiming["violation"])
        self.assertIn(aiming["violation"], done.stderr)

    def test_a_year_with_a_shield(self):
        width, height = 2 * math.pi * 1.5, 4
        def rows(of_shield):
            lines = "x_m,y_m,flux_limit_kw_m2\n"
            for y in (-height / 2 - 1, -height / 2 - 1e-3, -height / 2, height / 2, height / 2 + 1e-3, height / 2 + 1):
                lines += "".join(f"{x},{y},{40 if abs(y) <= height / 2 else of_shield}\n" for x in (-width / 2, width / 2))
            (self.folder / "limits.csv").write_text(lines)
            return (*OPTIMIZE, "--set", "aiming.flux_limit={file: limits.csv}")

        # Mirrors whose light is wide enough to pass beside the receiver.
        wide = ("--set", "optics.slope_error_mrad=5")
        loose = self.annual_json(*GRID, *rows(1e4), *wide)
        tight = self.annual_json(*GRID, *rows(0.5), *wide)
        self.assertGreater(tight["aiming"]["limited_positions"], loose["aiming"]["limited_positions"])
        for year in (loose, tight):
            self.check_balance(year)
            self.assertTrue(year["aiming"]["limits_kept"], year["aiming"])
        # With the aim points of the center the light on the shield is far above its limit.
        done = self.annual(*GRID, *rows(0.5), *wide, "--set", "aiming.strategy=equator", "--json", code=1)
        self.assertGreater(json.loads(done.stdout)["aiming"]["worst_limit_share"], 1.5)
        self.assertIn("shield of receiver", done.stderr)

    def test_parts_of_other_limits_and_lights_are_refused(self):
        self.annual(*GRID, *limit(50), "--shard", "1/8")
        for arguments in (limit(51), (*limit(50), "--dni-levels", 5), (*limit(50), "--dni", "meinel")):
            done = self.annual(*GRID, *arguments, "--shard", "2/8", code=2)
            self.assertIn("parts of another run", done.stderr)

    def test_rules_do_not_look_at_limits(self):
        plain = self.annual_json(*GRID)["energy_j"]
        spread = self.annual_json(*GRID, "--set", "aiming.strategy=sigma", "--set", "aiming.sigma_factor=1")
        self.check_balance(spread)
        self.assertEqual(spread["energy"]["defocus_loss"], 0)
        self.assertEqual(spread["aiming"]["strategy"], "sigma")
        self.assertIsNone(spread["aiming"]["worst_limit_share"])
        self.assertLess(spread["energy_j"], 0.999 * plain)
        done = self.annual(*GRID, "--set", "aiming.strategy=equator", "--set", "aiming.flux_limit_kw_m2=20", "--json", code=1)
        year = json.loads(done.stdout)
        self.assertFalse(year["aiming"]["limits_kept"])
        self.assertIn("above their flux limit", done.stderr)
        self.assertIn("annual.h5", self.leftovers())

    def test_what_is_not_used_and_what_is_refused(self):
        done = self.annual(*GRID, "--set", "aiming.flux_limit_kw_m2=50")
        self.assertIn("flux limits; see aiming.strategy", done.stderr)
        done = self.annual(*GRID, *limit(1e5), "--set", "aiming.max_move_m_per_minute=1")
        self.assertIn("aiming.max_move_m_per_minute", done.stderr)
        self.assertNotIn("bitmap", done.stderr)
        self.run_program("raytrace", self.config, "--set", "sun.azimuth_deg=180", "--set", "sun.elevation_deg=60", "-o", "map.h5")
        for arguments, words in (((*OPTIMIZE, "--set", "aiming.objective={target_map: map.h5}"), ("aiming.objective.target_map", "one sun")),
                                 ((*limit(50), "--dni-levels", 4), ("--dni-levels", "4", "odd")),
                                 ((*limit(0),), ("aiming.flux_limit_kw_m2",)),
                                 ((*OPTIMIZE, "--set", "aiming.flux_limit={file: none.csv}"), ("none.csv",))):
            done = self.annual(*GRID, *arguments, code=2)
            for word in words:
                self.assertIn(word, done.stderr)


if __name__ == "__main__":
    unittest.main()
