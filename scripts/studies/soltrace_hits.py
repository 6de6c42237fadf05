#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Power on each element of SolTrace projects: SolTrace's own tracer beside HelioRay.

  scripts/studies/soltrace_hits.py STRACE PROJECT... [--program HELIORAY] [--rays 1e6] [--up y] [--all-hits] [--set KEY=VALUE]

STRACE is SolTrace's command-line tracer, which its sources have (coretrace/strace; from its folder coretrace:
`g++ -std=c++14 -O2 -w -fpermissive -I. *.cpp strace/main.cpp -o strace`). It traces each project with the sun shape and all errors. A hit of a
ray counts as its share of 1000 W/m2 on SolTrace's area of rays. Light that comes from the sun without a mirror is left out, because
HelioRay traces light of mirrors alone; so are hits on an element from which the ray has just come, except with --all-hits. SolTrace counts
hits on both faces: light that enters an open tube and lands on its inside has a column of its own, as HelioRay counts the outside of such a
receiver. The table has, for each target of the imported project, the powers and their difference in standard errors of both.
"""

import argparse
import collections
import json
import math
import pathlib
import re
import shutil
import subprocess
import tempfile

DNI_W_M2 = 1000.0
SEED = 8454


def run(*command, cwd):
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{command[0]} failed:\n{(done.stderr or done.stdout).strip()[-1000:]}")
    return done.stdout


class Tube:
    """A full cylinder among the elements of a stage whose coordinates are those of the project."""

    def __init__(self, fields):
        origin, aim, turn, radius = list(map(float, fields[1:4])), list(map(float, fields[4:7])), math.radians(float(fields[7])), 1 / float(fields[18])
        ahead = [b - a for a, b in zip(origin, aim)]
        length = math.hypot(*ahead)
        ahead = [part / length for part in ahead]
        azimuth, height = math.atan2(ahead[0], ahead[2]), math.asin(ahead[1])
        self.axis = (math.cos(azimuth) * math.sin(turn) - math.sin(azimuth) * math.sin(height) * math.cos(turn), math.cos(height) * math.cos(turn),
                     -math.sin(azimuth) * math.sin(turn) - math.cos(azimuth) * math.sin(height) * math.cos(turn))
        self.centre = [a + radius * part for a, part in zip(origin, ahead)]

    def is_inside(self, start, hit):
        """Whether the light from `start` lands on the inside at `hit`."""
        from_axis = [a - b for a, b in zip(hit, self.centre)]
        along = sum(a * b for a, b in zip(from_axis, self.axis))
        return sum((a - along * c) * (b - d) for a, c, b, d in zip(from_axis, self.axis, hit, start)) > 0


def read_elements(project):
    """The elements as (stage, element), both from 1, by line of the project, and the tubes among them by (stage, element)."""
    places, tubes, stage = {}, {}, 0
    for number, line in enumerate(project.read_text(encoding="latin-1").splitlines(), 1):
        fields = line.split("\t")
        if fields[0] == "STAGE":
            stage, element, name_follows = stage + 1, 0, True
            is_plain = [float(part) for part in (*fields[2:5], *fields[6:9], fields[10])] == [0, 0, 0, 0, 0, 1, 0]
        elif stage > 0 and name_follows:
            name_follows = False
        elif stage > 0 and len(fields) > 28:
            element += 1
            places[number] = (stage, element)
            if is_plain and (fields[8], fields[17]) == ("l", "t") and float(fields[9]) == float(fields[10]) == 0:
                tubes[places[number]] = Tube(fields)
    return places, tubes


def power_by_soltrace(strace, project, options, left_out, tubes):
    """Power in W and its standard error by (stage, element), without the light of mirrors that HelioRay leaves out, and the power on the
    insides of tubes."""
    # The version's first line is optional for SolTrace itself, but not for this program.
    text = project.read_text(encoding="latin-1")
    if not text.startswith("#"):
        project.write_text("# SOLTRACE VERSION 2012.7.9 INPUT FILE\n" + text, encoding="latin-1")
    run(strace, project, int(options.rays), 1000 * int(options.rays), SEED, 1, 1, 0, cwd=project.parent)
    paths = collections.defaultdict(list)
    with open(f"{project}.rays") as file:
        next(file)
        x_min, x_max, y_min, y_max, sun_rays, _ = map(float, next(file).split())
        next(file)
        for line in file:
            fields = line.split()
            stage, element, ray = map(int, fields[6:9])
            if element != 0:
                paths[ray].append(((stage, abs(element)), tuple(map(float, fields[:3]))))
    hits, inside = collections.Counter(), collections.Counter()
    for path in paths.values():
        # The file has the hits of some rays in the order of its blocks. Within a stage the order is right.
        path.sort(key=lambda hit: hit[0][0])
        if path[0][0][0] != 1 or path[0][0] in left_out:
            continue
        for (before, start), (place, hit) in zip(path, path[1:]):
            if place != before or options.all_hits:
                (inside if place in tubes and tubes[place].is_inside(start, hit) else hits)[place] += 1
    watts = DNI_W_M2 * (x_max - x_min) * (y_max - y_min) / sun_rays
    return {place: (watts * hits[place], watts * hits[place] ** 0.5, watts * inside[place]) for place in (*hits, *inside)}


def power_by_helioray(program, project, options):
    """Power in W and its standard error by name of target, and the target's line in the project; lines that were left out."""
    settings = project.with_suffix(".yaml")
    imported = json.loads(run(program, "scenario", "soltrace", project, "-o", project.with_suffix(".h5"), "--config", settings, "--skip-unsupported", "--json",
                              *(["--up", options.up] if options.up else []), cwd=project.parent))
    lines = {found[2]: int(found[1]) for text in imported["report"] if (found := re.search(r":(\d+): target '(.*)'", text))}
    result = json.loads(run(program, "raytrace", settings, "--json", "--set", "output=null", "--set", f"tracing.rays_per_heliostat={max(1, int(options.rays / imported['heliostats']))}",
                            *(part for setting in options.set for part in ("--set", setting)), cwd=project.parent))
    left_out = [int(found[1]) for text in imported["report"] if (found := re.search(r":(\d+): element left out", text))]
    return {name: (target["power_w"], target["power_std_error_w"], lines.get(name)) for name, target in result["targets"].items()}, left_out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("strace", type=pathlib.Path)
    parser.add_argument("projects", type=pathlib.Path, nargs="+")
    parser.add_argument("--program", type=pathlib.Path, default=pathlib.Path("build/release/bin/helioray"))
    parser.add_argument("--rays", type=float, default=1e6)
    parser.add_argument("--up", choices=("z", "y"))
    parser.add_argument("--all-hits", action="store_true", help="count hits of SolTrace on an element from which the ray has just come")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="for HelioRay's run, as its own --set")
    options = parser.parse_args()
    program, strace = options.program.resolve(), options.strace.resolve()
    for source in options.projects:
        with tempfile.TemporaryDirectory() as folder:
            project = pathlib.Path(folder) / source.name.replace(" ", "_")
            shutil.copy(source, project)
            print(f"{source.name}\n  {'target':24} {'SolTrace W':>14} {'inside W':>12} {'HelioRay W':>14} {'ratio':>8} {'std errors':>10}")
            ours, left_out = power_by_helioray(program, project, options)
            places, tubes = read_elements(project)
            theirs = power_by_soltrace(strace, project, options, {places[line] for line in left_out}, tubes)
            for name, (power, error, line) in ours.items():
                other, other_error, inside = theirs.get(places.get(line), (0.0, 0.0, 0.0))
                both = (error**2 + other_error**2) ** 0.5
                print(f"  {name:24} {other:14.6g} {inside:12.4g} {power:14.6g} {power / other if other else float('nan'):8.4f} {(power - other) / both if both else 0.0:10.1f}")


if __name__ == "__main__":
    main()
