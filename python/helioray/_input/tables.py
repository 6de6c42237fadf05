# SPDX-License-Identifier: MIT
"""Frames and dicts of columns in place of table files."""

from __future__ import annotations

import atexit
import csv
import itertools
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .columns import is_time, list_labels
from .configuration import input_error

_files = itertools.count()
_folder: Path | None = None


def is_table(value: Any) -> bool:
    """Returns true for a frame, and for a dict whose values are columns."""
    if hasattr(value, "columns"):
        return True
    if not isinstance(value, Mapping) or not value:
        return False
    return all(hasattr(item, "__len__") and not isinstance(item, (str, bytes, Mapping)) for item in value.values())


def write_table(table: Any, where: str) -> str:
    """Writes a frame or dict of columns as a CSV file that exists until the interpreter ends, and returns its path."""
    labels = list_labels(table, where)
    columns = [[_text(item) for item in table[label]] for label in labels]
    index = getattr(table, "index", None) if hasattr(table, "columns") else None
    if index is not None and hasattr(index, "tz") and not any(is_time(label) for label in labels):
        labels, columns = ["time", *labels], [[_text(item) for item in index], *columns]
    lengths = {len(column) for column in columns}
    if len(lengths) != 1:
        raise input_error(where, f"its columns have {', '.join(map(str, sorted(lengths)))} entries", "each entry belongs to a row",
                          "give columns of one length")
    file = _new_file()
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(map(str, labels))
        writer.writerows(zip(*columns))
    return str(file)


def _text(item: Any) -> str:
    if item is None or item != item:  # NaN and NaT differ from themselves
        return ""
    return item.isoformat() if hasattr(item, "isoformat") else str(item)


def _new_file() -> Path:
    global _folder
    if _folder is None:
        _folder = Path(tempfile.mkdtemp(prefix="helioray_tables_"))
        atexit.register(shutil.rmtree, _folder, ignore_errors=True)
    return _folder / f"table_{next(_files)}.csv"
