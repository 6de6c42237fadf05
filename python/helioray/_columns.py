# SPDX-License-Identifier: MIT
"""Columns of frames: which quantity each one holds, by the names and units that weather services and other programs write."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ._warnings import warn
from .configuration import input_error, number, shown

_ANGLES = {"deg": 1.0, "degree": 1.0, "degrees": 1.0, "rad": math.degrees(1.0), "radian": math.degrees(1.0), "radians": math.degrees(1.0)}
_IRRADIANCES = {"w_m2": 1.0, "wm2": 1.0, "watts_per_meter_squared": 1.0, "kw_m2": 1e3, "kwm2": 1e3}
_MOST_TOLD = 12  # columns in a warning
_MISSING = (-999.0, -9999.0, -99999.0, 9999.0, 99999.0)  # numbers that loggers and weather files write where there is no value


@dataclasses.dataclass(frozen=True, eq=False)
class Quantity:
    """What a column can hold. ranks: its names, the better ones first; a frame may have names of several ranks, and the first one counts.
    units: factors to the unit of the program, by the unit's name. words: of names that may mean the quantity without being known. complement: ranks
    that hold 90 degrees minus the quantity."""

    label: str
    ranks: tuple[frozenset[str], ...]
    units: Mapping[str, float]
    words: frozenset[str]
    complement: frozenset[int] = frozenset()


AZIMUTH = Quantity("azimuth", (frozenset({"azimuth", "solar_azimuth", "sun_azimuth", "azimuth_angle", "solar_azimuth_angle", "sun_azimuth_angle"}),), _ANGLES,
                   frozenset({"azimuth", "azi"}))
ELEVATION = Quantity("elevation", (
    frozenset({"apparent_elevation", "solar_apparent_elevation", "apparent_solar_elevation"}),
    frozenset({"apparent_zenith", "solar_apparent_zenith", "apparent_solar_zenith"}),
    frozenset({"elevation", "solar_elevation", "sun_elevation", "elevation_angle", "solar_elevation_angle", "solar_altitude", "sun_altitude", "h_sun",
               "solar_height", "sun_height"}),
    frozenset({"zenith", "solar_zenith", "sun_zenith", "zenith_angle", "solar_zenith_angle", "sza"})), _ANGLES, frozenset({"elevation", "zenith", "altitude"}), frozenset({1, 3}))
IRRADIANCE = Quantity("dni", (frozenset({
    "dni", "beam", "beam_irradiance", "beam_normal", "beam_normal_irradiance", "bni", "dn", "ebn", "gb_n", "direct_normal", "direct_normal_irradiance",
    "direct_normal_radiation", "normal_direct_irradiance", "direct_n", "direct_normal_calc", "direct_normal_irradiance_dni",
    "allsky_sfc_sw_dni"}),), _IRRADIANCES,
    frozenset({"dni", "bni", "dn", "ebn", "beam", "direct", "normal", "irradiance", "irradiation", "radiation", "insolation"}))
TIMES = frozenset({"time", "times", "timestamp", "datetime", "date_time"})

# Columns that weather files and pvlib have besides, and that the position of the sun and its direct light do not need.
_USUAL = frozenset({
    "equation_of_time", "ghi", "dhi", "gh", "dh", "df", "global", "diffuse", "global_horizontal", "diffuse_horizontal", "global_horizontal_irradiance",
    "diffuse_horizontal_irradiance", "ghi_clear", "dhi_clear", "dni_clear", "clearsky_ghi", "clearsky_dhi", "clearsky_dni", "clearsky_gh", "clearsky_dn",
    "clearsky_df", "ghi_extra", "dni_extra", "etr", "etrn", "t2m", "sp", "ws10m", "wd10m", "rh", "tdry", "twet", "tdew", "tamb", "pres", "ir_h", "int",
    "alpha", "beta", "fill_flag", "date", "year", "month", "day", "hour", "minute", "second", "time"})
# Words of names of other weather.
_WEATHER = frozenset({"temp", "temperature", "bulb", "dew", "dewpoint", "humidity", "rhum", "pressure", "wind", "wspd", "wdir", "albedo", "alb", "precipitable",
                      "precipitation", "precip", "lprecip", "pwat", "water", "rain", "snow", "cloud", "cloudcover", "cld", "totcld", "opqcld", "sky", "hvis", "visibility",
                      "ceilhgt", "ceiling", "illum", "lum", "aod", "aerosol", "ozone", "weather", "present"})
# Words of names that could decide a result: properties of a step that have no column here.
_DECISIVE = frozenset({"reflectivity", "reflectance", "soiling", "cleanliness", "availability", "attenuation", "csr", "sunshape", "sigma", "slope",
                       "target", "aim", "active"})


def _plain_name(column: Any) -> str:
    """The name of a column in small letters, with "_" for everything between words."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", str(column).replace("kW", "kw"))
    text = words.lower().replace("²", "2").replace("^2", "2").replace("m-2", "m2").replace("°", "deg")
    return re.sub(r"[^a-z0-9]+", "_", text).strip("_")


def _split(column: Any, quantity: Quantity) -> tuple[int, str] | None:
    """The rank of the quantity's name that a column has, and its unit ("" where none is written); None for other columns."""
    name = _plain_name(column)
    for rank, names in enumerate(quantity.ranks):
        if name in names:
            return rank, ""
        bracket = re.search(r"^(.*?)\s*[\[(](.*?)[\])]\s*$", str(column))
        if bracket and _plain_name(bracket[1]) in names:
            return rank, _plain_name(bracket[2]) or "1"
        for unit in quantity.units:
            if name.endswith(f"_{unit}") and name.removesuffix(f"_{unit}") in names:
                return rank, unit
    return None


@dataclasses.dataclass
class Found:
    """A column of a quantity in the unit of the program, and the name and unit that its frame gives it."""

    name: str
    unit: str
    values: list[float]
    is_complement: bool = False


def labels_of(frame: Any, where: str) -> list[Any]:
    """The columns of a frame or dict; InputError for columns of several levels."""
    labels = list(frame.columns) if hasattr(frame, "columns") else list(frame)
    for label in labels:
        if isinstance(label, tuple):
            raise input_error(where, f"its columns have several levels: {shown(label)}", "", "choose one level: frame.droplevel(0, axis=1)")
    return labels


def find(frame: Any, quantity: Quantity, where: str, *, missing_allowed: bool = False) -> Found | None:
    """The column of a quantity; None where the frame has none. InputError for unknown units, for two columns that differ, and for values that
    cannot be in the unit."""
    candidates: list[tuple[int, Any, str]] = []
    for label in labels_of(frame, where):
        split = _split(label, quantity)
        if split is None:
            continue
        if split[1] and split[1] not in quantity.units:
            raise input_error(f"{where}: {label}", f"its unit is not known for {quantity.label}", "numbers in another unit would be taken for another size",
                              f"convert it, and name it {quantity.label} ({' or '.join(_shown_units(quantity))})")
        candidates.append((split[0], label, split[1]))
    if not candidates:
        return None
    best = min(rank for rank, _, _ in candidates)
    columns = [Found(str(label), unit, _values(frame[label], f"{where}: {label}", quantity.units[unit] if unit else 1.0, missing_allowed))
               for rank, label, unit in candidates if rank == best]
    first = columns[0]
    for other in columns[1:]:
        if not _equal(first.values, other.values):
            raise input_error(f"{where}: {other.name}", f"differs from the column {first.name}", f"both are the {quantity.label}", "drop one of them")
    _check_size(first, quantity, where)
    if best in quantity.complement:
        first.is_complement = True
        first.values = [90.0 - value for value in first.values]
    return first


def _shown_units(quantity: Quantity) -> list[str]:
    return ["W/m2", "kW/m2"] if quantity is IRRADIANCE else ["deg", "rad"]


def _equal(first: Sequence[float], second: Sequence[float]) -> bool:
    return len(first) == len(second) and all(a == b or (math.isnan(a) and math.isnan(b)) for a, b in zip(first, second))


def _values(column: Any, where: str, factor: float, missing_allowed: bool) -> list[float]:
    if isinstance(column, (str, bytes, Mapping)) or not isinstance(column, Iterable):
        raise input_error(where, f"{shown(column)} is no column", "", "give a list of numbers")
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
        result.append(found if found in _MISSING else found * factor)
    return result


def _check_size(column: Found, quantity: Quantity, where: str) -> None:
    """Warns of irradiance that seems to be in kW/m2 where no unit is named."""
    present = [value for value in column.values if value > 0 and value not in _MISSING]
    if quantity is IRRADIANCE and not column.unit and present and max(present) < 2.0:
        warn(f"{where}: {column.name}: is at most {max(present):g} W/m2; if it is in kW/m2, name the column dni_kw_m2, and else dni_w_m2")


def check_angles(azimuth: Found, elevation: Found, where: str) -> None:
    """Refuses angles that must be in radians where no unit is named, and warns of azimuths that may count in another direction."""
    if azimuth.unit or elevation.unit or not azimuth.values or not elevation.values:
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
    """Whether a number stands for a value that was not measured."""
    return math.isnan(irradiance) or irradiance in _MISSING


def check_others(frame: Any, found: Mapping[Quantity, Found | None], where: str, other: Iterable[Any] = ()) -> list[str]:
    """Refuses columns that could decide the result and are not known. Returns the names of others that are not used. found: the quantities that the call can use, with
    their columns. other: columns that the caller uses itself."""
    ignored = []
    for label in labels_of(frame, where):
        name = _plain_name(label)
        if label in other or any(_split(label, quantity) for quantity in (AZIMUTH, ELEVATION, IRRADIANCE)):
            continue
        words = set(name.split("_"))
        for quantity, column in found.items():
            if column is None and words & quantity.words:
                raise input_error(f"{where}: {label}", f"the column is not known, and the frame has no column {quantity.label}", "it could decide the result",
                                  f"rename it to {quantity.label} if it is that, or drop it")
        if _is_usual(label):
            continue
        if words & _DECISIVE:
            raise input_error(f"{where}: {label}", "the column is not known", "it could decide the result, and positions of the sun have no such column",
                              "drop it, and give such values as keywords of the call")
        ignored.append(str(label))
    return ignored


def tell_ignored(ignored: Sequence[str], where: str) -> None:
    """Warns of columns that are not used."""
    if ignored:
        more = f" and {len(ignored) - _MOST_TOLD} more" if len(ignored) > _MOST_TOLD else ""
        warn(f"{where}: columns that are not used: {', '.join(ignored[:_MOST_TOLD])}{more}")


def _is_usual(label: Any) -> bool:
    """Whether a column is known and not needed: other weather, or what is written beside a quantity, such as "DNI source"."""
    name = _plain_name(label)
    if set(name.split("_")) & _WEATHER:
        return True
    without_unit = _plain_name(re.sub(r"[\[(].*?[\])]", "", str(label)))
    return any(re.sub(r"_(source|uncert|uncertainty|flag|units?)$", "", one) in _USUAL | IRRADIANCE.ranks[0] for one in (name, without_unit))
