# SPDX-License-Identifier: MIT
"""Includes point one way: a folder may include only the folders listed for it, and no two of them see each other; nor do modules of the Python package. LibTorch, CLI11 and spdlog
stay where they belong. Names are in the namespace of their folder."""

import ast
import pathlib
import re
import sys

# Folders that many others may include. Scenario types with their targets, files without their meaning, and the sun.
TYPES = {"scenario/types", "scenario/files"}
BASE = TYPES | {"kernels", "kernels/core", "kernels/host", "kernels/surface", "scenario/sun"}
TRACING = BASE | {"raytracer/tracing/geometry", "raytracer/tracing/job", "raytracer/tracing/kinematics", "raytracer/tracing/surface",
                  "raytracer/tracing/physical"}
# Every folder with sources, and the folders that it may include besides its own.
ALLOWED = {
    "kernels/core": set(),
    "kernels/surface": {"kernels/core"},
    "kernels/random": {"kernels/core"},
    "kernels/receiver": {"kernels/core"},
    "kernels/mesh": {"kernels/core"},
    "kernels/ray": {"kernels/core", "kernels/mesh", "kernels/random", "kernels/receiver", "kernels/surface"},
    "kernels/cpu": {"kernels/core", "kernels/random", "kernels/ray", "kernels/receiver", "kernels/surface"},
    "kernels/host": {"kernels/core"},
    "kernels": {"kernels/core", "kernels/cpu", "kernels/host", "kernels/mesh", "kernels/ray", "kernels/surface"},
    "kernels/cuda": {"kernels", "kernels/core", "kernels/host", "kernels/mesh", "kernels/random", "kernels/ray", "kernels/receiver", "kernels/surface"},
    "scenario/files": set(),
    "scenario/types": {"scenario/files"},
    "scenario/sun": TYPES,
    "scenario/columns": TYPES,
    "scenario/inputs": TYPES | {"scenario/sun"},
    "scenario/mesh": TYPES,
    "scenario/receivers": TYPES,
    "scenario/reader": TYPES | {"scenario/columns", "scenario/receivers"},
    "scenario/writer": TYPES | {"scenario/columns"},
    "scenario/config": TYPES | {"scenario/mesh", "scenario/inputs", "scenario/receivers", "scenario/sun"},
    "scenario/import/field": TYPES | {"scenario/config", "scenario/inputs", "scenario/reader", "scenario/receivers", "scenario/sun"},
    "scenario/import/paint": TYPES | {"scenario/config", "scenario/inputs", "scenario/reader"},
    "scenario/import/solarpilot": TYPES | {"scenario/import/field", "scenario/inputs", "scenario/reader", "scenario/receivers", "scenario/sun"},
    "scenario/import/soltrace": TYPES | {"scenario/config", "scenario/import/field", "scenario/reader"},
    "scenario/import/stral": TYPES | {"scenario/import/paint", "scenario/reader"},
    "distributed/launch": set(),
    "distributed/store": {"distributed/launch"},
    "distributed/ranks": {"kernels", "kernels/core", "kernels/host", "distributed/launch", "distributed/store"},
    "distributed/tensors": {"kernels", "kernels/core", "kernels/host", "distributed/launch", "distributed/ranks", "distributed/store"},
    "distributed/differentiable": {"kernels", "kernels/host", "distributed/ranks", "distributed/tensors"},
    "raytracer/linear": set(),
    "raytracer/tracing/geometry": TYPES | {"scenario/sun"},
    "raytracer/tracing/job": TYPES | {"kernels/core", "raytracer/linear", "raytracer/tracing/geometry"},
    "raytracer/tracing/kinematics": TYPES | {"kernels", "kernels/host"},
    "raytracer/tracing/surface": BASE | {"raytracer/tracing/geometry", "scenario/import/stral"},
    "raytracer/tracing/physical": TRACING | {"kernels/mesh", "kernels/random", "kernels/receiver", "scenario/config", "scenario/inputs"},
    # Model artist stands alone: nothing of it in the product, nothing of the product in it.
    "raytracer/artist": TYPES | {"raytracer/tracing/geometry", "raytracer/tracing/job"},
    "raytracer/operators": TRACING | {"scenario/config", "scenario/receivers"},
    "raytracer/results": TYPES | {"scenario/config", "raytracer/tracing/geometry", "raytracer/tracing/job"},
    # The run engine: with the solvers and studies that use it the only part of raytracer that sees ranks.
    "raytracer/run/stored": TRACING | {"raytracer/results"},
    "raytracer/run": TRACING | {"scenario/config", "scenario/inputs", "scenario/reader", "scenario/receivers", "raytracer/results", "raytracer/run/stored", "distributed/launch",
                                "distributed/ranks"},
    "raytracer/solvers/surface_fit": TYPES | {"scenario/reader", "raytracer/linear", "raytracer/tracing/geometry", "raytracer/tracing/surface"},
    "raytracer/solvers/measured_flux": TYPES | {"raytracer/tracing/geometry", "raytracer/tracing/job"},
    "raytracer/solvers/reconstruction/images": TRACING | {"scenario/import/paint", "scenario/reader", "raytracer/linear", "raytracer/solvers/measured_flux", "raytracer/solvers/surface_fit"},
    "raytracer/solvers/reconstruction/fit": TRACING | {"raytracer/linear", "raytracer/solvers/reconstruction/images", "raytracer/solvers/surface_fit"},
    "raytracer/solvers/reconstruction": TRACING | {"scenario/import/paint", "scenario/reader", "raytracer/solvers/measured_flux",
                                                   "raytracer/solvers/reconstruction/fit", "raytracer/solvers/reconstruction/images",
                                                   "raytracer/solvers/surface_fit"},
    "raytracer/solvers/calibration/model": TYPES | {"raytracer/linear", "raytracer/tracing/geometry", "raytracer/tracing/kinematics", "raytracer/tracing/surface"},
    "raytracer/solvers/calibration": TYPES | {"kernels", "kernels/host", "scenario/config", "scenario/import/paint", "scenario/inputs", "scenario/reader", "scenario/sun",
                                              "scenario/writer", "raytracer/solvers/calibration/model", "raytracer/solvers/measured_flux",
                                              "raytracer/tracing/geometry", "raytracer/tracing/job", "raytracer/tracing/kinematics", "raytracer/tracing/surface"},
    "raytracer/studies/annual/weather": TYPES | {"scenario/config", "scenario/inputs", "scenario/sun"},
    "raytracer/studies/annual": TYPES | {"scenario/config", "scenario/reader", "scenario/sun", "raytracer/results", "raytracer/run", "raytracer/solvers/aiming",
                                         "raytracer/solvers/aiming/model", "raytracer/studies/annual/weather", "raytracer/tracing/geometry", "raytracer/tracing/job"},
    "raytracer/studies/efficiency": TYPES | {"scenario/config", "scenario/reader", "scenario/sun", "raytracer/results", "raytracer/run", "raytracer/studies/annual",
                                             "raytracer/tracing/job"},
    "raytracer/studies/sweep": TYPES | {"scenario/config", "scenario/inputs", "scenario/reader", "scenario/receivers", "raytracer/results", "raytracer/run", "raytracer/tracing/geometry",
                                        "raytracer/tracing/job"},
    # Aim points: the model of the flux, the search on it, and traces that correct and verify both.
    "raytracer/solvers/aiming/model": TRACING | {"raytracer/run", "raytracer/solvers/calibration"},
    "raytracer/solvers/aiming/search": TRACING | {"raytracer/solvers/aiming/model"},
    "raytracer/solvers/aiming/traced": TRACING | {"scenario/config", "scenario/inputs", "raytracer/results", "raytracer/run", "raytracer/solvers/aiming/model",
                                                  "raytracer/solvers/aiming/search"},
    "raytracer/solvers/aiming": TRACING | {"distributed/ranks", "scenario/config", "scenario/inputs", "scenario/reader", "raytracer/results", "raytracer/run",
                                           "raytracer/solvers/aiming/model", "raytracer/solvers/aiming/search", "raytracer/solvers/aiming/traced"},
    "app/output/summary": TYPES | {"scenario/config", "scenario/reader", "raytracer/results", "raytracer/solvers/aiming", "raytracer/solvers/aiming/model", "raytracer/solvers/calibration",
                                   "raytracer/solvers/reconstruction", "raytracer/studies/annual", "raytracer/studies/efficiency", "raytracer/studies/sweep",
                                   "raytracer/tracing/job"},
    "app/output/plot/drawing": TYPES | {"raytracer/tracing/geometry", "raytracer/tracing/job"},
    "app/output/plot/panels": TYPES | {"app/output/plot/drawing", "app/output/summary", "raytracer/results", "raytracer/solvers/aiming",
                                       "raytracer/solvers/aiming/model", "raytracer/tracing/geometry", "raytracer/tracing/job"},
    "app/output/plot": TYPES | {"app/output/plot/drawing", "app/output/plot/panels", "app/output/summary", "raytracer/results", "raytracer/solvers/aiming",
                                "raytracer/solvers/aiming/model", "raytracer/solvers/calibration", "raytracer/solvers/reconstruction", "raytracer/solvers/reconstruction/images",
                                "raytracer/studies/annual", "raytracer/studies/efficiency", "raytracer/tracing/geometry", "raytracer/tracing/job"},
    "app/output/export": TYPES | {"raytracer/results", "raytracer/studies/annual", "raytracer/studies/efficiency", "raytracer/tracing/geometry",
                                  "raytracer/tracing/job"},
    "app/output/report": TYPES | {"app/output/plot", "app/output/plot/drawing", "app/output/plot/panels", "app/output/summary", "raytracer/results", "raytracer/solvers/aiming",
                                  "raytracer/solvers/aiming/model", "raytracer/solvers/calibration", "raytracer/solvers/reconstruction",
                                  "raytracer/studies/annual", "raytracer/studies/efficiency", "raytracer/studies/sweep", "raytracer/tracing/geometry",
                                  "raytracer/tracing/job"},
    "app/validation": TRACING | {"scenario/config", "raytracer/run", "app/output/summary"},
    # The program sees everything but the inside of the kernels.
    "app/program": None,
    # Bindings join the libraries for Python, without the program.
    "python/bindings": TRACING | {"app/output/export", "app/output/plot", "app/output/plot/drawing", "app/output/report", "app/output/summary", "distributed/launch",
                                  "distributed/ranks", "scenario/config", "scenario/import/field", "scenario/import/paint", "scenario/import/solarpilot", "scenario/import/soltrace",
                                  "scenario/inputs", "scenario/reader", "scenario/receivers", "scenario/writer", "raytracer/results", "raytracer/run", "raytracer/solvers/aiming",
                                  "raytracer/solvers/aiming/model", "raytracer/solvers/calibration", "raytracer/solvers/reconstruction",
                                  "raytracer/solvers/surface_fit", "raytracer/studies/annual", "raytracer/studies/annual/weather",
                                  "raytracer/studies/efficiency"},
}
# The namespace of each folder and of the folders within it, or of the files whose path begins like this, and further ones inside it that it may open. Without
# an entry of its own a folder is in that of the next larger one. `helioray` has the names that users of the libraries need without knowing the component.
NAMESPACES = {
    "kernels": ("helioray::kernels", "helioray::kernels::HELIORAY_SET", "helioray::kernels::portable", "helioray::kernels::avx2", "helioray::kernels::avx512"),
    "kernels/host/module": ("helioray",),
    "kernels/host/parallel_for": ("helioray",),
    "kernels/host/partition": ("helioray",),
    "scenario": ("helioray",),
    "scenario/columns": ("helioray::columns",),
    "scenario/config": ("helioray", "helioray::key_values"),
    "scenario/files": ("helioray", "helioray::column_values", "helioray::members_detail"),
    "scenario/files/hdf5": ("helioray::hdf5",),
    "scenario/import/paint": ("helioray", "helioray::paint"),
    "scenario/import/solarpilot": ("helioray::solarpilot",),
    "scenario/import/soltrace": ("helioray::soltrace",),
    "scenario/mesh": ("helioray", "helioray::mesh"),
    "scenario/sun/solar_position": ("helioray", "helioray::spa"),
    "distributed": ("helioray", "helioray::detail"),
    "distributed/differentiable": ("helioray", "helioray::differentiable"),
    "raytracer": ("helioray",),
    "raytracer/artist": ("helioray::artist",),
    "raytracer/artist/artist": ("helioray", "helioray::artist"),
    "raytracer/operators": ("helioray::operators",),
    "raytracer/run": ("helioray::run",),
    "raytracer/run/clock": ("helioray",),
    "raytracer/run/make_job": ("helioray",),
    "raytracer/run/sun_steps": ("helioray",),
    "raytracer/solvers/aiming": ("helioray::aiming",),
    "raytracer/solvers/calibration": ("helioray::calibration",),
    "raytracer/solvers/reconstruction": ("helioray::reconstruction",),
    "raytracer/studies/sweep": ("helioray::sweep",),
    "raytracer/tracing/physical": ("helioray::physical",),
    "app/output": ("helioray",),
    "app/output/plot/drawing": ("helioray", "helioray::panel_style"),
    "app/program": ("helioray::app",),
    "app/validation": ("helioray::validation",),
    "python/bindings": ("helioray::python",),
}
# Namespaces of other libraries whose templates are specialised.
FOREIGN = {"nanobind::detail"}
TOP_FOLDERS = ("app", "distributed", "kernels", "python", "raytracer", "scenario")
TORCH_FREE = ("kernels", "scenario", "raytracer", "app", "python")
WITH_TORCH = ("raytracer/artist", "raytracer/operators")
# Headers that cost every source CPU seconds: CLI11 3 where it is included, spdlog 2 where it formats.
SEEN_ONCE = {"CLI": "app/program/common/command.cpp", "spdlog": "app/program/common/log.cpp"}


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


def opened_namespaces(text):
    """The named namespaces that a file opens, by their full names; those with forward declarations alone do not count."""
    code = re.sub(r'//[^\n]*|"(\\.|[^"\\\n])*"|\'(\\.|[^\'\\\n])\'', "", text)
    opened, blocks, depth = set(), [], 0  # of a block: depth, full name, lines
    for line in code.splitlines():
        begin = re.match(r"(?:inline )?namespace ?([\w:]*) ?\{", line)
        if begin:
            outer = blocks[-1][1] if blocks else ""
            blocks.append((depth, "::".join(filter(None, (outer, begin[1]))), []))
        elif blocks and line.strip(" }"):
            blocks[-1][2].append(line.strip())
        depth += line.count("{") - line.count("}")
        while blocks and depth <= blocks[-1][0]:
            _, name, lines = blocks.pop()
            if not all(re.fullmatch(r"(struct|class|enum class) \w+;", inner) for inner in lines):
                opened.add(name)
    return opened - {""}


def namespace_problems(path, text):
    entry = max((known for known in NAMESPACES if path.startswith(known)), key=len)
    allowed = NAMESPACES[entry]
    opened = opened_namespaces(text)
    problems = [f"{path}: namespace {name}, expected {allowed[0]} (see NAMESPACES)" for name in sorted(opened - set(allowed) - FOREIGN)
                if not any(known.startswith(name + "::") for known in allowed)]
    if opened and not opened & (set(allowed) | FOREIGN):
        problems.append(f"{path}: opens no namespace of its folder: {allowed[0]} (see NAMESPACES)")
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


def python_imports(file, folder):
    """The modules of the package that a module imports, as dotted names, within functions as well. Imports for type checkers alone do not count."""
    package = file.relative_to(folder).parent.parts
    tree = ast.parse(file.read_text())
    for node in [n for n in ast.walk(tree) if isinstance(n, ast.If) and getattr(n.test, "id", "") == "TYPE_CHECKING"]:
        node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            above = package[:len(package) - (node.level - 1)]
            yield from [".".join((*above, module)) for module in ([node.module] if node.module else [name.name for name in node.names])]


def python_circles(folder):
    """Modules of the package that import themselves through others."""
    seen_by = {".".join(file.relative_to(folder).with_suffix("").parts): set(python_imports(file, folder)) for file in folder.rglob("*.py")
               if file.stem != "__init__"}
    assert len(seen_by) > 10, f"only {len(seen_by)} modules found in {folder}"

    def reachable(module, seen):
        for other in seen_by.get(module, set()) - seen:
            seen.add(other)
            reachable(other, seen)
        return seen
    return [f"{folder.name}/{module.replace('.', '/')}.py imports itself through others" for module in seen_by if module in reachable(module, set())]


def main(root):
    files = [f for c in TOP_FOLDERS for f in (root / c).rglob("*") if f.suffix in (".h", ".cpp", ".cu", ".cuh")]
    assert len(files) > 20, f"only {len(files)} sources found below {root}"
    problems = circles() + python_circles(root / "python/helioray")
    for file in files:
        path, text = file.relative_to(root).as_posix(), file.read_text()
        problems += problems_of(path, text) + namespace_problems(path, text)
    print("\n".join(problems) or f"{len(files)} files, includes point one way, names are in the namespace of their folder")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
