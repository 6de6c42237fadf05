# SPDX-License-Identifier: MIT
"""Positions of the sun from frames, for calls that trace several of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from .. import _core
from .calls import plant_core
from .columns import AZIMUTH, ELEVATION, IRRADIANCE, TEMPERATURE, check_angles, check_others, find, is_missing, is_time, list_labels, warn_of_unused
from .configuration import describe, input_error
from .extras import load
from .keywords import POSITION_KEYS
from .warnings import warn


def read_suns(source: Any, suns: Any, keys: Mapping[str, Any], caller: str) -> tuple[_core.Suns | None, Any]:
    """Returns the positions of a frame, and the times of the rows with light if the frame has angles and times. Both are None if suns is None."""
    if suns is None:
        return None, None
    sun = keys.get("sun")
    if sun is not None and not (isinstance(sun, Mapping) and not any(key in POSITION_KEYS for key in sun)):
        raise input_error(f"{caller}: sun", f"{describe(sun)} is given besides suns", "they may contradict each other",
                          'leave it out; sun={"dni_w_m2": 900} and other keys than positions may stay')
    where = f"{caller}: suns"
    rows, times = _rows(source, suns, where)
    _check_irradiance(source, "dni_w_m2" in rows, keys, where)
    positions = _core.make_suns(azimuth_deg=rows.get("azimuth_deg"), elevation_deg=rows.get("elevation_deg"), time=rows.get("time"), dni=rows.get("dni_w_m2"),
                                temperature_c=rows.get("temperature_c"), time_zone=name_zone(getattr(times, "tz", None)), where=where)
    lit = _lit(rows) if times is not None else None
    return positions, times[lit].rename("time") if lit is not None else None


def as_frame(table: Any, where: str, advice: str) -> Any:
    """Returns the argument of a user as a frame or dict of columns. Raises InputError for anything else."""
    if hasattr(table, "to_frame") and not hasattr(table, "columns"):  # a column or an index of pandas
        return table.to_frame()[[]] if hasattr(table, "tz") else table.to_frame()
    if isinstance(table, tuple) and any(hasattr(part, "columns") for part in table):
        raise input_error(where, "is a tuple", "functions of pvlib.iotools return the frame together with its metadata", "give the frame alone")
    if hasattr(table, "columns") or isinstance(table, Mapping):
        return table
    raise input_error(where, f"{describe(table)} is not a frame", "", advice)


def find_times(frame: Any, where: str) -> tuple[Any, list[Any]]:
    """Returns the times of a frame, from its index or from a column, and the columns that they come from; None if it has no times."""
    columns = [label for label in list_labels(frame, where) if is_time(label)]
    index = getattr(frame, "index", None) if hasattr(frame, "columns") else None
    if index is not None and hasattr(index, "tz"):
        if columns:
            warn(f"{where}: columns that are not used, because the index has the times: {', '.join(map(str, columns))}")
        return index, columns
    if not columns:
        return None, columns
    pandas = load("pandas", f"{where}: a column of times")
    try:
        return pandas.DatetimeIndex(pandas.to_datetime(frame[columns[0]])), columns
    except (TypeError, ValueError) as error:
        raise input_error(f"{where}: {columns[0]}", f"cannot be read as times: {str(error).splitlines()[0]}", "",
                          "make them the index: frame.set_index(pandas.to_datetime(frame.pop('time'), utc=True))") from None


def write_times(times: Any, where: str) -> list[str]:
    """Returns times as ISO 8601 with their offsets from UTC. Raises InputError for missing ones."""
    for row, missing in enumerate(times.isna()):
        if missing:
            raise input_error(f"{where}.index[{row}]", "there is no time", "", "leave such rows out: frame[frame.index.notna()]")
    # Historical offsets with seconds have no spelling in ISO 8601.
    if any(time.utcoffset().total_seconds() % 60 for time in times):
        times = times.tz_convert("UTC")
    return [time.isoformat() for time in times]


def name_zone(zone: Any) -> str:
    """Returns the name of a time zone ("Europe/Berlin"), or an empty text if it is only an offset."""
    name = getattr(zone, "key", None) or getattr(zone, "zone", None)
    return name if isinstance(name, str) else ""


def in_zone(times: Any, texts: Sequence[str], zone: str) -> Any:
    """Returns times in the zone of this name, or with the offset from UTC of their texts if it is the same for all; otherwise in UTC."""
    try:
        if zone:
            return times.tz_convert(zone)
    except (KeyError, ValueError):
        pass  # This computer does not know the zone.
    offsets = {datetime.fromisoformat(f"2000-01-01T00:00:00{text[-6:]}").tzinfo for text in texts}
    return times.tz_convert(offsets.pop()) if len(offsets) == 1 else times


def require_zone(times: Any, where: str, why: str) -> None:
    """Raises InputError for times without a time zone."""
    if times.tz is None:
        raise input_error(where, "its times have no time zone", why, 'give them theirs, for example frame.tz_localize("Europe/Berlin")')


def _rows(source: Any, suns: Any, where: str) -> tuple[dict[str, list[Any]], Any]:
    """Returns the columns by their names in the program, and the frame's times."""
    suns = as_frame(suns, where, "give a frame with azimuth, apparent_elevation and dni, or with a DatetimeIndex that has a time zone")
    times, used = find_times(suns, where)
    azimuth, elevation = find(suns, AZIMUTH, where), find(suns, ELEVATION, where)
    dni = find(suns, IRRADIANCE, where, missing_allowed=True)
    has_angles = azimuth is not None or elevation is not None
    ignored = check_others(suns, {IRRADIANCE: dni, **({AZIMUTH: azimuth, ELEVATION: elevation} if has_angles or times is None else {})}, where, used)
    rows: dict[str, list[Any]] = {}
    if azimuth is not None and elevation is not None:
        check_angles(azimuth, elevation, where)
        rows = {"azimuth_deg": [value % 360.0 for value in azimuth.values], "elevation_deg": elevation.values}
        if times is not None and times.tz is not None:
            rows["time"] = write_times(times, where)
    elif times is not None:
        if has_angles:
            lone = azimuth or elevation
            raise input_error(f"{where}: {lone.name if lone else ''}", "is the only angle", "both angles make the position together",
                              "add the other one, or drop it so that HelioRay computes both from the times")
        require_zone(times, where, "the sun's position depends on it")
        rows = {"time": write_times(times, where)}
    else:
        raise input_error(where, "has neither the columns azimuth and apparent_elevation nor times", "",
                          "give a frame of pvlib.solarposition.get_solarposition, or make its times a DatetimeIndex: pandas.to_datetime")
    if dni is not None:
        rows["dni_w_m2"] = dni.values
    temperature = find(suns, TEMPERATURE, where, missing_allowed=True)
    if temperature is not None:
        rows["temperature_c"] = [math.nan if is_missing(value) else value for value in temperature.values]
    if len({len(column) for column in rows.values()}) != 1 or not len(next(iter(rows.values()))):
        raise input_error(where, "has no rows, or columns of different lengths", "", "give a value of each column for each position")
    if dni is not None:
        rows["dni_w_m2"] = _by_day(source, rows, f"{where}: {dni.name}")
    warn_of_unused(ignored, where)
    return rows, times


def _by_day(source: Any, rows: Mapping[str, list[Any]], where: str) -> list[float]:
    """Returns the irradiance with 0 for the values that instruments write at night. Raises InputError for such values by day."""
    dni = list(rows["dni_w_m2"])
    doubtful = [row for row, value in enumerate(dni) if value < 0 or is_missing(value)]
    if not doubtful:
        return dni
    if "elevation_deg" in rows:
        heights = [rows["elevation_deg"][row] for row in doubtful]
    else:
        plant = plant_core(source)
        place = _core.Source(plant=plant, file="" if plant else str(source), settings=[], caller=where)
        heights = _core.sun_elevations(place, [rows["time"][row] for row in doubtful])
    for row, height in zip(doubtful, heights):
        if height > 0:
            what = "is not a finite number" if dni[row] != dni[row] else "stands for a missing value" if is_missing(dni[row]) else "is negative"
            raise input_error(f"{where}[{row}]", f"{dni[row]:g} {what}", f"the sun is up, at {height:.3g} degrees",
                              'leave such rows out: suns.dropna(); small negative values: suns["dni"].clip(lower=0)')
        dni[row] = 0.0
    return dni


def _check_irradiance(source: Any, has_column: bool, keys: Mapping[str, Any], where: str) -> None:
    """Raises InputError if the irradiance is given twice or, for a plant, not at all."""
    sun = keys.get("sun")
    section = sun if isinstance(sun, Mapping) else {}
    stated = [name for name in ("dni", "dni_w_m2") if keys.get(name) is not None] + (['sun={"dni_w_m2": ...}'] if "dni_w_m2" in section else [])
    if has_column and stated:
        raise input_error(where, f"has a column of irradiance, and {stated[0]} is given as well", "they may contradict each other", "keep one of them")
    plant = plant_core(source)
    if has_column or stated or plant is None or "dni_w_m2:" in plant.config:
        return
    raise input_error(where, "has no column dni, and no irradiance is given", "HelioRay does not guess it",
                      "add the column dni (W/m2), or say that it is the same for all positions: dni=1000")


def _lit(rows: Mapping[str, Sequence[Any]]) -> list[bool] | None:
    """Returns which rows have light, if their angles are known; the program skips the others."""
    if "elevation_deg" not in rows:
        return None
    dni = rows.get("dni_w_m2") or [1.0] * len(rows["elevation_deg"])
    return [elevation > 0 and irradiance > 0 for elevation, irradiance in zip(rows["elevation_deg"], dni)]
