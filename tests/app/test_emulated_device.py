# SPDX-License-Identifier: MIT
"""The program's way through a CUDA device, on threads of the CPU: the module helioray_cuda and its kernels are compiled against a runtime
that works in the memory of the host (tests/emulated_cuda). Same rays, same integers."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import h5py

PROGRAM = pathlib.Path(os.environ["HELIORAY_PROGRAM"])
SOURCE = pathlib.Path(os.environ["HELIORAY_SOURCE_DIR"])
EMULATED = pathlib.Path(os.environ["HELIORAY_EMULATED_CUDA"])
SMALL = ["--set", "tracing.rays_per_heliostat=256", "--set", "bitmap.width=24", "--set", "bitmap.height=24"]


class EmulatedDevice(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="helioray_test_"))
        # Modules of several ranks lie beside the program, the emulated one apart.
        self.modules = self.folder / "modules"
        self.modules.mkdir()
        for library in (*PROGRAM.parent.parent.glob("lib/libhelioray_ranks.so"), EMULATED / "libhelioray_cuda.so"):
            (self.modules / library.name).symlink_to(library)

    def tearDown(self):
        shutil.rmtree(self.folder)

    def trace(self, device, config, *arguments, output="flux.h5"):
        env = {**os.environ, "HELIORAY_MODULES": str(self.modules), "LD_LIBRARY_PATH": str(EMULATED)}
        done = subprocess.run([PROGRAM, "raytrace", SOURCE / "configs" / config, "--json", "--device", device, "-o", output, "--image",
                               "flux.png", *arguments], cwd=self.folder, env=env, text=True, capture_output=True, timeout=280)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_a_run_has_the_same_sums(self):
        on_cpu = self.trace("cpu", "quickstart.yaml", *SMALL)
        on_device = self.trace("cuda", "quickstart.yaml", *SMALL)
        self.assertEqual(on_device["device"], "cuda:0")
        self.assertEqual(on_device["fingerprint"], on_cpu["fingerprint"])
        self.assertEqual(on_device["rays"], on_cpu["rays"])

    def test_maps_of_heliostats_come_from_the_device(self):
        maps = {}
        for device in ("cpu", "cuda"):
            self.trace(device, "quickstart.yaml", *SMALL, "--set", "output.per_heliostat=true", output=f"{device}.h5")
            with h5py.File(self.folder / f"{device}.h5") as file:
                maps[device] = file["heliostats/flux"][()]
        self.assertGreater(maps["cpu"].sum(), 0)
        self.assertTrue((maps["cpu"] == maps["cuda"]).all())

    def test_rounds_add_up_on_the_device(self):
        arguments = [*SMALL, "--set", "tracing.rays_per_heliostat=4096", "--set", "tracing.relative_error=0.01"]
        on_cpu = self.trace("cpu", "quickstart.yaml", *arguments)
        on_device = self.trace("cuda", "quickstart.yaml", *arguments)
        self.assertEqual(on_device["fingerprint"], on_cpu["fingerprint"])
        self.assertEqual(on_device["rays"], on_cpu["rays"])

    def test_ranks_share_the_rays(self):
        on_cpu = self.trace("cpu", "quickstart.yaml", *SMALL)
        on_device = self.trace("cuda", "quickstart.yaml", *SMALL, "--ranks", "2", "--set", "distributed.backend=gloo")
        self.assertEqual(on_device["world_size"], 2)
        self.assertEqual(on_device["fingerprint"], on_cpu["fingerprint"])

    def test_the_field_on_the_device_follows_the_sun(self):
        fingerprints = {}
        for device in ("cpu", "cuda"):
            self.trace(device, "series.yaml", *SMALL, "--set", "tracing.rays_per_heliostat=32", output=f"{device}.h5")
            with h5py.File(self.folder / f"{device}.h5") as file:
                fingerprints[device] = file["series/fingerprint"][()].tolist()
        self.assertEqual(fingerprints["cuda"], fingerprints["cpu"])
        self.assertEqual(len(set(fingerprints["cpu"])), 16)


if __name__ == "__main__":
    unittest.main()
