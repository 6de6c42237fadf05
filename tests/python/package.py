# SPDX-License-Identifier: MIT
"""What the tests of the Python package share: the package of the build tree, plants, the program."""

import json
import os
import pathlib
import pickle
import re
import subprocess
import sys

try:
    import helioray as hr
except ModuleNotFoundError as absent:
    print(f"SKIP: the Python package is not built ({absent}); scripts/setup --tests installs what it needs")
    sys.exit(77)

SOURCE = pathlib.Path(os.environ["HELIORAY_SOURCE_DIR"])
PROGRAM = os.environ["HELIORAY_PROGRAM"]
QUICKSTART = SOURCE / "configs/quickstart.yaml"
FINGERPRINT = "f59d35d0fb60685d73c57d73cdfcbdf1"  # of the quickstart
# A little work: everything that does not depend on many rays.
SMALL = {"rays": 1000, "bitmap": {"width": 32, "height": 24}, "device": "cpu"}


def program(*arguments, folder):
    """The object that the program prints with --json."""
    done = subprocess.run([PROGRAM, *map(str, arguments), "--json"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def refusal(*arguments, folder):
    """What the program says to bad input, without its name."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 2, (done.returncode, done.stderr)
    return "\n".join(line.removeprefix("helioray: ") for line in done.stderr.strip().splitlines())


def lasting(picture):
    """The bytes of a picture without what differs each time: the numbers by which a process counts images in SVG."""
    return re.sub(rb"\b(image|source|surface|glyph|clip|mask|pattern)-?\d[\d-]*", rb"\1", picture)


def check_pickled_fit(case, fit, folder):
    """Whether a fit shows the same after it was pickled, here and once more. case: of unittest."""
    first = pickle.loads(pickle.dumps(fit))
    for again in (first, pickle.loads(pickle.dumps(first))):
        case.assertIs(type(again), type(fit))
        case.assertEqual((again.facts, repr(again)), (fit.facts, repr(fit)))
        for ending in ("png", "svg", "PDF"):
            pictures = [lasting(one.plot(folder / f"{name}.{ending}").data) for name, one in (("a", fit), ("b", again))]
            case.assertEqual(*pictures)
            case.assertEqual(lasting((folder / f"b.{ending}").read_bytes()), pictures[0])
        for title in (None, "A title: <b> & \"more\""):
            # Without the embedded pictures.
            pages = [re.sub(r"data:image[^\"]*", "", one.report(title=title)) for one in (again, fit)]
            case.assertEqual(*pages)
        for call in (lambda: again.plot(folder / "b.gif"), lambda: fit.plot(folder / "b.gif")):
            with case.assertRaisesRegex(hr.InputError, "pictures cannot be written as '.gif'"):
                call()
        ending, other = (".csv", ".h5") if isinstance(fit, hr.Aims) else (".h5", ".csv")
        for name, one in (("a", fit), ("b", again)):
            one.write(folder / f"{name}{ending}")
            with case.assertRaisesRegex(hr.InputError, f"write: 'a{other}' does not end in {ending}"):
                one.write(f"a{other}")
    return again


def needs(*names):
    """Why a case that needs these packages is skipped; empty where it is not."""
    import importlib.util
    lacking = [name for name in names if importlib.util.find_spec(name) is None]
    return f"{sys.executable} has no {', '.join(lacking)}" if lacking else ""


def juelich():
    return hr.read(SOURCE / "configs/juelich.h5")


def small_field(heliostats=20):
    return hr.generate(SOURCE / "configs/field.yaml", heliostats=heliostats)
