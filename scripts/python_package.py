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


class Failure(Exception):
    """A command failed, or something is not as users need it."""


def run(*command, cwd, source):
    """Runs a command that finds nothing but what is installed. source: the tree that it compiles."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "HELIORAY_TORCH_DIR", "HELIORAY_MODULES")}
    # With paths relative to the tree, the compiler cache knows its objects wherever the tree lies. It tells compilers apart by their
    # name, which other builds take from CMake and not, as scikit-build-core, from Python.
    environment["CCACHE_BASEDIR"] = str(source)
    environment.setdefault("CXX", "c++")
    return subprocess.run([*map(str, command)], cwd=cwd, env=environment, capture_output=True, text=True, timeout=LIMIT_S)


def succeed(*command, cwd, source):
    """What a command prints. Throws Failure where it does not end well."""
    done = run(*command, cwd=cwd, source=source)
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


def the_one(facts, what):
    """The value that all places state. Throws Failure where they differ."""
    if len(set(facts.values())) != 1:
        raise Failure(f"{what}: " + ", ".join(f"{value} in {place}" for place, value in facts.items()))
    return next(iter(facts.values()))


class Package:
    """A source archive and a wheel in the making, in a folder of their own that is emptied first."""

    def __init__(self, work, python=sys.executable):
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        self.work = work
        self.python = python
        self.tree = work  # of the sources that are compiled, once they are there

    def environment(self, name, *packages):
        """The interpreter of a new virtual environment with these packages."""
        succeed(self.python, "-m", "venv", self.work / name, cwd=self.work, source=self.tree)
        python = self.work / name / "bin/python"
        if packages:
            succeed(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages, cwd=self.work, source=self.tree)
        return python

    def make_archive(self, source):
        """Writes the source archive of a tree and unpacks it: what it lacks, the wheel will miss."""
        builder = self.environment("builder", BUILD)
        succeed(builder, "-m", "build", "--sdist", "--outdir", self.work / "dist", source, cwd=self.work, source=source)
        self.archive, = (self.work / "dist").glob("helioray-*.tar.gz")
        with tarfile.open(self.archive) as content:
            content.extractall(self.work)
        self.tree = self.work / self.archive.name.removesuffix(".tar.gz")

    def make_wheel(self, commit=""):
        """Compiles the archive's sources. commit: what they were taken from; an archive does not know it."""
        builder = self.work / "builder/bin/python"
        # A folder that lies in the tree as other builds do: the compiler cache sees the same relative paths.
        options = [f"--config-settings=build-dir={self.tree}/build/wheel"]
        if commit:
            options.append(f"--config-settings=cmake.define.HELIORAY_GIT_COMMIT={commit}")
        succeed(builder, "-m", "pip", "wheel", "-q", "--disable-pip-version-check", *options, "--no-deps", "-w", self.work / "dist", self.tree,
                cwd=self.work, source=self.tree)
        self.wheel, = (self.work / "dist").glob("helioray-*.whl")

    def try_wheel(self):
        """Installs the wheel in a new environment, far from its build, and draws the quickstart's picture with the script of tutorial 14.
        Returns the environment's interpreter and the folder."""
        shutil.rmtree(self.tree / "build", ignore_errors=True)
        user = self.environment("user", self.wheel)
        folder = self.work / "elsewhere"
        (folder / "out").mkdir(parents=True)
        shutil.copytree(self.tree / "configs", folder / "configs")
        shutil.copy(self.tree / "tutorials/14_python/first_picture.py", folder)
        printed = succeed(user, "first_picture.py", cwd=folder, source=self.tree)
        if FINGERPRINT not in printed:
            raise Failure(f"the quickstart has another fingerprint than {FINGERPRINT}:\n{printed}")
        if not (folder / "out/flux.png").read_bytes().startswith(b"\x89PNG"):
            raise Failure("the picture is no PNG")
        return user, folder

    def check_versions(self, user):
        """Whether archive, wheel, package and the files of the tree have one version, which it returns."""
        stated = versions(self.tree)
        stated["the source archive's name"] = self.archive.name.removeprefix("helioray-").removesuffix(".tar.gz")
        stated["the wheel's name"] = self.wheel.name.split("-")[1]
        stated["helioray.__version__"] = succeed(user, "-c", "import helioray; print(helioray.__version__)", cwd=self.work,
                                                 source=self.tree).strip()
        return the_one(stated, "versions differ")
