# SPDX-License-Identifier: MIT
"""Includes point one way: a folder may include only the folders listed for it, and no two of them see each other. LibTorch, CLI11 and spdlog
stay where they belong."""

import pathlib
import re
import sys

# Every folder with sources, and the folders that it may include besides its own.
BASE = {"kernels", "kernels/core", "kernels/surface", "scenario", "scenario/files", "scenario/sun"}
TRACING = BASE | {"raytracer/geometry", "raytracer/job", "raytracer/kinematics", "raytracer/surface", "raytracer/physical"}
ALLOWED = {
    "kernels/core": set(),
    "kernels/surface": {"kernels/core"},
    "kernels/random": {"kernels/core"},
    "kernels/receiver": {"kernels/core"},
    "kernels/ray": {"kernels/core", "kernels/random", "kernels/receiver", "kernels/surface"},
    "kernels/cpu": {"kernels/core", "kernels/random", "kernels/ray", "kernels/receiver", "kernels/surface"},
    "kernels": {"kernels/core", "kernels/cpu", "kernels/ray", "kernels/surface"},
    "kernels/cuda": {"kernels", "kernels/core", "kernels/random", "kernels/ray", "kernels/receiver", "kernels/surface"},
    "scenario/files": set(),
    "scenario": {"scenario/files"},
    "scenario/sun": {"scenario", "scenario/files"},
    "scenario/columns": {"scenario", "scenario/files"},
    "scenario/reader": {"scenario", "scenario/files", "scenario/columns"},
    "scenario/writer": {"scenario", "scenario/files", "scenario/columns"},
    "scenario/config": {"scenario", "scenario/files", "scenario/sun"},
    "scenario/field": {"scenario", "scenario/files", "scenario/config", "scenario/reader"},
    "scenario/paint": {"scenario", "scenario/config", "scenario/files", "scenario/reader"},
    "scenario/soltrace": {"scenario", "scenario/files", "scenario/config", "scenario/field", "scenario/reader"},
    "scenario/stral": {"scenario", "scenario/files", "scenario/paint", "scenario/reader"},
    "distributed": {"kernels", "kernels/core"},
    "distributed/differentiable": {"kernels", "distributed"},
    "raytracer/geometry": {"scenario", "scenario/files", "scenario/sun"},
    "raytracer/job": {"kernels/core", "scenario", "scenario/files", "raytracer/geometry"},
    "raytracer/kinematics": {"kernels", "scenario", "scenario/files"},
    "raytracer/surface": BASE | {"raytracer/geometry", "scenario/stral"},
    "raytracer/physical": TRACING | {"kernels/random", "kernels/receiver", "scenario/config"},
    # Model artist stands alone: nothing of it in the product, nothing of the product in it.
    "raytracer/artist": {"scenario", "scenario/files", "raytracer/geometry", "raytracer/job"},
    "raytracer/operators": TRACING | {"scenario/config"},
    "raytracer/surface_fit": {"scenario", "scenario/files", "scenario/reader", "raytracer/geometry", "raytracer/surface"},
    "raytracer/results": {"scenario", "scenario/files", "scenario/config", "raytracer/geometry", "raytracer/job"},
    "raytracer/measured_flux": {"scenario", "scenario/files", "raytracer/geometry", "raytracer/job"},
    # Mirrors from flux images.
    "raytracer/reconstruction": TRACING | {"scenario/paint", "scenario/reader", "raytracer/measured_flux", "raytracer/surface_fit"},
    "raytracer/calibration": {"kernels", "raytracer/job", "scenario", "scenario/files", "scenario/config", "scenario/paint", "scenario/reader", "scenario/sun", "scenario/writer",
                              "raytracer/geometry", "raytracer/kinematics", "raytracer/measured_flux", "raytracer/surface"},
    "raytracer/annual": {"scenario", "scenario/files", "scenario/config", "scenario/sun", "raytracer/results"},
    # The run engine: of raytracer the only part that sees ranks.
    "raytracer/run": TRACING | {"scenario/config", "scenario/reader", "raytracer/results", "distributed"},
    # Tables by sun position; sees ranks through the run engine.
    "raytracer/efficiency": {"scenario", "scenario/files", "scenario/config", "scenario/reader", "scenario/sun", "raytracer/annual", "raytracer/job",
                             "raytracer/results", "raytracer/run"},
    # Aim points; sees ranks through the run engine.
    "raytracer/aiming": TRACING | {"scenario/config", "scenario/reader", "raytracer/annual", "raytracer/calibration", "raytracer/results", "raytracer/run", "distributed"},
    # Variants of a configuration.
    "raytracer/sweep": {"scenario", "scenario/config", "scenario/files", "scenario/reader", "raytracer/geometry", "raytracer/job", "raytracer/results",
                        "raytracer/run"},
    "app/summary": {"scenario", "scenario/files", "raytracer/sweep", "raytracer/aiming", "raytracer/calibration", "raytracer/reconstruction",
                    "raytracer/job", "raytracer/results", "raytracer/annual", "raytracer/efficiency"},
    "app/plot": {"scenario", "scenario/files", "raytracer/geometry", "raytracer/job", "raytracer/results", "raytracer/annual", "raytracer/aiming",
                 "raytracer/calibration", "raytracer/efficiency", "raytracer/reconstruction", "app/summary"},
    "app/export": {"scenario", "scenario/files", "raytracer/geometry", "raytracer/job", "raytracer/results", "raytracer/annual",
                   "raytracer/efficiency"},
    "app/report": {"scenario", "scenario/files", "raytracer/geometry", "raytracer/job", "raytracer/results", "raytracer/annual", "raytracer/aiming",
                   "raytracer/calibration", "raytracer/reconstruction", "app/plot", "app/summary"},
    "app/validation": TRACING | {"scenario/config", "raytracer/run", "app/summary"},
    # The program sees everything but the inside of the kernels.
    "app/common": None,
    "app/commands": None,
    "app/completion": None,
    "app": None,
    # Bindings join the libraries for Python, without the program.
    "python/bindings": TRACING | {"scenario/config", "scenario/field", "scenario/paint", "scenario/reader", "scenario/soltrace", "scenario/writer",
                                  "raytracer/results", "raytracer/annual", "raytracer/aiming", "raytracer/efficiency", "raytracer/calibration", "raytracer/reconstruction",
                                  "raytracer/run", "raytracer/surface_fit", "distributed", "app/export", "app/plot", "app/report", "app/summary"},
}
TOP_FOLDERS = ("app", "distributed", "kernels", "python", "raytracer", "scenario")
TORCH_FREE = ("kernels", "scenario", "raytracer", "app", "python")
WITH_TORCH = ("raytracer/artist", "raytracer/operators")
# Headers that cost every source CPU seconds: CLI11 3 where it is included, spdlog 2 where it formats.
SEEN_ONCE = {"CLI": "app/common/command.cpp", "spdlog": "app/common/log.cpp"}


def room_of(path):
    """The most particular folder of ALLOWED that a file belongs to."""
    rooms = [room for room in ALLOWED if path.startswith(room + "/")]
    return max(rooms, key=len) if rooms else None


def problems_of(path, text):
    room = room_of(path)
    if room is None:
        return [f"{path}: this folder has no entry in ALLOWED"]
    problems = []
    for line in text.splitlines():
        own = re.match(r'\s*#include "((?:app|distributed|kernels|python|raytracer|scenario)/[^"]+)"', line)
        if own:
            seen = room_of(own[1])
            allowed = ALLOWED[room]
            if allowed is not None and seen != room and seen not in allowed:
                problems.append(f"{path}: {line.strip()} ({room} may not see {seen})")
        if room.startswith(TORCH_FREE) and not room.startswith(WITH_TORCH) and re.match(r"\s*#include <(ATen|torch|c10)/", line):
            problems.append(f"{path}: {line.strip()} ({room} is free of Torch)")
        dear = re.match(r"\s*#include <(\w+)/", line)
        if dear and SEEN_ONCE.get(dear[1], path) != path:
            problems.append(f"{path}: {line.strip()} (only {SEEN_ONCE[dear[1]]} includes it)")
    return problems


def circles():
    """Rooms that may see themselves through others."""
    def reachable(room, seen):
        for other in (ALLOWED[room] or set()) - {room}:
            if other not in seen:
                seen.add(other)
                reachable(other, seen)
        return seen
    return [f"ALLOWED: {room} may see itself through others" for room in ALLOWED if room in reachable(room, set())]


def main(root):
    files = [f for c in TOP_FOLDERS for f in (root / c).rglob("*") if f.suffix in (".h", ".cpp", ".cu", ".cuh")]
    assert len(files) > 20, f"only {len(files)} sources found below {root}"
    problems = circles()
    for file in files:
        problems += problems_of(file.relative_to(root).as_posix(), file.read_text())
    print("\n".join(problems) or f"{len(files)} files, includes point one way")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
