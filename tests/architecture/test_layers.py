# SPDX-License-Identifier: MIT
"""Includes point one way: a component may include only the components listed for it."""

import pathlib
import re
import sys

ALLOWED = {
    "kernels": {"kernels"},
    "scenario": {"scenario"},
    "distributed": {"distributed", "kernels"},
    "raytracer": {"raytracer", "kernels", "scenario"},
    "raytracer/run": {"raytracer", "kernels", "scenario", "distributed"},
    "app": {"app", "raytracer", "kernels", "scenario", "distributed"},
}
# Model "artist" stands alone: nothing of it in the product, nothing of the product in it.
FORBIDDEN_FOLDERS = [
    ("raytracer/physical", "raytracer/artist"), ("raytracer/kinematics", "raytracer/artist"), ("raytracer/surface", "raytracer/artist"),
    ("raytracer/artist", "raytracer/physical"), ("raytracer/artist", "raytracer/kinematics"), ("raytracer/artist", "raytracer/surface"),
]
# The run engine stands on the rest of raytracer, never below it.
RUN_ENGINE = "raytracer/run"
TORCH_FREE = ("kernels", "scenario", "raytracer", "app")
WITH_TORCH = ("raytracer/artist", "raytracer/operators")


def component_of(path):
    """The most particular entry of ALLOWED that a file belongs to."""
    return max((c for c in ALLOWED if path.startswith(c + "/")), key=len)


def main(root):
    problems = []
    files = [f for c in ALLOWED if "/" not in c for f in (root / c).rglob("*") if f.suffix in (".h", ".cpp", ".cu", ".cuh")]
    assert len(files) > 20, f"only {len(files)} sources found below {root}"
    for file in files:
        path = file.relative_to(root).as_posix()
        component = component_of(path)
        for line in file.read_text().splitlines():
            own = re.match(r'\s*#include "([a-z]+)/', line)
            if own and own[1] in ALLOWED and own[1] not in ALLOWED[component]:
                problems.append(f"{path}: {line.strip()} (layer {component} may not see {own[1]})")
            if component == "raytracer" and f'#include "{RUN_ENGINE}/' in line:
                problems.append(f"{path}: {line.strip()} (only {RUN_ENGINE} and app see the run engine)")
            for folder, forbidden in FORBIDDEN_FOLDERS:
                if path.startswith(folder + "/") and f'#include "{forbidden}/' in line:
                    problems.append(f"{path}: {line.strip()} ({folder} may not see {forbidden})")
            for folder in TORCH_FREE:
                if path.startswith(WITH_TORCH) or not path.startswith(folder + "/"):
                    continue
                if re.match(r"\s*#include <(ATen|torch|c10)/", line):
                    problems.append(f"{path}: {line.strip()} ({folder} is free of Torch)")
    print("\n".join(problems) or f"{len(files)} files, includes point one way")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
