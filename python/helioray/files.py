# SPDX-License-Identifier: MIT
"""Files of the program."""

from __future__ import annotations

import os

from . import _core
from .configuration import path_text
from .run import Run
from .series import Series
from .year import Year


def open(file: str | os.PathLike[str]) -> Run | Series | Year:
    """Opens a result file: a run, a series or a year, whichever it holds."""
    path = path_text(file, "hr.open")
    kind = _core.kind_of_file(path)
    if kind == "year":
        return Year(_core.read_year(path))
    return Series(path) if kind == "series" else Run(_core.read_result(path, None))
