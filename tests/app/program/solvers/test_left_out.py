# SPDX-License-Identifier: MIT
"""What the program leaves out, continues or fills in, it says once and in plain words."""

import json
import shutil
import unittest

import h5py

from harness import SCENARIO, ProgramTest


class LeftOut(ProgramTest):
    def warnings_of(self, *arguments):
        done = self.run_program(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line for line in done.stderr.splitlines() if line.startswith("helioray: warning: ")]

    def test_columns_of_suns_are_named_once_without_a_step(self):
        config = self.write_config(rays="1e3")
        (self.folder / "suns.csv").write_text("azimuth_deg,elevation_deg,remark\n170,40,a\n180,45,b\n190,44,c\n")
        lines = self.warnings_of("raytrace", config, "--set", "sun={file: suns.csv}")
        self.assertEqual(len(lines), 1, lines)
        self.assertTrue(lines[0].startswith("helioray: warning: ") and lines[0].endswith("suns.csv: columns that are not used: remark"), lines)
        self.assertNotIn("step", lines[0])

    def test_heliostats_without_a_share_of_clouds(self):
        config = self.write_config(rays="1e3")
        (self.folder / "clouds.csv").write_text("name,share\nAA39,0.5\n")
        lines = self.warnings_of("raytrace", config, "--set", "sun.clouds.file=clouds.csv")
        self.assertEqual(sum("sun.clouds.file: " in line and "get all of the sunlight" in line for line in lines), 1, lines)

    def test_attenuation_beyond_its_range(self):
        config = self.write_config(rays="1e3")
        clear = ("--set", "optics.attenuation=vittitoe_biggs_clear")
        self.assertEqual(self.warnings_of("raytrace", config, *clear), [])
        far = ("--set", "aim.point=[0, -4000, 50]")
        for model in ("mirval", "{model: exponential, per_km: 0.1}"):
            self.assertFalse([line for line in self.warnings_of("raytrace", config, *far, "--set", f"optics.attenuation={model}") if "attenuation" in line])
        lines = [line for line in self.warnings_of("raytrace", config, *far, *clear) if "attenuation" in line]
        self.assertEqual(len(lines), 1)
        self.assertRegex(lines[0], r"optics.attenuation: \d+ heliostats .*3 km.*\d\.\d\d km.*exponential")

    def test_flux_limits_with_gaps(self):
        config = self.write_config(rays="1e3")
        (self.folder / "limits.csv").write_text("x_m,y_m,flux_limit_kw_m2\n-1,-1,900\n1,-1,900\n-1,1,900\n1,1,900\n")
        table = ("--set", "aiming={flux_limit: {file: limits.csv}}", "-o", "aims.csv")
        lines = self.warnings_of("aim", config, *table)
        self.check_message("tables", "flux limits with gaps", "\n".join(lines), "x from -1 to 1 m", "y from -1 to 1 m", "'multi_focus_tower'", "no limit")

    def test_series_of_aim_points_has_warnings(self):
        config = self.write_config(rays="1e3")
        done = self.run_program("aim", config, "--set", "sun={positions: [{azimuth_deg: 180, elevation_deg: 45}, {azimuth_deg: 200, elevation_deg: 40}]}",
                                "--strategy", "center", "-o", "aims.csv", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["warnings"], [])

    def test_unknown_datasets_of_a_scenario(self):
        scenario = self.folder / "plant.h5"
        shutil.copy(SCENARIO, scenario)
        config = self.write_config(rays="1e3")
        self.assertEqual(self.warnings_of("raytrace", config, "--set", f"scenario={scenario}"), [])
        with h5py.File(scenario, "a") as file:
            file["targets_of_tomorrow/x"] = 1.0
            file["lightsources/" + next(iter(file["lightsources"])) + "/distribution_parameters/csr"] = 0.1
            for name in file["heliostats"]:
                file[f"heliostats/{name}/reflectivity"] = 0.8
            count = len(file["heliostats"])
        lines = self.warnings_of("raytrace", config, "--set", f"scenario={scenario}")
        for name in ("reflectivity", "targets_of_tomorrow", "csr"):
            self.assertEqual(sum(f"'{name}' is unknown here and not used" in line for line in lines), 1, lines)
        self.assertTrue(count == 1 or any(f"(and {count - 1} more)" in line for line in lines if "reflectivity" in line), lines)

    def test_columns_without_a_name(self):
        template = self.folder / "template.yaml"
        template.write_text("receiver: {type: plane, width_m: 10, height_m: 10, azimuth_deg: 0}\ntower: {optical_height_m: 60}\n"
                            "heliostat: {width_m: 3, height_m: 2, pivot_height_m: 4}\n")
        layout = self.folder / "layout.csv"
        for text, expected in ((",x,y,z\n0,10,100,4\n1,-20,120,4\n", False), (",x,y,z\n12,10,100,4\n9,-20,120,4\n", True)):
            layout.write_text(text)
            done = self.run_program("scenario", "layout", layout, "--template", template, "-o", "plant.h5")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual("without a name ignored" in done.stderr, expected, done.stderr)

    def test_a_step_minus_a_single_run(self):
        config = self.write_config(rays="1e3")
        self.assertEqual(self.run_program("raytrace", config, "-o", "one.h5").returncode, 0)
        done = self.run_program("raytrace", config, "-o", "day.h5", "--set", "sun.azimuth_deg=null", "--set", "sun.elevation_deg=null", "--set",
                                "sun.positions=[{azimuth_deg: 170, elevation_deg: 40}, {azimuth_deg: 180, elevation_deg: 45}]")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.run_program("plot", "day.h5", "--time", "1", "--difference", "one.h5", "-o", "difference.png", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["difference"]["multi_focus_tower"]["largest"], 0.0)


if __name__ == "__main__":
    unittest.main()
