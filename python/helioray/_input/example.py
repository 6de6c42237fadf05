# SPDX-License-Identifier: MIT
"""Plants and configurations that come with the package."""

from __future__ import annotations

from pathlib import Path

from .. import _core
from .configuration import input_error, word

FOLDER = Path(_core.__file__).parent / "examples"
ENDINGS = (".yaml", ".h5")


def example(name: str = "") -> Path:
    """Returns the file of an example that comes with the package.

    name: "juelich" is a plant of three measured heliostats, for hr.read(); "field" a template of 300 heliostats, for hr.generate(); "quickstart" and
    "series" are run configurations of the plant in Juelich, for hr.trace() and hr.trace_series(). No name, or an unknown one, is an InputError that lists all.
    """
    files = {file.stem: file for file in sorted(FOLDER.iterdir()) if file.suffix in ENDINGS}
    wanted = word(name, "hr.example")
    if wanted not in files:
        problem = f"there is no example {wanted!r}" if wanted else "the name of an example is missing"
        raise input_error("hr.example", problem, "", f"choose one of {', '.join(files)}")
    return files[wanted]
