# SPDX-License-Identifier: MIT
"""The operators inside what Torch does with operators: torch.func, torch.compile, hooks, graphs; and in memory."""

import unittest

from test_python import OPS, Scene, torch


def small():
    """A scene whose traces take a millisecond."""
    scene = Scene()
    scene.settings["rays"] = 2000
    return scene


def mean_square(scene):
    """Loss as a function of aim points, through align and trace_flux."""
    def loss(aim_points):
        orientation = OPS.align(scene.parameters, scene.sun, aim_points)
        return OPS.trace_flux(orientation, *scene.arguments()[1:], **scene.settings).square().mean()
    return loss


def gradient(function, at):
    leaf = at.clone().requires_grad_()
    function(leaf).backward()
    return leaf.grad


class Functions(unittest.TestCase):
    """torch.func and torch.compile give what backward() gives."""

    def setUp(self):
        self.scene = small()
        self.loss = mean_square(self.scene)
        self.expected = gradient(self.loss, self.scene.aim_points)
        self.assertGreater(self.expected.abs().max(), 0)

    def test_grad_vjp_and_jacrev(self):
        points = self.scene.aim_points
        same = dict(rtol=1e-12, atol=0)
        torch.testing.assert_close(torch.func.grad(self.loss)(points), self.expected, **same)
        value, vjp = torch.func.vjp(self.loss, points)
        torch.testing.assert_close(vjp(torch.ones_like(value))[0], self.expected, **same)
        torch.testing.assert_close(torch.func.jacrev(self.loss)(points), self.expected, **same)

    def test_vmap(self):
        points = torch.stack([self.scene.aim_points, self.scene.aim_points + 0.1])
        losses = torch.func.vmap(self.loss)(points)
        gradients = torch.func.vmap(torch.func.grad(self.loss))(points)
        for i in range(2):
            self.assertEqual(losses[i], self.loss(points[i]))
            torch.testing.assert_close(gradients[i], gradient(self.loss, points[i]), rtol=1e-12, atol=0)

    def test_compile(self):
        compiled = torch.compile(self.loss, fullgraph=True, backend="aot_eager")
        torch.testing.assert_close(gradient(compiled, self.scene.aim_points), self.expected, rtol=1e-12, atol=0)

        def tilt(points):
            u = torch.linspace(0.1, 0.9, 5, dtype=torch.float64)
            surface, normals = OPS.nurbs_surface(points, u, u, [3, 3])
            return surface[..., 2].sum() + normals[..., 0].square().sum()
        compiled = torch.compile(tilt, fullgraph=True, backend="aot_eager")
        points = self.scene.control_points
        torch.testing.assert_close(gradient(compiled, points), gradient(tilt, points), rtol=1e-12, atol=0)

    def test_forward_mode_is_refused(self):
        orientation = self.scene.orientation()
        with self.assertRaisesRegex(NotImplementedError, "trace_flux has no forward-mode derivatives"):
            torch.func.jvp(lambda o: OPS.trace_flux(o, *self.scene.arguments()[1:], **self.scene.settings),
                           (orientation,), (orientation,))

    def test_second_derivatives(self):
        # Alignment has them outside torch.func, the flux says that it has none.
        wanted = self.scene.aim_points[:1]
        hessian = torch.autograd.functional.hessian(
            lambda p: OPS.align(self.scene.parameters[:1], self.scene.sun, p)[0, 2, 0], wanted)
        self.assertGreater(hessian.abs().max(), 0)
        with self.assertRaisesRegex(NotImplementedError, "flux has first derivatives only"):
            torch.autograd.functional.hessian(self.loss, self.scene.aim_points)
        with self.assertRaisesRegex(NotImplementedError, "align_backward is not differentiable.*first derivatives"):
            torch.func.jacrev(torch.func.jacrev(
                lambda p: OPS.align(self.scene.parameters[:1], self.scene.sun, p)[0, 2, 0]))(wanted)


class Graphs(unittest.TestCase):
    """What autograd promises of saved tensors."""

    def setUp(self):
        self.scene = small()

    def trace(self, orientation):
        return OPS.trace_flux(orientation, *self.scene.arguments()[1:], **self.scene.settings).square().mean()

    def test_retained_graphs_run_twice_and_others_once(self):
        leaf = self.scene.orientation().requires_grad_()
        loss = self.trace(leaf)
        loss.backward(retain_graph=True)
        once = leaf.grad.clone()
        loss.backward()
        self.assertTrue(torch.equal(leaf.grad, 2 * once))
        with self.assertRaisesRegex(RuntimeError, "a second time"):
            loss.backward()

    def test_inputs_that_were_changed_in_place_are_noticed(self):
        leaf = self.scene.orientation().requires_grad_()
        changed = leaf * 1
        loss = self.trace(changed)
        changed.mul_(1)
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
            loss.backward()

    def test_hooks_on_saved_tensors_and_checkpoints(self):
        expected = gradient(self.trace, self.scene.orientation())
        leaf = self.scene.orientation().requires_grad_()
        packed = []
        with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or t.clone(), lambda t: t):
            loss = self.trace(leaf)
        loss.backward()
        self.assertGreater(len(packed), 5)
        self.assertTrue(torch.equal(leaf.grad, expected))
        found = gradient(lambda o: torch.utils.checkpoint.checkpoint(self.trace, o, use_reentrant=False),
                         self.scene.orientation())
        self.assertTrue(torch.equal(found, expected))

    def test_layout_in_memory_does_not_matter(self):
        def spread(tensor):
            return torch.stack([tensor, tensor], -1)[..., 0]
        arguments = self.scene.arguments()
        expected = OPS.trace_flux(*arguments, **self.scene.settings)
        self.assertTrue(torch.equal(OPS.trace_flux(*map(spread, arguments), **self.scene.settings), expected))
        turned = arguments[0].transpose(1, 2).contiguous().transpose(1, 2)
        self.assertTrue(torch.equal(OPS.trace_flux(turned, *arguments[1:], **self.scene.settings), expected))


class KeptMirrors(unittest.TestCase):
    """Areas and shapes of mirrors are kept between calls, and never those of other control points."""

    def setUp(self):
        self.scene = small()
        self.scene.settings.update(shading=True, blocking=True)
        self.scene.control_points = self.scene.control_points.repeat(3, 1, 1, 1, 1)

    def results(self, points):
        leaf = points.detach().requires_grad_()
        arguments = list(self.scene.arguments())
        arguments[1] = leaf
        flux = OPS.trace_flux(*arguments, **self.scene.settings)
        slope, = torch.autograd.grad(flux.square().mean(), leaf)
        return flux.detach(), slope

    def fresh(self, points):
        """The same after a call with mirrors that have nothing in common."""
        self.results(1.5 * points + 0.01)
        return self.results(points.clone())

    def test_changes_in_place_are_seen(self):
        points = self.scene.control_points.clone()
        changes = [lambda: points[1, 0, 2, 2, 2].add_(1e-3), lambda: points[2].mul_(0.9),
                   lambda: points.copy_(points.flip(0)), lambda: points[0, 0, 0, 0, 0].sub_(1e-4),
                   lambda: points[..., 2].neg_()]
        before = self.results(points)
        for change in changes:
            change()
            found = self.results(points)
            self.assertFalse(torch.equal(found[1], before[1]))
            for one, other in zip(found, self.fresh(points)):
                self.assertTrue(torch.equal(one, other))
            self.assertTrue(all(map(torch.equal, self.results(points), found)))
            before = found

    def test_degrees_and_shapes_are_part_of_it(self):
        points = self.scene.control_points
        cubic = self.results(points)
        self.scene.settings["degrees"] = [2, 3]
        quadratic = self.results(points)
        self.assertFalse(torch.equal(cubic[0], quadratic[0]))
        self.assertTrue(torch.equal(quadratic[0], self.fresh(points)[0]))
        # Without occlusion first: the shapes of the mirrors come later.
        self.scene.settings.update(shading=False, blocking=False)
        self.fresh(points)
        self.scene.settings.update(shading=True, blocking=True)
        self.assertTrue(torch.equal(self.results(points)[0], quadratic[0]))
        # One mirror, then a part of it, then all again.
        shared = self.results(points[:1])
        self.assertTrue(torch.equal(shared[0], quadratic[0]))
        torch.testing.assert_close(shared[1][0], quadratic[1].sum(0), rtol=1e-9, atol=1e-9)
        self.assertTrue(all(map(torch.equal, self.results(points), quadratic)))

    def test_a_map_for_each_heliostat(self):
        # The documented way: a row of targets for each, in one place.
        scene = self.scene
        scene.target_index = torch.zeros(3, dtype=torch.int64)
        scene.aim_points = scene.aim_points[:1].repeat(3, 1)
        together = scene.flux()[0]
        scene.target_index = torch.arange(3)
        scene.targets = scene.targets[:1].repeat(3, 1)
        each = scene.flux()
        self.assertGreater(each.sum((1, 2)).min(), 0)
        torch.testing.assert_close(each.sum(0), together, rtol=1e-12, atol=1e-9)


if __name__ == "__main__":
    unittest.main()
