# SPDX-License-Identifier: MIT
"""Opens result files of the program."""

from __future__ import annotations

import os

from .. import _core
from .._input.configuration import path_text
from .run import Run
from .series import Series
from .sky import Efficiency
from .year import Year


def open(file: str | os.PathLike[str]) -> Run | Series | Year | Efficiency:
    """Opens a result file: a run, a series, a year or an efficiency table, depending on its content.

    Maps of single heliostats of a run that take more than a gigabyte stay in its file; each is read on access.
    """
    path = path_text(file, "hr.open")
    kind = _core.kind_of_file(path)
    if kind == "year":
        return Year.of_file(path)
    if kind == "efficiency":
        return Efficiency.of_file(path)
    return Series(path) if kind == "series" else Run.of_file(path)
