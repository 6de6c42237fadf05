# SPDX-License-Identifier: MIT
"""Beam-down plants by the program: energy, equal sums, exports, reports, studies and refusals."""

import json
import unittest
import xml.etree.ElementTree

import h5py

from harness import ProgramTest
from vtk_arrays import numbers

PLANT = """\
tower: {optical_height_m: 40}
receiver: {type: beam_down, name: down, foci_distance_m: 36, vertex_distance_m: 7, radius_m: 9, half_angle_deg: 25, exit_radius_m: 1,
           length_m: 3, reflectivity: 0.9, slope_error_mrad: 1, absorptance: 0.9, bounces: 5}
heliostat: {width_m: 3, height_m: 3, facet_shape: sphere, focal_length_m: slant_range, pivot_height_m: 2}
layout: {type: radial_stagger, heliostats: 60, min_radius_m: 15}
"""
RUN = """\
scenario: plant.h5
sun: {azimuth_deg: 180, elevation_deg: 55, dni_w_m2: 900}
aim: {target: down}
optics: {reflectivity: 0.93, slope_error_mrad: 1.5}
tracing: {rays_per_heliostat: 1e4}
bitmap: {width: 32, height: 32}
output: {file: run.h5}
"""


class SecondaryMirrors(ProgramTest):
    def setUp(self):
        super().setUp()
        self.generate(PLANT)
        (self.folder / "run.yaml").write_text(RUN)
        self.run_ = json.loads(self.good("raytrace", "run.yaml", "--json"))

    def test_energy_adds_up(self):
        energy = self.run_["energy"]
        losses = sum(value for name, value in energy.items() if name.endswith("_loss"))
        self.assertAlmostEqual((energy["target_power"] + losses) / energy["solar_power"], 1.0, places=12)
        for name in ("secondary_loss", "escape_loss", "shading_loss"):
            self.assertGreater(energy[name], 0.0, name)
        with h5py.File(self.folder / "run.h5") as run:
            on_mirror = run["targets/down_mirror"].attrs["power_w"]
            on_cpc = run["targets/down_cpc"].attrs["power_w"]
            on_absorber = run["targets/down_absorber"].attrs["power_w"]
        # The maps of mirrors show all light on them, of which they absorb a tenth.
        self.assertAlmostEqual(0.1 * (on_mirror + on_cpc) / energy["secondary_loss"], 1.0, places=2)
        self.assertAlmostEqual(on_absorber / energy["target_power"], 1.0, places=9)

    def test_sums_do_not_depend_on_threads_and_ranks(self):
        for options in (("--threads", "3"), ("--ranks", "2")):
            again = json.loads(self.good("raytrace", "run.yaml", "-o", "b.h5", "--json", *options))
            self.assertEqual(again["fingerprint"], self.run_["fingerprint"], options)

    def test_outputs(self):
        self.good("validate", "run.yaml")
        text = self.good("info", "run.h5")
        for word in ("quadric", "concentrator", "secondary loss"):
            self.assertIn(word, text)
        self.good("plot", "run.h5", "-o", "flux.png")
        self.good("report", "run.h5", "-o", "report.html")
        self.good("export", "vtk", "run.h5", "-o", "vtk", "--rays", "300")
        piece = xml.etree.ElementTree.parse(self.folder / "vtk" / "rays.vtp").getroot().find(".//Piece")
        self.assertEqual(piece.get("NumberOfLines"), "300")
        # 8: a mirror absorbs the ray
        self.assertIn(8, numbers(piece.find("CellData/DataArray[@Name='reason']")))

    def test_studies(self):
        fast = ("--set", "tracing.rays_per_heliostat=500")
        self.good("efficiency", "run.yaml", "--azimuths", "0:330:4", "--elevations", "20,45,90", *fast, "-o", "table.h5")
        self.good("annual", "run.yaml", "--declinations", "3", "--hours", "3", *fast, "-o", "year.h5")

    def test_aim(self):
        message = self.refused("aim", "run.yaml", "--flux-limit-kw-m2", "500", "-o", "aims.csv")
        self.assertIn("aiming.strategy", message)
        self.assertIn("mirror", message)
        self.good("aim", "run.yaml", "--strategy", "center", "-o", "aims.csv")
        self.assertIn("down_mirror", self.refused("raytrace", "run.yaml", "--set", "aim.target=down_mirror"))


if __name__ == "__main__":
    unittest.main()
