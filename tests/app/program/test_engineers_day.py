# SPDX-License-Identifier: MIT
"""A first project of a plant engineer, as the documents tell it: own positions in CSV, a weather file, limits of the receiver, a report."""

import csv
import json
import math
import unittest

from harness import ProgramTest

# Sizes of the plant: tutorial 05.
TEMPLATE = """\
site: {latitude_deg: 37.4, longitude_deg: -6.25, altitude_m: 60}
tower: {optical_height_m: 50, height_m: 46, radius_m: 2}
receiver: {type: plane, width_m: 5, height_m: 5, tilt_deg: 20, offset_m: 2.5}
heliostat: {width_m: 6, height_m: 4, facets: [2, 2], focal_length_m: slant_range, canting_distance_m: slant_range, pivot_height_m: 3}
"""


class EngineersDay(ProgramTest):
    def good(self, *arguments):
        done = self.run_program(*arguments)
        self.assertEqual(done.returncode, 0, f"{arguments}\n{done.stdout}{done.stderr}")
        return done

    def write_inputs(self):
        """Positions from a spreadsheet, hourly irradiance of a day and a year, the limits of the receiver by place."""
        rows = ["Heliostat;East [m];North [m];enabled"]
        for ring in range(5):
            for k in range(8):
                angle, radius = math.radians(-44.0 + 11.0 * k + 5.5 * (ring % 2)), 60.0 + 16.0 * ring
                rows.append(f"A{ring}{k};{radius * math.sin(angle):.2f};{radius * math.cos(angle):.2f};{0 if (ring, k) == (2, 3) else 1}")
        (self.folder / "positions.csv").write_text("\n".join(rows) + "\n")
        (self.folder / "template.yaml").write_text(TEMPLATE)
        sky = lambda hour: max(0, round(880 * math.sin(math.pi * (hour - 5) / 14)))
        (self.folder / "day.csv").write_text("time,dni_w_m2\n" + "".join(f"2026-06-21T{h:02}:00:00+00:00,{sky(h)}\n" for h in range(6, 19, 2)))
        (self.folder / "year.csv").write_text("time,dni_w_m2\n" + "".join(
            f"2026-{month:02}-{day:02}T{h:02}:00:00+00:00,{sky(h)}\n" for month in range(1, 13) for day in range(1, 29) for h in range(24)))
        (self.folder / "limits.csv").write_text("x_m,y_m,flux_limit_kw_m2\n" + "".join(
            f"{x},{y},{limit}\n" for x in (-2.5, 2.5) for y, limit in ((-2.5, 300), (2.5, 200))))

    def test_the_whole_project(self):
        self.write_inputs()
        self.good("scenario", "layout", "positions.csv", "--template", "template.yaml", "-o", "plant.h5", "--config", "run.yaml")
        fast = ("--set", "tracing.rays_per_heliostat=1e4", "--set", "bitmap={width: 20, height: 20}")
        self.good("validate", "run.yaml", *fast)

        # A day with the measured irradiance.
        self.good("raytrace", "run.yaml", *fast, "--set", "sun={file: day.csv}", "-o", "day.h5", "--image", "day.png")
        info = self.good("info", "day.h5").stdout
        for text in ("39 heliostats, ", "m from the tower, mirrors 6.00 x 4.00 m", "1 heliostat off: A23", "2026-06-21"):
            self.assertIn(text, info)
        self.good("report", "day.h5", "-o", "day.html")
        self.good("plot", "day.h5", "-o", "field.png", "--field", "target", "--unit", "energy")
        self.good("export", "csv", "day.h5", "-o", "tables")
        with open(self.folder / "tables/steps.csv", newline="") as stream:
            powers = [float(row["target_power_w"]) for row in csv.DictReader(stream)]
        self.assertGreater(max(powers), 3 * min(powers))

        # Aim points under the limits of the receiver, at noon.
        noon = ("--set", "sun={time: '2026-06-21T12:00:00+00:00', dni_w_m2: 880}")
        limits = ("--set", "aiming={flux_limit: {file: limits.csv}}")
        aims = json.loads(self.good("aim", "run.yaml", *fast, *noon, *limits, "-o", "aims.csv", "--report", "aims.html", "--json").stdout)
        self.assertTrue(aims["limits_kept"])
        self.assertGreater(aims["peak_flux_before_w_m2"], 300e3)
        again = json.loads(self.good("raytrace", "run.yaml", *fast, *noon, "--set", "aim.file=aims.csv", "--json").stdout)
        self.assertEqual(again["fingerprint"], aims["fingerprint"])

        # The year with a weather file.
        year = json.loads(self.good("annual", "run.yaml", *fast, "--weather", "year.csv", "--declinations", "3", "--hours", "5", "-o", "year.h5", "--json").stdout)
        self.assertGreater(year["energy"]["target_energy"] if "target_energy" in year["energy"] else year["energy"]["target_power"], 1e11)
        self.good("report", "year.h5", "-o", "year.html")
        for page in ("day.html", "aims.html", "year.html"):
            text = (self.folder / page).read_text(encoding="utf-8")
            self.assertIn("A23", text, page)  # the heliostat that is off
            self.assertIn('"name":"tower"', text, page)


if __name__ == "__main__":
    unittest.main()
