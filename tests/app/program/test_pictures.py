# SPDX-License-Identifier: MIT
"""Simulated pictures of a bent mirror: with a background, with the noise of a camera, with more than 8 bits."""

import shutil
import unittest

import h5py
import numpy as np

from harness import write_grey
from reconstruction_case import PAINT, ReconstructionTest, change


class Pictures(ReconstructionTest):
    def bent_mirror(self, size):
        """start.h5 becomes a mirror with facets of its own, truth.h5 one that is bent by `size` times 1 mrad about; returns its pictures over their peaks, by record."""
        self.reconstruct("--measured", PAINT / "AA39")
        shutil.copy(self.folder / "out.h5", self.folder / "start.h5")
        shutil.copy(self.folder / "start.h5", self.folder / "truth.h5")
        with h5py.File(self.folder / "truth.h5", "a") as file:
            for number, (east, north) in enumerate(((0.9, -0.7), (-0.9, -1.1), (0.7, 0.9), (-0.7, 0.9)), start=1):
                points = file[f"heliostats/AA39/surface/facets/facet_{number}/control_points"]
                place = points[:]
                offset = place - place.mean(axis=(0, 1))
                place[..., 2] += 1e-3 * size * (east * offset[..., 0] + north * offset[..., 1] + 0.4 * offset[..., 0] ** 2)
                points[...] = place
        config = self.write_config(rays="1e6")
        pictures = {}
        for number, (azimuth, elevation) in self.SUNS.items():
            self.raytrace_json(config, "--scenario", "truth.h5", "--set", "aim.active=[AA39]", "--set", f"sun.azimuth_deg={azimuth}",
                               "--set", f"sun.elevation_deg={elevation}")
            with h5py.File(self.folder / "result.h5") as file:
                flux = file["targets/multi_focus_tower/flux"][:]
            pictures[number] = flux / flux.max()
        return pictures

    SUNS = {"151375": (130, 30), "202558": (170, 50), "271633": (230, 25)}

    def fit_pictures(self, pictures):
        """Fits AA39 to pictures of the whole target, by record."""
        shutil.rmtree(self.folder / "measured", ignore_errors=True)
        folder = self.copy_records("AA39", *pictures)
        for number, picture in pictures.items():
            write_grey(folder / f"{number}-flux.png", picture)
            azimuth, elevation = self.SUNS[number]
            change(folder / f"{number}-calibration-properties.json",
                   lambda r: r.update(target_name="multi_focus_tower", sun_azimuth=180 - azimuth, sun_elevation=elevation))
        return self.reconstruct("--measured", self.folder / "measured", "--image-kind", "flux", "--truth", "truth.h5")["heliostats"]["AA39"]

    def test_a_background_and_noise_do_not_throw_a_fit_away(self):
        """The true mirror overlaps less with a noisy picture than a blurred one; its likelihood is larger."""
        clean = self.bent_mirror(0.5)
        noise = np.random.default_rng(1)
        found = []
        for background, sigma in ((0.0, 0.0), (0.1, 0.02)):
            slope = 1 + 0.1 * np.linspace(-1, 1, 64)
            found.append(self.fit_pictures({number: np.clip(255 * 0.8 * (picture + background * slope + sigma * noise.normal(size=picture.shape)), 0, 255)
                                            .astype(np.uint8) for number, picture in clean.items()}))
        clean, grey = found
        self.assertTrue(clean["improved"])
        self.assertTrue(grey["improved"])
        self.assertLess(grey["slopes_mrad"]["after"], 1.3 * clean["slopes_mrad"]["after"])
        for one, other in zip(clean["fitted"], grey["fitted"]):
            self.assertAlmostEqual(one["flux_accuracy"], other["flux_accuracy"], delta=0.02)

    def test_all_bits_of_a_picture_count(self):
        """A camera of 12 bits, half exposed: 8 of its 16 bits would leave 8 grey levels."""
        pictures = self.bent_mirror(1.0)
        wide = {number: np.rint(2047 * picture).astype(np.uint16) for number, picture in pictures.items()}
        exact = self.fit_pictures({number: np.rint(65535 * picture).astype(np.uint16) for number, picture in pictures.items()})
        all_bits = self.fit_pictures(wide)
        few_bits = self.fit_pictures({number: (picture >> 8).astype(np.uint8) for number, picture in wide.items()})
        self.assertAlmostEqual(all_bits["slopes_mrad"]["after"], exact["slopes_mrad"]["after"], delta=0.02)
        for one, other in zip(all_bits["fitted"], exact["fitted"]):
            self.assertAlmostEqual(one["flux_accuracy"], other["flux_accuracy"], delta=0.002)
        self.assertLess(few_bits["fitted"][0]["flux_accuracy"], all_bits["fitted"][0]["flux_accuracy"] - 0.01)

    def test_a_background_is_no_light_of_the_mirror(self):
        """A picture as it is and on a grey background, which would look like a mirror that throws light everywhere."""
        folder = self.copy_records("AA39", "151375", "202558", "271633")
        config = self.write_config(rays="1e6")
        pictures = {}
        for number, (azimuth, elevation) in zip(("151375", "202558", "271633"), ((130, 30), (170, 50), (230, 25))):
            self.raytrace_json(config, "--scenario", "start.h5", "--set", "aim.active=[AA39]", "--set", f"sun.azimuth_deg={azimuth}",
                               "--set", f"sun.elevation_deg={elevation}")
            with h5py.File(self.folder / "result.h5") as file:
                flux = file["targets/multi_focus_tower/flux"][:]
            pictures[number] = 200 * flux / flux.max()
            change(folder / f"{number}-calibration-properties.json",
                   lambda r: r.update(target_name="multi_focus_tower", sun_azimuth=180 - azimuth, sun_elevation=elevation))
        found = []
        for background in (0, 40):
            for number, picture in pictures.items():
                write_grey(folder / f"{number}-flux.png", (picture + background).astype(np.uint8))
            found.append(self.reconstruct("--measured", self.folder / "measured", "--image-kind", "flux", "--truth", "start.h5")["heliostats"]["AA39"])
        clean, grey = found
        self.assertEqual((grey["images"], grey["rejected"]), (3, []))
        self.assertLess(clean["slopes_mrad"]["after"], 0.4)
        self.assertAlmostEqual(grey["slopes_mrad"]["after"], clean["slopes_mrad"]["after"], delta=0.02)
        for one, other in zip(clean["fitted"], grey["fitted"]):
            self.assertAlmostEqual(one["flux_accuracy"], other["flux_accuracy"], delta=0.003)


if __name__ == "__main__":
    unittest.main()
