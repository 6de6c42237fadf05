# SPDX-License-Identifier: MIT
"""Mirrors from flux images: real ones of two heliostats, and what is refused or rejected."""

import html.parser
import json
import os
import pathlib
import shutil
import unittest

import h5py
import numpy as np

from harness import SOURCE, write_grey
from reconstruction_case import PAINT, TOWER, ReconstructionTest, change

TRUTH = pathlib.Path(os.environ.get("HELIORAY_TEST_DATA", "")) / "test_scenario_paint_four_heliostats.h5"
# Split by the sun: morning against afternoon.
AFTERNOON = {"AA39": ("205363", "218385", "223788", "270398"), "AA31": ("156971", "189889")}


class Reconstruct(ReconstructionTest):
    def refused(self, *arguments, words):
        done = self.run_program("reconstruct", "start.h5", "-o", "out.h5", *arguments)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertFalse((self.folder / "out.h5").exists())

    def test_images_of_other_suns_are_predicted(self):
        """Fitted to the suns of one half of the day, mirrors explain the other half better than before."""
        test = [PAINT / name / "Calibration" / f"{record}-flux-centered.png" for name, ids in AFTERNOON.items() for record in ids]
        out = self.reconstruct("--measured", PAINT, "--test", *test)
        self.assertEqual(sorted(out["heliostats"]), ["AA31", "AA39"])
        for name, least in (("AA39", 0.915), ("AA31", 0.90)):
            one = out["heliostats"][name]
            self.assertEqual([t["record"] for t in one["test"]], sorted(AFTERNOON[name]))
            self.assertEqual(one["images"], len(one["fitted"]))
            before = np.mean([t["flux_accuracy_before"] for t in one["test"]])
            after = np.mean([t["flux_accuracy"] for t in one["test"]])
            self.assertGreater(after, least, name)
            self.assertGreater(after, before + 0.03, name)
            self.assertTrue(one["improved"])
            self.assertTrue(0.2 < one["slope_sigma_mrad"] < 2.0)
            self.assertNotIn("slopes_mrad", one)
        reasons = {r["record"]: r["reason"] for r in out["heliostats"]["AA39"]["rejected"]}
        self.assertIn("100733-flux-centered.png", reasons["100733"])
        self.assertGreater(out["seconds"], 0.0)

    def test_each_image_is_predicted_by_the_others(self):
        for name, least in (("AA39", 0.93), ("AA31", 0.90)):
            accuracies = []
            for image in sorted((PAINT / name / "Calibration").glob("*-flux-centered.png")):
                out = self.reconstruct("--measured", PAINT / name, "--test", image)
                accuracies.append(out["heliostats"][name]["test"][0]["flux_accuracy"])
            self.assertGreater(np.mean(accuracies), least, name)

    @unittest.skipUnless(TRUTH.is_file(), "HELIORAY_TEST_DATA has no deflectometry of these mirrors")
    def test_slopes_come_closer_to_deflectometry(self):
        out = self.reconstruct("--measured", PAINT, "--truth", TRUTH)["heliostats"]
        self.assertAlmostEqual(out["AA39"]["slopes_mrad"]["before"], 2.24, delta=0.03)
        self.assertLess(out["AA39"]["slopes_mrad"]["after"], 1.6)
        self.assertAlmostEqual(out["AA31"]["slopes_mrad"]["before"], 1.66, delta=0.03)
        self.assertLess(out["AA31"]["slopes_mrad"]["after"], 1.2)

    @unittest.skipUnless(TRUTH.is_file(), "HELIORAY_TEST_DATA has no deflectometry of these mirrors")
    def test_two_images_lead_no_farther_from_deflectometry(self):
        """Images of two suns that mirrors canted too much and too little explain alike; one of both alone is 2.6 to 2.8 mrad off."""
        for pair in (("205363", "270398"), ("205363", "275564"), ("218385", "275564")):
            images = [PAINT / "AA39" / "Calibration" / f"{record}-flux-centered.png" for record in pair]
            one = self.reconstruct("--measured", *images, "--truth", TRUTH)["heliostats"]["AA39"]
            self.assertEqual(one["images"], 2)
            self.assertLess(one["slopes_mrad"]["after"], one["slopes_mrad"]["before"], pair)
            self.assertGreater(one["maxima"], 1)
            # It says how unsure that is.
            self.assertGreater(one["slope_sigma_mrad"], 0.8 * one["slopes_mrad"]["after"])

    def test_images_differ_in_sharpness(self):
        """The mirror's slope error lies among those of its images, and nothing is said of images that are not fitted."""
        test = PAINT / "AA39" / "Calibration" / "270398-flux-centered.png"
        one = self.reconstruct("--measured", PAINT / "AA39", "--test", test)["heliostats"]["AA39"]
        of_images = [image["slope_error_mrad"] for image in one["fitted"]]
        self.assertTrue(0.25 < min(of_images) < one["slope_error_mrad"] - 0.05, of_images)
        self.assertTrue(one["slope_error_mrad"] + 0.05 < max(of_images) < 2.0, of_images)
        self.assertNotIn("slope_error_mrad", one["test"][0])

    def test_report(self):
        test = PAINT / "AA39" / "Calibration" / "270398-flux-centered.png"
        out = self.reconstruct("--measured", PAINT, "--test", test, "--report", "mirrors.html")["heliostats"]
        page = Page((self.folder / "mirrors.html").read_text(encoding="utf-8"))
        # Of each image its measurement, model and difference; of each mirror two slopes and their deviation.
        self.assertEqual(page.pictures.count("panel"), sum(3 * len(one["fitted"]) + 3 for one in out.values()))
        heliostats, rejected = page.tables
        self.assertEqual([row[0] for row in heliostats[1:]], ["AA31", "AA39"])
        for row in heliostats[1:]:
            one = out[row[0]]
            self.assertEqual(row[1:3], [str(one["images"]), str(one["sun_groups"])])
            after = np.mean([image["flux_accuracy"] for image in one["fitted"]])
            self.assertTrue(row[3].endswith(f"-> {after:.3f}"), row)
            self.assertEqual(row[7], f"{one['slope_sigma_mrad']:.2f} mrad")
        self.assertEqual([row[1:] for row in rejected[1:]], [[r["record"], r["reason"]] for name in ("AA31", "AA39") for r in out[name]["rejected"]])

    def test_ranks_change_nothing(self):
        images = [PAINT / name / "Calibration" / f"{record}-flux-centered.png"
                  for name, ids in AFTERNOON.items() for record in ids[:2]]
        results = []
        for ranks in (1, 2, 3):
            out = self.reconstruct("--measured", *images, "--ranks", ranks, "--threads", 1)
            del out["seconds"]
            results.append((out, contents(self.folder / "out.h5")))
        self.assertEqual(results[0], results[1])
        self.assertEqual(results[0], results[2])
        # What is wrong is said once.
        done = self.run_program("reconstruct", "start.h5", "-o", "bad.h5", "--measured", "nowhere", "--ranks", 2)
        self.assertEqual((done.returncode, done.stderr.count("nowhere")), (2, 1), done.stderr)

    def test_artist_opens_the_result(self):
        try:
            import torch
            from artist.optim import SurfaceReconstructor  # noqa: F401 (before the scenario)
            from artist.scenario.scenario import Scenario
        except ImportError as error:
            self.skipTest(f"needs artist-csp: {error}")
        self.reconstruct("--measured", PAINT)
        with h5py.File(self.folder / "out.h5") as file:
            scenario = Scenario.load_scenario_from_hdf5(file, number_of_surface_points_per_facet=torch.tensor([5, 5]), device=torch.device("cpu"))
            found = {}
            for group in scenario.heliostat_field.heliostat_groups:
                found.update(zip(group.names, group.nurbs_control_points.numpy()))
            for name, heliostat in file["heliostats"].items():
                facets = heliostat["surface/facets"]
                wanted = [facets[facet]["control_points"][:] for facet in sorted(facets)]
                np.testing.assert_allclose(found[name], wanted, atol=1e-6)

    def test_the_result_is_plain_artist(self):
        """Every name and shape that ARTIST's reader wants, as a scenario with own surfaces has them; one dataset more per facet."""
        self.reconstruct("--measured", PAINT)
        with h5py.File(self.folder / "out.h5") as file:
            self.assertNotIn("calibration", file)
            for name in ("AA31", "AA39"):
                for facet in file[f"heliostats/{name}/surface/facets"].values():
                    shapes = {key: item.shape for key, item in facet.items()}
                    self.assertEqual(shapes, {"canting": (2, 4), "control_points": (10, 10, 3), "degrees": (2,), "position": (4,), "slope_deviation": (8, 8, 2)})

    def test_result_is_a_scenario(self):
        out = self.reconstruct("--measured", PAINT / "AA39", "--image", "mirror.png")
        self.assertEqual(list(out["heliostats"]), ["AA39"])
        self.assertEqual((self.folder / "mirror.png").read_bytes()[:4], b"\x89PNG")
        self.assertIn("valid", self.run_program("validate", "out.h5").stdout)
        with h5py.File(self.folder / "out.h5") as file:
            facet = file["heliostats/AA39/surface/facets/facet_1"]
            self.assertEqual(facet["control_points"].shape, (10, 10, 3))
            self.assertGreater(np.abs(facet["control_points"][..., 2]).max(), 1e-3)
            deviation = facet["slope_deviation"][:]
            self.assertEqual(deviation.shape, (8, 8, 2))
            self.assertTrue((deviation > 5e-5).all() and (deviation < 5e-3).all())
            # Other mirrors stay as they were.
            other = "heliostats/AA31/surface" if "surface" in file["heliostats/AA31"] else "prototypes/surface"
            self.assertEqual(np.abs(file[f"{other}/facets/facet_1/control_points"][..., 2]).max(), 0.0)
        config = self.write_config(rays="1e5")
        before = self.raytrace_json(config, "--scenario", "start.h5")["targets"]["multi_focus_tower"]
        after = self.raytrace_json(config, "--scenario", "out.h5")["targets"]["multi_focus_tower"]
        self.assertAlmostEqual(after["power_w"] / before["power_w"], 1.0, delta=0.02)
        self.assertNotEqual(after["peak_flux_w_m2"], before["peak_flux_w_m2"])
        # A result can be the start of another one, and keeps its deviations when it is copied.
        again = self.run_program("reconstruct", "out.h5", "--measured", PAINT / "AA31", "-o", "both.h5")
        self.assertEqual(again.returncode, 0, again.stderr)
        with h5py.File(self.folder / "both.h5") as file:
            kept = file["heliostats/AA39/surface/facets/facet_1/slope_deviation"][:]
            np.testing.assert_array_equal(kept, deviation)
            self.assertIn("slope_deviation", file["heliostats/AA31/surface/facets/facet_4"])

    def test_a_calibrated_scenario_keeps_its_calibration(self):
        done = self.run_program("calibrate", "--tower", TOWER, PAINT / "AA39", "-o", "calibrated.h5")
        self.assertEqual(done.returncode, 0, done.stderr)
        images = [PAINT / "AA39" / "Calibration" / f"{record}-flux-centered.png" for record in AFTERNOON["AA39"][:2]]
        done = self.run_program("reconstruct", "calibrated.h5", "--measured", *images, "-o", "out.h5")
        self.assertEqual(done.returncode, 0, done.stderr)
        before, after = ({path: value for path, value in contents(self.folder / file).items() if path.startswith("calibration/")}
                         for file in ("calibrated.h5", "out.h5"))
        self.assertIn("calibration/covariance", before)
        self.assertEqual(after, before)
        with h5py.File(self.folder / "calibrated.h5") as start, h5py.File(self.folder / "out.h5") as end:
            self.assertEqual(dict(end["calibration"].attrs), dict(start["calibration"].attrs))
        # It takes in the next record. The bent mirror has its centre of light elsewhere.
        record = PAINT / "AA39" / "Calibration" / "275564-calibration-properties.json"
        updates = []
        for file in ("calibrated.h5", "out.h5"):
            done = self.run_program("calibrate", "--update", file, record, "-o", "updated.h5", "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            updates += json.loads(done.stdout)["heliostats"]["AA39"]["updates"]
        self.assertEqual([update["record"] for update in updates], ["275564", "275564"])
        self.assertAlmostEqual(updates[0]["error_m"], updates[1]["error_m"], delta=0.02)

    def test_threads_change_nothing(self):
        results = []
        for threads in (1, 2):
            out = self.reconstruct("--measured", PAINT, "--threads", threads, "--image-kind", "flux-centered")
            del out["seconds"]
            results.append(out)
        self.assertEqual(*results)

    def test_folders_of_the_benchmark(self):
        """The layout of paint-csp's downloader, read as `calibrate` reads it: the table of the split names the heliostats."""
        rows = [(record, "AA39", "train") for record in ("151375", "202558", "271633")] + [("275564", "AA39", "test"), ("223788", "AA39", "validation"),
                ("125284", "AA31", "train"), ("126372", "AA31", "test")]
        root = self.folder / "benchmark"
        for record, heliostat, split in rows:
            (root / split).mkdir(parents=True, exist_ok=True)
            for file in (PAINT / heliostat / "Calibration").glob(f"{record}-*"):
                shutil.copy(file, root / split)
        table = self.folder / "split.csv"
        table.write_text("Id,HeliostatId,Split\n" + "".join(f"{','.join(row)}\n" for row in rows))
        out = self.reconstruct("--measured", root, "--test", table)["heliostats"]

        def records(one, kind):
            return sorted(image["record"] for image in one[kind])
        self.assertEqual({name: (records(one, "fitted"), records(one, "test")) for name, one in out.items()},
                         {"AA39": (["151375", "202558", "271633"], ["223788", "275564"]), "AA31": (["125284"], ["126372"])})
        # The same records from folders of heliostats give the same; what the split does not list is left out.
        folders = self.reconstruct("--measured", PAINT, "--test", table)["heliostats"]
        for name, one in folders.items():
            self.assertEqual((one["fitted"], one["test"]), (out[name]["fitted"], out[name]["test"]))
        self.assertIn({"record": "205363", "reason": "not in the split"}, folders["AA39"]["rejected"])
        # One split alone, one heliostat alone, one picture by its name.
        alone = self.reconstruct("--measured", root / "train", "--test", table, root / "test/275564-flux-centered.png", "--heliostat", "AA39")["heliostats"]
        self.assertEqual(list(alone), ["AA39"])
        self.assertEqual(alone["AA39"]["fitted"], out["AA39"]["fitted"])
        self.assertEqual(records(alone["AA39"], "test"), ["275564"])

        (self.folder / "out.h5").unlink()
        self.refused("--measured", root, words=["nothing tells the heliostat of 7 record(s)", "by --test"])
        text = table.read_text()
        for change, words in ((("202558,AA39,train", "202558,AA39,test"), ["lies in 'train', its row says 'test'"]),
                              (("202558,AA39,train", "202558,AA39,Train"), ["split.csv:3", "there is no split 'Train'", "'train'"]),
                              (("202558,AA39,train", "151375,AA39,test"), ["record '151375' of 'AA39' is in 'test' here, and in 'train' before"]),
                              (("202558,AA39,train", "202558,,train"), ["split.csv:3", "is not a row of Id, HeliostatId and Split"]),
                              (("HeliostatId", "Heliostat"), ["split.csv", "is not a split of PAINT's benchmark"])):
            table.write_text(text.replace(*change))
            self.refused("--measured", root, "--test", table, words=words)

    def test_images_of_the_whole_target(self):
        out = self.reconstruct("--measured", PAINT / "AA39", "--image-kind", "flux")["heliostats"]["AA39"]
        self.assertEqual([f["record"] for f in out["fitted"]], ["202558", "209075", "223788", "270398"])
        for image in out["fitted"]:
            self.assertGreater(image["flux_accuracy"], 0.9)

    def test_records_are_rejected_with_a_reason(self):
        folder = self.copy_records("AA39", "151375", "202558", "205363", "223788", "271633")
        # A picture without light, a target that is not there, a record without spot.
        write_grey(folder / "151375-flux-centered.png", np.zeros((16, 16), np.uint8))
        write_grey(folder / "202558-flux-centered.png", np.full((16, 16), 90, np.uint8))
        change(folder / "205363-calibration-properties.json", lambda r: r.update(target_name="nowhere"))
        change(folder / "223788-calibration-properties.json", lambda r: r.pop("focal_spot"))
        out = self.reconstruct("--measured", self.folder / "measured")["heliostats"]["AA39"]
        reasons = {r["record"]: r["reason"] for r in out["rejected"]}
        self.assertEqual(sorted(reasons), ["151375", "202558", "205363", "223788"])
        self.assertIn("black", reasons["151375"])
        self.assertIn("no spot", reasons["202558"])
        self.assertIn("'nowhere'", reasons["205363"])
        self.assertIn("no measured spot", reasons["223788"])
        self.assertEqual(out["images"], 1)

    def test_all_bits_of_a_picture_count(self):
        """A camera of 12 bits in files of 16, of which 8 show hardly any light."""
        records = ("151375", "202558", "271633")
        folder = self.copy_records("AA39", *records)
        row, column = np.mgrid[:64, :64]
        light = np.exp(-((row - 30) ** 2 / 70 + (column - 33) ** 2 / 110))
        fits = []
        for most in (60000, 900):
            for number in records:
                write_grey(folder / f"{number}-flux-centered.png", np.rint(most * light).astype(np.uint16))
            fits.append(self.reconstruct("--measured", self.folder / "measured")["heliostats"]["AA39"])
        exact, all_bits = fits
        self.assertEqual(all_bits["images"], 3)
        for a, b in zip(exact["fitted"], all_bits["fitted"], strict=True):
            self.assertAlmostEqual(a["flux_accuracy"], b["flux_accuracy"], delta=0.003)
        self.assertAlmostEqual(exact["slope_error_mrad"], all_bits["slope_error_mrad"], delta=0.02)
        # The upper 8 bits alone have four levels.
        (self.folder / "out.h5").unlink()
        for number in records:
            write_grey(folder / f"{number}-flux-centered.png", (np.rint(900 * light).astype(np.uint16) >> 8).astype(np.uint8) * 80)
        self.refused("--measured", self.folder / "measured", words=["AA39 151375: more than a quarter of the spot is saturated"])

    def test_noise_is_no_spot(self):
        """Bright noise has a mean of half its maximum, and a fitted background would take it all."""
        folder = self.copy_records("AA39", "151375", "202558", "271633")
        noise = np.random.default_rng(1)
        for number, size in (("151375", 256), ("202558", 64)):
            write_grey(folder / f"{number}-flux-centered.png", noise.integers(0, 255, (size, size)).astype(np.uint8))
        out = self.reconstruct("--measured", self.folder / "measured")["heliostats"]["AA39"]
        self.assertEqual({r["record"]: r["reason"] for r in out["rejected"]},
                         dict.fromkeys(("151375", "202558"), "no spot stands out from the picture's background"))

    def test_records_of_other_heliostats_are_counted(self):
        self.copy_records("AA39", "202558", "271633")
        (self.folder / "measured/AA39").rename(self.folder / "measured/ZZ99")
        self.copy_records("AA39", "151375")
        done = self.run_program("reconstruct", "start.h5", "--measured", self.folder / "measured", "-o", "mirrors.h5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_message("reconstruction", "records of other heliostats", done.stderr, "--measured: 2 record(s)", "left out")

    def test_motor_positions_show_the_tilt_of_all_facets(self):
        """A simulated mirror whose facets are tilted by 1.5 and -1 mrad on average, which its images do not show."""
        self.reconstruct("--measured", PAINT / "AA39")
        shutil.copy(self.folder / "out.h5", self.folder / "start.h5")
        shutil.copy(self.folder / "start.h5", self.folder / "truth.h5")
        with h5py.File(self.folder / "truth.h5", "a") as file:
            for number, (east, north) in enumerate(((2.1, -0.7), (0.9, -1.9), (1.7, -0.1), (1.3, -1.3)), start=1):
                points = file[f"heliostats/AA39/surface/facets/facet_{number}/control_points"]
                place = points[:]
                offset = place - place.mean(axis=(0, 1))
                place[..., 2] += 1e-3 * (east * offset[..., 0] + north * offset[..., 1])
                points[...] = place
        records = ("151375", "202558", "271633", "223788")
        folder = self.copy_records("AA39", *records)
        config = self.write_config(rays="1e6")
        motors = {}
        for number, (azimuth, elevation) in zip(records, ((130, 30), (170, 50), (230, 25), (250, 15))):
            self.raytrace_json(config, "--scenario", "truth.h5", "--set", "aim.active=[AA39]", "--set", f"sun.azimuth_deg={azimuth}",
                               "--set", f"sun.elevation_deg={elevation}")
            with h5py.File(self.folder / "result.h5") as file:
                flux = file["targets/multi_focus_tower/flux"][:]
                names = [name.decode() for name in file["heliostats/name"][:]]
                motors[number] = np.rint(file["heliostats/motor_positions"][names.index("AA39")]).astype(int)
            write_grey(folder / f"{number}-flux.png", (200 * flux / flux.max()).astype(np.uint8))
            change(folder / f"{number}-calibration-properties.json",
                   lambda r: r.update(target_name="multi_focus_tower", sun_azimuth=180 - azimuth, sun_elevation=elevation))

        def found(first, second, scenario="start.h5"):
            for number, position in motors.items():
                change(folder / f"{number}-calibration-properties.json", lambda r: r.update(motor_position={
                    "axis_1_motor_position": int(position[0]) + first, "axis_2_motor_position": int(position[1]) + second}))
            done = self.run_program("reconstruct", scenario, "--measured", self.folder / "measured", "--image-kind", "flux", "--truth", "truth.h5",
                                    "-o", "out.h5", "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            one = json.loads(done.stdout)["heliostats"]["AA39"]
            return one, contents(self.folder / "out.h5")

        right, _ = found(0, 0)
        self.assertEqual(right["common_tilt"], "motor positions")
        self.assertLess(right["slopes_mrad"]["after"], 0.5)
        # Drives that are off by 5 mrad or much more, or that cannot stand there, show nothing.
        unknown, mirror = found(10**6, 0)
        self.assertEqual(unknown["common_tilt"], "not shown")
        self.assertGreater(unknown["slopes_mrad"]["after"], 1.0)
        for first, second in ((250, 0), (0, 250), (4000, -4000)):
            other, same = found(first, second)
            self.assertEqual(other, unknown)
            self.assertEqual(same, mirror)
        # Kinematics that were fitted to these spots have taken the tilt up.
        found(0, 0)
        shutil.copytree(PAINT / "AA39" / "Properties", self.folder / "measured/AA39/Properties")
        done = self.run_program("calibrate", "--tower", TOWER, self.folder / "measured", "--spot", "image", "-o", "calibrated.h5")
        self.assertEqual(done.returncode, 0, done.stderr)
        calibrated, _ = found(0, 0, "calibrated.h5")
        self.assertEqual(calibrated["common_tilt"], "not shown")
        # Their motor positions would show that there is none.
        with h5py.File(self.folder / "calibrated.h5", "a") as file:
            del file["calibration"]
        wrong, _ = found(0, 0, "calibrated.h5")
        self.assertEqual(wrong["common_tilt"], "motor positions")
        self.assertLess(wrong["slope_sigma_mrad"], 0.5 * wrong["slopes_mrad"]["after"])

    def test_an_image_of_something_else_is_rejected(self):
        folder = self.copy_records("AA39", "151375", "223788", "271633", "275564")
        wrong = np.zeros((64, 64), np.uint8)
        wrong[5:59, 8:12] = wrong[5:59, 50:54] = np.arange(140, 248, 2)[:, None]
        write_grey(folder / "223788-flux-centered.png", wrong)
        out = self.reconstruct("--measured", self.folder / "measured")["heliostats"]["AA39"]
        self.assertEqual([r["record"] for r in out["rejected"]], ["223788"])
        self.assertIn("contradicts", out["rejected"][0]["reason"])
        self.assertEqual(out["images"], 3)

    def test_files_that_cannot_be_read(self):
        folder = self.copy_records("AA39", "151375", "202558", "205363")
        picture = folder / "151375-flux-centered.png"
        picture.write_bytes(picture.read_bytes()[:200])
        change(folder / "202558-calibration-properties.json", lambda r: r.pop("sun_elevation"))
        (folder / "205363-calibration-properties.json").write_text("{")
        self.refused("--measured", self.folder / "measured",
                     words=["151375-flux-centered.png", "sun_elevation", "205363-calibration-properties.json"])

    def test_arguments(self):
        self.refused("--measured", "nowhere", words=["nowhere"])
        self.refused("--measured", SOURCE / "configs", "--image-kind", "flux-centered", words=["no image can be fitted"])
        self.refused("--measured", PAINT, "--heliostat", "AA93", words=["AA93", "AA39"])
        self.refused("--measured", PAINT, "--truth", "nowhere.h5", words=["nowhere.h5"])
        properties = next((PAINT / "AA39/Properties").glob("*.json"))
        self.assertEqual(self.run_program("scenario", "paint", "--tower", TOWER, f"ZZ99={properties}", "-o", "other.h5").returncode, 0)
        self.refused("--measured", PAINT, "--truth", "other.h5", words=["truth: the scenario has none of the heliostats"])
        self.refused("--measured", PAINT, "--image", "mirror.gif", words=["mirror.gif"])
        self.refused("--measured", PAINT, "--report", "mirrors.txt", words=["--report", "mirrors.txt"])
        (self.folder / "empty").mkdir()
        self.refused("--measured", "empty", words=["calibration-properties.json"])


def contents(path):
    """Every value of an HDF5 file, by its path: texts as lists, numbers as bytes."""
    values = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: values.update({name: plain(item[()])} if isinstance(item, h5py.Dataset) else {}))
    return values


def plain(value):
    array = np.asarray(value)
    return array.tolist() if array.dtype.kind == "O" else array.tobytes()


class Page(html.parser.HTMLParser):
    """Pictures and tables of a report."""

    def __init__(self, text):
        super().__init__()
        self.pictures, self.tables, self.cell = [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag == "svg":
            self.pictures.append(dict(attributes)["class"])
        elif tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("th", "td"):
            self.cell = ""

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data

    def handle_endtag(self, tag):
        if tag in ("th", "td"):
            self.tables[-1][-1].append(self.cell)
            self.cell = None



if __name__ == "__main__":
    unittest.main()
