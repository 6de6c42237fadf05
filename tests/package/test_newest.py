# SPDX-License-Identifier: MIT
"""The notebooks of tutorial 14 as users run them: jupyter nbconvert in the folder of the notebook, far from the repository, with the newest versions that pip
installs. HELIORAY_NEWEST_PYTHON names an interpreter that has them; without it, pip makes an environment."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(os.environ["HELIORAY_SOURCE_DIR"])
WORK = pathlib.Path(os.environ["HELIORAY_WORK_DIR"])
PACKAGES = ("numpy", "pandas", "xarray", "h5netcdf", "pvlib", "nrel-pysam", "ipykernel", "nbconvert")
LIMIT_S = 900


def newest_python():
    """The interpreter of an environment with the newest packages."""
    if os.environ.get("HELIORAY_NEWEST_PYTHON"):
        return pathlib.Path(os.environ["HELIORAY_NEWEST_PYTHON"])
    shutil.rmtree(WORK / "environment", ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", WORK / "environment"], check=True)
    python = WORK / "environment/bin/python"
    done = subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], capture_output=True, text=True, timeout=LIMIT_S)
    if "No matching distribution found" in done.stderr or "Could not find a version" in done.stderr:
        raise unittest.SkipTest("pip reaches no package index")
    assert done.returncode == 0, done.stderr
    return python


class Newest(unittest.TestCase):
    def test_notebooks(self):
        if subprocess.run([sys.executable, "-c", "import helioray"], capture_output=True).returncode != 0:
            self.skipTest("the Python package is not built; scripts/setup --tests installs what it needs")
        python = newest_python()
        folder = WORK / "notebooks"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for file in sorted((SOURCE / "tutorials/14_python").glob("*.ipynb")):
            if "import torch" in file.read_text():
                continue  # PyTorch is pinned
            with self.subTest(file.name):
                shutil.copy2(file, folder)
                done = subprocess.run([python, "-m", "nbconvert", "--to", "notebook", "--execute", "--inplace", file.name], cwd=folder,
                                      capture_output=True, text=True, timeout=LIMIT_S)
                self.assertEqual(done.returncode, 0, done.stderr[-3000:])
                outputs = [output for cell in json.loads((folder / file.name).read_text())["cells"] for output in cell.get("outputs", [])]
                self.assertEqual([output["text"] for output in outputs if output.get("name") == "stderr"], [])


if __name__ == "__main__":
    unittest.main()
