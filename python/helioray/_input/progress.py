# SPDX-License-Identifier: MIT
"""Progress of a call in one line that changes, on terminals and in notebooks."""

from __future__ import annotations

import html
import importlib
import sys
import time
from typing import Any

DELAY_S = 1.0  # calls that are shorter show nothing
INTERVAL_S = 0.25  # time between two changes of the line in a notebook


def describe_time(seconds: float) -> str:
    """Returns a duration for users: "12 s", "3 min 20 s", "2 h 5 min"."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def describe_progress(rays: int, expected: int, steps: int, seconds: float) -> str:
    """Returns a line such as "step 3 of 12, 25 %, 10 s left". The steps of a series have equal numbers of rays. seconds: time since the first ray."""
    if rays >= expected:
        return f"{f'{steps} steps' if steps > 1 else f'{expected:.3g} rays'} in {describe_time(seconds)}"
    share = rays / expected
    step = f"step {int(share * steps) + 1} of {steps}, " if steps > 1 else ""
    left = f", {describe_time(max(1.0, seconds * (expected - rays) / rays))} left" if rays else ""
    return f"{step}{int(100 * share)} %{left}"


class Line:
    """Shows the progress of calls that take longer than a second. C++ calls it with rays, expected rays and steps."""

    def __init__(self) -> None:
        self.start = time.monotonic()
        self.text = ""

    def __call__(self, rays: int, expected: int, steps: int = 1) -> None:
        seconds = time.monotonic() - self.start
        if not self.text and (seconds < DELAY_S or rays >= expected):
            return
        text = describe_progress(rays, expected, steps, seconds)
        if text != self.text:
            self.show(text, rays / expected)
            self.text = text

    def show(self, text: str, share: float) -> None:
        """Replaces the line on stderr, and removes it at the end."""
        if not stderr_is_open():
            return
        line = "" if share >= 1 else f"helioray: {text}"
        sys.stderr.write("\r" + line.ljust(len(self.text) + len("helioray: ")) + ("" if line else "\r"))
        sys.stderr.flush()


class Cell(Line):
    """The same in a notebook: one output of the cell, which changes."""

    def __init__(self) -> None:
        super().__init__()
        self.handle: Any = None
        self.shown = 0.0

    def show(self, text: str, share: float) -> None:
        now = time.monotonic()
        if share < 1 and now - self.shown < INTERVAL_S:
            return
        self.shown = now
        if self.handle is None:
            show: Any = importlib.import_module("IPython.display").display
            self.handle = show(Bar(text, share), display_id=True)
        else:
            self.handle.update(Bar(text, share))


class Bar:
    """A line of progress as notebooks display it."""

    def __init__(self, text: str, share: float) -> None:
        self.text = text
        self.share = share

    def __repr__(self) -> str:
        return f"helioray: {self.text}"

    def _repr_html_(self) -> str:
        bar = f'<progress value="{self.share:.3f}" max="1" style="width: 12em; vertical-align: middle"></progress> ' if self.share < 1 else ""
        return f'<small style="opacity: 0.7">{bar}helioray: {html.escape(self.text)}</small>'


def stderr_is_open() -> bool:
    """Returns False for programs without a console, which have no stderr, and for scripts that closed it."""
    return sys.stderr is not None and not sys.stderr.closed


def in_notebook() -> bool:
    """Returns True in a kernel of Jupyter."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return getattr(shell, "kernel", None) is not None


def choose_display(progress: bool | None) -> Line | None:
    """Returns the display of a call. None: a line on terminals and in notebooks only."""
    if progress is False:
        return None
    if in_notebook():
        return Cell()
    return Line() if progress or (stderr_is_open() and sys.stderr.isatty()) else None
