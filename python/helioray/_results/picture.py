# SPDX-License-Identifier: MIT
"""Pictures of results, and results as notebooks display them."""

from __future__ import annotations

import base64
import html
import sys
import webbrowser
from collections.abc import Callable
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import Any

from .. import _core
from .._input.configuration import path_text
from .._input.warnings import warn


class Picture:
    """A picture that notebooks display. data: its bytes; format: png, svg or pdf."""

    def __init__(self, data: bytes, format: str) -> None:
        self.data = data
        self.format = format

    def show(self) -> None:
        """Displays the picture: in a notebook below the cell, elsewhere in the program that the desktop opens pictures with."""
        kernel = sys.modules.get("IPython")
        shell = kernel.get_ipython() if kernel else None
        if kernel and shell is not None and hasattr(shell, "kernel"):
            kernel.display.display(self)
            return
        with NamedTemporaryFile(prefix="helioray_", suffix=f".{self.format}", delete=False) as file:
            file.write(self.data)
        if not webbrowser.open(Path(file.name).as_uri()):
            warn(f"picture.show: there is no program to show it; it is in {file.name}")

    def __repr__(self) -> str:
        return f"<helioray picture: {self.format}, {len(self.data)} bytes>"

    def _repr_png_(self) -> bytes | None:
        return self.data if self.format == "png" else None

    def _repr_svg_(self) -> str | None:
        return self.data.decode() if self.format == "svg" else None


def draw_picture(draw: Callable[[str], None], path: Any, where: str) -> Picture:
    """Returns a picture that C++ draws into a file; without a path the file is temporary."""
    with TemporaryDirectory(prefix="helioray_") as folder:
        file = Path(folder) / "picture.png" if path is None else Path(path_text(path, where))
        draw(str(file))
        return Picture(file.read_bytes(), file.suffix.lstrip(".").lower())


def draw_picture_as(draw: Callable[[str], bytes], path: Any, where: str) -> Picture:
    """Returns a picture that C++ draws in the format of its file; PNG without a path."""
    if path is None:
        return Picture(draw("png"), "png")
    file = path_text(path, where)
    _core.check_picture(file)
    format = Path(file).suffix.lstrip(".").lower()
    picture = Picture(draw(format), format)
    _core.write_file(file, picture.data)
    return picture


def format_html(plot: Callable[[], Picture], summary: str) -> str:
    """Returns what notebooks display for a result: its picture above the tables that the program prints. A result without a picture has the tables alone."""
    try:
        picture = f'<img src="data:image/png;base64,{base64.b64encode(plot().data).decode()}" alt="" style="max-width: min(100%, 50em)">'
    except _core.InputError:
        picture = ""
    # Pages of notebooks give <pre> other fonts, in which columns do not align.
    return f'{picture}<pre style="font-family: ui-monospace, Consolas, monospace; font-size: 0.85em; line-height: 1.3; white-space: pre; overflow-x: auto">' \
           f"{html.escape(summary.rstrip())}</pre>"
