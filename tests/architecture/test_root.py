#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The root of the repository holds the components and what tools expect there, nothing else.

Usage: test_root.py SOURCE_DIR
"""
import pathlib
import subprocess
import sys

OURS = {"CMakeLists.txt", "README.md", "app", "cmake", "configs", "distributed", "kernels", "python", "raytracer", "scenario", "scripts",
        "tests", "tutorials"}
OF_TOOLS = {"CHANGELOG.md", "CITATION.cff", "CMakePresets.json", "CONTRIBUTING.md", "Doxyfile", "LICENSE", "SECURITY.md", "pyproject.toml"}


def main(root):
    if not (root / ".git").exists():
        print(f"SKIP: {root} is not a git checkout")
        return 77
    # Results of the reader's own lie there as well, so only what git keeps counts.
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True, text=True).stdout
    entries = {name.split("/")[0] for name in listed.split("\0") if name}
    assert "CMakeLists.txt" in entries, f"git lists {sorted(entries)}"
    strange = sorted(name for name in entries - OURS - OF_TOOLS if not name.startswith("."))
    for name in strange:
        print(f"{name} does not belong at the root of the repository")
    if not strange:
        print(f"{len(entries)} entries, all of them known")
    return 1 if strange else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
