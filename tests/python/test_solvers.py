# SPDX-License-Identifier: MIT
"""hr.calibrate and hr.reconstruct: the program's numbers, and plants that go on being traced."""

import pathlib
import pickle
import shutil
import tempfile
import unittest

from package import SOURCE, check_pickled_fit, hr, needs, program, refusal

TOWER = SOURCE / "configs/paint/tower-measurements.json"
SPOTS = SOURCE / "tutorials/12_calibration/paint"
IMAGES = SOURCE / "tests/data/paint"


class InAFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


def without_seconds(facts):
    return {key: value for key, value in facts.items() if key not in ("seconds", "output")}


class Calibrations(InAFolder):
    def record(self, number):
        return SPOTS / f"AA39/Calibration/{number}-calibration-properties.json"

    def test_numbers_and_files_are_the_programs(self):
        test = self.record(275564)
        there = program("calibrate", "--tower", TOWER, SPOTS / "AA39", "--test", test, "-o", "there.h5", folder=self.folder)
        here = hr.calibrate(SPOTS / "AA39", tower=TOWER, test=test)
        self.assertEqual(without_seconds(here.facts), without_seconds(there))
        here.write(self.folder / "here.h5")
        self.assertEqual(hr.read(self.folder / "here.h5"), hr.read(self.folder / "there.h5"))
        self.assertEqual(here.plant, hr.read(self.folder / "there.h5"))
        self.assertIn("AA39", here.summary)
        # The mirrors of the program's file are the same flat facets.
        self.assertEqual(hr.calibrate(SPOTS / "AA39", tower=TOWER, test=test, mirrors=self.folder / "there.h5").plant, here.plant)
        # A record more, in both.
        more = program("calibrate", "--update", "there.h5", test, "-o", "more.h5", folder=self.folder)["heliostats"]["AA39"]["updates"]
        updated = hr.calibrate(test, update=self.folder / "here.h5")
        for one, other in zip(updated.facts["heliostats"]["AA39"]["updates"], more):
            self.assertEqual({**one, "milliseconds": 0, "seconds": 0}, {**other, "milliseconds": 0, "seconds": 0})
        self.assertEqual(updated.plant, hr.read(self.folder / "more.h5"))
        self.assertNotEqual(updated.plant, here.plant)
        for one in (updated, pickle.loads(pickle.dumps(updated))):
            self.assertEqual((one.facts, one.summary, one.plant), (updated.facts, updated.summary, updated.plant))
            with self.assertRaisesRegex(hr.InputError, "no picture"):
                one.plot()
            with self.assertRaisesRegex(hr.InputError, "no report"):
                one.report()
        # Plants keep the state that the next update needs.
        hr.read(self.folder / "here.h5").write(self.folder / "copy.h5")
        again = hr.calibrate(test, update=self.folder / "copy.h5")
        self.assertEqual(again.plant, updated.plant)

    def test_updates_read_what_the_program_reads(self):
        """A benchmark's folder with the table of its split, and NAME=FILE."""
        hr.calibrate(SPOTS / "AA39", tower=TOWER, test=[self.record(275564), self.record(270398)]).write(self.folder / "start.h5")
        for number, split in ((275564, "train"), (270398, "test")):
            (self.folder / "benchmark" / split).mkdir(parents=True)
            shutil.copy(self.record(number), self.folder / "benchmark" / split)
        table = self.folder / "split.csv"
        table.write_text("Id,HeliostatId,Split\n275564,AA39,train\n270398,AA39,test\n")
        start = self.folder / "start.h5"
        there = program("calibrate", "--update", start, "benchmark", "--test", table, "-o", "there.h5", folder=self.folder)["heliostats"]["AA39"]["updates"]
        here = hr.calibrate(self.folder / "benchmark", update=start, test=table)
        self.assertEqual([(u["record"], u["rejected"]) for u in there], [("275564", None), ("270398", "a record of the test is only predicted")])
        for one, other in zip(here.facts["heliostats"]["AA39"]["updates"], there):
            self.assertEqual({**one, "milliseconds": 0}, {**other, "milliseconds": 0})
        self.assertEqual(here.plant, hr.read(self.folder / "there.h5"))
        named = hr.calibrate(f"AA39={self.folder}/benchmark/train/275564-calibration-properties.json", update=start)
        self.assertEqual(named.plant, here.plant)
        with self.assertRaisesRegex(hr.InputError, "nothing tells the heliostat of 2 record"):
            hr.calibrate(self.folder / "benchmark", update=start)

    def test_names_of_files_have_the_ending_of_their_kind(self):
        plant = hr.generate(SOURCE / "configs/field.yaml", heliostats=2)
        for call, where, ending in ((lambda: plant.write("a.csv"), "plant.write", ".h5"), (lambda: plant.write("a"), "plant.write", ".h5"),
                                    (lambda: hr.calibrate(SPOTS / "AA39", tower=TOWER).write("a.json"), "calibration.write", ".h5"),
                                    (lambda: hr.calibrate(SPOTS / "AA39", tower=TOWER).report("a.h5"), "calibration.report", ".html"),
                                    (lambda: hr.aim(plant, output="a.h5"), "hr.aim: output", ".csv"),
                                    (lambda: hr.annual(plant, output="a.csv"), "hr.annual: output", ".h5"),
                                    (lambda: hr.efficiency(plant, output="a.csv"), "hr.efficiency: output", ".h5")):
            with self.assertRaisesRegex(hr.InputError, f"^{where}: 'a[.a-z0-9]*' does not end in {ending}"):
                call()
        plant.write(self.folder / "PLANT.HDF5")
        self.assertEqual(hr.read(self.folder / "PLANT.HDF5").targets, plant.targets)

    def test_report(self):
        calibration = hr.calibrate(SPOTS / "AA39", tower=TOWER)
        page = calibration.report(self.folder / "drives.html", title="Drives of AA39")
        self.assertEqual((self.folder / "drives.html").read_text(encoding="utf-8"), page)
        self.assertIn("<h1>Drives of AA39</h1>", page)
        self.assertIn("<h1>Kinematics from measured spots</h1>", calibration.report())
        again = check_pickled_fit(self, calibration, self.folder)
        self.assertEqual((again.plant, again.summary), (calibration.plant, calibration.summary))
        # The state of the calibration is there, too.
        record = self.record(275564)
        self.assertEqual(*(hr.calibrate(record, update=self.folder / name).plant for name in ("a.h5", "b.h5")))

    @unittest.skipIf(needs("pandas"), needs("pandas"))
    def test_tables_and_picture(self):
        calibration = hr.calibrate([SPOTS / "AA39", SPOTS / "AA28"], tower=TOWER)
        table = calibration.heliostats
        self.assertEqual(list(table.index), ["AA28", "AA39"])
        self.assertEqual((table.used["AA39"], table.records["AA28"]), (12, 0))
        self.assertLess(table.left_out_mrad["AA39"], 1.0)
        parameters = calibration.parameters
        self.assertTrue((parameters.sigma > 0).all())
        self.assertIn("AA39", parameters.index.levels[0])
        self.assertTrue(calibration.plot(self.folder / "residuals.png")._repr_png_().startswith(b"\x89PNG"))
        self.assertIn("<svg", calibration.plot(self.folder / "residuals.svg")._repr_svg_())

    def test_bad_input(self):
        there = refusal("calibrate", "--tower", TOWER, SPOTS / "AA28", "-o", "x.h5", folder=self.folder)
        with self.assertRaisesRegex(hr.InputError, "none of the 1 heliostats has a record"):
            hr.calibrate(SPOTS / "AA28", tower=TOWER)
        self.assertIn("none of the 1 heliostats has a record", there)
        for message, keywords in (("tower: is not given", {}), ("'utia' is unknown.*utis", {"tower": TOWER, "spot": "utia"}),
                                  ("'al' is unknown", {"tower": TOWER, "parameters": "al"}), ("no meaning with update", {"tower": TOWER, "update": "x"}),
                                  ("lineal", {"tower": TOWER, "drives": "lineal"})):
            with self.subTest(keywords), self.assertRaisesRegex(hr.InputError, message):
                hr.calibrate(SPOTS / "AA39", **keywords)


class Reconstructions(InAFolder):
    def test_numbers_and_mirrors_are_the_programs(self):
        records = self.folder / "AA39" / "Calibration"
        records.mkdir(parents=True)
        for number in (205363, 223788):
            for file in (IMAGES / "AA39/Calibration").glob(f"{number}-*"):
                shutil.copy(file, records)
        test = next((IMAGES / "AA39/Calibration").glob("270398-flux-centered.png"))
        start = hr.from_paint(IMAGES, tower=TOWER, heliostats=["AA39"])
        start.write(self.folder / "start.h5")
        there = program("reconstruct", "start.h5", "--measured", self.folder, "--test", test, "-o", "there.h5", folder=self.folder)
        for scenario in (self.folder / "start.h5", start):
            here = hr.reconstruct(scenario, self.folder, test=[test], truth=start)
            facts = without_seconds(here.facts)
            self.assertGreater(facts["heliostats"]["AA39"].pop("slopes_mrad")["after"], 0.0)
            self.assertEqual(facts, without_seconds(there))
        here.write(self.folder / "here.h5")
        self.assertEqual(hr.read(self.folder / "here.h5"), hr.read(self.folder / "there.h5"))
        self.assertTrue(here.plot()._repr_png_().startswith(b"\x89PNG"))
        page = here.report(self.folder / "mirrors.html", title="Mirror of AA39")
        self.assertEqual((self.folder / "mirrors.html").read_text(encoding="utf-8"), page)
        self.assertIn("<h1>Mirror of AA39</h1>", page)
        self.assertIn("<h1>Mirrors from flux images</h1>", here.report())
        again = check_pickled_fit(self, here, self.folder)
        self.assertEqual((again.plant, again.summary), (here.plant, here.summary))
        self.assertEqual(hr.read(self.folder / "b.h5"), hr.read(self.folder / "there.h5"))
        if not needs("pandas"):
            self.assertEqual(here.heliostats.images["AA39"], 2)
            self.assertEqual(list(here.images.kind), ["fitted", "fitted", "test"])

    def test_bad_input(self):
        plant = hr.read(SOURCE / "configs/juelich.h5")
        for message, arguments, keywords in (
                ("no path|list of paths", (plant, 3), {}), ("unknown", (plant, IMAGES), {"image_kind": "flux-centred"}),
                ("no heliostat 'AA40'", (plant, IMAGES), {"heliostats": ["AA40"]}), ("no list of names", (plant, IMAGES), {"heliostats": 3})):
            with self.subTest(arguments=arguments, **keywords), self.assertRaisesRegex(hr.InputError, message):
                hr.reconstruct(*arguments, **keywords)


if __name__ == "__main__":
    unittest.main()
