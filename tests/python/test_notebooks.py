# SPDX-License-Identifier: MIT
"""The notebooks of tutorial 14 run, print what they have stored, and stay small."""

import json
import pathlib
import re
import tempfile
import unittest

from package import SOURCE, needs

lacking = needs("nbclient", "ipykernel", "pandas", "xarray", "pvlib")
MOST_BYTES = 200_000
# Numbers of floating-point computations differ in their last digits between processors.
NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]\d+)?")


class Notebooks(unittest.TestCase):
    def test_stored(self):
        files = sorted((SOURCE / "tutorials/14_python").glob("*.ipynb"))
        self.assertGreaterEqual(len(files), 4)
        for file in files:
            with self.subTest(file.name):
                self.assertLess(file.stat().st_size, MOST_BYTES)
                cells = [cell for cell in json.loads(file.read_text())["cells"] if cell["cell_type"] == "code"]
                # Run from top to bottom.
                self.assertEqual([cell["execution_count"] for cell in cells], list(range(1, len(cells) + 1)))
                self.assertTrue(any(cell["outputs"] for cell in cells))
                self.assertIn(file.name, (SOURCE / "tutorials/14_python/README.md").read_text())

    def check(self, name):
        import nbformat
        from notebooks import executed, messages, printed
        file = SOURCE / "tutorials/14_python" / name
        # An empty folder far from the repository: nothing but the package is needed.
        with tempfile.TemporaryDirectory() as folder:
            done = executed(file, folder)
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [])
        self.assertEqual(messages(done), [])
        for found, stored in zip(printed(done), printed(nbformat.read(file, as_version=4)), strict=True):
            self.assertEqual(NUMBER.sub("#", found), NUMBER.sub("#", stored))
            for one, other in zip(NUMBER.findall(found), NUMBER.findall(stored)):
                self.assertAlmostEqual(float(one), float(other), delta=0.02 * abs(float(other)) + 0.02)

    def test_no_output_of_progress_is_stored(self):
        for file in (SOURCE / "tutorials/14_python").glob("*.ipynb"):
            self.assertNotIn("helioray: ", file.read_text(), file.name)

    @unittest.skipIf(lacking, lacking)
    def test_flux_map(self):
        self.check("flux_map.ipynb")

    @unittest.skipIf(lacking, lacking)
    def test_pvlib_day(self):
        self.check("pvlib_day.ipynb")

    @unittest.skipIf(lacking or needs("PySAM"), lacking or needs("PySAM"))
    def test_sam_year(self):
        self.check("sam_year.ipynb")

    @unittest.skipIf(lacking or needs("torch"), lacking or needs("torch"))
    def test_gradients(self):
        import helioray.torch
        try:
            helioray.torch.operators()
        except ImportError as absent:
            self.skipTest(str(absent))
        self.check("gradients.ipynb")


if __name__ == "__main__":
    unittest.main()
