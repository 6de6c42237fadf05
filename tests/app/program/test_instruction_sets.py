# SPDX-License-Identifier: MIT
"""Receivers of several surfaces have the same fingerprint on every instruction set of the processor. Rays are traced side by side in vectors
of different widths, so a hit must not depend on the other rays of a vector, not even where two surfaces overlap at an edge."""

import unittest

from harness import ProgramTest

FIELD = """\
site: {{latitude_deg: 37.1, longitude_deg: -2.36, altitude_m: 500}}
tower: {{optical_height_m: 150, height_m: 130, radius_m: 8}}
receiver: {receiver}
heliostat: {{width_m: 10, height_m: 8, facet_shape: sphere, focal_length_m: slant_range, pivot_height_m: 5, slant_step_m: 20}}
layout: {{type: radial_stagger, heliostats: 16, min_radius_m: 250, azimuth_from_deg: -10, azimuth_to_deg: 10}}
"""
RUN = """\
scenario: field.h5
sun: {azimuth_deg: 180, elevation_deg: 60, dni_w_m2: 900, shape: {type: buie, csr: 0.02}}
optics: {reflectivity: 0.9, slope_error_mrad: 1.5}
tracing: {rays_per_heliostat: 60000}
bitmap: {width: 32, height: 64}
device: cpu
"""
CAVITY = "type: cavity, name: rec, panels: 20, radius_m: 8, height_m: 14, lip_top_m: 1, lip_bottom_m: 1, azimuth_deg: 0, absorptance: 0.9"
# Many of the rays on these meet edges between walls, floor, ceiling and lips.
RECEIVERS = {
    "cavity": "{" + CAVITY + "}",
    "reflecting cavity": "{" + CAVITY + ", bounces: 3}",
    "specular cavities": "{" + CAVITY.replace("azimuth_deg: 0", "azimuths_deg: [0, 120, 240], offset_m: 6") + ", bounces: 2, specular_fraction: 0.5}",
    "polygon": "{type: polygon, name: rec, panels: 24, radius_m: 8, height_m: 12, shield_height_m: 1.5}",
    "reflecting star": "{type: star, name: rec, arms: 6, radius_m: 9, inner_radius_m: 6, height_m: 12, absorptance: 0.8, bounces: 4}",
    "billboard": "{type: billboard, name: rec, width_m: 12, height_m: 12, columns: 4, rows: 3, shield_width_m: 2}",
    "cylinder in sectors": "{type: cylinder, name: rec, panels: 8, radius_m: 8, height_m: 12, shield_height_m: 1.5, absorptance: 0.9, bounces: 2}",
    "concentrator": "{type: concentrator, name: rec, half_angle_deg: 30, exit_radius_m: 4, sides: 6, tilt_deg: 30, absorptance: 0.9, bounces: 5, reflectivity: 0.95, slope_error_mrad: 1}",
    "beam down": "{type: beam_down, name: rec, foci_distance_m: 130, vertex_distance_m: 26, radius_m: 70, half_angle_deg: 40, exit_radius_m: 4, reflectivity: 0.95, slope_error_mrad: 1, absorptance: 0.9, bounces: 5}",
}


class InstructionSets(ProgramTest):
    def test_fingerprints_are_equal(self):
        (self.folder / "run.yaml").write_text(RUN)
        for name, receiver in RECEIVERS.items():
            self.generate(FIELD.format(receiver=receiver), "field.h5")
            words = ["run.yaml", "--set", f"aim.target={'rec_1' if 'azimuths' in receiver else 'rec'}"]
            best = self.raytrace_json(*words)
            self.assertEqual(best["warnings"], [], name)
            sets = ["portable", "avx2", "avx512"]
            self.assertIn(best["instruction_set"], sets)
            for lesser in sets[:sets.index(best["instruction_set"])]:
                with self.subTest(name, instruction_set=lesser):
                    found = self.raytrace_json(*words, HELIORAY_INSTRUCTION_SET=lesser)
                    self.assertEqual(found["instruction_set"], lesser)
                    self.assertEqual(found["fingerprint"], best["fingerprint"])


if __name__ == "__main__":
    unittest.main()
