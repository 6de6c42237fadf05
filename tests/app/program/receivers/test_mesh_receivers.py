# SPDX-License-Identifier: MIT
"""Receivers with meshes: runs, results, exports, pictures, reports and refusals, for a sphere of triangles."""

import base64
import json
import math
import re
import struct
import unittest
import xml.etree.ElementTree

import h5py
import numpy

from harness import ProgramTest
from plants import PLANE
from vtk_arrays import numbers

RUN = """\
scenario: plant.h5
sun: {azimuth_deg: 180, elevation_deg: 45, dni_w_m2: 900}
aim: {target: body}
receivers:
  body:
    type: surfaces
    center_m: [0, 6, 40]
    surfaces:
      - {name: ball, type: mesh, file: ball.stl, unit_m: 0.001}
      - {name: back, type: plane, center_m: [0, -2.5, 0], normal: [0, 1, 0], width_m: 8, height_m: 8}
optics: {slope_error_mrad: 4}
tracing: {rays_per_heliostat: 2e4}
bitmap: {width: 32, height: 32}
output: {file: run.h5}
"""
RADIUS = 2.0
ROUND = 24


def sphere():
    """Corners [n, 3, 3] of triangles, counter-clockwise from outside, in metres."""
    def point(i, j):
        angle, latitude = 2 * math.pi * (i % ROUND) / ROUND, math.pi * (j / (ROUND // 2) - 0.5)
        across = 0.0 if j in (0, ROUND // 2) else RADIUS * math.cos(latitude)
        return (across * math.cos(angle), across * math.sin(angle), RADIUS * math.sin(latitude))
    triangles = []
    for i in range(ROUND):
        for j in range(ROUND // 2):
            a, b, c, d = point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)
            if j > 0:
                triangles.append((a, b, c))
            if j + 1 < ROUND // 2:
                triangles.append((a, c, d))
    return numpy.array(triangles)


def size(corners):
    return 0.5 * numpy.linalg.norm(numpy.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)


class Mesh(ProgramTest):
    def setUp(self):
        super().setUp()
        self.generate(PLANE)
        self.corners = sphere()
        stl = bytes(80) + struct.pack("<I", len(self.corners))
        for triangle in self.corners:
            stl += struct.pack("<12f", 0, 0, 0, *(1000 * triangle).ravel()) + b"\0\0"
        (self.folder / "ball.stl").write_bytes(stl)
        (self.folder / "run.yaml").write_text(RUN)
        self.good("raytrace", "run.yaml", "-q")

    def test_power_is_flux_times_area(self):
        with h5py.File(self.folder / "run.h5") as run:
            target = run["targets/body_ball"]
            corners = target["triangles"][:]
            self.assertLess(abs(corners - (self.corners + [0, 6, 40])).max(), 1e-5)
            flux = target["triangle_flux"][:]
            self.assertTrue((flux == target["flux"][:].ravel()[:len(flux)]).all())
            self.assertTrue((target["flux"][:].ravel()[len(flux):] == 0).all())
            self.assertLess(abs(size(corners) - target["triangle_area"][:]).max(), 1e-5)
            self.assertGreater(target.attrs["power_w"], 0)
            self.assertAlmostEqual((flux * target["triangle_area"][:]).sum() / target.attrs["power_w"], 1.0, places=9)
            # Most light comes from the field in the north, below.
            lit = corners.mean(axis=1)[flux.argmax()] - [0, 6, 40]
            self.assertGreater(lit[1], 0)
            on_both = target.attrs["power_w"] + run["targets/body_back"].attrs["power_w"]
            self.assertAlmostEqual(run["receivers/body"].attrs["power_w"] / on_both, 1.0, places=9)
            self.assertLessEqual(target.attrs["peak_flux_w_m2"], flux.max())

    def test_tiny_meshes_get_a_warning(self):
        (self.folder / "tiny.yaml").write_text(RUN.replace("0.001}", "0.000001}"))
        done = self.run_program("validate", "tiny.yaml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("ball.stl: has an area of 4.96e-05 m2 in all; unit_m is the length", done.stderr)

    def test_sums_do_not_depend_on_threads(self):
        first = self.good("raytrace", "run.yaml", "-o", "a.h5", "--json")
        second = self.good("raytrace", "run.yaml", "-o", "b.h5", "--json", "--threads", "3")
        self.assertEqual(json.loads(first)["fingerprint"], json.loads(second)["fingerprint"])

    def test_sums_do_not_depend_on_instruction_sets(self):
        best = self.raytrace_json("run.yaml", "-o", "best.h5")
        sets = ["portable", "avx2", "avx512"]
        for lesser in sets[:sets.index(best["instruction_set"])]:
            with self.subTest(lesser):
                found = self.raytrace_json("run.yaml", "-o", "lesser.h5", HELIORAY_INSTRUCTION_SET=lesser)
                self.assertEqual(found["instruction_set"], lesser)
                self.assertEqual(found["fingerprint"], best["fingerprint"])

    def test_maps_may_be_much_larger_than_meshes_that_reflect(self):
        lines = [line for line in RUN.splitlines() if "name: back" not in line]
        lines.insert(lines.index("    surfaces:"), "    absorptance: 0.6\n    bounces: 3")
        (self.folder / "reflecting.yaml").write_text("\n".join(lines))
        powers = []
        for pixels in [32, 1024]:
            size = ["--set", f"bitmap.width={pixels}", "--set", f"bitmap.height={pixels}"]
            powers.append(self.raytrace_json("reflecting.yaml", *size)["energy"]["target_power"])
        self.assertGreater(powers[0], 0)
        self.assertAlmostEqual(powers[1] / powers[0], 1.0, places=2)

    def test_info_and_validation(self):
        self.good("validate", "run.yaml")
        text = self.good("info", "run.h5")
        self.assertIn("mesh", text)
        self.assertIn(f"{len(self.corners)} triangles", text)

    def test_exported_triangles(self):
        self.good("export", "vtk", "run.h5", "-o", "vtk")
        piece = xml.etree.ElementTree.parse(self.folder / "vtk" / "target_body_ball.vtp").getroot().find(".//Piece")
        points = numbers(piece.find("Points/DataArray")).reshape(-1, 3)
        corners = points.reshape(-1, 3, 3)
        self.assertEqual(len(corners), len(self.corners))
        flux = numbers(piece.find("CellData/DataArray[@Name='flux_w_m2']"))
        self.assertAlmostEqual(size(corners).sum() / size(self.corners).sum(), 1.0, places=5)
        with h5py.File(self.folder / "run.h5") as run:
            self.assertTrue(numpy.allclose(flux, run["targets/body_ball/triangle_flux"][:]))
        self.good("export", "csv", "run.h5", "-o", "csv")
        lines = (self.folder / "csv" / "flux_body_ball.csv").read_text().splitlines()
        rows = numpy.genfromtxt([line for line in lines if not line.startswith("#")], delimiter=",", names=True)
        self.assertEqual(len(rows), len(self.corners))
        self.assertTrue(numpy.allclose(rows["flux_w_m2"], flux))

    def test_pictures_and_report(self):
        self.good("plot", "run.h5", "-o", "flux.png")
        self.assertGreater((self.folder / "flux.png").stat().st_size, 10_000)
        self.good("report", "run.h5", "-o", "report.html")
        page = (self.folder / "report.html").read_text(encoding="utf-8")
        data = json.loads(re.search(r'<script id="view-data" type="application/json">(.*?)</script>', page, re.S).group(1))
        surface = next(surface for surface in data["surfaces"] if surface["name"] == "body_ball")
        corners = numpy.frombuffer(base64.b64decode(surface["triangles"]), numpy.float32).reshape(-1, 3, 5)[:, :, :3].astype(float)
        self.assertEqual(len(corners), len(self.corners))
        self.assertAlmostEqual(size(corners).sum() / size(self.corners).sum(), 1.0, places=4)

    def test_traced_paths_end_on_triangles(self):
        self.good("export", "vtk", "run.h5", "-o", "vtk", "--rays", "200")
        piece = xml.etree.ElementTree.parse(self.folder / "vtk" / "rays.vtp").getroot().find(".//Piece")
        self.assertEqual(piece.get("NumberOfLines"), "200")

    def test_series_and_year(self):
        (self.folder / "suns.csv").write_text("azimuth_deg,elevation_deg,dni_w_m2\n170,40,800\n190,40,800\n")
        series = RUN.replace("sun: {azimuth_deg: 180, elevation_deg: 45, dni_w_m2: 900}", "sun: {file: suns.csv}")
        (self.folder / "series.yaml").write_text(series)
        self.good("raytrace", "series.yaml", "-q", "-o", "series.h5")
        with h5py.File(self.folder / "series.h5") as run:
            target = run["targets/body_ball"]
            self.assertEqual(target["triangles"].shape, self.corners.shape)
            power = (target["triangle_flux"][:] * target["triangle_area"][:]).sum(axis=1)
            self.assertTrue(numpy.allclose(power, target["power_w"][:]))
        self.good("annual", "run.yaml", "--declinations", "3", "--hours", "3", "--set", "tracing.rays_per_heliostat=1e3", "-o", "year.h5")

    def test_refusals(self):
        self.assertIn("mesh", self.refused("aim", "run.yaml", "--flux-limit-kw-m2", "100", "-o", "aims.csv"))
        self.assertIn("mesh", self.refused("efficiency", "run.yaml", "-o", "table.h5"))
        message = self.refused("raytrace", "run.yaml", "--set", "bitmap.width=8", "--set", "bitmap.height=8")
        self.assertIn("fewer pixels than a mesh has triangles", message)
        self.assertIn("bitmap.filter", self.refused("raytrace", "run.yaml", "--set", "bitmap.filter=bilinear"))
        (self.folder / "ball.stl").write_bytes((self.folder / "ball.stl").read_bytes()[:-7])
        self.assertIn("ball.stl: byte", self.refused("raytrace", "run.yaml"))


if __name__ == "__main__":
    unittest.main()
