# SPDX-License-Identifier: MIT
"""The source archive and the wheel of the Python package: how they are made, and whether they work for a user.

scripts/release makes them for users; the test package/test_wheel makes them from the sources as they are.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

BUILD = "build==1.6.1"  # the front end that makes source archives
FINGERPRINT = "f59d35d0fb60685d73c57d73cdfcbdf1"  # of the quickstart
LIMIT_S = 2400
# What a user of the package does, in the folder of the sources.
CALLS = """
import helioray as hr, pathlib, sys, xarray
plant = hr.generate(hr.example("field"), heliostats=12)
keys = dict(rays=1000, dni=1000, bitmap={"width": 16, "height": 12}, device="cpu")
run = hr.trace(plant, sun=(180, 45), **keys)
assert (run.heliostats["target_power"] > 0).any() and len(plant.heliostats) == 12
series = hr.trace_series(plant, {"azimuth": [150, 180], "elevation": [35, 50]}, **keys)
assert len(series) == 2
file = pathlib.Path(sys.argv[1], "run.h5")
run.write(file)
assert xarray.open_dataset(file, engine="helioray").attrs["fingerprint"] == run.fingerprint
"""
RANKS = """
import helioray as hr, sys
run = hr.trace("configs/quickstart.yaml", ranks=True, device="cpu")
print(run.fingerprint, run.provenance["world_size"], "torch" in sys.modules)
"""
ARTIST = """
import helioray as hr
run = hr.trace(hr.read("configs/juelich.h5"), sun=(180, 45), sun_shape=hr.Gaussian(2), target="multi_focus_tower", model="artist",
               artist={"surface_points_per_facet": [4, 4], "rays_per_point": 2}, bitmap={"width": 32, "height": 32})
assert run.array().sum() > 0
"""
GRADIENTS = """
import helioray as hr, helioray.torch
field = helioray.torch.Field(hr.generate("configs/field.yaml", heliostats=4), sun=(180, 45), parameters="optics", rays=1e4, device="cpu")
field.power(field()[0]).sum().backward()
assert field.optics.grad[0] > 0
"""


class Failure(Exception):
    """A command failed, or something is not as users need it."""


def environment_of(source, **variables):
    """For commands that find nothing but what is installed."""
    own = ("PYTHONPATH", "HELIORAY_TORCH", "HELIORAY_TORCH_DIR", "HELIORAY_MODULES", "HELIORAY_WHEEL_LIBRARIES")
    environment = {name: value for name, value in os.environ.items() if name not in own} | variables
    # With paths relative to the tree, the compiler cache knows its objects wherever the tree lies. It tells compilers apart by their
    # name, which other builds take from CMake and not, as scikit-build-core, from Python.
    environment["CCACHE_BASEDIR"] = str(source)
    environment.setdefault("CXX", "c++")
    return environment


def run(*command, cwd, source, **variables):
    """Runs a command. source: the tree that it compiles. variables: of its environment."""
    return subprocess.run([*map(str, command)], cwd=cwd, env=environment_of(source, **variables), capture_output=True, text=True, timeout=LIMIT_S)


def succeed(*command, cwd, source, **variables):
    """What a command prints. Throws Failure where it does not end well."""
    done = run(*command, cwd=cwd, source=source, **variables)
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{(done.stdout + done.stderr)[-4000:]}")
    return done.stdout


def versions(root):
    """The version by the place that states it. CMakeLists.txt is the source: program, libraries and package take it from there."""
    def found(file, pattern):
        match = re.search(pattern, (root / file).read_text(), re.MULTILINE)
        return match[1] if match else "none"
    return {"CMakeLists.txt": found("CMakeLists.txt", r"^project\(helioray VERSION ([0-9.]+)"),
            "CITATION.cff": found("CITATION.cff", r"^version: (\S+)"),
            "CHANGELOG.md": found("CHANGELOG.md", r"^## \[([0-9.]+)\]")}


def dates(root):
    """The day of the release by the place that states it."""
    cited = re.search(r"^date-released: (\S+)", (root / "CITATION.cff").read_text(), re.MULTILINE)
    listed = re.search(r"^## \[[0-9.]+\] - (\S+)", (root / "CHANGELOG.md").read_text(), re.MULTILINE)
    return {"CITATION.cff": cited[1] if cited else "none", "CHANGELOG.md": listed[1] if listed else "none"}


def torch_versions(root):
    """The pinned version of PyTorch by the place that states it. scripts/requirements.txt is the source."""
    package = re.findall(r"torch==([0-9.]+)", (root / "pyproject.toml").read_text())
    return {"scripts/requirements.txt": re.search(r"^torch==(\S+)", (root / "scripts/requirements.txt").read_text(), re.MULTILINE)[1],
            "pyproject.toml": " and ".join(sorted(set(package)))}


def installed_torch(root):
    """The PyTorch that scripts/setup has installed, or HELIORAY_TORCH_DIR; None where there is none."""
    environment = pathlib.Path(os.environ.get("HELIORAY_VENV") or root / ".venv")
    named = os.environ.get("HELIORAY_TORCH_DIR")
    folders = [pathlib.Path(named)] if named else environment.glob("lib/python3*/site-packages/torch")
    return next((folder for folder in folders if (folder / "include").is_dir()), None)


def the_one(facts, what):
    """The value that all places state. Throws Failure where they differ."""
    if len(set(facts.values())) != 1:
        raise Failure(f"{what}: " + ", ".join(f"{value} in {place}" for place, value in facts.items()))
    return next(iter(facts.values()))


class Package:
    """A source archive and wheels in the making, in a folder of their own that is emptied first."""

    def __init__(self, work):
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        self.work = work
        self.tree = work  # of the sources that are compiled, once they are there
        self.wheels = []

    def environment(self, name, *packages, python=sys.executable, **variables):
        """The interpreter of a new virtual environment with these packages."""
        succeed(python, "-m", "venv", self.work / name, cwd=self.work, source=self.tree)
        python = self.work / name / "bin/python"
        if packages:
            succeed(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages, cwd=self.work, source=self.tree, **variables)
        return python

    def make_archive(self, source):
        """Writes the source archive of a tree and unpacks it: what it lacks, the wheel will miss."""
        builder = self.environment("builder", BUILD)
        succeed(builder, "-m", "build", "--sdist", "--outdir", self.work / "dist", source, cwd=self.work, source=source)
        self.archive, = (self.work / "dist").glob("helioray-*.tar.gz")
        with tarfile.open(self.archive) as content:
            content.extractall(self.work)
        self.tree = self.work / self.archive.name.removesuffix(".tar.gz")

    def make_wheel(self, torch, commit, python=sys.executable):
        """Compiles the archive's sources with the modules that need LibTorch, and returns the wheel. torch: folder of the PyTorch whose
        LibTorch they need. commit: what the sources were taken from; an archive does not know it."""
        builder = self.environment(f"builder_{len(self.wheels)}", python=python)
        succeed(builder, "-m", "pip", "wheel", "-q", "--disable-pip-version-check", *self.build_folder(),
                f"--config-settings=cmake.define.HELIORAY_GIT_COMMIT={commit}", "--no-deps", "-w", self.work / "dist", self.tree,
                cwd=self.work, source=self.tree, HELIORAY_TORCH="1", HELIORAY_TORCH_DIR=str(torch))
        made, = set((self.work / "dist").glob("helioray-*.whl")) - set(self.wheels)
        self.wheels.append(made)
        return made

    def build_folder(self):
        """Of all builds, so that the next one compiles only what is different. It lies in the tree as other builds do: the compiler cache
        sees the same relative paths."""
        return [f"--config-settings=build-dir={self.tree}/build/wheel"]

    def draw(self, python, folder):
        """Draws the quickstart's picture with the script of tutorial 14 in a new folder."""
        (folder / "out").mkdir(parents=True)
        shutil.copytree(self.tree / "configs", folder / "configs")
        shutil.copy(self.tree / "tutorials/14_python/first_picture.py", folder)
        printed = succeed(python, "first_picture.py", cwd=folder, source=self.tree)
        if FINGERPRINT not in printed:
            raise Failure(f"the quickstart has another fingerprint than {FINGERPRINT}:\n{printed}")
        if not (folder / "out/flux.png").read_bytes().startswith(b"\x89PNG"):
            raise Failure("the picture is no PNG")

    def try_wheel(self, wheel, python=sys.executable):
        """Installs the wheel in a new environment without PyTorch, and draws the picture there. Returns the environment's interpreter."""
        user = self.environment(f"user_{wheel.name}", wheel, python=python)
        self.draw(user, self.work / f"elsewhere_{wheel.name}")
        return user

    def try_calls(self, user, wheel):
        """Plants, runs and series as tables and maps, in an environment of try_wheel() that gets the packages for them."""
        succeed(user, "-m", "pip", "install", "-q", "--disable-pip-version-check", f"{wheel}[all]", cwd=self.work, source=self.tree)
        succeed(user, "-c", CALLS, user.parent, cwd=self.tree, source=self.tree)

    def try_modules(self, user, torch):
        """What needs PyTorch, in an environment of try_wheel() that is then led to one that lies elsewhere: model artist, two processes, and
        gradients where it is for the same version of Python. Returns what was tried, in words."""
        def paths(what):
            return succeed(user, "-c", f"import sysconfig; print({what})", cwd=self.work, source=self.tree).strip()

        site = pathlib.Path(paths("sysconfig.get_path('purelib')"))
        # As if pip had installed it there.
        for name in ("torch", "nvidia"):
            if (torch.parent / name).exists():
                (site / name).symlink_to(torch.parent / name)
        store = {"HELIORAY_STORE": f"file://{site / 'store'}", "WORLD_SIZE": "2"}
        ranks = [subprocess.Popen([user, "-c", RANKS], cwd=self.tree, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  env=environment_of(self.tree, RANK=str(rank), **store)) for rank in range(2)]
        said = [rank.communicate(timeout=LIMIT_S)[0] for rank in ranks]
        if said != [f"{FINGERPRINT} 2 False\n"] * 2:
            raise Failure("two processes do not have the quickstart's fingerprint:\n" + "\n".join(said))
        succeed(user, "-c", ARTIST, cwd=self.tree, source=self.tree)
        suffix = paths("sysconfig.get_config_var('EXT_SUFFIX')")
        if not (torch / f"_C{suffix}").exists():
            return "model artist, two processes"
        # In another folder of packages, which sees those that PyTorch needs.
        for name in ("torch", "nvidia"):
            (site / name).unlink(missing_ok=True)
        (site / "elsewhere.pth").write_text(f"{torch.parent}\n")
        for code in (GRADIENTS, ARTIST):
            succeed(user, "-c", code, cwd=self.tree, source=self.tree)
        return "model artist, two processes, gradients"

    def check_versions(self, user, wheel):
        """Whether archive, wheel, package and the files of the tree have one version, which it returns."""
        stated = versions(self.tree)
        stated["the source archive's name"] = self.archive.name.removeprefix("helioray-").removesuffix(".tar.gz")
        stated["the wheel's name"] = wheel.name.split("-")[1]
        stated["helioray.__version__"] = succeed(user, "-c", "import helioray; print(helioray.__version__)", cwd=self.work,
                                                 source=self.tree).strip()
        return the_one(stated, "versions differ")
