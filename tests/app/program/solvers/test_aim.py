# SPDX-License-Identifier: MIT
"""The aim command: files that are read back, limits, exit codes, refusals."""

import csv
import json
import math
import signal
import unittest

import h5py
import numpy

from halt_rank import Preload
from harness import ProgramTest
from plants import CYLINDER

PLANT = CYLINDER.replace("heliostats: 30", "heliostats: 40")
CONFIG = """\
scenario: plant.h5
sun: {azimuth_deg: 170, elevation_deg: 55, dni_w_m2: 900, shape: {type: pillbox, half_angle_mrad: 4.65}}
aim: {target: receiver}
optics: {reflectivity: 0.9, slope_error_mrad: 2}
tracing: {rays_per_heliostat: 2e4, seed: 3}
bitmap: {width: 24, height: 12}
device: cpu
"""
# Of kW/m2: center reaches about 70, and 45 can be kept by moving aim points.
LIMIT = 45


# Four half hours before noon.
DAY = 'sun.times={start: "2026-06-21T10:00:00+02:00", end: "2026-06-21T11:30:00+02:00", step_minutes: 30}'
SERIES = ("--set", "sun={dni_w_m2: 900}", "--set", DAY, "--set", "aiming.max_move_m_per_minute=0.01", "--flux-limit-kw-m2", LIMIT)


def setUpModule():
    Preload.make()


class Aim(ProgramTest):
    def setUp(self):
        super().setUp()
        self.generate(PLANT)
        self.config = self.write_config(text=CONFIG)

    def aim(self, *arguments, code=0, **environment):
        done = self.run_program("aim", self.config, *arguments, **environment)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def aim_json(self, *arguments, code=0):
        return json.loads(self.aim("--json", *arguments, code=code).stdout)

    def rows(self, name="aims.csv"):
        with open(self.folder / name) as table:
            return list(csv.DictReader(table))

    def test_files_and_json(self):
        printed = self.aim_json("--flux-limit-kw-m2", LIMIT, "-o", "points.csv", "--result", "flux.h5", "--image", "aims.png", "--report", "aims.html")
        self.assertEqual(sorted(p.name for p in self.folder.iterdir() if p.suffix != ".yaml"), ["aims.html", "aims.png", "flux.h5", "plant.h5", "points.csv"])
        self.assertTrue((self.folder / "aims.png").read_bytes().startswith(b"\x89PNG"))
        for name in ("power_w", "power_bound_w", "gap", "peak_flux_w_m2", "worst_limit_share", "worst_limit_share_std_error", "seconds", "rays",
                     "total_seconds", "peak_rss_mb", "limit_price_w_per_percent"):
            self.assertIsInstance(printed[name], (int, float), name)
        for name in ("heliostats_off", "iterations", "traces"):
            self.assertIsInstance(printed[name], int, name)
        self.assertTrue(printed["limits_kept"])
        self.assertLessEqual(printed["worst_limit_share"], 1 + 3 * printed["worst_limit_share_std_error"])
        self.assertGreaterEqual(printed["power_bound_w"], printed["power_w"])
        self.assertAlmostEqual(printed["gap"], 1 - printed["power_w"] / printed["power_bound_w"], places=12)
        # Without a limit that binds there is more, under the same bound of free aim points.
        free = self.aim_json("--flux-limit-kw-m2", 1e4, "-o", "free.csv")
        (self.folder / "free.csv").unlink()
        self.assertLess(printed["power_w"], free["power_w"] + 2 * free["power_std_error_w"])
        self.assertLessEqual(printed["power_w"], free["power_bound_w"])
        self.assertEqual((printed["output"], printed["aims"], printed["violation"]), ("flux.h5", "points.csv", None))
        self.assertAlmostEqual(printed["targets"]["receiver"]["power_w"], printed["power_w"], delta=1e-9 * printed["power_w"])
        self.assertAlmostEqual(printed["energy"]["target_power"], printed["power_w"], delta=1e-6 * printed["power_w"])
        with h5py.File(self.folder / "flux.h5") as file:
            self.assertEqual((file.attrs["format"], file.attrs["fingerprint"]), ("helioray-result", printed["fingerprint"]))
            self.assertEqual(file["targets/receiver"].attrs["peak_flux_w_m2"], printed["peak_flux_w_m2"])
            self.assertEqual(file["targets/receiver/flux"][()].max(), file["targets/receiver"].attrs["peak_pixel_w_m2"])
            aiming = file["aiming"]
            self.assertEqual(aiming.attrs["power_bound_w"], printed["power_bound_w"])
            self.assertEqual(aiming["targets/receiver/flux_limit"].shape, (12, 24))
            numpy.testing.assert_array_equal(aiming["targets/receiver/flux_limit"][()], 1e3 * LIMIT)
            self.assertTrue((aiming["targets/receiver/price"][()] >= 0).all())
            self.assertLessEqual(printed["peak_flux_before_w_m2"], aiming["targets/receiver/flux_before"][()].max() * (1 + 1e-12))
            # Limits are those of single pixels.
            self.assertGreater(aiming["targets/receiver/flux_before"][()].max(), 1e3 * LIMIT)
            # The largest pixel is above the largest fraction by its noise.
            excess = file["targets/receiver/flux"][()].max() / (1e3 * LIMIT) - printed["worst_limit_share"]
            self.assertTrue(0 < excess < 5 * printed["worst_limit_share_std_error"])

            def check(name, item):
                if isinstance(item, h5py.Dataset):
                    self.assertTrue({"unit", "description"} <= set(item.attrs), name)
            aiming.visititems(check)
            active = aiming["heliostats/active"][()]
            self.assertEqual((active == 0).sum(), printed["heliostats_off"])
            rows = {row["name"]: row for row in self.rows("points.csv")}
            self.assertEqual(len(rows), 40)
            for name, point, on in zip(aiming["heliostats/name"][()], aiming["heliostats/aim_point"][()], active):
                row = rows[name.decode()]
                self.assertEqual([float(row[key]) for key in ("east", "north", "up")], list(point))
                self.assertEqual((row["target"], row["active"]), ("receiver", "true" if on else "false"))
        self.assertIn("fingerprint", self.run_program("info", "flux.h5").stdout)

    def test_the_file_gives_the_verified_run_again(self):
        printed = self.aim_json("--flux-limit-kw-m2", LIMIT)
        traced = self.raytrace_json(self.config, "--set", "aim.file=aims.csv")
        self.assertEqual(traced["fingerprint"], printed["fingerprint"])
        self.assertEqual(traced["targets"], printed["targets"])
        # The file is all that section aim needs, and says the same as the section in full.
        alone = self.raytrace_json(self.config, "--set", "aim={file: aims.csv}")
        self.assertEqual(alone["fingerprint"], printed["fingerprint"])
        own = {row["name"]: f"{{point: [{row['east']}, {row['north']}, {row['up']}], active: {row['active']}}}" for row in self.rows()}
        text = ", ".join(f"{name}: {aim}" for name, aim in own.items())
        in_full = self.raytrace_json(self.config, "--set", f"aim={{target: receiver, heliostats: {{{text}}}}}")
        self.assertEqual(in_full["fingerprint"], printed["fingerprint"])

    def test_a_result_gives_the_verified_run_again(self):
        # Heliostats that the limit turns off, one that is left out and one that is moved by its motors.
        own = ("--set", "aim.heliostats={H05: {active: false}, H01: {motor_positions: [3.0, 1.2]}}")
        printed = self.aim_json("--flux-limit-kw-m2", 12, *own, "--result", "flux.h5")
        self.assertGreater(printed["heliostats_off"], 0)
        for file in ("aims.csv", "flux.h5"):
            self.assertEqual(self.raytrace_json(self.config, *own, "--set", f"aim.file={file}", "-o", "again.h5")["fingerprint"], printed["fingerprint"], file)
        # The result of a run does as well, and knows who was off.
        motors = ("--set", "aim={target: receiver, file: again.h5, heliostats: {H01: {motor_positions: [3.0, 1.2]}}}")
        self.assertEqual(self.raytrace_json(self.config, *motors, "-o", "third.h5")["fingerprint"], printed["fingerprint"])
        done = self.run_program("raytrace", self.config, "--set", "aim.file=plant.h5")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("heliostats/aim_point: is missing", done.stderr)

    def test_a_result_of_a_series_gives_it_again(self):
        printed = self.aim_json(*SERIES, "--result", "day.h5")
        again = self.raytrace_json(self.config, *SERIES[:4], "--set", "aim.file=day.h5", "-o", "again.h5")
        self.assertEqual(again["series"]["fingerprint"], printed["fingerprint"])
        one = self.raytrace_json(self.config, "--set", f"sun={{dni_w_m2: 900, time: '{printed['time'][2]}'}}", "--set", "aim={file: again.h5}")
        self.assertEqual(one["fingerprint"], printed["fingerprint"][2])

    def test_small_moves_are_left_out(self):
        least = 0.1
        keep = ("--set", f"aiming.min_move_m={least}")

        def ways(before, after):
            """Of heliostats that are on before and after."""
            old, new = ({row["name"]: row for row in rows if row["active"] == "true"} for rows in (before, after))
            point = lambda row: [float(row[key]) for key in ("east", "north", "up")]
            return [math.dist(point(old[name]), point(new[name])) for name in old.keys() & new.keys()]

        def small(all_ways):
            return sum(1e-9 < way < 0.99 * least for way in all_ways)

        series = (*SERIES[:4], "--flux-limit-kw-m2", LIMIT)
        counts = []
        for more in ((), keep):
            printed = self.aim_json(*series, *more)
            self.assertTrue(printed["limits_kept"])
            steps = [[row for row in self.rows() if row["time"] == time] for time in printed["time"]]
            counts.append(sum(small(ways(a, b)) for a, b in zip(steps, steps[1:])))
        self.assertLess(4 * counts[1], counts[0])
        # One position of the sun begins with the points of aim.file and keeps them.
        self.aim("-q", "--flux-limit-kw-m2", LIMIT, "-o", "first.csv")
        text = self.aim("--flux-limit-kw-m2", LIMIT, *keep, "--set", "aim.file=first.csv", "--set", "sun.azimuth_deg=171").stdout
        self.assertIn("before", text)
        found = ways(self.rows("first.csv"), self.rows())
        self.assertGreater(sum(way < 1e-9 for way in found), 20)
        self.assertLess(small(found), 5)
        one = "--set", "aiming.max_move_m_per_minute=1"
        (self.folder / "aims.csv").unlink()
        self.refused(*one, words=["aiming.max_move_m_per_minute", "one position of the sun"])
        self.refused(*keep, words=["aiming.min_move_m", "no aim points before"])
        self.refused(*SERIES, "--set", "aiming.min_move_m=0.4", words=["aiming.min_move_m", "0.4 m", "0.3 m"])
        self.refused("--set", "aiming.min_move_m=-1", words=["aiming.min_move_m"])

    def test_same_points_on_ranks_and_threads(self):
        texts, fingerprints = set(), set()
        for more in (("--threads", 1), ("--threads", 2), ("--ranks", 2)):
            printed = self.aim_json("--flux-limit-kw-m2", LIMIT, *more)
            fingerprints.add(printed["fingerprint"])
            texts.add((self.folder / "aims.csv").read_text())
        self.assertEqual((len(texts), len(fingerprints)), (1, 1))

    def test_strategies(self):
        center = self.aim_json("--strategy", "center", "-o", "center.csv")
        traced = self.raytrace_json(self.config)
        self.assertEqual(center["fingerprint"], traced["fingerprint"])
        self.assertIsNone(center["worst_limit_share"])
        self.assertEqual(center["heliostats_off"], 0)
        for strategy in ("equator", "image_size", "sigma"):
            printed = self.aim_json("--strategy", strategy)
            self.assertIsNone(printed["power_bound_w"], strategy)
            self.assertGreater(printed["power_w"], 0.5 * center["power_w"], strategy)

    def test_inactive_heliostats_stay_inactive(self):
        names = [row["name"] for row in self.rows_of_center()]
        self.aim("-q", "--strategy", "center", "--set", f"aim.active=[{', '.join(names[:7])}]")
        self.assertEqual([row["name"] for row in self.rows() if row["active"] == "true"], names[:7])
        self.assertEqual(len(self.rows()), 40)

    def test_motor_positions_stay(self):
        fixed = ("--set", "aim.heliostats.H01.motor_positions=[3.0, 1.2]")
        printed = self.aim_json("--flux-limit-kw-m2", LIMIT, *fixed)
        self.assertNotIn("H01", {row["name"] for row in self.rows()})
        self.assertEqual(self.raytrace_json(self.config, "--set", "aim.file=aims.csv", *fixed)["fingerprint"], printed["fingerprint"])

    def rows_of_center(self):
        self.aim("-q", "--strategy", "center")
        return self.rows()

    def test_a_limit_that_cannot_be_kept(self):
        done = self.aim("--json", "--strategy", "center", "--flux-limit-kw-m2", "1", "--result", "flux.h5", code=1)
        printed = json.loads(done.stdout)
        self.assertFalse(printed["limits_kept"])
        self.assertIn(printed["violation"], done.stderr)
        self.assertGreater(printed["worst_limit_share"], 1)
        self.assertTrue((self.folder / "flux.h5").exists() and len(self.rows()) == 40)
        both = self.aim("--json", "--strategy", "center", "--flux-limit-kw-m2", "1", "--ranks", "2", code=1)
        self.assertEqual(json.loads(both.stdout)["fingerprint"], printed["fingerprint"])
        self.assertEqual(both.stderr.count(printed["violation"]), 1, both.stderr)

    def test_limits_by_place(self):
        # Twice as much below as above.
        (self.folder / "limits.csv").write_text("x_m,y_m,flux_limit_kw_m2\n-9,-3,80\n9,-3,80\n-9,3,40\n9,3,40\n")
        self.aim("--set", "aiming={flux_limit: {file: limits.csv}}", "--result", "flux.h5", "-q")
        with h5py.File(self.folder / "flux.h5") as file:
            limit = file["aiming/targets/receiver/flux_limit"][()]
            height = file["targets/receiver/height_m"][()]
            share = file["targets/receiver/flux"][()] / limit
            self.assertTrue((share <= 1 + 3 * file["targets/receiver/flux_std_error"][()] / limit + 1e-12).all())
        numpy.testing.assert_allclose(limit, numpy.repeat(1e3 * (60 - 20 / 3 * height)[:, None], 24, axis=1), rtol=1e-12)

    def drawn(self, table, limit, *errors):
        """Over many draws of the errors, as shares of the limit: the ten largest means plus two standard deviations, on average; and how often a pixel is above it."""
        maps = []
        for seed in range(100, 116):
            self.raytrace_json(self.config, *errors, "--set", f"aim.file={table}", "--seed", seed, "-o", "drawn.h5")
            with h5py.File(self.folder / "drawn.h5") as file:
                maps.append(file["targets/receiver/flux"][()])
        shares = numpy.array(maps) / (1e3 * limit)
        high = numpy.sort((shares.mean(axis=0) + 2 * shares.std(axis=0, ddof=1)).ravel())
        return high[-10:].mean(), (shares > 1).mean()

    def test_limits_beyond_the_edges(self):
        def write(of_shield):
            text = "x_m,y_m,flux_limit_kw_m2\n"
            for y in (-3.5, -2.501, -2.5, 2.5, 2.501, 3.5):
                text += "".join(f"{x},{y},{LIMIT if abs(y) <= 2.5 else of_shield}\n" for x in (-7, 7))
            (self.folder / "limits.csv").write_text(text)

        # Mirrors whose light is wide enough to pass beside the receiver.
        wide = ("--set", "optics.slope_error_mrad=6")
        table = ("--set", "aiming.flux_limit={file: limits.csv}", *wide)
        write(1e5)
        loose = self.aim_json(*table)
        plain = self.aim_json("--flux-limit-kw-m2", LIMIT, *wide)
        self.assertAlmostEqual(loose["power_w"] / plain["power_w"], 1, delta=3e-3)
        self.assertEqual((loose["worst_limit_place"], plain["shields"]), ("receiver", {}))
        beside = loose["shields"]["receiver"]["peak_flux_w_m2"]
        write(0.5e-3 * beside)
        tight = self.aim_json(*table, "--result", "flux.h5", "--image", "aims.png", "--report", "aims.html")
        text = (self.folder / "aims.csv").read_text()
        self.assertTrue(tight["limits_kept"])
        self.assertLessEqual(tight["worst_limit_share"], 1 + 3 * tight["worst_limit_share_std_error"])
        self.assertLess(tight["power_w"], 1.002 * loose["power_w"])
        self.assertLess(tight["shields"]["receiver"]["peak_flux_w_m2"], 0.6 * beside)
        with h5py.File(self.folder / "flux.h5") as file:
            shield = file["aiming/shields/receiver"]
            # Pixels of 5 m / 12: two of them have their centres within a metre.
            self.assertEqual((shield.attrs["pixels_across"], shield.attrs["pixels_down"]), (0, 2))
            flux, limit = shield["flux"][()], shield["flux_limit"][()]
            self.assertEqual(flux.shape, (16, 24))
            self.assertTrue((flux[2:-2] == 0).all() and numpy.isinf(limit[2:-2]).all())
            self.assertEqual(flux.max(), tight["shields"]["receiver"]["peak_pixel_w_m2"])
            self.assertEqual(file["aiming"].attrs["worst_limit_place"], tight["worst_limit_place"])
            self.assertGreater(shield["price"][()].sum(), 0)
        # The same aim points on a receiver that is longer by those pixels, with other rays.
        with h5py.File(self.folder / "plant.h5", "a") as file:
            towers = [item for item in (file[name] for name in ("target_areas/receiver", "target_areas_cylindrical/receiver") if name in file)]
            for tower in towers:
                tower["cylinder_height"][...] = 5 + 4 * 5 / 12
        self.raytrace_json(self.config, "--set", "aim.file=aims.csv", "--set", "bitmap.height=16", *wide, "--seed", 77, "-o", "longer.h5")
        with h5py.File(self.folder / "longer.h5") as file:
            larger, error = file["targets/receiver/flux"][()], file["targets/receiver/flux_std_error"][()]
        self.assertTrue((larger[:2] <= 0.5 * beside + 4 * error[:2]).all() and (larger[-2:] <= 0.5 * beside + 4 * error[-2:]).all())
        self.generate(PLANT)
        ranks = self.aim_json(*table, "--ranks", 2)
        self.assertEqual((ranks["fingerprint"], ranks["shields"], (self.folder / "aims.csv").read_text()), (tight["fingerprint"], tight["shields"], text))
        self.assertIn("shield", (self.folder / "aims.html").read_text())
        self.assertIn("beside receiver", self.aim(*table).stdout)
        # What a rule does not keep is named.
        write(0.001)
        done = self.aim("--json", "--strategy", "sigma", *table, code=1)
        self.assertEqual(json.loads(done.stdout)["worst_limit_place"], "shield of receiver")
        self.assertIn("'shield of receiver'", done.stderr)

    def test_killed_series_with_a_shield_continues(self):
        (self.folder / "limits.csv").write_text("x_m,y_m,flux_limit_kw_m2\n-7,-3.5,20\n7,-3.5,20\n-7,0,60\n7,0,60\n-7,3.5,20\n7,3.5,20\n")
        series = (*SERIES[:6], "--set", "aiming.flux_limit={file: limits.csv}")
        whole = self.aim_json(*series)
        text = (self.folder / "aims.csv").read_text()
        done = self.run_program("aim", self.config, *series, **Preload.environment("any", at="commit:step_000002", number=signal.SIGKILL))
        self.assertEqual(done.returncode, -signal.SIGKILL, done.stderr)
        continued = self.aim_json(*series, "--image", "day.png")
        self.assertGreaterEqual(continued["steps_done_before"], 2)
        self.assertEqual((self.folder / "aims.csv").read_text(), text)
        self.assertEqual(continued["fingerprint"], whole["fingerprint"])

    def test_robust_limits_hold_for_other_errors(self):
        limit = 33
        errors = ("--set", "optics.tracking_error_mrad=1")
        plain = self.aim_json("--flux-limit-kw-m2", limit, *errors, "-o", "plain.csv")
        robust = self.aim_json("--flux-limit-kw-m2", limit, *errors, "--set", "aiming.robust_sigma=2")
        self.assertIsNone(plain["robust_price_w"])
        self.assertGreater(robust["robust_price_w"], 0)
        self.assertLess(robust["power_w"], plain["power_w"])

        # 16 draws know the deviation of a pixel to a fifth of it, which is up to a fifth of the limit; the largest are above it by this much.
        high, often = self.drawn("aims.csv", limit, *errors)
        plain_high, plain_often = self.drawn("plain.csv", limit, *errors)
        self.assertLess(high, 1.1)
        self.assertGreater(plain_high, 1.15)
        self.assertLess(4 * often, plain_often)
        self.assertIn("robustness", self.aim("--flux-limit-kw-m2", limit, *errors, "--set", "aiming.robust_sigma=2").stdout)

    def test_robust_limits_take_the_expected_errors_of_a_calibration(self):
        robust = ("--flux-limit-kw-m2", 33, "--set", "aiming.robust_sigma=2")
        self.assertIsNone(self.aim_json(*robust, "-o", "plain.csv")["aim_errors"])
        tracked = self.aim_json(*robust, "--set", "optics.tracking_error_mrad=1", "-o", "tracked.csv")
        self.assertAlmostEqual(tracked["aim_errors"].pop("rms_mrad"), 1)
        self.assertEqual(tracked["aim_errors"], {"calibration": False, "tracking": True})
        with h5py.File(self.folder / "plant.h5", "a") as file:
            state = file.create_group("calibration")
            state.attrs["format_version"] = 1
            names = sorted(file["heliostats"])
            state["heliostat"] = names
            state["aim_error"] = numpy.full(len(names), 1e-3)
        calibrated = self.aim("--json", *robust)
        printed = json.loads(calibrated.stdout)
        errors = printed["aim_errors"]
        self.assertAlmostEqual(errors.pop("rms_mrad"), 1)
        self.assertEqual(errors, {"calibration": True, "tracking": False})
        # The room is enough for the same field with tracking errors of this size, as if they had been configured.
        self.assertGreater(printed["robust_price_w"], 0)
        equal = ("--set", "optics.tracking_error_mrad=1")
        high, often = self.drawn("aims.csv", 33, *equal)
        tracked_high, tracked_often = self.drawn("tracked.csv", 33, *equal)
        plain_high, plain_often = self.drawn("plain.csv", 33, *equal)
        self.assertLess(max(high, tracked_high), 1.1)
        self.assertGreater(plain_high, 1.15)
        # The mean of both is surer than the larger one.
        self.assertLess(4 * (often + tracked_often) / 2, plain_often)
        text = self.aim(*robust)
        self.assertIn("room for aim errors of the calibration of 1.00 mrad", text.stdout)
        self.assertIn("expected aim errors, 1.00 mrad (rms of the heliostats)", text.stderr)
        self.assertAlmostEqual(self.aim_json(*robust, "--set", "optics.tracking_error_mrad=1")["aim_errors"]["rms_mrad"], math.sqrt(2))
        # Each heliostat has its own.
        with h5py.File(self.folder / "plant.h5", "a") as file:
            file["calibration/aim_error"][1:] = 0
        self.assertAlmostEqual(self.aim_json(*robust)["aim_errors"]["rms_mrad"], 1 / math.sqrt(len(names)))
        self.assertIsNone(self.aim_json("--flux-limit-kw-m2", 33)["aim_errors"])
        with h5py.File(self.folder / "plant.h5", "a") as file:
            file["calibration/aim_error"][0] = -1
        self.assertIn("calibration/aim_error: is -1 for", self.aim(*robust, code=2).stderr)

    def test_wanted_map(self):
        self.aim("-q", "--strategy", "sigma", "--set", "aiming.sigma_factor=1", "--result", "wanted.h5")
        with h5py.File(self.folder / "wanted.h5") as file:
            wanted = file["targets/receiver/flux"][()]
        # A file with the map alone is enough.
        with h5py.File(self.folder / "map.h5", "w") as file:
            file["targets/receiver/flux"] = wanted
        for measure in ("mean_square", "kl"):
            objective = f"aiming.objective={{target_map: map.h5, measure: {measure}}}"
            printed = self.aim_json("--set", objective, "--result", "met.h5")
            self.assertIsNone(printed["power_bound_w"])
            self.assertLess(printed["map_distance"], 0.3 * printed["map_distance_before"])
            with h5py.File(self.folder / "met.h5") as file:
                met = file["targets/receiver/flux"][()]
                self.assertEqual(file["aiming"].attrs["map_distance"], printed["map_distance"])
            # Where it is nearly dark, the logarithm is continued by a parabola.
            w, p = wanted / wanted.mean(), met / wanted.mean()
            near = numpy.maximum(p, 1e-3)
            below = (p - near) / near
            logarithm = numpy.log(numpy.where(w > 0, w, 1) / near) - below + below**2 / 2
            expected = math.sqrt(numpy.mean((p - w) ** 2)) if measure == "mean_square" else numpy.mean(w * logarithm - w + p)
            self.assertAlmostEqual(printed["map_distance"], expected, delta=1e-3 * expected)
            self.assertAlmostEqual(printed["power_w"], wanted.sum() * 2 * math.pi * 2 * 5 / wanted.size, delta=0.05 * printed["power_w"])
        self.assertIn("wanted map", self.aim("--set", objective).stdout)
        # Half of it is met by half of the heliostats.
        with h5py.File(self.folder / "map.h5", "a") as file:
            file["targets/receiver/flux"][...] = 0.5 * wanted
        half = self.aim_json("--set", objective)
        self.assertGreater(half["heliostats_off"], 10)
        self.assertAlmostEqual(half["power_w"], 0.5 * printed["power_w"], delta=0.1 * printed["power_w"])
        self.refused("--set", "aiming.objective={target_map: map.h5, measure: cross_entropy}", words=["aiming.objective.measure", "mean_square, kl"], rows=True)
        for flux, words in ((wanted[:, 1:], "(12, 23)"), (0 * wanted, "no light"), (-wanted, "row 0")):
            with h5py.File(self.folder / "map.h5", "w") as file:
                file["targets/receiver/flux"] = flux
            self.refused("--set", objective, words=["aiming.objective.target_map", words], rows=True)
            done = self.run_program("validate", self.write_config(name="bad.yaml", text=CONFIG + "aiming: {objective: {target_map: map.h5}}\n"))
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(words, done.stderr)

    def test_validate_a_series_without_a_result_file(self):
        series = CONFIG.replace("sun: {azimuth_deg: 170, elevation_deg: 55,", 'sun: {times: {start: "2026-06-21T10:00:00+02:00", end: "2026-06-21T11:30:00+02:00", step_minutes: 30},')
        done = self.run_program("validate", self.write_config(name="series.yaml", text=series))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("helioray aim", done.stdout)
        self.assertIn("output.file", done.stdout)
        self.assertFalse(list(self.folder.glob("aims.csv*")))

    def test_motors_that_reach_nothing_stay_off(self):
        with h5py.File(self.folder / "plant.h5", "a") as file:
            group = file["heliostats"]["H07"]
            file.copy("prototypes/actuator", group)
            group["actuator/elevation/min_max_motor_positions"][...] = [1.5, 1.55]
        done = self.aim("--flux-limit-kw-m2", LIMIT)
        self.assertIn("1 heliostat(s) stay off", done.stderr)
        self.assertEqual([row["name"] for row in self.rows() if row["active"] == "false"], ["H07"])

    def test_text(self):
        text = self.aim("--flux-limit-kw-m2", LIMIT).stdout
        for words in ("center", "chosen", "bound", "worst pixel", "turned off", "fingerprint", "aims.csv"):
            self.assertIn(words, text)
        self.assertEqual(self.aim("-q", "--flux-limit-kw-m2", LIMIT).stdout, "")

    def test_series(self):
        printed = self.aim_json(*SERIES, "--result", "day.h5", "--image", "day.png", "--report", "day.html")
        self.assertEqual((printed["num_steps"], printed["limits_kept"], printed["violation"]), (4, True, None))
        for name in ("time", "power_w", "power_bound_w", "gap", "peak_flux_w_m2", "worst_limit_share", "worst_limit_share_std_error", "heliostats_off",
                     "iterations", "traces", "seconds", "fingerprint"):
            self.assertEqual(len(printed[name]), 4, name)
        for share, error in zip(printed["worst_limit_share"], printed["worst_limit_share_std_error"]):
            self.assertLessEqual(share, 1 + 3 * error)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir() if p.suffix != ".yaml"), ["aims.csv", "day.h5", "day.html", "day.png", "plant.h5"])
        rows = self.rows()
        self.assertEqual(list(rows[0]), ["name", "target", "east", "north", "up", "active", "time"])
        points = {(row["time"], row["name"]): [float(row[key]) for key in ("east", "north", "up")] for row in rows}
        self.assertEqual(len(points), 4 * 40)
        ways = [math.dist(points[now, name], points[before, name]) for before, now in zip(printed["time"], printed["time"][1:]) for name in
                {row["name"] for row in rows}]
        self.assertLessEqual(max(ways), 30 * 0.01 + 1e-9)
        self.assertGreater(max(ways), 0.05)
        # The table gives the same series again, and one of its times alone.
        again = self.raytrace_json(self.config, *SERIES[:4], "--set", "aim.file=aims.csv", "-o", "again.h5")
        self.assertEqual(again["series"]["fingerprint"], printed["fingerprint"])
        self.assertEqual(again["fingerprint"], printed["series_fingerprint"])
        one = self.raytrace_json(self.config, "--set", f"sun={{dni_w_m2: 900, time: '{printed['time'][2]}'}}", "--set", "aim={file: aims.csv}")
        self.assertEqual(one["fingerprint"], printed["fingerprint"][2])
        with h5py.File(self.folder / "day.h5") as day, h5py.File(self.folder / "again.h5") as traced:
            for name in ("targets/receiver/flux", "heliostats/target_power", "heliostats/aim_point"):
                numpy.testing.assert_array_equal(day[name][()], traced[name][()])
            self.assertEqual(list(day["targets/receiver/power_w"]), printed["power_w"])

    def test_series_without_times_on_ranks(self):
        suns = ("--set", "sun={positions: [{azimuth_deg: 150, elevation_deg: 50}, {azimuth_deg: 170, elevation_deg: 55}]}", "--flux-limit-kw-m2", LIMIT)
        one = self.aim_json(*suns)
        text = (self.folder / "aims.csv").read_text()
        two = self.aim_json(*suns, "--ranks", 2)
        self.assertEqual((self.folder / "aims.csv").read_text(), text)
        self.assertEqual(two["fingerprint"], one["fingerprint"])
        self.assertEqual(sorted({row["step"] for row in self.rows()}), ["0", "1"])
        again = self.raytrace_json(self.config, *suns[:2], "--set", "aim.file=aims.csv", "-o", "again.h5")
        self.assertEqual(again["series"]["fingerprint"], one["fingerprint"])

    def test_killed_series_continues(self):
        whole = self.aim_json(*SERIES, "--result", "whole.h5")
        text = (self.folder / "aims.csv").read_text()
        (self.folder / "aims.csv").unlink()
        done = self.run_program("aim", self.config, *SERIES, **Preload.environment("any", at="commit:step_000002", number=signal.SIGKILL))
        self.assertEqual(done.returncode, -signal.SIGKILL, done.stderr)
        self.assertFalse((self.folder / "aims.csv").exists())
        self.assertTrue((self.folder / "aims.csv.parts" / "step_000001.h5").exists())
        other = self.run_program("aim", self.config, *SERIES, "--set", "aiming.robust_sigma=1")
        self.assertEqual(other.returncode, 2, other.stderr)
        self.assertIn("--restart", other.stderr)
        self.assertIn("the configuration", other.stderr)
        continued = self.aim_json(*SERIES, "--result", "continued.h5")
        self.assertGreaterEqual(continued["steps_done_before"], 2)
        self.assertEqual((self.folder / "aims.csv").read_text(), text)
        for name in ("power_w", "power_bound_w", "worst_limit_share", "iterations", "traces", "fingerprint"):
            self.assertEqual(continued[name], whole[name], name)
        self.assertFalse((self.folder / "aims.csv.parts").exists())

    def test_series_whose_limits_cannot_be_kept(self):
        done = self.aim("--json", *SERIES[:4], "--flux-limit-kw-m2", "1", "--strategy", "equator", code=1)
        printed = json.loads(done.stdout)
        self.assertFalse(printed["limits_kept"])
        self.assertIn(printed["violation"], done.stderr)
        self.assertIn("4 steps", printed["violation"])
        self.assertEqual(len(self.rows()), 4 * 40)

    def test_bad_tables_of_series(self):
        self.aim("-q", *SERIES[:4], "--strategy", "center")
        file = ("--set", "aim.file=aims.csv")

        def refused(*arguments, words):
            done = self.run_program("raytrace", self.config, *arguments, *file, "-o", "bad.h5")
            self.assertEqual(done.returncode, 2, done.stderr)
            for word in words:
                self.assertIn(word, done.stderr)

        refused(words=["aim.file", "several steps"])
        refused("--set", "sun={time: '2026-06-21T15:00:00+02:00'}", words=["aim.file", "no row at 2026-06-21T15:00:00+02:00"])
        refused("--set", DAY.replace("sun.times=", "sun={times: ").replace("11:30", "12:00") + "}", words=["has no rows for step 4", "12:00:00+02:00"])
        text = (self.folder / "aims.csv").read_text()
        (self.folder / "aims.csv").write_text(text.replace("up,active,time", "up,step,time", 1))
        refused(*SERIES[:4], words=["time and step"])

    def refused(self, *arguments, words=(), rows=False):
        done = self.run_program("aim", self.config, *arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertEqual((self.folder / "aims.csv").exists(), rows)

    def test_bad_input(self):
        self.refused("--flux-limit-kw-m2", "0", words=["--flux-limit-kw-m2"])
        self.refused("--flux-limit-kw-m2", "nan", words=["--flux-limit-kw-m2"])
        self.refused("--set", "aiming.flux_limit_kw_m2=-3", words=["aiming.flux_limit_kw_m2"])
        self.refused("--strategy", "middle", words=["--strategy", "center"])
        self.refused("--set", "aiming.strategie=center", words=["aiming.strategie", "did you mean 'strategy'"])
        self.refused("--set", "aiming.flux_limit={file: none.csv}", words=["aiming.flux_limit.file", "there is no file"])
        self.refused("--set", "aiming.objective={target_map: none.h5}", words=["aiming.objective.target_map", "there is no file"])
        self.refused("--set", "tracing.model=artist", *("--set", "optics.slope_error_mrad=0"), words=["tracing.model"])
        self.refused("--set", "sun={positions: [{azimuth_deg: 1, elevation_deg: 9}]}", "--set", "aiming.max_move_m_per_minute=1",
                     words=["aiming.max_move_m_per_minute", "no time"])
        self.refused("--image", "aims.gif", words=["aims.gif"])
        self.refused("--report", "aims.txt", words=["--report", "aims.txt"])
        self.refused("--result", "flux.txt", words=["--result", "flux.txt"])
        self.refused("-o", "nowhere/aims.csv", words=["nowhere"])
        self.refused("--result", "plant.h5", words=["plant.h5"])
        with h5py.File(self.folder / "limits.h5", "w") as file:
            file["flux_limit"] = numpy.full((12, 23), 4e5)
        self.refused("--set", "aiming.flux_limit.file=limits.h5", words=["aiming.flux_limit.file", "(12, 23)", "(12, 24)"])
        done = self.run_program("validate", self.write_config(name="bad.yaml", text=CONFIG + "aiming: {flux_limit: {file: limits.h5}}\n"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("(12, 23)", done.stderr)
        (self.folder / "aims_of_others.csv").write_text("name,target,east,north,up,active\nZ,receiver,1,2,3,true\n")
        done = self.run_program("raytrace", self.config, "--set", "aim.file=aims_of_others.csv")
        self.assertEqual(done.returncode, 2)
        self.assertIn("aims_of_others.csv:2", done.stderr)
        self.assertIn("no heliostat 'Z'", done.stderr)


if __name__ == "__main__":
    unittest.main()
