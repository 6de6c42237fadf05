# SPDX-License-Identifier: MIT
"""The yield of a year."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from .. import _core
from .._input.calls import Progress, make_call, source_with_file
from .._input.configuration import number, output_text, path_text, rename_in_errors, switch, whole, word
from .._input.extras import load
from .._input.keywords import RUN_KEYS, with_keys
from .._input.weather import read_weather, rename_rows_in_errors
from .._input.working import working_folder
from .._plant import Plant
from .picture import Picture, draw_picture_as, format_html
from .printed import PrintedPositions, format_warnings, make_page

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack

    from .._input.typed_keys import SeriesKeys


class Year(PrintedPositions):
    """The energy that a field collects in a year; facts has it in J, with errors and months."""

    def __init__(self, core: _core.Year) -> None:
        super().__init__(core)
        self._core = core

    @classmethod
    def of_file(cls, file: str) -> Year:
        """Reads the program's file."""
        return cls(_core.read_year(file))

    @property
    def heliostats(self) -> pandas.DataFrame:
        """A row for each heliostat: target, the energy terms of the year and the errors of the target's energy in J."""
        return load("pandas", "year.heliostats").DataFrame(self._core.heliostats()).set_index("name")

    @property
    def positions(self) -> pandas.DataFrame:
        """The traced positions of the sun: azimuth and elevation in radians, weight (J/m2 of the year), field_efficiency."""
        return load("pandas", "year.positions").DataFrame(self._core.nodes())

    @property
    def months(self) -> pandas.DataFrame:
        """A row for each month, by its number: insolation_j_m2 (direct sun while the field works), target_energy (J), a column target_energy_NAME for
        each of several targets, and efficiency (target_energy over the insolation of all mirrors)."""
        pandas = load("pandas", "year.months")
        facts = self.facts
        columns = {"insolation_j_m2": facts["monthly_usable_insolation_j_m2"], "target_energy": facts["monthly_energy_j"]}
        targets = facts["targets"]
        if len(targets) > 1:
            columns |= {f"target_energy_{name}": target["monthly_energy_j"] for name, target in targets.items()}
        frame = pandas.DataFrame(columns, index=pandas.RangeIndex(1, 13, name="month"))
        area = facts["energy"]["solar_power"] / facts["usable_insolation_j_m2"]
        frame["efficiency"] = (frame["target_energy"] / (area * frame["insolation_j_m2"])).where(frame["insolation_j_m2"] > 0)
        return frame

    def plot(self, path: str | os.PathLike[str] | None = None, *, quantity: str = "") -> Picture:
        """The program's picture of the energy by month, or with quantity="efficiency" (or an energy, such as "target_energy") of the field. With a path
        (.png, .svg, .pdf) also a file; notebooks display the returned picture."""
        what = word(quantity, "year.plot: quantity")
        return draw_picture_as(lambda format: self._core.picture(format=format, quantity=what), path, "year.plot")

    def report(self, path: str | os.PathLike[str] | None = None, title: str | None = None) -> str:
        """The program's web page about the year; with a path also a file."""
        return make_page(self._core.report, title, path, "year.report")

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the file (HDF5) of the program, complete or not at all."""
        self._core.write(output_text(path, "year.write", "hdf5"))

    def _repr_html_(self) -> str:
        return format_html(self.plot, self.summary)

    def __repr__(self) -> str:
        return f"<helioray.Year: fingerprint {self.fingerprint}{format_warnings(self.facts['warnings'])}>"


@with_keys(RUN_KEYS)
def annual(source: Plant | str | os.PathLike[str], *, output: str | os.PathLike[str] | None = None, sky: str | None = None,
           weather: Any = None, weather_time: str = "", year: int = 0, min_elevation_deg: float = 10.0,
           declinations: int = 9, hours: int = 13, dni_levels: int = 3, restart: bool = False, threads: int = 0, ranks: bool = False, progress: Progress = None, **keys: Unpack[SeriesKeys]) -> Year:
    """Computes the yield of a year from a grid of sun positions, as `helioray annual` does.

    source, keys, threads, ranks, progress: as for trace(); no position of the sun is needed.
    output: file (HDF5) beside which finished positions are stored, so that the same call continues unless
        restart=True. None: nothing is stored, except if the call fails after it has finished steps; the error then names the file to continue with.
    sky: model of a cloudless sky, hottel (None) or meinel; or weather: a file as CSV (time, dni_w_m2), SAM CSV, NSRDB, TMY3, PVGIS, EPW or .motab, or a
        frame with a DatetimeIndex that has a time zone and a column dni, as the readers in pvlib.iotools return it, with and without map_variables.
    weather_time: rows of the weather are averages over intervals that begin ("start") or end at their times, or are centred on them ("middle");
        None: the convention of the file's format, "start" for CSV and frames.
    year: calendar year; min_elevation_deg: lowest sun at which the field works; declinations, hours: size of the grid, odd numbers.
    dni_levels: irradiances at which aim points are chosen if flux limits are active (aiming.strategy), an odd number.
    """
    where = "hr.annual"
    name = output_text(output, f"{where}: output", "hdf5") if output is not None else ""
    with working_folder(os.path.abspath(name) if name else "annual.h5") as (folder, file):
        frame = None
        if weather is not None and not isinstance(weather, (str, bytes, os.PathLike)):
            frame = read_weather(weather, word(weather_time, f"{where}: weather_time"), whole(year, f"{where}: year"), f"{where}: weather")
            weather = None
        options = _core.year_options(sky=None if sky is None else word(sky, f"{where}: sky"), weather="" if weather is None else path_text(weather, f"{where}: weather"),
                                     frame=frame, weather_time=word(weather_time, f"{where}: weather_time"), year=whole(year, f"{where}: year"),
                                     min_elevation_deg=number(min_elevation_deg, f"{where}: min_elevation_deg", "give degrees"),
                                     declinations=whole(declinations, f"{where}: declinations"), hours=whole(hours, f"{where}: hours"),
                                     levels=whole(dni_levels, f"{where}: dni_levels"))
        with rename_in_errors("--weather-time", f"{where}: weather_time"), rename_in_errors("--dni", f"{where}: sky"), rename_rows_in_errors(f"{where}: weather"), \
                source_with_file(source, keys, where) as traced:
            return Year(_core.annual(source=traced, file=name or file, year=options, restart=switch(restart, f"{where}: restart"),
                                     call=make_call(progress, threads, ranks)))
