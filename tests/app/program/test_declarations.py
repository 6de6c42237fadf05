# SPDX-License-Identifier: MIT
"""Declared keys reach the result, and declared columns get a value in a run. What is declared, but not used, is named here."""

import re
import unittest

import h5py
import numpy

from harness import ProgramTest, SCENARIO, SOURCE

SECTIONS = ("sun.dni_w_m2", "sun.shape.", "optics.", "tracing.", "artist.", "bitmap.")
# Mirrors so near each other that they shade and block, as facets of one mirror do.
FIELD = """\
tower: {optical_height_m: 30}
receiver: {receiver}
heliostat: {width_m: 6, height_m: 6, facets: [2, 2], facet_offsets_m: [0, 0.3, 0.3, 0], pivot_height_m: 3.5}
layout: {type: radial_stagger, heliostats: 40, min_radius_m: 20}
"""
PLANE = "{type: plane, width_m: 5, height_m: 5}"
SHIELDED = "{type: billboard, width_m: 3, height_m: 3, columns: 2, shield_width_m: 1}"
CONFIG = """\
scenario: plant.h5
sun: {azimuth_deg: 180, elevation_deg: 25, dni_w_m2: 1000, shape: {type: pillbox, half_angle_mrad: 4}}
aim: {target: receiver}
tracing: {rays_per_heliostat: 500}
bitmap: {width: 16, height: 8}
device: cpu
"""
# Model artist knows other kinematics than those of generated fields.
ARTIST = {"scenario": SCENARIO, "aim.target": "multi_focus_tower", "tracing.model": "artist", "sun.shape": "{type: gaussian, sigma_mrad: 2}"}

# Values of keys whose example is their default.
OTHER_VALUES = {"artist.rays_per_point": "5", "artist.surface_points_per_facet": "[20, 20]", "bitmap.height": "24", "bitmap.width": "24",
                "optics.reflectivity": "0.8", "optics.slope_error.type": "gaussian", "tracing.blocking": "false", "tracing.facet_occlusion": "false", "tracing.model": "artist",
                "tracing.shading": "false"}
# Settings without which a key has no effect.
COMPANIONS = {"sun.shape.type": {"sun.shape": "{type: gaussian, sigma_mrad: 3}"},
              "tracing.model": ARTIST,
              "tracing.relative_error": {"tracing.rays_per_heliostat": "1e5"},
              "tracing.relative_error_of": {"tracing.rays_per_heliostat": "1e5", "tracing.relative_error": "0.003"},
              "optics.slope_error.type": {"optics.slope_error.sigma_mrad": "1"},
              "optics.slope_error.sigma_mrad": {"optics.slope_error.type": "gaussian"},
              "optics.slope_error.half_angle_mrad": {"optics.slope_error.type": "pillbox"},
              "optics.specularity_error.type": {"optics.specularity_error.sigma_mrad": "1"},
              "optics.specularity_error.sigma_mrad": {"optics.specularity_error.type": "gaussian"},
              "optics.specularity_error.half_angle_mrad": {"optics.specularity_error.type": "pillbox"},
              "optics.attenuation": {},
              "optics.attenuation.model": {"optics.attenuation.per_km": "1"},
              "optics.attenuation.per_km": {"optics.attenuation.model": "exponential"},
              "optics.attenuation.coefficients": {"optics.attenuation.model": "polynomial"}}
# Keys that must not change the result.
WITHOUT_EFFECT = {"artist.batch_size": "only the memory depends on it"}
# Columns that model artist leaves empty, with the reason.
EMPTY_BY_ARTIST = {**dict.fromkeys(("cosine_loss", "shading_loss", "blocking_loss"), "ARTIST separates no losses of geometry, which are part of spillage_loss"),
                   **dict.fromkeys(("target_power_std_error", "power_std_error_w", "peak_flux_std_error_w_m2"), "ARTIST's noise is not known")}
# Contents of files that are the example of a key.
FILES = {"sun.shape.file": "angle_mrad,radiance\n0,1\n5,0\n"}


class Declarations(ProgramTest):
    def prepare(self, receiver):
        self.generate(FIELD.replace("{receiver}", receiver))
        self.write_config(text=CONFIG)

    def keys(self):
        """Pairs of key and example, from the reference, which another test compares with the declarations."""
        rows = re.findall(r"^\| `([\w.]+)` \|.*\| `([^|]*)` \|$", (SOURCE / "configs/README.md").read_text(), re.MULTILINE)
        return [(key, value) for key, value in rows if key.startswith(SECTIONS)]

    def trace(self, settings):
        options = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
        result = self.raytrace_json("run.yaml", *options)
        return result["fingerprint"], result["energy"]

    def shape(self, key, value):
        """The settings of a key of sun.shape, whose type its row names, and those of another sun of this type."""
        row = re.search(rf"^\| `{re.escape(key)}` \| `(\w+)`: ", (SOURCE / "configs/README.md").read_text(), re.MULTILINE)
        others = {"calibration": "csr: 0.2, "}
        name = key.removeprefix("sun.shape.")
        return {"sun.shape": f"{{type: {row[1]}, {others.get(name, '')}{name}: {value}}}"}

    def test_every_key_changes_the_result(self):
        self.prepare(PLANE)
        keys = self.keys()
        self.assertGreater(len(keys), 35)
        for key, example in keys:
            for name, text in FILES.items():
                if name == key:
                    (self.folder / example).write_text(text)
            value = OTHER_VALUES.get(key, example)
            with self.subTest(key, value=value):
                base = dict(ARTIST) if key.startswith("artist.") else {}
                if key.startswith("sun.shape.") and key not in COMPANIONS:
                    changed = self.shape(key, value)
                else:
                    base |= {} if key == "tracing.model" else {k: v for k, v in COMPANIONS.get(key, {}).items() if k.startswith("tracing.")}
                    changed = base | COMPANIONS.get(key, {}) | ({} if key == "sun.shape.type" else {key: value})
                same = self.trace(base) == self.trace(changed)
                self.assertEqual(same, key in WITHOUT_EFFECT, "the key does not reach the result; see 'Add a configuration key' in CONTRIBUTING.md. A key that needs others "
                                 "has a line in COMPANIONS, one whose example is its default in OTHER_VALUES")

    def empty_columns(self, file_name):
        """The columns of heliostats and targets in a result file that have no value other than 0 or an empty text."""
        empty = []
        with h5py.File(self.folder / file_name) as file:
            for name, column in file["heliostats"].items():
                values = column.asstr()[()] if column.dtype.kind == "O" else column[()]
                if not numpy.any(values != numpy.zeros((), values.dtype) if column.dtype.kind != "O" else values != ""):
                    empty.append(f"heliostats/{name}")
            for target in file["targets"].values():
                empty += [f"{target.name}@{name}" for name, value in target.attrs.items() if isinstance(value, (float, numpy.ndarray)) and not numpy.any(value)]
        return empty

    def test_every_column_is_set(self):
        """In a run in which everything occurs: shading, blocking, attenuation, shields and soiled mirrors."""
        self.prepare(SHIELDED)
        (self.folder / "state.csv").write_text("soiling\n0.2\n")
        self.good("raytrace", "run.yaml", "--set", "optics.attenuation=mirval", "--set", "optics.reflectivity=0.9", "--set", "state.file=state.csv",
                  "--set", "tracing.rays_per_heliostat=1e4", "-o", "result.h5")
        self.assertEqual(self.empty_columns("result.h5"), [], "columns without a value; set them in raytracer/tracing/physical/read_sums.cpp")

    def test_model_artist_sets_its_columns(self):
        self.prepare(PLANE)
        # A table of states may add a column to the file that model artist does not know.
        settings = ARTIST | {"optics.reflectivity": "0.9", "artist.extinction": "0.1", "artist.magnitude": "dni", "tracing.blocking": "true", "output.per_heliostat": "true"}
        self.good("raytrace", "run.yaml", *(word for key, value in settings.items() for word in ("--set", f"{key}={value}")), "-o", "result.h5")
        empty = self.empty_columns("result.h5")
        names = {re.split("[/@]", place)[-1] for place in empty}
        self.assertEqual(names - set(EMPTY_BY_ARTIST), set(), "columns without a value; set them in raytracer/artist/artist_job.cpp, or state in EMPTY_BY_ARTIST why model artist has no value")
        self.assertEqual(set(EMPTY_BY_ARTIST) - names, set(), "columns with a value; remove them from EMPTY_BY_ARTIST")


if __name__ == "__main__":
    unittest.main()
