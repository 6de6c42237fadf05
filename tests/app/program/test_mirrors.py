# SPDX-License-Identifier: MIT
"""Canting, focal lengths by axis and several types of heliostats: images of traced mirrors against closed forms."""

import math
import unittest

import h5py
import numpy as np

from harness import ProgramTest

AIM = np.array([0.0, 0.0, 60.0])
PIVOT = np.array([-35.0, 80.0, 3.0])
MORNING, EVENING = (110.0, 40.0), (250.0, 30.0)  # azimuth and elevation of two suns, deg
WIDTH, HEIGHT, COLUMNS, ROWS = 6.0, 5.0, 4, 5
RECEIVER = "{type: plane, width_m: 12, height_m: 12, azimuth_deg: %r, tilt_deg: %r}"
PLANT = """\
tower: {{optical_height_m: 60}}
receiver: {receiver}
heliostat: {{width_m: {width}, height_m: {height}, pivot_height_m: 3, {mirror}}}
"""


def unit(v):
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def towards(azimuth, elevation):
    a, h = math.radians(azimuth), math.radians(elevation)
    return np.array([math.cos(h) * math.sin(a), math.cos(h) * math.cos(a), math.sin(h)])


def mirror_axes(pivot, sun):
    """Axes e (horizontal), n and normal of a mirror that reflects the sun's centre to the aim point."""
    normal = unit(sun + unit(AIM - pivot))
    e = unit(np.array([-normal[1], normal[0], 0.0]))
    return np.array([e, np.cross(normal, e), normal])


def facet_centres():
    x = (np.arange(COLUMNS) - 0.5 * (COLUMNS - 1)) * WIDTH / COLUMNS
    y = (np.arange(ROWS) - 0.5 * (ROWS - 1)) * HEIGHT / ROWS
    return np.array([[east, north, 0.0] for north in y for east in x])


def off_axis_normals(sun):
    """Normals in the mirror frame such that the centres of all facets reflect this sun to the aim point."""
    axes = mirror_axes(PIVOT, sun)
    return unit(sun + unit(AIM - (PIVOT + facet_centres() @ axes))) @ axes.T


def on_axis_normals():
    distance = np.linalg.norm(AIM - PIVOT)
    return unit(np.array([0, 0, 1.0]) + unit(np.array([0, 0, distance]) - facet_centres()))


def point_normals(point):
    return unit(np.array(point) - facet_centres())


def expected_image(normals, sun, receiver_axes, samples=40):
    """Mean and covariance (m, m2) of the light of flat facets with these normals in the receiver's plane: right and up."""
    axes = mirror_axes(PIVOT, sun)
    steps = (np.arange(samples) + 0.5) / samples - 0.5
    points, weights = [], []
    for centre, normal in zip(facet_centres(), normals):
        # The smallest rotation that takes the mirror's normal to the facet's.
        axis = np.array([-normal[1], normal[0], 0.0])
        cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
        turn = np.eye(3) + cross + cross @ cross / (1 + normal[2])
        edges = np.array([turn @ [WIDTH / COLUMNS, 0, 0], turn @ [0, HEIGHT / ROWS, 0]])
        grid = np.array([a * edges[0] + b * edges[1] for a in steps for b in steps])
        starts = PIVOT + (centre + grid) @ axes
        facing = normal @ axes
        ray = 2 * (facing @ sun) * facing - sun
        hits = starts + np.outer(((AIM - starts) @ receiver_axes[2]) / (ray @ receiver_axes[2]), ray) - AIM
        points.append(hits @ receiver_axes[:2].T)
        weights.append(np.full(len(hits), facing @ sun))
    points, weights = np.concatenate(points), np.concatenate(weights)
    return np.average(points, axis=0, weights=weights), np.cov(points.T, aweights=weights, bias=True)


def receiver_axes(azimuth, tilt):
    """Right and up of an observer who faces the receiver, and its normal."""
    a, t = math.radians(azimuth), math.radians(tilt)
    normal = np.array([math.cos(t) * math.sin(a), math.cos(t) * math.cos(a), -math.sin(t)])
    right = unit(np.cross([0, 0, 1.0], normal))
    return np.array([right, np.cross(normal, right), normal])


def rms(covariance):
    return math.sqrt(np.trace(covariance))


class Mirrors(ProgramTest):
    def image(self, mirror, sun, receiver=(-24.0, 30.0), pivot=PIVOT, width=WIDTH, height=HEIGHT):
        """Mean and covariance (m, m2) of the traced flux of one heliostat under parallel light."""
        (self.folder / "plant.yaml").write_text(PLANT.format(receiver=RECEIVER % receiver, mirror=mirror, width=width, height=height))
        (self.folder / "positions.csv").write_text("x,y,z\n%r,%r,%r\n" % tuple(map(float, pivot)))
        self.good("scenario", "layout", "positions.csv", "--template", "plant.yaml", "-o", "plant.h5")
        (self.folder / "run.yaml").write_text(f"""\
scenario: plant.h5
sun: {{azimuth_deg: {sun[0]!r}, elevation_deg: {sun[1]!r}, shape: {{type: collimated}}}}
aim: {{target: receiver}}
optics: {{reflectivity: 1}}
tracing: {{rays_per_heliostat: 2e6}}
bitmap: {{width: 400, height: 400}}
output: {{file: result.h5}}
""")
        energy = self.raytrace_json("run.yaml", "--set", "output.image=null")["energy"]
        self.assertLess(energy["spillage_loss"], 1e-9 * energy["target_power"])
        with h5py.File(self.folder / "result.h5") as file:
            flux = file["targets/receiver/flux"][:]
        centres = (np.arange(400) + 0.5) * 12.0 / 400 - 6.0
        up, right = np.meshgrid(-centres, centres, indexing="ij")
        points = np.stack([right.ravel(), up.ravel()], axis=1)
        return np.average(points, axis=0, weights=flux.ravel()), np.cov(points.T, aweights=flux.ravel(), bias=True)

    def assert_image(self, mirror, normals, sun):
        receiver = (-24.0, 30.0)
        mean, covariance = self.image(mirror, sun, receiver)
        wanted_mean, wanted = expected_image(normals, towards(*sun), receiver_axes(*receiver))
        np.testing.assert_allclose(mean, wanted_mean, atol=0.005)
        np.testing.assert_allclose(covariance, wanted, atol=0.01 * np.trace(wanted))
        return covariance

    def test_off_axis_canting_lays_the_images_of_all_facets_on_each_other(self):
        facets = f"facets: [{COLUMNS}, {ROWS}], facet_shape: flat"
        off_axis = f"{facets}, canting: off_axis, canting_sun: {{azimuth_deg: {EVENING[0]}, elevation_deg: {EVENING[1]}}}"
        normals = off_axis_normals(towards(*EVENING))
        sharp = self.assert_image(off_axis, normals, EVENING)
        blurred = self.assert_image(off_axis, normals, MORNING)
        on_axis = self.assert_image(f"{facets}, slant_step_m: 1e-6", on_axis_normals(), EVENING)
        _, single = self.image("facet_shape: flat", EVENING, width=WIDTH / COLUMNS, height=HEIGHT / ROWS)
        self.assertLess(abs(rms(sharp) / rms(single) - 1), 0.01)
        self.assertGreater(rms(blurred), 1.1 * rms(sharp))
        self.assertGreater(rms(on_axis), 1.05 * rms(sharp))

    def test_canting_to_a_point(self):
        point = [3.0, -5.0, 200.0]
        self.assert_image(f"facets: [{COLUMNS}, {ROWS}], facet_shape: flat, canting: point, canting_point_m: {point}", point_normals(point), MORNING)

    def test_focal_lengths_by_axis_give_a_rectangle(self):
        # The sun is behind the receiver, and all light arrives along the normals of mirror and receiver.
        pivot = np.array([0.0, 80.0, 3.0])
        distance = float(np.linalg.norm(AIM - pivot))
        elevation = math.degrees(math.asin((AIM - pivot)[2] / distance))
        for fx, fy in ((60.0, 200.0), (200.0, 60.0), (2 * distance, 400.0)):
            _, covariance = self.image(f"focal_length_m: [{fx!r}, {fy!r}]", (180.0, elevation), (0.0, elevation), pivot)
            sizes = np.array([WIDTH * abs(1 - distance / fx), HEIGHT * abs(1 - distance / fy)])
            # A uniform strip of width w has the variance w^2 / 12; a pixel of 3 cm adds its own.
            np.testing.assert_allclose(np.sqrt(np.diag(covariance)), np.sqrt((sizes**2 + 0.03**2) / 12), rtol=0.005, atol=0.003)
            self.assertLess(abs(covariance[0, 1]), 0.002 * np.trace(covariance))
        # In the focus of one axis the image is a line, at most two pixels wide.
        _, covariance = self.image(f"focal_length_m: [{distance!r}, 400]", (180.0, elevation), (0.0, elevation), pivot)
        self.assertLess(math.sqrt(covariance[0, 0]), 0.02)

    def test_mirror_area_of_a_mixture(self):
        (self.folder / "plant.yaml").write_text("""\
tower: {optical_height_m: 60}
receiver: {type: plane, width_m: 12, height_m: 12}
heliostat_types:
  0: {width_m: 2, height_m: 1.5, pivot_height_m: 1, facet_shape: flat}
  1: {width_m: 6, height_m: 5, pivot_height_m: 3, facets: [2, 2], facet_gap_m: [0.2, 0.1], facet_shape: flat}
""")
        (self.folder / "positions.csv").write_text("Template,Loc. X,Loc. Y\n0,0,100\n1,30,100\n0,60,100\n1,-30,100\n1,-60,100\n")
        self.good("scenario", "layout", "positions.csv", "--template", "plant.yaml", "-o", "plant.h5")
        (self.folder / "run.yaml").write_text("scenario: plant.h5\nsun: {azimuth_deg: 180, elevation_deg: 45}\naim: {target: receiver}\noutput: {file: result.h5}\n")
        energy = self.raytrace_json("run.yaml", "--set", "tracing.rays_per_heliostat=1e4", "--set", "output.image=null")["energy"]
        area = 2 * 3.0 + 3 * (6 - 0.2) * (5 - 0.1)
        self.assertLess(abs(energy["solar_power"] / (1000 * area) - 1), 1e-6)


if __name__ == "__main__":
    unittest.main()
