#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fits a mirror to every pair (or every one, every three) of its flux images, and prints how often that leads farther from the truth than the start.

scripts/studies/reconstruction_subsets.py PROGRAM SCENARIO FOLDER HELIOSTAT [--size 2] [--truth SCENARIO]    FOLDER: <heliostat>/Calibration/<id>-...
Without a truth, the images that are not fitted are judged alone.
"""

import argparse
import itertools
import json
import pathlib
import subprocess
import tempfile


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("program", "scenario"):
        parser.add_argument(name)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("heliostat")
    parser.add_argument("--size", type=int, default=2)
    parser.add_argument("--truth")
    arguments = parser.parse_args()
    images = sorted(next(arguments.folder.rglob(f"{arguments.heliostat}/Calibration")).glob("*-flux-centered.png"))
    truth = ["--truth", arguments.truth] if arguments.truth else []
    slopes, accuracies = [], []
    with tempfile.TemporaryDirectory() as folder:
        for chosen in itertools.combinations(images, arguments.size):
            command = [arguments.program, "reconstruct", arguments.scenario, "-o", f"{folder}/out.h5", "--json", *truth,
                       "--measured", *chosen, "--test", *(image for image in images if image not in chosen)]
            one = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["heliostats"][arguments.heliostat]
            accuracies.append([sum(t[key] for t in one["test"]) / len(one["test"]) for key in ("flux_accuracy_before", "flux_accuracy")])
            if truth:
                slopes.append([one["slopes_mrad"][key] for key in ("before", "after")])

    def show(what, pairs, better):
        before, after = zip(*pairs)
        worse = sum(not better(a, b) for b, a in pairs)
        print(f"{arguments.heliostat}, {len(pairs)} times {arguments.size} images, {what}: mean {sum(before) / len(pairs):.3f} -> {sum(after) / len(pairs):.3f}, "
              f"from {min(after):.3f} to {max(after):.3f}, {worse} worse than the start")

    if slopes:
        show("slopes in mrad", slopes, lambda after, before: after < before)
    show("flux accuracy of the other images", accuracies, lambda after, before: after > before)


if __name__ == "__main__":
    main()
