# SPDX-License-Identifier: MIT
"""aim, efficiency, sweep and calibrate with 10,000 heliostats, and what reads their files."""

import csv
import json
import shutil
import unittest

import h5py
import numpy

from harness import SOURCE
from scale import TERMS, ScaleTest, names

COUNT = 10_000
# Maps above 8 MiB each.
LARGE_MAP = ("--set", "bitmap.width=1100", "--set", "bitmap.height=1000")
PAINT = SOURCE / "tutorials/12_calibration/paint"
TOWER = SOURCE / "configs/paint/tower-measurements.json"


class LargeCommands(ScaleTest):
    def test_aim(self):
        config = self.write_config(COUNT)
        printed = self.json_of("aim", config, "--strategy", "sigma", "-o", "aims.csv", "--result", "aimed.h5", "--image", "aims.png", "--report", "aims.html",
                               *LARGE_MAP)
        self.require_file("aims.png", 5000)
        self.require_file("aims.html", 50_000)
        with open(self.folder / "aims.csv") as table:
            rows = list(csv.DictReader(line for line in table if not line.startswith("#")))
        self.assertEqual([row["name"] for row in rows], names(COUNT))
        with h5py.File(self.folder / "aimed.h5") as file:
            self.assertEqual(file["aiming/targets/receiver/flux_limit"].shape, (1000, 1100))
            self.require_balance({term: file["heliostats"][term][()] for term in (*TERMS, "solar_power")})
        # The same run again, from the table and from the result.
        for source in ("aims.csv", "aimed.h5"):
            again = self.write_config(COUNT, "again.yaml", aim=f"{{target: receiver, file: {source}}}")
            self.assertEqual(self.json_of("raytrace", again, *LARGE_MAP)["fingerprint"], printed["fingerprint"], source)
        self.assertIn(printed["fingerprint"], self.run_program("info", "aimed.h5").stdout)
        self.require_pictures("aimed.h5", ("a.png", "--cuts"), ("f.svg", "--field"), ("d.png", "--difference", "result.h5"))
        self.require_report("aimed.h5", "H000000")
        self.run_program("export", "csv", "aimed.h5", "-o", "tables")
        self.run_program("export", "vtk", "aimed.h5", "-o", "paraview")
        self.assertEqual(self.python("print(json.dumps([hr.open(file).fingerprint]))", "aimed.h5"), [printed["fingerprint"]])

    def test_efficiency(self):
        config = self.write_config(COUNT)
        printed = self.json_of("efficiency", config, "--azimuths", "0,90,180,270", "--elevations", "30,60,90", "--no-checks", "-o", "table.h5",
                               "--set", "bitmap.width=360", "--set", "bitmap.height=300")
        with h5py.File(self.folder / "table.h5") as file:
            share = file["targets/receiver/flux_share"][()]
            self.assertEqual(share.shape, (4, 3, 300, 360))
            self.assertGreater(share.nbytes, 8 << 20)
            numpy.testing.assert_allclose(share.sum((2, 3)), 1, rtol=1e-6)
        self.assertIn(printed["fingerprint"], self.run_program("info", "table.h5").stdout)
        self.require_pictures("table.h5", ("sky.png",), ("sky.pdf",))
        for kind, output in (("netcdf", "table.nc"), ("solarpilot", "solarpilot"), ("sam", "sam"), ("solartherm", "table.motab")):
            self.run_program("export", kind, "table.h5", "-o", output)
        self.require_file("table.nc", 1 << 20)
        self.require_file("table.motab", 100)
        seen = self.python("table = hr.open(file)\nprint(json.dumps([table.fingerprint, list(table.dataset.sizes.values())]))", "table.h5")
        self.assertEqual(seen[0], printed["fingerprint"])
        self.assertIn(360, seen[1])

    def test_sweep(self):
        config = self.write_config(COUNT)
        for table in ("table.csv", "table.h5"):
            self.run_program("sweep", config, "--vary", "sun.elevation_deg=30,60", "-o", table, *LARGE_MAP)
        alone = self.json_of("raytrace", config, "--set", "sun.elevation_deg=60", *LARGE_MAP)["fingerprint"]
        with open(self.folder / "table.csv") as table:
            self.assertEqual([row["fingerprint"] for row in csv.DictReader(table)][1], alone)
        with h5py.File(self.folder / "table.h5") as file:
            self.assertEqual(file["results/fingerprint"][1].decode(), alone)

    def write_heliostats(self, count):
        """Properties of heliostats that were never measured, in PAINT's layout."""
        properties = json.loads((PAINT / "AA39/Properties/AA39-heliostat-properties.json").read_text())
        height = properties["heliostat_position"][2]
        properties["facet_properties"].update(number_of_facets=1, facets=[
            {"translation_vector": [0, 0, 0.04], "canting_e": [1.6, 0, 0], "canting_n": [0, 1.28, 0]}])
        for i in range(count):
            properties["heliostat_position"] = [50.9138 + i // 100 * 6e-5, 6.3868 + i % 100 * 8e-5, height]
            folder = self.folder / "paint" / f"X{i:05d}" / "Properties"
            folder.mkdir(parents=True)
            (folder / f"X{i:05d}-heliostat-properties.json").write_text(json.dumps(properties))

    def test_calibrate(self):
        """One heliostat among 10,000 has records."""
        self.write_heliostats(COUNT - 1)
        records = sorted((PAINT / "AA39/Calibration").glob("*-calibration-properties.json"))[:9]
        for record in records[:8]:
            place = self.folder / "paint/AA39/Calibration" / record.name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(record, place)
        shutil.copytree(PAINT / "AA39/Properties", self.folder / "paint/AA39/Properties")
        first = self.json_of("calibrate", "--tower", TOWER, "paint", "-o", "calibrated.h5")["heliostats"]["AA39"]
        self.assertEqual(first["records"], 8)
        second = self.json_of("calibrate", "--update", "calibrated.h5", records[8])["heliostats"]["AA39"]
        self.assertEqual(second["used"], first["used"] + 1)
        with h5py.File(self.folder / "calibrated.h5") as file:
            self.assertEqual(len(file["heliostat_columns/heliostat/position"]), COUNT)
        (self.folder / "run.yaml").write_text("scenario: calibrated.h5\nsun: {azimuth_deg: 180, elevation_deg: 45}\naim: {target: multi_focus_tower}\n"
                                              "tracing: {rays_per_heliostat: 8}\noutput: {file: result.h5}\n")
        printed = self.json_of("raytrace", "run.yaml")
        self.require_balance(printed["energy"])
        self.assertEqual(printed["rays"], 8 * COUNT)


if __name__ == "__main__":
    unittest.main()
