#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles the CUDA kernels for every architecture; the tests of registers, instructions and PTX read the files.

Usage: compile_kernels.py SOURCE_DIR NVCC FOLDER
Writes FOLDER/ARCHITECTURE/SOURCE.{cubin,ptx,txt}; the text is what ptxas reports. Does nothing when the files are those of
the present sources. Exit code 77 (skipped) where there is no nvcc.
"""
import concurrent.futures
import glob
import hashlib
import os
import shutil
import subprocess
import sys

# -fmad=false and the language are those of the build (kernels/CMakeLists.txt).
FLAGS = ["-std=c++20", "-O3", "-fmad=false", "--expt-relaxed-constexpr", "-Xptxas", "-v", "-cubin", "-keep"]
MEASURED = "sm_90"
ARCHITECTURES = ["sm_80", MEASURED, "sm_100"]
COMMON_PATH = "common_path"
# Sources that are compiled for MEASURED alone, because the others would take a minute more; their kernels have the same limit of registers.
MEASURED_ALONE = {"trace_receivers", "trace_receivers_backward", "trace_reflections"}
SKIPPED = 77


def read_text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def base_name(source):
    return os.path.basename(source)[:-len(".cu")]


def kernel_sources(source_dir, architecture):
    """Sources of the library that are compiled for an architecture."""
    return [source for source in sorted(glob.glob(os.path.join(source_dir, "kernels", "cuda", "*.cu")))
            if architecture == MEASURED or base_name(source) not in MEASURED_ALONE]


def compiled(folder, architecture, name, kind):
    """Path of a compiled file: cubin, ptx or txt."""
    return os.path.join(folder, architecture, f"{name}.{kind}")


def kernel_files(source_dir, folder, architecture, kind):
    """Compiled files of the library's sources."""
    return [compiled(folder, architecture, base_name(source), kind) for source in kernel_sources(source_dir, architecture)]


def require_compiled(folder):
    """Ends the test as skipped where there are no compiled kernels."""
    if not os.path.exists(os.path.join(folder, "inputs")):
        print("SKIP: no CUDA compiler was found (HELIORAY_CUDA=ON scripts/setup installs one)")
        sys.exit(SKIPPED)


def compile_source(nvcc, source_dir, source, architecture, folder):
    """Compiles one source and saves what ptxas reports."""
    name = base_name(source)
    # Two runs of nvcc must not share a folder: its temporary files have the same names.
    temporary = os.path.join(folder, architecture, name)
    os.makedirs(temporary)
    cubin = compiled(folder, architecture, name, "cubin")
    done = subprocess.run([nvcc, *FLAGS, "--keep-dir", temporary, f"-arch={architecture}", f"-I{source_dir}", "-o", cubin, source],
                          capture_output=True, text=True, cwd=temporary)
    if done.returncode != 0:
        sys.exit(f"FAILED: {source} does not compile for {architecture}:\n{done.stdout}{done.stderr}")
    os.replace(os.path.join(temporary, f"{name}.ptx"), compiled(folder, architecture, name, "ptx"))
    shutil.rmtree(temporary)
    with open(compiled(folder, architecture, name, "txt"), "w", encoding="utf-8") as file:
        file.write(done.stdout + done.stderr)


def main():
    source_dir, nvcc, folder = sys.argv[1:4]
    if not shutil.which(nvcc):
        shutil.rmtree(folder, ignore_errors=True)
        require_compiled(folder)
    version = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    common_path = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"{COMMON_PATH}.cu")
    headers = sorted(path for kind in ("h", "cuh", "cu") for path in glob.glob(
        os.path.join(source_dir, "kernels", "**", f"*.{kind}"), recursive=True))
    inputs = hashlib.sha256("\0".join(
        [version, *FLAGS, *map(read_text, [*headers, common_path, os.path.abspath(__file__)])]).encode()).hexdigest()
    stamp = os.path.join(folder, "inputs")
    if os.path.exists(stamp) and read_text(stamp) == inputs + version:
        print("the compiled kernels are up to date")
        return
    shutil.rmtree(folder, ignore_errors=True)
    jobs = [(source, architecture) for architecture in ARCHITECTURES for source in kernel_sources(source_dir, architecture)]
    assert jobs, "no CUDA sources found"
    jobs.append((common_path, MEASURED))
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        list(pool.map(lambda job: compile_source(nvcc, source_dir, *job, folder), jobs))
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(inputs + version)


if __name__ == "__main__":
    main()
