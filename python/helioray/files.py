# SPDX-License-Identifier: MIT
"""Files of the program."""

from __future__ import annotations

import os

from . import _core
from .configuration import path_text
from .run import Run
from .series import Series
from .sky import Efficiency
from .year import Year


def open(file: str | os.PathLike[str]) -> Run | Series | Year | Efficiency:
    """Opens a result file: a run, a series, a year or an efficiency table, whichever it holds.

    Maps of single heliostats of a run that take more than a gigabyte stay in its file, and each is read when it is asked for.
    """
    path = path_text(file, "hr.open")
    kind = _core.kind_of_file(path)
    if kind == "year":
        return Year.of_file(path)
    if kind == "efficiency":
        return Efficiency.of_file(path)
    return Series(path) if kind == "series" else Run.of_file(path)
