# SPDX-License-Identifier: MIT
"""The Python package as a user meets it: its source archive, the wheel that is compiled from it, and pip install, in new virtual
environments; the script of tutorial 14 draws the quickstart's picture. scripts/release makes its files in the same way."""

import importlib.metadata
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(os.environ["HELIORAY_SOURCE_DIR"])
WORK = pathlib.Path(os.environ["HELIORAY_WORK_DIR"])
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "scripts"))
import python_package as package  # noqa: E402


def copy_of_sources(folder):
    """All files that git lists or would list, as they are now."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=SOURCE, capture_output=True, text=True)
    if listed.returncode != 0:
        raise unittest.SkipTest(f"{SOURCE} is not a git checkout")
    for name in filter(None, listed.stdout.split("\0")):
        if (SOURCE / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(SOURCE / name, folder / name)


def listed_files(made, python):
    """What pip has installed of the package."""
    return package.succeed(python, "-m", "pip", "show", "-f", "helioray", cwd=made.work, source=made.tree)


class Wheel(unittest.TestCase):
    def test_archive_wheel_and_install(self):
        torch = package.installed_torch(SOURCE)
        self.assertIsNotNone(torch, "HELIORAY_TORCH_DIR names no LibTorch")
        made = package.Package(WORK / "wheel")
        copy_of_sources(WORK / "wheel/copy")
        try:
            made.make_archive(WORK / "wheel/copy")
        except package.Failure as failure:
            if "No matching distribution found" in str(failure) or "Could not find a version" in str(failure):
                self.skipTest("pip reaches no package index")
            raise
        wheel = made.make_wheel(torch, "0123456789ab")
        # While its build is there, pip install . costs no second compile.
        installed = made.environment("installed", *made.build_folder(), made.tree)
        # Both work far from the build.
        shutil.rmtree(made.tree / "build")
        made.draw(installed, made.work / "by_pip_install")
        user = made.try_wheel(wheel)
        self.assertEqual(made.check_versions(user, wheel), package.versions(SOURCE)["CMakeLists.txt"])

        def said(python, code):
            return package.succeed(python, "-c", code, cwd=made.tree, source=made.tree).strip()

        commit = "import helioray; print(helioray._core.git_commit)"
        self.assertEqual(said(user, commit), "0123456789ab")
        self.assertEqual(said(installed, "import helioray; print(helioray.__version__)"), made.check_versions(user, wheel))
        for python, version in ((installed, ""), (user, package.torch_versions(SOURCE)["scripts/requirements.txt"])):
            self.assertNotIn("torch", package.succeed(python, "-m", "pip", "list", cwd=WORK, source=made.tree))
            self.assertEqual(said(python, "import helioray; print(helioray._core.torch_version)"), version)
            listed = listed_files(made, python)
            self.assertIn("helioray/_core.pyi", listed)
            self.assertIn("helioray/py.typed", listed)
            self.assertIn("helioray/examples/juelich.h5", listed)
            self.assertIn("helioray/_input/typed_keys.py", listed)
            self.assertNotIn("CMakeLists", listed)
            self.assertEqual([f"libhelioray_{name}.so" in listed for name in ("artist", "ranks", "torch")], [bool(version)] * 3)
        # The package says what it lacks.
        for python, code, text in ((user, "import helioray as hr; hr.read('configs/juelich.h5').heliostats", "plant.heliostats needs pandas"),
                                   (user, package.ARTIST, f"pip install torch=={version}"), (user, package.GRADIENTS, f"pip install torch=={version}"),
                                   (installed, package.ARTIST, "HELIORAY_TORCH=1 pip install"), (installed, package.GRADIENTS, "HELIORAY_TORCH=1 pip install")):
            self.assertIn(text, package.run(python, "-c", code, cwd=made.tree, source=made.tree).stderr.strip().split("\n")[-1])
        self.assertIn("gradients", made.try_modules(user, torch))

    def test_libtorch_of_the_python_that_builds(self):
        """As pip fetches PyTorch for the build, where HELIORAY_TORCH_DIR names none."""
        lacking = [name for name in ("torch", "nanobind") if importlib.util.find_spec(name) is None]
        if lacking:
            self.skipTest(f"{sys.executable} has no {', '.join(lacking)}")
        shutil.rmtree(WORK / "configured", ignore_errors=True)

        def configure(*options):
            return package.run(os.environ["HELIORAY_CMAKE"], "-G", "Ninja", "-S", SOURCE, "-B", WORK / "configured", "-DHELIORAY_ONLY_PYTHON=ON",
                               f"-DPython_EXECUTABLE={sys.executable}", *options, cwd=WORK, source=SOURCE)

        done = configure()
        self.assertEqual(done.returncode, 0, done.stderr)
        version = (WORK / "configured/generated/helioray/version.h").read_text()
        self.assertIn(f'kTorchVersion = "{importlib.metadata.version("torch").split("+")[0]}"', version)
        done = configure("-DHELIORAY_TORCH_DIR=/nowhere")
        self.assertEqual(done.returncode, 1)
        self.assertIn("LibTorch was not found in HELIORAY_TORCH_DIR='/nowhere'", done.stderr)
        # The program can do without, the tests cannot.
        self.assertIn("tests and tutorials need LibTorch", " ".join(configure("-DHELIORAY_ONLY_PYTHON=OFF", "-DHELIORAY_WITHOUT_TORCH=ON").stderr.split()))


if __name__ == "__main__":
    unittest.main()
