# SPDX-License-Identifier: MIT
"""Receivers with cones, spheres and annuli: info, runs, pictures, reports and exports, against areas of closed forms."""

import base64
import json
import math
import re
import unittest
import xml.etree.ElementTree

import h5py
import numpy

from harness import ProgramTest
from plants import PLANE
from vtk_arrays import areas, numbers

# A funnel that is lit from below, a dome that closes it, a rim around it, and a ball below it.
RUN = """\
scenario: plant.h5
sun: {azimuth_deg: 180, elevation_deg: 45, dni_w_m2: 900}
aim: {target: funnel}
receivers:
  funnel:
    type: surfaces
    center_m: [0, 6, 36]
    aim_point_m: [0, 6, 35]
    surfaces:
      - {name: wall, type: cone, center_m: [0, 0, 0], normal: [0, 1, 0], bottom_radius_m: 3, top_radius_m: 1.5, height_m: 2, side: inner}
      - {name: roof, type: sphere, center_m: [0, 0, 1], normal: [0, 1, 0], radius_m: 1.5, bottom_deg: 0, side: inner}
      - {name: rim, type: annulus, center_m: [0, 0, -1], normal: [0, 0, -1], radius_m: 4, inner_radius_m: 3, use: shield}
      - {name: ball, type: sphere, center_m: [0, 0, -3], normal: [0, 1, 0], radius_m: 1}
optics: {slope_error_mrad: 8}
tracing: {rays_per_heliostat: 2e4}
bitmap: {width: 96, height: 64}
output: {file: run.h5}
"""
AREAS = {"funnel_wall": math.pi * 4.5 * math.hypot(2, 1.5), "funnel_roof": 2 * math.pi * 1.5**2, "funnel_rim": math.pi * (16 - 9),
         "funnel_ball": 4 * math.pi}


class Round(ProgramTest):
    def setUp(self):
        super().setUp()
        self.generate(PLANE)
        (self.folder / "run.yaml").write_text(RUN)
        self.good("raytrace", "run.yaml", "-q")

    def test_power_is_flux_times_area(self):
        with h5py.File(self.folder / "run.h5") as run:
            for name, area in AREAS.items():
                target = run[f"targets/{name}"]
                power = target["flux"][:].mean() * area
                self.assertGreater(target.attrs["power_w"], 0, name)
                self.assertAlmostEqual(power / target.attrs["power_w"], 1.0, places=6)
            on_absorbers = sum(run[f"targets/{name}"].attrs["power_w"] for name in AREAS if name != "funnel_rim")
            self.assertAlmostEqual(run["receivers/funnel"].attrs["power_w"] / on_absorbers, 1.0, places=9)

    def test_info_and_validation(self):
        self.good("validate", "run.yaml")
        text = self.good("info", "run.h5")
        for words in ("conical", "spherical", "annular"):
            self.assertIn(words, text)
        text = RUN.replace("inner_radius_m: 3", "inner_radius_m: 4")
        (self.folder / "bad.yaml").write_text(text)
        self.assertIn("surfaces[2].inner_radius_m: is 4, not below the outer radius 4", self.refused("raytrace", "bad.yaml"))

    def test_wrong_absorptance_is_one_problem(self):
        (self.folder / "bad.yaml").write_text(RUN.replace("type: surfaces\n", "type: surfaces\n    absorptance_table: [[0, 0.9], [0, 0.8]]\n"))
        message = self.refused("raytrace", "bad.yaml")
        self.assertEqual(message.count("absorptance_table"), 1, message)

    def test_exported_surfaces_have_their_area(self):
        self.good("export", "vtk", "run.h5", "-o", "vtk")
        for name, area in AREAS.items():
            grid = xml.etree.ElementTree.parse(self.folder / "vtk" / f"target_{name}.vts").getroot().find(".//Piece")
            self.assertAlmostEqual(numbers(grid.find("CellData/DataArray[@Name='area_m2']")).sum() / area, 1.0, places=9)
            points = numbers(grid.find("Points/DataArray")).reshape(65, 97, 3)
            corners = numpy.arange(65 * 97).reshape(65, 97)
            quads = numpy.stack([corners[:-1, :-1], corners[:-1, 1:], corners[1:, 1:], corners[1:, :-1]], axis=-1).reshape(-1, 4)
            self.assertAlmostEqual(areas(points.reshape(-1, 3), quads).sum() / area, 1.0, places=2)

    def test_view_of_the_report_has_their_area(self):
        self.good("report", "run.h5", "-o", "report.html")
        page = (self.folder / "report.html").read_text(encoding="utf-8")
        data = json.loads(re.search(r'<script id="view-data" type="application/json">(.*?)</script>', page, re.S).group(1))
        for surface in data["surfaces"]:
            corners = numpy.frombuffer(base64.b64decode(surface["triangles"]), numpy.float32).reshape(-1, 3, 5)[:, :, :3].astype(float)
            area = 0.5 * numpy.linalg.norm(numpy.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).sum()
            self.assertAlmostEqual(area / AREAS[surface["name"]], 1.0, delta=0.01)

    def test_pictures(self):
        self.good("plot", "run.h5", "-o", "flux.png")
        self.assertGreater((self.folder / "flux.png").stat().st_size, 10_000)
        self.good("export", "csv", "run.h5", "-o", "csv")

    def test_traced_paths_end_on_the_surfaces(self):
        self.good("export", "vtk", "run.h5", "-o", "vtk", "--rays", "300")
        piece = xml.etree.ElementTree.parse(self.folder / "vtk" / "rays.vtp").getroot().find(".//Piece")
        self.assertEqual(piece.get("NumberOfLines"), "300")

    def test_aim_keeps_a_limit(self):
        free = json.loads(self.good("aim", "run.yaml", "--strategy", "center", "-o", "center.csv", "--json"))
        limited = json.loads(self.good("aim", "run.yaml", "--flux-limit-kw-m2", str(0.7e-3 * free["peak_flux_w_m2"]), "-o", "aims.csv", "--json"))
        self.assertTrue(limited["limits_kept"])
        self.assertLessEqual(limited["power_w"], limited["power_bound_w"])


if __name__ == "__main__":
    unittest.main()
