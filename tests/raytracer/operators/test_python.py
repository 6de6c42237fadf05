# SPDX-License-Identifier: MIT
"""The operators from Python: loading, results, gradients, and what Torch demands of operators."""

import math
import os
import pathlib
import re
import sys
import unittest

try:
    import torch
except ImportError as absent:
    print(f"SKIP: {sys.executable} has no torch ({absent})")
    sys.exit(77)

torch.ops.load_library(os.environ["HELIORAY_OPERATORS"])
OPS = torch.ops.helioray


def paraboloid(focal_length, half_width, half_height, n=6):
    """Control points [1, 1, n, n, 3] of one bent facet."""
    x = torch.linspace(-half_width, half_width, n, dtype=torch.float64).view(n, 1).expand(n, n)
    y = torch.linspace(-half_height, half_height, n, dtype=torch.float64).view(1, n).expand(n, n)
    return torch.stack([x, y, (x * x + y * y) / (4 * focal_length)], -1).reshape(1, 1, n, n, 3)


class Scene:
    """Three heliostats before a plane and a cylinder that catch all light; smooth in everything."""

    def __init__(self):
        self.parameters = torch.zeros(3, 16, dtype=torch.float64)
        self.parameters[:, :3] = torch.tensor([[-6.0, 50, 0], [0, 55, 0], [7, 48, 0]])
        self.aim_points = torch.tensor([[-3.0, 0, 20], [3, 1, 20], [-3, 0, 21]], dtype=torch.float64)
        self.control_points = paraboloid(55.0, 1.5, 1.0)
        self.target_index = torch.tensor([0, 1, 0])
        self.targets = torch.tensor([[0, -3, 0, 20, 0, 1, 0, 0, 0, 0, 6, 6, 0],
                                     [1, 3, -4, 20, 0, 1, 0, 0, 0, 1, 5, 8, 2.5]], dtype=torch.float64)
        self.sun = torch.tensor([0.2, -0.7, 0.68], dtype=torch.float64)
        self.optics = torch.tensor([900.0, 0.9, 2.1e-3, 1.5e-3, 1e-3], dtype=torch.float64)
        self.settings = dict(degrees=[3, 3], bitmap=[16, 16], rays=20000, seed=3, shading=False, blocking=False)

    def orientation(self):
        return OPS.align(self.parameters, self.sun, self.aim_points, "azimuth_elevation")

    def arguments(self):
        return (self.orientation(), self.control_points, self.target_index, self.targets, self.sun, self.optics)

    def flux(self, **changed):
        return OPS.trace_flux(*self.arguments(), **{**self.settings, **changed})


def pattern():
    """Smooth weights of pixels without symmetry."""
    i = torch.arange(16, dtype=torch.float64)
    return torch.sin(0.4 * i + 1).view(1, 16, 1) + 0.7 * torch.cos(0.3 * i - 1).view(1, 1, 16)


class Operators(unittest.TestCase):
    def setUp(self):
        self.scene = Scene()

    def test_power_is_that_of_the_mirrors(self):
        flux = self.scene.flux()
        self.assertEqual((flux.shape, flux.dtype), (torch.Size([2, 16, 16]), torch.float64))
        orientation = self.scene.orientation()
        cosine = orientation[:, :3, 2] @ (self.scene.sun / self.scene.sun.norm())
        power = 900 * 0.9 * 6 * cosine
        area = torch.tensor([6 * 6, 5 * 2.5 * 8]) / 256
        expected = torch.stack([power[0] + power[2], power[1]])
        torch.testing.assert_close(flux.sum((1, 2)) * area, expected, rtol=2e-3, atol=0)

    def test_threads_do_not_change_a_bit(self):
        before = torch.get_num_threads()
        torch.set_num_threads(1)
        one = self.scene.flux()
        torch.set_num_threads(3)
        three = self.scene.flux()
        torch.set_num_threads(before)
        self.assertTrue(torch.equal(one, three))
        self.assertFalse(torch.equal(one, self.scene.flux(seed=4)))

    def test_torch_accepts_the_operators(self):
        tensors = [t.clone().requires_grad_(t.is_floating_point() and t is not self.scene.targets)
                   for t in self.scene.arguments()]
        settings = {**self.scene.settings, "rays": 500}
        torch.library.opcheck(OPS.trace_flux.default, tuple(tensors), settings)
        plain = tuple(t.detach() for t in tensors)
        grad = torch.ones(2, 16, 16, dtype=torch.float64)
        torch.library.opcheck(OPS.trace_flux_backward.default, (grad, *plain), settings)

    def test_gradcheck(self):
        # Single-precision rays: steps of a thousandth, and sums over pixels instead of each of them.
        weights = pattern()

        def loss(part, scale):
            return lambda x: (part(x * scale) * weights).sum() * 1e-4

        def by(name):
            def flux(value):
                setattr(self.scene, name, value)
                return self.scene.flux()
            return flux

        def by_tilt(mrad):
            points = paraboloid(55.0, 1.5, 1.0)
            rise = 1e-3 * mrad * (points[..., 0] + 0.5 * points[..., 1])
            self.scene.control_points = points + torch.nn.functional.pad(rise.unsqueeze(-1), (2, 0))
            return self.scene.flux()

        tilt = torch.ones(1, dtype=torch.float64)
        cases = {"aim_points": (by("aim_points"), self.scene.aim_points, 4.0), "sun": (by("sun"), self.scene.sun, 1.0),
                 "optics": (by("optics"), self.scene.optics, self.scene.optics), "tilt": (by_tilt, tilt, 50.0)}
        for name, (part, start, scale) in cases.items():
            with self.subTest(name):
                self.scene = Scene()
                leaf = (start / scale).clone().requires_grad_(True)
                self.assertTrue(torch.autograd.gradcheck(loss(part, scale), leaf, eps=2e-3, atol=1e-2, rtol=1e-2))

    def test_descent_moves_an_aim_point_to_where_the_flux_is_wanted(self):
        scene = self.scene
        wanted = scene.flux()
        scene.aim_points = (scene.aim_points + torch.tensor([0.5, 0.0, -0.4])).requires_grad_(True)
        optimizer = torch.optim.Adam([scene.aim_points], lr=0.05)
        losses = []
        for _ in range(40):
            optimizer.zero_grad()
            loss = ((scene.flux() - wanted) ** 2).mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        self.assertLess(losses[-1], 0.05 * losses[0])

    def test_surfaces(self):
        points = paraboloid(10.0, 1.0, 1.0)[0].requires_grad_(True)
        u = torch.linspace(0.1, 0.9, 5, dtype=torch.float64)
        v = torch.linspace(0.8, 0.2, 5, dtype=torch.float64).requires_grad_(True)
        surface, normals = OPS.nurbs_surface(points, u, v, [3, 3])
        self.assertEqual((surface.shape, normals.shape), ((1, 5, 3), (1, 5, 3)))
        torch.testing.assert_close(normals.norm(dim=-1), torch.ones(1, 5, dtype=torch.float64))
        self.assertTrue(torch.autograd.gradcheck(lambda p, w: OPS.nurbs_surface(p, u, w, [3, 3]), (points, v),
                                                 fast_mode=True))

    def test_alignment_reflects_the_sun_to_the_aim_point(self):
        for kinematics in ("rigid_body", "azimuth_elevation"):
            orientation = OPS.align(self.scene.parameters, self.scene.sun, self.scene.aim_points, kinematics)
            normal, origin = orientation[:, :3, 2], orientation[:, :3, 3]
            sun = self.scene.sun / self.scene.sun.norm()
            reflected = 2 * (normal @ sun).unsqueeze(1) * normal - sun
            to_aim = torch.nn.functional.normalize(self.scene.aim_points - origin, dim=1)
            torch.testing.assert_close(reflected, to_aim, rtol=0, atol=1e-10)

    def test_mistakes_are_named(self):
        self.scene.optics = self.scene.optics * torch.tensor([1.0, 100, 1, 1, 1], dtype=torch.float64)
        with self.assertRaisesRegex(RuntimeError, r"the reflectivity, must be from 0 to 1, found 90"):
            self.scene.flux()
        with self.assertRaisesRegex(RuntimeError, "sun_shape must be"):
            Scene().flux(sun_shape="buie")
        gradient = torch.full((2, 16, 16), math.nan, dtype=torch.float64)
        with self.assertRaisesRegex(RuntimeError, "grad_flux has NaN"):
            OPS.trace_flux_backward(gradient, *Scene().arguments(), **Scene().settings)

    def test_instruction_set_is_chosen_in_every_call(self):
        best = self.scene.flux()
        before = os.environ.get("HELIORAY_INSTRUCTION_SET", "")
        try:
            os.environ["HELIORAY_INSTRUCTION_SET"] = "portable"
            self.assertTrue(torch.equal(self.scene.flux(), best))
            os.environ["HELIORAY_INSTRUCTION_SET"] = "avx1024"
            with self.assertRaisesRegex(RuntimeError, "HELIORAY_INSTRUCTION_SET=avx1024: no instruction set"):
                self.scene.flux()
        finally:
            os.environ["HELIORAY_INSTRUCTION_SET"] = before

    def test_other_libraries_stay_out(self):
        # Python's packages bring their own HDF5, which must be the only one in the process.
        mapped = pathlib.Path("/proc/self/maps").read_text()
        self.assertIn("helioray_torch", mapped)
        self.assertNotRegex(mapped, r"/libhdf5[-_.a-z0-9]*\.so")

    def test_readme_snippet_runs(self):
        readme = (pathlib.Path(os.environ["HELIORAY_SOURCE_DIR"]) / "raytracer/operators/README.md").read_text()
        snippet = re.search(r"```python\n(.*?)```", readme, re.S)[1]
        snippet = snippet.replace("build/release/lib/libhelioray_torch.so", os.environ["HELIORAY_OPERATORS"])
        names = {}
        exec(compile(snippet, "raytracer/operators/README.md", "exec"), names)
        self.assertGreater(names["flux"].max().item(), 100)
        self.assertGreater(names["aim_points"].grad.abs().max().item(), 0)


if __name__ == "__main__":
    unittest.main()
