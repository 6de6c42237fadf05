# SPDX-License-Identifier: MIT
"""CUDA devices of one process in Python: runs, prepared fields and modules of PyTorch on emulated devices (tests/emulated_cuda) have the bits
of the CPU."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from package import hr, needs, small_field

EMULATED = pathlib.Path(os.environ["HELIORAY_EMULATED_CUDA"])
RECEIVERS = {
    "panels": {"type": "polygon", "panels": 8, "radius_m": 3, "height_m": 8},
    "absorptance": {"type": "polygon", "panels": 8, "radius_m": 3, "height_m": 8, "absorptance": 0.94, "absorptance_law": "duffie_beckman", "bounces": 0},
    "mirror": {"type": "beam_down", "foci_distance_m": 50, "vertex_distance_m": 10, "radius_m": 12, "exit_radius_m": 3, "reflectivity": 0.9},
}
KEYS = {"rays": 512, "bitmap": {"width": 32, "height": 24}}


def traces():
    """Fingerprints and devices of runs, by the device that was asked for. Runs in a process with emulated devices."""
    plant, found = small_field(5), {}
    for device in ("cpu", "auto", "cuda", "cuda:1", "cuda:0,3"):
        run = hr.trace(plant, device=device, sun=(180, 45), **KEYS)
        field = hr.prepare(plant, device=device, sun=(180, 45), **KEYS)
        field.set_sun(170, 50)
        found[device] = [run.fingerprint, run.provenance["device"], field.trace().fingerprint]
    for device in ("cuda:4", "cuda:0,0"):
        try:
            hr.trace(plant, device=device, sun=(180, 45), **KEYS)
        except hr.InputError as error:
            found[device] = str(error)
    return found


def gradients(**keys):
    """Flux and gradients of a module by its devices, as texts of bits. Runs in a process with emulated devices."""
    import torch

    import helioray.torch as ht

    found = {}
    for devices in ([], [1], [0, 1], (0, 1, 2, 3)):
        field = ht.Field(small_field(5), parameters=["aim_points"], devices=devices, sun=(180, 45), rays=512, bitmap={"width": 16, "height": 16}, **keys)
        flux, energy = field()
        (flux * torch.linspace(-1, 1, 16, dtype=torch.float64)).sum().backward()
        found[str(list(devices))] = [[value.detach().numpy().tobytes().hex() for value in (flux, energy)],
                                     field.aim_points.grad.flatten().tolist()]
    for devices in ([4], [0, 0], "cuda", [0.5]):
        try:
            ht.Field(small_field(5), devices=devices)
        except hr.InputError as error:
            found[str(devices)] = str(error)
    return found


def receiver_gradients():
    """The same for receivers of several surfaces, one of them with a mirror."""
    return {name: gradients(aim={"target": "den"}, receivers={"den": {"center_m": [0, 0, 60], **shape}}) for name, shape in RECEIVERS.items()}


class Devices(unittest.TestCase):
    def call(self, function):
        """Returns what the function returns in a process with four emulated devices."""
        with tempfile.TemporaryDirectory() as folder:
            modules = pathlib.Path(folder)
            for library in pathlib.Path(os.environ["HELIORAY_MODULES"]).glob("libhelioray_*.so"):
                (modules / library.name).symlink_to(library)
            (modules / "libhelioray_cuda.so").unlink(missing_ok=True)
            (modules / "libhelioray_cuda.so").symlink_to(EMULATED / "libhelioray_cuda.so")
            paths = os.pathsep.join([str(pathlib.Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
            env = {**os.environ, "HELIORAY_MODULES": folder, "LD_LIBRARY_PATH": str(EMULATED), "HELIORAY_EMULATED_DEVICES": "4", "PYTHONPATH": paths}
            done = subprocess.run([sys.executable, "-c", f"import json, test_devices; print(json.dumps(test_devices.{function}()))"], env=env, text=True,
                                  capture_output=True, timeout=280)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_runs_and_fields(self):
        found = self.call("traces")
        expected = found["cpu"]
        for device, name in (("auto", "cuda:0,1,2,3"), ("cuda", "cuda:0,1,2,3"), ("cuda:1", "cuda:1"), ("cuda:0,3", "cuda:0,3")):
            self.assertEqual(found[device], [expected[0], name, expected[2]])
        self.assertIn("there is no device cuda:4", found["cuda:4"])
        self.assertIn("'cuda:0,0' is not a device", found["cuda:0,0"])

    @unittest.skipIf(needs("torch"), needs("torch"))
    def test_modules(self):
        found = self.call("gradients")
        self.check_gradients(found)
        self.assertIn("cuda:4, and there are 4 CUDA devices", found["[4]"])
        self.assertIn("twice", found["[0, 0]"])
        self.assertIn("is not a list", found["cuda"])
        self.assertIn("is not an index", found["[0.5]"])

    @unittest.skipIf(needs("torch"), needs("torch"))
    def test_modules_with_receivers(self):
        for receiver, found in self.call("receiver_gradients").items():
            with self.subTest(receiver):
                self.check_gradients(found)

    def check_gradients(self, found):
        largest = max(map(abs, found["[]"][1]))
        self.assertGreater(largest, 0)
        for devices in ("[1]", "[0, 1]", "[0, 1, 2, 3]"):
            self.assertEqual(found[devices][0], found["[]"][0])
            # All devices have the same bits; the CPU adds up fewer derivatives before it rounds them.
            self.assertEqual(found[devices][1], found["[1]"][1])
            for one, other in zip(found[devices][1], found["[]"][1], strict=True):
                self.assertAlmostEqual(one / largest, other / largest, delta=1e-6)


if __name__ == "__main__":
    unittest.main()
