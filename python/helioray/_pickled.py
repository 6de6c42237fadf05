# SPDX-License-Identifier: MIT
"""Pickled fits: the numbers, tables, files, pictures and pages that the program made.

The extension module's objects of calibrations, reconstructions and aim points hold much data that only their pictures need. A pickle has the
finished pictures instead, so that versions of the program need not read the data of others.
"""

from __future__ import annotations

import html
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Union

from . import _core
from .plant import Plant
from .run import Run

Fit = Union[_core.Aims, _core.AimSeries, _core.Calibration, _core.Reconstruction]

_FORMATS = ("png", "svg", "pdf")


class PickledFit:
    """Replaces an object of the extension module; has the methods that the package calls."""

    def __init__(self, core: Fit) -> None:
        self._facts = core.facts()
        self._values: dict[str, Any] = {}
        if isinstance(core, (_core.Calibration, _core.Reconstruction)):
            self._values.update(summary=core.summary(), plant=Plant(core.plant()))
        else:
            self._values.update(points=core.points(), result=Run(core.result()))
        self._files: dict[str, bytes] = {}
        # An update of a calibration has neither pictures nor a page; these errors are raised again.
        self._refusals: dict[str, _core.InputError] = {}
        with TemporaryDirectory(prefix="helioray_") as name:
            folder = Path(name)
            try:
                for format in _FORMATS:
                    file = folder / f"picture.{format}"
                    core.plot(str(file))
                    self._files[format] = file.read_bytes()
            except _core.InputError as refusal:
                self._refusals["plot"] = refusal
            try:
                self._files["html"] = core.report(None)
            except _core.InputError as refusal:
                self._refusals["report"] = refusal
            if isinstance(core, (_core.Aims, _core.AimSeries)):
                core.write(str(folder / "aims.csv"))
                self._files["csv"] = (folder / "aims.csv").read_bytes()

    def facts(self) -> bytes:
        return self._facts

    def summary(self) -> bytes:
        summary: bytes = self._values["summary"]
        return summary

    def plant(self) -> _core.Plant:
        plant: Plant = self._values["plant"]
        return plant._core

    def points(self) -> dict[str, list[Any]]:
        return dict(self._values["points"])

    def result(self) -> _core.Result:
        run: Run = self._values["result"]
        return run._core

    def write(self, file: str) -> None:
        _core.write_file(file, self._files["csv"])

    def plot(self, file: str) -> None:
        if "plot" in self._refusals:
            raise self._refusals["plot"]
        _core.check_picture(file)
        _core.write_file(file, self._files[Path(file).suffix.lstrip(".").lower()])

    def report(self, title: str | None) -> bytes:
        if "report" in self._refusals:
            raise self._refusals["report"]
        page = self._files["html"]
        if title is None:
            return page
        old, new = re.findall(b"<h1>(.*?)</h1>", page)[0], html.escape(title).encode("utf-8", "replace")
        for tag in (b"<title>", b"<h1>"):
            page = page.replace(tag + old, tag + new, 1)
        return page


def as_picklable(core: Fit | PickledFit) -> PickledFit:
    """Returns the form of an object that can be pickled."""
    return core if isinstance(core, PickledFit) else PickledFit(core)

