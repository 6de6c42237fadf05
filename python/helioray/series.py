# SPDX-License-Identifier: MIT
"""Several positions of the sun, one after the other."""

from __future__ import annotations

import csv
import math
import operator
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from . import _core
from ._calls import Progress, call_of, source_with_file
from ._extras import load
from ._printed import json_of, warned
from .configuration import POSITION_KEYS, input_error, number, output_text, shown, switch, told_as
from .plant import Plant
from .run import Run

if TYPE_CHECKING:
    import pandas
    import xarray

# Names of columns that pvlib and weather files use, the first one that is there.
AZIMUTH = ("azimuth", "azimuth_deg", "solar_azimuth")
ELEVATION = ("apparent_elevation", "elevation", "elevation_deg")
IRRADIANCE = ("dni", "dni_w_m2")


class Series:
    """The steps of a series. Those of a file are read when they are needed. It can be pickled, with its steps unless they are in a file."""

    def __init__(self, file: str, *, times: Any = None, zone: Any = None, keep: bool = False) -> None:
        self._facts = json_of(_core.series_facts(file))
        self._file = os.path.abspath(file)
        self._steps = [Run(_core.read_result(file, step)) for step in range(len(self))] if keep else None
        self._times = times
        self._zone = zone

    def _in_memory(self) -> Series:
        """The same series without its file."""
        return self if self._steps is not None else Series(self._file, times=self._times, zone=self._zone, keep=True)

    def __len__(self) -> int:
        return int(self._facts["num_steps"])

    def __getitem__(self, step: int) -> Run:
        """One step as a run: a number from 0, or from -1 for the last one."""
        try:
            index = range(len(self))[operator.index(step)]
        except TypeError:
            raise TypeError(f"the steps of a series have whole numbers, and {shown(step)} is none; take several by [series[i] for i in ...]") from None
        except IndexError:
            raise IndexError(f"there is no step {shown(step)}: the series has {len(self)}") from None
        return self._steps[index] if self._steps is not None else Run(_core.read_result(self._file, index))

    def __iter__(self) -> Iterator[Run]:
        return (self[step] for step in range(len(self)))

    @property
    def fingerprint(self) -> str:
        """A hash over the fingerprints of all steps."""
        return str(self._facts["fingerprint"])

    @property
    def steps(self) -> pandas.DataFrame:
        """A row for each step: azimuth_deg, elevation_deg, dni_w_m2, rays, fingerprint, and the energy terms of the field in W, whose
        target_power is the power on all targets. The index is the time where the positions have one."""
        pandas = load("pandas", "series.steps")
        about = self._facts["series"]
        columns = {key: about[key] for key in ("azimuth_deg", "elevation_deg", "dni_w_m2", "rays", "fingerprint")}
        columns.update(self._facts["energy"])
        frame = pandas.DataFrame(columns)
        frame.index = self.index
        return frame

    @property
    def index(self) -> pandas.Index:
        """The times of the steps; their numbers from 0 where the positions have no times."""
        pandas = load("pandas", "series.steps")
        if self._times is not None:
            return self._times
        times = self._facts["series"].get("time")
        if times and all(times):
            return pandas.to_datetime(times, format="ISO8601", utc=True).tz_convert(self._zone or "UTC").rename("time")
        return pandas.RangeIndex(len(self), name="step")

    @property
    def dataset(self) -> xarray.Dataset:
        """Everything by time (by step where there are no times): the variables of Run.dataset with a first axis time, and azimuth_deg,
        elevation_deg and dni_w_m2 [time]. Times are in UTC, because xarray keeps no time zones."""
        xarray = load("xarray", "series.dataset")
        index = self.index
        name = "time" if hasattr(index, "tz") else "step"
        if getattr(index, "tz", None) is not None:
            index = index.tz_convert("UTC").tz_localize(None)
        steps = [self[step].dataset for step in range(len(self))]
        data = xarray.concat(steps, dim=index.rename(name), data_vars="all", coords="minimal", compat="equals", join="exact", combine_attrs="drop")
        about = self._facts["series"]
        for key, unit in (("azimuth_deg", "degree"), ("elevation_deg", "degree"), ("dni_w_m2", "W/m2")):
            data[key] = (name, about[key], {"units": unit})
        return data.assign_attrs(fingerprint=self.fingerprint)

    def __repr__(self) -> str:
        return f"<helioray.Series: {len(self)} steps, fingerprint {self.fingerprint}{warned(self._facts['warnings'])}>"


def _column(frame: Any, names: tuple[str, ...]) -> Any:
    return next((frame[name] for name in names if name in frame), None)


def _write_suns(suns: Any, file: Path, where: str) -> tuple[Any, Any]:
    """Writes the file of positions that sun.file reads. Returns the times of the rows with light where the frame has angles and times, and
    the frame's time zone."""
    times: Any = getattr(suns, "index", None) if hasattr(suns, "columns") else None
    dated = times is not None and hasattr(times, "tz")
    if not hasattr(suns, "columns") and not isinstance(suns, Mapping):
        raise input_error(where, f"{shown(suns)} names no positions", "",
                          "give a frame with azimuth, apparent_elevation and dni, or with a DatetimeIndex that has a time zone")
    azimuth, elevation, dni = (_column(suns, names) for names in (AZIMUTH, ELEVATION, IRRADIANCE))
    rows: dict[str, Any]
    if azimuth is not None and elevation is not None:
        rows = {"azimuth_deg": [value % 360.0 for value in _floats(azimuth, f"{where}: azimuth")], "elevation_deg": _floats(elevation, f"{where}: elevation")}
        if dated and times.tz is not None:
            rows["time"] = _utc(times, where)
    elif dated:
        if times.tz is None:
            raise input_error(where, "its times have no time zone", "the sun's position depends on it", 'use suns.tz_localize("Europe/Berlin")')
        rows = {"time": _utc(times, where)}
    else:
        raise input_error(where, "has neither the columns azimuth and apparent_elevation nor times", "",
                          "give a frame of pvlib.solarposition.get_solarposition")
    if dni is not None:
        rows["dni_w_m2"] = _floats(dni, f"{where}: dni")
    if len({len(column) for column in rows.values()}) != 1 or not len(next(iter(rows.values()))):
        raise input_error(where, "has no rows, or columns of different lengths", "", "give a value of each column for each position")
    lit = _lit(rows)
    with file.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(rows)
        writer.writerows(zip(*rows.values()))
    zone = times.tz if dated else None
    return (times[lit].rename("time") if dated and lit is not None else None), zone


def _utc(times: Any, where: str) -> list[str]:
    for row, missing in enumerate(times.isna()):
        if missing:
            raise input_error(f"{where}.index[{row}]", "there is no time", "", "leave such rows out: suns[suns.index.notna()]")
    return [time.isoformat() for time in times.tz_convert("UTC")]


def take_suns(suns: Any, keys: dict[str, Any], folder: str, caller: str) -> tuple[Any, Any]:
    """Makes the keyword sun name a file of positions in the folder; without suns keys stay as they are. Returns what _write_suns() does."""
    if suns is None:
        return None, None
    sun = keys.get("sun")
    if sun is not None and not (isinstance(sun, Mapping) and not any(key in POSITION_KEYS for key in sun)):
        raise input_error(f"{caller}: sun", f"{shown(sun)} is given besides suns", "they may contradict each other",
                          'leave it out; sun={"dni_w_m2": 900} and other keys than positions may stay')
    table = Path(folder) / "suns.csv"
    found = _write_suns(suns, table, f"{caller}: suns")
    keys["sun"] = {**(sun or {}), "file": str(table)}
    return found


def _lit(rows: Mapping[str, Any]) -> list[bool] | None:
    """Which rows give light, where their angles say so: the program leaves out the others."""
    if "elevation_deg" not in rows:
        return None
    dni = rows.get("dni_w_m2") or [1.0] * len(rows["elevation_deg"])
    return [elevation > 0 and irradiance > 0 for elevation, irradiance in zip(rows["elevation_deg"], dni)]


def _floats(column: Any, where: str) -> list[float]:
    if isinstance(column, (str, bytes, Mapping)) or not isinstance(column, Iterable):
        raise input_error(where, f"{shown(column)} is no column", "", "give a list of numbers")
    values = []
    for row, value in enumerate(column):
        at = f"{where}[{row}]"
        values.append(number(value, at, "leave such rows out: suns.dropna()"))
        if not math.isfinite(values[-1]):
            raise input_error(at, f"{values[-1]} is not a finite number", "", "leave such rows out: suns.dropna()")
    return values


def trace_series(source: Plant | str | os.PathLike[str], suns: Any = None, *, output: str | os.PathLike[str] | None = None,
                 restart: bool = False, threads: int = 0, ranks: bool = False, progress: Progress = None, **keys: Any) -> Series:
    """Traces several positions of the sun.

    source, keys, threads, ranks, progress: as for trace().
    suns: a pandas frame as pvlib gives it: azimuth (degrees, clockwise from north), apparent_elevation (or elevation) and dni (W/m2); or
        one with a DatetimeIndex that has a time zone, whose positions HelioRay computes at the plant. A dict of such columns also works.
        Rows without light are left out. Times with a zone are kept in the file, in UTC. None: the suns of the configuration.
    output: result file (HDF5); finished steps are kept beside it, so that the same call continues after an interruption unless
        restart=True. None: nothing is kept.
    """
    with TemporaryDirectory(prefix="helioray_") as folder:
        times, zone = take_suns(suns, keys, folder, "hr.trace_series")
        copy = Path(folder) / "of_rank_0.h5"
        file = output_text(output, "hr.trace_series: output", "hdf5") if output is not None else str(Path(folder) / "series.h5")
        with told_as(str(Path(folder) / "suns.csv"), "hr.trace_series: suns"), source_with_file(source, keys, "hr.trace_series") as traced:
            _core.trace_series(source=traced, file=file, copy=str(copy), restart=switch(restart, "hr.trace_series: restart"),
                               call=call_of(progress, threads, ranks))
        here = copy.exists()
        return Series(str(copy) if here else file, times=times, zone=zone, keep=here or output is None)
