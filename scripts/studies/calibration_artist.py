#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ARTIST's two methods for kinematics beside `helioray calibrate`: the same records, errors on records that none of them has seen.

Needs a Python with artist-csp 2.0.0 (pip install artist-csp torchvision) and the program:

    python scripts/studies/calibration_artist.py --program build/release/bin/helioray --folder out/artist

The records of each heliostat are divided into folds, and every fold is predicted from the others: by the sun's azimuth, so that suns of a fold are far from the fitted ones
(--split sun), or dealt out in turn (--split turn). ARTIST gets what it lacks: only records that HelioRay counts, without outliers and wrong suns, and positions in the frame of
coordinates that HelioRay found. Its settings are those of its field example. Its loss for ray tracing compares centres of light alone, so that an image with all its light at the
measured spot is as good as the camera's, and there is one for every record.
"""

import argparse
import json
import math
import os
import pathlib
import subprocess
import time

import h5py
import numpy
import torch

SOURCE = pathlib.Path(__file__).resolve().parents[2]
METHODS = ("alignment", "raytracing")
SCHEDULER = {"scheduler_type": "reduce_on_plateau", "reduce_factor": 1e-4, "patience": 50, "threshold": 1e-3, "cooldown": 5, "lr_min": 1e-6}
RATES = {"alignment": 1e-3, "raytracing": 5e-4}
CLASSES = ((0, 5), (5, 10), (10, 20), (20, 180))
PIXELS = 256


def load(file, points):
    from artist.optim import KinematicsReconstructor  # noqa: F401 (must be imported before the scenario)
    from artist.scenario.scenario import Scenario
    with h5py.File(file) as opened:
        return Scenario.load_scenario_from_hdf5(opened, number_of_surface_points_per_facet=torch.tensor([points, points]), device=torch.device("cpu"))


def spot_images(scenario, spots, targets):
    """All light at the measured spots: four pixels with the right centre."""
    from artist.geometry import coordinates

    def place(e, u):
        pixels = torch.tensor([[e, u]]).repeat(len(targets), 1).float()
        return coordinates.bitmap_coordinates_to_target_coordinates(pixels, torch.tensor([PIXELS, PIXELS]), scenario.solar_tower, targets)[:, :3].double()
    corner, right, up = place(0, 0), place(1, 0), place(0, 1)
    images = torch.zeros(len(targets), PIXELS, PIXELS)
    for i, spot in enumerate(spots[:, :3].double()):
        axes = torch.stack([right[i] - corner[i], up[i] - corner[i]], 1)
        e, u = torch.linalg.lstsq(axes, spot - corner[i]).solution.tolist()
        e, u = (min(max(x, 0.0), PIXELS - 1.001) for x in (e, u))
        for column, of_column in ((int(e), 1 - e % 1), (int(e) + 1, e % 1)):
            for row, of_row in ((int(u), 1 - u % 1), (int(u) + 1, u % 1)):
                images[i, row, column] += of_column * of_row
    return images


def fit(file, name, files, method, options):
    """A scenario whose tilts ARTIST has fitted to these records."""
    from artist.io.paint_calibration_parser import PaintCalibrationDataParser
    from artist.optim import KinematicsReconstructor
    from artist.optim.loss import AngleLoss, FocalSpotLoss
    from artist.util.env import setup_distributed_environment

    class Spots(PaintCalibrationDataParser):
        def load_flux_from_png(self, **_):
            return None

        def parse_data_for_reconstruction(self, *args, **keys):
            _, spots, *others, targets = super().parse_data_for_reconstruction(*args, **keys)
            return spot_images(keys["scenario"], spots, targets), spots, *others, targets

    torch.manual_seed(7)
    # Its last quarter of the records is never fitted: copies of the first take that place.
    files, count = list(files), len(files)
    while len(files) - max(1, int(0.25 * len(files))) < count:
        files.append(files[0])
    scenario = load(file, options.points)
    settings = {
        "optimization": {"initial_learning_rate_rotation_deviation": RATES[method], "tolerance": 0, "max_epoch": options.epochs[METHODS.index(method)],
                         "batch_size": 100, "log_step": 0, "early_stopping_delta": 1e-12, "early_stopping_patience": 10000, "early_stopping_window": 10000},
        "scheduler": SCHEDULER,
    }
    device = torch.device("cpu")
    with setup_distributed_environment(number_of_heliostat_groups=1, device=device) as world:
        reconstructor = KinematicsReconstructor(
            ddp_setup=world, scenario=scenario, data={"data_parser": Spots(), "heliostat_data_mapping": [(name, files, [])]},
            optimization_configuration=settings, reconstruction_method=method, bitmap_resolution=torch.tensor([PIXELS, PIXELS]))
        reconstructor.reconstruct_kinematics(loss_definition=AngleLoss() if method == "alignment" else FocalSpotLoss(scenario=scenario), device=device)
    return scenario


def tilts(scenario, records):
    """Half the angles between predicted and measured spots, as seen from the mirror; mrad."""
    group = scenario.heliostat_field.heliostat_groups[0]
    with torch.no_grad():
        group.activate_heliostats(active_heliostats_mask=torch.tensor([len(records)], dtype=torch.int32), device=torch.device("cpu"))
        motors = torch.tensor([record["motors"] for record in records], dtype=torch.float32)
        frames = group.kinematics.motor_positions_to_orientations(motor_positions=motors, device=torch.device("cpu")).double().numpy()
    errors = []
    for frame, record in zip(frames, records):
        normal, origin = frame[:3, 2], frame[:3, 3]
        sun, wanted = record["to_sun"], record["spot"] - origin
        light = 2 * (normal @ sun) * normal - sun
        cosine = light @ wanted / numpy.linalg.norm(light) / numpy.linalg.norm(wanted)
        errors.append(500 * math.acos(min(1.0, max(-1.0, cosine))))
    return errors


def record_of(file):
    data = json.loads(file.read_text())
    # PAINT counts azimuths from south, positive to the east.
    azimuth, elevation = math.radians(180 - data["sun_azimuth"]), math.radians(data["sun_elevation"])
    to_sun = numpy.array([math.sin(azimuth) * math.cos(elevation), math.cos(azimuth) * math.cos(elevation), math.sin(elevation)])
    motors = data["motor_position"]
    return {"file": file, "to_sun": to_sun, "motors": [motors["axis_1_motor_position"], motors["axis_2_motor_position"]]}


def folds_of(records, options):
    """Names of the records of each fold."""
    if options.split == "turn":
        return [list(records)[fold::options.folds] for fold in range(options.folds)]
    # From north clockwise, so that no fold has suns of both ends of the day.
    by_azimuth = sorted(records, key=lambda name: math.atan2(*records[name]["to_sun"][:2]) % math.tau)
    bounds = [round(fold * len(by_azimuth) / options.folds) for fold in range(options.folds + 1)]
    return [by_azimuth[begin:end] for begin, end in zip(bounds, bounds[1:])]


class Program:
    """helioray in a folder."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder

    def run(self, *arguments):
        done = subprocess.run([self.options.program.resolve(), *map(str, arguments)], cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(done.stderr)
        return done.stdout

    def calibrate(self, test=()):
        more = ("--test", *test) if test else ()
        return json.loads(self.run("calibrate", "--tower", self.options.tower, self.options.paint, "-o", "calibrated.h5", "--json", *more))["heliostats"]

    def scenario(self, name, position):
        """Nominal kinematics with this position."""
        file = self.folder / f"{name}.h5"
        self.run("scenario", "paint", "--tower", self.options.tower, self.options.paint / name, "-o", file)
        with h5py.File(file, "a") as opened:
            opened[f"heliostats/{name}/position"][:3] = position
        return file


def table(title, rows, classes):
    print(f"\n{title}\n{'':<22}" + "".join(f"{name:>18}" for name in rows))
    for label, chosen in classes:
        cells = []
        for errors in rows.values():
            some = [error for key, error in errors.items() if chosen(key)]
            cells.append(f"{numpy.median(some):9.2f}{numpy.mean(some):9.2f}" if some else f"{'-':>18}")
        print(f"{label:<22}" + "".join(cells))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, default=pathlib.Path("build/release/bin/helioray"))
    parser.add_argument("--tower", type=pathlib.Path, default=SOURCE / "configs/paint/tower-measurements.json")
    parser.add_argument("--paint", type=pathlib.Path, default=SOURCE / "tutorials/12_calibration/paint", help="folder with heliostats")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("out/artist"))
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--split", choices=("sun", "turn"), default="sun", help="how folds are made")
    parser.add_argument("--methods", nargs="*", choices=METHODS, default=METHODS, help="of ARTIST; none measures HelioRay alone")
    parser.add_argument("--epochs", type=int, nargs=2, default=(1500, 700), help="of alignment and of ray tracing")
    parser.add_argument("--points", type=int, default=25, help="of ARTIST, along either side of a facet")
    options = parser.parse_args()
    options.tower, options.paint, folder = options.tower.resolve(), options.paint.resolve(), options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    program = Program(options, folder)
    # ARTIST writes a log to the working directory as soon as it is imported.
    options.program = options.program.resolve()
    os.chdir(folder)

    whole = program.calibrate()
    with h5py.File(folder / "calibrated.h5") as file:
        state = file["calibration"]
        positions = dict(zip(state["heliostat"].asstr()[()], state["nominal"][:, :3]))
    records = {name: {c["record"]: record_of(options.paint / name / "Calibration" / f"{c['record']}-calibration-properties.json") for c in one["left_out"]}
               for name, one in whole.items() if one["used"] >= options.folds}
    files = {name: program.scenario(name, positions[name]) for name in records}

    # By heliostat and record.
    distance, inside, rows, seconds = {}, {}, {"nominal": {}, **{f"ARTIST {m}": {} for m in options.methods}, "helioray": {}}, {}
    folds = {name: folds_of(of, options) for name, of in records.items()}
    for fold in range(options.folds):
        held_out = {name: of[fold] for name, of in folds.items()}
        found = program.calibrate([records[name][i]["file"] for name, ids in held_out.items() for i in ids])
        for name, ids in held_out.items():
            for test in found[name]["test"]:
                key = (name, test["record"])
                records[name][key[1]]["spot"] = numpy.array(test["measured_m"])
                distance[key], rows["helioray"][key] = test["sun_distance_deg"], test["error_mrad"]
                square = numpy.array(test["offset_m"]) @ numpy.linalg.solve(test["sigma_m"], test["offset_m"])
                inside[key] = [square < -2 * math.log(1 - share) for share in (0.68, 0.95)]
            unseen = [records[name][i] for i in ids]
            fitted = [record["file"] for i, record in records[name].items() if i not in ids]
            scenarios = {"nominal": lambda: load(files[name], options.points),
                         **{f"ARTIST {m}": lambda m=m: fit(files[name], name, fitted, m, options) for m in options.methods}}
            for row, make in scenarios.items():
                begin = time.process_time()
                errors = tilts(make(), unseen)
                seconds[row] = seconds.get(row, 0.0) + time.process_time() - begin
                rows[row].update({(name, i): error for i, error in zip(ids, errors)})
                print(f"fold {fold + 1}, {name}, {row}: " + ", ".join(f"{error:.2f}" for error in errors), flush=True)

    print("\nTilt of the normal in mrad: median and mean of records that were not fitted")
    everything = [("all", lambda key: True)]
    table("by heliostat", rows, [(f"{name} ({len(of)})", lambda key, name=name: key[0] == name) for name, of in records.items()] + everything)
    classes = []
    for low, high in CLASSES:
        count = sum(low <= degrees < high for degrees in distance.values())
        classes.append((f"{low} to {high} deg ({count})", lambda key, low=low, high=high: low <= distance[key] < high))
    table("by the distance to the nearest sun that was fitted", rows, classes + everything)
    for label, chosen in classes + everything:
        some = [pair for key, pair in inside.items() if chosen(key)]
        if some:
            print(f"{label}: {100 * numpy.mean([a for a, _ in some]):.0f} % and {100 * numpy.mean([b for _, b in some]):.0f} % inside of HelioRay's ellipses of 68 and 95 %")
    print("\nCPU seconds of ARTIST: " + ", ".join(f"{row} {used:.0f}" for row, used in seconds.items() if row != "nominal"))


if __name__ == "__main__":
    main()
