# SPDX-License-Identifier: MIT
"""What pip installs on a machine that lacks system packages, with stand-ins for the system's commands: nothing of this machine changes."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["HELIORAY_SOURCE_DIR"])
NEEDED = ["g++", "pkg-config", "libhdf5-dev", "libyaml-cpp-dev", "libfmt-dev", "nlohmann-json3-dev", "libcairo2-dev", "libpng-dev", "libssl-dev", "fonts-dejavu-core"]


class SystemPackages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.calls = self.folder / "calls"
        self.calls.touch()

    def stand_in(self, command, script):
        file = self.folder / command
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)

    def install(self, *arguments, present, user, sudo, **stand_ins):
        return self.run_here(["bash", SOURCE / "scripts/setup", "--package", *arguments], present, user, sudo, **stand_ins)

    def run_here(self, command, present, user, sudo, apt_exit_code=0, **environment):
        self.stand_in("dpkg-query", "\n".join(f"echo '{name} ii '" for name in present))
        self.stand_in("apt-get", f'echo "$@" >> {self.calls}\necho "Unpacking $2"\nexit {apt_exit_code}')
        self.stand_in("id", f"echo {user}")
        self.stand_in("sudo", f'test "$1" = -n && exit {0 if sudo else 1}\nexec "$@"')
        return subprocess.run(command, capture_output=True, text=True, timeout=60, env={
            **os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", "HELIORAY_VENV": str(self.folder / "venv"), **environment})

    def test_installs_what_is_missing(self):
        for user, sudo in ((0, False), (1000, True)):
            self.calls.write_text("")
            done = self.install("python3.11-dev", present=[name for name in NEEDED if name != "libhdf5-dev"], user=user, sudo=sudo)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual((done.stdout, done.stderr), ("", "helioray: installing system packages: libhdf5-dev python3.11-dev (a minute or two)\n"))
            self.assertEqual(self.calls.read_text().splitlines(), ["update -qq", "install -y -qq --no-install-recommends libhdf5-dev python3.11-dev"])
            self.assertFalse((self.folder / "venv").exists())

    def test_shows_the_output_of_an_installation_that_fails(self):
        done = self.install(present=NEEDED[1:], user=0, sudo=False, apt_exit_code=100)
        self.assertEqual((done.returncode, self.calls.read_text()), (1, "update -qq\n"))
        self.assertTrue(done.stderr.endswith("\nUnpacking -qq\nhelioray: exit code 100 of: apt-get update -qq\n"), done.stderr)

    def test_says_what_to_run_where_it_may_not(self):
        done = self.install(present=NEEDED[2:], user=1000, sudo=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("system packages are missing; run: sudo apt-get install g++ pkg-config\n", done.stderr)
        self.assertEqual(self.calls.read_text(), "")

    def test_leaves_a_complete_system_alone(self):
        done = self.install(present=NEEDED, user=1000, sudo=False)
        self.assertEqual((done.returncode, done.stderr, self.calls.read_text()), (0, "", ""))

    def test_pytorch_itself_is_for_torchrun_tests_and_gpus(self):
        """What pip is asked for, in an environment that has LibTorch's libraries and nothing that PyTorch needs in Python."""
        packages = self.folder / "packages"
        lines = (SOURCE / "scripts/requirements.txt").read_text().split()
        torch = lines[0]
        for line in lines:
            name, _, version = line.partition("==")
            information = packages / f"{name.replace('-', '_')}-{version}.dist-info"
            information.mkdir(parents=True)
            needs = "Requires-Dist: triton==3.6.0; platform_system == \"Linux\"\nRequires-Dist: pyyaml; extra == \"pyyaml\"\n" if name == "torch" else ""
            (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}")
        (self.folder / "venv/bin").mkdir(parents=True)
        pip = self.folder / "pip"
        python = self.folder / "venv/bin/python"
        python.write_text(f'#!/bin/sh\nif [ "$1" = -m ]; then echo "$@" >> {pip}; else PYTHONPATH={packages} exec {sys.executable} -S "$@"; fi\n')
        python.chmod(0o755)
        options = "-m pip install -q --disable-pip-version-check"
        for environment, arguments, called in (({}, (), []), ({}, ("--torch",), [f"{options} {torch}"]),
                                               ({"HELIORAY_CUDA": "ON", "CUDA_HOME": "/nowhere"}, (), [f"{options} {torch}"])):
            with self.subTest(environment=environment, arguments=arguments):
                pip.write_text("")
                self.run_here(["bash", SOURCE / "scripts/setup", *arguments], NEEDED, 0, False, **{"HELIORAY_CUDA": "OFF", "HELIORAY_TORCH_DIR": "", **environment})
                self.assertEqual(pip.read_text().splitlines(), called)
        # Without the libraries: these alone.
        shutil.rmtree(next(packages.glob("torch-*")))
        pip.write_text("")
        self.run_here(["bash", SOURCE / "scripts/setup"], NEEDED, 0, False, HELIORAY_CUDA="OFF", HELIORAY_TORCH_DIR="")
        self.assertEqual(pip.read_text().splitlines(), [f"{options} --no-deps {torch}"])

    def test_a_build_is_configured_again_once_packages_are_installed(self):
        for name in ("build", "environment"):
            (self.folder / "scripts").mkdir(exist_ok=True)
            shutil.copy(SOURCE / "scripts" / name, self.folder / "scripts")
        packages = self.folder / "venv/lib/python3.11/site-packages"
        packages.mkdir(parents=True)
        # All packages of the system count as installed at one time, whatever happens to this machine meanwhile.
        self.stand_in("stat", 'exec /usr/bin/stat -c "$2" "$4"')
        self.stand_in("cmake", f'if [ "$1" = --preset ]; then echo "$2" >> {self.calls}; touch build/$2/build.ninja; else echo "ninja: no work to do."; fi')

        def count():
            done = self.run_here(["bash", self.folder / "scripts/build"], [], 0, False, HELIORAY_TORCH_DIR="/nowhere", HELIORAY_CUDA="OFF", CUDA_HOME="")
            self.assertEqual(done.returncode, 0, done.stderr)
            return len(self.calls.read_text().splitlines())

        self.assertEqual([count(), count()], [1, 1])
        (packages / "nanobind").mkdir()
        self.assertEqual([count(), count()], [2, 2])

    def test_gloo_is_for_libtorch_alone(self):
        """What pip runs, with a stand-in for scikit-build-core."""
        (self.folder / "scikit_build_core/settings").mkdir(parents=True)
        (self.folder / "scikit_build_core/build.py").touch()
        (self.folder / "scikit_build_core/settings/skbuild_overrides.py").write_text('def strtobool(text):\n    return text.lower() not in ("", "0", "off")\n')
        code = "import package_backend, sysconfig; sysconfig.get_path = lambda name: '/nowhere'; package_backend.install_system_packages()"
        headers = f"python{sys.version_info.major}.{sys.version_info.minor}-dev"
        for value, more in (("1", " libgloo-dev"), ("ON", " libgloo-dev"), ("0", ""), ("OFF", ""), ("", "")):
            self.calls.write_text("")
            done = self.run_here([sys.executable, "-c", code], present=NEEDED, user=0, sudo=False, HELIORAY_TORCH=value, HELIORAY_SETUP="",
                                 PYTHONPATH=f"{self.folder}:{SOURCE / 'scripts'}", PYTHONDONTWRITEBYTECODE="1")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.calls.read_text().splitlines()[1:], [f"install -y -qq --no-install-recommends {headers}{more}"], value)


if __name__ == "__main__":
    unittest.main()
