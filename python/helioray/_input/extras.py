# SPDX-License-Identifier: MIT
"""Optional packages that only some results need."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any


def load(name: str, purpose: str) -> Any:
    """Returns the module of an optional package. Raises ImportError with advice if it is missing."""
    try:
        module: ModuleType = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise ImportError(f"{purpose} needs {name}; install it with: pip install {name}", name=name) from None
    return module
