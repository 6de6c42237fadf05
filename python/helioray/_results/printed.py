# SPDX-License-Identifier: MIT
"""Output of the program about a result: JSON, tables and pages."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any, Protocol, Union

from .. import _core
from .._input.configuration import output_text, word


class _Core(Protocol):
    def facts(self) -> bytes: ...

    def summary(self) -> bytes: ...


def parse_json(text: bytes) -> dict[str, Any]:
    """Parses an object that the program writes as JSON."""
    parsed: dict[str, Any] = json.loads(text.decode("utf-8", "replace"))
    return parsed


def make_page(make: Callable[[Union[str, None]], bytes], title: Any, path: str | os.PathLike[str] | None, where: str) -> str:
    """Returns a web page with a title; with a path also writes it. where: the caller, for messages."""
    file = None if path is None else output_text(path, where, "page")
    page = make(None if title is None else word(title, f"{where}: title"))
    if file is not None:
        _core.write_file(file, page)
    return page.decode("utf-8", "replace")


def format_warnings(warnings: list[str]) -> str:
    """Returns the warnings as the end of a text that names a result."""
    return "".join(f"; warning: {warning}" for warning in warnings)


class Printed:
    """A result that the program prints as tables, and as JSON with --json."""

    def __init__(self, core: _Core) -> None:
        self._printed = core

    @property
    def facts(self) -> dict[str, Any]:
        """The JSON object that the program prints with --json."""
        return parse_json(self._printed.facts())

    @property
    def summary(self) -> str:
        """The tables that the program prints."""
        return self._printed.summary().decode("utf-8", "replace")


class PrintedPositions(Printed):
    """A result of many positions of the sun."""

    @property
    def fingerprint(self) -> str:
        """A hash over the fingerprints of all positions of the sun."""
        return str(self.facts["fingerprint"])

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the file (HDF5) of the program, complete or not at all."""
        raise NotImplementedError

    @classmethod
    def of_file(cls, file: str) -> PrintedPositions:
        """Reads the program's file."""
        raise NotImplementedError
