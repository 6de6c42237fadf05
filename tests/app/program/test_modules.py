# SPDX-License-Identifier: MIT
"""Modules are loaded when they are used; one that is missing is an error, never a silent run on something else."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = pathlib.Path(os.environ["HELIORAY_PROGRAM"])
SOURCE = pathlib.Path(os.environ["HELIORAY_SOURCE_DIR"])
COMPILER = os.environ["HELIORAY_COMPILER"]
CONFIG = SOURCE / "configs/quickstart.yaml"
# A run that model artist can trace.
ARTIST = f"""\
scenario: {SOURCE / 'configs/juelich.h5'}
sun: {{incident_direction: [0, 0.7, -0.7], shape: {{type: gaussian, sigma_mrad: 2.0}}}}
aim: {{target: multi_focus_tower}}
tracing: {{model: artist}}
artist: {{surface_points_per_facet: [4, 4], rays_per_point: 2}}
bitmap: {{width: 32, height: 32}}
output: {{file: artist.h5}}
"""
# A driver that offers one device and can do nothing else.
DRIVER = 'extern "C" int cuInit(unsigned) { return 0; }\nextern "C" int cuDeviceGetCount(int* n) { *n = 1; return 0; }\n'


class Modules(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        # Nothing lies beside this copy of the program.
        (cls.folder / "bin").mkdir()
        shutil.copy(PROGRAM, cls.folder / "bin/helioray")
        (cls.folder / "artist.yaml").write_text(ARTIST)
        # It lies in the working directory, where nothing may be loaded from unless LD_LIBRARY_PATH says so.
        (cls.folder / "driver.cpp").write_text(DRIVER)
        subprocess.run([COMPILER, "-shared", "-fPIC", "-o", cls.folder / "libcuda.so.1", cls.folder / "driver.cpp"], check=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def run_alone(self, *arguments, driver=False, **environment):
        env = {**os.environ, **environment}
        if driver:
            env["LD_LIBRARY_PATH"] = os.pathsep.join([str(self.folder), env.get("LD_LIBRARY_PATH", "")])
        return subprocess.run([self.folder / "bin/helioray", *map(str, arguments)], cwd=self.folder, env=env, text=True,
                              capture_output=True, timeout=120)

    def trace(self, *arguments, **options):
        return self.run_alone("raytrace", CONFIG, "--json", "--set", "tracing.rays_per_heliostat=1e4", "-o", "flux.h5", "--image",
                              "flux.png", *arguments, **options)

    def test_one_process_needs_no_module(self):
        done = self.trace("--device", "cpu")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(json.loads(done.stdout)["rays"], 0)
        libraries = subprocess.run(["ldd", PROGRAM], text=True, capture_output=True, check=True).stdout
        self.assertNotIn("torch", libraries)
        self.assertNotIn("cuda", libraries)

    def test_missing_modules_are_named(self):
        for done, module in ((self.trace("--ranks", "2", "--device", "cpu"), "libhelioray_ranks.so"),
                             (self.run_alone("raytrace", "artist.yaml"), "libhelioray_artist.so")):
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(module, done.stderr)
            self.assertIn("HELIORAY_MODULES", done.stderr)

    def test_a_folder_of_modules_can_be_named(self):
        done = self.run_alone("raytrace", "artist.yaml", HELIORAY_MODULES=str(PROGRAM.parent.parent / "lib"))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_device_without_the_cuda_module_is_an_error(self):
        for device in ("auto", "cuda", "cuda:0"):
            done = self.trace("--device", device, driver=True)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("device: 1 CUDA device(s) present", done.stderr)
            self.assertIn("libhelioray_cuda.so", done.stderr)
            self.assertIn("use device cpu", done.stderr)
        self.assertEqual(self.trace("--device", "cpu", driver=True).returncode, 0)

    def test_no_device_is_no_error_unless_asked_for(self):
        if pathlib.Path("/dev/nvidiactl").exists():
            self.skipTest("this machine has a GPU")
        self.assertEqual(self.trace("--device", "auto").returncode, 0)
        done = self.trace("--device", "cuda")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no CUDA device is present", done.stderr)

    def test_doctor_says_what_is_there(self):
        done = self.run_alone("doctor")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("not available: the module libhelioray_"), 4)


if __name__ == "__main__":
    unittest.main()
