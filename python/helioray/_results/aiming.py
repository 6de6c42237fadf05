# SPDX-License-Identifier: MIT
"""Aim points of a whole field."""

from __future__ import annotations

import os
import shutil
import weakref
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, overload

from .. import _core
from .._input.calls import Progress, make_call, make_source, open_source, source_with_file
from .._input.configuration import output_text, switch
from .._input.extras import load
from .._input.keywords import RUN_KEYS, with_keys
from .._input.suns import read_suns
from .._input.working import working_folder
from .._plant import Plant
from .picture import Picture, draw_picture, format_html
from .printed import make_page, parse_json
from .run import Run
from .series import Series

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack

    from .._input.typed_keys import SeriesKeys


class Aims:
    """Chosen aim points and the run that verifies them. They can be pickled."""

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
        """The JSON object that the program prints with --json: power_w, power_bound_w, gap, peak_flux_w_m2, worst_limit_share, ..."""
        return parse_json(self._core.facts())

    @property
    def setting(self) -> dict[str, Any]:
        """The value of the keyword aim with which trace() uses these aim points."""
        columns = self._core.points()
        rows = zip(*(columns[key] for key in ("name", "target", "east", "north", "up", "active")))
        return {"heliostats": {name: {"target": target, "point": [east, north, up]} if active else {"active": False}
                               for name, target, east, north, up, active in rows}}

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the table (CSV) that the key aim.file reads."""
        self._core.write(output_text(path, "aims.write", "table"))

    def plot(self, path: str | os.PathLike[str] | None = None) -> Picture:
        """The program's picture of flux before and after relative to the limit, shadow prices and convergence. With a path (.png, .svg, .pdf) also a
        file; notebooks display the returned picture."""
        return draw_picture(self._core.plot, path, "aims.plot")

    def report(self, path: str | os.PathLike[str] | None = None, title: str | None = None) -> str:
        """The program's web page about the aim points; with a path also a file."""
        return make_page(self._core.report, title, path, "aims.report")

    @property
    def summary(self) -> str:
        """The tables that the program prints."""
        return self._core.summary().decode("utf-8", "replace")

    def _repr_html_(self) -> str:
        return format_html(self.plot, self.summary)

    def __repr__(self) -> str:
        return f"<helioray.Aims: {self.facts['power_w'] / 1e3:.4g} kW>"


class AimSeries(Aims):
    """Aim points of several positions of the sun, one after the other. run, plot() and report() are those of the step with the most power; facts has an
    entry for each step."""

    def __init__(self, core: _core.Aims, runs: Series, folder: str) -> None:
        """folder: may contain the file of the runs; it is removed with this object."""
        super().__init__(core)
        self._runs = runs
        self._folder = folder
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)

    def __len__(self) -> int:
        return len(self._runs)

    @property
    def points(self) -> pandas.DataFrame:
        """A row for each step and heliostat: target, aim point east, north, up in metres, active, time (or step without times)."""
        columns = self._core.points()
        index = self._runs.index
        steps = columns.pop("step")
        frame = load("pandas", "aims.points").DataFrame(columns).set_index("name")
        frame[index.name] = index.take(steps)
        return frame

    @property
    def steps(self) -> pandas.DataFrame:
        """A row for each step, by time where the positions have one: power_w, power_bound_w, gap, peak_flux_w_m2, worst_limit_share,
        heliostats_off, ... with the names of --json."""
        frame = load("pandas", "aims.steps").DataFrame({key: column for key, column in self.facts.items() if isinstance(column, list) and key not in ("time", "warnings")})
        frame.index = self._runs.index
        return frame

    @property
    def runs(self) -> Series:
        """The verifying runs; their file is removed with this object."""
        return self._runs

    @property
    def setting(self) -> dict[str, Any]:
        """The value of the keyword aim with which trace_series() uses these aim points, as long as this object exists: a file."""
        file = str(Path(self._folder) / "setting.csv")
        self.write(file)
        return {"file": file}

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore_series, (self._core, self._runs._in_memory())

    def __repr__(self) -> str:
        return f"<helioray.AimSeries: {len(self)} steps, {max(self.facts['power_w']) / 1e3:.4g} kW at most>"


def _restore_series(core: _core.Aims, runs: Series) -> AimSeries:
    return AimSeries(core, runs, mkdtemp(prefix="helioray_"))


@overload
def aim(source: Plant | str | os.PathLike[str], suns: None = None, *, output: str | os.PathLike[str] | None = None, restart: bool = False,
        threads: int = 0, ranks: bool = False, progress: Progress = None, **keys: Unpack[SeriesKeys]) -> Aims: ...


@overload
def aim(source: Plant | str | os.PathLike[str], suns: Any, *, output: str | os.PathLike[str] | None = None, restart: bool = False,
        threads: int = 0, ranks: bool = False, progress: Progress = None, **keys: Unpack[SeriesKeys]) -> AimSeries: ...


@with_keys(RUN_KEYS)
def aim(source: Plant | str | os.PathLike[str], suns: Any = None, *, output: str | os.PathLike[str] | None = None, restart: bool = False,
        threads: int = 0, ranks: bool = False, progress: Progress = None, **keys: Unpack[SeriesKeys]) -> Aims:
    """Chooses aim points, as `helioray aim` does. With several positions of the sun, each starts from the aim points of the position before, and the
    result is an AimSeries.

    source, keys, threads, ranks, progress: as for trace(). Section aiming has the options: strategy="optimize", flux_limit_kw_m2=800, ...
    suns: positions of the sun as for trace_series(). None: those of the configuration.
    output: table of the aim points (CSV). The finished steps of a series are stored beside it, so that the same call continues after an
        interruption unless restart=True. None: nothing is stored, except if the call fails after it has finished steps; the error then names the
        file to continue with.
    Limits, and fractions for targets (target_shares={"north": 0.6, "south": 0.4}), that cannot be kept are a HelioRayWarning.
    """
    caller = "hr.aim"
    source = open_source(source, caller)
    table = "" if output is None else output_text(output, f"{caller}: output", "table")
    call = make_call(progress, threads, ranks)
    if suns is None:
        single = _core.aim(source=make_source(source, keys, caller, writes=True), table=table, runs="", restart=False, call=call)
        if single is not None:
            return Aims(single)
    with working_folder(os.path.abspath(table) if table else "aims.csv", stays=True) as (folder, file):
        positions, times = read_suns(source, suns, keys, caller)
        runs = str(Path(folder) / "runs.h5")
        with source_with_file(source, keys, caller, positions) as traced:
            core = _core.aim(source=traced, table=table or file, runs=runs, restart=switch(restart, f"{caller}: restart"), call=call)
        assert core is not None
        return AimSeries(core, Series(runs, times=times), folder)
