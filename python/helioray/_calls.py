# SPDX-License-Identifier: MIT
"""Parts that all calls that trace share: their source, progress and messages."""

from __future__ import annotations

import logging
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Union

from . import _core
from ._ranks import find_group
from ._warnings import HelioRayWarning
from .configuration import POSITION_KEYS, describe, input_error, path_text, rename_in_errors, run_settings

Progress = Union[bool, Callable[[int, int], Any], None]

_log = logging.getLogger("helioray")
_WARNING = 2  # value of run::LogLevel
MOST_THREADS = 4096


def _report_message(level: int, message: bytes) -> None:
    text = message.decode("utf-8", "replace")
    if level >= _WARNING:
        warnings.warn(text, HelioRayWarning, stacklevel=3)
    else:
        _log.log(logging.INFO if level else logging.DEBUG, "%s", text)


class _Line:
    """A line with the percentage on a terminal, for calls that take longer than a second."""

    def __init__(self) -> None:
        self.start = time.monotonic()
        self.text = ""

    def __call__(self, rays: int, expected: int) -> None:
        if not self.text and (time.monotonic() - self.start < 1 or rays >= expected):
            return
        text = f"\rhelioray: {100 * rays // expected} %"
        if rays >= expected:
            text = "\r" + " " * len(self.text) + "\r"
        if text != self.text and _stderr_is_open():
            sys.stderr.write(text)
            sys.stderr.flush()
            self.text = text


def _stderr_is_open() -> bool:
    """Returns False for programs without a console, which have no stderr, and for scripts that closed it."""
    return sys.stderr is not None and not sys.stderr.closed


def make_call(progress: Progress, threads: int, ranks: bool = False) -> _core.Call:
    """Returns the options of a call. progress: a function of (rays, expected), True for a line on stderr, None for such a line on terminals and in
    notebooks only. ranks: this process is one of several that a launcher started."""
    if isinstance(threads, bool) or not isinstance(threads, int) or not 0 <= threads <= MOST_THREADS:
        raise input_error("threads", f"{describe(threads)} is not a number of threads", "", f"give a whole number from 0 (all cores) to {MOST_THREADS}")
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise input_error("progress", f"{describe(progress)} cannot be called", "", "give a function of (rays, expected), True or False")
    if not isinstance(ranks, bool):
        raise input_error("ranks", f"{describe(ranks)} is neither True nor False", "", "give True where a launcher started several processes of the script")
    if progress is None:
        progress = "ipykernel" in sys.modules or (_stderr_is_open() and sys.stderr.isatty())
    return _core.Call(progress=_Line() if progress is True else progress or None, log=_report_message, threads=threads, ranks=ranks,
                      group=find_group() if ranks else None)


def plant_core(source: Any) -> _core.Plant | None:
    """Returns the extension module's object of a plant, or None if the source is none."""
    core = getattr(source, "_core", None)
    return core if isinstance(core, _core.Plant) else None


def make_source(source: Any, keywords: Mapping[str, Any], caller: str, *, writes: bool = False, first: Sequence[str] = ()) -> _core.Source:
    """Returns the source of a trace. Output files of a configuration are written only if the call itself names them. first: settings that keywords may
    replace."""
    settings = [*first, *run_settings(keywords, caller)]
    asked = keywords.get("output")
    if asked is not None and not isinstance(asked, Mapping):
        raise input_error(f"{caller}: output", f"{describe(asked)} is no dict of keys", "output is a section of the configuration here",
                          'write output={"file": "result.h5"}')
    if not writes:
        settings += [f"output.{key}=null" for key in ("file", "image") if key not in (asked or {})]
    plant = plant_core(source)
    return _core.Source(plant=plant, file="" if plant else path_text(source, caller), settings=settings, caller=caller)


@contextmanager
def source_with_file(source: Any, keywords: Mapping[str, Any], caller: str, suns: _core.Suns | None = None) -> Iterator[_core.Source]:
    """Returns the source of a series. Series recognise a scenario by its file, so a plant without one is written to a temporary file. suns: positions that
    replace those of the source."""
    settings = [*run_settings(keywords, caller), "output.image=null"]
    if suns is not None:
        settings += [f"sun.{key}=null" for key in POSITION_KEYS]
    # Messages name keywords instead of the program's options.
    with rename_in_errors("--restart", "restart=True"), rename_in_errors("--no-checks", "checks=False"):
        plant = plant_core(source)
        if plant is None or plant.file:
            yield _core.Source(plant=plant, file=plant.file if plant else path_text(source, caller), settings=settings, caller=caller, suns=suns)
            return
        with TemporaryDirectory(prefix="helioray_") as folder:
            file = str(Path(folder) / "plant.h5")
            plant.write(file)
            yield _core.Source(plant=plant, file=file, settings=settings, caller=caller, suns=suns)
