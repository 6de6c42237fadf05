# SPDX-License-Identifier: MIT
"""The class helioray.Field: changes, traces, gradients, threads and memory; and how functional calls find prepared
fields."""

import gc
import threading
import unittest

from test_python import OPS, Scene, pattern, torch

double = dict(dtype=torch.float64)
CONFIG = """
sun: {{shape: {{type: gaussian, sigma_mrad: 2.1}}, dni_w_m2: 900}}
optics: {{reflectivity: 0.9, slope_error_mrad: 1.5, specularity_error_mrad: 1.0{optics}}}
tracing: {{rays_per_heliostat: {rays}, seed: 3, shading: {occlusion}, blocking: {occlusion}}}
bitmap: {{width: 16, height: 16, filter: {filter}}}
{more}
"""


def config(rays=2000, occlusion="false", filter="bilinear", optics="", more=""):
    return CONFIG.format(**locals())


def make(scene, text=None, **options):
    """The scene as a Field."""
    field = torch.classes.helioray.Field(text or config(), scene.targets, scene.target_index, scene.orientation(),
                                         **options)
    field.set_control_points(scene.control_points)
    field.set_sun(scene.sun)
    return field


def small():
    scene = Scene()
    scene.settings["rays"] = 2000
    return scene


class Traces(unittest.TestCase):
    def setUp(self):
        self.scene = small()

    def test_same_light_as_trace_flux(self):
        for occlusion in ("false", "true"):
            on = occlusion == "true"
            flux, energy = make(self.scene, config(occlusion=occlusion)).trace()
            self.assertTrue(torch.equal(flux, self.scene.flux(shading=on, blocking=on)))
        area = torch.tensor([6 * 6, 5 * 2.5 * 8]) / 256
        power = flux.sum((1, 2)) * area
        torch.testing.assert_close(energy[[0, 2], 7].sum(), power[0], rtol=1e-9, atol=0)
        torch.testing.assert_close(energy[1, 7], power[1], rtol=1e-9, atol=0)
        torch.testing.assert_close(make(self.scene, config()).pixel_areas(), area.to(torch.float64), rtol=1e-12, atol=0)

    def test_energy_adds_up(self):
        field = make(self.scene, config(occlusion="true", optics=", attenuation: mirval"))
        energy = field.trace()[1]
        names = field.energy_terms()
        self.assertEqual((names[0], names[7], energy.shape), ("solar_power", "target_power", (3, 8)))
        torch.testing.assert_close(energy[:, 0], energy[:, 1:].sum(1), rtol=1e-12, atol=0)
        torch.testing.assert_close(energy[:, 0], torch.full((3,), 900 * 6.0, **double), rtol=1e-3, atol=0)
        self.assertGreater(energy[:, names.index("attenuation_loss")].min(), 0)
        parts = [field.trace([i, 3]) for i in range(3)]
        torch.testing.assert_close(sum(part[1] for part in parts), energy, rtol=1e-9, atol=1e-6)

    def test_sun_shapes(self):
        powers = []
        for shape in ("{type: gaussian, sigma_mrad: 2.1}", "{type: pillbox, half_angle_mrad: 4.65}", "{type: collimated}",
                      "{type: buie, csr: 0.05}", "{type: limb_darkened}"):
            text = config(rays=20000).replace("{type: gaussian, sigma_mrad: 2.1}", shape)
            flux = make(self.scene, text).trace()[0]
            powers.append(flux.sum((1, 2)))
            if len(powers) > 1:
                torch.testing.assert_close(powers[-1], powers[0], rtol=5e-3, atol=0)
        self.assertGreater(len({float(power[0]) for power in powers}), 3)

    def test_what_stands_around_targets(self):
        plain = make(self.scene, config(rays=20000)).trace()[1]
        target_power, spilled, blocked, shaded = 7, 6, 4, 2
        window = "targets: {\"0\": {aperture: {center: [-3, 0.5, 20], normal: [0, 1, 0], width_m: 0.3, height_m: 0.3}}}"
        energy = make(self.scene, config(rays=20000, more=window)).trace()[1]
        self.assertLess(energy[0, target_power], 0.8 * plain[0, target_power])
        self.assertGreater(energy[0, spilled], plain[0, spilled])
        self.assertEqual(energy[1, target_power], plain[1, target_power])
        outline = "targets: {\"0\": {outline_m: [[-0.2, -0.2], [0.2, -0.2], [0, 0.3]]}}"
        energy = make(self.scene, config(rays=20000, more=outline)).trace()[1]
        self.assertLess(energy[0, target_power], 0.8 * plain[0, target_power])
        wall = "obstacles: [{type: box, center: [-6, 25, 9], size_m: [3, 0.5, 20]}]"
        energy = make(self.scene, config(rays=20000, more=wall)).trace()[1]
        self.assertGreater(energy[0, blocked] + energy[0, shaded], 1000)

    def test_facets_with_formulas(self):
        # A paraboloid equals the control points of one.
        spline = make(self.scene, config(rays=20000)).trace()[1]
        formulas = make(self.scene, config(rays=20000))
        facet = torch.tensor([1, 55.0, 0, 0, 0, 1.5, 0, 0, 0, 1.0, 0], **double)
        formulas.set_facets(facet.view(1, 1, 11))
        torch.testing.assert_close(formulas.trace()[1][:, 7], spline[:, 7], rtol=2e-3, atol=0)
        with self.assertRaisesRegex(RuntimeError, "kind must be 0"):
            formulas.set_facets((facet + 5).view(1, 1, 11))

    def test_a_map_for_each_heliostat(self):
        field = make(self.scene, per_heliostat=True)
        maps, flux = field.trace_heliostats(), field.trace()[0]
        torch.testing.assert_close(maps[0] + maps[2], flux[0], rtol=1e-12, atol=1e-9)
        torch.testing.assert_close(maps[1], flux[1], rtol=1e-12, atol=1e-9)
        with self.assertRaisesRegex(RuntimeError, "per_heliostat=True"):
            make(self.scene).trace_heliostats()

    def test_mistakes_are_named(self):
        with self.assertRaisesRegex(RuntimeError, "set_sun.. says first"):
            torch.classes.helioray.Field("", self.scene.targets, self.scene.target_index,
                                         self.scene.orientation()).trace()
        for text, message in (("tracing: {ray: 3}", "unknown"), ("scenario: x.h5", "no meaning"),
                              ("tracing: {model: artist}", "is artist"), ("optics: {reflectivity: 2}", "reflectivity"),
                              ("targets: {\"7\": {outline_m: [[0, 0], [1, 0], [0, 1]]}}", "named by their rows")):
            with self.assertRaisesRegex(RuntimeError, message):
                make(self.scene, text)
        field = make(self.scene)
        with self.assertRaisesRegex(RuntimeError, "optics.1., the reflectivity"):
            field.set_optics(torch.tensor([900, 3, 0, 0, 0], **double))
        with self.assertRaisesRegex(RuntimeError, "orientation must have shape"):
            field.set_orientation(self.scene.orientation()[:2])
        with self.assertRaisesRegex(RuntimeError, "names 1 twice"):
            field.set_orientation(self.scene.orientation()[:2], torch.tensor([1, 1]))


class Updates(unittest.TestCase):
    """A field that receives changes equals a new one."""

    def test_sequences_of_changes(self):
        generator = torch.Generator().manual_seed(5)

        def random(*size):
            return torch.rand(*size, generator=generator, **double)

        scene = small()
        scene.control_points = scene.control_points.repeat(3, 1, 1, 1, 1)
        field = make(scene, config(occlusion="true"))
        optics, index, orientation, seed = scene.optics.clone(), scene.target_index.clone(), scene.orientation(), 3

        def turn():
            nonlocal orientation
            scene.aim_points = scene.aim_points + 0.3 * (random(3, 3) - 0.5)
            orientation = orientation.clone()
            orientation[1:] = scene.orientation()[1:]
            field.set_orientation(orientation[1:], torch.tensor([1, 2]))

        def bend():
            one = int(3 * random(1))
            scene.control_points[one, ..., 2] *= 1 + 0.1 * float(random(1))
            field.set_control_points(scene.control_points[one:one + 1], heliostats=torch.tensor([one]))

        def move_sun():
            scene.sun = scene.sun + 0.1 * (random(3) - 0.5)
            field.set_sun(scene.sun)

        def change_optics():
            optics[1:] *= 0.9 + 0.1 * random(4)
            field.set_optics(optics)

        def serve():
            index[:] = (3 * random(3)).long() - 1
            index[0] = 0
            field.set_target_index(index)

        def draw():
            nonlocal seed
            seed += 1
            field.set_seed(seed)

        changes = [turn, bend, move_sun, change_optics, serve, draw]
        for _ in range(60):
            changes[int(len(changes) * random(1))]()
            fresh = torch.classes.helioray.Field(config(occlusion="true"), scene.targets, index, orientation)
            fresh.set_control_points(scene.control_points)
            fresh.set_sun(scene.sun)
            fresh.set_optics(optics)
            fresh.set_seed(seed)
            for found, expected in zip(field.trace(), fresh.trace()):
                self.assertTrue(torch.equal(found, expected))

    def test_changes_that_leave_no_trace_in_versions(self):
        scene = small()
        scene.settings.update(shading=True, blocking=True)
        scene.control_points = scene.control_points.repeat(3, 1, 1, 1, 1)
        before = scene.flux()
        version = scene.control_points._version
        scene.control_points.numpy()[1, ..., 2] *= 1.5
        self.assertEqual(scene.control_points._version, version)
        after = scene.flux()
        self.assertFalse(torch.equal(after, before))
        scene.control_points.data[1, ..., 2].div_(1.5)
        torch.testing.assert_close(scene.flux(), before, rtol=1e-6, atol=1e-6)


class Gradients(unittest.TestCase):
    def setUp(self):
        self.scene = small()

    def leaves(self):
        scene = self.scene
        tensors = (scene.orientation(), scene.control_points, scene.sun, scene.optics)
        return [tensor.detach().clone().requires_grad_() for tensor in tensors]

    def test_those_of_trace_flux(self):
        scene, weights = self.scene, pattern()
        o, p, s, x = leaves = self.leaves()
        flux = OPS.trace_flux(o, p, scene.target_index, scene.targets, s, x, **scene.settings)
        expected = torch.autograd.grad((flux * weights).sum(), leaves)
        field = make(scene)
        o, p, s, x = leaves = self.leaves()
        flux, energy = OPS.trace_field(field, o, p, s, x)
        loss = (flux * weights).sum()
        found = torch.autograd.grad(loss, leaves, retain_graph=True)
        self.assertTrue(all(map(torch.equal, found, expected)))
        # The field has changed in between; the backward is still that of its trace.
        field.set_orientation(make_other(scene))
        field.set_sun(scene.sun + 0.1)
        field.set_control_points(1.1 * scene.control_points)
        self.assertTrue(all(map(torch.equal, torch.autograd.grad(loss, leaves, retain_graph=True), expected)))
        # The field keeps its own control points, sun and optics here, without gradients for them.
        o = self.leaves()[0]
        flux, _ = OPS.trace_field(field, o)
        self.assertTrue(torch.equal(torch.autograd.grad((flux * weights).sum(), o)[0], expected[0]))

    def test_where_there_are_none(self):
        scene = self.scene
        field = make(scene)
        o, p, s, x = self.leaves()
        flux, energy = OPS.trace_field(field, o)
        with self.assertRaisesRegex(NotImplementedError, "energy has no gradient"):
            (flux.sum() + energy.sum()).backward(retain_graph=True)
        field.set_seed(17)
        with self.assertRaisesRegex(RuntimeError, "another seed since"):
            flux.sum().backward()
        flux, _ = OPS.trace_field(make(scene, config(filter="box")), o)
        with self.assertRaisesRegex(RuntimeError, "filter: bilinear"):
            flux.sum().backward()
        with self.assertRaisesRegex(NotImplementedError, "use trace_flux"):
            torch.func.grad(lambda o: OPS.trace_field(field, o)[0].sum())(o.detach())
        flux, _ = OPS.trace_field(field, o)
        by, = torch.autograd.grad(flux.square().sum(), o, create_graph=True)
        with self.assertRaisesRegex(NotImplementedError, "first derivatives only"):
            by.sum().backward()

    def test_through_air_and_formulas(self):
        # Settings that only the class has also have gradients; against a central difference.
        text = config(rays=20000, optics=", attenuation: {model: exponential, per_km: 3}").replace(
            "{type: gaussian, sigma_mrad: 2.1}", "{type: limb_darkened}")
        field = make(self.scene, text)
        field.set_facets(torch.tensor([1, 55.0, 0, 0, 0, 1.5, 0, 0, 0, 1.0, 0], **double).view(1, 1, 11))
        weights = pattern()

        def loss(aim_points):
            orientation = OPS.align(self.scene.parameters, self.scene.sun, aim_points, "azimuth_elevation")
            return (OPS.trace_field(field, orientation)[0] * weights).sum() * 1e-4

        points = self.scene.aim_points.clone().requires_grad_()
        loss(points).backward()
        for k in (0, 2):
            step = torch.zeros_like(self.scene.aim_points)
            step[0, k] = 0.02
            difference = (loss(self.scene.aim_points + step) - loss(self.scene.aim_points - step)) / 0.04
            torch.testing.assert_close(points.grad[0, k], difference, rtol=2e-2, atol=1e-2)

    def test_light_that_crosses_edges(self):
        # A wall in the middle of all beams hides their lower halves; moved aim points move the light over its edge.
        wall = "obstacles: [{type: box, center: [0, 25, 5.2], size_m: [20, 0.3, 10.4]}]"
        field = make(self.scene, config(rays=500000, occlusion="true", more=wall))
        weights = pattern() + 2

        def loss(aim_points, edge_reach=0.0):
            orientation = OPS.align(self.scene.parameters, self.scene.sun, aim_points, "azimuth_elevation")
            return (OPS.trace_field(field, orientation, edge_reach=edge_reach)[0] * weights).sum() * 1e-4

        up = torch.zeros_like(self.scene.aim_points)
        up[:, 2] = 0.1
        difference = (loss(self.scene.aim_points + up) - loss(self.scene.aim_points - up)) / 2
        found = {}
        for reach in (0.0, 0.15):
            points = self.scene.aim_points.clone().requires_grad_()
            flux = loss(points, reach)
            self.assertEqual(float(flux), float(loss(self.scene.aim_points)))
            flux.backward()
            found[reach] = (points.grad * up).sum()
        self.assertGreater(abs(found[0.0] - difference), 0.5 * abs(difference))
        torch.testing.assert_close(found[0.15], difference, rtol=0.02, atol=0)
        for reach in (-0.1, float("nan"), float("inf")):
            with self.assertRaisesRegex(RuntimeError, "edge_reach must be 0 or"):
                loss(self.scene.aim_points, reach)


def make_other(scene):
    return OPS.align(scene.parameters, scene.sun, scene.aim_points + 1, "azimuth_elevation")


def resident_mb():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 1e6


class ManyCalls(unittest.TestCase):
    def test_two_threads(self):
        # Each with a field and with functional calls of its own, and with other mirrors.
        def work(factor, results):
            scene = small()
            scene.control_points = scene.control_points * torch.tensor([1, 1, factor], **double)
            field = make(scene, config(occlusion="true"))
            leaf = scene.orientation().requires_grad_()
            for i in range(25):
                shift = torch.tensor([0.05 * i, 0, 0], **double)
                turned = OPS.align(scene.parameters, scene.sun, scene.aim_points + shift, "azimuth_elevation")
                field.set_orientation(turned)
                results.append(field.trace()[0])
                flux = OPS.trace_flux(leaf, *scene.arguments()[1:], **{**scene.settings, "seed": i})
                results.extend((flux.detach(), torch.autograd.grad(flux.square().sum(), leaf)[0]))

        expected = []
        for factor in (1.0, 1.2):
            expected.append([])
            work(factor, expected[-1])
        found = [[], []]
        threads = [threading.Thread(target=work, args=(factor, found[i])) for i, factor in enumerate((1.0, 1.2))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for one, other in zip(found, expected):
            self.assertEqual(len(one), 75)
            self.assertTrue(all(map(torch.equal, one, other)))

    def test_ten_thousand_updates_take_no_memory(self):
        scene = small()
        scene.settings.update(rays=8, bitmap=[4, 4], shading=True, blocking=True)
        scene.control_points = scene.control_points.repeat(3, 1, 1, 1, 1)
        text = config(rays=8, occlusion="true").replace("width: 16, height: 16", "width: 4, height: 4")
        field = make(scene, text)
        orientation = scene.orientation()
        grad = torch.ones(2, 4, 4, **double)
        after = {}
        for i in range(10001):
            if i % 4 == 0:
                scene.control_points[i % 3, 0, 2, 2, 2] += 1e-6
                field.set_control_points(scene.control_points)
            shift = torch.tensor([0.001 * (i % 100), 0, 0], **double)
            turned = OPS.align(scene.parameters, scene.sun, scene.aim_points + shift, "azimuth_elevation")
            field.set_orientation(turned)
            field.trace()
            arguments = (turned, *scene.arguments()[1:])
            OPS.trace_flux_backward(grad, *arguments, **scene.settings)
            if i in (1000, 10000):
                gc.collect()
                after[i] = resident_mb()
        self.assertLess(after[10000] - after[1000], 4)


if __name__ == "__main__":
    unittest.main()
