#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes small files of every kind that HelioRay reads, with what the program printed about them, for tests that later versions read them.

Usage: make_samples.py PROGRAM ARCHIVE

Call it at every release with the program of that release and tests/data/older/VERSION.zip.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PLANT = """\
site: {latitude_deg: 37.44, longitude_deg: -6.25, altitude_m: 20}
tower: {position: [0, 0], optical_height_m: 60, height_m: 55, radius_m: 2.5}
receiver: {type: cylinder, radius_m: 3, height_m: 7}
heliostat:
  width_m: 6
  height_m: 5
  facets: [2, 1]
  facet_shape: sphere
  focal_length_m: slant_range
  canting_distance_m: slant_range
  pivot_height_m: 3
layout: {type: radial_stagger, radial_spacing: no_blocking, heliostats: 6, min_radius_m: 40}
"""
RUN = """\
scenario: plant.h5
sun: {time: "2026-03-21T15:00:00+00:00", dni_w_m2: 900, shape: {type: buie, csr: 0.02}}
aim: {target: receiver}
optics: {reflectivity: 0.9, slope_error_mrad: 1.5, attenuation: mirval}
obstacles: [{name: tower, type: cylinder, base: [0, 0, 0], radius_m: 2.5, height_m: 55}]
aiming: {strategy: optimize, flux_limit_kw_m2: 20}
tracing: {rays_per_heliostat: 2000}
bitmap: {width: 16, height: 8}
device: cpu
"""
SERIES = """\
sun: {times: {start: "2026-03-21T09:00:00+00:00", end: "2026-03-21T12:00:00+00:00", step_minutes: 180}, dni_w_m2: 900, shape: {type: pillbox, half_angle_mrad: 4.65}}
"""
# A command of the program by the file that it writes.
COMMANDS = {
    "run.h5": ["raytrace", "run.yaml", "--set", "output.per_heliostat=true", "-o", "run.h5"],
    "series.h5": ["raytrace", "series.yaml", "-o", "series.h5"],
    "aim.h5": ["aim", "run.yaml", "-o", "aims.csv", "--result", "aim.h5"],
    "year.h5": ["annual", "run.yaml", "--declinations", "3", "--hours", "3", "-o", "year.h5"],
    "table.h5": ["efficiency", "run.yaml", "--azimuths", "90,180,270", "--elevations", "15,45,75", "-o", "table.h5"],
    "sweep.h5": ["sweep", "run.yaml", "--vary", "optics.reflectivity=0.8,0.9", "-o", "sweep.h5"],
    "calibrated.h5": ["calibrate", SOURCE / "tests/data/paint/AA39", "--tower", SOURCE / "configs/paint/tower-measurements.json", "-o", "calibrated.h5"],
    "mirrors.h5": ["reconstruct", "nominal.h5", "--measured", SOURCE / "tests/data/paint", "--heliostat", "AA39", "-o", "mirrors.h5"],
}
# These entries describe a machine, or are of no interest.
LEFT_OUT = {"backend", "device", "heliostat_records", "instruction_set", "launcher", "peak_rss_mb", "rays_per_second", "seconds", "total_seconds",
            "trace_seconds", "world_size"}


def run(program, folder, *words):
    done = subprocess.run([program, *map(str, words)], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: {done.stderr}")
    return done.stdout


def write_samples(program, folder):
    (folder / "plant.yaml").write_text(PLANT)
    (folder / "run.yaml").write_text(RUN)
    first, _, *others = RUN.splitlines(keepends=True)
    (folder / "series.yaml").write_text("".join([first, SERIES, *others]))
    run(program, folder, "scenario", "generate", "plant.yaml", "-o", "plant.h5")
    run(program, folder, "scenario", "paint", "--tower", SOURCE / "configs/paint/tower-measurements.json", SOURCE / "tests/data/paint", "-o", "nominal.h5")
    printed = {}
    for file, words in COMMANDS.items():
        facts = json.loads(run(program, folder, *words, "--json"))
        printed[file] = {name: value for name, value in facts.items() if name not in LEFT_OUT}
    (folder / "printed.json").write_text(json.dumps(printed, indent=1) + "\n")
    for name in ("plant.yaml", "series.yaml", "nominal.h5"):
        (folder / name).unlink()


def main(program, archive):
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        write_samples(program, folder)
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
            for file in sorted(folder.iterdir()):
                packed.write(file, file.name)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
