#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Registers, stack, spills and occupancy of the CUDA kernels.

Usage: test_cuda_resources.py SOURCE_DIR FOLDER CUOBJDUMP OCCUPANCY
FOLDER is that of compile_kernels.py, OCCUPANCY the program built from occupancy.cpp; CUOBJDUMP and OCCUPANCY may be empty.
Exit code 77 (skipped) where there is no nvcc.
"""
import os
import re
import shutil
import subprocess
import sys

from compile_kernels import ARCHITECTURES, MEASURED, kernel_files, read_text, require_compiled

# Upper limits on sm_90 by a part of the kernel's mangled name. 128 registers let two blocks of 256 threads run side by
# side; stack and spills belong to the B-spline points (once for 32 bundles) and to what is kept across bundles.
LIMITS = {
    "trace_unitsINS0_15NothingInTheWay": {"registers": 128, "stack": 256, "spill": 32},
    "trace_unitsINS0_13WarpOcclusion": {"registers": 128, "stack": 256, "spill": 32},
    "trace_receiver_unitsINS0_15NothingInTheWayELb0": {"registers": 128, "stack": 384, "spill": 128},
    "trace_receiver_unitsINS0_21WarpReceiverOcclusionELb0": {"registers": 128, "stack": 384, "spill": 128},
    "trace_reflecting_unitsINS0_15NothingInTheWayELb0": {"registers": 128, "stack": 448, "spill": 256},
    "trace_reflecting_unitsINS0_21WarpReceiverOcclusionELb0": {"registers": 128, "stack": 448, "spill": 256},
    # With meshes: 366 bytes are the boxes that wait for a ray, 128 the coordinates of a group's points.
    "trace_receiver_unitsINS0_15NothingInTheWayELb1": {"registers": 128, "stack": 832, "spill": 480},
    "trace_receiver_unitsINS0_21WarpReceiverOcclusionELb1": {"registers": 128, "stack": 832, "spill": 480},
    "trace_reflecting_unitsINS0_15NothingInTheWayELb1": {"registers": 128, "stack": 928, "spill": 800},
    "trace_reflecting_unitsINS0_21WarpReceiverOcclusionELb1": {"registers": 128, "stack": 928, "spill": 800},
    "backward_unitsINS0_15NothingInTheWay": {"registers": 128, "stack": 512, "spill": 64},
    "backward_unitsINS0_13WarpOcclusion": {"registers": 128, "stack": 512, "spill": 64},
    "backward_receiver_unitsINS0_15NothingInTheWayELb0": {"registers": 128, "stack": 608, "spill": 160},
    "backward_receiver_unitsINS0_21WarpReceiverOcclusionELb0": {"registers": 128, "stack": 608, "spill": 160},
    # With mirrors: the stages of the way back, up to nine of them.
    "backward_receiver_unitsINS0_15NothingInTheWayELb1": {"registers": 128, "stack": 1664, "spill": 272},
    "backward_receiver_unitsINS0_21WarpReceiverOcclusionELb1": {"registers": 128, "stack": 1664, "spill": 272},
}
# Lower limits of the blocks of 256 threads that a multiprocessor runs at once, and of the pixels of their windows.
THREADS = 256
BLOCKS = 2
BITMAP = 256 * 256
WINDOWS = {"sm_80": 8000, "sm_90": 12000, "sm_100": 12000}


def kernel_resources(report):
    """{mangled name: registers, stack, spill, shared} of every kernel, from ptxas' report."""
    kernels = {}
    for part in re.split(r"Compiling entry function '", report)[1:]:
        stack, store, load = map(int, re.search(
            r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", part).groups())
        registers, cumulative = map(int, re.search(
            r"Used (\d+) registers.*?(\d+) bytes cumulative stack size", part + ", 0 bytes cumulative stack size").groups())
        kernels[part.split("'")[0]] = {
            "registers": registers, "stack": max(stack, cumulative), "spill": max(store, load),
            "shared": int(re.search(r"(\d+) bytes smem", part).group(1))}
    return kernels


def ray_loop(sass):
    """Instructions of the loop over rays: the smallest one around the reading of a mirror point (three times 16 bytes)."""
    lines = [(int(a, 16), op, rest) for a, op, rest in re.findall(
        r"/\*([0-9a-f]{4,6})\*/\s+(?:@!?U?P\w+ )?([A-Z0-9_.]+)([^;]*);", sass)]
    wide = [at for at, op, _ in lines if op == "LDS.128"]
    points = [at for at, later in zip(wide, wide[2:]) if later - at <= 0x100]
    if not points:
        return None
    best = None
    for address, op, rest in lines:
        target = re.search(r"0x([0-9a-f]+)", rest) if op.startswith("BRA") else None
        begin = int(target.group(1), 16) if target else address
        if begin == address or not begin <= points[0] <= address:
            continue
        body = [other for at, other, _ in lines if begin <= at <= address]
        if best is None or len(body) < len(best):
            best = body
    return best


def check_limits(found):
    """Compares registers, stack and spills with the limits."""
    failures = [f"{name} has no limits" for name in found if not any(part in name for part in LIMITS)]
    for part, limits in LIMITS.items():
        names = [name for name in found if part in name]
        if len(names) != 1:
            failures.append(f"{len(names)} kernels are named like {part}")
            continue
        for what, limit in limits.items():
            if found[names[0]][what] > limit:
                failures.append(f"{part}: {what} {found[names[0]][what]} > {limit}")
    return failures


def check_occupancy(program, architecture, found):
    """Compares the blocks that run at once, and the windows of forward kernels, with the limits."""
    failures = []
    for name, used in found.items():
        forward = "trace_units" in name
        blocks, window, block_bytes = map(int, subprocess.run(
            [program, architecture, str(THREADS), str(used["registers"]), str(used["shared"]), str(BITMAP if forward else 0)],
            capture_output=True, text=True, check=True).stdout.split())
        kernel = next(part for part in LIMITS if part in name)
        print(f"{architecture} {kernel}: {blocks} blocks, windows of {window} pixels, {block_bytes} bytes of shared memory")
        if blocks < BLOCKS:
            failures.append(f"{architecture} {kernel}: {blocks} blocks on a multiprocessor < {BLOCKS}")
        if forward and window < WINDOWS[architecture]:
            failures.append(f"{architecture} {kernel}: windows of {window} pixels < {WINDOWS[architecture]}")
    return failures


def check_loops(cuobjdump, source_dir, folder):
    """The loops over rays use no local memory and native atomics."""
    failures = []
    for path in kernel_files(source_dir, folder, MEASURED, "cubin"):
        sass = subprocess.run([cuobjdump, "-sass", path], capture_output=True, text=True, check=True).stdout
        for function in sass.split("Function : ")[1:]:
            name = function.split("\n", 1)[0].strip()
            if "trace_unitsI" not in name:
                continue
            body = ray_loop(function)
            if body is None:
                failures.append(f"{name}: no loop over rays found")
                continue
            local = [op for op in body if op.startswith(("LDL", "STL"))]
            print(f"{name}: {len(body)} instructions in the loop over rays, {len(local)} of local memory")
            if local:
                failures.append(f"{name}: local memory in the loop over rays: {local}")
            if "ATOMS.ADD" not in body or any(op.startswith("ATOMS.CA") for op in body):
                failures.append(f"{name}: no native shared atomics in the loop over rays")
    return failures


def main():
    source_dir, folder, cuobjdump, occupancy = sys.argv[1:5]
    require_compiled(folder)
    failures = []
    for architecture in ARCHITECTURES:
        found = {}
        for path in kernel_files(source_dir, folder, architecture, "txt"):
            found.update(kernel_resources(read_text(path)))
        if architecture == MEASURED:
            for name, used in found.items():
                print(name, used)
            failures += check_limits(found)
        if occupancy:
            failures += check_occupancy(occupancy, architecture, found)
    if not occupancy:
        print("SKIP: occupancy: there was no cuda_occupancy.h when the tests were built")
    if shutil.which(cuobjdump):
        failures += check_loops(cuobjdump, source_dir, folder)
    else:
        print("SKIP: loops over rays: cuobjdump is not installed")
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
