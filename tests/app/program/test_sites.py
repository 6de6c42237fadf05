# SPDX-License-Identifier: MIT
"""Terrain, several towers, states of tables, and what exports and pictures show of them."""

import base64
import json
import re
import unittest
import xml.etree.ElementTree as xml

import h5py
import numpy as np

from harness import ProgramTest

TOWERS = """\
site: {terrain: {file: ground.csv}}
towers:
  west: {position: [-150, 0], optical_height_m: 60, height_m: 55, radius_m: 3}
  east: {position: [150, 0], optical_height_m: 60, height_m: 55, section_m: [6, 6]}
receiver: {type: plane, width_m: 9, height_m: 9, tilt_deg: 15}
heliostat: {width_m: 4, height_m: 3, pivot_height_m: 2.5}
layout: {type: radial_stagger, heliostats: 20, min_radius_m: 45, max_radius_m: 140, azimuth_from_deg: -60, azimuth_to_deg: 60}
"""
CAVITY = """\
tower: {optical_height_m: 40}
receiver: {type: cavity, name: den, panels: 6, radius_m: 3, height_m: 5, lip_top_m: 1, lip_bottom_m: 1, absorptance: 0.6, specular_fraction: 0.5, bounces: 3}
heliostat: {width_m: 4, height_m: 4, pivot_height_m: 3, facets: [2, 2], facet_outline: round, facet_hole_m: 0.2}
layout: {type: radial_stagger, heliostats: 12, min_radius_m: 50, max_radius_m: 120, azimuth_from_deg: -40, azimuth_to_deg: 40}
"""
# A ridge 1,000 m south of the plant, 200 m above it.
RIDGE = "x,y,z\n" + "".join(f"{x},{y},{200 if y == -1000 else 0}\n" for x in (-3000, 3000) for y in (-3000, -1001, -1000, -999, 3000))


def whole_numbers(array):
    """Numbers of an array of VTK, behind eight bytes with their size."""
    return np.frombuffer(base64.b64decode(array.text)[8:], np.int64)


def real_numbers(array):
    """Numbers of an array of VTK."""
    return np.frombuffer(base64.b64decode(array.text)[8:], {"Float64": np.float64, "Float32": np.float32}[array.get("type")])


class Sites(ProgramTest):
    def test_towers_behind_a_ridge(self):
        (self.folder / "ground.csv").write_text(RIDGE)
        (self.folder / "plant.yaml").write_text(TOWERS)
        self.good("scenario", "generate", "plant.yaml", "-o", "plant.h5", "--config", "run.yaml")
        energies = {}
        for elevation in (5.0, 11.0, 14.0):
            energies[elevation] = self.raytrace_json("run.yaml", "--set", f"sun.elevation_deg={elevation}", "--set", "tracing.rays_per_heliostat=1000",
                                                     "--set", "output.image=null", "-o", "result.h5")["energy"]
        # Pivots are 2.5 m above the ground and at most 140 m behind the towers: the ridge is 9.8 to 11.3 degrees high.
        low, high = energies[5.0], energies[14.0]
        self.assertAlmostEqual(low["shading_loss"], low["solar_power"] - low["cosine_loss"], delta=1e-6 * low["solar_power"])
        self.assertLess(high["shading_loss"], 0.3 * high["solar_power"])
        self.assertGreater(high["target_power"], 0)
        self.assertGreater(energies[11.0]["shading_loss"], high["shading_loss"])
        with h5py.File(self.folder / "result.h5") as file:
            targets = file["heliostats/target"].asstr()[()].tolist()
        self.assertEqual((targets.count("west"), targets.count("east")), (20, 20))
        text = self.good("info", "result.h5")
        for word in ("ground.csv", "west, east"):
            self.assertIn(word, text)
        # The ridge has four cells of two triangles, and the view of the report lines over it.
        self.good("export", "vtk", "result.h5", "-o", "parts")
        arrays = {array.get("Name"): array for array in xml.parse(self.folder / "parts/terrain.vtp").iter("DataArray")}
        heights = real_numbers(arrays["height_m"])
        np.testing.assert_allclose(sorted(set(heights.round(6))), [0, round(200 / 3, 6), round(400 / 3, 6)])
        points = real_numbers(arrays["points"]).reshape(-1, 3)
        cells = points[whole_numbers(arrays["connectivity"])].reshape(-1, 3, 3)
        self.assertEqual(len(cells), 8)
        # All triangles are seen counter-clockwise from above, and cover the grid.
        areas = 0.5 * np.cross(cells[:, 1] - cells[:, 0], cells[:, 2] - cells[:, 0])[:, 2]
        self.assertTrue(np.all(areas > 0))
        self.assertAlmostEqual(areas.sum(), 6000 * 6000)
        self.good("report", "result.h5", "-o", "report.html")
        view = json.loads(re.search(r'id="view-data"[^>]*>(.*?)</script>', (self.folder / "report.html").read_text(), re.DOTALL)[1])
        lines = np.frombuffer(base64.b64decode(view["hills"]), np.float32).reshape(-1, 2, 3)
        self.assertEqual(len(lines), 2 * 40 * 41)
        self.assertLess(np.abs(lines[..., :2]).max(), 1000)
        np.testing.assert_array_equal(lines[..., 2], 0)
        self.good("validate", "run.yaml")
        (self.folder / "ground.csv").write_text(RIDGE.replace("200", "9"))
        report = self.refused("raytrace", "run.yaml", "--set", "terrain.origin_m=[0, 0, -20]")
        self.assertIn("below the ground", report)
        (self.folder / "ground.csv").unlink()
        self.assertIn("ground.csv", self.refused("validate", "run.yaml"))

    def test_inputs_beside_a_configuration_whose_scenario_is_elsewhere(self):
        (self.folder / "plants").mkdir()
        runs = self.folder / "plants/runs"
        runs.mkdir()
        (self.folder / "plant.yaml").write_text(CAVITY)
        self.good("scenario", "generate", "plant.yaml", "-o", "plants/field.h5")
        (runs / "ground.csv").write_text(RIDGE)
        (runs / "plate.obj").write_text("v -3 0 -3\nv 3 0 -3\nv 3 0 3\nv -3 0 3\nf 1 2 3 4\n")
        (runs / "run.yaml").write_text("""\
scenario: ../field.h5
sun: {azimuth_deg: 180, elevation_deg: 50}
aim: {target: plate}
receivers: {plate: {type: surfaces, center_m: [0, 0, 40], surfaces: [{name: front, type: mesh, file: plate.obj, front: both}]}}
terrain: {file: ground.csv}
bitmap: {width: 8, height: 8, filter: box}
tracing: {rays_per_heliostat: 500}
output: {file: result.h5}
""")
        self.good("raytrace", "plants/runs/run.yaml")
        result = next(self.folder.rglob("result.h5"))
        self.assertIn("ground.csv", self.good("info", result))
        self.good("export", "vtk", result, "-o", "parts", "--rays", "100")
        names = {file.stem for file in (self.folder / "parts").glob("*.vtp")}
        self.assertLessEqual({"rays", "terrain"}, names)
        self.good("report", result, "-o", "report.html")
        view = json.loads(re.search(r'id="view-data"[^>]*>(.*?)</script>', (self.folder / "report.html").read_text(), re.DOTALL)[1])
        self.assertTrue(view["hills"])

    def test_reflectivity_and_soiling_of_a_table(self):
        (self.folder / "plant.yaml").write_text("tower: {optical_height_m: 60}\nreceiver: {type: plane, width_m: 9, height_m: 9}\n"
                                                "heliostat: {width_m: 4, height_m: 3, pivot_height_m: 2.5}\n")
        (self.folder / "t.csv").write_text("name,x,y,reflectivity,soiling\nA,0,90,0.9,1\nB,20,90,0.8,0.5\nC,40,90,,\n")
        self.good("scenario", "layout", "t.csv", "--template", "plant.yaml", "-o", "plant.h5", "--config", "run.yaml")
        self.good("raytrace", "run.yaml", "--set", "tracing.rays_per_heliostat=1000", "--set", "output.image=null", "-o", "result.h5")
        with h5py.File(self.folder / "result.h5") as file:
            np.testing.assert_allclose(file["heliostats/reflectivity"][:], [0.9, 0.4, 0.935])

    def test_rays_in_a_cavity_and_outlines_of_facets(self):
        self.generate(CAVITY)
        self.write_config(text="scenario: plant.h5\nsun: {azimuth_deg: 180, elevation_deg: 50}\naim: {target: den}\n"
                               "tracing: {rays_per_heliostat: 5e4}\nbitmap: {width: 16, height: 16}\n")
        self.good("raytrace", "run.yaml", "-o", "result.h5")
        self.good("export", "vtk", "result.h5", "-o", "parts", "--rays", "2000")
        arrays = {array.get("Name"): array for array in xml.parse(self.folder / "parts/rays.vtp").iter("DataArray")}
        reflections = whole_numbers(arrays["reflections"])
        reasons = whole_numbers(arrays["reason"])
        self.assertEqual(len(reasons), 2000)
        self.assertEqual(reflections.max(), 3)
        # Delivered, escaped, lost on shields after reflections, and stopped by the limit.
        self.assertTrue({3, 5, 7} <= set(reasons.tolist()), set(reasons.tolist()))
        self.assertTrue(np.all(reflections[reasons == 7] == 3))
        ends = whole_numbers(arrays["offsets"])
        np.testing.assert_array_equal(np.diff(ends, prepend=0), 3 + reflections - (reasons == 0))
        facets = xml.parse(self.folder / "parts/facets.vtp")
        # A ring of 48 quadrilaterals for each of four facets of twelve mirrors.
        self.assertEqual(int(facets.find(".//Piece").get("NumberOfPolys")), 12 * 4 * 48)
        absorbed = json.loads(self.good("plot", "result.h5", "-o", "absorbed.svg", "--json"))
        self.assertEqual(absorbed["output"], "absorbed.svg")
        self.good("plot", "result.h5", "-o", "incident.svg", "--incident")
        self.assertNotEqual((self.folder / "absorbed.svg").read_bytes(), (self.folder / "incident.svg").read_bytes())
        self.good("report", "result.h5", "-o", "report.html")
        self.assertIn("Incident flux", (self.folder / "report.html").read_text())
        # Results whose surfaces absorb everything have no such maps.
        self.generate(CAVITY.replace(", absorptance: 0.6, specular_fraction: 0.5, bounces: 3", ""))
        self.good("raytrace", "run.yaml", "-o", "plain.h5")
        self.assertIn("--incident", self.refused("plot", "plain.h5", "-o", "plain.svg", "--incident"))


if __name__ == "__main__":
    unittest.main()
