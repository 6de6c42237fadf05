# SPDX-License-Identifier: MIT
"""What the program prints about a result."""

from __future__ import annotations

import json
from typing import Any, Protocol


class _Core(Protocol):
    def facts(self) -> bytes: ...

    def summary(self) -> bytes: ...


def json_of(text: bytes) -> dict[str, Any]:
    """An object that the program writes as JSON."""
    parsed: dict[str, Any] = json.loads(text.decode("utf-8", "replace"))
    return parsed


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
