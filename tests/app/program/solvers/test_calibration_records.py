# SPDX-License-Identifier: MIT
"""The records of the calibrate command: where they come from, which ones count, what the state remembers of them."""

import datetime
import json
import math
import shutil
import unittest

import h5py
import numpy

from calibration_case import PAINT, TOWER, CalibrateTest
from harness import write_grey


class Records(CalibrateTest):
    def test_splits_of_the_benchmark(self):
        rows = [("216331", "train"), ("240796", "train"), ("152144", "train"), ("194228", "test"), ("106293", "validation")]
        (self.folder / "split.csv").write_text("Id,HeliostatId,Split\n" + "".join(f"{n},AA23,{split}\n" for n, split in rows))
        one = self.calibrate_json(PAINT / "AA23", "--test", "split.csv")["heliostats"]["AA23"]
        self.assertEqual((one["used"], one["records"]), (3, 4))
        self.assertEqual(one["rejected"], [{"record": "213508", "reason": "not in the split"}])
        self.assertEqual(sorted(t["record"] for t in one["test"]), ["106293", "194228"])

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

    def test_a_table_gives_what_its_records_give(self):
        reference = self.calibrate_json(PAINT / "AU46")["heliostats"]["AU46"]
        self.table_of("AU46")
        properties = PAINT / "AU46/Properties/AU46-heliostat-properties.json"
        one = self.calibrate_json(properties, "--records", "records.csv")["heliostats"]["AU46"]
        for name, (value, sigma) in reference["parameters"].items():
            self.assertAlmostEqual(one["parameters"][name][0], value, delta=1e-3 * sigma, msg=name)

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
        # One that was fitted is known, too; one that was rejected is not, and older than the last change of the drives.
        done = self.calibrate("--update", "calibrated.h5", self.record("AA39", 270398), self.record("AA39", 100733), "-o", "other.h5", "--json")
        by_record = {u["record"]: u["rejected"] for u in json.loads(done.stdout)["heliostats"]["AA39"]["updates"]}
        self.assertEqual(by_record["270398"], "counted before: a record counts once")
        self.assertIn("older than the state", by_record["100733"])
        # Two records of one name with other numbers are no copies.
        head, row, *_ = copies.read_text().splitlines()
        cells = row.split(",")
        cells[3] = str(int(cells[3]) + 1)
        copies.write_text(f"{head}\n{','.join(cells)}\n")
        text = self.calibrate("--tower", TOWER, PAINT / "AA39", "--records", copies, "-o", "bad.h5", code=2).stderr
        self.assertRegex(text, r"a second record '\d+' of 'AA39' with other numbers")

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

    def test_a_copy_under_another_name_counts_once(self):
        paint = self.copy("AA39") / "AA39/Calibration"
        shutil.copy(paint / "275564-calibration-properties.json", paint / "300000-calibration-properties.json")
        one = self.calibrate_json(self.folder / "paint")["heliostats"]["AA39"]
        self.assertIn({"record": "300000", "reason": "the same measurement as '275564': it counts once"}, one["rejected"])
        self.assertEqual(one["parameters"], self.calibrate_json(PAINT / "AA39")["heliostats"]["AA39"]["parameters"])
        # What is only predicted is not fitted under another name.
        test = paint / "275564-calibration-properties.json"
        one = self.calibrate_json(self.folder / "paint", "--test", test)["heliostats"]["AA39"]
        self.assertEqual(([t["record"] for t in one["test"]], one["used"]), (["275564"], 11))

    def test_updates_know_the_last_epoch(self):
        """The state holds the drives as they stood since they were set to zero anew: what is older, or between, changes nothing."""
        paint, new = self.copy("AA39") / "AA39/Calibration", self.folder / "AA39"
        new.mkdir()
        for number in ("156500", "275564"):
            shutil.move(paint / f"{number}-calibration-properties.json", new)
        # Another one of a time between both epochs.
        self.edit(shutil.copy(new / "156500-calibration-properties.json", new / "165000-calibration-properties.json"),
                  lambda r: r["motor_position"].update(axis_1_motor_position=r["motor_position"]["axis_1_motor_position"] + 1))
        self.calibrate_json(self.folder / "paint")
        before = (self.folder / "calibrated.h5").read_bytes()
        for number, expected in (("156500", "older than the state"), ("165000", "of a time when it is not known")):
            done = json.loads(self.calibrate("--update", "calibrated.h5", new / f"{number}-calibration-properties.json", "-o", "older.h5", "--json").stdout)
            reason = done["heliostats"]["AA39"]["updates"][0]["rejected"]
            self.check_message("calibration", f"rejected record {number}", reason, expected, "calibrate from the records again")
            self.assertEqual((self.folder / "older.h5").read_bytes(), before)
        # A record of a test says it, too; one of the last epoch counts.
        done = json.loads(self.calibrate("--update", "calibrated.h5", new / "275564-calibration-properties.json",
                                         "--test", new / "156500-calibration-properties.json", "--json").stdout)
        by_record = {u["record"]: u["rejected"] for u in done["heliostats"]["AA39"]["updates"]}
        self.assertIsNone(by_record["275564"])
        self.check_message("calibration", "rejected record of the test", by_record["156500"], "only predicted; older than the state")

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

    def test_a_picture_without_light_is_a_rejected_record(self):
        paint = self.copy("AA39")
        records = paint / "AA39/Calibration"
        # Half of a spot lies beyond the rim.
        row, column = numpy.mgrid[:64, :64]
        cut = 20 + 200 * numpy.exp(-((row - 30) ** 2 + (column - 1) ** 2) / (2 * 6 ** 2))
        write_grey(records / "218385-flux.png", cut.astype(numpy.uint8))
        for number, grey in (("205363", 0), ("209075", 90)):
            write_grey(records / f"{number}-flux.png", numpy.full((64, 64), grey, numpy.uint8))
        one = self.calibrate_json(paint, "--spot", "image")["heliostats"]["AA39"]
        reasons = {r["record"]: r["reason"] for r in one["rejected"]}
        for number in ("205363", "209075"):
            self.assertEqual(reasons[number], f"'{number}-flux.png' shows no spot above its background")
        self.assertIn("'218385-flux.png' shows a spot that its rim cuts off", reasons["218385"])
        self.assertEqual((one["records"], one["used"]), (13, 2))

    def test_all_bits_of_a_picture_count(self):
        """A camera of 12 bits whose spot has a faint side, which 8 of its 16 bits do not show."""
        paint = self.copy("AA39")
        records = paint / "AA39/Calibration"
        row, column = numpy.mgrid[:64, :64]
        light = numpy.exp(-((row - 30) ** 2 + (column - 28) ** 2) / 50) + 0.45 * numpy.exp(-((row - 30) ** 2 + (column - 38) ** 2) / 50)
        spots = []
        for picture in (numpy.rint(60000 * light).astype(numpy.uint16), numpy.rint(500 * light).astype(numpy.uint16),
                        (numpy.rint(500 * light).astype(numpy.uint16) >> 8).astype(numpy.uint8) * 200):
            write_grey(records / "270398-flux.png", picture)
            one = self.calibrate_json(paint, "--spot", "image")["heliostats"]["AA39"]
            spots.append({c["record"]: c["measured_m"] for c in one["left_out"]}["270398"])
        exact, all_bits, few_bits = spots
        self.assertLess(math.dist(exact, all_bits), 0.002)
        self.assertGreater(math.dist(exact, few_bits), 0.02)

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

    def test_steps_of_ideal_drives_are_no_angles(self):
        paint = self.copy("AA39")
        properties = paint / "AA39/Properties/AA39-heliostat-properties.json"
        properties.write_text(properties.read_text().replace('"linear"', '"ideal"'))
        self.assertEqual(self.calibrate_json(paint)["heliostats"]["AA39"]["used"], 12)
        forced = self.calibrate_json(paint, "--drives", "ideal")["heliostats"]["AA39"]
        self.assertEqual((forced["records"], forced["used"]), (13, 0))
        self.assertEqual({r["reason"].split(": ")[0] for r in forced["rejected"]}, {"impossible motor position"})
        self.assertIn("an ideal drive that counts radians", forced["rejected"][0]["reason"])

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
        for line, parts in zip(lines, (("205363-", "sun_azimuth: null"), ("209075-", "sun_elevation: is -5"), ("218385-", "motor_position: is missing"))):
            self.check_message("calibration", f"record with {parts[1].replace(': ', ' ')}", line, *parts)
        columns = "heliostat,record,target,axis_1_motor_position,axis_2_motor_position,spot_east_m,spot_north_m,spot_up_m"
        row = "AA39,1,multi_focus_tower,20000,40000,-17,-2.7,52"
        for extra, value, expected in (("", "", "has neither the column time nor sun_azimuth_deg"),
                                       (",sun_azimuth_deg,sun_elevation_deg", ",180,", "records.csv:2: sun_elevation_deg: '' is not a number"),
                                       (",time", ",2024-06-01T23:00:00Z", "records.csv:2: time: the sun is below the horizon then")):
            (self.folder / "records.csv").write_text(f"{columns}{extra}\n{row}{value}\n")
            text = self.calibrate("--tower", TOWER, PAINT / "AA39", "--records", "records.csv", "-o", "calibrated.h5", code=2).stderr
            self.check_message("calibration", f"table of records with columns {extra or 'without a sun'}", text, expected)
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
        self.check_message("calibration", "no heliostat has a record", refused, "none of the 1000 heliostats")
        # One that has some is seen among them, and all are in the scenario.
        self.copy("AA39")
        done = self.calibrate("--tower", TOWER, self.folder / "paint", "-o", "calibrated.h5")
        self.assertRegex(done.stdout, r"AA39 +13 +12 +2")
        self.assertIn("1000 heliostat(s) without records keep their kinematics", done.stdout)
        self.assertNotIn("AB001", done.stdout)
        # Measuring one of those helps most, also in a large field.
        self.assertRegex(done.stdout, r"measure next +AB000 .*azimuth \d+.*elevation \d+.* mrad")
        with h5py.File(self.folder / "calibrated.h5") as file:
            self.assertEqual((len(file["heliostat_columns/heliostat/position"]), sum(file["calibration/records"][()] > 0)), (1001, 1))

    def test_records_that_cannot_count_are_listed(self):
        paint = self.copy("AA39")
        records = paint / "AA39/Calibration"
        self.edit(records / "205363-calibration-properties.json", lambda r: r["motor_position"].update(axis_1_motor_position=99999))
        self.edit(records / "209075-calibration-properties.json", lambda r: r["focal_spot"].pop("UTIS"))
        one = self.calibrate_json(paint)["heliostats"]["AA39"]
        reasons = {r["record"]: r["reason"] for r in one["rejected"]}
        self.check_message("calibration", "impossible motor position", reasons["205363"], "motor position: 99999 of axis 1", "0 to 68745")
        self.assertEqual(reasons["209075"], "no focal spot by UTIS")
        self.assertEqual((one["records"], one["used"]), (13, 10))

    def test_records_without_properties_are_named(self):
        """They belong to no heliostat that could be calibrated, and are not passed over in silence."""
        paint = self.copy("AA31", "AA39")
        shutil.rmtree(paint / "AA31/Properties")
        done = self.calibrate("--tower", TOWER, paint, "-o", "calibrated.h5", "--json")
        remark = next(r for r in json.loads(done.stdout)["remarks"] if "AA31" in r)
        self.check_message("calibration", "records without properties", remark, "AA31: 7 ", "left out", "add Properties/AA31-heliostat-properties.json")
        self.assertIn(remark, self.calibrate("--tower", TOWER, paint, "-o", "calibrated.h5").stderr)

    def test_tables_stand_among_the_inputs(self):
        self.table_of("AU46")
        properties = PAINT / "AU46/Properties/AU46-heliostat-properties.json"
        named = self.calibrate_json(properties, "--records", "records.csv")["heliostats"]["AU46"]
        self.assertEqual(self.calibrate_json(properties, "records.csv")["heliostats"]["AU46"], named)

    def test_records_that_no_kinematics_explain(self):
        paint = self.copy("AU46")
        for path in (paint / "AU46/Calibration").glob("*.json"):
            self.edit(path, lambda r: r.update(sun_azimuth=-r["sun_azimuth"]))
        one = self.calibrate_json(paint)["heliostats"]["AU46"]
        self.assertRegex(" ".join(one["remarks"]), r"no kinematics explain its records.* \d+\.\d mrad")
        sound = self.calibrate_json(PAINT)["heliostats"]
        self.assertNotIn("no kinematics", json.dumps([one["remarks"] for one in sound.values()]))

    def test_one_record_is_enough(self):
        paint = self.copy("AA39")
        for path in (paint / "AA39/Calibration").iterdir():
            if not path.name.startswith("270398"):
                path.unlink()
        one = self.calibrate_json(paint)["heliostats"]["AA39"]
        self.assertEqual((one["records"], one["used"], one["rejected"]), (1, 1, []))


if __name__ == "__main__":
    unittest.main()
