# SPDX-License-Identifier: MIT
"""Targets that no light reaches: what the program says, wherever it shows such a result."""

import json
import unittest

from harness import ProgramTest

TEMPLATE = """\
site: {{latitude_deg: 30, longitude_deg: 0, altitude_m: 0}}
tower: {{optical_height_m: 40}}
receiver: {{type: plane, width_m: 6, height_m: 6, azimuth_deg: {azimuth}}}
heliostat: {{width_m: 3, height_m: 2, pivot_height_m: 4}}
layout: {{type: radial_stagger, heliostats: 8, min_radius_m: 40, azimuth_from_deg: -60, azimuth_to_deg: 60}}
"""
NO_LIGHT = "no light reaches target 'receiver'"
REMEDY = "check which way its front faces"
SMALL = ("--set", "tracing.rays_per_heliostat=256", "--set", "bitmap.width=16", "--set", "bitmap.height=16", "--set", "output.image=null")
YEAR = ("--declinations", "3", "--hours", "3")


class Light(ProgramTest):
    def make(self, azimuth, *options):
        (self.folder / "template.yaml").write_text(TEMPLATE.format(azimuth=azimuth))
        done = self.run_program("scenario", "generate", "template.yaml", "-o", "field.h5", "--config", "run.yaml", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def warned(self, *arguments, light=False):
        """Runs a command that must warn, or with light must not."""
        done = self.run_program(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        if light:
            self.assertNotIn("no light", done.stderr + done.stdout)
        else:
            self.assertIn(NO_LIGHT, done.stderr)
            self.assertIn(REMEDY, done.stderr)
        return done

    def commands(self, light):
        """Every command that shows a result, once each; yields those with --json."""
        self.warned("validate", "run.yaml", light=light)
        for command, *options in (("raytrace", "-o", "run.h5"), ("annual", "-o", "year.h5", *YEAR),
                                  ("efficiency", "-o", "table.h5", "--azimuths", "150,180,210", "--elevations", "40,50,60", "--no-checks"),
                                  ("sweep", "-o", "sweep.csv", "--vary", "optics.reflectivity=0.8,0.9"),
                                  ("raytrace", "-o", "series.h5", "--set", "sun.azimuth_deg=null", "--set", "sun.elevation_deg=null",
                                   "--set", "sun.positions=[{azimuth_deg: 150, elevation_deg: 40}, {azimuth_deg: 200, elevation_deg: 50}]")):
            yield json.loads(self.warned(command, "run.yaml", *options, *SMALL, "--json", light=light).stdout)["warnings"]
        for file in ("run.h5", "series.h5", "year.h5", "table.h5"):
            self.warned("info", file, light=light)
            self.warned("plot", file, "-o", "picture.svg", light=light)
        for file in ("run.h5", "series.h5", "year.h5"):
            self.warned("report", file, "-o", "page.html", light=light)
            page = (self.folder / "page.html").read_text()
            self.assertEqual("no light reaches target" in page and REMEDY in page, not light)

    def test_a_receiver_that_faces_away(self):
        done = self.make(180)
        self.assertIn(NO_LIGHT, done.stderr)
        self.check_message("light", "a receiver that faces away", done.stderr, NO_LIGHT, "azimuth 180", "front")
        self.assertIn(NO_LIGHT, json.loads(self.make(180, "--json").stdout)["warnings"][0])
        for warnings in self.commands(light=False):
            self.assertEqual(len(warnings), 1)
            self.assertIn(NO_LIGHT, warnings[0])
            self.assertIn(REMEDY, warnings[0])

    def test_a_receiver_that_faces_the_field(self):
        self.assertEqual(json.loads(self.make(0, "--json").stdout)["warnings"], [])
        for warnings in self.commands(light=True):
            self.assertEqual(warnings, [])


if __name__ == "__main__":
    unittest.main()
