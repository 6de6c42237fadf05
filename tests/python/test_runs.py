# SPDX-License-Identifier: MIT
"""Single runs: the program's numbers, their shapes, pictures and files; threads, Ctrl-C, progress."""

import concurrent.futures
import dataclasses
import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import numpy

from package import FINGERPRINT, QUICKSTART, SMALL, SOURCE, hr, juelich, needs, program, small_field


class Runs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.run_ = hr.trace(QUICKSTART, rays=1e4, device="cpu")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_fingerprint_of_the_quickstart(self):
        self.assertEqual(hr.trace(QUICKSTART, device="cpu").fingerprint, FINGERPRINT)

    def test_numbers_are_the_programs(self):
        there = program("raytrace", QUICKSTART, "--set", "tracing.rays_per_heliostat=1e4", "--set", "optics.slope_error_mrad=1.5",
                        "--set", "sun.shape={type: buie, csr: 0.05}", "--device", "cpu", folder=self.folder)
        here = hr.trace(QUICKSTART, rays=1e4, slope_error_mrad=1.5, sun_shape=hr.Buie(0.05), device="cpu")
        self.assertEqual(here.fingerprint, there["fingerprint"])
        self.assertEqual(here.energy, there["energy"])
        plant = hr.trace(juelich(), sun=(180.0, 45.0), target="multi_focus_tower", rays=1e4, device="cpu")
        direct = program("raytrace", QUICKSTART, "--set", "tracing.rays_per_heliostat=1e4", "--set", "sun.azimuth_deg=180", "--set",
                         "sun.elevation_deg=45", "--device", "cpu", folder=self.folder)
        self.assertAlmostEqual(plant.energy["target_power"], direct["energy"]["target_power"], delta=1e-3 * plant.energy["target_power"])

    def test_sun_shapes_are_those_of_the_key(self):
        keys = {path: hr._core.key_info(path) for path in hr._core.known_keys() if path.startswith("sun.shape.")}
        classes = {made.setting()["type"]: made for made in (
            hr.Buie(0.05), hr.Collimated(), hr.GaussSum([(1.9, 1.0)]), hr.Gaussian(2.0), hr.LimbDarkened(), hr.Pillbox(4.65), hr.Table("sun.csv"))}
        self.assertEqual(sorted(classes), sorted(keys["sun.shape.type"]["range"].split(", ")))
        self.assertEqual(len(classes), len(hr.SunShape.__subclasses__()))
        for word, made in classes.items():
            own = {path.rpartition(".")[2] for path, about in keys.items() if about["meaning"].startswith(f"`{word}`:")}
            self.assertEqual({field.name for field in dataclasses.fields(made)}, own, word)
        self.assertEqual(hr.Buie(0.05).setting(), {"type": "buie", "csr": 0.05, "calibration": "exact"})

    def test_energy_adds_up(self):
        energy = dict(self.run_.energy)
        solar = energy.pop("solar_power")
        self.assertAlmostEqual(sum(energy.values()), solar, delta=1e-9 * solar)
        flux = self.run_.array()
        width, height = self.run_._targets["multi_focus_tower"]["extent_m"]
        self.assertAlmostEqual(flux.sum() * width * height / flux.size, energy["target_power"], delta=1e-9 * solar)

    def test_arrays_are_views_that_outlive_the_run(self):
        flux = hr.trace(QUICKSTART, **SMALL).array()
        self.assertEqual(flux.shape, (24, 32))
        with self.assertRaises(ValueError):
            flux[0, 0] = 1
        self.assertTrue(numpy.isfinite(flux).all() and flux.max() > 0)

    @unittest.skipIf(needs("xarray"), needs("xarray"))
    def test_map_has_metres_and_errors(self):
        flux = self.run_.flux["multi_focus_tower"]
        self.assertEqual(flux.dims, ("height_m", "width_m"))
        self.assertEqual(flux.attrs["units"], "W/m2")
        # Row 0 is the top, column 0 the left edge.
        self.assertGreater(flux.height_m[0], flux.height_m[-1])
        self.assertLess(flux.width_m[0], flux.width_m[-1])
        width, height = self.run_._targets["multi_focus_tower"]["extent_m"]
        self.assertAlmostEqual(float(flux.width_m[-1]), width * (0.5 - 0.5 / 256))
        self.assertAlmostEqual(float(flux.height_m[0]), height * (0.5 - 0.5 / 256))
        self.assertEqual(flux.std_error.shape, flux.shape)
        self.assertGreater(float(flux.std_error.max()), 0)
        # The centroid in the plane, from the coordinates, is the result's: the target faces north, so left is east.
        target = juelich().targets["multi_focus_tower"]["center"]
        east = target[0] - float((flux * flux.width_m).sum() / flux.sum())
        self.assertAlmostEqual(east, flux.attrs["centroid_m"][0], places=9)
        with self.assertRaisesRegex(KeyError, "did you mean 'multi_focus_tower'"):
            self.run_.flux["multi_focus_towr"]

    @unittest.skipIf(needs("pandas"), needs("pandas"))
    def test_heliostats(self):
        table = self.run_.heliostats
        self.assertEqual(list(table.index), ["AA28", "AA31", "AA39"])
        for term, total in self.run_.energy.items():
            self.assertAlmostEqual(table[term].sum(), total, delta=1e-6)
        self.assertTrue(((table.efficiency > 0.85) & (table.efficiency < 0.95)).all())
        self.assertEqual(self.run_.targets.power_w.sum(), self.run_.energy["target_power"])

    def test_maps_of_heliostats(self):
        run = hr.trace(QUICKSTART, output={"per_heliostat": True}, **SMALL)
        self.assertEqual(set(run.heliostat_flux), {"AA28", "AA31", "AA39"})
        numpy.testing.assert_allclose(sum(flux.astype(float) for flux in run.heliostat_flux.values()), run.array(), rtol=1e-5, atol=1e-3)
        self.assertEqual(run.orientations.shape, (3, 4, 4))

    def test_nothing_is_written_unasked(self):
        subprocess.run([sys.executable, "-c", f"import helioray as hr; hr.trace({str(QUICKSTART)!r}, rays=1000)"], cwd=self.folder, check=True)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_files_and_pictures(self):
        self.run_.write(self.folder / "run.h5")
        again = hr.open(self.folder / "run.h5")
        numpy.testing.assert_array_equal(again.array(), self.run_.array())
        self.assertEqual(again.energy, self.run_.energy)
        self.assertEqual(again.fingerprint, self.run_.fingerprint)
        self.assertTrue(self.run_.plot()._repr_png_().startswith(b"\x89PNG"))
        self.run_.plot(self.folder / "run.svg", quantity="efficiency")
        self.assertIn("<svg", (self.folder / "run.svg").read_text())
        self.assertIn("<!DOCTYPE html>", self.run_.report(self.folder / "run.html"))
        self.assertIn("multi_focus_tower", self.run_._repr_html_())
        with self.assertRaisesRegex(hr.InputError, "png"):
            self.run_.plot(self.folder / "run.gif")
        self.assertEqual(sorted(file.name for file in self.folder.iterdir()), ["run.h5", "run.html", "run.svg"])

    @unittest.skipIf(needs("xarray", "h5netcdf"), needs("xarray", "h5netcdf"))
    def test_files_are_netcdf(self):
        import xarray
        self.run_.write(self.folder / "run.h5")
        with xarray.open_dataset(self.folder / "run.h5", group="targets/multi_focus_tower", engine="h5netcdf") as data:
            ours = self.run_.flux["multi_focus_tower"]
            self.assertEqual(data.flux.dims, ours.dims)
            numpy.testing.assert_array_equal(data.flux, ours)
            numpy.testing.assert_array_equal(data.flux_std_error, ours.std_error)
            numpy.testing.assert_allclose(data.height_m, ours.height_m, atol=1e-12)
            numpy.testing.assert_allclose(data.width_m, ours.width_m, atol=1e-12)

    @unittest.skipIf(needs("xarray"), needs("xarray"))
    def test_dataset(self):
        import xarray
        from helioray.xarray_engine import Engine
        self.run_.write(self.folder / "run.h5")
        data = xarray.open_dataset(self.folder / "run.h5", engine=Engine)
        numpy.testing.assert_array_equal(data.flux_multi_focus_tower, self.run_.array())
        self.assertEqual(float(data.target_power.sum()), float(self.run_.dataset.target_power.sum()))
        self.assertAlmostEqual(float(data.power_w_multi_focus_tower), self.run_.energy["target_power"])
        self.assertEqual(data.attrs["fingerprint"], self.run_.fingerprint)
        self.assertNotIn("cosine_loss", xarray.open_dataset(self.folder / "run.h5", engine=Engine, drop_variables="cosine_loss"))

    def test_pickles(self):
        again = pickle.loads(pickle.dumps(self.run_))
        self.assertEqual(again.fingerprint, self.run_.fingerprint)
        numpy.testing.assert_array_equal(again.array(), self.run_.array())
        self.assertEqual((again.summary, again.timing, again.provenance), (self.run_.summary, self.run_.timing, self.run_.provenance))
        version, numbers = self.run_._core.__getstate__()
        with self.assertRaisesRegex(hr.InputError, "^pickle: was made by HelioRay 0.0.0 x"):
            type(self.run_._core).__new__(type(self.run_._core)).__setstate__(("0.0.0 x", numbers))
        with self.assertRaisesRegex(RuntimeError, "bytes of a struct are missing"):
            type(self.run_._core).__new__(type(self.run_._core)).__setstate__((version, numbers[:-1]))
        error = pickle.loads(pickle.dumps(hr.InputError("a: b")))
        self.assertEqual(str(error), "a: b")

    def test_other_processes_and_threads_get_the_same(self):
        plant = small_field()
        wanted = [hr.trace(plant, sun=(180, 45), seed=seed, **SMALL).fingerprint for seed in range(4)]
        self.assertEqual(len(set(wanted)), 4)

        def trace(seed):
            return hr.trace(plant, sun=(180, 45), seed=seed, threads=1 + seed % 2, **SMALL).fingerprint
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            self.assertEqual(list(pool.map(trace, [0, 1, 2, 3] * 3)), wanted * 3)
        # Reading and writing in several threads at once as well.

        def through_files(seed):
            file = self.folder / f"{seed}.h5"
            hr.trace(plant, sun=(180, 45), seed=seed, **SMALL).write(file)
            return hr.open(file).fingerprint
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            self.assertEqual(list(pool.map(through_files, range(4))), wanted)
        (self.folder / "plant.pickle").write_bytes(pickle.dumps(plant))
        code = ("import pickle, sys, helioray as hr; plant = pickle.load(open('plant.pickle', 'rb')); "
                f"print(hr.trace(plant, sun=(180, 45), seed=2, **{SMALL!r}).fingerprint)")
        done = subprocess.run([sys.executable, "-c", code], cwd=self.folder, check=True, capture_output=True, text=True)
        self.assertEqual(done.stdout.strip(), wanted[2])

    def test_interruption(self):
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            hr.trace(QUICKSTART, rays=1e12, device="cpu")
        # Everything works afterwards.
        self.assertEqual(hr.trace(QUICKSTART, rays=1e4, device="cpu").fingerprint, self.run_.fingerprint)

    def test_other_threads_run_meanwhile(self):
        turns = []

        def count():
            while not done.is_set():
                turns.append(1)
                time.sleep(0.001)
        done = threading.Event()
        counter = threading.Thread(target=count)
        counter.start()
        hr.trace(QUICKSTART, rays=2e7, threads=1, device="cpu")
        done.set()
        counter.join()
        self.assertGreater(len(turns), 10)

    def test_progress(self):
        calls = []
        hr.trace(QUICKSTART, rays=1e6, device="cpu", progress=lambda rays, expected: calls.append((rays, expected)))
        self.assertEqual(calls[-1], (3_000_000, 3_000_000))

        def fail(rays, expected):
            raise ZeroDivisionError
        with self.assertRaises(ZeroDivisionError):
            hr.trace(QUICKSTART, rays=1e12, device="cpu", progress=fail)

    def test_warnings(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            hr.trace(QUICKSTART, relative_error=1e-9, **SMALL)
        self.assertTrue(any(issubclass(one.category, hr.HelioRayWarning) for one in caught), caught)
        self.assertEqual(caught[-1].filename, __file__)

    def test_import_needs_neither_torch_nor_pandas(self):
        code = ("import sys, time; start = time.perf_counter(); import helioray; "
                f"run = helioray.trace({str(QUICKSTART)!r}, rays=1000); run.array(); "
                "print([name for name in ('torch', 'pandas', 'xarray', 'matplotlib') if name in sys.modules])")
        done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
        self.assertEqual(done.stdout.strip(), "[]")
        code = "import sys; sys.modules['pandas'] = None; import helioray; helioray.read(sys.argv[1]).heliostats"
        done = subprocess.run([sys.executable, "-c", code, str(SOURCE / "configs/juelich.h5")], capture_output=True, text=True)
        self.assertIn("ImportError: plant.heliostats needs pandas; install it with: pip install pandas", done.stderr)

    @unittest.skipIf(needs("torch", "h5py"), needs("torch", "h5py"))
    def test_beside_torch_and_h5py(self):
        for modules in ("torch, h5py, helioray", "helioray, h5py, torch"):
            code = (f"import {modules}; print(helioray.trace({str(QUICKSTART)!r}, rays=1e4, device='cpu').fingerprint, "
                    f"len(h5py.File({str(SOURCE / 'configs/juelich.h5')!r})), torch.ones(3).sum().item())")
            done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
            self.assertIn(self.run_.fingerprint, done.stdout)

    @unittest.skipIf(needs("torch"), needs("torch"))
    def test_model_artist(self):
        run = hr.trace(juelich(), sun={"incident_direction": [0, 0.7, -0.7]}, target="multi_focus_tower", model="artist", device="cpu",
                       artist={"surface_points_per_facet": [4, 4], "rays_per_point": 2})
        self.assertGreater(run.array().sum(), 0)
        self.assertEqual(json.loads(run._targets["multi_focus_tower"]["geometry"])["normal"], [0.0, 1.0, 0.0])

    def test_every_sun_shape_has_a_class(self):
        row = next(line for line in (SOURCE / "configs/README.md").read_text().splitlines() if line.startswith("| `sun.shape.type`"))
        words = row.split("|")[4].strip().split(", ")
        classes = {}
        for shape in hr.SunShape.__subclasses__():
            members = [((1.0, 1.0),) if field.name == "terms" else 1.0 for field in dataclasses.fields(shape) if field.name != "file"]
            paths = ["sun.csv" for field in dataclasses.fields(shape) if field.name == "file"]
            classes[shape(*members, *paths).setting()["type"]] = shape.__name__
        self.assertEqual(sorted(classes), sorted(words), "python/helioray/configuration.py: sun shapes")
        self.assertLessEqual(set(classes.values()), set(hr.__all__))


if __name__ == "__main__":
    unittest.main()
