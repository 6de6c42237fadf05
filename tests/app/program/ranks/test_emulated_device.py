# SPDX-License-Identifier: MIT
"""The program's way through CUDA devices, on threads of the CPU: the modules helioray_cuda with its kernels and helioray_nccl are compiled
against a runtime and an NCCL that work in the memory of the host (tests/emulated_cuda). Same rays, same integers."""

import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
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
        for library in (*PROGRAM.parent.parent.glob("lib/libhelioray_ranks.so"), EMULATED / "libhelioray_cuda.so",
                        EMULATED / "libhelioray_nccl.so"):
            (self.modules / library.name).symlink_to(library)
        self.nccl_log = self.folder / "nccl.log"

    def tearDown(self):
        shutil.rmtree(self.folder)

    def run_program(self, device, config, *arguments, output="flux.h5", devices=1, fault=""):
        env = {**os.environ, "HELIORAY_MODULES": str(self.modules), "LD_LIBRARY_PATH": str(EMULATED),
               "HELIORAY_EMULATED_DEVICES": str(devices), "HELIORAY_EMULATED_NCCL": fault, "HELIORAY_EMULATED_NCCL_LOG": str(self.nccl_log)}
        return subprocess.run([PROGRAM, "raytrace", SOURCE / "configs" / config, "--json", "--device", device, "-o", output, "--image",
                               "flux.png", *arguments], cwd=self.folder, env=env, text=True, capture_output=True, timeout=280)

    def trace(self, device, config, *arguments, **more):
        done = self.run_program(device, config, *arguments, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def sums_by_nccl(self):
        """Bytes of each all_reduce that NCCL has carried, of all ranks together; forgets them."""
        lines = self.nccl_log.read_text().splitlines() if self.nccl_log.exists() else []
        self.nccl_log.unlink(missing_ok=True)
        self.assertTrue(all(line.startswith("all_reduce of ") for line in lines), lines)
        return [int(line.split()[2]) for line in lines]

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

    def test_all_devices_of_one_process(self):
        """Devices of one process: all, some, or one; in rounds, with maps of heliostats; and in a file."""
        arguments = [*SMALL, "--set", "tracing.rays_per_heliostat=4096"]
        rounds = [*arguments, "--set", "tracing.relative_error=0.01"]
        on_cpu, rounds_on_cpu = self.trace("cpu", "quickstart.yaml", *arguments), self.trace("cpu", "quickstart.yaml", *rounds)
        for device, devices, names in (("cuda", 2, "cuda:0,1"), ("cuda", 4, "cuda:0,1,2,3"), ("auto", 2, "cuda:0,1"), ("cuda:0,2", 4, "cuda:0,2"),
                                       ("cuda:3", 4, "cuda:3")):
            with self.subTest(device=device, devices=devices):
                found = self.trace(device, "quickstart.yaml", *arguments, devices=devices)
                self.assertEqual((found["device"], found["fingerprint"], found["rays"], found["world_size"]),
                                 (names, on_cpu["fingerprint"], on_cpu["rays"], 1))
                found = self.trace(device, "quickstart.yaml", *rounds, "--set", "output.per_heliostat=true", devices=devices)
                self.assertEqual((found["fingerprint"], found["rays"]), (rounds_on_cpu["fingerprint"], rounds_on_cpu["rays"]))
        with h5py.File(self.folder / "flux.h5") as file:
            self.assertEqual(file.attrs["device"], "cuda:3")
        info = subprocess.run([PROGRAM, "info", "flux.h5"], cwd=self.folder, text=True, capture_output=True, timeout=60)
        self.assertIn("cuda:3", info.stdout)

    def test_a_series_on_all_devices_of_one_process(self):
        fingerprints = {}
        for device in ("cpu", "cuda"):
            self.trace(device, "series.yaml", *SMALL, "--set", "tracing.rays_per_heliostat=32", output=f"{device}.h5", devices=3)
            with h5py.File(self.folder / f"{device}.h5") as file:
                fingerprints[device] = file["series/fingerprint"][()].tolist()
        self.assertEqual(fingerprints["cuda"], fingerprints["cpu"])

    def receiver_config(self, receiver):
        """A configuration in which the heliostats of the quickstart aim at a receiver of several surfaces."""
        text = (SOURCE / "configs/quickstart.yaml").read_text().replace("juelich.h5", str(SOURCE / "configs/juelich.h5"))
        text = text.replace("target: multi_focus_tower", "target: crown")
        config = self.folder / "crown.yaml"
        config.write_text(text + f"receivers: {{crown: {{center_m: [-17.6, -2.7, 52], {receiver}}}}}\n")
        return config

    def test_receivers_of_several_surfaces(self):
        for receiver in ("type: polygon, panels: 12, radius_m: 2, height_m: 4, shield_height_m: 1",
                         "type: cavity, panels: 7, radius_m: 3, height_m: 5",
                         "type: cavity, panels: 7, radius_m: 3, height_m: 5, absorptance: 0.6, bounces: 3",
                         "type: cavity, panels: 7, radius_m: 3, height_m: 5, absorptance: 0.9, absorptance_law: duffie_beckman, bounces: 2"):
            with self.subTest(receiver=receiver):
                config = self.receiver_config(receiver)
                on_cpu = self.trace("cpu", config, *SMALL)
                on_device = self.trace("auto", config, *SMALL)
                self.assertEqual((on_device["device"], on_device["fingerprint"]), ("cuda:0", on_cpu["fingerprint"]))
                self.assertGreater(on_cpu["energy"]["target_power"], 0)
                self.assertEqual(on_device["energy"], on_cpu["energy"])

    def test_meshes(self):
        columns, rows = 16, 10
        lines = []
        for row in range(rows + 1):
            for column in range(columns):
                turn, polar = 2 * math.pi * column / columns, math.pi * (0.04 + 0.92 * row / rows)
                across = 2.5 * math.sin(polar)
                lines.append(f"v {across * math.cos(turn)} {across * math.sin(turn)} {-2.5 * math.cos(polar)}")
        for row in range(rows):
            for column in range(columns):
                a, b = row * columns + column + 1, row * columns + (column + 1) % columns + 1
                lines.append(f"f {a} {b} {b + columns} {a + columns}")
        (self.folder / "ball.obj").write_text("\n".join(lines) + "\n")
        surfaces = ("{name: ball, type: mesh, file: ball.obj}, {name: small, type: mesh, file: ball.obj, unit_m: 0.3, center_m: [3, 1, 1], "
                    "front: both}, {name: back, type: plane, center_m: [0, -3, 0], normal: [0, 1, 0], width_m: 8, height_m: 8}")
        for optics in ("", ", absorptance: 0.6, bounces: 3"):
            with self.subTest(optics=optics):
                config = self.receiver_config(f"type: surfaces, surfaces: [{surfaces}]{optics}")
                on_cpu = self.trace("cpu", config, *SMALL)
                self.assertGreater(on_cpu["energy"]["target_power"], 0)
                for devices, names in ((1, "cuda:0"), (2, "cuda:0,1")):
                    on_device = self.trace("auto", config, *SMALL, devices=devices)
                    self.assertEqual((on_device["device"], on_device["fingerprint"]), (names, on_cpu["fingerprint"]))
                    self.assertEqual(on_device["energy"], on_cpu["energy"])
        # The meshes stay on the device while the sun moves.
        (self.folder / "suns.csv").write_text("azimuth_deg,elevation_deg,dni_w_m2\n170,40,800\n190,40,800\n")
        text = config.read_text().replace("azimuth_deg: 180.0 ", "file: suns.csv ")
        config.write_text("".join(line for line in text.splitlines(True) if "elevation_deg" not in line and "dni_w_m2" not in line))
        fingerprints = {}
        for device in ("cpu", "cuda"):
            self.trace(device, config, *SMALL, output=f"{device}.h5")
            with h5py.File(self.folder / f"{device}.h5") as file:
                fingerprints[device] = file["series/fingerprint"][()].tolist()
        self.assertEqual(fingerprints["cuda"], fingerprints["cpu"])
        self.assertEqual(len(set(fingerprints["cpu"])), 2)

    def test_one_device_for_each_rank_of_a_list(self):
        on_cpu = self.trace("cpu", "quickstart.yaml", *SMALL)
        for ranks in ("2", "auto"):
            found = self.trace("cuda:1,3", "quickstart.yaml", *SMALL, "--ranks", ranks, devices=4)
            self.assertEqual((found["world_size"], found["backend"], found["device"], found["fingerprint"]),
                             (2, "nccl", "cuda:1", on_cpu["fingerprint"]))

    def test_devices_that_do_not_exist_are_refused(self):
        for device, text in (("cuda:7", "there is no device cuda:7 (2 CUDA device(s) present, counted from 0)"),
                             ("cuda:0,2", "there is no device cuda:2"), ("cuda:1,1", "'cuda:1,1' is not a device"),
                             ("cuda:", "'cuda:' is not a device")):
            with self.subTest(device):
                done = self.run_program(device, "quickstart.yaml", *SMALL, devices=2)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(text, done.stderr)

    def test_a_device_that_fails_is_named(self):
        for fault, text in (("memory:2", "cuda:2: CUDA: device memory: out of memory; leave it out with device: cuda:0,1"),
                            ("launch:1", "cuda:1: CUDA: trace: unspecified launch failure; leave it out with device: cuda:0,2")):
            with self.subTest(fault):
                os.environ["HELIORAY_EMULATED_FAULT"] = fault
                try:
                    done = self.run_program("cuda", "quickstart.yaml", *SMALL, "--set", "tracing.rays_per_heliostat=65536", devices=3)
                finally:
                    del os.environ["HELIORAY_EMULATED_FAULT"]
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertEqual(done.stderr.count("CUDA:"), 1, done.stderr)
                self.assertIn(text, done.stderr)
                self.assertFalse((self.folder / "flux.h5").exists())

    def test_an_interrupted_run_on_all_devices_continues(self):
        arguments = [*SMALL, "--set", "tracing.rays_per_heliostat=3e5", "--set", "output.checkpoint_minutes=0.0001"]
        on_cpu = self.trace("cpu", "quickstart.yaml", *arguments, output="cpu.h5")
        env = {**os.environ, "HELIORAY_MODULES": str(self.modules), "LD_LIBRARY_PATH": str(EMULATED), "HELIORAY_EMULATED_DEVICES": "2"}
        run = subprocess.Popen([PROGRAM, "raytrace", SOURCE / "configs/quickstart.yaml", "--json", "--device", "cuda", "-o", "flux.h5", "--image",
                                "flux.png", *arguments], cwd=self.folder, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while run.poll() is None and not any(self.folder.glob("flux.h5.parts/work_*.sums")):
            time.sleep(0.02)
        run.send_signal(signal.SIGTERM)
        output, errors = run.communicate(timeout=280)
        self.assertIn(run.returncode, (0, 143), errors)
        if run.returncode == 143:
            continued = self.trace("cuda", "quickstart.yaml", *arguments, devices=3)
            self.assertEqual(continued["fingerprint"], on_cpu["fingerprint"])
        else:
            self.assertEqual(json.loads(output)["fingerprint"], on_cpu["fingerprint"])

    def test_ranks_share_the_rays(self):
        on_cpu = self.trace("cpu", "quickstart.yaml", *SMALL)
        on_device = self.trace("cuda", "quickstart.yaml", *SMALL, "--ranks", "2", "--set", "distributed.backend=gloo")
        self.assertEqual(on_device["world_size"], 2)
        self.assertEqual(on_device["fingerprint"], on_cpu["fingerprint"])

    def test_ranks_with_a_device_each_add_up_on_the_devices(self):
        on_cpu = self.trace("cpu", "quickstart.yaml", *SMALL)
        on_devices = self.trace("cuda", "quickstart.yaml", *SMALL, "--ranks", "2", devices=2)
        self.assertEqual(on_devices["backend"], "nccl")
        self.assertEqual(on_devices["fingerprint"], on_cpu["fingerprint"])
        self.assertEqual(on_devices["rays"], on_cpu["rays"])
        # All sums of four targets, two for each pixel, and of three heliostats, once on each rank.
        sums = self.sums_by_nccl()
        self.assertEqual(len(sums), 2)
        self.assertGreater(min(sums), 2 * 24 * 24 * 8)

    def test_interim_sums_stay_on_the_devices(self):
        arguments = [*SMALL, "--set", "tracing.rays_per_heliostat=4096", "--set", "tracing.relative_error=0.01"]
        on_cpu = self.trace("cpu", "quickstart.yaml", *arguments)
        on_devices = self.trace("cuda", "quickstart.yaml", *arguments, "--ranks", "3", devices=3)
        self.assertEqual(on_devices["fingerprint"], on_cpu["fingerprint"])
        self.assertEqual(on_devices["rays"], on_cpu["rays"])
        sums = self.sums_by_nccl()
        self.assertGreater(len(sums), 3)
        self.assertLess(min(sums), 1000)  # energies of three heliostats, without maps

    def test_ranks_that_share_a_device_add_up_on_the_host(self):
        on_cpu = self.trace("cpu", "quickstart.yaml", *SMALL)
        # Local rank modulo number of devices: ranks 0 and 2 share one.
        shared = self.trace("cuda", "quickstart.yaml", *SMALL, "--ranks", "3", devices=2)
        self.assertEqual(shared["backend"], "gloo")
        self.assertEqual(shared["fingerprint"], on_cpu["fingerprint"])
        self.assertEqual(self.sums_by_nccl(), [])
        refused = self.run_program("cuda", "quickstart.yaml", *SMALL, "--ranks", "3", "--set", "distributed.backend=nccl", devices=2)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("use the same GPU, which NCCL refuses", refused.stderr)

    def test_doctor_says_where_sums_are_added(self):
        for devices, text in ((1, "gloo (2 ranks on this machine share 1 CUDA device(s)"), (2, "nccl (sums are added on the CUDA devices")):
            env = {**os.environ, "HELIORAY_MODULES": str(self.modules), "LD_LIBRARY_PATH": str(EMULATED),
                   "HELIORAY_EMULATED_DEVICES": str(devices), "RANK": "0", "WORLD_SIZE": "2", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "2",
                   "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500"}
            done = subprocess.run([PROGRAM, "doctor"], env=env, text=True, capture_output=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(text, done.stdout)

    def test_nccl_that_hangs_or_fails_is_one_message(self):
        for fault, text in (("hang_start", "connecting the group did not end within 1"), ("hang_call", "all_reduce did not end within 1"),
                            ("fail_call", "unhandled system error"), ("fail_later", "remote process exited"),
                            ("hang_end", "closing the group did not end within 1")):
            with self.subTest(fault):
                done = self.run_program("cuda", "quickstart.yaml", *SMALL, "--ranks", "2", "--set", "distributed.timeout_s=1", devices=2,
                                        fault=fault)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(text, done.stderr)
                self.assertNotIn("terminate", done.stderr)

    def test_the_script_for_several_gpus(self):
        wrapper = self.folder / "helioray"
        wrapper.write_text(f'#!/bin/sh\nexec "{PROGRAM}" "$@" {" ".join(SMALL[2:])}\n')
        wrapper.chmod(0o755)
        env = {**os.environ, "HELIORAY_MODULES": str(self.modules), "LD_LIBRARY_PATH": str(EMULATED), "HELIORAY_EMULATED_DEVICES": "2",
               "HELIORAY_GPU_RAYS": "512", "HELIORAY_GPU_LONG_RAYS": "1e9", "OUT": str(self.folder)}
        done = subprocess.run([SOURCE / "scripts/gpu_ranks", wrapper], cwd=self.folder, env=env, text=True, capture_output=True, timeout=280)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("FAIL", done.stdout)
        for name in ("devices_nccl", "all_devices", "rounds_all_devices", "no_device"):
            self.assertIn(f"PASS  {name}", done.stdout)
        self.assertIn("PASS  dead_rank", done.stdout)

    def test_fields_on_devices_follow_the_sun(self):
        fingerprints = {}
        for device, ranks in (("cpu", 1), ("cuda", 2)):
            output = f"{device}.h5"
            self.trace(device, "series.yaml", *SMALL, "--set", "tracing.rays_per_heliostat=32", "--ranks", str(ranks), output=output,
                       devices=ranks)
            with h5py.File(self.folder / output) as file:
                fingerprints[device] = file["series/fingerprint"][()].tolist()
        self.assertEqual(fingerprints["cuda"], fingerprints["cpu"])
        self.assertEqual(len(set(fingerprints["cpu"])), 16)
        self.assertEqual(len(self.sums_by_nccl()), 2 * 16)


if __name__ == "__main__":
    unittest.main()
