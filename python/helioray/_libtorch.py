# SPDX-License-Identifier: MIT
"""Makes HelioRay's modules use the LibTorch of the interpreter's PyTorch, in the version that they were built with."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import sys
from pathlib import Path

from . import _core

# Features that need the modules that C++ loads.
PURPOSES = {"libhelioray_artist.so": "model artist", "libhelioray_ranks.so": "ranks=True"}


def require(purpose: str) -> None:
    """Raises ImportError unless there is PyTorch of the version that the modules were built with."""
    needed, found = _core.torch_version, _found_version()
    if not needed and found is None:
        _core.module_file("helioray_torch")  # raises an error that explains how to get both
    if needed and (found is None or found.split("+")[0] != needed):
        there = f"PyTorch {found} is installed" if found else "it is not installed"
        raise ImportError(f"{purpose} needs PyTorch {needed}, because HelioRay was built with it, and {there}; install it with: "
                          f"pip install torch=={needed}", name="torch")


def prepare(file: bytes) -> None:
    """C++ calls this function before it loads a module. Raises ImportError if PyTorch is missing or has another version."""
    path = Path(os.fsdecode(file))
    package = Path(_core.__file__).resolve().parent
    # Modules of a build tree have the path of their LibTorch, but a process can load only one.
    if path.name not in PURPOSES or (path.parent != package and "torch" not in sys.modules):
        return
    require(PURPOSES[path.name])
    beside, torch = package.parent / "torch", _folder()
    if not (torch and beside.exists() and beside.samefile(torch)):
        # A module looks for LibTorch beside this package, unless it is already loaded.
        importlib.import_module("torch")


def _found_version() -> str | None:
    """Returns the version of the PyTorch that is imported or would be."""
    if "torch" in sys.modules:
        return str(sys.modules["torch"].__version__)
    torch = _folder()
    if torch is None:
        return None
    # The version is read from the file, because importing takes seconds.
    match = re.search(r"^__version__\b.*?=\s*['\"]([^'\"]+)", (torch / "version.py").read_text(encoding="utf-8"), re.MULTILINE)
    return match[1] if match else "of an unknown version"


def _folder() -> Path | None:
    found = importlib.util.find_spec("torch")
    return Path(found.origin).parent if found and found.origin else None
