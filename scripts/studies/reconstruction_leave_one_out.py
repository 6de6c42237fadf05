#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Predicts every flux image of a heliostat by a mirror fitted to the others, and prints flux accuracies.

scripts/studies/reconstruction_leave_one_out.py PROGRAM SCENARIO FOLDER [--truth SCENARIO]    FOLDER: <heliostat>/Calibration/<id>-..., also several of them
"""

import argparse
import json
import pathlib
import subprocess
import tempfile


def reconstruct(arguments, *more):
    with tempfile.TemporaryDirectory() as folder:
        command = [arguments.program, "reconstruct", arguments.scenario, "-o", f"{folder}/out.h5", "--json", *map(str, more)]
        return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("program", "scenario"):
        parser.add_argument(name)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--truth")
    arguments = parser.parse_args()
    truth = ["--truth", arguments.truth] if arguments.truth else []
    together = reconstruct(arguments, "--measured", arguments.folder, *truth)
    for heliostat, one in together["heliostats"].items():
        rows = []
        for record in [image["record"] for image in one.get("fitted", [])]:
            image = next(arguments.folder.rglob(f"{heliostat}/Calibration/{record}-flux-centered.png"))
            out = reconstruct(arguments, "--measured", arguments.folder, "--heliostat", heliostat, "--test", image)
            rows += out["heliostats"][heliostat]["test"]
        if not rows:
            continue
        for row in rows:
            print(f"{heliostat} {row['record']}: {row['flux_accuracy_before']:.3f} -> {row['flux_accuracy']:.3f}")
        mean = {key: sum(row[key] for row in rows) / len(rows) for key in ("flux_accuracy_before", "flux_accuracy")}
        print(f"{heliostat}, {len(rows)} images, each predicted by the others: {mean['flux_accuracy_before']:.3f} -> {mean['flux_accuracy']:.3f}; "
              f"slopes {one.get('slopes_mrad', 'unknown')}, standard deviation {one['slope_sigma_mrad']:.2f} mrad")


if __name__ == "__main__":
    main()
