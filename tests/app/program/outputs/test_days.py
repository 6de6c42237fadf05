# SPDX-License-Identifier: MIT
"""A day is a result: pictures, reports, tables, info and comparisons of whole series; reports of sweeps and efficiency tables."""

import csv
import json
import re
import unittest
import xml.etree.ElementTree

import h5py
import numpy

from harness import CONFIG, SCENARIO, ProgramTest, write_grey

SUN = "sun: {azimuth_deg: 180.0, elevation_deg: 45.0, "
TIMES = 'times: {start: "2026-06-21T08:00:00+02:00", end: "2026-06-21T18:00:00+02:00", step_minutes: 120}'


class Days(ProgramTest):
    def trace_day(self, *options, name="day.h5"):
        self.write_config(text=CONFIG.format(scenario=SCENARIO, rays="1e4").replace(SUN, f"sun: {{{TIMES}, "))
        self.good("raytrace", "run.yaml", "-q", "-o", name, *options)

    def energy(self):
        """The energy of the day by the trapezoidal rule, kWh."""
        with h5py.File(self.folder / "day.h5") as file:
            power = sum(target["power_w"][()] for target in file["targets"].values())
        return float(((power[1:] + power[:-1]) / 2).sum() * 2 / 1000)

    def test_tables_by_time(self):
        self.trace_day()
        self.good("export", "csv", "day.h5", "-o", "tables")
        self.assertEqual(sorted(p.name for p in (self.folder / "tables").iterdir()), ["heliostat_power.csv", "heliostats.csv", "steps.csv"])
        read = lambda name: list(csv.DictReader((self.folder / "tables" / name).read_text().splitlines()))
        steps, heliostats, powers = read("steps.csv"), read("heliostats.csv"), read("heliostat_power.csv")
        with h5py.File(self.folder / "day.h5") as file:
            group, target = file["heliostats"], file["targets/multi_focus_tower"]
            self.assertEqual([row["time"].encode() for row in steps], list(file["series/time"]))
            for column, values in (("target_power_w", group["target_power"][()].sum(axis=1)), ("cosine_loss_w", group["cosine_loss"][()].sum(axis=1)),
                                   ("power_w:multi_focus_tower", target["power_w"]), ("power_std_error_w:multi_focus_tower", target["power_std_error_w"]),
                                   ("peak_flux_w_m2:multi_focus_tower", target["peak_flux_w_m2"]), ("dni_w_m2", file["series/dni_w_m2"])):
                numpy.testing.assert_allclose([float(row[column]) for row in steps], values, rtol=1e-12, err_msg=column)
            centroid = [[float(row[name]) for name in row if name.startswith("centroid_")] for row in steps]
            numpy.testing.assert_allclose(centroid, target["centroid_m"], rtol=1e-12)
            self.assertEqual([float(row["duration_s"]) for row in steps], [3600] + [7200] * 4 + [3600])
            self.assertAlmostEqual(sum(float(row["target_energy_j"]) for row in heliostats) / 3.6e6, self.energy(), places=6)
            names = [name.decode() for name in group["name"]]
            self.assertEqual([row["name"] for row in heliostats], names)
            numpy.testing.assert_array_equal([[float(row[name]) for name in names] for row in powers], group["target_power"])
        # A single step on wish.
        self.good("export", "csv", "day.h5", "-o", "step", "--time", "2")
        self.assertIn("flux_multi_focus_tower.csv", [p.name for p in (self.folder / "step").iterdir()])

    def test_info_has_the_energy_of_the_day(self):
        self.trace_day()
        text = self.good("info", "day.h5")
        row = re.search(r"2026-06-21  08:00:00\+02:00  18:00:00\+02:00  +([0-9.]+) kWh", text)
        self.assertAlmostEqual(float(row[1]), self.energy(), delta=0.01)
        self.assertIn("3 heliostats, 28.1 to 41.4 m from the tower, mirrors 3.22 x 2.56 m", text)

    def test_pictures(self):
        self.trace_day("--image", "day.svg")
        picture = lambda *options: (self.good("plot", "day.h5", "-o", "p.svg", *options), (self.folder / "p.svg").read_bytes())[1]
        whole, step = picture(), picture("--time", "2")
        self.assertTrue((self.folder / "day.svg").read_bytes() == whole)
        self.assertTrue(whole != step)
        # Two graphs and six maps, each with its colour bar; the picture of a step has one map.
        self.assertGreaterEqual(whole.count(b"<image"), 12)
        self.assertLessEqual(step.count(b"<image"), 2)
        for options in (("--scale", "log"), ("--contours",), ("--field",), ("--field", "target", "--unit", "energy")):
            self.assertTrue(picture(*options) != whole, options)
        self.assertIn("--time", self.refused("plot", "day.h5", "-o", "p.svg", "--cuts"))
        self.assertIn("no power", self.refused("plot", "day.h5", "-o", "p.svg", "--field", "target", "--unit", "power"))

    def test_differences_by_step(self):
        self.trace_day()
        self.trace_day("--seed", "7", "--set", "tracing.sampling=random", name="other.h5")
        made = json.loads(self.good("plot", "day.h5", "--difference", "other.h5", "-o", "d.png", "--json"))
        with h5py.File(self.folder / "day.h5") as a, h5py.File(self.folder / "other.h5") as b:
            power = [f["targets/multi_focus_tower/power_w"][()] for f in (a, b)]
            errors = [f["targets/multi_focus_tower/power_std_error_w"][()] for f in (a, b)]
        numpy.testing.assert_allclose(made["difference"]["power_w"], power[0] - power[1], atol=1e-9)
        numpy.testing.assert_allclose(made["difference"]["power_std_error_w"], numpy.hypot(*errors), rtol=1e-12)
        self.assertIn("2026-06-21T12:00:00+02:00", self.good("plot", "day.h5", "--difference", "other.h5", "-o", "d.png"))
        self.trace_day("--set", 'sun={times: ["2026-06-21T12:00:00+02:00"], shape: {type: pillbox, half_angle_mrad: 4.65}}', name="short.h5")
        self.assertIn("6 steps", self.refused("plot", "day.h5", "--difference", "short.h5", "-o", "d.png"))

    def test_compare_finds_the_step_of_a_picture(self):
        self.trace_day()
        with h5py.File(self.folder / "day.h5") as file:
            flux = file["targets/multi_focus_tower/flux"][1]
        write_grey(self.folder / "seen.png", (255 * flux / flux.max()).astype(numpy.uint8))
        found = json.loads(self.good("compare", "day.h5", "--measured", "seen.png", "--json"))
        self.assertEqual((found["most_similar_step"], len(found["steps"])), (1, 6))
        self.assertGreater(found["steps"][1]["correlation"], 0.999)
        self.assertIn("Most similar", self.good("compare", "day.h5", "--measured", "seen.png"))
        one = json.loads(self.good("compare", "day.h5", "--measured", "seen.png", "--time", "1", "--json"))
        self.assertEqual(one["correlation"], found["steps"][1]["correlation"])

    def page(self, file):
        self.good("report", file, "-o", "page.html")
        text = (self.folder / "page.html").read_text(encoding="utf-8")
        self.assertNotRegex(text, r"https?://")
        return text

    def test_report_of_a_day(self):
        self.trace_day()
        page = self.page("day.h5")
        self.assertIn(f"{self.energy():.2f} kWh", page)
        self.assertEqual(page.count('<div class="step"'), 6)
        data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.S)[1])
        self.assertEqual(data["energy_unit"], "J")
        self.assertAlmostEqual(sum(data["heliostats"]["target_energy"]) / 3.6e6, self.energy(), places=6)
        self.good("report", "day.h5", "-o", "step.html", "--time", "3")
        self.assertIn("step 3 (0 to 5)", (self.folder / "step.html").read_text(encoding="utf-8"))

    def test_every_map_is_stored_once(self):
        self.trace_day()
        page = self.page("day.h5")
        self.assertEqual((page.count('<svg class="map"'), page.count("<img")), (6, 0))
        # Six maps, and the colour bar of each.
        images = re.findall(r'xlink:href="(data:image/png;base64,[^"]+)"', page)
        self.assertEqual(len(images), 12)
        names = re.findall(r'<svg class=.*? id="(p[0-9a-f]{8})-', page, re.S)
        self.assertEqual(len(set(names)), page.count("<svg class="))

    def test_vtk_of_all_steps(self):
        self.trace_day()
        self.good("export", "vtk", "day.h5", "-o", "vtk")
        self.good("export", "vtk", "day.h5", "-o", "step", "--time", "3")
        root = xml.etree.ElementTree.parse(self.folder / "vtk/series.pvd").getroot()
        self.assertEqual(root.get("type"), "Collection")
        steps = [(float(step.get("timestep")), step.get("file")) for step in root.iter("DataSet")]
        self.assertEqual(steps, [(7200.0 * i, f"result_{i:04}.vtm") for i in range(6)])
        for _, name in steps:
            for block in xml.etree.ElementTree.parse(self.folder / "vtk" / name).getroot().iter("DataSet"):
                self.assertTrue((self.folder / "vtk" / block.get("file")).exists(), block.get("file"))
        # A step of the series is that step alone.
        for name in ("target_multi_focus_tower{}.vts", "heliostats{}.vtp"):
            self.assertEqual((self.folder / "vtk" / name.format("_0003")).read_bytes(), (self.folder / "step" / name.format("")).read_bytes())
        self.assertEqual(sorted(file.name for file in (self.folder / "step").iterdir()), ["heliostats.vtp", "result.vtm", "target_multi_focus_tower.vts"])
        made = json.loads(self.good("export", "vtk", "day.h5", "-o", "vtk", "--json"))
        self.assertEqual((len(made["files"]), made["files"][-1]), (19, "series.pvd"))

    def test_json_has_the_energy_of_days(self):
        self.write_config(text=CONFIG.format(scenario=SCENARIO, rays="1e4").replace(SUN, f"sun: {{{TIMES}, "))
        made = json.loads(self.good("raytrace", "run.yaml", "-o", "day.h5", "--json"))
        day, = made["days"]
        self.assertAlmostEqual(day["energy_j"] / 3.6e6, self.energy(), places=6)
        self.assertEqual((day["first_step"], day["last_step"]), (0, 5))
        self.assertTrue(0 < day["energy_std_error_j"] < day["energy_step_error_j"] < 0.2 * day["energy_j"], day)

    def test_positions_without_times(self):
        suns = ", ".join(f"{{azimuth_deg: {a}, elevation_deg: 40}}" for a in (120, 180, 240))
        self.write_config(text=CONFIG.format(scenario=SCENARIO, rays="1e3").replace(SUN, f"sun: {{positions: [{suns}], "))
        self.good("raytrace", "run.yaml", "-q", "-o", "day.h5")
        self.assertNotIn("Energy of", self.page("day.h5"))
        self.good("plot", "day.h5", "-o", "p.png")
        self.good("plot", "day.h5", "-o", "p.png", "--field", "target", "--unit", "power")
        self.good("export", "vtk", "day.h5", "-o", "vtk")
        self.assertIn('timestep="2" part="0" file="result_0002.vtm"', (self.folder / "vtk/series.pvd").read_text())
        self.good("export", "csv", "day.h5", "-o", "tables")
        self.assertIn("target_power_w", (self.folder / "tables/heliostats.csv").read_text())

    def test_reports_of_sweeps(self):
        self.write_config("1e3")
        self.good("sweep", "run.yaml", "--vary", "optics.slope_error_mrad=0.5:3:4", "--vary", "sun.elevation_deg=20,60", "-o", "slopes.h5")
        page = self.page("slopes.h5")
        # Efficiency and peak by both keys.
        self.assertEqual(page.count('<svg class="graph"'), 4)
        for header in ("Efficiency (%)", "Power (kW)", "Peak flux on multi_focus_tower (kW/m²)", "± (kW/m²)"):
            self.assertIn(f">{header}</th>", page)
        self.assertNotIn("peak_flux_w_m2", page)
        with h5py.File(self.folder / "slopes.h5") as file:
            best = file["results/efficiency"][()].max()
        self.assertIn(f"{100 * best:.2f} %", page)
        text = self.good("info", "slopes.h5")
        self.assertRegex(text, r"  optics\.slope_error_mrad  sun\.elevation_deg +efficiency +power on multi_focus_tower +peak flux on multi_focus_tower\n")
        self.assertRegex(text, r"\n +0\.5 +20 +0\.\d+ ± 0\.0\d+ +\d+\.\d+ ± [\d.]+ kW +[\d.]+ ± [\d.]+ kW/m2\n")
        self.assertIn("table of a sweep", self.refused("plot", "slopes.h5", "-o", "p.png"))
        self.assertIn("--time", self.refused("report", "slopes.h5", "-o", "page.html", "--time", "1"))

    def test_reports_of_efficiency_tables(self):
        self.write_config("1e3")
        self.good("efficiency", "run.yaml", "--azimuths", "120:240:3", "--elevations", "20,35,50", "--set", "bitmap={width: 8, height: 8}", "-o", "sky.h5")
        page = self.page("sky.h5")
        self.assertEqual(page.count('<div class="step"'), 9)
        with h5py.File(self.folder / "sky.h5") as file:
            self.assertIn(f"{100 * file['efficiency'][()].max():.2f} %", page)


if __name__ == "__main__":
    unittest.main()
