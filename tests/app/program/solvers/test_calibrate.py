# SPDX-License-Identifier: MIT
"""The calibrate command: real heliostats, predictions, reports, updates, refusals."""

import concurrent.futures
import html.parser
import json
import math
import shutil
import unittest

import h5py
import numpy

from calibration_case import PAINT, TOWER, CalibrateTest
from harness import SOURCE


class Page(html.parser.HTMLParser):
    """Tables by the heading or summary before them, and the sources of pictures."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.sources, self.title, self.inside = {}, [], "", ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.inside = tag
        if tag == "img":
            self.sources.append(dict(attributes)["src"])
        elif tag in ("h2", "summary"):
            self.title = ""
        elif tag == "tr":
            self.tables.setdefault(self.title, []).append([])
        elif tag in ("th", "td"):
            self.tables[self.title][-1].append("")

    def handle_data(self, data):
        if self.inside in ("h2", "summary"):
            self.title += data
        elif self.inside in ("th", "td"):
            self.tables[self.title][-1][-1] += data

    def handle_endtag(self, tag):
        self.inside = ""


class Calibrate(CalibrateTest):
    def test_real_heliostats(self):
        result = self.calibrate_json(PAINT, "--image", "residuals.png")
        heliostats = result["heliostats"]
        self.assertEqual(sorted(heliostats), ["AA23", "AA28", "AA31", "AA39", "AU46"])
        # Records predicted from the others, all heliostats together.
        self.assertLess(result["left_out_mrad"]["median"], 1.0)
        self.assertLess(result["left_out_mrad"]["mean"], 1.5)
        # Within five points of 95 %: 27 of 30.
        self.assertGreater(result["coverage"]["p95"], 0.899)
        self.assertGreater(len(result["left_out_by_sun_distance"]), 2)
        for name in ("AA23", "AU46"):
            # They start far off, and their positions are of the older frame.
            self.assertGreater(heliostats[name]["nominal_mrad"]["median"], 40)
            self.assertLess(heliostats[name]["residual_mrad"]["mean"], 1.0)
            self.assertIn("older frame of coordinates: position moved 1.641 m east", heliostats[name]["remarks"][0])
        self.assertEqual([r["record"] for r in heliostats["AA31"]["rejected"]], ["unnumbered-28736"])
        self.assertIn("outlier: its spot lies", heliostats["AA31"]["rejected"][0]["reason"])
        self.assertEqual([r["record"] for r in heliostats["AA39"]["rejected"]], ["100733"])
        self.assertIn("wrong sun", heliostats["AA39"]["rejected"][0]["reason"])
        self.assertEqual((heliostats["AA39"]["records"], heliostats["AA39"]["used"]), (13, 12))
        self.assertEqual(heliostats["AA39"]["epochs"], 2)
        start = heliostats["AA39"]["epoch_starts"][0]
        self.assertEqual((start["last_before"], start["record"]), ("158378", "177577"))
        self.assertIn("set to zero anew", start["reason"])
        self.assertEqual((heliostats["AA28"]["records"], heliostats["AA28"]["left_out_mrad"]["median"]), (0, None))
        self.assertTrue((self.folder / "residuals.png").read_bytes().startswith(b"\x89PNG"))
        self.assertEqual(self.run_program("validate", "calibrated.h5").returncode, 0)

    def test_ellipses_of_suns_far_from_the_fitted_ones(self):
        """Each heliostat's suns, divided by azimuth into thirds: one of them is predicted from the others."""
        heliostats = self.calibrate_json(PAINT)["heliostats"]
        thirds = [[], [], []]
        for name, one in heliostats.items():
            files = [self.record(name, r["record"]) for r in one["left_out"]]
            files.sort(key=lambda path: json.loads(path.read_text())["sun_azimuth"])
            for i, path in enumerate(files):
                thirds[3 * i // len(files)].append(path)
        squares, errors = [], []
        for third in thirds:
            for one in self.calibrate_json(PAINT, "--test", *third)["heliostats"].values():
                for r in one["test"]:
                    offset = numpy.array(r["offset_m"])
                    squares.append(offset @ numpy.linalg.solve(numpy.array(r["sigma_m"]), offset))
                    errors.append(r["error_mrad"])
        self.assertEqual(len(squares), 30)
        # Within five points of 68 and 95 %, more rather than less; chi-square of two numbers.
        self.assertGreater(numpy.mean(numpy.array(squares) < 2.2789), 0.63)
        self.assertLess(numpy.mean(numpy.array(squares) < 2.2789), 0.78)
        self.assertGreaterEqual(numpy.mean(numpy.array(squares) < 5.9915), 0.9)
        self.assertLess(numpy.median(errors), 2.0)

    def test_contract_of_json(self):
        tests = [self.record("AA39", n) for n in (275564, 202558)]
        result = self.calibrate_json(PAINT / "AA39", "--test", *tests)
        self.assertGreater(result["seconds"], 0)
        one = result["heliostats"]["AA39"]
        self.assertEqual((one["records"], one["used"], one["epochs"]), (11, 10, 2))
        for value, sigma in one["parameters"].values():
            self.assertTrue(math.isfinite(value) and sigma > 0)
        for key in ("residual_mrad", "left_out_mrad"):
            self.assertEqual(sorted(one[key]), ["mean", "median"])
        self.assertEqual([t["record"] for t in one["test"]], ["275564", "202558"])
        for test in one["test"]:
            covariance = numpy.array(test["sigma_m"])
            offset = numpy.array(test["offset_m"])
            self.assertTrue((numpy.linalg.eigvalsh(covariance) > 0).all())
            self.assertAlmostEqual(numpy.linalg.norm(offset), test["error_m"], places=9)
            self.assertLess(offset @ numpy.linalg.solve(covariance, offset), 12)
            self.assertLess(test["error_mrad"], 3)

    def test_the_calibrated_scenario_puts_the_light_where_it_was_predicted(self):
        result = self.calibrate_json(PAINT / "AA39", "--test", self.record("AA39", 275564))
        test = result["heliostats"]["AA39"]["test"][0]
        made = self.run_program("scenario", "paint", "--tower", TOWER, PAINT / "AA39", "--calibration", self.record("AA39", 275564),
                                "-o", "nominal.h5")
        self.assertEqual(made.returncode, 0, made.stderr)
        arguments = ("AA39-275564.yaml", "--set", "tracing.rays_per_heliostat=2e5", "--set", "device=cpu")
        nominal = self.raytrace_json(*arguments)["targets"]["multi_focus_tower"]["centroid_m"]
        traced = self.raytrace_json(*arguments, "--scenario", "calibrated.h5")["targets"]["multi_focus_tower"]["centroid_m"]
        self.assertLess(math.dist(traced, test["spot_m"]), 0.03)
        self.assertLess(math.dist(traced, test["measured_m"]), 0.3)
        self.assertGreater(math.dist(nominal, test["measured_m"]), 1.0)

    def test_mirrors_of_another_scenario_move_the_spots_as_the_tracer_does(self):
        record = self.record("AA39", 275564)
        made = self.run_program("scenario", "paint", "--tower", TOWER, PAINT / "AA39", "--calibration", record, "-o", "nominal.h5")
        self.assertEqual(made.returncode, 0, made.stderr)
        shutil.copy(self.folder / "nominal.h5", self.folder / "bent.h5")
        with h5py.File(self.folder / "bent.h5", "a") as file:
            facets = file["prototypes/surface/facets"]
            for name, facet in facets.items():
                # The whole mirror turned by 3 mrad, every facet bent in its own way, with canting and place in the control points.
                along = numpy.linspace(-1, 1, 8)
                x, y = numpy.meshgrid(along, along, indexing="ij")
                points = facet["position"][:3] + x[..., None] * facet["canting"][0, :3] + y[..., None] * facet["canting"][1, :3]
                points[..., 2] += 3e-3 * points[..., 0] + int(name[-1]) * (0.4e-3 * x**2 - 0.2e-3 * y**2 + 0.2e-3 * x**3)
                del facet["control_points"]
                facet["control_points"] = points
        arguments = ("AA39-275564.yaml", "--set", "tracing.rays_per_heliostat=1e6", "--set", "tracing.blocking=false", "--set", "device=cpu")
        spots = {}
        for mirrors in ((), ("--mirrors", "bent.h5")):
            test = self.calibrate_json(PAINT / "AA39", "--test", record, *mirrors)["heliostats"]["AA39"]["test"][0]
            traced = self.raytrace_json(*arguments, "--scenario", "calibrated.h5")["targets"]["multi_focus_tower"]["centroid_m"]
            self.assertLess(math.dist(traced, test["spot_m"]), 0.006)
            self.assertLess(math.dist(traced, test["measured_m"]), 0.3)
            spots[mirrors] = traced
        # The kinematics make up for the turn, and `--update` keeps the mirror.
        self.assertLess(math.dist(*spots.values()), 0.2)
        self.calibrate("--update", "calibrated.h5", record)
        traced = self.raytrace_json(*arguments, "--scenario", "calibrated.h5")["targets"]["multi_focus_tower"]["centroid_m"]
        self.assertLess(math.dist(traced, test["measured_m"]), math.dist(spots[mirrors], test["measured_m"]))
        other = self.calibrate("--tower", TOWER, PAINT / "AA23", "-o", "other.h5", "--mirrors", "bent.h5", code=2)
        self.assertIn("holds none of the 1 heliostats", other.stderr)

    def test_ranks_give_what_one_gives(self):
        def without_times(result):
            return {key: value for key, value in result.items() if key != "seconds"}
        one = without_times(self.calibrate_json(PAINT))
        file = (self.folder / "calibrated.h5").read_bytes()
        # More ranks than heliostats that have records, and a rank without any.
        for ranks in (2, 3, 6):
            self.assertEqual(without_times(self.calibrate_json(PAINT, "--ranks", ranks)), one)
            self.assertEqual((self.folder / "calibrated.h5").read_bytes(), file)
        failed = self.run_program("calibrate", "--tower", TOWER, PAINT / "AA28", "-o", "none.h5", "--ranks", 2)
        self.assertEqual(failed.returncode, 2, failed.stderr)
        self.assertEqual(failed.stderr.count("none of the 1 heliostats has a record"), 1)

    def test_report(self):
        test = self.record("AA39", 275564)
        result = self.calibrate_json(PAINT, "--test", test, "--report", "page.html")
        page = Page((self.folder / "page.html").read_text())
        # No other file, no network.
        self.assertTrue(all(source.startswith("data:image/png;base64,") for source in page.sources))
        # Three targets with spots and two pictures of errors, each for light and for dark pages.
        self.assertEqual(len(page.sources), 10)
        heliostats = page.tables["Heliostats, with the tilt of the normal in mrad"]
        self.assertEqual([row[0] for row in heliostats], ["Heliostat", *result["heliostats"]])
        for row in heliostats[1:]:
            one = result["heliostats"][row[0]]
            self.assertEqual(row[1:4], [str(one["records"]), str(one["used"]), str(one["epochs"])])
            self.assertEqual(row[7], f"{one['aim_error_mrad']:.2f}")
        rejected = [[name, r["record"], r["reason"]] for name, one in result["heliostats"].items() for r in one["rejected"]]
        self.assertEqual(page.tables["Rejected records"][1:], rejected)
        self.assertEqual([row[:2] for row in page.tables["Records that were only predicted"][1:]], [["AA39", "275564"]])
        self.assertEqual(page.tables["Measure next"][1][0], result["next_heliostat"])
        self.assertIn(["AA39", result["heliostats"]["AA39"]["epoch_starts"][0]["reason"]], page.tables["Changes in time and remarks"])
        self.assertIn(["AA23", result["heliostats"]["AA23"]["remarks"][0]], page.tables["Changes in time and remarks"])
        parameters = {row[0]: row for row in page.tables["AA39"][1:]}
        for name, (value, sigma) in result["heliostats"]["AA39"]["parameters"].items():
            unit = {"mrad": 1e-3, "mm": 1e-3, "steps/m": 1}[parameters[name][3]]
            self.assertAlmostEqual(float(parameters[name][1]) * unit, value, delta=1e-3)
            self.assertAlmostEqual(float(parameters[name][2]) * unit, sigma, delta=1e-3)
        # A heliostat without a record has no parameters.
        self.assertNotIn("AA28", page.tables)

    def test_words_of_the_report_stand_to_the_left(self):
        self.calibrate("--tower", TOWER, PAINT, "-o", "calibrated.h5", "--report", "page.html", "-q")
        page = (self.folder / "page.html").read_text()
        self.assertRegex(page, '<td class="words long">outlier: its spot lies')
        self.assertRegex(page, '<td class="words">solar_tower_juelich_lower</td><td>[0-9]')

    def test_info_describes_the_calibration(self):
        self.calibrate_json(PAINT)
        text = self.run_program("info", "calibrated.h5").stdout
        self.assertRegex(text, r"Calibration\n.*5, 4 of them with records\n.*records +30\n")
        self.assertRegex(text, r"aim error +median \d\.\d\d, largest \d\.\d\d mrad")
        self.assertNotIn("Calibration\n", self.run_program("info", SOURCE / "configs/juelich.h5").stdout)

    def test_artist_opens_the_calibrated_scenario(self):
        try:
            import torch
            from artist.optim import KinematicsReconstructor  # noqa: F401 (before the scenario)
            from artist.scenario.scenario import Scenario
        except ImportError as error:
            self.skipTest(f"needs artist-csp: {error}")
        self.calibrate_json(PAINT)
        with h5py.File(self.folder / "calibrated.h5") as file:
            scenario = Scenario.load_scenario_from_hdf5(file, number_of_surface_points_per_facet=torch.tensor([5, 5]), device=torch.device("cpu"))
            found = {}
            for group in scenario.heliostat_field.heliostat_groups:
                found.update(zip(group.names, group.kinematics.rotation_deviation_parameters.tolist()))
            for name, heliostat in file["heliostats"].items():
                deviations = heliostat["kinematics/deviations"]
                wanted = [deviations[key][()] for key in ("first_joint_tilt_n", "first_joint_tilt_u", "second_joint_tilt_e", "second_joint_tilt_n")]
                numpy.testing.assert_allclose(found[name], wanted, rtol=1e-6)

    def test_the_calibrated_scenario_is_plain_artist(self):
        """Names, shapes and types of what a heliostat has of its own are those of the prototypes; all else is in one group."""
        self.calibrate_json(PAINT / "AA39")
        made = self.run_program("scenario", "paint", "--tower", TOWER, PAINT / "AA39", "-o", "nominal.h5")
        self.assertEqual(made.returncode, 0, made.stderr)

        def layout(name):
            items = {}
            with h5py.File(self.folder / name) as file:
                file.visititems(lambda path, item: items.update({path: (item.shape, item.dtype) if isinstance(item, h5py.Dataset) else None}))
            return items
        nominal, calibrated = layout("nominal.h5"), layout("calibrated.h5")
        own = {path for path in calibrated if path.split("/")[0] == "calibration"}
        for path, item in calibrated.items():
            if path not in own:
                prototype = path.replace("heliostats/AA39", "prototypes")
                self.assertEqual(item, nominal.get(path, nominal.get(prototype)), path)
        self.assertEqual(set(nominal) - set(calibrated), set())
        self.assertIn("heliostats/AA39/actuator/actuator_1/parameters/initial_stroke_length", calibrated)

    def test_updates(self):
        new = self.record("AA39", 275564)
        self.calibrate_json(PAINT / "AA39", "--test", new)
        (self.folder / "AA39").mkdir()
        outlier = shutil.copy(new, self.folder / "AA39/275565-calibration-properties.json")
        self.edit(outlier, lambda r: r["focal_spot"]["UTIS"].__setitem__(2, r["focal_spot"]["UTIS"][2] + 3.0))
        updated = json.loads(self.calibrate("--update", "calibrated.h5", new, outlier, "-o", "updated.h5", "--json").stdout)
        by_record = {u["record"]: u for u in updated["heliostats"]["AA39"]["updates"]}
        self.assertIsNone(by_record["275564"]["rejected"])
        # The outlier has the sun of the record before it.
        self.assertGreater(by_record["275564"]["sun_distance_deg"], 1.0)
        self.assertLess(by_record["275565"]["sun_distance_deg"], 1e-3)
        self.assertRegex(by_record["275565"]["rejected"], r"outlier: its spot lies [23]\.\d\d m")
        with h5py.File(self.folder / "calibrated.h5") as before, h5py.File(self.folder / "updated.h5") as after:
            self.assertEqual(list(after["calibration/records"][()]), [before["calibration/records"][0] + 1])
            # One more record makes aiming surer.
            self.assertLess(after["calibration/aim_error"][0], before["calibration/aim_error"][0])
            self.assertGreater(after["calibration/aim_error"][0], 0.5 * before["calibration/aim_error"][0])
            old, now = (numpy.diagonal(f["calibration/covariance"][0]) for f in (before, after))
            self.assertTrue((now <= old + 1e-12).all() and (now < old).any())

            def check(name, item):
                if isinstance(item, h5py.Dataset):
                    self.assertTrue({"unit", "description"} <= set(item.attrs), name)
            after["calibration"].visititems(check)
        # What the contract says of records holds for updates, too.
        one = updated["heliostats"]["AA39"]
        self.assertEqual((one["records"], one["used"], one["epochs"]), (13, 12, 2))
        self.assertEqual(one["rejected"], [{"record": "275565", "reason": by_record["275565"]["rejected"]}])
        # Records may be predicted alone, and the file stays as it is.
        predicted = json.loads(self.calibrate("--update", "calibrated.h5", "--test", new, "-o", "same.h5", "--json").stdout)["heliostats"]["AA39"]
        self.assertEqual(predicted["test"], [{key: by_record["275564"][key] for key in predicted["test"][0]}])
        self.assertEqual(predicted["used"], 11)
        text = self.calibrate("--update", "calibrated.h5", "--test", new, "-o", "same.h5").stdout
        self.assertIn("a record of the test is only predicted", text)
        self.assertNotIn("rejected", text)
        # Without -o the file itself changes.
        self.calibrate("--update", "calibrated.h5", new)
        with h5py.File(self.folder / "calibrated.h5") as after:
            self.assertEqual(after["calibration/records"][0], 12)

    def test_updates_at_the_same_time(self):
        new = [self.record("AA39", number) for number in (270398, 271633, 275564)]
        self.calibrate_json(PAINT / "AA39", PAINT / "AA31", "--test", *new)
        with h5py.File(self.folder / "calibrated.h5") as before:
            records = list(before["calibration/records"][()])
            mirror = before["heliostats/AA31/kinematics/deviations/first_joint_tilt_n"][()]
        with concurrent.futures.ThreadPoolExecutor(len(new)) as pool:
            list(pool.map(lambda record: self.calibrate("--update", "calibrated.h5", record, "-q"), new))
        with h5py.File(self.folder / "calibrated.h5") as after:
            self.assertEqual(list(after["calibration/records"][()]), [records[0], records[1] + len(new)])
            self.assertEqual(after["heliostats/AA31/kinematics/deviations/first_joint_tilt_n"][()], mirror)
        self.assertEqual(self.leftovers(), ["calibrated.h5"])

    def test_refusals(self):
        cases = (
            (("--tower", TOWER, PAINT / "AA28", "-o", "c.h5"), "none of the 1 heliostats has a record"),
            ((PAINT, "-o", "c.h5"), "--tower"),
            (("--tower", TOWER, "-o", "c.h5"), "inputs: are not given"),
            (("--update", "c.h5"), "inputs: are not given"),
            (("--tower", TOWER, PAINT), "-o"),
            (("--tower", TOWER, PAINT, "-o", "c.h5", "--spot", "eye"), "--spot"),
            (("--tower", TOWER, PAINT, "-o", "c.h5", "--image", "c.jpg"), "c.jpg"),
            (("--tower", TOWER, PAINT, "-o", "c.h5", "--report", "c.txt"), "does not end in .html"),
            (("--tower", TOWER, PAINT, "-o", "c.csv"), "--output: 'c.csv' does not end in .h5 or .hdf5"),
            (("--update", "c.h5", self.record("AA39", 275564), "-o", "c.csv"), "--output: 'c.csv' does not end in .h5 or .hdf5"),
            (("--tower", TOWER, PAINT, "-o", "c.h5", "--ranks", "0"), "'0' is not a number of processes"),
            (("--update", "c.h5", self.record("AA39", 275564), "--report", "c.html"), "--update excludes --report"),
            (("--update", "c.h5", self.record("AA39", 275564), "--tower", TOWER), "--tower excludes --update"),
            (("--update", "c.h5", self.record("AA39", 275564), "--drives", "ideal"), "--drives excludes --update"),
            (("--update", "c.h5", self.record("AA39", 275564), "--parameters", "all"), "--parameters excludes --update"),
            (("--update", SOURCE / "configs/juelich.h5", self.record("AA39", 275564), "-o", "c.h5"), "has no group 'calibration'"),
        )
        for arguments, expected in cases:
            self.assertIn(expected, self.calibrate(*arguments, code=2).stderr)
        damaged = self.copy("AA39") / "AA39/Calibration/270398-flux.png"
        damaged.write_bytes(damaged.read_bytes()[:2000])
        text = self.calibrate("--tower", TOWER, self.folder / "paint", "-o", "c.h5", "--spot", "image", code=2).stderr
        self.assertIn("270398-flux.png", text)
        (self.folder / "bad.csv").write_text("heliostat,target\nAA39,receiver\n")
        text = self.calibrate("--tower", TOWER, PAINT / "AA39", "-o", "c.h5", "--records", "bad.csv", code=2).stderr
        self.assertIn("spot_east_m", text)


if __name__ == "__main__":
    unittest.main()
