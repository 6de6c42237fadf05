# SPDX-License-Identifier: MIT
"""Weather from frames, in the form that pvlib's readers of weather files return."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .. import _core
from .columns import IRRADIANCE, TEMPERATURE, check_others, find, warn_of_unused
from .configuration import input_error
from .suns import as_frame, find_times, require_zone

NAME = "weather frame"  # in results and notes
ADVICE = "give the path of a weather file, or a frame with a DatetimeIndex that has a time zone and a column dni, as pvlib.iotools has it"


def read_weather(weather: Any, weather_time: str, year: int, where: str) -> _core.Weather:
    """Returns the weather of a frame. year: the year to which all rows are moved; 0: unchanged."""
    frame = as_frame(weather, where, ADVICE)
    times, used = find_times(frame, where)
    if times is None:
        raise input_error(where, "has no times", "its rows are means over intervals", ADVICE)
    require_zone(times, where, "the sun's position depends on it")
    dni = find(frame, IRRADIANCE, where, missing_allowed=True)
    ignored = check_others(frame, {IRRADIANCE: dni}, where, used)
    if dni is None:
        raise input_error(where, "has no column dni", "", "name the direct normal irradiance (W/m2) dni")
    temperature = find(frame, TEMPERATURE, where, missing_allowed=True)
    if len(dni.values) != len(times) or (temperature is not None and len(temperature.values) != len(times)):
        raise input_error(where, "has columns of different lengths", "", "give a value of each column for each time")
    for row, missing in enumerate(times.isna()):
        if missing:
            raise input_error(f"{where}.index[{row}]", "there is no time", "", "leave such rows out: frame[frame.index.notna()]")
    if not weather_time:
        _refuse_middles(times, where)
    warn_of_unused(ignored, where)
    return _core.Weather(name=NAME, times=[_in_year(time, year, weather_time) for time in times], dni=dni.values,
                         temperature_c=temperature.values if temperature is not None else [])


def _in_year(time: Any, year: int, weather_time: str) -> int:
    """Returns a time in milliseconds since 1970, moved to a year. Typical years of pvlib consist of months of several years. They have no February 29th, but the February of a
    leap year still ends at March 1st. Therefore the date of the time itself decides, not that of the beginning of its interval."""
    text = str(time.isoformat())
    if year > 0 and (time.month, time.day) != (2, 29):
        ends_the_year = weather_time == "end" and text[5:19] == "01-01T00:00:00"
        text = f"{year + ends_the_year:04}{text[4:]}"
    # Python reads at most microseconds.
    return round(1000 * datetime.datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", text)).timestamp())


def _refuse_middles(times: Any, where: str) -> None:
    """Raises InputError if all times are in the middle of the intervals, so that they can hardly be their ends."""
    seconds = [time.hour * 3600 + time.minute * 60 + time.second for time in times]
    steps = [(after - before) % 86400 for before, after in zip(seconds, seconds[1:]) if after != before]
    interval = min(steps, default=0)
    if interval > 60 and 3600 % interval == 0 and all(2 * (second % interval) == interval for second in seconds):
        raise input_error(where, f"its times are {interval / 120:g} minutes after the full ones of an interval of {interval / 60:g} minutes",
                          "times in the middle, taken for the start, move the sun by half an interval",
                          'say what they are: weather_time="middle" (NSRDB, PVGIS, SolarAnywhere), "start" or "end"')


@contextmanager
def rename_rows_in_errors(where: str) -> Iterator[None]:
    """Makes errors about the weather name the rows of the frame, and the keyword of the year."""
    def with_rows(text: str) -> str:
        text = re.sub(NAME + r": row (\d+)", rf"{where}[\1]", text)
        return text.replace(NAME, where).replace("--year", "year=...")
    try:
        yield
    except _core.InputError as error:
        renamed = _core.InputError(with_rows(str(error)))
        renamed.problems = [(with_rows(place), with_rows(what), with_rows(why), with_rows(advice)) for place, what, why, advice in error.problems]
        raise renamed from None
