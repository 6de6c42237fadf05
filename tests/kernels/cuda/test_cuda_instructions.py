#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Machine instructions of the CUDA kernels: counts of the loop over rays, no approximations, no contraction.

Usage: test_cuda_instructions.py SOURCE_DIR FOLDER CUOBJDUMP [--write]
FOLDER is that of compile_kernels.py. --write stores the counts in instruction_counts.json. Exit code 77 (skipped) where
there is no nvcc or no cuobjdump.
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys

from compile_kernels import COMMON_PATH, MEASURED, ARCHITECTURES, SKIPPED, compiled, kernel_files, read_text, require_compiled

COUNTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "instruction_counts.json")
# Counts may differ by this much before the file has to be written again: small changes of the source move a few instructions.
TOLERANCE = 0.03
# Cycles for which an instruction of a warp occupies its unit, on each of the four partitions of a multiprocessor of compute
# capability 9.0: 32 lanes divided by a quarter of the results per cycle in the CUDA C++ programming guide (table "Throughput of
# native arithmetic instructions"): 128 for multiply and add, 64 for integers, comparisons and conversions, 16 for MUFU. Shared
# memory serves 32 lanes per cycle for all four partitions.
CYCLES = {"fp32": 1, "alu": 2, "integer multiply": 2, "mufu": 8, "shared": 4}
WARP = 32
PARTITIONS = 4
# H100 SXM and H200: multiprocessors and highest clock.
MULTIPROCESSORS, CLOCK = 132, 1.98e9
CLASSES = [
    ("mufu", r"MUFU"),
    ("fp32", r"FADD|FMUL|FFMA"),
    ("fp64", r"D[A-Z]+"),
    ("integer multiply", r"IMAD"),
    ("shared atomics", r"ATOMS"),
    ("shared", r"LDS|STS"),
    ("global atomics", r"ATOM|ATOMG|RED|REDG"),
    ("global", r"LDG?|STG?|LDGSTS"),
    ("local", r"LDL|STL"),
    ("constant", r"LDC|ULDC|LDCU"),
    ("uniform", r"U[A-Z0-9]+|R2UR|S2UR|CREDUX|REDUX"),
    ("control", r"BRA|BRX|BSSY|BSYNC|CALL|RET|EXIT|WARPSYNC|NOP|BREAK|BMOV|YIELD|BAR|DEPBAR|ERRBAR"),
    ("alu", r"F[A-Z0-9]+|HFMA2|I[A-Z0-9]+|LEA|LOP3|PLOP3|SHF|SEL|PRMT|MOV|P2R|R2P|VOTE|VOTEU|BREV|POPC|FLO|F2I|I2F|I2FP|VIADD.*|VIMNMX.*|S2R|CS2R|SHFL|SGXT|BMSK"),
]
# Divisions and roots start with an approximation and end with the correct rounding.
ALLOWED_MUFU = {"MUFU.RCP", "MUFU.RSQ"}
APPROXIMATE_PTX = re.compile(r"\b(?:ex2|lg2|sin|cos|tanh|rsqrt)\.|\.approx|\.ftz|\.full|\.f16|\.bf16")
ROUNDED_PTX = re.compile(r"\b(?:add|sub|mul|fma|mad|div|rcp|sqrt)\.(?!rn\.)(?:\w+\.)*f(?:32|64)\b")


def disassemble(cuobjdump, cubin):
    """{mangled name: [(address, operation, operands)]} of a cubin."""
    sass = subprocess.run([cuobjdump, "-sass", cubin], capture_output=True, text=True, check=True).stdout
    functions = {}
    for function in sass.split("Function : ")[1:]:
        functions[function.split("\n", 1)[0].strip()] = [(int(address, 16), operation, operands) for address, operation, operands in re.findall(
            r"/\*([0-9a-f]{4,6})\*/\s+(?:@!?U?P\w+ )?([A-Z][A-Z0-9_.]*)([^;]*);", function)]
    return functions


def branch_target(operation, operands):
    target = re.search(r"0x([0-9a-f]+)\s*$", operands) if operation.startswith("BRA") else None
    return int(target.group(1), 16) if target else None


def loop_over_rays(code):
    """Instructions of the smallest loop with atomics of shared memory: that over rays."""
    best = None
    for address, operation, operands in code:
        begin = branch_target(operation, operands)
        if begin is None or begin >= address:
            continue
        body = [line for line in code if begin <= line[0] <= address]
        if any(line[1] == "ATOMS.ADD" for line in body) and (best is None or len(body) < len(best)):
            best = body
    return best


def executed(body):
    """Instructions of a loop that every ray executes that hits the window and needs no special case.

    Left out are the blocks that call the special cases of divisions and roots (subnormal numbers), and those that add to
    global memory (pixels outside the window, full counters).
    """
    leaders = {body[0][0]}
    for (address, operation, operands), following in zip(body, [*body[1:], None]):
        target = branch_target(operation, operands)
        if target is not None:
            leaders.add(target)
            if following:
                leaders.add(following[0])
    blocks, instructions = [], []
    for line in body:
        if line[0] in leaders and instructions:
            blocks.append(instructions)
            instructions = []
        instructions.append(line)
    blocks.append(instructions)
    rare = re.compile(r"CALL|ATOMG|REDG|REDUX")
    return [line for block in blocks if not any(rare.match(line[1]) for line in block) for line in block]


def classify(operation):
    name = operation.split(".")[0]
    for kind, pattern in CLASSES:
        if re.fullmatch(pattern, name):
            return kind
    return f"unknown {name}"


def count_common_path(functions):
    """Counts by class for one ray of each lane of a warp."""
    code = next(code for name, code in functions.items() if "common_rays" in name)
    body = loop_over_rays(code)
    assert body, "no loop over rays found"
    common = executed(body)
    counts = collections.Counter(classify(line[1]) for line in common)
    counts["all"] = len(common)
    return dict(sorted(counts.items()))


def bounds(counts):
    """Highest number of rays per second that each unit of an H100 or H200 allows."""
    cycles = {"all": counts["all"]} | {kind: counts.get(kind, 0) * each for kind, each in CYCLES.items()}
    cycles["shared"] += counts.get("shared atomics", 0) * CYCLES["shared"]
    return {kind: MULTIPROCESSORS * PARTITIONS * CLOCK * WARP / number for kind, number in cycles.items() if number}


def compare_counts(counts, version):
    """Differences from the stored counts."""
    stored = json.loads(read_text(COUNTS))
    failures = []
    for kind in sorted({*counts, *stored["common path"]}):
        wanted, found = stored["common path"].get(kind, 0), counts.get(kind, 0)
        if abs(found - wanted) > max(TOLERANCE * wanted, 4):
            failures.append(f"common path, {kind}: {found} instructions instead of {wanted} (nvcc {version} and {stored['nvcc']}); "
                            "if the change is intended, run this test with --write and correct kernels/README.md")
    return failures


def check_roundings(functions):
    """Multiplications and additions must stay two instructions; a written fma must be one."""
    failures = []
    for part, wanted in (("two_roundings", {"FMUL": 1, "FADD": 1}), ("one_rounding", {"FFMA": 1})):
        code = next(code for name, code in functions.items() if part in name)
        found = collections.Counter(line[1] for line in code if line[1] in ("FMUL", "FADD", "FFMA"))
        if found != collections.Counter(wanted):
            failures.append(f"{part}: {dict(found)} instead of {wanted}")
    return failures


def check_exactness(source_dir, folder, cuobjdump):
    """The kernels use nothing that is not rounded as on the CPU."""
    failures = []
    for architecture in ARCHITECTURES:
        for ptx in kernel_files(source_dir, folder, architecture, "ptx"):
            for line in read_text(ptx).splitlines():
                code = line.split("//")[0]
                if re.match(r"\s*(?:@!?%p\d+\s+)?[a-z]", code) and (APPROXIMATE_PTX.search(code) or ROUNDED_PTX.search(code)):
                    failures.append(f"{os.path.relpath(ptx, folder)}: not rounded to nearest: {code.strip()}")
    for cubin in kernel_files(source_dir, folder, MEASURED, "cubin"):
        for name, code in disassemble(cuobjdump, cubin).items():
            mufu = {line[1] for line in code if line[1].startswith("MUFU")}
            kernel = re.sub(r".*(trace|backward)_unitsINS0_..(\D*)EEE.*", r"\1 \2", name)
            print(f"{kernel}: {len(code)} instructions, {', '.join(sorted(mufu))}")
            if mufu - ALLOWED_MUFU:
                failures.append(f"{name}: approximate functions {mufu - ALLOWED_MUFU}")
            if not mufu:
                failures.append(f"{name}: no divisions and roots in the disassembly")
    return failures


def main():
    source_dir, folder, cuobjdump = sys.argv[1:4]
    require_compiled(folder)
    if not shutil.which(cuobjdump):
        print("SKIP: cuobjdump is not installed (it comes with the CUDA toolkit and with PyTorch)")
        return SKIPPED
    version = re.search(r"V([\d.]+)", read_text(os.path.join(folder, "inputs"))).group(1)
    functions = disassemble(cuobjdump, compiled(folder, MEASURED, COMMON_PATH, "cubin"))
    counts = count_common_path(functions)
    print("common path, instructions of a warp:", counts)
    for kind, rays in bounds(counts).items():
        print(f"  {kind:18} at most {rays:.3g} rays/s")
    if sys.argv[4:] == ["--write"]:
        with open(COUNTS, "w", encoding="utf-8") as file:
            json.dump({"nvcc": version, "common path": counts}, file, indent=2)
            file.write("\n")
    failures = [f"common path: {kind}" for kind in counts if kind.startswith("unknown")]
    failures += compare_counts(counts, version) + check_roundings(functions) + check_exactness(source_dir, folder, cuobjdump)
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
