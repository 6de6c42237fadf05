# SPDX-License-Identifier: MIT
"""The Python package as a user installs it: pip install in a fresh copy and a fresh virtual environment, and its wheel in another folder,
where the script of tutorial 14 draws the quickstart's picture."""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(os.environ["HELIORAY_SOURCE_DIR"])
WORK = pathlib.Path(os.environ["HELIORAY_WORK_DIR"]) / "wheel"
COPY = WORK / "helioray"
FINGERPRINT = "f59d35d0fb60685d73c57d73cdfcbdf1"
LIMIT_S = 1500


def run(*command, cwd=WORK):
    # Only what is installed counts; the compiler cache finds the copy's sources wherever they lie.
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "HELIORAY_TORCH_DIR", "HELIORAY_MODULES")}
    environment.setdefault("CCACHE_BASEDIR", str(SOURCE))
    environment["CCACHE_NOHASHDIR"] = "1"
    return subprocess.run([*map(str, command)], cwd=cwd, env=environment, capture_output=True, text=True, timeout=LIMIT_S)


def virtual_environment(name):
    subprocess.run([sys.executable, "-m", "venv", WORK / name], check=True)
    return WORK / name / "bin/python"


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(WORK, ignore_errors=True)
        WORK.mkdir(parents=True)
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=SOURCE, capture_output=True, text=True)
        if listed.returncode != 0:
            raise unittest.SkipTest(f"{SOURCE} is not a git checkout")
        for name in filter(None, listed.stdout.split("\0")):
            if (SOURCE / name).is_file():
                (COPY / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(SOURCE / name, COPY / name)

    def succeed(self, *command, **options):
        done = run(*command, **options)
        self.assertEqual(done.returncode, 0, (done.stdout + done.stderr)[-4000:])
        return done.stdout

    def draw(self, python, folder):
        """Runs the tutorial's script in a folder that has nothing but the configurations."""
        (folder / "out").mkdir(parents=True)
        shutil.copytree(COPY / "configs", folder / "configs")
        shutil.copy(COPY / "tutorials/14_python/first_picture.py", folder)
        self.assertIn(FINGERPRINT, self.succeed(python, "first_picture.py", cwd=folder))
        self.assertTrue((folder / "out/flux.png").read_bytes().startswith(b"\x89PNG"))

    def test_install_and_wheel(self):
        python = virtual_environment("v")
        reachable = run(python, "-m", "pip", "download", "-q", "--no-deps", "-d", WORK / "probe", "nanobind==3.1.0")
        if reachable.returncode != 0:
            self.skipTest("pip reaches no package index: " + reachable.stderr.strip()[-200:])
        # A folder of the copy's own for the build, so that the compiler cache sees the same relative paths as in other build trees.
        options = ("-q", "--disable-pip-version-check", f"--config-settings=build-dir={COPY}/build/wheel")
        self.succeed(python, "-m", "pip", "install", *options, COPY)
        self.draw(python, WORK / "installed")
        self.assertNotIn("torch", self.succeed(python, "-m", "pip", "list"))
        self.succeed(python, "-m", "pip", "wheel", *options, "--no-deps", "-w", WORK / "dist", COPY)
        wheel, = (WORK / "dist").glob("helioray-*.whl")
        other = virtual_environment("other")
        self.succeed(other, "-m", "pip", "install", "-q", "--disable-pip-version-check", wheel)
        shutil.rmtree(COPY / "build")
        self.draw(other, WORK / "elsewhere")
        listed = self.succeed(other, "-m", "pip", "show", "-f", "helioray")
        self.assertIn("helioray/_core.pyi", listed)
        self.assertIn("helioray/py.typed", listed)
        self.assertNotIn("CMakeLists", listed)
        # The package says what it lacks.
        lacking = run(other, "-c", "import helioray as hr; hr.read('configs/juelich.h5').heliostats", cwd=WORK / "elsewhere")
        self.assertIn("plant.heliostats needs pandas", lacking.stderr)


if __name__ == "__main__":
    unittest.main()
