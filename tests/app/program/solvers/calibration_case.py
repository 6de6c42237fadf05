# SPDX-License-Identifier: MIT
"""What tests of the calibrate command share: real records, copies of them that may be damaged."""

import csv
import json
import shutil

from harness import SOURCE, ProgramTest

TOWER = SOURCE / "configs/paint/tower-measurements.json"
PAINT = SOURCE / "tutorials/12_calibration/paint"


class CalibrateTest(ProgramTest):
    def calibrate(self, *arguments, code=0):
        done = self.run_program("calibrate", *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def calibrate_json(self, *arguments):
        return json.loads(self.calibrate("--tower", TOWER, *arguments, "-o", "calibrated.h5", "--json").stdout)

    def copy(self, *names):
        """Copies of heliostats that a test may damage."""
        for name in names:
            shutil.copytree(PAINT / name, self.folder / "paint" / name)
        return self.folder / "paint"

    def edit(self, path, change):
        data = json.loads(path.read_text())
        change(data)
        path.write_text(json.dumps(data))

    def record(self, heliostat, number):
        return PAINT / heliostat / "Calibration" / f"{number}-calibration-properties.json"

    def table_of(self, heliostat, *numbers, name="records.csv", ids=True):
        """A table of PAINT's records, with the spots that the program reads from them."""
        made = self.run_program("calibrate", "--tower", TOWER, PAINT / heliostat, "-o", "for_table.h5", "--json")
        spots = {c["record"]: c["measured_m"] for c in json.loads(made.stdout)["heliostats"][heliostat]["left_out"]}
        with open(self.folder / name, "w", newline="") as file:
            table = csv.writer(file)
            table.writerow([*(["record"] if ids else []), "heliostat", "target", "axis_1_motor_position", "axis_2_motor_position",
                            "sun_azimuth_deg", "sun_elevation_deg", "spot_east_m", "spot_north_m", "spot_up_m"])
            for number in numbers or sorted(spots):
                data = json.loads(self.record(heliostat, number).read_text())
                table.writerow([*([number] if ids else []), heliostat, data["target_name"], *data["motor_position"].values(),
                                180 - data["sun_azimuth"], data["sun_elevation"], *spots[str(number)]])
        return self.folder / name
