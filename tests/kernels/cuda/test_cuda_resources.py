#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Registers, stack and spills of the CUDA kernels; all architectures compile.

Usage: test_cuda_resources.py SOURCE_DIR NVCC [CUOBJDUMP]
Exit code 77 (skipped) where there is no nvcc.
"""
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

FLAGS = ["-std=c++20", "-O3", "-fmad=false", "--expt-relaxed-constexpr", "-Xptxas", "-v", "-cubin"]
MEASURED = "sm_90"
COMPILED = ["sm_80", "sm_100"]
# Upper limits on sm_90 by a part of the kernel's mangled name. 128 registers let two blocks of 256 threads run side by
# side; stack and spills belong to the B-spline points (once for 32 bundles) and to what is kept across bundles.
LIMITS = {
    "trace_unitsINS0_15NothingInTheWay": {"registers": 128, "stack": 256, "spill": 32},
    "trace_unitsINS0_13WarpOcclusion": {"registers": 128, "stack": 256, "spill": 32},
    "backward_unitsINS0_15NothingInTheWay": {"registers": 128, "stack": 512, "spill": 64},
    "backward_unitsINS0_13WarpOcclusion": {"registers": 128, "stack": 512, "spill": 64},
}


def compile_cubin(nvcc, source_dir, source, architecture, folder):
    """Compiles one source; returns (path, what ptxas reports)."""
    path = os.path.join(folder, f"{os.path.basename(source)}.{architecture}.cubin")
    done = subprocess.run(
        [nvcc, *FLAGS, f"-arch={architecture}", f"-I{source_dir}", "-o", path, source],
        capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"FAILED: {source} does not compile for {architecture}:\n{done.stdout}{done.stderr}")
    return path, done.stdout + done.stderr


def kernel_resources(report):
    """{mangled name: registers, stack, spill} of every kernel, from ptxas' report."""
    kernels = {}
    for part in re.split(r"Compiling entry function '", report)[1:]:
        stack, store, load = map(int, re.search(
            r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", part).groups())
        registers, cumulative = map(int, re.search(
            r"Used (\d+) registers.*?(\d+) bytes cumulative stack size", part + ", 0 bytes cumulative stack size").groups())
        kernels[part.split("'")[0]] = {
            "registers": registers, "stack": max(stack, cumulative), "spill": max(store, load)}
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


def main():
    source_dir, nvcc = sys.argv[1], sys.argv[2]
    cuobjdump = sys.argv[3] if len(sys.argv) > 3 else ""
    if not shutil.which(nvcc):
        print("SKIP: no CUDA compiler was found (HELIORAY_CUDA=ON scripts/setup installs one)")
        return 77
    sources = sorted(glob.glob(os.path.join(source_dir, "kernels", "cuda", "*.cu")))
    assert sources, "no CUDA sources found"
    failures = []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {(source, arch): pool.submit(compile_cubin, nvcc, source_dir, source, arch, folder)
                for source in sources for arch in [MEASURED, *COMPILED]}
        results = {key: job.result() for key, job in jobs.items()}
        found = {}
        for source in sources:
            path, report = results[source, MEASURED]
            found.update(kernel_resources(report))
        for name, used in found.items():
            print(name, used)
        failures += [f"{name} has no limits" for name in found if not any(part in name for part in LIMITS)]
        for part, limits in LIMITS.items():
            names = [name for name in found if part in name]
            if len(names) != 1:
                failures.append(f"{len(names)} kernels are named like {part}")
                continue
            for what, limit in limits.items():
                if found[names[0]][what] > limit:
                    failures.append(f"{part}: {what} {found[names[0]][what]} > {limit}")
        if not shutil.which(cuobjdump):
            print("SKIP: loops over rays: cuobjdump is not installed")
        else:
            for source in sources:
                sass = subprocess.run([cuobjdump, "-sass", results[source, MEASURED][0]],
                                      capture_output=True, text=True, check=True).stdout
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
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
