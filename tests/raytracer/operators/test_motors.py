# SPDX-License-Identifier: MIT
"""Motor positions to orientations: against trigonometry, against alignment, and calibration with gradients."""

import math
import unittest

from test_python import OPS, torch

DOUBLE = dict(dtype=torch.float64)
# Steps per metre, offset, pivot radius, initial stroke; linear and clockwise stand before them, the initial angle after them.
DRIVES = torch.tensor([[1, 0, 150e3, 0.34, 0.32, 0.08, -math.pi / 2], [1, 1, 150e3, 0.35, 0.31, 0.076, 0.96]], **DOUBLE)


def bodies(n):
    """Rigid bodies with all deviations."""
    parameters = torch.zeros(n, 16, **DOUBLE)
    parameters[:, :3] = torch.tensor([5.0, 60, 1], **DOUBLE)
    parameters[:, 3:12] = torch.linspace(-0.1, 0.2, 9, **DOUBLE)
    parameters[:, 12:] = torch.tensor([3e-3, -2e-3, 1e-3, 2e-3], **DOUBLE)
    return parameters


def joint_angle(drive, position):
    """Law of cosines, in plain numbers."""
    _, clockwise, increment, b, r, s0, start = drive.tolist()

    def opening(s):
        return math.acos((b * b + r * r - s * s) / (2 * b * r))
    turn = opening(s0) - opening(s0 + position / increment)
    return start + turn if clockwise else start - turn


class Motors(unittest.TestCase):
    def test_linear_drives_are_the_joint_angles_of_their_triangles(self):
        motors = torch.tensor([[0.0, 0], [20e3, 30e3], [41000.5, 60e3]], **DOUBLE)
        found = OPS.orient(bodies(3), motors, DRIVES.repeat(3, 1, 1))
        angles = torch.tensor([[joint_angle(DRIVES[axis], row[axis]) for axis in (0, 1)] for row in motors.tolist()], **DOUBLE)
        ideal = OPS.orient(bodies(3), angles, torch.zeros(3, 2, 7, **DOUBLE))
        torch.testing.assert_close(found, ideal, rtol=0, atol=1e-12)

    def test_joint_angles_turn_about_east_and_up(self):
        angles = torch.tensor([[0.0, 0], [-math.pi / 2, 0], [-0.3, 0.4]], **DOUBLE)
        parameters = torch.zeros(3, 16, **DOUBLE)
        normal = OPS.orient(parameters, angles, torch.zeros(3, 2, 7, **DOUBLE))[:, :3, 2]
        a, b = angles.unbind(1)
        south = torch.stack([torch.sin(b), -torch.cos(b), 0 * b], 1)  # south, turned about up by the second joint
        expected = torch.stack([south[:, 0], torch.cos(a) * south[:, 1], torch.sin(a) * south[:, 1]], 1)  # about east
        torch.testing.assert_close(normal, expected, rtol=0, atol=1e-12)
        azimuth = OPS.orient(parameters, torch.tensor([[math.pi, 0.5]], **DOUBLE).repeat(3, 1),
                             torch.zeros(3, 2, 7, **DOUBLE), "azimuth_elevation")[:, :3, 2]
        torch.testing.assert_close(azimuth, torch.tensor([[0, -math.cos(0.5), math.sin(0.5)]], **DOUBLE).repeat(3, 1),
                                   rtol=0, atol=1e-12)

    def test_torch_accepts_the_operators(self):
        motors = torch.tensor([[20e3, 30e3], [25e3, 35e3]], **DOUBLE)
        inputs = tuple(t.clone().requires_grad_() for t in (bodies(2), motors, DRIVES.repeat(2, 1, 1)))
        torch.library.opcheck(OPS.orient.default, inputs)
        gradient = torch.randn(2, 4, 4, generator=torch.Generator().manual_seed(1), **DOUBLE)
        torch.library.opcheck(OPS.orient_backward.default, (gradient, *(t.detach() for t in inputs)))
        sun, aim = torch.tensor([0, -0.7, 0.7], **DOUBLE), torch.tensor([[0.0, 0, 40], [1, 0, 40]], **DOUBLE)
        torch.library.opcheck(OPS.align.default, tuple(t.clone().requires_grad_() for t in (bodies(2), sun, aim)))
        torch.library.opcheck(OPS.align_backward.default, (gradient, bodies(2), sun, aim))
        torch.library.opcheck(OPS.motor_positions.default, tuple(t.clone().requires_grad_() for t in (bodies(2), sun, aim, DRIVES.repeat(2, 1, 1))))
        torch.library.opcheck(OPS.motor_positions_backward.default, (gradient[:, 0, :2].contiguous(), bodies(2), sun, aim, DRIVES.repeat(2, 1, 1)))
        points = torch.rand(4, 5, 3, generator=torch.Generator().manual_seed(2), **DOUBLE)
        u, v = torch.tensor([0.2, 0.7], **DOUBLE), torch.tensor([0.6, 0.1], **DOUBLE)
        torch.library.opcheck(OPS.nurbs_surface.default,
                              (points.clone().requires_grad_(), u.clone().requires_grad_(), v), dict(degrees=[3, 3]))
        torch.library.opcheck(OPS.nurbs_surface_backward.default,
                              (torch.ones(2, 3, **DOUBLE), torch.ones(2, 3, **DOUBLE), points, u, v),
                              dict(degrees=[3, 3]))

    def test_gradcheck(self):
        # In units in which all inputs are about 1.
        scale = DRIVES.clone()
        scale[:, :2] = scale[:, 6:] = 1
        first = DRIVES / scale

        def pose(parameters, thousands, drives):
            return OPS.orient(parameters, 1000 * thousands, torch.cat([first[:, :2], drives], -1)[None] * scale)
        inputs = (bodies(1), torch.tensor([[20.0, 30]], **DOUBLE), first[:, 2:])
        self.assertTrue(torch.autograd.gradcheck(pose, tuple(t.clone().requires_grad_() for t in inputs), fast_mode=True))
        # The operator's own backward, as torch.func calls it.
        weights = torch.linspace(-1, 1, 16, **DOUBLE).view(4, 4)

        def loss(*x):
            return (pose(*x)[0] * weights).sum()
        found = torch.func.grad(loss, (0, 1, 2))(*inputs)
        leaves = tuple(t.clone().requires_grad_() for t in inputs)
        for one, other in zip(found, torch.autograd.grad(loss(*leaves), leaves)):
            torch.testing.assert_close(one, other, rtol=1e-12, atol=1e-15)

    def test_alignment_has_first_and_second_derivatives(self):
        sun, aims = torch.tensor([0.1, -0.9, 0.9], **DOUBLE), torch.tensor([[0.5, 0, 40], [1, 2, 35]], **DOUBLE)
        free = {"rigid_body": slice(0, 16), "azimuth_elevation": slice(9, 12)}  # the parameters that it has
        for kinematics, columns in free.items():
            fixed = torch.zeros(2, 16, **DOUBLE)
            fixed[:, :3] = bodies(2)[:, :3]

            def pose(parameters, sun, aims):
                everything = torch.cat([fixed[:, :columns.start], parameters, fixed[:, columns.stop:]], 1)
                return OPS.align(everything, sun, aims, kinematics)
            inputs = tuple(t.clone().requires_grad_() for t in (bodies(2)[:, columns], sun, aims))
            self.assertTrue(torch.autograd.gradcheck(pose, inputs))
            self.assertTrue(torch.autograd.gradgradcheck(pose, inputs, fast_mode=True))

    def test_motor_positions_point_mirrors_at_aim_points(self):
        sun, aims = torch.tensor([0.1, -0.7, 0.7], **DOUBLE), torch.tensor([[0.5, 0, 40], [1, 2, 35]], **DOUBLE)
        drives = DRIVES.repeat(2, 1, 1)
        motors = OPS.motor_positions(bodies(2), sun, aims, drives)
        self.assertEqual(motors.shape, (2, 2))
        torch.testing.assert_close(OPS.orient(bodies(2), motors, drives), OPS.align(bodies(2), sun, aims), rtol=0, atol=1e-12)
        # The triangle's own trigonometry turns them into the joint angles.
        angles = torch.tensor([[joint_angle(DRIVES[axis], row[axis]) for axis in (0, 1)] for row in motors.tolist()], **DOUBLE)
        ideal = OPS.motor_positions(bodies(2), sun, aims, torch.zeros(2, 2, 7, **DOUBLE))
        torch.testing.assert_close(torch.remainder(ideal - angles + 1, 2 * math.pi), torch.ones(2, 2, **DOUBLE), rtol=0, atol=1e-12)
        # Azimuth and elevation of the normal that halves the angle between sun and aim point.
        parameters = torch.zeros(1, 16, **DOUBLE)
        parameters[0, :3] = torch.tensor([5.0, 60, 1], **DOUBLE)
        to_aim = torch.nn.functional.normalize(aims[:1] - parameters[:, :3])
        normal = torch.nn.functional.normalize(to_aim + sun / sun.norm())[0]
        expected = torch.stack([torch.remainder(torch.atan2(normal[0], normal[1]), 2 * math.pi), torch.asin(normal[2])])
        found = OPS.motor_positions(parameters, sun, aims[:1], torch.zeros(1, 2, 7, **DOUBLE), "azimuth_elevation")[0]
        torch.testing.assert_close(torch.stack([torch.remainder(found[0], 2 * math.pi), found[1]]), expected, rtol=0, atol=1e-12)

    def test_motor_positions_have_first_and_second_derivatives(self):
        scale = torch.tensor([1, 1, 150e3, 1, 1, 1, 1], **DOUBLE)
        flags = DRIVES[None, :, :2]

        def thousands(parameters, sun, aims, numbers):
            return 1e-3 * OPS.motor_positions(parameters, sun, aims, torch.cat([flags, numbers], -1) * scale)
        inputs = (bodies(1), torch.tensor([0.1, -0.7, 0.7], **DOUBLE), torch.tensor([[0.5, 0, 40]], **DOUBLE), (DRIVES / scale)[None, :, 2:])
        leaves = tuple(t.clone().requires_grad_() for t in inputs)
        self.assertTrue(torch.autograd.gradcheck(thousands, leaves))
        self.assertTrue(torch.autograd.gradgradcheck(thousands, leaves, fast_mode=True))
        # The operator's own backward, as torch.func calls it.
        found = torch.func.grad(lambda *x: thousands(*x).sum(), (0, 1, 2, 3))(*inputs)
        for one, other in zip(found, torch.autograd.grad(thousands(*leaves).sum(), leaves)):
            torch.testing.assert_close(one, other, rtol=1e-12, atol=1e-15)

    def test_motor_positions_name_mistakes(self):
        sun, aims, drives = torch.tensor([0.1, -0.7, 0.7], **DOUBLE), torch.tensor([[0.5, 0, 40]], **DOUBLE), DRIVES[None].clone()
        short = drives.clone()
        short[:, 0, 3:6] = torch.tensor([0.34, 0.01, 0.335], **DOUBLE)
        short[:, 0, 6] += 2.0
        for message, inputs in ((r"aim_points\[0\]", (bodies(1), sun, aims, short)),
                                (r"drives must be float64 \[1, 2, 7\]", (bodies(1), sun, aims, drives[..., :6])),
                                (r"aim_points must be float64 \[1, 3\]", (bodies(1), sun, aims[0], drives)),
                                (r"drives\[0, 1\] is no linear drive", (bodies(1), sun, aims, drives - torch.tensor([[0] * 7, [0, 0, 0, 0, 0, 0.05, 0]])))):
            with self.assertRaisesRegex(RuntimeError, message):
                OPS.motor_positions(*inputs)
        with self.assertRaisesRegex(RuntimeError, r"grad_motor_positions must be float64 \[1, 2\]"):
            OPS.motor_positions_backward(torch.zeros(1, 3, **DOUBLE), bodies(1), sun, aims, drives)

    def test_motors_have_second_derivatives(self):
        scale = torch.tensor([1, 1, 150e3, 1, 1, 1, 1], **DOUBLE)
        flags = DRIVES[None, :, :2]

        def pose(parameters, thousands, numbers):
            return OPS.orient(parameters, 1000 * thousands, torch.cat([flags, numbers], -1) * scale)
        inputs = (bodies(1), torch.tensor([[20.0, 30]], **DOUBLE), (DRIVES / scale)[None, :, 2:])
        self.assertTrue(torch.autograd.gradgradcheck(pose, tuple(t.clone().requires_grad_() for t in inputs)))

    def test_more_derivatives_are_refused(self):
        sun = torch.tensor([0, -0.7, 0.7], **DOUBLE)
        aim = torch.tensor([[0.0, 0, 40]], **DOUBLE, requires_grad=True)
        first, = torch.autograd.grad(OPS.align(bodies(1), sun, aim)[0, 2, 0], aim, create_graph=True)
        second, = torch.autograd.grad(first.sum(), aim, create_graph=True)
        self.assertGreater(second.abs().max(), 0)
        with self.assertRaisesRegex(NotImplementedError, "align_backward is not differentiable.*second derivatives"):
            second.sum().backward()

        def corner(points):
            return OPS.align(bodies(1), sun, points)[0, 2, 0]
        with self.assertRaisesRegex(NotImplementedError, "inside torch.func, torch.compile and vmap"):
            torch.autograd.functional.hessian(corner, aim.detach(), vectorize=True)
        gradient = torch.zeros(1, 4, 3, **DOUBLE)
        with self.assertRaisesRegex(RuntimeError, r"grad_orientation must be float64 \[1, 4, 4\]"):
            OPS.align_backward(gradient, bodies(1), sun, aim)

    def test_threads_do_not_change_a_bit(self):
        n = 1000
        parameters = bodies(n) + 0.01 * torch.rand(n, 16, generator=torch.Generator().manual_seed(1), **DOUBLE)
        sun, aims = torch.tensor([0, -0.7, 0.7], **DOUBLE), torch.tensor([[0.0, 0, 40]], **DOUBLE).repeat(n, 1)
        gradient = torch.randn(n, 4, 4, generator=torch.Generator().manual_seed(2), **DOUBLE)
        before = torch.get_num_threads()
        results = []
        for threads in (1, 3):
            torch.set_num_threads(threads)
            results.append((OPS.align(parameters, sun, aims), *OPS.align_backward(gradient, parameters, sun, aims)))
        torch.set_num_threads(before)
        self.assertTrue(all(map(torch.equal, *results)))

    def test_export(self):
        class Model(torch.nn.Module):
            def forward(self, aims):
                return OPS.align(bodies(2), torch.tensor([0, -0.7, 0.7], **DOUBLE), aims)[:, :3, 2]
        aims = torch.tensor([[0.0, 0, 40], [1, 0, 40]], **DOUBLE)
        exported = torch.export.export(Model(), (aims,)).module()
        self.assertTrue(torch.equal(exported(aims + 0.5), Model()(aims + 0.5)))

    def test_calibration_finds_the_offsets_of_the_drives(self):
        # Focal spots of four measurements; the initial angles of the drives are unknown.
        suns = torch.nn.functional.normalize(torch.tensor([[-0.3, -0.6, 0.7], [0, -0.5, 0.8], [0.3, -0.6, 0.7],
                                                           [0.5, -0.4, 0.7]], **DOUBLE), dim=1)
        true = DRIVES[:, 6] + torch.tensor([4e-3, -3e-3], **DOUBLE)
        motors = torch.tensor([[20e3, 30e3], [25e3, 35e3], [22e3, 40e3], [30e3, 33e3]], **DOUBLE)

        def reflected(initial):
            drives = torch.cat([DRIVES[:, :6], initial[:, None]], 1)
            normal = OPS.orient(bodies(4), motors, drives.repeat(4, 1, 1))[:, :3, 2]
            return 2 * (normal * suns).sum(1, keepdim=True) * normal - suns
        measured = reflected(true).detach()
        shift = torch.zeros(2, **DOUBLE, requires_grad=True)
        optimizer = torch.optim.LBFGS([shift], max_iter=50, line_search_fn="strong_wolfe", tolerance_grad=1e-14)

        def closure():
            optimizer.zero_grad()
            loss = (1e3 * (reflected(DRIVES[:, 6] + 1e-3 * shift) - measured)).square().sum()
            loss.backward()
            return loss
        optimizer.step(closure)
        torch.testing.assert_close(shift.detach(), torch.tensor([4.0, -3], **DOUBLE), rtol=0, atol=1e-4)

    def test_mistakes_are_named(self):
        motors, drives = torch.tensor([[20e3, 30e3]], **DOUBLE), DRIVES[None].clone()

        def refused(message, parameters=bodies(1), motors=motors, drives=drives, **more):
            with self.assertRaisesRegex(RuntimeError, message):
                OPS.orient(parameters, motors, drives, **more)
        refused(r"motor_positions\[0\]: motor position 900000 of axis 1 is beyond the reach",
                motors=torch.tensor([[900e3, 30e3]], **DOUBLE))
        refused(r"drives\[0, 1\] is no linear drive", drives=drives - torch.tensor([[0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0.05, 0]]))
        refused("linear and clockwise, must be 0 or 1", drives=drives + 0.5)
        refused("motor_positions has NaN", motors=motors * math.nan)
        refused("parameters has NaN", parameters=bodies(1) * math.inf)
        refused(r"motor_positions must be float64 \[1, 2\], found Float", motors=motors.float())
        refused(r"drives must be float64 \[1, 2, 7\]", drives=drives[..., :6])
        refused("use rigid_body", kinematics="azimuth_elevation")
        refused('kinematics must be "rigid_body"', kinematics="heliostat")
        self.assertEqual(OPS.orient(bodies(0), motors[:0], drives[:0]).shape, (0, 4, 4))


if __name__ == "__main__":
    unittest.main()
