# SPDX-License-Identifier: MIT
"""The efficiency command: entries against direct traces, errors, files, continuing, ranks, refusals."""

import json
import signal
import subprocess
import time
import unittest

import h5py
import numpy

from harness import ARTIST, PROGRAM, ProgramTest, clean_environment

LOSSES = ("cosine_loss", "shading_loss", "reflection_loss", "blocking_loss", "attenuation_loss", "spillage_loss")
SMALL = ("--azimuths", "90:270:5", "--elevations", "20,40,60")
NORTH_FIELD = """\
site: {latitude_deg: 37, longitude_deg: -6, altitude_m: 20}
tower: {optical_height_m: 40, height_m: 36, radius_m: 2}
receiver: {type: plane, width_m: 5, height_m: 5, tilt_deg: 20}
heliostat: {width_m: 4, height_m: 4, facet_shape: sphere, focal_length_m: slant_range, pivot_height_m: 2.5, slant_step_m: 1}
layout: {type: radial_stagger, heliostats: 40, min_radius_m: 30, azimuth_from_deg: -60, azimuth_to_deg: 60}
"""
# The shadow of the tower passes over few heliostats at a time.
EAST_FIELD = """\
tower: {optical_height_m: 41, height_m: 38, radius_m: 2}
receiver: {type: cylinder, radius_m: 2.5, height_m: 5}
heliostat: {width_m: 5, height_m: 4, facet_shape: sphere, focal_length_m: slant_range, pivot_height_m: 2.5, slant_step_m: 1}
layout: {type: radial_stagger, heliostats: 40, min_radius_m: 35, azimuth_from_deg: 45, azimuth_to_deg: 135}
"""
NORTH_RUN = """\
scenario: north.h5
sun: {shape: {type: buie, csr: 0.02}}
aim: {target: receiver}
optics: {reflectivity: 0.9, slope_error_mrad: 1.5, attenuation: mirval}
tracing: {rays_per_heliostat: 4e3}
device: cpu
"""


class Efficiency(ProgramTest):
    def setUp(self):
        super().setUp()
        self.config = self.write_config("5e3")

    def efficiency_json(self, *arguments, config=None, **more):
        done = self.run_program("efficiency", config or self.config, "--json", *arguments, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_entries_are_direct_traces(self):
        printed = self.efficiency_json(*SMALL, "-o", "table.h5")
        self.assertEqual(self.leftovers(), ["table.h5"])
        self.assertEqual((printed["num_positions"], printed["heliostats"], printed["targets"]), (15, 3, ["multi_focus_tower"]))
        direct = self.raytrace_json(self.config, "--set", "sun.azimuth_deg=135", "--set", "sun.elevation_deg=40", "--set", "bitmap.width=64")
        energy = direct["energy"]
        with h5py.File(self.folder / "table.h5") as file:
            self.assertEqual(file.attrs["format"], "helioray-efficiency")
            self.assertEqual(file.attrs["fingerprint"], printed["fingerprint"])
            numpy.testing.assert_allclose(file["azimuth_deg"], [90, 135, 180, 225, 270])
            numpy.testing.assert_allclose(file["elevation_deg"], [20, 40, 60])
            for loss in LOSSES:
                self.assertAlmostEqual(file[loss][1, 1], energy[loss] / energy["solar_power"], delta=1e-12, msg=loss)
            self.assertAlmostEqual(file["efficiency"][1, 1], energy["target_power"] / energy["solar_power"], delta=1e-12)
            numpy.testing.assert_allclose(sum(file[loss][()] for loss in LOSSES) + file["efficiency"][()], 1, rtol=1e-12)
            target = file["targets/multi_focus_tower"]
            self.assertAlmostEqual(target["efficiency_std_error"][1, 1],
                                   direct["targets"]["multi_focus_tower"]["power_std_error_w"] / energy["solar_power"], delta=1e-12)
            with h5py.File(self.folder / "result.h5") as result:
                flux = result["targets/multi_focus_tower/flux"][()]
            numpy.testing.assert_allclose(target["flux_share"][1, 1], flux / flux.sum(), rtol=1e-9, atol=1e-15)
            self.assertTrue((target["flux_share_std_error"][1, 1][flux > 0] > 0).all())

            def check(name, item):
                if isinstance(item, h5py.Dataset):
                    self.assertTrue({"unit", "description"} <= set(item.attrs), name)
            file.visititems(check)

    def test_heliostats_that_cannot_follow_the_sun_are_parked(self):
        suns = ("--azimuths", "0,90,180", "--elevations", "20,40,60")
        done = self.run_program("efficiency", self.config, "--json", *suns, "-o", "table.h5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_message("efficiency", "heliostats cannot follow the sun", done.stderr, "2 of 3 heliostats", "2 of 9 positions", "AA31")
        printed = json.loads(done.stdout)
        self.assertEqual(printed["heliostats"], 3)
        parked = numpy.array(printed["parked_loss"])
        self.assertTrue((parked[1:] == 0).all() and parked[0, 2] == 0)
        sun = ("--set", "sun.azimuth_deg=0", "--set", "sun.elevation_deg=40")
        refused = self.run_program("raytrace", self.config, *sun)
        self.assertEqual(refused.returncode, 2)
        direct = self.raytrace_json(self.config, *sun, "--set", "aim.heliostats={AA39: {active: false}}")["energy"]
        all_mirrors = self.raytrace_json(self.config, "--set", "sun.elevation_deg=60")["energy"]["solar_power"]
        self.assertAlmostEqual(parked[0, 1], 1 - direct["solar_power"] / all_mirrors, delta=1e-9)
        with h5py.File(self.folder / "table.h5") as file:
            for name in (*LOSSES, "target_power"):
                self.assertAlmostEqual(file[name.replace("target_power", "efficiency")][0, 1], direct[name] / all_mirrors, delta=1e-9, msg=name)
            shares = sum(file[name][()] for name in (*LOSSES, "parked_loss", "efficiency"))
            numpy.testing.assert_allclose(shares, 1, rtol=1e-12)
        # SolarTherm's tables have it, too: at the sun's own positions all of them add up to 1.
        self.assertEqual(self.run_program("export", "solartherm", "table.h5", "-o", "optics.motab").returncode, 0)
        tables = {}
        for line in (self.folder / "optics.motab").read_text().splitlines()[5:]:
            if line.startswith("double "):
                rows = tables.setdefault(line.split()[1].split("(")[0], [])
            else:
                rows.append([float(word) for word in line.split()])
        tables = {name: numpy.array(rows)[1:, 1:] for name, rows in tables.items()}
        # The table has no azimuths of the west.
        beyond = tables.pop("beyond_table")
        self.assertTrue(0 < beyond.sum() < (tables["optics"] > 0).sum(), beyond.sum())
        self.assertTrue(0.01 < tables["parked_loss"].max() <= parked.max() + 1e-12, tables["parked_loss"].max())
        up = tables["optics"] > 0
        numpy.testing.assert_allclose(sum(tables.values())[up], 1, rtol=1e-9)
        self.assertRegex(self.run_program("info", "table.h5").stdout, r"parked +mirrors that cannot follow the sun at 2 entries, at most 6\d\.\d\d %")

    def test_strategies_of_aim_points_are_not_used(self):
        done = self.run_program("efficiency", self.config, "--json", *SMALL, "--set", "aiming.strategy=equator")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_message("efficiency", "a strategy is not used", done.stderr, "warning: --set aiming.strategy is not used")
        self.assertEqual(json.loads(done.stdout)["fingerprint"], self.efficiency_json(*SMALL)["fingerprint"])

    def test_nothing_is_left_to_trace(self):
        alone = ("--set", "aim.active=[AA39]", "--azimuths", "0,90,180", "--json")
        done = self.run_program("efficiency", self.config, *alone, "--elevations", "40,50,60")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.check_message("efficiency", "no heliostat can follow the sun", done.stderr, "azimuth 0.00, elevation 40.00")
        done = self.run_program("efficiency", self.config, "--azimuths", "0,10,20", "--elevations", "5,10,20")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("AA39 can follow the sun at none of the positions", done.stderr)

    def test_nothing_is_left_to_trace_in_a_cell(self):
        """Only in its middle, which nobody gave: messages say so."""
        suns = ("--azimuths", "60,180,300", "--elevations", "20,40,60")
        alone = ("--set", "aim.active=[AA39]", *suns)
        done = self.run_program("efficiency", self.config, *alone)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("no heliostat can follow the sun"), 1)
        self.check_message("efficiency", "no heliostat can follow the sun in the middle of a cell", done.stderr, "azimuth 0.00, elevation 30.00", "--no-checks")
        done = self.run_program("efficiency", self.config, *alone, "--no-checks")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("parked", done.stderr)
        done = self.run_program("efficiency", self.config, *suns, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_message("efficiency", "heliostats cannot follow the sun at a check", done.stderr, "2 of 3 heliostats", "0 of 9 positions", "1 of 6 positions")
        printed = json.loads(done.stdout)
        self.assertTrue((numpy.array(printed["parked_loss"]) == 0).all())
        # The stated error has it.
        plain = numpy.array(json.loads(self.run_program("efficiency", self.config, *suns, "--json", "--no-checks").stdout)["interpolation_error"])
        checked = numpy.array(printed["interpolation_error"])
        self.assertGreater((checked - plain)[0, :2].min(), 0.2)

    def test_flux_maps_have_36_by_24_pixels_unless_asked_for(self):
        self.config.write_text(self.config.read_text().replace("bitmap: {width: 64, height: 64}\n", ""))
        self.efficiency_json(*SMALL)
        with h5py.File(self.folder / "efficiency.h5") as file:
            self.assertEqual(file["targets/multi_focus_tower/flux_share"].shape, (5, 3, 24, 36))

    def field(self, template, more=""):
        """Configuration of a generated field; more: further lines of it."""
        (self.folder / "north.yaml").write_text(template)
        done = self.run_program("scenario", "generate", "north.yaml", "-o", "north.h5")
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.write_config(name="north_run.yaml", text=NORTH_RUN + more)

    def differences(self, table, config, suns):
        """What a table says at suns and direct traces: differences, stated errors of interpolation, standard errors of both."""
        azimuth, elevation = numpy.array(table["azimuth_deg"]), numpy.array(table["elevation_deg"])
        positions = ", ".join(f"{{azimuth_deg: {a:.6f}, elevation_deg: {e:.6f}}}" for a, e in suns)
        direct = self.raytrace_json(config, "--set", f"sun.positions=[{positions}]", "--set", "output.file=direct.h5", "--set", "tracing.rays_per_heliostat=2e4")
        solar = numpy.array(direct["energy"]["solar_power"])
        traced, traced_error = numpy.array(direct["energy"]["target_power"]) / solar, numpy.array(direct["targets"]["receiver"]["power_std_error_w"]) / solar
        difference, stated, rays = [], [], []
        for a, e in suns:
            i, k = min(numpy.searchsorted(azimuth, a), len(azimuth) - 1), min(numpy.searchsorted(elevation, e), len(elevation) - 1)
            s, t = (a - azimuth[i - 1]) / (azimuth[i] - azimuth[i - 1]), (e - elevation[k - 1]) / (elevation[k] - elevation[k - 1])
            corners = [(i - 1, k - 1, (1 - s) * (1 - t)), (i - 1, k, (1 - s) * t), (i, k - 1, s * (1 - t)), (i, k, s * t)]
            difference.append(sum(table["efficiency"][m][n] * w for m, n, w in corners))
            stated.append(max(table["interpolation_error"][m][n] for m, n, _ in corners))
            rays.append(max(table["std_error"][m][n] for m, n, _ in corners))
        return numpy.abs(numpy.array(difference) - traced), numpy.array(stated), numpy.array(rays) + traced_error

    def test_unseen_suns_of_a_north_field_are_within_the_stated_error(self):
        config = self.field(NORTH_FIELD)
        table = self.efficiency_json("--azimuths", "90:270:13", "--elevations", "10,15,20,30,40,50,60,75", config=config)
        self.assertEqual((table["num_positions"], table["num_check_positions"]), (13 * 8, 12 * 7))
        random = numpy.random.default_rng(1)
        difference, stated, rays = self.differences(table, config, [(random.uniform(90, 270), random.uniform(10, 75)) for _ in range(64)])
        self.assertTrue((difference <= stated + 2 * rays).all(), difference / (stated + 2 * rays))
        # The statement is not an empty one.
        self.assertLess(numpy.max(table["interpolation_error"]), 0.06)
        self.assertLess(numpy.median(stated / difference), 10)
        self.assertLess(difference.max(), 0.02)

    def test_the_tower_s_shadow_between_entries_is_stated(self):
        config = self.field(EAST_FIELD, "obstacles: [{name: tower, type: cylinder, base: [0, 0, 0], radius_m: 2, height_m: 38}]\n")
        grid = ("--azimuths", "240:300:5", "--elevations", "20,30,40,50", "--set", "tracing.rays_per_heliostat=2e4")
        table = self.efficiency_json(*grid, config=config)
        suns = [(azimuth, 36.8) for azimuth in numpy.arange(255.5, 270, 1)]
        difference, stated, rays = self.differences(table, config, suns)
        self.assertTrue((difference <= stated + 2 * rays).all(), difference / (stated + 2 * rays))
        # From the entries alone it is not seen; all else is the same.
        entries = self.efficiency_json(*grid, "--no-checks", "-o", "entries.h5", config=config)
        self.assertEqual((entries["num_check_positions"], entries["efficiency"]), (0, table["efficiency"]))
        difference, stated, rays = self.differences(entries, config, suns)
        self.assertGreater((difference / (stated + 2 * rays)).max(), 1.2)

    def test_a_year_is_interpolated_to_the_rectangle(self):
        year = self.efficiency_json("--grid", "year", "--declinations", 5, "--hours", 7, "--azimuths", "90:270:7", "--elevations", "20,30,40,50")
        self.assertEqual((year["grid"], year["num_positions"]), ("year", 35))
        traced = self.efficiency_json("--azimuths", "90:270:7", "--elevations", "20,30,40,50", "-o", "traced.h5")
        with h5py.File(self.folder / "efficiency.h5") as file:
            reached = file["reached"][()] == 1
        self.assertTrue(10 < reached.sum() < reached.size)
        difference = numpy.abs(numpy.array(year["efficiency"]) - numpy.array(traced["efficiency"]))
        allowed = numpy.array(year["interpolation_error"]) + 3 * (numpy.array(year["std_error"]) + numpy.array(traced["std_error"]))
        self.assertTrue((difference <= allowed)[reached].all())

    def test_ranks_shards_and_restarts_agree(self):
        whole = self.efficiency_json(*SMALL)["fingerprint"]
        self.assertEqual(self.efficiency_json(*SMALL, "--ranks", 2, "-o", "ranks.h5")["fingerprint"], whole)
        for index in (1, 2):
            done = self.run_program("efficiency", self.config, *SMALL, "-o", "shards.h5", "--shard", f"{index}/2")
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.efficiency_json(*SMALL, "-o", "shards.h5", "--join")["fingerprint"], whole)
        with h5py.File(self.folder / "efficiency.h5") as one, h5py.File(self.folder / "shards.h5") as other:
            for name in ("interpolation_error", "targets/multi_focus_tower/interpolation_error", "targets/multi_focus_tower/flux_share"):
                numpy.testing.assert_array_equal(one[name], other[name], name)

    def test_the_same_command_continues(self):
        arguments = (*SMALL, "--set", "tracing.rays_per_heliostat=2e6", "--threads", "1")
        process = subprocess.Popen([PROGRAM, "efficiency", str(self.config), *map(str, arguments)], cwd=self.folder, stderr=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True, env=clean_environment())
        # The entries are steps 0 to 14; a check is among the parts, too.
        parts = self.folder / "efficiency.h5.parts"
        limit = time.monotonic() + 120
        while not (parts / "step_000016.h5").exists() and process.poll() is None and time.monotonic() < limit:
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        self.assertIn(process.wait(timeout=60), (0, 143))
        process.stdout.close()
        message = process.stderr.read()
        process.stderr.close()
        if process.returncode == 143:
            self.assertIn("the same command continues", message)
            self.assertFalse((self.folder / "efficiency.h5").exists())
        continued = self.run_program("efficiency", self.config, *arguments)
        self.assertEqual(continued.returncode, 0, continued.stderr)
        self.assertEqual(self.leftovers(), ["efficiency.h5"])
        fresh = self.efficiency_json(*arguments, "-o", "fresh.h5")["fingerprint"]
        with h5py.File(self.folder / "efficiency.h5") as file, h5py.File(self.folder / "fresh.h5") as other:
            self.assertEqual(file.attrs["fingerprint"], fresh)
            for name in ("efficiency", "efficiency_std_error", "interpolation_error", "targets/multi_focus_tower/flux_share"):
                numpy.testing.assert_array_equal(file[name], other[name], name)

    def test_other_commands_know_the_file(self):
        self.efficiency_json(*SMALL, "-o", "table.h5")
        info = self.run_program("info", "table.h5")
        self.assertEqual(info.returncode, 0, info.stderr)
        self.assertIn("efficiency table", info.stdout)
        self.assertIn("15 of the sun, 15 entries (5 azimuths x 3 elevations)", info.stdout)
        self.assertEqual(self.run_program("plot", "table.h5", "-o", "sky.png").returncode, 0)
        self.assertTrue((self.folder / "sky.png").read_bytes().startswith(b"\x89PNG"))
        for arguments in (("plot", "table.h5", "-o", "a.png", "--field"), ("plot", "table.h5", "-o", "a.png", "--contours"),
                          ("export", "csv", "table.h5", "-o", "csv")):
            done = self.run_program(*arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("efficiency table", done.stderr)

    def test_tables_for_sam_advise_how_to_cover_the_sky(self):
        self.efficiency_json("--azimuths", "135:225:3", "--elevations", "20,40,60", "-o", "table.h5")
        done = self.run_program("export", "sam", "table.h5", "-o", "sam")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_message("efficiency", "conventions of tables for SAM", done.stdout, "clockwise from north", "absorptance, 0.94")
        self.assertIn("table.h5: the sun of latitude 50.9° leaves the table", done.stderr)
        self.assertNotIn("leaves the table", done.stdout)
        self.assertIn("azimuths from 135° to 225° and elevations up to 60°", done.stderr)
        # A table that follows the advice needs no other one.
        self.check_message("efficiency", "the sun leaves the table", done.stderr, "--azimuths 0:345:24", "--elevations up to 90")
        self.efficiency_json("--azimuths", "0:345:24", "--elevations", "20,60,90", "--no-checks", "-o", "whole.h5", "--set", "tracing.rays_per_heliostat=10")
        done = self.run_program("export", "sam", "whole.h5", "-o", "sam", "--absorptance", "0.94")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(done.stdout.splitlines()), 5)  # four files and the note
        self.assertIn("azimuths count clockwise from north", done.stdout)

    def test_refusals(self):
        for arguments, words in (
                (("--azimuths", "0:90"), ("--azimuths", "0:330:12")),
                (("--azimuths", "0,x"), ("--azimuths", "list")),
                (("--azimuths", "0,90"), ("azimuths", "three")),
                (("--azimuths", "0,180,360"), ("azimuths", "360")),
                (("--elevations", "0,10,20"), ("elevations", "horizon")),
                (("--elevations", "10,10,20"), ("elevations", "ascend")),
                (("--hours", "5"), ("--hours", "--grid year")),
                (("--elevations", "10,20,91"), ("elevations", "91")),
                (("--elevations", "-5,20,30"), ("elevations", "-5")),
                (("--azimuths", "nan,90,180"), ("azimuths", "nan")),
                (("--azimuths", "180,90,0"), ("azimuths", "ascend")),
                (("--azimuths", "180"), ("azimuths", "three")),
                (("--grid", "year", "--no-checks"), ("--grid year", "--no-checks")),
                (("--grid", "year", "--hours", "4"), ("hours", "odd")),
                (("--grid", "solarpilot", "--azimuths", "0:330:12"), ("--grid solarpilot", "--azimuths")),
                (("--grid", "moon"), ("--grid", "solarpilot")),
                (("-o", str(self.config)), ("run.yaml",)),
                ((*ARTIST, *SMALL), ("tracing.model",))):
            done = self.run_program("efficiency", self.config, *arguments)
            self.assertEqual(done.returncode, 2, (arguments, done.stderr))
            for word in words:
                self.assertIn(word, done.stderr, arguments)
        self.assertEqual(self.leftovers(), [])
        done = self.run_program("export", "sam", self.config, "-o", "sam")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertFalse((self.folder / "sam").exists())


if __name__ == "__main__":
    unittest.main()
