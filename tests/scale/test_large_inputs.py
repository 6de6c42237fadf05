# SPDX-License-Identifier: MIT
"""The largest tables that users have: suns, weather by the minute, layouts, SolTrace projects, aim points of series; a pipe instead of a file."""

import contextlib
import datetime
import math
import subprocess
import unittest

from harness import CONFIG, PROGRAM, SCENARIO, clean_environment
from scale import TEMPLATE, ScaleTest, names, places

START = datetime.datetime(2025, 1, 1, tzinfo=datetime.timezone.utc)


class LargeInputs(ScaleTest):
    def write_small(self, **changes):
        text = CONFIG.format(scenario=SCENARIO, rays=1000)
        for key, value in changes.items():
            text = "".join(line for line in text.splitlines(True) if not line.startswith(f"{key}:")) + f"{key}: {value}\n"
        (self.folder / "small.yaml").write_text(text)
        return "small.yaml"

    def test_weather_by_the_hour_and_by_the_minute(self):
        config = self.write_small()
        for name, rows in (("hours", 8760), ("minutes", 525_600)):
            with self.subTest(name):
                step = datetime.timedelta(hours=8760 / rows)
                moments = (START + i * step for i in range(rows))
                (self.folder / "weather.csv").write_text("time,dni_w_m2\n" + "".join(
                    f"{t:%Y-%m-%dT%H:%M:%SZ},{800 if 10 <= t.hour < 14 else 0}\n" for t in moments))
                printed = self.json_of("annual", config, "--weather", "weather.csv", "--declinations", 3, "--hours", 3, "-o", "year.h5")
                self.assertAlmostEqual(printed["insolation_j_m2"] / (800 * 4 * 3600 * 365), 1, delta=1e-9)
                self.assertIn(printed["fingerprint"], self.run_program("info", "year.h5").stdout)

    def test_suns(self):
        rows = (f"{90 + 180 * i / 10_000:.3f},{10 + 70 * math.sin(math.pi * i / 10_000):.3f},{500 + i % 400}\n" for i in range(10_000))
        (self.folder / "suns.csv").write_text("azimuth_deg,elevation_deg,dni_w_m2\n" + "".join(rows))
        config = self.write_small(sun="{file: suns.csv}")
        self.assertIn("valid", self.run_program("validate", config).stdout)

    def test_aim_points_of_a_series(self):
        """A table with a row for each heliostat and step."""
        steps, count = 30, 10_000
        suns = ", ".join(f"{{azimuth_deg: {90 + i}, elevation_deg: {20 + i}}}" for i in range(steps))
        points = [(9 * e / math.hypot(e, n), 9 * n / math.hypot(e, n)) for e, n in places(count)]
        with open(self.folder / "aims.csv", "w") as file:
            file.write("name,target,east,north,up,active,step\n")
            for step in range(steps):
                file.writelines(f"{name},receiver,{e:.4f},{n:.4f},200,1,{step}\n" for name, (e, n) in zip(names(count), points))
        config = self.write_config(count, sun=f"{{positions: [{suns}]}}", aim="{target: receiver, file: aims.csv}")
        self.assertIn("valid", self.run_program("validate", config).stdout)

    def test_a_table_from_a_pipe(self):
        """Packed tables come through pipes; this one has 330 MB, most of them comments."""
        line = "# " + "-" * 4094 + "\n"
        (self.folder / "template.yaml").write_text(TEMPLATE)
        run = subprocess.Popen([PROGRAM, "scenario", "layout", "/dev/stdin", "--template", "template.yaml", "-o", "plant.h5"], cwd=self.folder, text=True,
                               stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_environment())
        with contextlib.suppress(BrokenPipeError):
            for _ in range(80):
                run.stdin.write(1000 * line)
            run.stdin.write("name,x,y,z\nA,0,100,3\n")
        _, told = run.communicate()
        self.assertEqual(run.returncode, 0, told)

    def test_soltrace(self):
        """A field as SolarPILOT exports it."""
        count = 10_000
        lines = ["# SOLTRACE VERSION 3.4.0 INPUT FILE", "SUN\tPTSRC\t0\tSHAPE\tp\tSIGMA\t2.73\tHALFWIDTH\t4.65",
                 "XYZ\t0\t-70\t70\tUSELDH\t0\tLDH\t0\t0\t0", "USER SHAPE DATA\t0", "OPTICS LIST COUNT\t2"]
        for name, reflectivity in (("Mirror", 0.9), ("Absorber", 0.0)):
            lines.append(f"OPTICAL PAIR\t{name}")
            lines += [f"OPTICAL.v2\tg\t3\t1\t4\t{reflectivity}\t1\t1.2\t0.4\t1\t0\t0\t0\t0\t0\t0\t0\t0\t0"] * 2
        stage = "STAGE\tXYZ\t0\t0\t0\tAIM\t0\t0\t1\tZROT\t0\tVIRTUAL\t0\tMULTIHIT\t1\tELEMENTS\t%d\tTRACETHROUGH\t0"
        lines += ["STAGE LIST COUNT\t2", stage % count, "Field"]
        for east, north in places(count):
            to_aim = [-east, -north, 197]
            length = math.sqrt(sum(x * x for x in to_aim))
            normal = [to_aim[0] / length, to_aim[1] / length - math.sqrt(0.5), to_aim[2] / length + math.sqrt(0.5)]
            norm = math.sqrt(sum(x * x for x in normal))
            normal = [x / norm for x in normal]
            # The mirror's x axis is horizontal.
            alpha, beta = math.atan2(normal[0], normal[2]), math.asin(normal[1])
            x0 = [math.cos(alpha), 0, -math.sin(alpha)]
            y0 = [normal[1] * x0[2], normal[2] * x0[0] - normal[0] * x0[2], -normal[1] * x0[0]]
            across = math.hypot(normal[0], normal[1]) or 1
            wanted = [-normal[1] / across, normal[0] / across, 0]
            turn = math.degrees(math.atan2(-sum(a * b for a, b in zip(wanted, y0)), sum(a * b for a, b in zip(wanted, x0))))
            cells = [1, east, north, 3, *(p + 500 * x for p, x in zip((east, north, 3), normal)), turn, "r", 6, 5, 0, 0, 0, 0, 0, 0, "f", 0, 0, 0, 0, 0, 0, 0, 0,
                     "", "Mirror", 2, ""]
            lines.append("\t".join(map(str, cells)))
        lines += [stage % 1, "Receiver", "\t".join(map(str, [1, 0, 0, 200, 0, 10, 200, 0, "r", 18, 20, 0, 0, 0, 0, 0, 0, "f", 0, 0, 0, 0, 0, 0, 0, 0, "",
                                                             "Absorber", 2, "receiver"]))]
        (self.folder / "field.stinput").write_text("\n".join(lines) + "\n")
        self.run_program("scenario", "soltrace", "field.stinput", "-o", "field.h5", "--config", "field.yaml")
        self.assertIn("valid", self.run_program("validate", "field.yaml").stdout)
        printed = self.json_of("raytrace", "field.yaml", "--set", "tracing.rays_per_heliostat=8", "--set", "output.image=null")
        self.require_balance(printed["energy"])
        self.assertEqual(printed["rays"], 8 * count)


if __name__ == "__main__":
    unittest.main()
