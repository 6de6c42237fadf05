# SPDX-License-Identifier: MIT
"""Weather from frames, as pvlib's readers of weather files give it."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from . import _core
from ._columns import IRRADIANCE, check_others, find, tell_ignored
from ._suns import frame_of, require_zone, times_of
from .configuration import input_error

ADVICE = "give the path of a weather file, or a frame with a DatetimeIndex that has a time zone and a column dni, as pvlib.iotools has it"


def write_weather(weather: Any, file: Path, weather_time: str, year: int, where: str) -> None:
    """Writes a frame as the program's weather file: time and dni_w_m2. year: that all rows are moved to; 0: their own."""
    frame = frame_of(weather, where, ADVICE)
    times, used = times_of(frame, where)
    if times is None:
        raise input_error(where, "has no times", "its rows are means over intervals", ADVICE)
    require_zone(times, where, "the sun's position depends on it")
    dni = find(frame, IRRADIANCE, where, missing_allowed=True)
    ignored = check_others(frame, {IRRADIANCE: dni}, where, used)
    if dni is None:
        raise input_error(where, "has no column dni", "", "name the direct normal irradiance (W/m2) dni")
    if len(dni.values) != len(times):
        raise input_error(where, "has columns of different lengths", "", "give a value of each column for each time")
    for row, missing in enumerate(times.isna()):
        if missing:
            raise input_error(f"{where}.index[{row}]", "there is no time", "", "leave such rows out: frame[frame.index.notna()]")
    if not weather_time:
        _refuse_middles(times, where)
    tell_ignored(ignored, where)
    with file.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["time", "dni_w_m2"])
        writer.writerows((_in_year(time, year, weather_time), "" if math.isnan(value) else value) for time, value in zip(times, dni.values))


def _in_year(time: Any, year: int, weather_time: str) -> str:
    """A time as text, moved to a year. pvlib's typical years of months of several years have no February 29th and still end that month at
    March 1st of a leap year, so that what the time says counts, not where its interval begins."""
    text = str(time.isoformat())
    if year <= 0 or (time.month, time.day) == (2, 29):
        return text
    ends_the_year = weather_time == "end" and text[5:19] == "01-01T00:00:00"
    return f"{year + ends_the_year:04}{text[4:]}"


def _refuse_middles(times: Any, where: str) -> None:
    """InputError where all times are half an interval after the full ones, so that they can hardly be the ends of intervals."""
    seconds = [time.hour * 3600 + time.minute * 60 + time.second for time in times]
    steps = [(after - before) % 86400 for before, after in zip(seconds, seconds[1:]) if after != before]
    interval = min(steps, default=0)
    if interval > 60 and 3600 % interval == 0 and all(2 * (second % interval) == interval for second in seconds):
        raise input_error(where, f"its times are {interval / 120:g} minutes after the full ones of an interval of {interval / 60:g} minutes",
                          "times in the middle, taken for the start, move the sun by half an interval",
                          'say what they are: weather_time="middle" (NSRDB, PVGIS, SolarAnywhere), "start" or "end"')


@contextmanager
def rows_told(file: Path, where: str) -> Iterator[None]:
    """Messages about lines of the written file name rows of the frame instead."""
    def told(text: str) -> str:
        text = re.sub(re.escape(str(file)) + r":(\d+)", lambda line: f"{where}[{int(line[1]) - 2}]", text)
        return text.replace(str(file), where).replace("--year", "year=...")
    try:
        yield
    except _core.InputError as error:
        renamed = _core.InputError(told(str(error)))
        renamed.problems = [(told(place), told(what), told(why), told(advice)) for place, what, why, advice in error.problems]
        raise renamed from None
