#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No folder is so full that its subjects cannot be found, and the tests of the libraries mirror their folders.

Usage: test_folders.py SOURCE_DIR
"""
import collections
import pathlib
import sys

FOLDERS = ("app", "distributed", "kernels", "python", "raytracer", "scenario", "tests")
ENDINGS = (".cpp", ".cu", ".cuh", ".h", ".py")
MOST = 25  # source files directly in a folder
MIRRORED = ("distributed", "kernels", "raytracer", "scenario")


def main(root):
    # Other programs include public headers by their paths, so these stay where they are.
    public = {line for line in (root / "cmake/public_headers.txt").read_text().splitlines() if not line.startswith("#")}
    files = [path.relative_to(root) for folder in FOLDERS for path in (root / folder).rglob("*") if path.suffix in ENDINGS]
    assert len(files) > 1000, f"only {len(files)} sources found below {root}"
    counts = collections.Counter(file.parent for file in files if file.as_posix() not in public)
    problems = [f"{folder} has {count} source files besides public headers, more than {MOST}: move a subject to a folder of its own"
                for folder, count in sorted(counts.items()) if count > MOST]
    for folder in sorted({file.parent for file in files if file.parts[0] == "tests" and file.stem.startswith("test_")}):
        tested = folder.relative_to("tests")
        if tested.parts and tested.parts[0] in MIRRORED and not (root / tested).is_dir():
            problems.append(f"{folder} mirrors no folder: there is no {tested}")
    print("\n".join(problems) or f"{len(counts)} folders, the fullest with {max(counts.values())} files besides public headers")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
