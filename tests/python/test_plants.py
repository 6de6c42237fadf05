# SPDX-License-Identifier: MIT
"""Plants: made, read, changed, written."""

import json
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest

try:
    import h5py
except ModuleNotFoundError:
    pass

from package import PROGRAM, SMALL, SOURCE, hr, juelich, needs, program, small_field

TEMPLATE = {"tower": {"optical_height_m": 60}, "receiver": {"type": "plane", "width_m": 8, "height_m": 8},
            "heliostat": {"width_m": 5, "height_m": 4, "pivot_height_m": 3},
            "layout": {"type": "radial_stagger", "heliostats": 30, "min_radius_m": 40}}


class Plants(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_read(self):
        plant = juelich()
        self.assertEqual(len(plant), 3)
        self.assertEqual(list(plant.targets), ["multi_focus_tower", "solar_tower_juelich_lower", "solar_tower_juelich_upper", "receiver"])
        self.assertEqual(plant.targets["receiver"]["kind"], "cylindrical")
        self.assertAlmostEqual(plant.targets["receiver"]["radius"], 4.14)
        self.assertAlmostEqual(plant.position[0], 50.913421, places=4)

    @unittest.skipIf(needs("pandas"), needs("pandas"))
    def test_receivers_of_several_surfaces(self):
        receiver = {"type": "polygon", "name": "crown", "panels": 12, "radius_m": 3, "height_m": 5, "shield_height_m": 1}
        plant = hr.generate(**{**TEMPLATE, "receiver": receiver})
        self.assertEqual(len(plant.targets), 36)
        run = hr.trace(plant, sun=(180, 45), aim={"target": "crown"}, **SMALL)
        panels = run.targets[run.targets.index.str.startswith("crown_panel")]
        self.assertAlmostEqual(run.receivers.loc["crown", "power_w"], panels["power_w"].sum(), delta=1e-6 * panels["power_w"].sum())
        self.assertEqual(len(run.receivers.loc["crown", "surfaces"]), 36)
        self.assertAlmostEqual(run.energy["target_power"], run.receivers.loc["crown", "power_w"], delta=1e-6 * run.energy["solar_power"])
        again = pickle.loads(pickle.dumps(run))
        self.assertTrue(again.receivers.equals(run.receivers))
        # The configuration adds a receiver to any plant; one without receivers has no such term.
        wall = {"type": "billboard", "center_m": [0, 0, 60], "width_m": 6, "height_m": 6, "columns": 3, "rows": 2}
        added = hr.trace(hr.generate(**TEMPLATE), sun=(180, 45), aim={"target": "wall"}, receivers={"wall": wall}, **SMALL)
        self.assertEqual(list(added.receivers.index), ["wall"])
        self.assertGreater(added.receivers.loc["wall", "power_w"], 0)
        ball = {"type": "sphere", "center_m": [0, 0, 0], "normal": [0, 1, 0], "radius_m": 3}
        tip = {"type": "cone", "center_m": [0, 0, 4], "normal": [0, 1, 0], "bottom_radius_m": 2, "top_radius_m": 0, "height_m": 2}
        rod = {"type": "surfaces", "center_m": [0, 0, 60], "surfaces": [ball, tip]}
        round_run = hr.trace(hr.generate(**TEMPLATE), sun=(180, 45), aim={"target": "rod"}, receivers={"rod": rod}, **SMALL)
        self.assertIn("rod_01", round_run.targets.index)
        self.assertGreater(round_run.receivers.loc["rod", "power_w"], 0)
        plain = hr.trace(hr.generate(**TEMPLATE), sun=(180, 45), aim={"target": "receiver"}, **SMALL)
        self.assertEqual(len(plain.receivers), 0)
        self.assertNotIn("shield_loss", plain.energy)

    def test_both_formats_hold_the_same_plant(self):
        plant = juelich()
        for form in ("artist", "columns"):
            plant.write(self.folder / f"{form}.h5", format=form)
            self.assertEqual(hr.read(self.folder / f"{form}.h5"), plant)
        content = (self.folder / "columns.h5").read_bytes()
        self.assertIn(b"heliostat_columns", content)
        with self.assertRaisesRegex(hr.InputError, "plant.write: format: 'rows' is unknown; valid: 'auto', 'artist'"):
            plant.write(self.folder / "other.h5", format="rows")
        self.assertFalse((self.folder / "other.h5").exists())

    @unittest.skipIf(needs("pandas"), needs("pandas"))
    def test_table_of_heliostats(self):
        table = juelich().heliostats
        self.assertEqual(list(table.index), ["AA28", "AA31", "AA39"])
        run = hr.trace(juelich(), sun=(180, 45), dni=1000, target="receiver", **SMALL)
        for name, area in table.mirror_area_m2.items():
            self.assertAlmostEqual(1000 * area, run.heliostats.solar_power[name], delta=1e-3)

    def test_generate(self):
        subprocess.run([PROGRAM, "scenario", "generate", SOURCE / "configs/field.yaml", "--heliostats", "20", "-o", "field.h5"],
                       cwd=self.folder, check=True, capture_output=True)
        made = small_field()
        made.write(self.folder / "ours.h5")
        self.assertEqual((self.folder / "ours.h5").read_bytes(), (self.folder / "field.h5").read_bytes())
        plant = hr.generate(TEMPLATE, heliostats=12)
        self.assertEqual(len(plant), 12)
        self.assertIn("target: receiver", plant.configuration)
        self.assertTrue(any("assumed" in line for line in plant.report))
        # The plant's own aims are used, and others replace them.
        run = hr.trace(plant, sun=(180, 45), **SMALL)
        moved = hr.trace(plant, sun=(180, 45), aim={"point": [0.0, 3.0, 61.0]}, **SMALL)
        self.assertNotEqual(run.fingerprint, moved.fingerprint)
        with self.assertRaisesRegex(hr.InputError, "^hr.generate: layout.heliostats: "):
            hr.generate(TEMPLATE, heliostats=-1)

    @unittest.skipIf(needs("pandas"), needs("pandas"))
    def test_layout(self):
        plant = small_field()
        table = plant.heliostats[["east_m", "north_m", "up_m"]].rename(columns={"east_m": "x", "north_m": "y", "up_m": "z"})
        layout = hr.from_layout(table, SOURCE / "configs/field.yaml")
        self.assertEqual(hr.trace(layout, sun=(150, 50), **SMALL).fingerprint, hr.trace(plant, sun=(150, 50), **SMALL).fingerprint)
        table.to_csv(self.folder / "layout.csv")
        self.assertEqual(hr.from_layout(self.folder / "layout.csv", SOURCE / "configs/field.yaml"), layout)
        # Its lines are about the frame, not about the file that it went through.
        self.assertIn("table: z taken as the height of the pivots", layout.report)
        self.assertEqual(pickle.loads(pickle.dumps(layout)).report, layout.report)
        with self.assertRaisesRegex(hr.InputError, "^hr.from_layout: table:1: "):
            hr.from_layout(table.drop(columns="x"), SOURCE / "configs/field.yaml")
        with self.assertRaisesRegex(hr.InputError, "table: is empty"):
            hr.from_layout(table[[]].reset_index(drop=True), SOURCE / "configs/field.yaml")

    @unittest.skipIf(needs("pandas"), needs("pandas"))
    def test_names_in_tables(self):
        """Names that a table of text could take for something else come back, also through a file of aim points."""
        import pandas
        names = ["#1", "a#2", 'b,"c', "日本", "d; e"]
        table = pandas.DataFrame({"x": [0.0, " 20.0 ", 40.0, 60.0, 80.0], "y": 60.0, "z": 0.0}, index=pandas.Index([f" {name}" for name in names], name="name"))
        plant = hr.from_layout(table, SOURCE / "configs/field.yaml")
        self.assertEqual(sorted(plant.heliostats.index), sorted(names))
        self.assertEqual(hr.from_layout(table.reset_index(), SOURCE / "configs/field.yaml"), plant)
        aims = hr.aim(plant, sun=(180, 60), **SMALL)
        aims.write(self.folder / "aims.csv")
        self.assertEqual(hr.trace(plant, sun=(180, 60), aim={"file": self.folder / "aims.csv"}, **SMALL).fingerprint, aims.run.fingerprint)

    @unittest.skipIf(needs("h5py"), needs("h5py"))
    def test_paint(self):
        folder = SOURCE / "configs/paint"
        plant = hr.from_paint(folder)
        self.assertEqual([len(plant), len(hr.from_paint(folder, heliostats=["AA39"]))], [3, 1])
        with self.assertRaisesRegex(hr.InputError, "deflectometry.h5"):
            hr.from_paint(folder, deflectometry=folder)
        for bad in (3, 1001, 5.5, float("nan"), (10,), "x"):
            with self.subTest(bad), self.assertRaisesRegex(hr.InputError, "control_points"):
                hr.from_paint(folder, control_points=bad)
        self.write_deflectometry()
        measured = hr.from_paint(folder, deflectometry=self.folder, control_points=8)
        self.assertTrue(any("AA39: surface fitted to" in line for line in measured.report))
        # The tower is 65 m away: curved facets make a smaller image.
        settings = dict(sun=(180, 45), target="multi_focus_tower", active=["AA39"], **SMALL)
        self.assertGreater(hr.trace(measured, **settings).array().max(), 1.2 * hr.trace(plant, **settings).array().max())
        with self.assertRaisesRegex(hr.InputError, "there is no heliostat 'AA93'; did you mean 'AA39'"):
            hr.from_paint(folder, heliostats=["AA93"])

    def write_deflectometry(self):
        """Points and normals of a paraboloid on every facet of AA39."""
        sys.path += [str(SOURCE / "tests/app"), str(SOURCE / "tests/app/program")]
        from test_data_in import facet_samples
        properties = json.loads((SOURCE / "configs/paint/AA39-heliostat-properties.json").read_text())
        path = self.folder / "AA39/Deflectometry/AA39-filled-deflectometry.h5"
        path.parent.mkdir(parents=True)
        with h5py.File(path, "w") as file:
            for number, facet in enumerate(properties["facet_properties"]["facets"], 1):
                points, normals = facet_samples(facet, 40, focal_length=65.0)
                file[f"facet{number}/surface_points"] = points
                file[f"facet{number}/surface_normals"] = normals

    def test_soltrace(self):
        sys.path += [str(SOURCE / "tests/app"), str(SOURCE / "tests/app/program")]
        from test_fields import stinput
        file = self.folder / "tower.stinput"
        file.write_text(stinput())
        there = program("scenario", "soltrace", file, "-o", "tower.h5", "--config", "tower.yaml", folder=self.folder)
        plant = hr.from_soltrace(file)
        self.assertEqual(len(plant), there["heliostats"])
        # Its sun, optics and motor positions come with it.
        small = {key: value for key, value in SMALL.items() if key != "device"}
        self.assertEqual(hr.trace(plant, **small).fingerprint, hr.trace(self.folder / "tower.yaml", **small).fingerprint)
        with self.assertRaises(hr.InputError):
            hr.from_soltrace(file, up="x")
        (self.folder / "short.stinput").write_text(stinput()[:300])
        with self.assertRaisesRegex(hr.InputError, "short.stinput"):
            hr.from_soltrace(self.folder / "short.stinput")

    def test_solarpilot(self):
        sys.path += [str(SOURCE / "tests/app"), str(SOURCE / "tests/app/program")]
        from test_fields import spt
        file = self.folder / "plant.spt"
        file.write_text(spt())
        program("scenario", "solarpilot", file, "-o", "pilot.h5", "--config", "pilot.yaml", folder=self.folder)
        small = {key: value for key, value in SMALL.items() if key != "device"}
        self.assertEqual(hr.trace(hr.from_solarpilot(file), **small).fingerprint, hr.trace(self.folder / "pilot.yaml", **small).fingerprint)
        file.write_text(spt()[:900])
        with self.assertRaisesRegex(hr.InputError, "plant.spt"):
            hr.from_solarpilot(file)

    def test_replace(self):
        plant = juelich()
        changed = plant.replace(targets={"receiver": {"height": 3.0}}, position=(10, 20, 30), heliostats=["AA39", "AA28"])
        self.assertEqual(changed.targets["receiver"]["height"], 3.0)
        self.assertEqual(changed.position, (10, 20, 30))
        self.assertEqual(len(changed), 2)
        self.assertEqual(len(plant), 3)
        self.assertEqual(changed.file, "")
        for message, parts in {"cylinder_height: is -3": {"targets": {"receiver": {"height": -3}}},
                               "zero vector": {"targets": {"receiver": {"normal": [0, 0, 0]}}},
                               "did you mean 'height'": {"targets": {"receiver": {"heigth": 3}}},
                               "no target 'x'": {"targets": {"x": {"height": 3}}},
                               "no heliostat 'x'": {"heliostats": ["x"]},
                               "targets: 3 is no dict": {"targets": 3},
                               "targets.receiver: 3 is no dict": {"targets": {"receiver": 3}},
                               "heliostats: 'AA39' is named twice": {"heliostats": ["AA39", "AA28", "AA39"]},
                               "targets.receiver.height: nan is not finite": {"targets": {"receiver": {"height": float("nan")}}},
                               "targets.receiver.height: 'x' is not a number": {"targets": {"receiver": {"height": "x"}}},
                               "targets.receiver.normal: .0, 1. is not 3 numbers": {"targets": {"receiver": {"normal": [0, 1]}}},
                               "targets.receiver.kind: 'disc' is another kind": {"targets": {"receiver": {"kind": "disc"}}},
                               "nan": {"position": [0, float("nan"), 0]},
                               "is not 3 numbers": {"position": [0]}}.items():
            with self.subTest(message), self.assertRaisesRegex(hr.InputError, "^plant.replace.*" + message):
                plant.replace(**parts)

    @unittest.skipIf(needs("pandas"), needs("pandas"))
    def test_moved_heliostats(self):
        plant = small_field()
        table = plant.heliostats
        table["east_m"] += 1.5
        moved = plant.replace(heliostats=table)
        self.assertEqual((moved.heliostats["east_m"] - plant.heliostats["east_m"]).round(9).unique().tolist(), [1.5])
        self.assertEqual(moved.configuration, plant.configuration)

    def test_write_and_pickle(self):
        plant = small_field()
        plant.write(self.folder / "plant.h5")
        read = hr.read(self.folder / "plant.h5")
        self.assertEqual(read.targets, plant.targets)
        again = pickle.loads(pickle.dumps(plant))
        self.assertEqual(again, plant)
        self.assertEqual(again.configuration, plant.configuration)
        self.assertEqual(hr.trace(again, sun=(180, 45), **SMALL).fingerprint, hr.trace(plant, sun=(180, 45), **SMALL).fingerprint)


if __name__ == "__main__":
    unittest.main()
