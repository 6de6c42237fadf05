# SPDX-License-Identifier: MIT
"""Files that older versions wrote, which tests/support/make_samples.py has put into tests/data/older, are read with the same values."""

import csv
import json
import pathlib
import subprocess
import tempfile
import unittest
import zipfile

import numpy

from package import PROGRAM, SOURCE, hr, needs, program

try:
    import h5py
except ModuleNotFoundError:
    h5py = None
lacking = needs("h5py", "pandas", "xarray")
VERSIONS = sorted((SOURCE / "tests/data/older").glob("*.zip"))


@unittest.skipIf(lacking, lacking)
class OlderFiles(unittest.TestCase):
    def for_every_version(self):
        """The folder with the files of each version, and what its program printed about them."""
        self.assertTrue(VERSIONS)
        for archive in VERSIONS:
            with self.subTest(archive.stem), tempfile.TemporaryDirectory() as temporary:
                with zipfile.ZipFile(archive) as packed:
                    packed.extractall(temporary)
                self.folder = pathlib.Path(temporary)
                yield self.folder, json.loads((self.folder / "printed.json").read_text())

    def check_close(self, values, expected, **options):
        numpy.testing.assert_allclose(numpy.asarray(values, float), numpy.asarray(expected, float), **{"rtol": 1e-12, "atol": 1e-9, **options})

    def check_energy(self, energy, expected):
        for term, value in expected.items():
            self.check_close(energy[term], value)

    def info(self, file):
        done = subprocess.run([PROGRAM, "info", file], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def check_run(self, file, expected):
        run = hr.open(self.folder / file)
        self.assertEqual(run.fingerprint, expected["fingerprint"])
        self.check_energy(run.energy, expected["energy"])
        for name, target in expected["targets"].items():
            for column in ("power_w", "power_std_error_w", "peak_flux_w_m2", "peak_pixel_w_m2"):
                self.check_close(run.targets.loc[name, column], target[column])
            self.check_close(run.flux[name].max(), target["peak_pixel_w_m2"], rtol=1e-6)
        self.assertIn(expected["fingerprint"], self.info(file))
        self.assertEqual(run.plot().data[:4], b"\x89PNG")
        return run

    def test_run(self):
        for _, printed in self.for_every_version():
            run = self.check_run("run.h5", printed["run.h5"])
            # The maps of single heliostats add up to that of the receiver.
            total = sum(run.heliostat_flux[name] for name in run.heliostats.index)
            self.check_close(total, run.flux["receiver"], rtol=1e-4, atol=1e-2)

    def test_series(self):
        for folder, printed in self.for_every_version():
            series, expected = hr.open(folder / "series.h5"), printed["series.h5"]
            self.assertEqual(series.fingerprint, expected["fingerprint"])
            for column in ("azimuth_deg", "elevation_deg", "dni_w_m2"):
                self.check_close(series.steps[column], expected["series"][column])
            self.assertEqual(list(series.steps["fingerprint"]), expected["series"]["fingerprint"])
            self.check_energy(series.steps, expected["energy"])
            self.assertEqual(series[0].fingerprint, expected["series"]["fingerprint"][0])
            self.assertEqual(str(series.index[0]), "2026-03-21 09:00:00+00:00")
            self.assertIn(expected["fingerprint"], self.info("series.h5"))

    def test_aim_points(self):
        for folder, printed in self.for_every_version():
            run = self.check_run("aim.h5", printed["aim.h5"])
            columns = ["aim_east_m", "aim_north_m", "aim_up_m"]
            with open(folder / "aims.csv", newline="") as file:
                points = {row["name"]: [float(row[name]) for name in ("east", "north", "up")] for row in csv.DictReader(file)}
            self.assertEqual(list(points), list(run.heliostats.index))
            self.check_close(run.heliostats[columns], list(points.values()))
            for file in ("aims.csv", "aim.h5"):
                again = hr.trace(folder / "run.yaml", aim={"target": "receiver", "file": str(folder / file)})
                self.check_close(again.heliostats[columns], list(points.values()))

    def test_year(self):
        for folder, printed in self.for_every_version():
            year, expected = hr.open(folder / "year.h5"), printed["year.h5"]
            self.assertEqual(year.fingerprint, expected["fingerprint"])
            self.check_energy(year.facts["energy"], expected["energy"])
            self.check_close(year.heliostats["target_energy"], [heliostat["energy_j"] for heliostat in expected["heliostats"].values()])
            self.check_close(year.facts["targets"]["receiver"]["monthly_energy_j"], expected["targets"]["receiver"]["monthly_energy_j"])
            self.assertIn(f"{expected['energy_j'] / 3.6e9:.4f}", self.info("year.h5"))

    def test_efficiency(self):
        for folder, printed in self.for_every_version():
            table, expected = hr.open(folder / "table.h5"), printed["table.h5"]
            self.assertEqual(table.fingerprint, expected["fingerprint"])
            for name in ("azimuth_deg", "elevation_deg", "efficiency"):
                self.check_close(table.facts[name], expected[name])
            self.check_close(table.dataset["efficiency_receiver"], expected["efficiency"])
            self.assertIn(expected["fingerprint"], self.info("table.h5"))

    def test_sweep(self):
        for _, printed in self.for_every_version():
            text = self.info("sweep.h5")
            for variant in printed["sweep.h5"]["variants"]:
                self.assertIn(f"{variant['power_w:receiver'] / 1000:.3f}", text)
                self.assertIn(f"{variant['efficiency']:.5f}", text)

    def test_plant(self):
        for folder, printed in self.for_every_version():
            expected = printed["run.h5"]
            plant = hr.read(folder / "plant.h5")
            self.assertEqual(list(plant.heliostats.index), [f"H{number}" for number in range(1, 7)])
            again = hr.trace(folder / "run.yaml")
            self.check_close(again.energy["solar_power"], expected["energy"]["solar_power"])
            target = expected["targets"]["receiver"]
            self.check_close(again.energy["target_power"], target["power_w"], rtol=0.0, atol=6 * target["power_std_error_w"])

    def test_calibration(self):
        for folder, printed in self.for_every_version():
            expected, = printed["calibrated.h5"]["heliostats"].values()
            plant = hr.read(folder / "calibrated.h5")
            position = [expected["parameters"][f"position_{axis}"][0] for axis in "enu"]
            self.check_close(plant.heliostats.loc["AA39", ["east_m", "north_m", "up_m"]], position, rtol=0.0, atol=1e-3)
            # The state takes in a record once more, unless the file knows its records.
            records = SOURCE / "tests/data/paint/AA39/Calibration"
            record = sorted(records.glob("*-calibration-properties.json"))[-1]
            update = program("calibrate", "--update", "calibrated.h5", record, "-o", "updated.h5", folder=folder)["heliostats"]["AA39"]
            self.assertIn(update["used"], (expected["used"], expected["used"] + 1))
            self.assertLess(update["updates"][0]["error_mrad"], 5.0)

    def test_mirrors(self):
        for folder, printed in self.for_every_version():
            expected = printed["mirrors.h5"]["heliostats"]["AA39"]
            self.assertGreater(expected["slope_error_mrad"], 0.0)
            self.assertIn("bspline 10x10 (fitted)", self.info("mirrors.h5"))
            plant = hr.read(folder / "mirrors.h5")
            self.assertEqual(list(plant.heliostats.index), ["AA31", "AA39"])
            plant.write(folder / "again.h5")
            with h5py.File(folder / "mirrors.h5") as old, h5py.File(folder / "again.h5") as new:
                for name, facet in old["heliostats/AA39/surface/facets"].items():
                    for dataset in ("control_points", "slope_deviation", "canting", "position"):
                        self.check_close(new[f"heliostats/AA39/surface/facets/{name}/{dataset}"], facet[dataset])


if __name__ == "__main__":
    unittest.main()
