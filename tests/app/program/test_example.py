# SPDX-License-Identifier: MIT
"""The example command: what comes with HelioRay is listed, copied with all that it needs, and runs."""

import re
import shlex
import unittest

from harness import SOURCE, ProgramTest


class Example(ProgramTest):
    def good(self, *arguments):
        done = self.run_program(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_list(self):
        listed = dict(re.findall(r"^  (\w+) +(.+)$", self.good("example"), re.M))
        self.assertEqual(sorted(listed), sorted(file.stem for ending in ("yaml", "h5") for file in (SOURCE / "configs").glob(f"*.{ending}") if file.name != "field.h5"))
        self.assertEqual(listed["field"], "A small tower plant: radially staggered heliostats all around an external cylindrical receiver.")
        self.assertTrue(all(text.endswith(".") for example, text in listed.items() if example != "juelich"), listed)
        self.assertIn("helioray info juelich.h5", listed["juelich"])

    def test_copies_run(self):
        """The commands that the program names work as they are written."""
        files = {"quickstart": ["juelich.h5", "quickstart.yaml"], "series": ["juelich.h5", "series.yaml"], "field": ["field.yaml"], "juelich": ["juelich.h5"],
                 "field_run": ["field.yaml", "field_run.yaml"], "aiming": ["aiming.yaml", "field.yaml"]}
        for name, copies in files.items():
            folder = self.folder / name
            folder.mkdir()
            text = self.good("example", name, "-o", name)
            with self.subTest(name):
                self.assertEqual(sorted(file.name for file in folder.iterdir()), copies)
                for copy in copies:
                    self.assertIn(f"wrote {name}/{copy}\n", text)
                    self.assertEqual((folder / copy).read_bytes(), (SOURCE / "configs" / copy).read_bytes())
                commands = [shlex.split(line)[1:] for line in re.findall(r"^next: (.+)$", text, re.M)]
                self.assertGreaterEqual(len(commands), 1)
                self.assertEqual(commands[-1][0] == "aim", name == "aiming")
                for command in commands:
                    rays = ["--set", "tracing.rays_per_heliostat=10", "-o", f"{name}/result.h5"] if command[0] == "raytrace" else []
                    if command[0] == "aim":
                        rays = ["--set", "tracing.rays_per_heliostat=1000"]
                    done = self.run_program(*command, *rays)
                    self.assertEqual(done.returncode, 0, done.stderr)

    def test_here(self):
        self.assertIn("wrote quickstart.yaml\n", self.good("example", "quickstart"))
        self.assertTrue((self.folder / "quickstart.yaml").exists())

    def test_nothing_is_replaced(self):
        (self.folder / "juelich.h5").write_text("mine")
        done = self.run_program("example", "quickstart")
        self.assertEqual(done.returncode, 2)
        self.check_message("arguments", "an example replaces no file", done.stderr, "juelich.h5: exists", "-o FOLDER")
        self.assertFalse((self.folder / "quickstart.yaml").exists())

    def test_the_same_file_of_another_example_stays(self):
        self.good("example", "field")
        self.assertIn("wrote field_run.yaml\n", self.good("example", "field_run"))

    def test_unknown(self):
        done = self.run_program("example", "quikstart")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no example 'quikstart'; did you mean 'quickstart'", done.stderr)


if __name__ == "__main__":
    unittest.main()
