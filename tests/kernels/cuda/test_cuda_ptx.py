#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The PTX of the CUDA kernels computes the CPU's sums, bit for bit.

Usage: test_cuda_ptx.py SOURCE_DIR FOLDER COMPILER CHECK
FOLDER is that of compile_kernels.py, CHECK the program built from ptx_check.cpp. The PTX is translated into C++
(ptx_to_cpp.py), compiled without optimisation and run by CHECK. Exit code 77 (skipped) where there is no nvcc.
"""
import os
import subprocess
import sys

from compile_kernels import MEASURED, compiled, read_text, require_compiled
from ptx_to_cpp import translate

FLAGS = ["-std=c++20", "-O0", "-fPIC", "-shared", "-ffp-contract=off", "-fno-strict-aliasing"]


def main():
    folder, compiler, check = sys.argv[2:5]
    require_compiled(folder)
    libraries = []
    # The order in which the program takes them. The kernels for receivers share their rays and random numbers.
    for source in ("trace_flux", "trace_flux_backward"):
        ptx = compiled(folder, MEASURED, source, "ptx")
        name = ptx[:-len(".ptx")]
        with open(f"{name}.cpp", "w", encoding="utf-8") as file:
            file.write(translate(read_text(ptx)))
        libraries.append(f"{name}.so")
        subprocess.run([compiler, *FLAGS, f"-I{os.path.dirname(os.path.abspath(__file__))}", f"{name}.cpp", "-o", libraries[-1]], check=True)
    return subprocess.run([check, *libraries], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
