# SPDX-License-Identifier: MIT
"""The script of a first project runs as it is written, in an empty folder."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from package import needs

SCRIPT = pathlib.Path(__file__).parent / "student.py"
lacking = needs("pandas", "pvlib", "torch")


@unittest.skipIf(lacking, lacking)
class Student(unittest.TestCase):
    def test_script(self):
        import helioray.torch
        try:
            helioray.torch.operators()
        except ImportError as absent:
            self.skipTest(str(absent))
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, SCRIPT], cwd=folder, capture_output=True, text=True, env=os.environ)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("HelioRayWarning", done.stderr)
            self.assertEqual(sorted(file.name for file in pathlib.Path(folder).iterdir()), ["day.h5", "day.html"])
        good, worse, before, after, step = done.stdout.strip().split("\n")
        energies = [float(re.match(r"[\d.]+ mrad: ([\d.]+) MWh", line)[1]) for line in (good, worse)]
        self.assertGreater(energies[0], energies[1])
        peaks = [float(re.search(r"peak (\d+) kW/m2", line)[1]) for line in (before, after)]
        self.assertGreater(peaks[0], 600)
        self.assertLess(peaks[1], 620)
        first, second = map(float, re.search(r"from ([\d.]+) to ([\d.]+)$", step).groups())
        self.assertLess(second, first)


if __name__ == "__main__":
    unittest.main()
