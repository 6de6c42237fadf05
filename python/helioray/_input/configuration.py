# SPDX-License-Identifier: MIT
"""Sun shapes, and the values of arguments: conversion and messages."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import operator
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .. import _core

MOST_CHARACTERS = 80  # characters of a value in messages
MOST_WHOLE = 2**31 - 1
MOST_BITS = 1024  # of a whole number; the largest double has as many


class SunShape:
    """The angular distribution of sunlight; see its subclasses. Their arguments are the keys of sun.shape, whose ranges configs/README.md lists."""

    def setting(self) -> dict[str, Any]:
        """Returns the value of the key sun.shape: the type, which is the name of the class in lower case, and the arguments that are given."""
        word = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(self).__name__).lower()
        return {"type": word, **{key: value for key, value in vars(self).items() if value is not None}}


@dataclasses.dataclass(frozen=True)
class Buie(SunShape):
    """Disc and circumsolar region (Buie). csr: circumsolar ratio; calibration: how the shape follows from the ratio."""

    csr: float
    calibration: str = _core.key_info("sun.shape.calibration")["default"]


@dataclasses.dataclass(frozen=True)
class Gaussian(SunShape):
    """A normal distribution. sigma_mrad: standard deviation per axis in mrad."""

    sigma_mrad: float


@dataclasses.dataclass(frozen=True)
class Pillbox(SunShape):
    """Constant radiance. half_angle_mrad: angular radius of the disc in mrad."""

    half_angle_mrad: float


@dataclasses.dataclass(frozen=True)
class LimbDarkened(SunShape):
    """The solar disc, darker towards its rim."""


@dataclasses.dataclass(frozen=True)
class Collimated(SunShape):
    """All light from one direction."""


@dataclasses.dataclass(frozen=True)
class GaussSum(SunShape):
    """A sum of normal distributions. terms: pairs of sigma in mrad and fraction of the power."""

    terms: Sequence[tuple[float, float]]


@dataclasses.dataclass(frozen=True)
class Table(SunShape):
    """Radiance by angle. file: a CSV file of angle in mrad and relative radiance; radiance: such pairs, instead of a file."""

    file: str | os.PathLike[str] | None = None
    radiance: Sequence[tuple[float, float]] | None = None


def describe(value: Any) -> str:
    """Returns the text of any object for messages, at most a line."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001  (unknown classes, or numbers and lists beyond the limits of repr, may raise anything)
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}..."


def plain(value: Any, name: str) -> Any:
    """Converts a value to the types of JSON. Raises InputError for anything that a configuration cannot contain."""
    try:
        return _plain(value, name)
    except RecursionError:
        raise input_error(name, "its lists and dicts are nested too deeply, or contain themselves", "", "give a number, text, list or dict") from None


def _plain(value: Any, name: str) -> Any:
    if isinstance(value, SunShape):
        return _plain(value.setting(), name)
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise input_error(name, f"a whole number of {value.bit_length()} bits is too large", "", "check the number")
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return float(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (datetime.datetime, datetime.date)):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): _plain(item, f"{name}.{key}") for key, item in value.items()}
    if hasattr(value, "tolist"):  # NumPy's scalars and arrays, pandas' columns
        return _plain(value.tolist(), name)
    if isinstance(value, (list, tuple, set, frozenset, range)):
        return [_plain(item, name) for item in value]
    raise input_error(name, f"{describe(value)} cannot be a value of a configuration", "", "give a number, text, list or dict")


def input_error(where: str, what: str, why: str = "", advice: str = "") -> _core.InputError:
    """Returns an InputError with the same form as the program's."""
    text = f"{where}: {what}" + (f" ({why})" if why else "") + (f"; {advice}" if advice else "")
    error = _core.InputError(text)
    error.problems = [(where, what, why, advice)]
    return error


@contextlib.contextmanager
def rename_in_errors(file: str, name: str) -> Iterator[None]:
    """Makes errors about a temporary file name its origin `name`. It also replaces options of the program by keywords."""
    try:
        yield
    except _core.InputError as error:
        renamed = _core.InputError(str(error).replace(file, name))
        renamed.problems = [(where.replace(file, name), what.replace(file, name), why.replace(file, name), advice.replace(file, name))
                         for where, what, why, advice in error.problems]
        raise renamed from None


def number(value: Any, where: str, advice: str = "give a number") -> float:
    """Converts a number of any type. Raises InputError for anything else."""
    try:
        if isinstance(value, complex) or getattr(getattr(value, "dtype", None), "kind", "") == "c":
            raise TypeError
        if getattr(value, "ndim", 0) and getattr(value, "size", 0) == 1:  # NumPy deprecates float() of arrays with dimensions
            value = value.item()
        return float(value)
    except (TypeError, ValueError):
        raise input_error(where, f"{describe(value)} is not a number", "", advice) from None
    except OverflowError:
        raise input_error(where, f"{describe(value)} is too large", "it is beyond 1.8e308", advice) from None


def several(values: Any, count: int, where: str, advice: str) -> tuple[float, ...]:
    """Returns `count` numbers. Raises InputError for anything else."""
    try:
        found = tuple(number(value, where) for value in values)
    except (TypeError, _core.InputError):
        found = ()
    if len(found) != count:
        raise input_error(where, f"{describe(values)} is not {count} numbers", "", advice)
    return found


def whole(value: Any, where: str) -> int:
    """Converts a whole number of any type, within the range of the extension module. Raises InputError for anything else."""
    try:
        index = operator.index(value)
    except TypeError:
        index = MOST_WHOLE + 1
    if isinstance(value, bool) or abs(index) > MOST_WHOLE:
        raise input_error(where, f"{describe(value)} is not a whole number up to {MOST_WHOLE}", "", "give one, such as 9")
    return index


def switch(value: Any, where: str) -> bool:
    """True or False, also NumPy's; InputError for anything else, such as the word "no"."""
    if isinstance(value, bool) or (getattr(getattr(value, "dtype", None), "kind", "") == "b" and getattr(value, "shape", None) == ()):
        return bool(value)
    raise input_error(where, f"{describe(value)} is neither True nor False", "", "give one of the two")


def word(value: Any, where: str) -> str:
    """Returns a text that the extension module accepts. Raises InputError for anything else."""
    if not isinstance(value, str):
        raise input_error(where, f"{describe(value)} is no text", "", "give a text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise input_error(where, f"{describe(value)} is not Unicode text", "it holds half of a character", "check its encoding") from None
    return value


def list_names(names: Any, where: str) -> list[str]:
    """Returns one or several names as a list. Raises InputError for anything else."""
    if isinstance(names, str):
        return [word(names, where)]
    if isinstance(names, (bytes, Mapping)) or not isinstance(names, Iterable):
        raise input_error(where, f"{describe(names)} is no list of names", "", "give names, as plant.heliostats and plant.targets have them")
    return [word(name, where) for name in names]


def path_text(path: Any, where: str) -> str:
    """Returns a path as text. Raises InputError for anything else."""
    try:
        text = os.fsdecode(path)
    except TypeError:
        raise input_error(where, f"{describe(path)} is no path", "", "give a text or a pathlib.Path") from None
    except UnicodeEncodeError:
        text = str(path)  # word() raises the error
    if "\0" in text:
        raise input_error(where, "the path contains a zero byte", "", "check the path")
    return word(text, where)


def output_text(path: Any, where: str, kind: str) -> str:
    """Returns the name of a file to be written. Raises the InputError of the program's commands for an extension of another kind. kind: hdf5, table or page."""
    text = path_text(path, where)
    _core.check_output(where, text, kind)
    return text


def path_texts(paths: Any, where: str) -> list[str]:
    """Returns one or several paths as texts. Raises InputError for anything else."""
    if isinstance(paths, (str, bytes, os.PathLike)):
        return [path_text(paths, where)]
    if isinstance(paths, Mapping) or not isinstance(paths, Iterable):
        raise input_error(where, f"{describe(paths)} is neither a path nor a list of paths", "", "give a text, a pathlib.Path or a list of them")
    return [path_text(path, where) for path in paths]
