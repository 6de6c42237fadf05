# SPDX-License-Identifier: MIT
"""YAML of the documents is valid; C++ and Python of them stand in programs that are built and run."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from markdown import DOCUMENTS, SOURCE, Document
import program_help

# What a snippet of YAML leaves out; its scenario is that of configs.
REST = {"scenario": "scenario: plant.h5", "sun": "sun: {azimuth_deg: 180, elevation_deg: 45}", "aim": "aim: {target: multi_focus_tower}",
        "output": "output: {file: flux.h5}"}
# The same for templates of fields.
FIELD_REST = {"site": "site: {latitude_deg: 37, longitude_deg: -6}", "tower": "tower: {optical_height_m: 60}", "receiver": "receiver: {type: cylinder, radius_m: 3, height_m: 8}",
              "layout": "layout: {type: radial_stagger, heliostats: 100}", "heliostat": "heliostat: {width_m: 4, height_m: 3, pivot_height_m: 2}"}


def blocks(language):
    return [(path, block) for path in DOCUMENTS for block in Document(path).blocks if block.language == language]


def lines_of(text, comment):
    """Lines without comments and indentation."""
    return [plain for line in text.splitlines() if (plain := line.split(comment)[0].strip())]


def stands_in(lines, file_lines):
    """All lines are there in this order."""
    rest = iter(file_lines)
    return all(line in rest for line in lines)


class Snippets(unittest.TestCase):
    def validate(self, text):
        with tempfile.TemporaryDirectory(prefix="helioray_docs_") as name:
            folder = pathlib.Path(name)
            shutil.copy(SOURCE / "configs/juelich.h5", folder / "plant.h5")
            (folder / "clouds.csv").write_text("east_m,north_m,share\n0,0,1\n0,100,0.5\n100,0,1\n100,100,0.5\n")
            corners = [f"{x},{y},80\n" for y in (5_632_000, 5_652_000) for x in (335_000, 355_000)]
            (folder / "ground.csv").write_text("x,y,z\n" + "".join(corners))
            (folder / "mirrors.csv").write_text("name,reflectivity\nall,0.9\n")
            (folder / "run.yaml").write_text(text)
            return subprocess.run([program_help.PROGRAM, "validate", "run.yaml"], cwd=folder, capture_output=True, text=True, timeout=60)

    def generate(self, text):
        with tempfile.TemporaryDirectory(prefix="helioray_docs_") as name:
            (pathlib.Path(name) / "field.yaml").write_text(text)
            return subprocess.run([program_help.PROGRAM, "scenario", "generate", "field.yaml", "-o", "field.h5"], cwd=name, capture_output=True, text=True, timeout=60)

    def test_yaml(self):
        found = blocks("yaml")
        self.assertGreater(len(found), 5)
        for path, block in found:
            with self.subTest(document=path, line=block.line):
                given = set(re.findall(r"^(\w+):", block.text, re.MULTILINE))
                if given & {"heliostat", "heliostat_types", "layout"}:
                    given |= {"tower"} if "towers" in given else {"heliostat"} if "heliostat_types" in given else set()
                    done = self.generate(block.text + "".join(f"{line}\n" for key, line in FIELD_REST.items() if key not in given))
                    self.assertEqual(done.returncode, 0, done.stderr)
                    continue
                done = self.validate(block.text + "".join(f"{line}\n" for key, line in REST.items() if key not in given))
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_other_forms_in_comments(self):
        """Lines of YAML that stand as comments beside the form they replace."""
        text = next(b.text for p, b in blocks("yaml") if "# times:" in b.text)
        first = next(line for line in text.splitlines() if "times:" in line and "#" not in line)
        others = [line.replace("# ", "", 1) for line in text.splitlines() if line.strip().startswith("# ") and "file:" not in line]
        self.assertEqual(len(others), 2)
        for other in others:
            done = self.validate(text.replace(first, other) + "scenario: plant.h5\naim: {target: receiver}\noutput: {file: flux.h5}\n")
            self.assertEqual(done.returncode, 0, done.stderr)

    def check_stands_in(self, language, comment, files):
        sources = [lines_of(f.read_text(), comment) for f in files]
        found = blocks(language)
        self.assertTrue(found)
        for path, block in found:
            with self.subTest(document=path, line=block.line):
                lines = lines_of(block.text, comment)
                self.assertTrue(any(stands_in(lines, s) for s in sources), "in no program that is built")

    def test_cpp(self):
        self.check_stands_in("cpp", "//", [*SOURCE.glob("tutorials/*/*.cpp"), *SOURCE.glob("tests/package/consumer/*.cpp"), SOURCE / "tests/docs/snippets.cpp"])

    def test_python(self):
        """Short Python stands in programs of tutorials; tests/raytracer/operators/test_python.py runs that of the operators."""
        for path, block in blocks("python"):
            with self.subTest(document=path, line=block.line):
                code = block.text.replace("return ", "")
                compile(code, path, "exec")
                if path.startswith("tutorials/"):
                    programs = [lines_of(f.read_text(), "#") for f in SOURCE.glob("tutorials/*/*.py")]
                    self.assertTrue(any(stands_in(lines_of(block.text, "#"), p) for p in programs), "in no program that is run")


if __name__ == "__main__":
    unittest.main()
