# SPDX-License-Identifier: MIT
"""What the program prints about a result."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol, Union

from . import _core
from .configuration import output_text, word


class _Core(Protocol):
    def facts(self) -> bytes: ...

    def summary(self) -> bytes: ...


def json_of(text: bytes) -> dict[str, Any]:
    """An object that the program writes as JSON."""
    parsed: dict[str, Any] = json.loads(text.decode("utf-8", "replace"))
    return parsed


def page_of(make: Callable[[Union[str, None]], bytes], title: Any, path: str | os.PathLike[str] | None, where: str) -> str:
    """A web page with a title, with a path also as a file. where: the caller, for messages."""
    file = None if path is None else output_text(path, where, "page")
    page = make(None if title is None else word(title, f"{where}: title"))
    if file is not None:
        _core.write_file(file, page)
    return page.decode("utf-8", "replace")


def warned(warnings: list[str]) -> str:
    """The end of a text that names a result."""
    return "".join(f"; warning: {warning}" for warning in warnings)


class Printed:
    """A result that the program prints as tables and with --json."""

    def __init__(self, core: _Core) -> None:
        self._printed = core

    @property
    def facts(self) -> dict[str, Any]:
        """What the program prints with --json."""
        return json_of(self._printed.facts())

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

    def __reduce__(self) -> tuple[Any, ...]:
        with TemporaryDirectory(prefix="helioray_") as folder:
            file = Path(folder) / "result.h5"
            self.write(file)
            return _restore, (type(self), file.read_bytes())

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the file (HDF5) of the program, complete or not at all."""
        raise NotImplementedError

    @classmethod
    def of_file(cls, file: str) -> PrintedPositions:
        """What the program's file holds."""
        raise NotImplementedError


def _restore(kind: type[PrintedPositions], content: bytes) -> PrintedPositions:
    with TemporaryDirectory(prefix="helioray_") as folder:
        file = Path(folder) / "result.h5"
        file.write_bytes(content)
        return kind.of_file(str(file))
