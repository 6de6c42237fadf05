# SPDX-License-Identifier: MIT
"""Several positions of the sun, one after the other."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from .. import _core
from .._input.calls import Progress, make_call, open_source, source_with_file
from .._input.configuration import describe, input_error, list_names, output_text, switch
from .._input.extras import load
from .._input.keywords import RUN_KEYS, with_keys
from .._input.suns import in_zone, read_suns
from .._input.working import finished, working_folder
from .._plant import Plant
from .picture import Picture, draw_picture_as, format_html
from .printed import format_warnings, make_page, parse_json
from .run import Run

if TYPE_CHECKING:
    import pandas
    import xarray
    from typing_extensions import Unpack

    from .._input.typed_keys import SeriesKeys


class Series:
    """The steps of a series. Steps in a file are read when they are needed. A pickle contains the steps in memory, but not those in a file."""

    def __init__(self, file: str, *, times: Any = None, keep: bool = False) -> None:
        self._facts = parse_json(_core.series_facts(file))
        self._content = Path(file).read_bytes() if keep else None
        self._file = os.path.abspath(file)
        self._steps = [Run(_core.read_result(file, step)) for step in range(len(self))] if keep else None
        self._times = times

    def _in_memory(self) -> Series:
        """Returns the series without its file."""
        return self if self._steps is not None else Series(self._file, times=self._times, keep=True)

    def __len__(self) -> int:
        return int(self._facts["num_steps"])

    def __getitem__(self, step: Any) -> Run:
        """Returns one step as a run, by its number from 0, or from -1 for the last one, or by its time: a text in ISO 8601 or an object of datetime
        or pandas, with a time zone."""
        try:
            index = self._find_time(step) if isinstance(step, datetime) or isinstance(step, str) and not step.isdecimal() else range(len(self))[operator.index(step)]
        except TypeError:
            raise TypeError(f"the steps of a series have whole numbers or times, and {describe(step)} is none; take several by [series[i] for i in ...]") from None
        except IndexError:
            raise IndexError(f"there is no step {describe(step)}: the series has {len(self)}") from None
        return self._steps[index] if self._steps is not None else Run(_core.read_result(self._file, index))

    def _find_time(self, time: str | datetime) -> int:
        """Returns the number of the step at a time."""
        where = f"series[{str(time)!r}]"
        example = 'give it with its offset from UTC, such as "2026-06-21T12:00:00+02:00"'
        pandas = load("pandas", where)
        try:
            wanted = pandas.Timestamp(time)
        except ValueError:
            raise input_error(where, "is not a time", "", example) from None
        if wanted.tzinfo is None:
            raise input_error(where, "the time has no time zone", "the steps have theirs", example)
        index = self.index
        if getattr(index, "tz", None) is None:
            raise input_error(where, "the steps of the series have no times", "", f"choose one by its number, from 0 to {len(self) - 1}")
        found = index.get_indexer([wanted.tz_convert(index.tz)])[0]
        if found < 0:
            raise input_error(where, "no step has this time", f"the first is at {index[0].isoformat()}, the last at {index[-1].isoformat()}", "see series.index")
        return int(found)

    def __iter__(self) -> Iterator[Run]:
        return (self[step] for step in range(len(self)))

    @property
    def fingerprint(self) -> str:
        """A hash over the fingerprints of all steps."""
        return str(self._facts["fingerprint"])

    @property
    def steps(self) -> pandas.DataFrame:
        """A row for each step: azimuth_deg, elevation_deg, dni_w_m2, temperature_c if it is known, rays, fingerprint, and the energy terms of the
        field in W, whose target_power is the power on all targets. The index is the time if the positions have one."""
        pandas = load("pandas", "series.steps")
        about = self._facts["series"]
        columns = {key: about[key] for key in ("azimuth_deg", "elevation_deg", "dni_w_m2", "temperature_c", "rays", "fingerprint") if key in about}
        columns.update(self._facts["energy"])
        frame = pandas.DataFrame(columns)
        frame.index = self.index
        return frame

    @property
    def index(self) -> pandas.Index:
        """The times of the steps in the zone of the suns, or their numbers from 0 if the positions have no times."""
        pandas = load("pandas", "series.steps")
        if self._times is not None:
            return self._times
        times = self._facts["series"].get("time")
        if times and all(times):
            return in_zone(pandas.to_datetime(times, format="ISO8601", utc=True).rename("time"), times, self._facts["time_zone"])
        return pandas.RangeIndex(len(self), name="step")

    @property
    def days(self) -> pandas.DataFrame:
        """A row for each day: energy_j on all targets, its error from the rays (energy_std_error_j) and from the number of steps (energy_step_error_j),
        and the numbers of the first and the last step. The index is the date. Without times there is no row."""
        pandas = load("pandas", "series.days")
        frame = pandas.DataFrame(self._facts["days"], columns=["energy_j", "energy_std_error_j", "energy_step_error_j", "first_step", "last_step"])
        if len(frame):
            frame.index = self.index.take(frame["first_step"]).normalize().rename("day")
        return frame

    @property
    def dataset(self) -> xarray.Dataset:
        """All results by time (by step without times): the variables of Run.dataset with a first axis time, and azimuth_deg,
        elevation_deg, dni_w_m2 and, if it is known, temperature_c [time]. Times are in UTC, because xarray keeps no time zones; time.attrs["time_zone"] says so, and .steps has
        them in the zone of the suns."""
        xarray = load("xarray", "series.dataset")
        index = self.index
        name = "time" if hasattr(index, "tz") else "step"
        if getattr(index, "tz", None) is not None:
            index = index.tz_convert("UTC").tz_localize(None)
        steps = [self[step].dataset for step in range(len(self))]
        data = xarray.concat(steps, dim=index.rename(name), data_vars="all", coords="minimal", compat="equals", join="exact", combine_attrs="drop")
        about = self._facts["series"]
        for key, unit in (("azimuth_deg", "degree"), ("elevation_deg", "degree"), ("dni_w_m2", "W/m2"), ("temperature_c", "degC")):
            if key in about:
                data[key] = (name, about[key], {"units": unit})
        if name == "time":
            data["time"].attrs["time_zone"] = "UTC"
        return data.assign_attrs(fingerprint=self.fingerprint)

    @property
    def summary(self) -> str:
        """The tables that the program prints."""
        with self._as_file() as file:
            return _core.series_summary(file).decode("utf-8", "replace")

    @property
    def strongest(self) -> int:
        """The number of the first step with the most power on the targets."""
        powers = self._facts["energy"]["target_power"]
        return int(powers.index(max(powers)))

    @contextmanager
    def _as_file(self) -> Iterator[str]:
        """Yields the path of the series' file; a series in memory is written to a temporary one."""
        if self._content is None:
            yield self._file
            return
        with TemporaryDirectory(prefix="helioray_") as folder:
            file = Path(folder, Path(self._file).name)
            file.write_bytes(self._content)
            yield str(file)

    def plot(self, path: str | os.PathLike[str] | None = None, *, step: Any = None, targets: str | Iterable[str] = (), logarithmic: bool = False,
             contours: bool = False, **options: Any) -> Picture:
        """The program's picture of the series: power and efficiency over the steps, and flux maps of some of them. With a path (.png, .svg, .pdf) also a
        file. step: the number or the time of a step, whose picture is drawn instead; the other arguments are those of Run.plot(), for which quantity and cuts need
        a step."""
        if step is not None:
            return self[step].plot(path, targets=targets, logarithmic=logarithmic, contours=contours, **options)
        where = "series.plot"
        if options:
            raise input_error(f"{where}: {next(iter(options))}", "is given without a step", "a picture of the whole series has none", "give step=series.strongest")
        names = list_names(targets, f"{where}: targets")
        marks = {name: switch(value, f"{where}: {name}") for name, value in (("logarithmic", logarithmic), ("contours", contours))}
        with self._as_file() as file:
            return draw_picture_as(lambda format: _core.series_picture(file, format=format, targets=names, **marks), path, where)

    def report(self, path: str | os.PathLike[str] | None = None, title: str | None = None, *, step: Any = None) -> str:
        """The program's web page about the series; with a path also a file. step: the number or the time of a step, for a page about it alone."""
        if step is not None:
            return self[step].report(path, title)
        with self._as_file() as file:
            return make_page(lambda text: _core.series_report(file, title=text), title, path, "series.report")

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the result file (HDF5) of the program, complete or not at all."""
        output = output_text(path, "series.write", "hdf5")
        _core.write_file(output, Path(self._file).read_bytes() if self._content is None else self._content)

    def _repr_html_(self) -> str:
        return format_html(self.plot, self.summary)

    def __repr__(self) -> str:
        return f"<helioray.Series: {len(self)} steps, fingerprint {self.fingerprint}{format_warnings(self._facts['warnings'])}>"


@with_keys(RUN_KEYS)
def trace_series(source: Plant | str | os.PathLike[str], suns: Any = None, *, output: str | os.PathLike[str] | None = None,
                 restart: bool = False, threads: int = 0, ranks: bool = False, progress: Progress = None, **keys: Unpack[SeriesKeys]) -> Series:
    """Traces several positions of the sun.

    source, keys, threads, ranks, progress: as for trace().
    suns: a pandas frame as pvlib returns it: azimuth (clockwise from north), apparent_elevation (or elevation, or their zeniths) and dni; or one
        with a DatetimeIndex (or a column time) that has a time zone, whose positions HelioRay computes at the plant. A dict of such columns also
        works, and a column of the temperature of the air (temp_air) bends mirrors whose shape changes with it. Other common names are known (Beam, solar_azimuth, DNI (W/m^2), ...). Angles are in degrees and irradiance in W/m2 unless
        the names have other units (azimuth_rad, dni_kw_m2); without a column of irradiance give dni=1000. A column that could decide the
        result and is not known is an error; others are a HelioRayWarning. Missing and negative irradiance is 0 while the sun is down, and an error by
        day. Rows without light are left out. Times are stored in the file with their zone. None: the suns of the configuration.
    output: result file (HDF5); finished steps are stored beside it, so that the same call continues after an interruption unless
        restart=True. None: nothing is stored, except if the call fails after it has finished steps; the error then names the file to continue with.
    """
    source = open_source(source, "hr.trace_series")
    name = output_text(output, "hr.trace_series: output", "hdf5") if output is not None else ""
    with working_folder(os.path.abspath(name) if name else "series.h5") as (folder, file):
        positions, times = read_suns(source, suns, keys, "hr.trace_series")
        copy = Path(folder) / "of_rank_0.h5"
        with source_with_file(source, keys, "hr.trace_series", positions) as traced:
            _core.trace_series(source=traced, file=name or file, copy=str(copy), restart=switch(restart, "hr.trace_series: restart"),
                               call=make_call(progress, threads, ranks))
        here = copy.exists()
        with finished(file):
            return Series(str(copy) if here else file, times=times, keep=here or output is None)
