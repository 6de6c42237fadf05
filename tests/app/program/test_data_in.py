# SPDX-License-Identifier: MIT
"""Measured data in and out: PAINT's deflectometry and calibrations, STRAL files, flux images."""

import json
import struct
import unittest

import h5py
import numpy as np

from harness import ProgramTest, SOURCE

PAINT = SOURCE / "configs" / "paint"
TOWER = PAINT / "tower-measurements.json"


def facet_samples(facet, per_side, rng=None, height_noise=0.0, slope_noise=0.0, focal_length=60.0):
    """Points and normals of a paraboloid in the facet's place, in the frame of the whole mirror."""
    e, n = np.array(facet["canting_e"]), np.array(facet["canting_n"])
    half_e, half_n = np.linalg.norm(e), np.linalg.norm(n)
    e = e / half_e
    u = np.cross(e, n)
    u /= np.linalg.norm(u)
    n = np.cross(u, e)
    cells = (np.arange(per_side) + 0.5) / per_side * 2 - 1
    x, y = (a.ravel() for a in np.meshgrid(cells * half_e, cells * half_n, indexing="ij"))
    z, sx, sy = (x**2 + y**2) / (4 * focal_length), x / (2 * focal_length), y / (2 * focal_length)
    if rng is not None:
        z, sx, sy = z + height_noise * rng.standard_normal(z.shape), sx + slope_noise * rng.standard_normal(z.shape), sy + slope_noise * rng.standard_normal(z.shape)
    points = np.array(facet["translation_vector"]) + np.outer(x, e) + np.outer(y, n) + np.outer(z, u)
    normals = -np.outer(sx, e) - np.outer(sy, n) + u
    return points, normals / np.linalg.norm(normals, axis=1, keepdims=True)


class DataIn(ProgramTest):
    def setUp(self):
        super().setUp()
        self.facets = json.loads((PAINT / "AA39-heliostat-properties.json").read_text())["facet_properties"]["facets"]

    def good(self, *arguments):
        done = self.run_program(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def refused(self, *arguments, words=()):
        done = self.run_program(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        return done.stderr

    def write_deflectometry(self, name, per_side=(40, 41, 42, 43), **noise):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with h5py.File(path, "w") as file:
            for i, (facet, number) in enumerate(zip(self.facets, per_side)):
                points, normals = facet_samples(facet, number, **noise)
                file[f"facet{i + 1}/surface_points"] = points.astype(np.float32)
                file[f"facet{i + 1}/surface_normals"] = normals.astype(np.float32)
        return path

    def paint(self, *arguments):
        return ("scenario", "paint", "--tower", TOWER, *arguments)

    def is_fitted(self, scenario, heliostat):
        with h5py.File(self.folder / scenario) as file:
            own = file[f"heliostats/{heliostat}"]
            surface = own["surface"] if "surface" in own else file["prototypes/surface"]
            facet = surface["facets/facet_1/control_points"][()]
        return bool(np.any(facet[..., 2] != 0))

    def test_deflectometry_of_some_heliostats(self):
        rng = np.random.default_rng(3)
        self.write_deflectometry("AA39-filled-2024-deflectometry.h5", rng=rng, height_noise=30e-6, slope_noise=0.2e-3)
        done = self.good(*self.paint(PAINT, "--deflectometry", "AA39-filled-2024-deflectometry.h5", "--control-points", "8,9", "--json",
                                     "-o", "mixed.h5"))
        out = json.loads(done.stdout)
        self.assertEqual(out["heliostats"], 3)
        self.assertEqual(list(out["surfaces"]), ["AA39"])
        self.assertEqual([f["samples"] for f in out["surfaces"]["AA39"]], [1600, 1681, 1764, 1849])
        for facet in out["surfaces"]["AA39"]:
            self.assertAlmostEqual(facet["rms_height_m"], 30e-6, delta=3e-6)
            self.assertAlmostEqual(facet["rms_slope_rad"], 0.2e-3, delta=0.02e-3)
            self.assertEqual(facet["coverage"], 1.0)
        self.assertTrue(self.is_fitted("mixed.h5", "AA39"))
        self.assertFalse(self.is_fitted("mixed.h5", "AA31"))
        self.assertIn("2 of 3 heliostats assumed to be flat", done.stderr)
        self.assertIn("valid", self.good("validate", "mixed.h5").stdout)
        with h5py.File(self.folder / "mixed.h5") as file:
            self.assertEqual(file["heliostats/AA39/surface/facets/facet_1/control_points"].shape, (8, 9, 3))

    def test_every_mixture_of_fitted_and_flat_heliostats(self):
        """None, some or all measured, whichever comes last."""
        for name in ("AA28", "AA31", "AA39"):
            self.write_deflectometry(f"data/{name}/Deflectometry/{name}-2024-deflectometry.h5", per_side=(12,) * 4)
        for measured in ([], ["AA28"], ["AA39"], ["AA28", "AA31", "AA39"]):
            files = [f"data/{n}/Deflectometry/{n}-2024-deflectometry.h5" for n in measured]
            self.good(*self.paint(PAINT, *(["--deflectometry", *files] if files else []), "--fit", "normals", "-o", "m.h5"))
            config = self.write_config(rays="1e4", text=None)
            self.good("raytrace", config, "--scenario", "m.h5", "-q")
            for name in ("AA31", "AA39"):
                self.assertEqual(self.is_fitted("m.h5", name), name in measured)
        # By the folders' layout, the same.
        self.good(*self.paint(PAINT, "--deflectometry", "data", "--fit", "points", "--every", "2", "--control-points", "6", "-o", "f.h5"))
        self.assertTrue(self.is_fitted("f.h5", "AA31"))

    def test_fitted_mirror_throws_the_light_where_it_was_measured(self):
        """Canted facets of 60 m focal length: the image is narrower than that of flat ones, at the same place."""
        self.write_deflectometry("AA39-deflectometry.h5")
        arguments = (PAINT / "AA39-heliostat-properties.json",)
        self.good(*self.paint(*arguments, "-o", "flat.h5"))
        self.good(*self.paint(*arguments, "--deflectometry", "AA39-deflectometry.h5", "-o", "fitted.h5"))
        config = self.write_config(rays="2e5", text=None)
        maps = {}
        for name in ("flat", "fitted"):
            result = self.raytrace_json(config, "--scenario", f"{name}.h5", "--set", "sun.shape={type: collimated}", "-o", f"{name}_flux.h5")
            maps[name] = result["targets"]["multi_focus_tower"]
        self.assertLess(np.linalg.norm(np.subtract(maps["flat"]["centroid_m"], maps["fitted"]["centroid_m"])), 0.02)
        self.assertAlmostEqual(maps["fitted"]["power_w"] / maps["flat"]["power_w"], 1.0, delta=2e-3)
        self.assertGreater(maps["fitted"]["peak_flux_w_m2"], 1.5 * maps["flat"]["peak_flux_w_m2"])

    def test_bad_deflectometry(self):
        heliostat = PAINT / "AA39-heliostat-properties.json"
        good = self.write_deflectometry("AA39-deflectometry.h5", per_side=(12,) * 4)

        def refuse(file, *words, more=()):
            self.refused(*self.paint(heliostat, "--deflectometry", file, *more, "-o", "out.h5"), words=words)
            self.assertFalse((self.folder / "out.h5").exists())

        refuse("AA39-nowhere.h5", "AA39-nowhere.h5")
        refuse("AA40=AA39-deflectometry.h5", "AA40", "AA39")
        refuse("other.h5", "other.h5: there is no such file")
        (self.folder / "other.h5").touch()
        refuse("other.h5", "NAME=other.h5")
        refuse(PAINT, "Deflectometry")
        refuse(f"AA39={TOWER}", "tower-measurements.json")
        refuse(good, "144 samples are too few for 30 x 30 control points", "facet1", "facet4", more=("--control-points", "30"))
        self.refused(*self.paint(heliostat, "--deflectometry", good, good, "-o", "out.h5"), words=["second measurement of 'AA39'"])
        self.write_deflectometry("AA39-three.h5", per_side=(12,) * 3)
        refuse("AA39-three.h5", "3 facets were measured, the heliostat has 4")
        with h5py.File(good, "a") as file:
            file["facet2/surface_normals"][5] = 0
            file["facet4/surface_points"][7, 1] = np.nan
        refuse(good, "facet2", "not unit vectors", "facet4", "not finite")

    def test_calibrations_repeat_and_compare(self):
        out = json.loads(self.good(*self.paint(PAINT, "--calibration", PAINT, "--json", "-o", "juelich.h5")).stdout)
        self.assertEqual(out["configurations"], ["AA31-125284.yaml", "AA39-270398.yaml"])
        self.assertIn("valid", self.good("validate", "AA39-270398.yaml").stdout)
        self.good("raytrace", "AA31-125284.yaml", "-q", "--set", "tracing.rays_per_heliostat=1e5")
        image = PAINT / "AA31" / "Calibration" / "125284-flux.png"
        comparison = json.loads(self.good("compare", "AA31-125284.h5", "--measured", image, "--json").stdout)
        self.assertEqual(comparison["target"], "solar_tower_juelich_upper")
        # The record's own focal spot.
        np.testing.assert_allclose(comparison["measured"]["centroid_m"], [0.0805, -3.2354, 43.1533], atol=0.03)
        offset = np.subtract(comparison["computed"]["centroid_m"], comparison["measured"]["centroid_m"])
        # A wall that faces north: right is west.
        np.testing.assert_allclose(comparison["offset_m"], [-offset[0], offset[2]], atol=1e-9)
        # Uncalibrated kinematics put the light half a metre away, with the measured shape.
        self.assertLess(np.linalg.norm(offset), 0.8)
        self.assertGreater(comparison["aligned_correlation"], 0.9)
        text = self.good("compare", "AA31-125284.h5", "--measured", image, "--target", "solar_tower_juelich_upper").stdout
        self.assertIn("Distance of the centroids", text)

    def test_bad_calibrations_and_images(self):
        record = json.loads((PAINT / "AA31" / "Calibration" / "125284-calibration-properties.json").read_text())
        record["target_name"] = "upper"
        record["motor_position"]["axis_1_motor_position"] = -5
        (self.folder / "5-calibration-properties.json").write_text(json.dumps(record))
        self.refused(*self.paint(PAINT, "--calibration", "AA31=5-calibration-properties.json", "-o", "out.h5"),
                     words=["target_name", "'upper'", "-5 lies outside"])
        self.assertEqual([p.name for p in self.folder.iterdir()], ["5-calibration-properties.json"])

        self.raytrace_json(self.write_config(rays="1e4"), "-o", "flux.h5")
        for image, word in (("nowhere.png", "nowhere.png"), (TOWER, "PNG")):
            self.refused("compare", "flux.h5", "--measured", image, words=[word])
        image = PAINT / "AA31" / "Calibration" / "125284-flux.png"
        self.refused("compare", "flux.h5", "--measured", image, "--target", "multi_focus", words=["did you mean 'multi_focus_tower'"])
        self.refused("compare", TOWER, "--measured", image, words=["not a result"])

    def test_stral_there_and_back(self):
        scenario = SOURCE / "configs" / "juelich.h5"
        self.good("export", "stral", scenario, "--heliostat", "AA39", "--points", "25", "-o", "a.binp")
        data = (self.folder / "a.binp").read_bytes()
        np.testing.assert_allclose(struct.unpack_from("<3f", data, 0), [24.716232, -13.257812, 1.688942], rtol=1e-6)
        self.assertEqual(struct.unpack_from("<2I", data, 20), (4, 1))
        self.assertEqual(len(data), 36 + 4 * (44 + 28 * 625) + 45)
        done = self.good("scenario", "stral", "a.binp", "--tower", TOWER, "--name", "AA39", "--control-points", "6", "--json", "-o", "b.h5")
        self.assertIn("assumed", done.stderr)
        facets = json.loads(done.stdout)["surfaces"]["AA39"]
        self.assertEqual([f["samples"] for f in facets], [625] * 4)
        self.assertLess(max(f["rms_height_m"] for f in facets), 1e-7)
        # The mirror of the scenario it came from, by the light it throws.
        flux = {}
        for name, file in (("from paint", scenario), ("from stral", "b.h5")):
            flux[name] = self.raytrace_json(self.write_config(rays="1e5"), "--scenario", file, "--set", "aim.active=[AA39]")["targets"]["multi_focus_tower"]
        self.assertLess(np.linalg.norm(np.subtract(flux["from paint"]["centroid_m"], flux["from stral"]["centroid_m"])), 0.005)
        self.assertAlmostEqual(flux["from stral"]["power_w"] / flux["from paint"]["power_w"], 1.0, delta=1e-3)
        # Fitted surfaces have linear parameters: written, fitted and written again they are equal.
        for scenario, file in (("b.h5", "c.binp"), ("d.h5", "e.binp")):
            self.good("export", "stral", scenario, "--heliostat", "AA39", "--points", "25", "-o", file)
            if file == "c.binp":
                self.good("scenario", "stral", file, "--name", "AA39", "--control-points", "6", "-o", "d.h5")
        first, again = (np.frombuffer((self.folder / f).read_bytes()[:-45], "<f4") for f in ("c.binp", "e.binp"))
        np.testing.assert_allclose(again[:9], first[:9], rtol=1e-6)
        block = 11 + 7 * 625
        for i in range(4):
            start = 9 + i * block + 11
            np.testing.assert_allclose(again[start:start + 7 * 625], first[start:start + 7 * 625], atol=1e-6)

    def test_bad_stral(self):
        self.good("export", "stral", SOURCE / "configs" / "juelich.h5", "--heliostat", "AA39", "--points", "12", "-o", "a.binp")
        data = (self.folder / "a.binp").read_bytes()
        for name, content, word in (("cut", data[:5000], "ends within"), ("empty", b"", "ends within the header"),
                                    ("text", b"north " * 100, "facets are stated")):
            (self.folder / f"{name}.binp").write_bytes(content)
            self.refused("scenario", "stral", f"{name}.binp", "-o", "out.h5", words=[f"{name}.binp", word])
        self.refused("scenario", "stral", "a.binp", "--control-points", "30", "-o", "out.h5", words=["too few"])
        self.refused("scenario", "stral", "nowhere.binp", "-o", "out.h5", words=["nowhere.binp"])
        self.refused("export", "stral", SOURCE / "configs" / "juelich.h5", "--heliostat", "AA93", "-o", "b.binp", words=["AA93", "AA39"])
        self.assertFalse((self.folder / "out.h5").exists())
        self.assertFalse((self.folder / "b.binp").exists())


if __name__ == "__main__":
    unittest.main()
