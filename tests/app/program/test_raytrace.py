# SPDX-License-Identifier: MIT
"""The main job: result file, JSON, picture, repeatability."""

import json
import shutil
import unittest

import h5py
import numpy as np

from harness import ARTIST, ProgramTest, SCENARIO

TERMS = ["cosine_loss", "shading_loss", "reflection_loss", "blocking_loss", "attenuation_loss", "spillage_loss", "target_power"]


class Raytrace(ProgramTest):
    def test_sections_without_effect_are_named(self):
        config = self.write_config("1000")
        done = self.run_program("raytrace", config, "--set", "artist={rays_per_point: 3}", "--set", "aiming={strategy: sigma}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("not used with tracing.model: physical: artist\n", done.stderr)
        self.assertIn("not used: section aiming", done.stderr)
        done = self.run_program("raytrace", config, *ARTIST)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_message("run_configurations", "keys without effect in model artist", done.stderr, "tracing.rays_per_heliostat, tracing.shading")
        self.assertNotIn("not used", self.run_program("raytrace", config).stderr)

    def test_json_has_every_field_and_nothing_else_is_printed(self):
        config = self.write_config()
        done = self.run_program("raytrace", config, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        for field in ("fingerprint", "rays", "rays_per_second", "trace_seconds", "total_seconds", "peak_rss_mb",
                      "world_size", "backend", "device", "launcher", "output", "targets", "energy"):
            self.assertIn(field, result)
        self.assertEqual(result["world_size"], 1)
        self.assertEqual(result["device"], "cpu")
        self.assertEqual(result["rays"], 3 * 200000)
        target = result["targets"]["multi_focus_tower"]
        for field in ("power_w", "power_std_error_w", "peak_flux_w_m2", "peak_flux_std_error_w_m2", "peak_area_m2", "peak_pixel_w_m2", "centroid_m"):
            self.assertIn(field, target)
        self.assertGreater(target["power_w"], 1000.0)
        energy = result["energy"]
        self.assertAlmostEqual(sum(energy[t] for t in TERMS), energy["solar_power"], delta=1e-9 * energy["solar_power"])

    def test_instruction_set_is_chosen_and_named(self):
        config = self.write_config()
        best = self.raytrace_json(config)
        self.assertIn(best["instruction_set"], ("portable", "avx2", "avx512"))
        portable = self.raytrace_json(config, "-o", "portable.h5", HELIORAY_INSTRUCTION_SET="portable")
        self.assertEqual(portable["instruction_set"], "portable")
        self.assertEqual(portable["fingerprint"], best["fingerprint"])
        for name, printed in (("result.h5", best), ("portable.h5", portable)):
            with h5py.File(self.folder / name) as file:
                self.assertEqual(file.attrs["instruction_set"], printed["instruction_set"])
        self.assertIn("cpu (portable)", self.run_program("info", "portable.h5").stdout)

    def test_result_file_keeps_the_contract(self):
        config = self.write_config()
        printed = self.raytrace_json(config, "--set", "output.per_heliostat=true")
        with h5py.File(self.folder / "result.h5") as file:
            attributes = file.attrs
            self.assertEqual(attributes["format"], "helioray-result")
            self.assertEqual(attributes["format_version"], 1)
            for name in ("helioray_version", "git_commit", "created", "config", "scenario_file", "scenario_sha256", "seed",
                         "rays", "world_size", "backend", "device", "launcher", "fingerprint", "sun_direction"):
                self.assertIn(name, attributes)
            self.assertEqual(attributes["fingerprint"], printed["fingerprint"])
            np.testing.assert_allclose(attributes["sun_direction"], [0, -np.sqrt(0.5), np.sqrt(0.5)], atol=1e-12)

            target = file["targets/multi_focus_tower"]
            flux = target["flux"][:]
            self.assertEqual(flux.shape, (64, 64))
            self.assertEqual(flux.dtype, np.float64)
            width, height = target["width_m"][:], target["height_m"][:]
            pixel_area = abs(width[1] - width[0]) * abs(height[1] - height[0])
            np.testing.assert_allclose(flux.sum() * pixel_area, target.attrs["power_w"], rtol=1e-9)
            self.assertGreater(height[0], height[-1])  # row 0 is the top edge

            heliostats = file["heliostats"]
            names = [n.decode() if isinstance(n, bytes) else n for n in heliostats["name"][:]]
            self.assertEqual(names, ["AA28", "AA31", "AA39"])
            total = sum(heliostats[t][:] for t in TERMS)
            np.testing.assert_allclose(total, heliostats["solar_power"][:], rtol=1e-12)
            np.testing.assert_allclose(heliostats["target_power"][:].sum(), target.attrs["power_w"], rtol=1e-9)
            self.assertEqual(heliostats["orientation"].shape, (3, 4, 4))
            self.assertEqual(heliostats["motor_positions"].shape, (3, 2))
            self.assertEqual(heliostats["flux"].shape, (3, 64, 64))
            self.assertEqual(heliostats["flux"].dtype, np.float32)
            np.testing.assert_allclose(heliostats["flux"][:].sum(axis=0), flux, rtol=1e-4, atol=1e-3)

            def has_attributes(name, item):
                if isinstance(item, h5py.Dataset):
                    self.assertIn("unit", item.attrs, name)
                    self.assertIn("description", item.attrs, name)
            file.visititems(has_attributes)

    def test_the_mirror_reflects_the_sun_to_the_aim_point(self):
        self.raytrace_json(self.write_config(rays="1000"))
        with h5py.File(self.folder / "result.h5") as file:
            to_sun = file.attrs["sun_direction"]
            for matrix, aim in zip(file["heliostats/orientation"][:], file["heliostats/aim_point"][:]):
                normal, origin = matrix[:3, 2], matrix[:3, 3]
                to_aim = (aim - origin) / np.linalg.norm(aim - origin)
                np.testing.assert_allclose(2 * (normal @ to_sun) * normal - to_sun, to_aim, atol=1e-8)

    def test_threads_do_not_change_the_sums_and_seeds_do(self):
        config = self.write_config()
        one = self.raytrace_json(config, "--threads", "1")
        two = self.raytrace_json(config, "--threads", "2")
        other = self.raytrace_json(config, "--seed", "43")
        self.assertEqual(one["fingerprint"], two["fingerprint"])
        self.assertNotEqual(one["fingerprint"], other["fingerprint"])
        power = [r["targets"]["multi_focus_tower"] for r in (one, other)]
        error = np.hypot(power[0]["power_std_error_w"], power[1]["power_std_error_w"])
        self.assertLess(abs(power[0]["power_w"] - power[1]["power_w"]), 5 * error)

    def test_sampling_kinds_agree(self):
        config = self.write_config()
        results = [self.raytrace_json(config, "--set", f"tracing.sampling={kind}")["targets"]["multi_focus_tower"]
                   for kind in ("sobol", "random")]
        error = np.hypot(*[r["power_std_error_w"] for r in results])
        self.assertLess(abs(results[0]["power_w"] - results[1]["power_w"]), 5 * error)

    def test_command_line_replaces_the_configuration(self):
        config = self.write_config()
        printed = self.raytrace_json(config, "-o", "other.h5", "--image", "map.svg", "--set", "sun.dni_w_m2=500",
                                     "--scenario", SCENARIO)
        self.assertEqual(printed["output"], "other.h5")
        self.assertEqual(self.leftovers(), ["map.svg", "other.h5"])
        with h5py.File(self.folder / "other.h5") as file:
            self.assertIn("500", file.attrs["config"])

    def test_models_deliver_similar_spots(self):
        config = self.write_config()
        physical = self.raytrace_json(config)
        artist = self.raytrace_json(config, *ARTIST)
        a = np.array(physical["targets"]["multi_focus_tower"]["centroid_m"])
        b = np.array(artist["targets"]["multi_focus_tower"]["centroid_m"])
        self.assertLess(np.linalg.norm(a - b), 0.2)

    def test_maps_of_single_heliostats_add_up_in_both_models(self):
        config = self.write_config(rays="2e4")
        keep = ("--set", "output.per_heliostat=true")
        for model in ((), ARTIST):
            self.raytrace_json(config, *keep, *model)
            with h5py.File(self.folder / "result.h5") as file:
                maps = file["heliostats/flux"][:].astype(float)
                power = file["heliostats/target_power"][:]
                target = file["targets/multi_focus_tower"]
                total = target["flux"][:]
                self.assertEqual(file["heliostats/flux"].attrs["unit"], target["flux"].attrs["unit"])
            self.assertEqual(maps.shape, (3, 64, 64))
            np.testing.assert_allclose(maps.sum(axis=0), total, rtol=1e-6, atol=1e-6 * total.max())
            np.testing.assert_allclose(maps.sum(axis=(1, 2)) / maps.sum(), power / power.sum(), rtol=1e-5)
            self.assertGreater(abs(maps[0] - maps[1]).max(), 0.01 * total.max())
        one = self.raytrace_json(config, *keep, *ARTIST, "--threads", 1)
        self.assertEqual(self.raytrace_json(config, *keep, *ARTIST, "--ranks", 2)["fingerprint"], one["fingerprint"])

    def test_a_shifted_sun_of_the_scenario_is_not_left_out_silently(self):
        shutil.copy(SCENARIO, self.folder / "scenario.h5")
        options = ("--set", "sun.shape=null", "--scenario", "scenario.h5", "--json")
        centred = self.run_program("raytrace", self.write_config(), *options)
        self.assertNotIn("mean", centred.stderr)
        with h5py.File(self.folder / "scenario.h5", "r+") as file:
            (source,) = file["lightsources"]
            file[f"lightsources/{source}/distribution_parameters/mean"][()] = 0.001
        shifted = self.run_program("raytrace", self.write_config(), *options)
        self.assertIn(f"/lightsources/{source}", shifted.stderr)
        self.assertIn("mean of 0.001 rad", shifted.stderr)
        self.assertEqual(json.loads(shifted.stdout)["fingerprint"], json.loads(centred.stdout)["fingerprint"])

    def test_table_goes_to_stdout_and_nothing_to_a_pipe_on_stderr(self):
        done = self.run_program("raytrace", self.write_config())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("multi_focus_tower", done.stdout)
        self.assertIn("kW", done.stdout)
        self.assertNotIn("\r", done.stderr)
        quiet = self.run_program("raytrace", self.write_config(), "--quiet")
        self.assertEqual(quiet.stdout, "")

    def test_memory_does_not_grow_with_rays(self):
        config = self.write_config()
        few = self.raytrace_json(config, "--set", "tracing.rays_per_heliostat=1e5")
        many = self.raytrace_json(config, "--set", "tracing.rays_per_heliostat=2e7")
        self.assertLess(many["peak_rss_mb"], few["peak_rss_mb"] + 20)


if __name__ == "__main__":
    unittest.main()
