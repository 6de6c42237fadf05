# SPDX-License-Identifier: MIT
"""helioray.torch on receivers of several surfaces: the light of hr.trace, gradients against central differences for every kind of surface, what is refused."""

import tempfile
import unittest
from pathlib import Path

import numpy

from package import SOURCE, hr
from torch_part import double, ht, reason, torch

SUN = (200, 40)
MAPS = {"width": 32, "height": 24, "filter": "bilinear"}
CENTER = [0.0, 0.0, 60.0]

# Surfaces before the mirrors, which stand in the north, and so large that their light does not come near to rims.
SURFACES = {
    "disc": {"type": "disc", "normal": [0, 1, -0.3], "radius_m": 6},
    "cylinder": {"type": "cylinder", "normal": [0.2, 1, 0], "radius_m": 7, "height_m": 14},
    "inside of a cylinder": {"type": "cylinder", "normal": [0.2, -1, 0], "radius_m": 7, "height_m": 14, "arc_deg": 170, "side": "inner"},
    "annulus": {"type": "annulus", "normal": [0.1, 1, -0.2], "center_m": [4, 0, 0], "radius_m": 8, "inner_radius_m": 0.4},
    "sector of an annulus": {"type": "annulus", "normal": [0, 1, -0.2], "middle": [0, 0.2, 1], "center_m": [0, 0, -5], "radius_m": 9, "inner_radius_m": 0.5,
                             "arc_deg": 150},
    "cone": {"type": "cone", "normal": [0, 1, 0], "bottom_radius_m": 7, "top_radius_m": 5, "height_m": 14},
    "inside of a cone": {"type": "cone", "normal": [0, -1, 0.3], "axis": [0, 0.3, 1], "bottom_radius_m": 8, "top_radius_m": 6, "height_m": 14, "arc_deg": 170,
                         "side": "inner"},
    "sphere": {"type": "sphere", "normal": [0, 1, 0], "radius_m": 7},
    "inside of a sphere": {"type": "sphere", "normal": [0, -1, 0], "radius_m": 8, "arc_deg": 180, "side": "inner"},
    "paraboloid": {"type": "paraboloid", "axis": [0, 1, -0.3], "focal_length_m": 6, "radius_m": 7, "side": "inner"},
    "outside of a paraboloid": {"type": "paraboloid", "axis": [0, -1, 0.3], "focal_length_m": 8, "radius_m": 8, "side": "outer"},
}


def north_field(heliostats=6):
    """Heliostats far in the north, on which no tower throws a shadow."""
    return hr.generate(SOURCE / "configs/field.yaml", heliostats=heliostats, azimuth_from_deg=-50, azimuth_to_deg=50, min_radius_m=110,
                       tower={"height_m": None, "radius_m": None})


def receiver(*surfaces, **more):
    """A receiver of surfaces, whose centres count from its own."""
    return {"tower": {"type": "surfaces", "center_m": CENTER, "surfaces": [{"name": f"{i}", "center_m": [0, 0, 0], **surface} for i, surface in enumerate(surfaces)],
                      **more}}


def keys_of(receivers, rays=20000, point=CENTER, **more):
    return {"sun": SUN, "aim": {"target": "tower", "point": point}, "receivers": receivers, "rays": rays, "bitmap": MAPS,
            "slope_error_mrad": 1.5, **more}


def loss_of(flux, maps=None):
    """Smooth weights of pixels without symmetry, 0 at the rims of every map: light that is gained or lost there has no influence. maps: those
    that count, all by default."""
    height, width = flux.shape[1:]
    x, y = torch.linspace(-1, 1, width, **double), torch.linspace(-1, 1, height, **double)[:, None]
    weights = (1 - x * x)**2 * (1 - y * y)**2 * (1 + 0.5 * x - 0.7 * y)
    names = torch.linspace(1, 2, len(flux), **double).view(-1, 1, 1)
    return (flux * weights * names)[slice(None) if maps is None else maps].sum() * 1e-5


@unittest.skipIf(reason, reason)
class Light(unittest.TestCase):
    """A field traces the rays of hr.trace."""

    def check(self, receivers, **more):
        plant = north_field(8)
        keys = keys_of(receivers, rays=3000, **more)
        run = hr.trace(plant, device="cpu", **keys)
        tensors = plant.tensors(**keys)
        field = ht.Field(tensors)
        self.assertEqual(len(field.map_names), len(field()[0]))
        # With the orientations of the run even the integers are the same.
        columns = run._core.heliostats()
        oriented = torch.from_numpy(numpy.array(columns["orientation"]))
        flux, energy = ht.operators().trace_field(field._field, oriented)
        quantum = field._field.flux_per_quantum()
        quanta = (flux / quantum.view(-1, 1, 1)).round()
        for row, name in enumerate(field.map_names):
            expected = run.incident_flux(name.removesuffix(", incident")) if name.endswith(", incident") else run.array(name) if name in run._targets else None
            if expected is None:
                self.assertFalse(name.startswith("tower"), name)
                continue
            numpy.testing.assert_array_equal(quanta[row].numpy(), (expected / float(quantum[row])).round(), name)
        for column, name in enumerate(field.energy_terms):
            numpy.testing.assert_allclose(energy[:, column], columns[name], rtol=1e-9, atol=1e-9 * float(energy[:, 0].max()), err_msg=name)
        numpy.testing.assert_allclose(energy[:, 0], energy[:, 1:].sum(1), rtol=1e-9)
        return field, energy

    def test_every_surface(self):
        for name, surface in SURFACES.items():
            with self.subTest(name):
                field, energy = self.check(receiver(surface))
                self.assertGreater(float(energy[:, -1].sum()), 0.3 * float(energy[:, 0].sum()))
        self.assertEqual(field.energy_terms[-2:], ["shield_loss", "target_power"])

    def test_ready_made_receivers(self):
        self.check({"tower": {"type": "polygon", "center_m": CENTER, "panels": 24, "radius_m": 3, "height_m": 6, "shield_height_m": 1}})
        field, energy = self.check({"tower": {"type": "cavity", "center_m": CENTER, "panels": 8, "radius_m": 5, "height_m": 7, "lip_top_m": 1, "lip_bottom_m": 1,
                                              "absorptance": 0.8, "absorptance_law": "duffie_beckman", "bounces": 3}})
        self.assertGreater(float(energy[:, field.energy_terms.index("escape_loss")].sum()), 0)
        self.assertIn("tower_floor, incident", field.map_names)
        field, energy = self.check({"tower": {"type": "beam_down", "center_m": CENTER, "foci_distance_m": 50, "vertex_distance_m": 10, "radius_m": 30,
                                              "exit_radius_m": 20, "reflectivity": 0.9, "slope_error_mrad": 1}})
        self.assertGreater(float(energy[:, field.energy_terms.index("secondary_loss")].sum()), 0)

    def test_receivers_of_a_plant(self):
        plant = hr.generate(SOURCE / "configs/field.yaml", heliostats=8, receiver={"type": "polygon", "panels": 12, "radius_m": 4, "height_m": 7})
        keys = {"sun": SUN, "rays": 3000, "bitmap": MAPS}
        run = hr.trace(plant, device="cpu", **keys)
        field = ht.Field(plant, **keys)
        flux, _ = field()
        power = field.power(flux).detach()
        for name, found in zip(field.map_names, power.tolist()):
            self.assertAlmostEqual(found, run.targets.power_w[name], delta=1e-4 * float(power.sum()))
        # Learnt aim points are those of a run.
        again = hr.trace(plant, device="cpu", aim=field.learnt().aim, **keys)
        numpy.testing.assert_allclose(again.targets.power_w, run.targets.power_w, rtol=1e-6, atol=1)


@unittest.skipIf(reason, reason)
class Gradients(unittest.TestCase):
    def check(self, keys, only="", tolerance=0.005):
        """Derivatives by aim points and optics against central differences of a loss of the maps whose names contain `only`."""
        field = ht.Field(north_field(4), parameters=("aim_points", "optics"), shading=False, blocking=False, **keys)
        flux, energy = field()
        maps = [i for i, name in enumerate(field.map_names) if only in name]
        self.assertGreater(float(energy[:, -1].sum()), 0.3 * float(energy[:, 0].sum()))
        loss_of(flux, maps).backward()
        up, east, width, slope = torch.zeros_like(field.aim_points), torch.zeros_like(field.aim_points), torch.zeros(5, **double), torch.zeros(5, **double)
        up[:, 2] = 0.05
        east[::2, 0] = 0.05
        slope[3] = 1e-4
        width[1] = 0.02
        for name, step in (("aim_points", up), ("aim_points", east), ("optics", width), ("optics", slope)):
            parameter = getattr(field, name)
            value = parameter.detach().clone()
            losses = []
            for sign in (1, -1):
                with torch.no_grad():
                    parameter.copy_(value + sign * step)
                    losses.append(float(loss_of(field()[0], maps)))
                    parameter.copy_(value)
            difference = (losses[0] - losses[1]) / 2
            found = float((parameter.grad * step).sum())
            with self.subTest(name, step=step.sum(0).tolist(), found=found, difference=difference):
                self.assertAlmostEqual(found, difference, delta=tolerance * abs(difference) + 2e-4 * float(loss_of(flux, maps).detach()) * float(step.abs().max()))

    def test_every_surface(self):
        for name, surface in SURFACES.items():
            with self.subTest(name):
                self.check(keys_of(receiver(surface), attenuation={"model": "exponential", "per_km": 1.0}))

    def test_panels(self):
        self.check(keys_of({"tower": {"type": "polygon", "center_m": CENTER, "panels": 6, "radius_m": 7, "height_m": 14}}))
        self.check(keys_of({"tower": {"type": "cavity", "center_m": CENTER, "panels": 5, "radius_m": 8, "height_m": 14}}))

    def test_absorptance_by_angle(self):
        for surface in ({"type": "plane", "normal": [1, 1, 0], "width_m": 16, "height_m": 16}, SURFACES["cylinder"], SURFACES["inside of a sphere"]):
            self.check(keys_of(receiver(surface, absorptance=0.9, absorptance_law="martin_ruiz", martin_ruiz_coefficient=0.4)))

    def test_mirrors(self):
        # Light on absorbers only, after one reflection; in the horn some light has more.
        flat = {"type": "plane", "normal": [0, 0.5, -1], "width_m": 16, "height_m": 16, "use": "mirror", "reflectivity": 0.9, "slope_error_mrad": 2}
        floor = {"name": "absorber", "type": "disc", "normal": [0, 0, 1], "radius_m": 9, "center_m": [0, -5, -30]}
        self.check(keys_of(receiver(flat, floor)), only="absorber")
        bent = {"center_m": [0, -10, 0], "use": "mirror", "reflectivity": 0.8, "slope_error_mrad": 1}
        ceiling = {"name": "absorber", "type": "plane", "normal": [0, 0, -1], "width_m": 300, "height_m": 300, "center_m": [0, 90, 40]}
        for surface in ({"type": "cylinder", "normal": [0, 1, 0], "radius_m": 12, "height_m": 24}, {"type": "sphere", "normal": [0, 1, 0], "radius_m": 12},
                        {"type": "cone", "normal": [0, 1, 0], "bottom_radius_m": 14, "top_radius_m": 10, "height_m": 24}):
            self.check(keys_of(receiver({**surface, **bent}, ceiling)), only="absorber")
        self.check(keys_of({"tower": {"type": "beam_down", "center_m": CENTER, "foci_distance_m": 50, "vertex_distance_m": 10, "radius_m": 30, "exit_radius_m": 25,
                                      "reflectivity": 0.9, "slope_error_mrad": 1}}), only="absorber")
        self.check(keys_of({"tower": {"type": "concentrator", "center_m": CENTER, "azimuth_deg": 0, "tilt_deg": 27, "half_angle_deg": 40, "exit_radius_m": 6,
                                      "reflectivity": 0.9}}), only="absorber", tolerance=0.05)

    def test_what_has_no_gradient_is_named(self):
        keys = keys_of(receiver(SURFACES["disc"], absorptance=0.9, bounces=2), rays=500)
        field = ht.Field(north_field(2), **keys)
        with self.assertRaisesRegex(RuntimeError, "'tower_0' reflects light 2 times.*bounces: 0"):
            field()[0].sum().backward()
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "triangle.obj"
            file.write_text("v 0 0 0\nv 3 0 0\nv 0 0 3\nf 1 2 3\n")
            with self.assertRaisesRegex(hr.InputError, "a surface of a receiver is a mesh.*light on a mesh has no derivatives"):
                north_field(2).tensors(**keys_of(receiver({"type": "mesh", "file": str(file)})))
        keys = keys_of(receiver(SURFACES["disc"]), rays=500)
        with self.assertRaisesRegex(hr.InputError, "edge_reach is 0.2.*exclude their edges"):
            ht.Field(north_field(2), edge_reach=0.2, **keys)()
        with self.assertRaisesRegex(RuntimeError, "per_heliostat: a heliostat lights all surfaces"):
            tensors = north_field(2).tensors(**keys)
            torch.classes.helioray.Field(tensors.config, tensors.targets, tensors.target_index, torch.eye(4, **double).repeat(2, 1, 1), True)


if __name__ == "__main__":
    unittest.main()
