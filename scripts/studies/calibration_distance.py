#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Errors and ellipses of records that were not fitted, by the distance to the nearest fitted sun, beside four tilts alone.

    python scripts/studies/calibration_distance.py --program build/release/bin/helioray

Needs nothing but Python. The records of every heliostat are divided in several ways: thirds, halves and quarters by the sun's azimuth and thirds by its elevation, where each part
is predicted from the others (split "sun"); three to six records drawn at random, which predict the rest ("few"); and each record from all others ("one"). Records whose
measurement is known to be wrong are left out of all of them (--wrong), those of an older epoch (--older) where few are drawn. A line for every split and set of parameters: median
and mean tilt of the normal in mrad, per cent of the spots inside of the ellipses of 68 and 95 %, number of predictions; first of all, then by distance.

    python scripts/studies/calibration_distance.py --also tests/data/paint_unseen

adds records of another folder to the fits and shows the predictions of these alone. With --known-epochs records of an older epoch are predicted only where two records of it are
fitted at least: nothing else shows where the drives stood.
"""

import argparse
import json
import math
import pathlib
import random
import statistics
import subprocess
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
CLASSES = ((0, 5), (5, 10), (10, 20), (20, 40), (40, 180))
WRONG = ("AA31/unnumbered-28736", "AA39/100733")
OLDER = ("AA39/151375", "AA39/156500", "AA39/158378")
ENDING = "-calibration-properties.json"
# Squares of the radii of the ellipses of 68 and 95 % in standard deviations: -2 ln(1 - p).
INSIDE_68, INSIDE_95 = -2 * math.log(0.32), -2 * math.log(0.05)


def folders(options):
    return [folder for folder in (options.paint, options.also) if folder]


def file_in(folders, *names):
    """The file or folder of this name in the first folder that has it."""
    return next(path for path in (folder.joinpath(*names) for folder in folders) if path.exists())


def suns(options):
    """Azimuth from north and elevation in degrees, by heliostat and record."""
    found = {}
    for file in sorted(file for folder in folders(options) for file in folder.glob(f"*/Calibration/*{ENDING}")):
        heliostat, record = file.parts[-3], file.name.removesuffix(ENDING)
        if f"{heliostat}/{record}" in options.wrong:
            continue
        data = json.loads(file.read_text())
        # PAINT counts azimuths from south, positive to the east.
        found.setdefault(heliostat, {})[record] = ((180 - data["sun_azimuth"]) % 360, data["sun_elevation"])
    return found


def parts(records, key, count):
    names = sorted(records, key=lambda name: records[name][key])
    bounds = [round(part * len(names) / count) for part in range(count + 1)]
    return [names[begin:end] for begin, end in zip(bounds, bounds[1:])]


def splits(found, options):
    """Of each kind: records to fit and records to predict, by heliostat."""
    chosen = {"sun": [], "few": [], "one": []}
    for key, count in ((0, 3), (0, 2), (0, 4), (1, 3)):
        divided = {heliostat: parts(records, key, count) for heliostat, records in found.items()}
        for part in range(count):
            chosen["sun"].append({heliostat: ([r for r in found[heliostat] if r not in of[part]], of[part]) for heliostat, of in divided.items()})
    for count in (3, 4, 5, 6):
        draw = random.Random(count)
        for _ in range(options.draws):
            split = {}
            for heliostat, records in found.items():
                names = [r for r in records if f"{heliostat}/{r}" not in options.older]
                fitted = draw.sample(names, min(count, len(names) - 1))
                split[heliostat] = (fitted, [r for r in names if r not in fitted])
            chosen["few"].append(split)
    most = max(len(records) for records in found.values())
    for i in range(most):
        # One record of every heliostat at a time.
        split = {}
        for heliostat, records in found.items():
            names = list(records)
            split[heliostat] = ([r for k, r in enumerate(names) if k != i], names[i:i + 1])
        chosen["one"].append(split)
    return chosen


def predict(split, parameters, options):
    """Distance to the nearest fitted sun (degrees), error (mrad) and its square in standard deviations, of each record to predict."""
    with tempfile.TemporaryDirectory() as name:
        folder, tests = pathlib.Path(name), []
        for heliostat, (fitted, predicted) in split.items():
            records = folder / "records" / heliostat / "Calibration"
            records.mkdir(parents=True)
            (records.parent / "Properties").symlink_to(file_in(folders(options), heliostat, "Properties"))
            older = [f"{heliostat}/{record}" in options.older for record in fitted]
            if options.known_epochs and sum(older) < 2:
                predicted = [record for record in predicted if f"{heliostat}/{record}" not in options.older]
            if options.also:
                predicted = [record for record in predicted if (options.also / heliostat / "Calibration" / f"{record}{ENDING}").exists()]
            for record in fitted + predicted:
                (records / f"{record}{ENDING}").symlink_to(file_in(folders(options), heliostat, "Calibration", f"{record}{ENDING}"))
            tests += [records / f"{record}{ENDING}" for record in predicted]
        if not tests:
            return []
        command = [options.program, "calibrate", "--tower", options.tower, folder / "records", "-o", folder / "calibrated.h5", "--json", "--parameters", parameters, "--test", *tests]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    rows = []
    for one in json.loads(done.stdout)["heliostats"].values():
        for test in one.get("test", []):
            (x, y), ((xx, xy), (_, yy)) = test["offset_m"], test["sigma_m"]
            rows.append((test["sun_distance_deg"], test["error_mrad"], (x * x * yy - 2 * x * y * xy + y * y * xx) / (xx * yy - xy * xy)))
    return rows


def cell(rows):
    if not rows:
        return f"{'-':>27}"
    errors = [error for _, error, _ in rows]
    inside = [100 * sum(square < limit for *_, square in rows) / len(rows) for limit in (INSIDE_68, INSIDE_95)]
    return f"{statistics.median(errors):6.2f}{statistics.mean(errors):6.2f}{inside[0]:5.0f}{inside[1]:5.0f} ({len(rows):3d})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, default=SOURCE / "build/release/bin/helioray")
    parser.add_argument("--tower", type=pathlib.Path, default=SOURCE / "configs/paint/tower-measurements.json")
    parser.add_argument("--paint", type=pathlib.Path, default=SOURCE / "tutorials/12_calibration/paint", help="folder with heliostats")
    parser.add_argument("--also", type=pathlib.Path, help="folder with more records, whose predictions alone are shown")
    parser.add_argument("--known-epochs", action="store_true", help="do not predict records of an epoch that no fitted records show")
    parser.add_argument("--parameters", nargs="+", default=["tilts", "auto"])
    parser.add_argument("--draws", type=int, default=8, help="draws of three, four, five and six records")
    parser.add_argument("--wrong", nargs="*", default=WRONG, help="HELIOSTAT/RECORD that are left out")
    parser.add_argument("--older", nargs="*", default=OLDER, help="HELIOSTAT/RECORD of an older epoch")
    options = parser.parse_args()
    for path in ("program", "tower", "paint", "also"):
        if getattr(options, path):
            setattr(options, path, getattr(options, path).resolve())
    print(f"{'':<12}{'all':>27}" + "".join(f"{f'{low} to {high} deg':>27}" for low, high in CLASSES))
    for kind, chosen in splits(suns(options), options).items():
        for parameters in options.parameters:
            rows = [row for split in chosen for row in predict(split, parameters, options)]
            classes = [[row for row in rows if low <= row[0] < high] for low, high in CLASSES]
            print(f"{kind:<5}{parameters:<7}" + "".join(map(cell, (rows, *classes))), flush=True)


if __name__ == "__main__":
    main()
