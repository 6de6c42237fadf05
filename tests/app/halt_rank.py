# SPDX-License-Identifier: MIT
"""Signals that reach the program at a chosen moment of its work, whatever the speed of the machine."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest


class Preload:
    """The library of halt_rank.c, made once."""

    path = None

    @classmethod
    def make(cls):
        compiler = shutil.which("cc") or os.environ.get("HELIORAY_COMPILER", "")
        folder = tempfile.mkdtemp(prefix="helioray_halt_")
        unittest.addModuleCleanup(shutil.rmtree, folder, ignore_errors=True)
        cls.path = f"{folder}/halt_rank.so"
        source = pathlib.Path(__file__).parent / "halt_rank.c"
        try:
            subprocess.run([compiler, "-xc", "-shared", "-fPIC", "-o", cls.path, str(source)], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            cls.path = None

    @classmethod
    def environment(cls, rank, **fault):
        """What disturbs this rank, or "any" process: `at` and `number` of a signal, to its whole `group`, at a `count`, after a delay, `once`;
        `hold` instead of a signal; or `clock_s`. halt_rank.c explains them."""
        if cls.path is None:
            raise unittest.SkipTest("no C compiler makes the library that disturbs a rank")
        names = {"at": "FAULT_AT", "number": "FAULT_SIGNAL", "clock_s": "FAULT_CLOCK_S", "group": "FAULT_GROUP", "count": "FAULT_COUNT",
                 "delay_ms": "FAULT_DELAY_MS", "once": "FAULT_ONCE",
                 "hold": "FAULT_HOLD"}
        options = os.environ.get("ASAN_OPTIONS", "")
        return {"LD_PRELOAD": cls.path, "FAULT_RANK": rank, "ASAN_OPTIONS": f"{options}:verify_asan_link_order=0",
                **{names[name]: int(value) if name == "number" else value for name, value in fault.items()}}
