# SPDX-License-Identifier: MIT
"""The aim command against a linear programme: shares of heliostats over nine aim heights, with maps that the program traces one height at a time."""

import csv
import json
import unittest

import h5py
import numpy

from harness import ProgramTest

try:
    import scipy.optimize
    import scipy.sparse
except ImportError:
    scipy = None

HEIGHT = 6.0  # m, of the receiver
PLANT = f"""\
site: {{latitude_deg: 37, longitude_deg: -6, altitude_m: 20}}
tower: {{optical_height_m: 80, height_m: 70, radius_m: 3}}
receiver: {{type: cylinder, radius_m: 2.5, height_m: {HEIGHT}}}
heliostat: {{width_m: 8, height_m: 7, facet_shape: sphere, focal_length_m: slant_range, pivot_height_m: 5, slant_step_m: 1}}
layout: {{type: radial_stagger, heliostats: 300, min_radius_m: 60}}
"""
CONFIG = """\
scenario: plant.h5
sun: {azimuth_deg: 180, elevation_deg: 50, dni_w_m2: 900, shape: {type: pillbox, half_angle_mrad: 4.65}}
aim: {target: receiver}
optics: {reflectivity: 0.9, slope_error_mrad: 2}
tracing: {rays_per_heliostat: 1e5, seed: 3}
bitmap: {width: 24, height: 16}
aiming: {flux_limit_kw_m2: 180}
device: cpu
"""
LIMIT = 1.8e5  # W/m2
NUM_HEIGHTS = 9


@unittest.skipUnless(scipy, "scipy is not installed, whose HiGHS solves the linear programme")
class LinearProgramme(ProgramTest):
    def setUp(self):
        super().setUp()
        self.generate(PLANT)
        self.config = self.write_config(text=CONFIG)

    def aim_json(self, *arguments):
        done = self.run_program("aim", self.config, "--json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def maps(self, centre, height):
        """Flux [heliostats, pixels] in W/m2 and power in W where all aim `height` metres above the middle."""
        rows = [{**row, "up": float(row["up"]) + height} for row in centre]
        with open(self.folder / "height.csv", "w", newline="") as table:
            writer = csv.DictWriter(table, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)
        done = self.run_program("raytrace", self.config, "-q", "-o", "height.h5", "--set", "aim.file=height.csv", "--set", "output.per_heliostat=true")
        self.assertEqual(done.returncode, 0, done.stderr)
        with h5py.File(self.folder / "height.h5") as file:
            flux = file["heliostats/flux"][()].astype(float)
            return flux.reshape(len(flux), -1), file["heliostats/target_power"][()]

    def test_at_least_as_much_power_and_a_valid_bound(self):
        self.aim_json("--strategy", "center", "--flux-limit-kw-m2", "1e5", "-o", "centre.csv")
        with open(self.folder / "centre.csv") as table:
            centre = list(csv.DictReader(table))
        flux, power = zip(*(self.maps(centre, height) for height in numpy.linspace(-0.4, 0.4, NUM_HEIGHTS) * HEIGHT))
        flux, power = numpy.concatenate(flux), numpy.concatenate(power)
        count = len(centre)
        # Shares of each heliostat over the heights, at most 1 together; flux below the limit in every pixel.
        once = scipy.sparse.hstack([scipy.sparse.identity(count)] * NUM_HEIGHTS)
        found = scipy.optimize.linprog(-power, A_ub=scipy.sparse.vstack([scipy.sparse.csr_matrix(flux.T / LIMIT), once]).tocsr(),
                                       b_ub=numpy.ones(flux.shape[1] + count), method="highs")
        self.assertEqual(found.status, 0, found.message)
        best = -found.fun
        # The limit costs power, so that the programme has something to decide.
        self.assertLess(best, 0.999 * power.reshape(NUM_HEIGHTS, count)[NUM_HEIGHTS // 2].sum())
        printed = self.aim_json("--result", "aims.h5")
        self.assertTrue(printed["limits_kept"])
        # The optimiser keeps off the limits by up to two standard errors of each pixel, which the programme does not; prices say what this costs.
        with h5py.File(self.folder / "aims.h5") as file:
            room = 2 * (file["aiming/targets/receiver/price"][()] * file["targets/receiver/flux_std_error"][()]).sum()
        self.assertGreaterEqual(printed["power_w"] + room, best)
        self.assertGreaterEqual(printed["power_bound_w"], best * (1 - 1e-4))


if __name__ == "__main__":
    unittest.main()
