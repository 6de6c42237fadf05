# SPDX-License-Identifier: MIT
"""Aim points of a whole field."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from . import _core
from ._calls import Progress, call_of, source_of
from ._extras import load
from ._printed import json_of, page_of
from .configuration import path_text
from .plant import Plant
from .run import Picture, Run, picture_of

if TYPE_CHECKING:
    import pandas


class Aims:
    """Chosen aim points and the run that verifies them."""

    def __init__(self, core: _core.Aims) -> None:
        self._core = core

    @property
    def points(self) -> pandas.DataFrame:
        """A row for each heliostat: target, aim point east, north, up in metres, active."""
        return load("pandas", "aims.points").DataFrame(self._core.points()).set_index("name")

    @property
    def run(self) -> Run:
        """The verifying run."""
        return Run(self._core.result())

    @property
    def facts(self) -> dict[str, Any]:
        """What the program prints with --json: power_w, power_bound_w, gap, peak_flux_w_m2, worst_limit_share, ..."""
        return json_of(self._core.facts())

    @property
    def setting(self) -> dict[str, Any]:
        """The value of the keyword aim that makes trace() aim so."""
        columns = self._core.points()
        rows = zip(*(columns[key] for key in ("name", "target", "east", "north", "up", "active")))
        return {"heliostats": {name: {"target": target, "point": [east, north, up]} if active else {"active": False}
                               for name, target, east, north, up, active in rows}}

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the table (CSV) that the key aim.file reads."""
        self._core.write(path_text(path, "aims.write"))

    def plot(self, path: str | os.PathLike[str] | None = None) -> Picture:
        """The program's picture of flux before and after against the limit, prices and convergence. With a path (.png, .svg, .pdf) also a
        file; notebooks show what is returned."""
        return picture_of(self._core.plot, path, "aims.plot")

    def report(self, path: str | os.PathLike[str] | None = None, title: str | None = None) -> str:
        """The program's web page about the aim points; with a path also a file."""
        return page_of(self._core.report(title), path, "aims.report")

    def __repr__(self) -> str:
        return f"<helioray.Aims: {self.facts['power_w'] / 1e3:.4g} kW>"


def aim(source: Plant | str | os.PathLike[str], *, threads: int = 0, ranks: bool = False, progress: Progress = None, **keys: Any) -> Aims:
    """Chooses aim points for one position of the sun, as `helioray aim` does.

    source, keys, threads, ranks, progress: as for trace(). Section aiming says how: strategy="optimize", flux_limit_kw_m2=800, ...
    Limits that cannot be kept are a HelioRayWarning.
    """
    return Aims(_core.aim(source=source_of(source, keys, "hr.aim", writes=True), call=call_of(progress, threads, ranks)))
