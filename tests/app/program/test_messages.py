# SPDX-License-Identifier: MIT
"""Messages stay short: one cause in a thousand rows is named once with its first rows and the count, and its consequences not at all."""

import unittest

from harness import SCENARIO, ProgramTest

TEMPLATE = """\
tower: {optical_height_m: 60}
receiver: {type: plane, width_m: 8, height_m: 6}
heliostat: {width_m: 4, height_m: 3, pivot_height_m: 3}
"""


class Messages(ProgramTest):
    def layout(self, rows, header="name,x,y,z", code=2):
        (self.folder / "plant.csv").write_text("\n".join([header, *rows]) + "\n")
        (self.folder / "field.yaml").write_text(TEMPLATE)
        done = self.run_program("scenario", "layout", "plant.csv", "--template", "field.yaml", "-o", "plant.h5")
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def test_decimal_commas_in_a_thousand_rows(self):
        rows = [f'H{i},"{8 * (i % 40)},5","{100 + 10 * (i // 40)},5","1,5"' for i in range(1000)]
        text = self.layout(rows)
        self.assertLess(text.count("\n"), 30, text)
        self.check_message("layouts", "decimal commas in a thousand rows", text)
        self.check_message("layouts", "a decimal comma", text, "plant.csv:2:4: x: '0,5'", "decimal point")
        self.assertEqual(text.count("995 more problems"), 3)
        # Heliostats whose positions are unknown do not touch.
        self.assertNotIn("stand", text)

    def test_positions_in_kilometres(self):
        rows = [f"H{i},{0.008 * (i % 25):.4f},{0.1 + 0.01 * (i // 25):.4f},1" for i in range(500)]
        text = self.layout(rows)
        self.assertEqual(text.count("\n"), 1, text)
        self.check_message("layouts", "positions in kilometres", text, "500 of 500 heliostats", "'x [km]'")
        self.layout(rows, "name,x [km],y [km],z", code=0)

    def test_a_few_heliostats_that_touch_are_named(self):
        rows = [f"H{i},{8 * (i % 25)},{100 + 10 * (i // 25)},1" for i in range(100)]
        text = self.layout([*rows, "X,1,100,1"])
        self.check_message("layouts", "heliostats that touch", text, "heliostat X", "1.000 m", "H0")

    def test_heights_of_0_keep_the_height_of_the_pivot(self):
        rows = [f"H{i},{8 * i},100,0" for i in range(5)]
        text = self.layout(rows, code=0)
        self.check_message("layouts", "heights of 0", text, "z is 0 in all rows", "pivots 3 m")
        self.assertIn("5 heliostats of 4 x 3 m", text)
        self.assertIn("100 to 105 m from the tower", text)
        one = self.layout(rows[:1], code=0)
        self.assertIn("1 heliostat of 4 x 3 m with 1 different mirror, 100 m", one)

    def test_two_forms_of_the_sun_on_the_command_line(self):
        self.write_config("1e3")
        time = "2026-06-21T12:00:00+02:00"
        done = self.run_program("validate", "run.yaml", "--set", f"sun.time={time}")
        self.assertEqual(done.returncode, 2, done.stderr)
        for advice in ("--set sun.azimuth_deg=null --set sun.elevation_deg=null", "--set 'sun={time: ...}'"):
            self.assertIn(advice, done.stderr)
        # Both do what they promise.
        for options in (("--set", "sun.azimuth_deg=null", "--set", "sun.elevation_deg=null", "--set", f"sun.time={time}"), ("--set", f"sun={{time: '{time}'}}")):
            done = self.run_program("validate", "run.yaml", *options)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_files_of_another_kind(self):
        """A scenario where a result or a configuration is wanted, a result where a picture is wanted."""
        self.write_config("1e3")
        self.good("raytrace", "run.yaml", "-q", "-o", "a.h5")
        for arguments, text in ((("report", SCENARIO, "-o", "a.html"), "is a scenario, not a result"),
                                (("raytrace", SCENARIO), "is no run configuration"),
                                (("compare", "a.h5", "--measured", "a.h5"), "helioray plot a.h5 --difference a.h5 -o difference.png")):
            self.check_message("arguments", f"{arguments[0]} with a file of another kind", self.refused(*arguments), text)

    def test_the_absorptance_is_never_assumed_silently(self):
        self.write_config("1e3")
        done = self.run_program("efficiency", "run.yaml", "--azimuths", "90:270:3", "--elevations", "20,35,50", "--set", "bitmap={width: 8, height: 8}",
                                "-o", "sky.h5", "-q")
        self.assertEqual(done.returncode, 0, done.stderr)
        for command in ("sam", "solarpilot"):
            assumed = self.run_program("export", command, "sky.h5", "-o", command)
            self.assertEqual(assumed.returncode, 0, assumed.stderr)
            self.assertIn("--absorptance is not given: 0.94 assumed", assumed.stderr)
            given = self.run_program("export", command, "sky.h5", "-o", command, "--absorptance", "0.9")
            self.assertNotIn("assumed", given.stderr)


if __name__ == "__main__":
    unittest.main()
