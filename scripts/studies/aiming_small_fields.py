#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares `helioray aim` with the best of a mixed-integer programme on 60 small problems.

    python scripts/studies/aiming_small_fields.py --program build/release/bin/helioray --folder out/small --seeds 1 2 3

Needs numpy, h5py and scipy. Twelve plants (a plane, a cylinder and a disc, near and far, 4 and 8 heliostats) have five limits each, from half to 1.2 times the peak flux with all heliostats aimed at the
centre. Every heliostat is traced at a lattice of aim points, alone, with other random numbers than the program's; HiGHS then chooses at most one of these points for each heliostat so that the sum of the
traced maps keeps the limit in every pixel. With up to eight heliostats this search is exhaustive unless it runs out of time. A line per problem: power of the programme and of `helioray aim` (lowest of the
seeds), its bound and margin, the gap, the largest fraction of the limit, heliostats turned off. The last lines count the problems that meet the wanted figures.
"""

import argparse
import csv
import json
import pathlib
import subprocess

import h5py
import numpy
import scipy.optimize
import scipy.sparse

FRACTIONS = (0.5, 0.65, 0.8, 1.0, 1.2)
RECEIVERS = {"plane": ("receiver.type=plane", "receiver.width_m=8", "receiver.height_m=6", "receiver.azimuth_deg=0"),
             "cylinder": ("receiver.type=cylinder", "receiver.radius_m=2", "receiver.height_m=6", "receiver.azimuth_deg=0"),
             "disc": ("receiver.type=disc", "receiver.radius_m=3.5", "receiver.azimuth_deg=0")}
FIELDS = {"near": ("tower.optical_height_m=30", "layout.min_radius_m=35"), "far": ("tower.optical_height_m=60", "layout.min_radius_m=150")}
COMMON = ("tower.position=[0, 0]", "heliostat.width_m=6", "heliostat.height_m=5", "heliostat.pivot_height_m=3", "heliostat.facets=[3, 2]", "heliostat.facet_gap_m=[0.02, 0.02]", "heliostat.facet_shape=sphere",
          "heliostat.focal_length_m=slant_range", "heliostat.canting_distance_m=slant_range", "heliostat.slant_step_m=1", "layout.type=radial_stagger", "layout.radial_spacing=no_blocking",
          "layout.azimuth_from_deg=-60", "layout.azimuth_to_deg=60", "site.latitude_deg=37.44", "site.longitude_deg=-6.25")
RUN = ("sun.azimuth_deg=170", "sun.elevation_deg=40", "bitmap.width=20", "bitmap.height=20", "optics.slope_error_mrad=1.5")
COUNTS = (4, 8)
OTHER_SEED = 11
MILP_SECONDS = 20.0


def run(program, *words, codes=(0,)):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode not in codes:
        raise SystemExit(f"{' '.join(map(str, words))}: {done.stderr}")
    return done.stdout


def settings(*texts):
    return [word for text in texts for word in ("--set", text)]


def lattice(receiver, centre):
    """Aim points (metres east, north, up) beside the one at the centre."""
    if receiver == "cylinder":
        return [(centre[0], centre[1], centre[2] + up) for up in numpy.linspace(-2.9, 2.9, 25)]
    width, height = (7.6, 5.6) if receiver == "plane" else (6.8, 6.8)
    points = [(east, up) for east in numpy.linspace(-width / 2, width / 2, 9) for up in numpy.linspace(-height / 2, height / 2, 9)]
    return [(centre[0] + east, centre[1], centre[2] + up) for east, up in points if receiver == "plane" or numpy.hypot(east, up) <= 3.5]


def trace_candidates(program, folder, config, receiver, rays):
    """Maps [heliostat, candidate, pixel] in W/m2, powers [heliostat, candidate] in W, and the aim points."""
    table = folder / "center.csv"
    run(program, "aim", config, *settings(*RUN, "aiming.strategy=center"), "-o", table)
    with table.open() as file:
        rows = list(csv.DictReader(file))
    centres = [tuple(float(row[axis]) for axis in ("east", "north", "up")) for row in rows]
    points = [lattice(receiver, centre) for centre in centres]
    maps, powers = [], []
    for k in range(len(points[0])):
        with (folder / "candidate.csv").open("w") as file:
            writer = csv.writer(file)
            writer.writerow(["name", "target", "east", "north", "up", "active"])
            for row, own in zip(rows, points, strict=True):
                writer.writerow([row["name"], row["target"], *own[k], "true"])
        result = folder / "candidate.h5"
        run(program, "raytrace", config, *settings(*RUN, f"aim.file={folder / 'candidate.csv'}", "output.per_heliostat=true", "output.image=null", f"tracing.rays_per_heliostat={rays:g}", f"tracing.seed={OTHER_SEED}"),
            "-o", result)
        with h5py.File(result) as file:
            maps.append(file["heliostats/flux"][:].reshape(len(rows), -1))
            powers.append(file["heliostats/target_power"][:])
    return numpy.swapaxes(numpy.array(maps), 0, 1), numpy.array(powers).T


def best_programme(maps, powers, limit):
    """W: the best choice of candidates under the limit."""
    count, candidates, pixels = maps.shape
    flux = scipy.sparse.csr_matrix(maps.reshape(count * candidates, pixels).T / limit)
    single = scipy.sparse.kron(scipy.sparse.identity(count), numpy.ones((1, candidates)))
    rules = [scipy.optimize.LinearConstraint(flux, -numpy.inf, 1.0), scipy.optimize.LinearConstraint(single.tocsr(), -numpy.inf, 1.0)]
    found = scipy.optimize.milp(-powers.ravel(), constraints=rules, integrality=numpy.ones(count * candidates), bounds=scipy.optimize.Bounds(0, 1), options={"time_limit": MILP_SECONDS, "mip_rel_gap": 1e-3})
    return 0.0 if found.x is None else -found.fun


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True, type=pathlib.Path)
    parser.add_argument("--folder", required=True, type=pathlib.Path)
    parser.add_argument("--seeds", nargs="+", type=int, default=[1])
    parser.add_argument("--rays", type=float, default=2e5, help="per heliostat")
    parser.add_argument("--only", default="", help="plants whose name contains this")
    arguments = parser.parse_args()
    program = arguments.program.resolve()
    exceeded, near_bound, optimal, kept, total = 0, 0, 0, 0, 0
    print("problem                   MILP kW    aim kW     ratio   bound kW  margin    gap  worst  off kept")
    for receiver, shape in RECEIVERS.items():
        for distance, field in FIELDS.items():
            for count in COUNTS:
                name = f"{receiver}-{distance}-{count}"
                if arguments.only not in name:
                    continue
                folder = (arguments.folder / name).resolve()
                folder.mkdir(parents=True, exist_ok=True)
                config = folder / "plant.yaml"
                run(program, "scenario", "generate", *settings(*COMMON, *field, *shape, f"layout.heliostats={count}"), "-o", folder / "plant.h5", "--config", config)
                known = folder / "candidates.npz"
                if not known.exists():
                    maps, powers = trace_candidates(program, folder, config, receiver, arguments.rays)
                    numpy.savez(known, maps=maps, powers=powers)
                candidates = numpy.load(known)
                center = json.loads(run(program, "aim", config, *settings(*RUN, "aiming.strategy=center", f"tracing.rays_per_heliostat={arguments.rays:g}"), "-o", folder / "center.csv", "--json"))
                for fraction in FRACTIONS:
                    limit = fraction * center["peak_flux_w_m2"]
                    reference = best_programme(candidates["maps"], candidates["powers"], limit)
                    found = [json.loads(run(program, "aim", config, *settings(*RUN, f"tracing.rays_per_heliostat={arguments.rays:g}"), "--flux-limit-kw-m2", f"{limit / 1e3:.6g}", "--seed", seed, "-o", folder / "aims.csv",
                                            "--json", codes=(0, 1))) for seed in arguments.seeds]
                    worst = min(found, key=lambda one: one["power_w"])
                    bound = min(one["power_bound_w"] for one in found)
                    gap = max(one["gap"] for one in found)
                    share = max(one["worst_limit_share"] for one in found)
                    total += 1
                    exceeded += bound < reference
                    near_bound += gap <= 0.02
                    optimal += worst["power_w"] >= 0.99 * reference
                    kept += all(one["limits_kept"] for one in found)
                    print(f"{name:18s} {fraction:4.2f} {reference / 1e3:10.2f} {worst['power_w'] / 1e3:10.2f} {worst['power_w'] / max(reference, 1.0):8.4f} {bound / 1e3:10.2f} "
                          f"{100 * worst.get('bound_margin_w', 0.0) / worst['power_w']:6.2f}% {100 * gap:5.2f}% {share:6.4f} {worst['heliostats_off']:3d} {'yes' if worst['limits_kept'] else 'NO'}", flush=True)
    print(f"{total} problems: bound below the programme {exceeded}; gap up to 2 % {near_bound}; power within 1 % of the programme {optimal}; limits kept {kept}")


if __name__ == "__main__":
    main()
