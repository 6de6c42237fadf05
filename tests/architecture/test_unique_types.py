#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A type has one definition: two of the same name in one namespace link silently into one of them.

Usage: test_unique_types.py SOURCE_DIR
"""
import pathlib
import re
import sys

FOLDERS = ("app", "distributed", "kernels", "python", "raytracer", "scenario")
OPEN = re.compile(r"^(?:inline )?namespace([\w: ]*)\{")
CLOSE = re.compile(r"^\}\s*// namespace")
DEFINITION = re.compile(r"^(?:struct|class|enum class|union) (?:alignas\(\w+\) )?(\w+)(?: final)?\s*(?::[^:]|\{)")


def definitions(path):
    """Yields (namespace, name) of types defined outside of anonymous namespaces."""
    namespaces, previous = [], ""
    for line in path.read_text().splitlines():
        if found := OPEN.match(line):
            namespaces.append(found.group(1).strip())
        elif CLOSE.match(line) and namespaces:
            namespaces.pop()
        elif (found := DEFINITION.match(line)) and all(namespaces):
            if not previous.startswith("template <>"):
                yield "::".join(namespaces), found.group(1)
        previous = line


def main():
    root = pathlib.Path(sys.argv[1])
    places = {}
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".cuh", ".cpp", ".cu"):
                for name in definitions(path):
                    places.setdefault(name, []).append(str(path.relative_to(root)))
    if len(places) < 100:
        sys.exit(f"only {len(places)} types were found: the patterns no longer fit the code")
    twice = {"::".join(name): files for name, files in places.items() if len(files) > 1}
    for name, files in sorted(twice.items()):
        print(f"{name} is defined in {' and '.join(files)}")
    return 1 if twice else 0


if __name__ == "__main__":
    sys.exit(main())
