# SPDX-License-Identifier: MIT
"""The installed tree: moved to another folder, its program runs, a project finds and links its libraries, Python loads its
operators."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

BUILD = pathlib.Path(os.environ["HELIORAY_BUILD_DIR"])
SOURCE = pathlib.Path(os.environ["HELIORAY_SOURCE_DIR"])
WORK = pathlib.Path(os.environ["HELIORAY_WORK_DIR"])
CMAKE = os.environ["HELIORAY_CMAKE"]
PREFIX = WORK / "prefix"

OPERATORS = """\
import sys, torch
torch.ops.load_library(sys.argv[1])
flat = torch.zeros(1, 16, dtype=torch.float64)
sun, aim = torch.tensor([0., -1, 0], dtype=torch.float64), torch.tensor([[0., 0, 50]], dtype=torch.float64)
print(torch.ops.helioray.align(flat, sun, aim)[0, :3, 2].tolist())
"""


def clean_environment(**more):
    return {**{k: v for k, v in os.environ.items() if k not in ("LD_LIBRARY_PATH", "HELIORAY_TORCH_DIR")}, **more}


def run(*command, cwd=WORK, **environment):
    return subprocess.run([*map(str, command)], cwd=cwd, text=True, capture_output=True, env=clean_environment(**environment))


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(WORK, ignore_errors=True)
        WORK.mkdir(parents=True)
        installed = run(CMAKE, "--install", BUILD, "--prefix", WORK / "installed")
        if installed.returncode != 0:
            raise RuntimeError(f"cmake --install failed (it needs a full build):\n{installed.stderr[-3000:]}")
        # Nothing may depend on where the tree was installed first.
        (WORK / "installed").rename(PREFIX)

    def succeed(self, *command, **options):
        done = run(*command, **options)
        self.assertEqual(done.returncode, 0, (done.stdout + done.stderr)[-4000:])
        return done.stdout

    def configure(self, name, *options):
        return run(CMAKE, "-G", "Ninja", "-S", SOURCE / "tests/package/consumer", "-B", WORK / name, f"-DCMAKE_PREFIX_PATH={PREFIX}",
                   f"-DCMAKE_CXX_COMPILER={os.environ['HELIORAY_COMPILER']}",
                   f"-DCMAKE_CXX_COMPILER_LAUNCHER={os.environ.get('HELIORAY_CCACHE', '')}", *options)

    def test_program_runs(self):
        program = PREFIX / "bin/helioray"
        out = json.loads(self.succeed(program, "raytrace", PREFIX / "share/helioray/configs/quickstart.yaml", "--json", "--set",
                                      "tracing.rays_per_heliostat=1e4", "-o", "flux.h5", "--image", "flux.svg", "--device", "cpu"))
        self.assertGreater(out["rays_per_second"], 0)
        self.assertIn(out["fingerprint"], self.succeed(program, "info", "flux.h5"))

    def test_modules_are_found(self):
        doctor = self.succeed(PREFIX / "bin/helioray", "doctor")
        for use in ("several ranks", "model artist"):
            self.assertRegex(doctor, use + r" +ready")
        config = PREFIX / "share/helioray/configs/quickstart.yaml"
        small = ("--json", "--set", "tracing.rays_per_heliostat=1e4", "-o", "flux.h5", "--image", "flux.svg", "--device", "cpu")
        one = json.loads(self.succeed(PREFIX / "bin/helioray", "raytrace", config, *small))
        two = json.loads(self.succeed(PREFIX / "bin/helioray", "raytrace", config, *small, "--ranks", "2"))
        self.assertEqual(one["fingerprint"], two["fingerprint"])
        (WORK / "artist.yaml").write_text(f"scenario: {SOURCE / 'configs/juelich.h5'}\nsun: {{incident_direction: [0, 0.7, -0.7], shape: "
                                          "{type: gaussian, sigma_mrad: 2.0}}\naim: {target: multi_focus_tower}\ntracing: {model: artist}\n"
                                          "artist: {surface_points_per_facet: [4, 4], rays_per_point: 2}\noutput: {file: artist.h5}\n")
        self.succeed(PREFIX / "bin/helioray", "raytrace", "artist.yaml")

    def test_files_beside_the_program(self):
        self.assertIn("complete -F _helioray helioray",
                      (PREFIX / "share/bash-completion/completions/helioray").read_text())
        self.assertTrue((PREFIX / "share/zsh/site-functions/_helioray").read_text().startswith("#compdef helioray"))
        self.assertIn("complete -c helioray", (PREFIX / "share/fish/vendor_completions.d/helioray.fish").read_text())
        page = (PREFIX / "share/man/man1/helioray.1").read_text()
        self.assertNotIn("@", page)
        self.assertIn(".TH HELIORAY 1", page)

    def test_headers_include_only_installed_ones(self):
        root = PREFIX / "include/helioray"
        headers = sorted(root.rglob("*.h"))
        listed = [line for line in (SOURCE / "cmake/public_headers.txt").read_text().splitlines() if not line.startswith("#")]
        self.assertEqual(sorted([*listed, "helioray/version.h"]), sorted(h.relative_to(root).as_posix() for h in headers))
        for header in headers:
            for name in re.findall(r'^\s*#\s*include "([^"]+)"', header.read_text(), re.M):
                self.assertTrue((root / name).is_file(), f"{header.relative_to(root)} includes {name}")

    def test_a_project_uses_the_libraries(self):
        configured = self.configure("consumer", "-DCMAKE_BUILD_TYPE=Release")
        self.assertEqual(configured.returncode, 0, configured.stderr[-4000:])
        self.succeed(CMAKE, "--build", WORK / "consumer")
        out = self.succeed(WORK / "consumer/flux", SOURCE / "configs/juelich.h5", WORK / "flux.png")
        power = float(re.search(r"multi_focus_tower (\S+)", out)[1])
        self.assertIn("rank 0 of 1", out)
        self.assertEqual((WORK / "flux.png").read_bytes()[1:4], b"PNG")
        by_the_program = self.run_by_the_program()
        self.assertAlmostEqual(power, by_the_program["targets"]["multi_focus_tower"]["power_w"], delta=1e-9 * power)
        for size in (1, 2):
            self.assertEqual(self.trace_on_ranks(size), f"fingerprint {by_the_program['fingerprint']} ranks {size}\n")
        # The bisector of south and up.
        self.assertEqual(self.succeed(WORK / "consumer/align").split(), ["normal", "0.000000", "-0.707107", "0.707107"])

        # The installed headers suffice for a field that follows changes.
        self.assertIn("all at their first aim points", self.succeed(WORK / "consumer/live_field", SOURCE / "configs/quickstart.yaml"))

    def test_a_project_without_libtorch(self):
        configured = self.configure("in_memory", "-DONLY_RUN=ON", "-DHELIORAY_TORCH_DIR=/nonexistent", "-DCMAKE_BUILD_TYPE=Release")
        self.assertEqual(configured.returncode, 0, configured.stderr[-4000:])
        self.succeed(CMAKE, "--build", WORK / "in_memory")
        power = self.run_by_the_program()["targets"]["multi_focus_tower"]["power_w"]
        whole, half = map(float, self.succeed(WORK / "in_memory/in_memory", WORK / "flux.yaml").split())
        self.assertEqual(whole, power)
        self.assertTrue(0.0 < half < whole)
        refused = self.configure("unknown", "-DCMAKE_BUILD_TYPE=Release", "-DCOMPONENT=operator")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("HelioRay has no component 'operator'; use kernels, files,", " ".join(refused.stderr.split()))

    def test_every_target_is_documented(self):
        targets = (PREFIX / "lib/cmake/helioray/helioray-targets.cmake").read_text()
        installed = set(re.findall(r"^add_library\(helioray::(\w+)", targets, re.M))
        table = (SOURCE / "cmake/README.md").read_text()
        self.assertEqual(installed, set(re.findall(r"^\| `helioray::(\w+)` \|", table, re.M)))

    def trace_on_ranks(self, size):
        """What rank 0 of consumer/ranks.cpp prints for the configuration of run_by_the_program."""
        common = dict(HELIORAY_STORE=f"file://{WORK / 'store'}{size}", WORLD_SIZE=str(size))
        ranks = [subprocess.Popen([WORK / "consumer/ranks", WORK / "flux.yaml"], cwd=WORK, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, env=clean_environment(RANK=str(rank), **common)) for rank in range(size)]
        said = [rank.communicate(timeout=60) for rank in ranks]
        self.assertEqual([rank.returncode for rank in ranks], [0] * size, said)
        return "".join(out for out, _ in said)

    def run_by_the_program(self):
        """The run of consumer/flux.cpp as a configuration."""
        config = WORK / "flux.yaml"
        config.write_text(f"scenario: {SOURCE / 'configs/juelich.h5'}\n"
                          "sun: {incident_direction: [0, 0.7, -0.7], dni_w_m2: 1000, shape: {type: pillbox, half_angle_mrad: 4.65}}\n"
                          "aim: {target: multi_focus_tower}\ntracing: {rays_per_heliostat: 1e5}\noutput: {file: run.h5}\n"
                          "device: cpu\n")
        out = self.succeed(PREFIX / "bin/helioray", "raytrace", config, "--json", "--device", "cpu")
        return json.loads(out)

    def test_a_missing_libtorch_is_named(self):
        configured = self.configure("without_torch", "-DHELIORAY_TORCH_DIR=/nonexistent")
        self.assertNotEqual(configured.returncode, 0)
        self.assertIn("HELIORAY_TORCH_DIR='/nonexistent'", configured.stderr)

    def test_another_version_of_libtorch_is_refused(self):
        headers = WORK / "other_torch/include"
        for name in ("ATen/ATen.h", "torch/headeronly/version.h"):
            (headers / name).parent.mkdir(parents=True)
            (headers / name).write_text("#define TORCH_VERSION_MAJOR 2\n#define TORCH_VERSION_MINOR 9\n#define TORCH_VERSION_PATCH 1\n")
        configured = self.configure("with_other_torch", f"-DHELIORAY_TORCH_DIR={WORK / 'other_torch'}")
        self.assertNotEqual(configured.returncode, 0)
        message = " ".join(configured.stderr.split())
        self.assertRegex(message, r"built with LibTorch \d+\.\d+\.\d+, but")
        self.assertIn("holds 2.9.1", message)

    def test_python_loads_the_operators(self):
        if run(sys.executable, "-c", "import torch").returncode != 0:
            self.skipTest(f"{sys.executable} has no torch")
        normal = json.loads(self.succeed(sys.executable, "-c", OPERATORS, PREFIX / "lib/libhelioray_torch.so"))
        for value, wanted in zip(normal, (0, -(0.5**0.5), 0.5**0.5)):
            self.assertAlmostEqual(value, wanted, delta=1e-12)


if __name__ == "__main__":
    unittest.main()
