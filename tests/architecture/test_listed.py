#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every C++ source and every test is named in a CMakeLists.txt; a test that is not would never run. Headers that public ones include are public, too.

Usage: test_listed.py SOURCE_DIR
"""
import os
import pathlib
import re
import sys

FOLDERS = ("app", "distributed", "kernels", "python", "raytracer", "scenario", "tests")


def names_of(file, folder):
    """What may stand for a file in the list of a folder."""
    path = os.path.relpath(file, folder)
    if file.suffix == ".cpp":
        return [path, path.removesuffix(".cpp")] if file.name.startswith("bench_") else [path]
    # Tests in Python are lists of names, with or without a common prefix.
    short = file.stem.removeprefix("test_")
    return [path, file.stem, short, short.removeprefix("large_")]


def is_listed(file, lists):
    # Lists of tests name C++ sources of neighbouring folders, too.
    for folder, text in lists.items():
        if file.suffix != ".cpp" and folder not in file.parents:
            continue
        names = "|".join(re.escape(name) for name in names_of(file, folder))
        before = r"(?<![\w./])" if file.suffix == ".cpp" else r"(?<![\w.])"
        if re.search(rf"{before}({names})(?![\w.])", text):
            return True
    return False


def find_unlisted_headers(root):
    """Problems of headers that an installed one includes and that are not installed."""
    public = [line for line in (root / "cmake/public_headers.txt").read_text().splitlines() if not line.startswith("#")]
    assert len(public) > 150, f"only {len(public)} public headers"
    included = {}
    for header in public:
        for name in re.findall(r'^\s*#\s*include "([^"]+)"', (root / header).read_text(), re.MULTILINE):
            included.setdefault(name, header)
    # CMake writes the header with the version.
    return [f"{name}, which the public header {header} includes, is not in cmake/public_headers.txt: add it there"
            for name, header in sorted(included.items()) if name not in {*public, "helioray/version.h"}]


def main(root):
    lists = {path.parent: re.sub("#.*", "", path.read_text()) for folder in FOLDERS for path in (root / folder).rglob("CMakeLists.txt")}
    files = [path for folder in FOLDERS for path in (root / folder).rglob("*") if path.suffix == ".cpp" or (path.suffix == ".py" and path.name.startswith("test_"))]
    assert len(files) > 500, f"only {len(files)} sources and tests found below {root}"
    problems = [f"{file.relative_to(root)} is in no CMakeLists.txt: add it to the list of its folder" for file in sorted(files) if not is_listed(file, lists)]
    problems += find_unlisted_headers(root)
    print("\n".join(problems) or f"{len(files)} sources and tests")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
