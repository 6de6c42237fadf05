# SPDX-License-Identifier: MIT
"""Series of 100 positions of the sun and years of 117 with 10,000 heliostats: interrupted, continued, read by everything."""

import hashlib
import os
import signal
import time
import unittest

import h5py
import numpy

from harness import PROGRAM
from scale import TERMS, ScaleTest

COUNT = 10_000
STEPS = 100


def sun(step):
    return f"{{azimuth_deg: {90 + 1.8 * step:.1f}, elevation_deg: {20 + 0.4 * step:.1f}, dni_w_m2: {600 + 4 * step}}}"


class LargeSeries(ScaleTest):
    def parts(self):
        return len(list((self.folder / "result.h5.parts").glob("step_*.h5")))

    def kill_in_the_middle(self, config):
        """Ends a run hard while it traces; returns how many steps it has kept."""
        run = self.start([PROGRAM, "raytrace", config])
        limit = time.monotonic() + 600
        while self.parts() < STEPS // 3:
            self.assertIsNone(run.poll(), "it ended before it could be killed")
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.01)
        os.killpg(run.pid, signal.SIGKILL)
        run.communicate()
        self.assertFalse((self.folder / "result.h5").exists())
        return self.parts()

    def test_a_series_is_killed_continued_and_read(self):
        config = self.write_config(COUNT, sun=f"{{positions: [{', '.join(sun(step) for step in range(STEPS))}]}}")
        kept = self.kill_in_the_middle(config)
        self.assertLess(kept, STEPS)
        printed = self.json_of("raytrace", config)
        self.assertEqual(printed["num_steps"], STEPS)
        self.assertFalse((self.folder / "result.h5.parts").exists())
        # Steps from before the interruption, at it and after it are those of runs that nothing interrupts.
        fingerprints = printed["series"]["fingerprint"]
        for step in (0, kept - 1, kept, STEPS - 1):
            alone = self.write_config(COUNT, "alone.yaml", sun=sun(step))
            self.assertEqual(self.json_of("raytrace", alone, "-o", "alone.h5")["fingerprint"], fingerprints[step], step)
        self.assertEqual(printed["fingerprint"], hashlib.sha256("\n".join(fingerprints).encode()).hexdigest()[:32])

        with h5py.File(self.folder / "result.h5") as file:
            largest = max(item.size * item.dtype.itemsize for item in file["heliostats"].values() if item.shape[0] == STEPS)
            self.assertGreaterEqual(largest, 8 * STEPS * COUNT)
            energy = {term: file["heliostats"][term][()] for term in (*TERMS, "solar_power")}
            self.require_balance(energy)
            numpy.testing.assert_allclose(energy["target_power"].sum(1), printed["energy"]["target_power"], rtol=1e-9)
            with h5py.File(self.folder / "alone.h5") as alone:
                for term in TERMS:
                    numpy.testing.assert_array_equal(energy[term][-1], alone["heliostats"][term][()])
                numpy.testing.assert_array_equal(file["targets/receiver/flux"][-1], alone["targets/receiver/flux"][()])

        self.assertIn(printed["fingerprint"], self.run_program("info", "result.h5").stdout)
        self.require_pictures("result.h5", ("a.png",), ("b.svg", "--time", STEPS - 1), ("f.png", "--field", "--time", 0),
                              ("d.png", "--time", STEPS - 1, "--difference", "result.h5"))
        self.require_report("result.h5", "receiver")
        self.run_program("export", "csv", "result.h5", "-o", "tables", "--time", 7)
        self.run_program("export", "vtk", "result.h5", "--time", "7", "-o", "paraview")
        for path in (self.folder / "tables").iterdir():
            self.require_file(path, 1000)
        seen = self.python("series = hr.open(file)\n"
                           "last = series[-1]\n"
                           "print(json.dumps([len(series), series.fingerprint, last.fingerprint, float(last.heliostats.target_power.sum())]))", "result.h5")
        self.assertEqual(seen[:3], [STEPS, printed["fingerprint"], fingerprints[-1]])
        self.assertAlmostEqual(seen[3] / energy["target_power"][-1].sum(), 1, delta=1e-9)

    def test_a_series_in_python(self):
        """Every third sun is traced and kept by the package alone."""
        config = self.write_config(COUNT, sun=f"{{positions: [{', '.join(sun(step) for step in range(0, 99, 3))}]}}")
        seen = self.python("series = hr.trace_series(file, output=sys.argv[2])\n"
                           "print(json.dumps([len(series), series.fingerprint, [float(run.heliostats.target_power.sum()) for run in series]]))", config, "python.h5")
        with h5py.File(self.folder / "python.h5") as file:
            self.assertEqual(seen[:2], [33, file.attrs["fingerprint"]])
            numpy.testing.assert_allclose(file["heliostats/target_power"][()].sum(1), seen[2], rtol=1e-9)

    def test_a_year(self):
        config = self.write_config(COUNT)
        printed = self.json_of("annual", config, "-o", "year.h5", "--csv", "year.csv")
        self.assertEqual(printed["num_positions"], 9 * 13)
        energy = printed["energy"]
        self.require_balance(energy)
        with h5py.File(self.folder / "year.h5") as file:
            self.assertEqual(file["sky/efficiency"].shape, (9, 13, COUNT))
            weight, efficiency = file["sky/weight"][()], file["sky/efficiency"][()]
            area = file["heliostats/solar_energy"][()] / weight.sum()
            numpy.testing.assert_allclose(numpy.einsum("ij,ijn,n->n", weight, efficiency, area), file["heliostats/target_energy"][()], rtol=1e-9)
            total = file["heliostats/target_energy"][()].sum()
        self.assertAlmostEqual(total / printed["energy_j"], 1, delta=1e-9)
        self.assertEqual(len((self.folder / "year.csv").read_text().splitlines()), COUNT + 1)
        self.assertIn(printed["fingerprint"], self.run_program("info", "year.h5").stdout)
        self.require_pictures("year.h5", ("months.png",), ("yield.pdf", "--field", "target_energy"))
        self.require_report("year.h5", "H000000")
        self.run_program("export", "csv", "year.h5", "-o", "tables")
        seen = self.python("year = hr.open(file)\n"
                           "print(json.dumps([year.fingerprint, len(year.heliostats), len(year.positions)]))", "year.h5")
        self.assertEqual(seen, [printed["fingerprint"], COUNT, 9 * 13])


if __name__ == "__main__":
    unittest.main()
