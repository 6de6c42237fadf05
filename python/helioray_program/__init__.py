# SPDX-License-Identifier: MIT
"""The program `helioray` of the binary wheel. It is part of the extension, so that the wheel has its libraries once; this package starts
it without
the imports of the package `helioray`."""

import ctypes
import importlib.util
import os
import pathlib
import signal
import sys


def main() -> int:
    """Runs the program with the arguments of this process. Returns its exit code."""
    package = importlib.util.find_spec("helioray")
    folders = package.submodule_search_locations if package else None
    found = [file for folder in folders or () for file in pathlib.Path(folder).glob("_core*.so")]
    program = getattr(ctypes.CDLL(os.fspath(found[0])), "helioray_main", None) if found else None
    if program is None:
        print("helioray: this Python package is without the program; the binary wheel has it, and scripts/build makes it from the sources", file=sys.stderr)
        return 1
    # As for any program: Python has other ideas about both.
    for number in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    arguments = [os.fsencode(argument) for argument in sys.argv]
    return program(len(arguments), (ctypes.c_char_p * (len(arguments) + 1))(*arguments, None))
