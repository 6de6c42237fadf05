# SPDX-License-Identifier: MIT
"""Columns of frames: finds the quantity of each one by the names and units that weather services and other programs write."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .. import _core
from .configuration import describe, input_error, number
from .warnings import warn

_MOST_LISTED = 12  # columns listed in a warning
_MISSING = (-999.0, -9999.0, -99999.0, 9999.0, 99999.0)  # marks of missing values in loggers and weather files


@dataclasses.dataclass(frozen=True)
class Quantity:
    """A quantity of a column. column: the program's name of it, with its unit; the program knows the other names and units. units: the units that messages name."""

    label: str
    column: str
    units: tuple[str, str]


AZIMUTH = Quantity("azimuth", "azimuth_deg", ("deg", "rad"))
ELEVATION = Quantity("elevation", "elevation_deg", ("deg", "rad"))
IRRADIANCE = Quantity("dni", "dni_w_m2", ("W/m2", "kW/m2"))
TEMPERATURE = Quantity("temperature", "temperature_c", ("C", "K"))


def is_time(label: Any) -> bool:
    """Returns True if a column has the times of the rows."""
    return _core.match_column(str(label), "time") is not None


def _match(label: Any, quantity: Quantity) -> _core.ColumnMatch | None:
    return _core.match_column(str(label), quantity.column)


@dataclasses.dataclass
class Found:
    """A column of a quantity in the unit of the program. name: the column's name in its frame; has_unit: True if this name contains the unit."""

    name: str
    has_unit: bool
    values: list[float]
    is_complement: bool = False


def list_labels(frame: Any, where: str) -> list[Any]:
    """Returns the columns of a frame or dict. Raises InputError for columns of several levels."""
    labels = list(frame.columns) if hasattr(frame, "columns") else list(frame)
    for label in labels:
        if isinstance(label, tuple):
            raise input_error(where, f"its columns have several levels: {describe(label)}", "", "choose one level: frame.droplevel(0, axis=1)")
    return labels


def find(frame: Any, quantity: Quantity, where: str, *, missing_allowed: bool = False) -> Found | None:
    """Returns the column of a quantity, or None if the frame has none. Raises InputError for unknown units, for two columns that differ, and for values that
    cannot be in the unit."""
    candidates: list[tuple[Any, _core.ColumnMatch]] = []
    for label in list_labels(frame, where):
        match = _match(label, quantity)
        if match is None:
            continue
        if match.is_wrong_unit:
            raise input_error(f"{where}: {label}", f"its unit is not known for {quantity.label}", "numbers in another unit would be taken for another size",
                              f"convert it, and name it {quantity.label} ({' or '.join(quantity.units)})")
        candidates.append((label, match))
    if not candidates:
        return None
    best = min(match.rank for _, match in candidates)
    columns = [Found(str(label), match.has_unit, _values(frame[label], f"{where}: {label}", match, missing_allowed), match.offset != 0)
               for label, match in candidates if match.rank == best]
    first = columns[0]
    for other in columns[1:]:
        if not _equal(first.values, other.values):
            raise input_error(f"{where}: {other.name}", f"differs from the column {first.name}", f"both are the {quantity.label}", "drop one of them")
    _check_size(first, quantity, where)
    return first


def _equal(first: Sequence[float], second: Sequence[float]) -> bool:
    return len(first) == len(second) and all(a == b or (math.isnan(a) and math.isnan(b)) for a, b in zip(first, second))


def _values(column: Any, where: str, match: _core.ColumnMatch, missing_allowed: bool) -> list[float]:
    if isinstance(column, (str, bytes, Mapping)) or not isinstance(column, Iterable):
        raise input_error(where, f"{describe(column)} is no column", "", "give a list of numbers")
    if hasattr(column, "columns"):
        raise input_error(where, "the frame has several columns of this name", "", "drop all but one of them")
    values = column.tolist() if hasattr(column, "tolist") else list(column)
    result = []
    for row, value in enumerate(values):
        if missing_allowed and (value is None or value != value or str(value) == "<NA>"):
            result.append(math.nan)
            continue
        found = number(value, f"{where}[{row}]", "leave such rows out: suns.dropna()")
        if not missing_allowed and not math.isfinite(found):
            raise input_error(f"{where}[{row}]", f"{found} is not a finite number", "", "leave such rows out: suns.dropna()")
        result.append(found if found in _MISSING else match.offset + match.factor * found)
    return result


def _check_size(column: Found, quantity: Quantity, where: str) -> None:
    """Warns of irradiance without a unit that seems to be in kW/m2."""
    present = [value for value in column.values if value > 0 and value not in _MISSING]
    if quantity is IRRADIANCE and not column.has_unit and present and max(present) < 2.0:
        warn(f"{where}: {column.name}: is at most {max(present):g} W/m2; if it is in kW/m2, name the column dni_kw_m2, and else dni_w_m2")


def check_angles(azimuth: Found, elevation: Found, where: str) -> None:
    """Refuses angles without a unit that must be in radians, and warns of azimuths that may count in another direction."""
    if azimuth.has_unit or elevation.has_unit or not azimuth.values or not elevation.values:
        return
    heights, highest = (([90.0 - value for value in elevation.values], math.pi) if elevation.is_complement else (elevation.values, math.pi / 2))
    if any(azimuth.values) and max(map(abs, azimuth.values)) <= 2 * math.pi and max(map(abs, heights)) <= highest:
        raise input_error(f"{where}: {azimuth.name} and {elevation.name}", "seem to be in radians", "angles are in degrees",
                          f"convert them with numpy.degrees() or name them {azimuth.name}_rad and {elevation.name}_rad; if they are in degrees, name them "
                          f"{azimuth.name}_deg and {elevation.name}_deg")
    if min(azimuth.values) < 0:
        warn(f"{where}: {azimuth.name}: has negative values, which are taken as clockwise from north (-90 is west); convert azimuths that count from south "
             "or to the west, or use the range from 0 to 360")


def is_missing(irradiance: float) -> bool:
    """Returns True if a number marks a value that was not measured."""
    return math.isnan(irradiance) or irradiance in _MISSING


def check_others(frame: Any, found: Mapping[Quantity, Found | None], where: str, other: Iterable[Any] = ()) -> list[str]:
    """Refuses unknown columns that could decide the result. Returns the names of other columns that are not used. found: the quantities that the call can use,
    with their columns. other: columns that the caller uses itself."""
    ignored = []
    for label in list_labels(frame, where):
        text = str(label)
        if label in other or any(_match(label, quantity) for quantity in (AZIMUTH, ELEVATION, IRRADIANCE, TEMPERATURE)):
            continue
        for quantity, column in found.items():
            if column is None and _core.may_mean(text, quantity.column):
                raise input_error(f"{where}: {text}", f"the column is not known, and the frame has no column {quantity.label}", "it could decide the result",
                                  f"rename it to {quantity.label} if it is that, or drop it")
        if _core.is_usual_weather(text):
            continue
        if _core.could_decide(text):
            raise input_error(f"{where}: {text}", "the column is not known", "it could decide the result, and positions of the sun have no such column",
                              "drop it, and give such values as keywords of the call")
        ignored.append(text)
    return ignored


def warn_of_unused(ignored: Sequence[str], where: str) -> None:
    """Warns of unused columns."""
    if ignored:
        more = f" and {len(ignored) - _MOST_LISTED} more" if len(ignored) > _MOST_LISTED else ""
        warn(f"{where}: columns that are not used: {', '.join(ignored[:_MOST_LISTED])}{more}")
