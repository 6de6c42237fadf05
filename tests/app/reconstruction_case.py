# SPDX-License-Identifier: MIT
"""Base of the tests of `helioray reconstruct`: a scenario of real heliostats, and copies of their records."""

import json
import shutil

from harness import SOURCE, ProgramTest

PAINT = SOURCE / "tests" / "data" / "paint"
TOWER = SOURCE / "configs" / "paint" / "tower-measurements.json"


def change(path, action):
    record = json.loads(path.read_text())
    action(record)
    path.write_text(json.dumps(record))


class ReconstructionTest(ProgramTest):
    def setUp(self):
        super().setUp()
        done = self.run_program("scenario", "paint", "--tower", TOWER, PAINT, "-o", "start.h5")
        self.assertEqual(done.returncode, 0, done.stderr)

    def reconstruct(self, *arguments):
        done = self.run_program("reconstruct", "start.h5", "-o", "out.h5", *arguments, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def copy_records(self, heliostat, *ids):
        """A folder with some records of a heliostat, to be damaged."""
        folder = self.folder / "measured" / heliostat / "Calibration"
        folder.mkdir(parents=True)
        for record in ids:
            for file in (PAINT / heliostat / "Calibration").glob(f"{record}-*"):
                shutil.copy(file, folder)
        return folder
