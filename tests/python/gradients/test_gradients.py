# SPDX-License-Identifier: MIT
"""helioray.torch: plants as tensors and back, the light of hr.trace, gradients against central differences, a fit."""

import pickle
import tempfile
import unittest
from pathlib import Path

import numpy

from package import SOURCE, hr, juelich, small_field
from torch_part import double, ht, reason, torch

PIXELS = {"bitmap": {"width": 32, "height": 24}, "device": "cpu"}
# Much that a configuration can say.
FEATURES = {"sun_shape": hr.Buie(0.1), "attenuation": {"model": "exponential", "per_km": 1.0}, "slope_error_mrad": 1.5, "dni": 850,
            "specularity_error_mrad": 0.5}
SUN = (200, 40)


# Stands between the sun and some mirrors, and between mirrors and the receiver.
WALL = [{"name": "wall", "type": "box", "center": [0, 30, 10], "size_m": [20, 1, 20]}]


def north_field(heliostats):
    """A sector in the north with a flat receiver: no light comes near to its rims."""
    return hr.generate(SOURCE / "configs/field.yaml", heliostats=heliostats, azimuth_from_deg=-60, azimuth_to_deg=60,
                       receiver={"type": "plane", "width_m": 9, "height_m": 8, "offset_m": 3, "tilt_deg": 20, "radius_m": None})


def loss_of(flux, slope=0.5):
    """Smooth weights of pixels without symmetry, 0 at the rims: light that is gained or lost there has no influence. slope: how much the
    place of the light counts beside its power."""
    height, width = flux.shape[1:]
    x, y = torch.linspace(-1, 1, width, **double), torch.linspace(-1, 1, height, **double)[:, None]
    weights = (1 - x * x)**2 * (1 - y * y)**2 * (1 + slope * x - 1.4 * slope * y)
    return (flux * weights).sum() * 1e-5


@unittest.skipIf(reason, reason)
class Plants(unittest.TestCase):
    def test_tensors_and_back(self):
        for plant in (juelich(), small_field(5)):
            keys = {"target": "receiver"} if plant.file else {}
            tensors = plant.tensors(**keys)
            count = len(plant)
            self.assertEqual((tensors.parameters.shape, tensors.drives.shape, tensors.aim_points.shape), ((count, 16), (count, 2, 7), (count, 3)))
            numpy.testing.assert_array_equal(tensors.parameters[:, :3], plant.heliostats[["east_m", "north_m", "up_m"]])
            self.assertEqual(tensors.targets.shape, (len(plant.targets), 13))
            self.assertIsNone(tensors.sun)
            self.assertEqual(tensors.plant(), plant)
            tensors.parameters = tensors.parameters.clone()
            tensors.parameters[1, 0] += 2
            changed = tensors.plant()
            self.assertNotEqual(changed, plant)
            self.assertAlmostEqual(changed.heliostats.east_m.iloc[1], plant.heliostats.east_m.iloc[1] + 2)
            self.assertEqual(changed.tensors(**keys).plant(), changed)

    def test_a_tabulated_sun_is_kept(self):
        radiance = [(0, 1), (2.5, 0.9), (4.65, 0.7), (4.66, 0)]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "sun.csv"
            file.write_text("".join(f"{angle}, {value}\n" for angle, value in radiance))
            of_file = small_field(3).tensors(sun=SUN, sun_shape=hr.Table(file), rays=1000, **PIXELS)
        of_points = small_field(3).tensors(sun=SUN, sun_shape=hr.Table(radiance=radiance), rays=1000, **PIXELS)
        self.assertEqual(of_file.config, of_points.config)
        flux, _ = ht.Field(of_file)()
        keys = {**PIXELS, "bitmap": {**PIXELS["bitmap"], "filter": "bilinear"}}
        traced = hr.trace(small_field(3), sun=SUN, sun_shape=hr.Table(radiance=radiance), rays=1000, **keys)
        numpy.testing.assert_allclose(flux[0].detach().numpy(), traced.array(), rtol=1e-6, atol=1e-3)

    def test_surfaces_go_back(self):
        plant = juelich()
        tensors = plant.tensors(target="receiver")
        mirrors, = tensors.mirrors
        self.assertEqual((tuple(mirrors.rows.shape[1:2]), mirrors.degrees), ((4,), (3, 3)))
        mirrors.rows = mirrors.rows * torch.tensor([1, 1, 1.1], **double)
        changed = tensors.plant()
        torch.testing.assert_close(changed.tensors(target="receiver").mirrors[0].rows, mirrors.rows, rtol=1e-6, atol=1e-7)
        # The mirrors focus elsewhere in both ways of tracing.
        keys = {"sun": (180, 45), "target": "multi_focus_tower", "rays": 1e4, **PIXELS}
        before, after = (hr.trace(one, **keys).array() for one in (plant, changed))
        self.assertGreater(abs(before - after).max(), 0.05 * before.max())

    def test_bad_tensors(self):
        tensors = juelich().tensors(target="receiver")
        for change in ({"parameters": tensors.parameters[:2]}, {"parameters": tensors.parameters * float("nan")}, {"drives": tensors.drives * 0}):
            with self.subTest(change.keys()), self.assertRaises(hr.InputError):
                ht.dataclasses.replace(tensors, **change).plant()
        with self.assertRaisesRegex(hr.InputError, "unknown keyword"):
            juelich().tensors(targt="receiver")


def by_motors(run):
    """The motor positions of a run as aims; none below the limit 0."""
    columns = run._core.heliostats()
    return {name: {"target": "multi_focus_tower", "motor_positions": [max(0.0, one) for one in both]}
            for name, both in zip(columns["name"], columns["motor_positions"].tolist())}


@unittest.skipIf(reason, reason)
class Light(unittest.TestCase):
    """The module traces the rays of hr.trace."""

    def compare(self, plant, **keys):
        keys = {"sun": SUN, "rays": 5000, **FEATURES, **keys, "bitmap": {**PIXELS["bitmap"], "filter": "bilinear"}}
        run = hr.trace(plant, device="cpu", **keys)
        field = ht.Field(plant, **keys)
        flux, energy = field()
        for name, found in zip(field.tensors.target_names, flux):
            if name not in run._targets:
                self.assertEqual(float(found.detach().sum()), 0)
                continue
            expected = run.array(name)
            numpy.testing.assert_allclose(found.detach(), expected, rtol=0, atol=2e-4 * expected.max())
        columns = run._core.heliostats()
        for column, name in enumerate(field.energy_terms):
            numpy.testing.assert_allclose(energy[field.tensors.target_index >= 0, column], columns[name], rtol=1e-4, atol=1e-3 * float(energy[:, 0].max()), err_msg=name)
        self.assertFalse(energy.requires_grad)
        return flux, energy, field.energy_terms

    def test_generated_field(self):
        plain = self.compare(small_field(12))
        flux, energy, terms = self.compare(north_field(12), obstacles=WALL)
        self.assertGreater(float(energy[:, terms.index("blocking_loss")].sum()), float(plain[1][:, terms.index("blocking_loss")].sum()))
        self.assertGreater(float(energy[:, terms.index("attenuation_loss")].sum()), 0)

    def test_measured_mirrors_and_several_targets(self):
        aims = {"AA28": {"target": "receiver"}, "AA31": {"target": "multi_focus_tower"}, "AA39": {"active": False}}
        flux, energy, _ = self.compare(juelich(), aim={"heliostats": aims})
        self.assertEqual((energy[2] == 0).all(), True)
        self.assertEqual(sorted((flux.sum((1, 2)) > 0).tolist()), [False] * (len(flux) - 2) + [True] * 2)

    def test_motor_positions(self):
        run = hr.trace(juelich(), sun=(180, 45), target="multi_focus_tower", rays=1e4, **PIXELS)
        flux, _, _ = self.compare(juelich(), aim={"heliostats": by_motors(run)}, sun=(180, 45))
        self.assertGreater(float(flux.max()), 0)


@unittest.skipIf(reason, reason)
class Gradients(unittest.TestCase):
    def check(self, field, name, steps, tolerance=0.01, slope=0.5):
        """Derivatives along the rows of steps against central differences."""
        parameter = getattr(field, name)
        loss_of(field()[0], slope).backward()
        value = parameter.detach().clone()
        for step in steps:
            losses = []
            for sign in (1, -1):
                with torch.no_grad():
                    parameter.copy_(value + sign * step)
                    losses.append(float(loss_of(field()[0], slope)))
                    parameter.copy_(value)
            difference = (losses[0] - losses[1]) / 2
            found = float((parameter.grad * step).sum())
            self.assertGreater(abs(difference), 1e-5)
            self.assertAlmostEqual(found, difference, delta=tolerance * abs(difference), msg=name)

    def aim_steps(self, field):
        up, east = torch.zeros_like(field.aim_points), torch.zeros_like(field.aim_points)
        up[:, 2] = 0.05
        east[::2, 0] = 0.05
        return [up, east]

    def test_air_and_circumsolar_light(self):
        field = ht.Field(north_field(6), sun=SUN, rays=20000, shading=False, blocking=False, **FEATURES, **PIXELS)
        self.check(field, "aim_points", self.aim_steps(field))

    def test_obstacles(self):
        # Walls in the east take the morning sun from a part of each mirror. Gradients leave out that shadows move on mirrors that turn, so
        # their slopes change instead, and the loss looks at the place of the light more than at its power.
        plant = juelich()
        columns = plant._core.heliostats()
        walls = [{"name": f"wall {name}", "type": "box", "center": [east + 4, north, up + 1], "size_m": [0.3, 4, 3]}
                 for name, east, north, up in zip(columns["name"], columns["east_m"], columns["north_m"], columns["up_m"])]
        field = ht.Field(plant, sun=(90, 30), target="multi_focus_tower", rays=20000, obstacles=walls, parameters=("surfaces", "optics"), **FEATURES, **PIXELS)
        energy = field()[1].sum(0)
        share = float(energy[field.energy_terms.index("shading_loss")] / energy[0])
        self.assertTrue(0.1 < share < 0.6, share)
        steps = [torch.zeros_like(field.surfaces) for _ in range(2)]
        for axis, step in enumerate(steps):
            step[..., 2] = 5e-4 * field.surfaces.detach()[..., axis]
        self.check(field, "surfaces", steps, slope=1.5)
        for parameter in field.parameters():
            parameter.grad = None
        self.check(field, "optics", [torch.tensor(step, **double) for step in ([0, 0.02, 0, 0, 0], [0, 0, 0, 1e-4, 0])])

    def test_shadow_of_a_wall(self):
        # Its edge lies on mirrors that turn, which moves 4 and 16 % of the derivatives.
        field = ht.Field(north_field(12), sun=SUN, rays=20000, obstacles=WALL, edge_reach=0.3, **FEATURES, **PIXELS)
        energy = field()[1].sum(0)
        self.assertGreater(float(energy[field.energy_terms.index("shading_loss")] / energy[0]), 0.1)
        self.check(field, "aim_points", self.aim_steps(field), tolerance=0.015)

    def test_light(self):
        field = ht.Field(north_field(6), sun=SUN, rays=20000, parameters="optics", shading=False, blocking=False, **{**FEATURES, "sun_shape": hr.Gaussian(2.5)}, **PIXELS)
        self.check(field, "optics", [torch.tensor(step, **double) for step in ([10, 0, 0, 0, 0], [0, 0.02, 0, 0, 0], [0, 0, 1e-4, 0, 0], [0, 0, 0, 1e-4, 0])])

    def test_kinematics_and_surfaces_of_motors(self):
        run = hr.trace(juelich(), sun=(180, 45), target="multi_focus_tower", rays=1e4, **PIXELS)
        field = ht.Field(juelich(), sun=(180, 45), rays=20000, aim={"heliostats": by_motors(run)}, parameters=("kinematics", "drives", "motor_positions", "surfaces"),
                         **FEATURES, **PIXELS)
        tilt, stroke, motor, bend = (torch.zeros_like(one) for one in (field.kinematics, field.drives, field.motor_positions, field.surfaces))
        tilt[:, 12] = 5e-4
        stroke[:, 0, 5] = 2e-4
        motor[:, 1] = 40
        bend[..., 2] = 0.02 * field.surfaces.detach()[..., 2]
        for name, step in (("kinematics", tilt), ("drives", stroke), ("motor_positions", motor), ("surfaces", bend)):
            for parameter in field.parameters():
                parameter.grad = None
            self.check(field, name, [step], tolerance=0.02)

    def test_aim_points_are_learnt(self):
        plant = north_field(8)
        field = ht.Field(plant, sun=SUN, rays=4000, **FEATURES, **PIXELS)
        optimiser = torch.optim.Adam(field.parameters(), lr=0.05)
        peaks = []
        for _ in range(8):
            optimiser.zero_grad()
            flux, _ = field()
            flux.square().mean().backward()
            optimiser.step()
            peaks.append(float(flux.detach().max()))
        self.assertLess(peaks[-1], 0.97 * peaks[0])
        learnt = field.learnt()
        run = hr.trace(plant, sun=SUN, rays=4000, aim=learnt.aim, **FEATURES, **{**PIXELS, "bitmap": {**PIXELS["bitmap"], "filter": "bilinear"}})
        numpy.testing.assert_allclose(run.array(), field()[0][0].detach(), rtol=0, atol=1e-3 * peaks[0])

    def test_pickles(self):
        field = ht.Field(small_field(3), sun=SUN, rays=1000, **PIXELS)
        with torch.no_grad():
            field.aim_points[:, 2] += 0.3
        with self.assertRaisesRegex(TypeError, "state_dict"):
            pickle.dumps(field)
        again = ht.Field(pickle.loads(pickle.dumps(field.tensors)))
        self.assertFalse(torch.equal(again()[0], field()[0]))
        again.load_state_dict(pickle.loads(pickle.dumps(field.state_dict())))
        self.assertTrue(torch.equal(again()[0], field()[0]))

    def test_power_has_a_gradient(self):
        # Of a flat receiver in the north and of a cylinder; reflectivity and irradiance are factors of it.
        for plant in (north_field(4), small_field(4)):
            field = ht.Field(plant, sun=SUN, rays=5000, parameters="optics", **PIXELS)
            flux, energy = field()
            power = field.power(flux)
            served = field.tensors.target_index
            for target in range(len(power)):
                self.assertAlmostEqual(float(power[target].detach()), float(energy[served == target, field.energy_terms.index("target_power")].sum()),
                                       delta=1e-6 * float(power.detach().sum()))
            power.sum().backward()
            dni, reflectivity = field.optics.detach()[:2]
            self.assertAlmostEqual(float(field.optics.grad[0] * dni / power.detach().sum()), 1, delta=1e-3)
            self.assertAlmostEqual(float(field.optics.grad[1] * reflectivity / power.detach().sum()), 1, delta=1e-3)

    def test_sun_of_each_call(self):
        field = ht.Field(small_field(4), rays=2000, **PIXELS)
        with self.assertRaisesRegex(hr.InputError, "the sun has no position"):
            field()
        sun = torch.tensor([0.2, -0.6, 0.7], **double, requires_grad=True)
        field(sun)[0].square().mean().backward()
        self.assertGreater(float(sun.grad.abs().max()), 0)
        self.assertFalse(torch.equal(field(sun)[0], field([0.3, -0.5, 0.7])[0]))

    def test_mistakes_are_named(self):
        for message, arguments in (("'aims' is unknown", {"parameters": ["aims"]}), ("turned by motor positions", {"parameters": "drives"}),
                                   ("B-spline", {"parameters": "surfaces"}), ("no list of names", {"parameters": 3}), ("no group of processes", {"ranks": True})):
            with self.subTest(arguments), self.assertRaisesRegex(hr.InputError, message):
                ht.Field(small_field(3), sun=SUN, **arguments)
        with self.assertRaisesRegex(hr.InputError, "any more"):
            ht.Field(small_field(3).tensors(), sun=SUN)


if __name__ == "__main__":
    unittest.main()
