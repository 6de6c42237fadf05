# SPDX-License-Identifier: MIT
"""scripts/test_summary on a file of CTest with a passed, a failed and two skipped entries."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from xml.sax.saxutils import escape

SCRIPT = pathlib.Path(os.environ["HELIORAY_SOURCE_DIR"], "scripts", "test_summary")


def entry(name, status, output="", inside=""):
    return f'<testcase name="{name}" status="{status}">{inside}<system-out>{escape(output)}</system-out></testcase>'


def summarize(*entries, **environment):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "results.xml")
        file.write_text("<testsuite>" + "".join(entries) + "</testsuite>")
        done = subprocess.run([sys.executable, SCRIPT, file], capture_output=True, text=True,
                              env={name: value for name, value in os.environ.items() if name != "CI"} | environment)
    return done.returncode, done.stdout


PASSED = entry("a", "run")
IN_PART = entry("b", "run", "one\nSKIP: case: HELIORAY_TEST_DATA is not set\n")
SKIPPED = entry("c", "notrun", "SKIP: no CUDA device\n", '<skipped message="SKIP_RETURN_CODE=77"/>')
FAILED = entry("d", "fail", "\n".join(["before"] * 40 + ["  FAILED  row 7", "    1 != 2"] + ["after"] * 40))
SILENT = entry("e", "fail", "\n".join(f"line {i}" for i in range(40)))


class TestSummary(unittest.TestCase):
    def test_counts_and_names(self):
        code, text = summarize(PASSED, FAILED, IN_PART, SKIPPED)
        self.assertEqual(code, 0)
        self.assertIn("2 passed (1 of them skipped a part), 1 failed, 1 skipped", text)
        self.assertIn("in part  b: case: HELIORAY_TEST_DATA is not set", text)
        self.assertIn("skipped  c: no CUDA device", text)

    def test_failures_come_last_with_the_lines_that_name_an_error(self):
        _, text = summarize(FAILED, SKIPPED)
        self.assertEqual(text.splitlines()[-3:], ["  failed   d", "      FAILED  row 7", "        1 != 2"])

    def test_a_failure_without_such_lines_shows_its_last_ones(self):
        _, text = summarize(SILENT)
        self.assertEqual([line.strip() for line in text.splitlines()[-12:]], [f"line {i}" for i in range(28, 40)])

    def test_continuous_integration_accepts_named_skips_only(self):
        self.assertEqual(summarize(PASSED, IN_PART, SKIPPED, CI="true")[0], 0)
        code, text = summarize(entry("f", "run", "SKIP: mpirun is not installed\n"), CI="true")
        self.assertEqual(code, 1)
        self.assertIn("f: mpirun is not installed", text)


if __name__ == "__main__":
    unittest.main()
