# SPDX-License-Identifier: MIT
"""One version and one day of the release: in CMakeLists.txt, CITATION.cff and CHANGELOG.md, and in what the program prints. One version of
PyTorch and of nanobind, which pyproject.toml has to repeat."""

import os
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(os.environ["HELIORAY_SOURCE_DIR"])
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "scripts"))
import python_package as package  # noqa: E402


class Versions(unittest.TestCase):
    def test_one_version(self):
        version = package.the_one(package.versions(SOURCE), "versions differ")
        self.assertRegex(version, r"^\d+\.\d+\.\d+$")
        printed = subprocess.run([os.environ["HELIORAY_PROGRAM"], "--version"], capture_output=True, text=True, check=True).stdout
        self.assertIn(version, printed.split())

    def test_one_day(self):
        self.assertRegex(package.the_one(package.dates(SOURCE), "dates of the release differ"), r"^20\d\d-\d\d-\d\d$")

    def test_one_pytorch(self):
        self.assertRegex(package.the_one(package.torch_versions(SOURCE), "versions of PyTorch differ"), r"^\d+\.\d+\.\d+$")

    def test_one_nanobind(self):
        places = ("pyproject.toml", "scripts/requirements-test.txt")
        found = {place: re.findall(r"nanobind==([0-9.]+)", (SOURCE / place).read_text()) for place in places}
        package.the_one({place: " and ".join(versions) for place, versions in found.items()}, "versions of nanobind differ")

    def test_differences_are_named(self):
        with self.assertRaisesRegex(package.Failure, "versions differ: 0.2.0 in a, 0.3.0 in b"):
            package.the_one({"a": "0.2.0", "b": "0.3.0"}, "versions differ")


if __name__ == "__main__":
    unittest.main()
