# SPDX-License-Identifier: MIT
"""Warnings of the package."""

from __future__ import annotations

import sys
import warnings


PACKAGE = __name__.partition(".")[0]


class HelioRayWarning(UserWarning):
    """A possible surprise in a result, which the program prints as a warning."""


def warn(text: str) -> None:
    """Issues a HelioRayWarning for the script that called the package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and str(frame.f_globals.get("__package__")).partition(".")[0] == PACKAGE:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, HelioRayWarning, stacklevel=level)
