# SPDX-License-Identifier: MIT
"""A run of 100,000 heliostats and what reads it; tables with a row for each of them."""

import csv
import unittest

import h5py
import numpy

from scale import TERMS, Plants, ScaleTest, names, places

COUNT = 100_000


class LargeField(ScaleTest):
    def test_a_run_through_all_readers(self):
        config = self.write_config(COUNT)
        printed = self.json_of("raytrace", config)
        self.require_balance(printed["energy"])
        self.assertEqual(printed["rays"], 8 * COUNT)

        with h5py.File(self.folder / "result.h5") as file:
            heliostats = {term: file["heliostats"][term][()] for term in (*TERMS, "solar_power")}
            self.require_balance(heliostats)
            self.assertEqual([n.decode() for n in file["heliostats/name"][:3]], names(3))
            self.assertEqual(file["heliostats/aim_point"].shape, (COUNT, 3))
            for term, values in heliostats.items():
                self.assertAlmostEqual(values.sum(), printed["energy"][term], delta=1e-9 * printed["energy"]["solar_power"])

        told = self.run_program("info", "result.h5").stdout
        self.assertIn("100,000 heliostats", told)
        self.assertIn(printed["fingerprint"], told)
        self.require_pictures("result.h5", ("a.png",), ("a.svg", "--contours", "--cuts"), ("a.pdf", "--scale", "log", "--all-targets", "--shared-scale"),
                              ("f.png", "--field"), ("f.pdf", "--field", "cosine", "--unit", "power"), ("d.png", "--difference", "result.h5"))
        self.require_report("result.h5", "H000000", names(COUNT)[-1])

        self.run_program("export", "csv", "result.h5", "-o", "tables")
        with open(self.folder / "tables/heliostats.csv") as table:
            rows = list(csv.reader(line for line in table if not line.startswith("#")))
        self.assertEqual((len(rows), rows[-1][0]), (COUNT + 1, names(COUNT)[-1]))
        self.run_program("export", "vtk", "result.h5", "-o", "paraview")
        with open(self.folder / "paraview/heliostats.vtp") as file:
            self.assertIn(f'NumberOfPolys="{COUNT}"', file.read(1000))

        seen = self.python("run = hr.open(file)\n"
                           "print(json.dumps([run.fingerprint, run.energy, len(run.heliostats), run.orientations.shape, float(run.heliostats.target_power.sum())]))",
                           "result.h5")
        self.assertEqual(seen[:2], [printed["fingerprint"], printed["energy"]])
        self.assertEqual(seen[2:4], [COUNT, [COUNT, 4, 4]])
        self.assertAlmostEqual(seen[4], printed["energy"]["target_power"], delta=1e-6 * seen[4])

    def test_every_heliostat_has_aims_in_a_configuration(self):
        lines = [f"    {name}: {{target: receiver, point: [{8.9 * e / (e * e + n * n) ** 0.5:.4f}, {8.9 * n / (e * e + n * n) ** 0.5:.4f}, 200.0]}}"
                 for name, (e, n) in zip(names(COUNT), places(COUNT))]
        config = self.write_config(COUNT, aim="\n  target: receiver\n  heliostats:\n" + "\n".join(lines))
        self.assertIn("valid", self.run_program("validate", config).stdout)

    def test_a_table_with_the_aims_of_every_heliostat(self):
        rows = [f"{name},receiver,{8.9 * e / (e * e + n * n) ** 0.5:.4f},{8.9 * n / (e * e + n * n) ** 0.5:.4f},{195 + i % 11},{int(i % 10 != 0)}\n"
                for i, (name, (e, n)) in enumerate(zip(names(COUNT), places(COUNT)))]
        (self.folder / "aims.csv").write_text("name,target,east,north,up,active\n" + "".join(rows))
        config = self.write_config(COUNT, aim="{target: receiver, file: aims.csv}")
        printed = self.json_of("raytrace", config)
        self.require_balance(printed["energy"])
        with h5py.File(self.folder / "result.h5") as file:
            # Those that are turned off trace nothing.
            active = file["heliostats/aim_point"][()]
            self.assertEqual(len(active), COUNT - COUNT // 10)
            numpy.testing.assert_allclose(active[:, 2], [195 + i % 11 for i in range(COUNT) if i % 10], atol=1e-9)
        self.assertIn(printed["fingerprint"], self.run_program("info", "result.h5").stdout)

    def test_the_scenario_itself(self):
        plant = Plants.file(COUNT, "h5")
        self.assertIn("100000", self.run_program("info", plant).stdout.replace(",", ""))
        self.assertEqual(self.python("plant = hr.read(file)\nprint(json.dumps([len(plant), len(plant.heliostats)]))", plant), [COUNT, COUNT])


if __name__ == "__main__":
    unittest.main()
