# SPDX-License-Identifier: MIT
"""What pip installs on a machine that lacks system packages, with stand-ins for the system's commands: nothing of this machine changes."""

import os
import pathlib
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

    def install(self, *arguments, present, user, sudo):
        return self.run_here(["bash", SOURCE / "scripts/setup", "--package", *arguments], present, user, sudo)

    def run_here(self, command, present, user, sudo, **environment):
        self.stand_in("dpkg-query", "\n".join(f"echo '{name} ii '" for name in present))
        self.stand_in("apt-get", f'echo "$@" >> {self.calls}')
        self.stand_in("id", f"echo {user}")
        self.stand_in("sudo", f'test "$1" = -n && exit {0 if sudo else 1}\nexec "$@"')
        return subprocess.run(command, capture_output=True, text=True, timeout=60, env={
            **os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", "HELIORAY_VENV": str(self.folder / "venv"), **environment})

    def test_installs_what_is_missing(self):
        for user, sudo in ((0, False), (1000, True)):
            self.calls.write_text("")
            done = self.install("python3.11-dev", present=[name for name in NEEDED if name != "libhdf5-dev"], user=user, sudo=sudo)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("installing system packages: libhdf5-dev python3.11-dev\n", done.stderr)
            self.assertEqual(self.calls.read_text().splitlines(), ["update -qq", "install -y -qq --no-install-recommends libhdf5-dev python3.11-dev"])
            self.assertFalse((self.folder / "venv").exists())

    def test_says_what_to_run_where_it_may_not(self):
        done = self.install(present=NEEDED[2:], user=1000, sudo=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("system packages are missing; run: sudo apt-get install g++ pkg-config\n", done.stderr)
        self.assertEqual(self.calls.read_text(), "")

    def test_leaves_a_complete_system_alone(self):
        done = self.install(present=NEEDED, user=1000, sudo=False)
        self.assertEqual((done.returncode, done.stderr, self.calls.read_text()), (0, "", ""))

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
