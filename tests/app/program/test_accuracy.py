# SPDX-License-Identifier: MIT
"""Runs that go on until a wanted accuracy is reached."""

import unittest

import h5py

from harness import ProgramTest

RANDOM = ("--set", "tracing.sampling=random")


class Accuracy(ProgramTest):
    def wish(self, share):
        return (*RANDOM, "--set", f"tracing.relative_error={share}")

    def test_a_loose_wish_stops_early_on_any_number_of_ranks_and_threads(self):
        config = self.write_config(rays="2e6")
        one = self.raytrace_json(config, *self.wish(0.002), "--ranks", 1, "--threads", 1)
        self.assertLess(one["rays_per_heliostat"], 1_000_000)
        self.assertEqual(one["rays"], 3 * one["rays_per_heliostat"])
        self.assertLessEqual(one["relative_error_reached"], 0.002)
        target = one["targets"]["multi_focus_tower"]
        self.assertAlmostEqual(target["power_std_error_w"] / target["power_w"], one["relative_error_reached"], delta=1e-9)
        with h5py.File(self.folder / "result.h5") as file:
            self.assertEqual(file.attrs["rays"], one["rays"])
            self.assertEqual(list(file["heliostats/rays"][:]), 3 * [one["rays_per_heliostat"]])
        for arguments in (("--threads", 2), ("--ranks", 2), ("--ranks", 3)):
            other = self.raytrace_json(config, *self.wish(0.002), *arguments)
            self.assertEqual(other["fingerprint"], one["fingerprint"], arguments)
            self.assertEqual(other["rays"], one["rays"])
        # The same power as with a fixed number of rays.
        long = self.raytrace_json(config, *RANDOM)
        self.assertNotIn("relative_error_reached", long)
        expected = long["targets"]["multi_focus_tower"]
        self.assertLess(abs(target["power_w"] - expected["power_w"]),
                        4 * (target["power_std_error_w"] + expected["power_std_error_w"]))

    def test_the_peak_can_be_what_is_wanted(self):
        config = self.write_config(rays="2e6")
        wish = ("--set", "tracing.relative_error=0.016", "--set", "tracing.relative_error_of=peak")
        one = self.raytrace_json(config, *wish, "--threads", 1)
        self.assertLess(one["rays_per_heliostat"], 1_000_000)
        self.assertLessEqual(one["relative_error_reached"], 0.016)
        target = one["targets"]["multi_focus_tower"]
        self.assertAlmostEqual(target["peak_flux_std_error_w_m2"] / target["peak_flux_w_m2"], one["relative_error_reached"], delta=1e-9)
        for arguments in (("--threads", 2), ("--ranks", 2)):
            self.assertEqual(self.raytrace_json(config, *wish, *arguments)["fingerprint"], one["fingerprint"], arguments)
        # The power is known that well after the first rays.
        power = self.raytrace_json(config, *wish[:2])
        self.assertLess(power["rays_per_heliostat"], one["rays_per_heliostat"])
        done = self.run_program("raytrace", config, *wish[2:])
        self.assertEqual(done.returncode, 2)
        self.assertIn("tracing.relative_error_of", done.stderr)

    def test_the_summary_says_where_a_run_stopped(self):
        done = self.run_program("raytrace", self.write_config(rays="2e6"), *self.wish(0.002))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"stopped after [0-9,]+ of [0-9,]+ rays per heliostat")
        self.assertEqual(done.stderr, "")

    def test_no_limit_is_too_high(self):
        config = self.write_config(rays="1e15")
        reached = self.raytrace_json(config, *self.wish(0.01))
        self.assertLess(reached["rays_per_heliostat"], 10_000_000)
        self.assertLessEqual(reached["relative_error_reached"], 0.01)
        # Rays still carry enough quanta that shares of them are exact: CONFIG's mirrors reflect 0.9.
        with h5py.File(self.folder / "result.h5") as file:
            lit = file["heliostats/solar_power"][:] - file["heliostats/cosine_loss"][:]
            for lost, power in zip(file["heliostats/reflection_loss"][:], lit):
                self.assertAlmostEqual(lost / power, 0.1, delta=2e-5)
        # Without a wish every one of them would be traced.
        done = self.run_program("raytrace", self.write_config(rays="1e15"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("tracing.rays_per_heliostat", done.stderr)

    def test_a_limit_that_comes_first_is_a_warning(self):
        config = self.write_config(rays="1e4")
        for ranks in (1, 2):
            done = self.run_program("raytrace", config, *self.wish(1e-6), "--ranks", ranks)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("instead of", done.stdout)
            self.assertEqual(done.stderr.count("tracing.rays_per_heliostat"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
