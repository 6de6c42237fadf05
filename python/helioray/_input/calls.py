# SPDX-License-Identifier: MIT
"""Parts that all calls that trace share: their source, progress and messages."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Union

from .. import _core
from .configuration import describe, input_error, path_text, rename_in_errors
from .keywords import POSITION_KEYS, RUN_KEYS
from .progress import choose_display
from .ranks import find_group
from .warnings import warn

Progress = Union[bool, Callable[[int, int], Any], None]

_log = logging.getLogger("helioray")
_WARNING = 2  # value of run::LogLevel
MOST_THREADS = 4096


def _report_message(level: int, message: bytes) -> None:
    text = python_words(message.decode("utf-8", "replace"))
    if level >= _WARNING:
        warn(text)
    else:
        _log.log(logging.INFO if level else logging.DEBUG, "%s", text)


def python_words(text: str) -> str:
    """Returns a message with keywords and ranges of Python in place of the program's options: "--azimuths 0:345:24"."""
    text = re.sub(r"(-?\d+):(-?\d+):(\d+)\b(?=[ ,;)]|$)", r"numpy.linspace(\1, \2, \3)", text)
    return re.sub(r"(?<![\w-])--([a-z]+(?:-[a-z]+)*)", lambda option: option[1].replace("-", "_"), text)


def make_call(progress: Progress, threads: int, ranks: bool = False) -> _core.Call:
    """Returns the options of a call. progress: a function of (rays, expected), True for a line that changes, None for such a line on terminals and
    in notebooks only. ranks: this process is one of several that a launcher started."""
    if isinstance(threads, bool) or not isinstance(threads, int) or not 0 <= threads <= MOST_THREADS:
        raise input_error("threads", f"{describe(threads)} is not a number of threads", "", f"give a whole number from 0 (all cores) to {MOST_THREADS}")
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise input_error("progress", f"{describe(progress)} cannot be called", "", "give a function of (rays, expected), True or False")
    if not isinstance(ranks, bool):
        raise input_error("ranks", f"{describe(ranks)} is neither True nor False", "", "give True where a launcher started several processes of the script")
    if callable(progress):
        given = progress
        shown: Callable[[int, int, int], Any] | None = lambda rays, expected, steps: given(rays, expected)
    else:
        shown = choose_display(progress)
    return _core.Call(progress=shown, log=_report_message, threads=threads, ranks=ranks, group=find_group() if ranks else None)


def open_source(source: Any, caller: str) -> Any:
    """Returns the source of a call: the extension module's plant for the path of a scenario file (HDF5), everything else unchanged."""
    if isinstance(source, (str, os.PathLike)) and path_text(source, caller).lower().endswith((".h5", ".hdf5")):
        return _core.read_plant(path_text(source, caller))
    if isinstance(source, (str, bytes, os.PathLike)) or plant_core(source) is not None:
        return source
    raise input_error(caller, f"{describe(source)} is no plant", "", "give a plant, the path of a configuration (YAML) or that of a scenario (HDF5)")


def plant_core(source: Any) -> _core.Plant | None:
    """Returns the extension module's object of a plant, or None if the source is none."""
    core = getattr(source, "_core", source)
    return core if isinstance(core, _core.Plant) else None


def make_source(source: Any, keywords: Mapping[str, Any], caller: str, *, writes: bool = False, first: Sequence[str] = ()) -> _core.Source:
    """Returns the source of a trace. Output files of a configuration are written only if the call itself names them. first: settings that keywords may
    replace."""
    settings = [*first, *RUN_KEYS.settings(keywords, caller)]
    asked = keywords.get("output")
    if not writes:
        settings += [f"output.{key}=null" for key in ("file", "image") if key not in (asked or {})]
    source = open_source(source, caller)
    plant = plant_core(source)
    return _core.Source(plant=plant, file="" if plant else path_text(source, caller), settings=settings, caller=caller)


@contextmanager
def source_with_file(source: Any, keywords: Mapping[str, Any], caller: str, suns: _core.Suns | None = None) -> Iterator[_core.Source]:
    """Returns the source of a series. Series recognise a scenario by its file, so a plant without one is written to a temporary file. suns: positions that
    replace those of the source."""
    source = open_source(source, caller)
    settings = [*RUN_KEYS.settings(keywords, caller), "output.image=null"]
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
