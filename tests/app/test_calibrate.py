# SPDX-License-Identifier: MIT
"""The calibrate command: real records, predictions, updates, refusals."""

import csv
import datetime
import html.parser
import json
import math
import shutil
import unittest

import h5py
import numpy

from harness import SOURCE, ProgramTest, write_grey

TOWER = SOURCE / "configs/paint/tower-measurements.json"
PAINT = SOURCE / "tutorials/12_calibration/paint"


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


class Calibrate(ProgramTest):
    def calibrate(self, *arguments, code=0):
        done = self.run_program("calibrate", *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def calibrate_json(self, *arguments):
        return json.loads(self.calibrate("--tower", TOWER, *arguments, "-o", "calibrated.h5", "--json").stdout)

    def copy(self, *names):
        """Copies of heliostats that a test may damage."""
        for name in names:
            shutil.copytree(PAINT / name, self.folder / "paint" / name)
        return self.folder / "paint"

    def edit(self, path, change):
        data = json.loads(path.read_text())
        change(data)
        path.write_text(json.dumps(data))

    def record(self, heliostat, number):
        return PAINT / heliostat / "Calibration" / f"{number}-calibration-properties.json"

    def test_real_heliostats(self):
        result = self.calibrate_json(PAINT, "--image", "residuals.png")
        heliostats = result["heliostats"]
        self.assertEqual(sorted(heliostats), ["AA23", "AA28", "AA31", "AA39", "AU46"])
        # Records predicted from the others, all heliostats together.
        self.assertLess(result["left_out_mrad"]["median"], 1.0)
        self.assertLess(result["left_out_mrad"]["mean"], 1.5)
        self.assertGreater(result["coverage"]["p95"], 0.9)
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
        self.assertEqual(len(page.sources), 2)
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

    def test_splits_of_the_benchmark(self):
        rows = [("216331", "train"), ("240796", "train"), ("152144", "train"), ("194228", "test"), ("106293", "validation")]
        (self.folder / "split.csv").write_text("Id,HeliostatId,Split\n" + "".join(f"{n},AA23,{split}\n" for n, split in rows))
        one = self.calibrate_json(PAINT / "AA23", "--test", "split.csv")["heliostats"]["AA23"]
        self.assertEqual((one["used"], one["records"]), (3, 4))
        self.assertEqual(one["rejected"], [{"record": "213508", "reason": "not in the split"}])
        self.assertEqual(sorted(t["record"] for t in one["test"]), ["106293", "194228"])

    def test_a_table_gives_what_its_records_give(self):
        reference = self.calibrate_json(PAINT / "AU46")["heliostats"]["AU46"]
        self.table_of("AU46")
        properties = PAINT / "AU46/Properties/AU46-heliostat-properties.json"
        one = self.calibrate_json(properties, "--records", "records.csv")["heliostats"]["AU46"]
        for name, (value, sigma) in reference["parameters"].items():
            self.assertAlmostEqual(one["parameters"][name][0], value, delta=1e-3 * sigma, msg=name)

    def test_spots_of_images(self):
        spots = {}
        for method in ("utis", "image"):
            one = self.calibrate_json(PAINT / "AA39", "--spot", method)["heliostats"]["AA39"]
            spots[method] = {c["record"]: c["measured_m"] for c in one["left_out"]}
        self.assertEqual(sorted(spots["image"]), ["270398", "275564"])
        self.assertEqual(one["records"], 13)
        self.assertIn({"record": "205363", "reason": "no image '205363-flux.png'"}, one["rejected"])
        for number, spot in spots["image"].items():
            self.assertLess(math.dist(spot, spots["utis"][number]), 0.15)

    def test_updates(self):
        new = self.record("AA39", 275564)
        self.calibrate_json(PAINT / "AA39", "--test", new)
        updated = json.loads(self.calibrate("--update", "calibrated.h5", new, self.record("AA39", 100733), "-o", "updated.h5", "--json").stdout)
        by_record = {u["record"]: u for u in updated["heliostats"]["AA39"]["updates"]}
        self.assertIsNone(by_record["275564"]["rejected"])
        self.assertIn("outlier", by_record["100733"]["rejected"])
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
        # Without -o the file itself changes.
        self.calibrate("--update", "calibrated.h5", new)
        with h5py.File(self.folder / "calibrated.h5") as after:
            self.assertEqual(after["calibration/records"][0], 12)

    def test_a_record_counts_once(self):
        """A second copy is listed with its reason and changes nothing, on one line and from one run to the next."""
        given_once = self.calibrate_json(PAINT / "AA39")["heliostats"]["AA39"]
        once = (self.folder / "calibrated.h5").read_bytes()
        new = self.record("AA39", 275564)
        # The records of the folder once more, in a table.
        copies = self.table_of("AA39")
        twice = self.calibrate_json(PAINT / "AA39", "--records", copies)["heliostats"]["AA39"]
        self.assertEqual((self.folder / "calibrated.h5").read_bytes(), once)
        self.assertEqual([r["reason"] for r in twice["rejected"]].count("given twice: a record counts once"), 12)
        self.assertEqual(twice["parameters"], given_once["parameters"])

        self.calibrate_json(PAINT / "AA39", "--test", new)
        self.calibrate("--update", "calibrated.h5", new, "-o", "once.h5")
        states = {}
        for name, arguments in (("line", ("calibrated.h5", new, new)), ("again", ("once.h5", new))):
            done = self.calibrate("--update", *arguments, "-o", f"{name}.h5", "--json")
            updates = json.loads(done.stdout)["heliostats"]["AA39"]["updates"]
            states[name] = [u["rejected"] for u in updates]
            self.assertEqual((self.folder / f"{name}.h5").read_bytes(), (self.folder / "once.h5").read_bytes())
        self.assertEqual(states, {"line": ["given twice: a record counts once", None], "again": ["counted before: a record counts once"]})
        # One that was fitted is known, too; one that was rejected is judged again.
        done = self.calibrate("--update", "calibrated.h5", self.record("AA39", 270398), self.record("AA39", 100733), "-o", "other.h5", "--json")
        by_record = {u["record"]: u["rejected"] for u in json.loads(done.stdout)["heliostats"]["AA39"]["updates"]}
        self.assertEqual(by_record["270398"], "counted before: a record counts once")
        self.assertIn("outlier", by_record["100733"])
        # Two records of one name with other numbers are no copies.
        copies.write_text(copies.read_text().replace(",20", ",21"))
        text = self.calibrate("--tower", TOWER, PAINT / "AA39", "--records", copies, "-o", "bad.h5", code=2).stderr
        self.assertRegex(text, r"a second record '\d+' of 'AA39' with other numbers")

    def table_of(self, heliostat, *numbers, name="records.csv", ids=True):
        """A table of PAINT's records, with the spots that the program reads from them."""
        made = self.run_program("calibrate", "--tower", TOWER, PAINT / heliostat, "-o", "for_table.h5", "--json")
        spots = {c["record"]: c["measured_m"] for c in json.loads(made.stdout)["heliostats"][heliostat]["left_out"]}
        with open(self.folder / name, "w", newline="") as file:
            table = csv.writer(file)
            table.writerow([*(["record"] if ids else []), "heliostat", "target", "axis_1_motor_position", "axis_2_motor_position",
                            "sun_azimuth_deg", "sun_elevation_deg", "spot_east_m", "spot_north_m", "spot_up_m"])
            for number in numbers or sorted(spots):
                data = json.loads(self.record(heliostat, number).read_text())
                table.writerow([*([number] if ids else []), heliostat, data["target_name"], *data["motor_position"].values(),
                                180 - data["sun_azimuth"], data["sun_elevation"], *spots[str(number)]])
        return self.folder / name

    def test_rows_without_names_are_known_by_their_numbers(self):
        """A line number is no name: line 2 of another table is another record, and the same row is known in any line."""
        first = self.table_of("AU46", *(p.name.split("-")[0] for p in sorted((PAINT / "AU46/Calibration").glob("*.json"))), ids=False)
        lines = first.read_text().splitlines()
        (self.folder / "start.csv").write_text("\n".join(lines[:5]) + "\n")
        (self.folder / "more.csv").write_text("\n".join([lines[0], lines[5], lines[2]]) + "\n")
        properties = PAINT / "AU46/Properties/AU46-heliostat-properties.json"
        self.calibrate_json(properties, "--records", "start.csv")
        updates = json.loads(self.calibrate("--update", "calibrated.h5", "more.csv", "--json").stdout)["heliostats"]["AU46"]["updates"]
        self.assertEqual([(u["record"], u["rejected"]) for u in updates],
                         [("line 2", None), ("line 3", "counted before: a record counts once")])
        one = self.calibrate_json(properties, "--records", "start.csv", "more.csv")["heliostats"]["AU46"]
        self.assertEqual((one["used"], one["rejected"]), (5, [{"record": "line 3", "reason": "given twice: a record counts once"}]))

    def test_the_state_lists_records_and_epochs(self):
        paint = self.copy("AA39")
        item = {"properties": {"datetime": "2023-05-01Z10:00:00Z"}}
        (paint / "AA39/Calibration/270398-calibration-item-stac.json").write_text(json.dumps(item))
        self.calibrate_json(PAINT / "AA28", paint, "--test", self.record("AA39", 275564))
        self.calibrate("--update", "calibrated.h5", self.record("AA39", 275564))
        with h5py.File(self.folder / "calibrated.h5") as file:
            state = file["calibration"]
            self.assertEqual(list(state["epochs"][()]), [1, 2])
            records = [r.decode() for r in state["record"][()]]
            self.assertEqual(len(records), state["records"][1])
            self.assertEqual(list(state["record_heliostat"][()]), [1] * len(records))
            epochs = dict(zip(records, state["record_epoch"][()]))
            self.assertEqual(sorted(r for r, epoch in epochs.items() if epoch == 0), ["151375", "156500", "158378"])
            self.assertEqual(epochs["275564"], 1)
            days = dict(zip(records, state["record_day"][()]))
            self.assertAlmostEqual(days.pop("270398"), 2460065.5 + 10 / 24, places=6)
            self.assertTrue(all(math.isnan(day) for day in days.values()))
        # A state of version 0.2.0 lists none and is read all the same; a damaged one is refused.
        with h5py.File(self.folder / "calibrated.h5", "a") as file:
            file["calibration/record_heliostat"][0] = 7
        text = self.calibrate("--update", "calibrated.h5", self.record("AA39", 270398), code=2).stderr
        self.assertIn("record_heliostat", text)
        with h5py.File(self.folder / "calibrated.h5", "a") as file:
            for name in ("epochs", "record", "record_heliostat", "record_epoch", "record_day"):
                del file["calibration"][name]
        updated = json.loads(self.calibrate("--update", "calibrated.h5", self.record("AA39", 270398), "--json").stdout)
        self.assertIsNone(updated["heliostats"]["AA39"]["updates"][0]["rejected"])

    def test_folders_of_the_benchmark(self):
        """The layout of paint-csp's downloader: splits hold the records of all heliostats, named by their numbers alone."""
        rows = [("216331", "AA23", "train"), ("240796", "AA23", "train"), ("152144", "AA23", "train"), ("194228", "AA23", "test"),
                ("106293", "AA23", "validation"), ("275564", "AA39", "train"), ("270398", "AA39", "test")]
        root = self.folder / "benchmark_split-azimuth_train-10_validation-30"
        for number, heliostat, split in rows:
            (root / split).mkdir(parents=True, exist_ok=True)
            shutil.copy(self.record(heliostat, number), root / split)
        (self.folder / "split.csv").write_text("Id,HeliostatId,Split\n" + "".join(f"{','.join(row)}\n" for row in rows))
        properties = [PAINT / f"{name}/Properties/{name}-heliostat-properties.json" for name in ("AA23", "AA39")]
        result = self.calibrate_json(*properties, root, "--test", "split.csv")["heliostats"]
        self.assertEqual({name: (one["records"], one["used"]) for name, one in result.items()}, {"AA23": (3, 3), "AA39": (1, 1)})
        self.assertEqual({name: sorted(t["record"] for t in one["test"]) for name, one in result.items()},
                         {"AA23": ["106293", "194228"], "AA39": ["270398"]})
        # The same records from folders of heliostats give the same.
        rest = "".join(f"{','.join(row)}\n" for row in rows if row[1] == "AA23")
        (self.folder / "AA23.csv").write_text("Id,HeliostatId,Split\n" + rest)
        alone = self.calibrate_json(PAINT / "AA23", "--test", "AA23.csv")["heliostats"]["AA23"]
        self.assertEqual(sorted(r["record"] for r in alone["rejected"]), ["213508"])
        one = self.calibrate_json(properties[0], root, "--test", "split.csv")["heliostats"]
        self.assertEqual(list(one), ["AA23"])
        self.assertEqual(one["AA23"]["parameters"], alone["parameters"])
        # One split alone; records of train are taken in, others predicted.
        done = json.loads(self.calibrate("--update", "calibrated.h5", root, "--test", "split.csv", "--json").stdout)
        self.assertEqual({u["record"]: u["rejected"] for u in done["heliostats"]["AA23"]["updates"]},
                         {**{n: "counted before: a record counts once" for n in ("216331", "240796", "152144")},
                          **{n: "a record of the test is only predicted" for n in ("194228", "106293")}})
        only = self.calibrate_json(properties[0], root / "train", "--test", "split.csv")["heliostats"]["AA23"]
        self.assertEqual((only["used"], only["test"]), (3, []))

        def refused(*arguments):
            text = self.calibrate("--tower", TOWER, *arguments, "-o", "bad.h5", code=2).stderr
            self.assertEqual(text.strip().count("\n"), 0, text)
            return text
        self.assertIn("nothing tells the heliostat of 7 record(s)", refused(*properties, root))
        (self.folder / "other.csv").write_text("Id,HeliostatId,Split\n" + "".join(f"{','.join(row)}\n" for row in rows).replace("240796,AA23,train", "240796,AA23,test"))
        self.assertIn("lies in 'train', its row says 'test'", refused(*properties, root, "--test", "other.csv"))
        self.assertIn("no heliostat", refused(root, "--test", "split.csv"))

    def test_a_picture_without_light_is_a_rejected_record(self):
        paint = self.copy("AA39")
        records = paint / "AA39/Calibration"
        for number, grey in (("205363", 0), ("209075", 90)):
            write_grey(records / f"{number}-flux.png", numpy.full((64, 64), grey, numpy.uint8))
        one = self.calibrate_json(paint, "--spot", "image")["heliostats"]["AA39"]
        reasons = {r["record"]: r["reason"] for r in one["rejected"]}
        for number in ("205363", "209075"):
            self.assertEqual(reasons[number], f"'{number}-flux.png' shows no spot above its background")
        self.assertEqual((one["records"], one["used"]), (13, 2))

    def test_times_of_the_catalogue_order_the_records(self):
        paint = self.copy("AA39")
        records = paint / "AA39/Calibration"
        for path in sorted(records.glob("*.json")):
            number = path.name.split("-")[0]
            # The newer, the lower the number: the change in time is seen from its other side.
            taken = datetime.datetime(2020, 1, 1, 10) + datetime.timedelta(days=(300000 - int(number)) / 100)
            item = {"properties": {"datetime": f"{taken:%Y-%m-%dZ%H:%M:%SZ}"}}
            (records / f"{number}-calibration-item-stac.json").write_text(json.dumps(item))
        one = self.calibrate_json(paint)["heliostats"]["AA39"]
        self.assertEqual([(e["last_before"], e["record"]) for e in one["epoch_starts"]], [("177577", "158378")])
        with h5py.File(self.folder / "calibrated.h5") as file:
            self.assertGreater(file["calibration/last_day"][0], 2.4588e6)

    def test_drives_called_ideal(self):
        result = self.run_program("calibrate", "--tower", TOWER, PAINT / "AA28", PAINT / "AA31", "-o", "calibrated.h5")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("taken as linear", result.stderr)
        with h5py.File(self.folder / "calibrated.h5") as file:
            self.assertEqual(len(file["calibration/heliostat"]), 2)

    def test_bad_records_are_reported_together(self):
        paint = self.copy("AA39")
        records = paint / "AA39/Calibration"
        self.edit(records / "205363-calibration-properties.json", lambda r: r.pop("sun_azimuth"))
        self.edit(records / "209075-calibration-properties.json", lambda r: r.update(target_name="multi_focus"))
        (records / "218385-calibration-properties.json").write_text("{")
        text = self.calibrate("--tower", TOWER, paint, "-o", "calibrated.h5", code=2).stderr
        for part in ("205363-calibration-properties.json: sun_azimuth: is missing", "there is no target 'multi_focus'",
                     "did you mean 'multi_focus_tower'", "218385-calibration-properties.json: is not valid JSON"):
            self.assertIn(part, text)
        self.assertFalse((self.folder / "calibrated.h5").exists())

    def test_records_without_a_sun(self):
        paint = self.copy("AA39")
        records = paint / "AA39/Calibration"
        self.edit(records / "205363-calibration-properties.json", lambda r: r.update(sun_azimuth=None))
        self.edit(records / "209075-calibration-properties.json", lambda r: r.update(sun_elevation=-5))
        self.edit(records / "218385-calibration-properties.json", lambda r: r.pop("motor_position"))
        text = self.calibrate("--tower", TOWER, paint, "-o", "calibrated.h5", code=2).stderr
        lines = text.strip().splitlines()
        self.assertEqual(len(lines), 3, text)
        for line, part in zip(lines, ("205363-calibration-properties.json: sun_azimuth: null is not a number",
                                      "209075-calibration-properties.json: sun_elevation: is -5",
                                      "218385-calibration-properties.json: motor_position: is missing")):
            self.assertIn(part, line)
        columns = "heliostat,record,target,axis_1_motor_position,axis_2_motor_position,spot_east_m,spot_north_m,spot_up_m"
        row = "AA39,1,multi_focus_tower,20000,40000,-17,-2.7,52"
        for extra, value, expected in (("", "", "has neither the column time nor sun_azimuth_deg"),
                                       (",sun_azimuth_deg,sun_elevation_deg", ",180,", "records.csv:2: sun_elevation_deg: '' is not a number"),
                                       (",time", ",2024-06-01T23:00:00Z", "records.csv:2: time: the sun is below the horizon then")):
            (self.folder / "records.csv").write_text(f"{columns}{extra}\n{row}{value}\n")
            text = self.calibrate("--tower", TOWER, PAINT / "AA39", "--records", "records.csv", "-o", "calibrated.h5", code=2).stderr
            self.assertIn(expected, text)
            self.assertEqual(text.strip().count("\n"), 0, text)
        self.assertFalse((self.folder / "calibrated.h5").exists())

    def test_a_thousand_heliostats_without_records(self):
        text = (PAINT / "AA28/Properties/AA28-heliostat-properties.json").read_text()
        for i in range(1000):
            folder = self.folder / f"paint/AB{i:03d}/Properties"
            folder.mkdir(parents=True)
            (folder / f"AB{i:03d}-heliostat-properties.json").write_text(text)
        refused = self.calibrate("-q", "--tower", TOWER, self.folder / "paint", "-o", "none.h5", code=2).stderr
        self.assertEqual(refused.strip().count("\n"), 0, refused)
        self.assertIn("none of the 1000 heliostats has a record", refused)
        # One that has some is seen among them, and all are in the scenario.
        self.copy("AA39")
        done = self.calibrate("--tower", TOWER, self.folder / "paint", "-o", "calibrated.h5")
        self.assertRegex(done.stdout, r"AA39 +13 +12 +2")
        self.assertIn("1000 heliostat(s) without records keep their kinematics", done.stdout)
        self.assertNotIn("AB001", done.stdout)
        with h5py.File(self.folder / "calibrated.h5") as file:
            self.assertEqual((len(file["heliostats"]), sum(file["calibration/records"][()] > 0)), (1001, 1))

    def test_records_that_cannot_count_are_listed(self):
        paint = self.copy("AA39")
        records = paint / "AA39/Calibration"
        self.edit(records / "205363-calibration-properties.json", lambda r: r["motor_position"].update(axis_1_motor_position=99999))
        self.edit(records / "209075-calibration-properties.json", lambda r: r["focal_spot"].pop("UTIS"))
        one = self.calibrate_json(paint)["heliostats"]["AA39"]
        reasons = {r["record"]: r["reason"] for r in one["rejected"]}
        self.assertIn("impossible motor position: 99999 of axis 1 lies outside 0 to 68745", reasons["205363"])
        self.assertEqual(reasons["209075"], "no focal spot by UTIS")
        self.assertEqual((one["records"], one["used"]), (13, 10))

    def test_one_record_is_enough(self):
        paint = self.copy("AA39")
        for path in (paint / "AA39/Calibration").iterdir():
            if not path.name.startswith("270398"):
                path.unlink()
        one = self.calibrate_json(paint)["heliostats"]["AA39"]
        self.assertEqual((one["records"], one["used"], one["rejected"]), (1, 1, []))

    def test_refusals(self):
        cases = (
            (("--tower", TOWER, PAINT / "AA28", "-o", "c.h5"), "none of the 1 heliostats has a record"),
            ((PAINT, "-o", "c.h5"), "--tower"),
            (("--tower", TOWER, PAINT), "-o"),
            (("--tower", TOWER, PAINT, "-o", "c.h5", "--spot", "eye"), "--spot"),
            (("--tower", TOWER, PAINT, "-o", "c.h5", "--image", "c.jpg"), "c.jpg"),
            (("--tower", TOWER, PAINT, "-o", "c.h5", "--report", "c.txt"), "does not end in .html"),
            (("--tower", TOWER, PAINT, "-o", "c.csv"), "--output: 'c.csv' does not end in .h5 or .hdf5"),
            (("--update", "c.h5", self.record("AA39", 275564), "-o", "c.csv"), "--output: 'c.csv' does not end in .h5 or .hdf5"),
            (("--tower", TOWER, PAINT, "-o", "c.h5", "--ranks", "0"), "'0' is not a number of processes"),
            (("--update", "c.h5", self.record("AA39", 275564), "--report", "c.html"), "--update excludes --report"),
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
