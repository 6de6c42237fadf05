# SPDX-License-Identifier: MIT
"""The working folder of a call, and the files that stay in it if the call fails."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from .. import _core

PARTS = ".parts"  # the program appends this to the name of a file for the folder with its finished steps


@contextmanager
def working_folder(file: str, *, stays: bool = False) -> Iterator[tuple[str, str]]:
    """Creates a folder that is removed at the end of the call, and yields it with the path of `file`. If the call fails, finished results stay in the folder,
    and the error says where they are and how to continue; Ctrl-C removes them. file: its name in the folder, or the absolute path of a file that the caller
    asked for, beside which the program leaves its finished steps. stays: the folder outlives the call."""
    folder = mkdtemp(prefix="helioray_")
    target = Path(folder) / file  # an absolute path stays as it is
    try:
        yield folder, str(target)
    except Exception as error:
        if target.parent != Path(folder):
            shutil.rmtree(folder, ignore_errors=True)
            raise
        remaining = _find_results(target)
        if not remaining:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        add_advice(error, str(target), *remaining)
        raise
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    if not stays:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def finished(file: str) -> Iterator[None]:
    """Adds to errors during work on a complete file that the file exists."""
    try:
        yield
    except Exception as error:
        if Path(file).exists():
            add_advice(error, file, *_complete(file))
        raise


def _complete(file: str) -> tuple[str, str]:
    return "the complete result is in this file", f"open it with hr.open({file!r})"


def _find_results(file: Path) -> tuple[str, str] | None:
    """Returns the remaining results of a call and how to continue; None if there are none."""
    if file.exists() and file.suffix == ".h5":
        return _complete(str(file))
    steps = len(list(file.with_name(file.name + PARTS).glob("step_*.h5")))
    if not steps:
        return None
    return (f"{steps} finished step{' is' if steps == 1 else 's are'} kept in {file}{PARTS}",
            f"make the same call with output={str(file)!r} to continue, or delete the folder {file.parent}")


def add_advice(error: Exception, where: str, what: str, advice: str) -> None:
    """Appends a line to the text of an error."""
    line = f"{where}: {what}; {advice}"
    if line in str(error):
        return
    error.args = (f"{error}\n{line}", *error.args[1:])
    if isinstance(error, _core.InputError):
        error.problems = [*error.problems, (where, what, "", advice)]
