#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ARTIST's surface reconstruction beside `helioray reconstruct`: the same images are fitted, and both are judged by the same tracer on images that neither has seen.

Needs a Python with artist-csp 2.0.0 (pip install artist-csp torchvision) and the program:

    python scripts/studies/reconstruction_artist.py --truth TRUTH.h5 --folder out/artist

The images are those of tests/data/paint, split by the sun; TRUTH.h5 is a scenario with measured surfaces of these heliostats. Both start from flat facets with nominal canting.
"""

import argparse
import json
import os
import pathlib
import subprocess
import time

import h5py
import numpy
import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAINT = ROOT / "tests" / "data" / "paint"
TOWER = ROOT / "configs" / "paint" / "tower-measurements.json"
# Morning, then noon and afternoon.
SPLITS = {"AA39": (("151375", "202558", "271633", "275564"), ("205363", "218385", "223788", "270398")),
          "AA31": (("125284", "126372"), ("156971", "189889"))}
# ARTIST's settings in its tutorial for surfaces.
ARTIST = {
    "optimization": {"initial_learning_rate": 1e-4, "tolerance": 1e-5, "max_epoch": 200, "batch_size": 30, "log_step": 0,
                     "early_stopping_delta": 1e-4, "early_stopping_patience": 100, "early_stopping_window": 100},
    "scheduler": {"scheduler_type": "exponential", "gamma": 0.99},
    "constraints": {"weight_smoothness": 0.005, "weight_ideal_surface": 0.005, "rho_flux_integral": 1.0, "energy_tolerance": 0.01},
}
CONTROL_POINTS = 7
SURFACE_POINTS = 50


def run(program, *arguments):
    return subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def files(heliostat, records, ending):
    return [PAINT / heliostat / "Calibration" / f"{record}-{ending}" for record in records]


def reconstruct_with_artist(start, heliostat, train, unseen, epochs):
    """Control points [facets, n, n, 3] in the facets' frames, losses of the epochs, seconds."""
    from artist.io.paint_calibration_parser import PaintCalibrationDataParser
    from artist.optim import SurfaceReconstructor
    from artist.optim.loss import KLDivergenceLoss
    from artist.scenario.scenario import Scenario
    from artist.util import constants
    from artist.util.env import setup_distributed_environment

    torch.manual_seed(7)
    device = torch.device("cpu")
    points = torch.tensor([SURFACE_POINTS, SURFACE_POINTS])
    with h5py.File(start) as file:
        scenario = Scenario.load_scenario_from_hdf5(file, number_of_surface_points_per_facet=points, device=device)
    # A quarter of the images, and at least the last one, is never fitted but only validates.
    records = [*train, *unseen[:max(1, len(train) // 3)]]
    data = {constants.data_parser: PaintCalibrationDataParser(),
            constants.heliostat_data_mapping: [(heliostat, files(heliostat, records, "calibration-properties.json"), files(heliostat, records, "flux-centered.png"))]}
    settings = {**ARTIST, "optimization": {**ARTIST["optimization"], "max_epoch": epochs}}
    with setup_distributed_environment(number_of_heliostat_groups=1, device=device) as world:
        begin = time.process_time()
        reconstructor = SurfaceReconstructor(ddp_setup=world, scenario=scenario, data=data, optimization_configuration=settings,
                                             number_of_surface_points=points, device=device)
        _, history = reconstructor.reconstruct_surfaces(loss_definition=KLDivergenceLoss(), device=device)
        seconds = time.process_time() - begin
    group = scenario.heliostat_field.heliostat_groups[0]
    return group.nurbs_control_points[0].detach().double().numpy(), history[0][0]["flux_loss"], seconds


def with_surface(start, heliostat, control_points, path):
    """The start with these control points; fitted surfaces contain canting and translation."""
    with h5py.File(start) as source, h5py.File(path, "w") as file:
        file.attrs.update(source.attrs)
        for name in source:
            source.copy(name, file)
        own = f"heliostats/{heliostat}/surface"
        if own not in file:
            file.copy("prototypes/surface", own)
        facets = file[own]["facets"]
        for name, points in zip(sorted(facets), control_points):
            facet = facets[name]
            east, north = (vector[:3] / numpy.linalg.norm(vector[:3]) for vector in facet["canting"][()])
            up = numpy.cross(east, north)
            placed = facet["position"][()][:3] + points[..., :1] * east + points[..., 1:2] * north + points[..., 2:] * up / numpy.linalg.norm(up)
            del facet["control_points"]
            facet["control_points"] = placed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/bin/helioray")
    parser.add_argument("--folder", default="out/artist")
    parser.add_argument("--truth", help="scenario with measured surfaces")
    parser.add_argument("--epochs", type=int, default=ARTIST["optimization"]["max_epoch"], help="of ARTIST")
    parser.add_argument("--rays", type=int, default=20, help="of ARTIST, per point")
    options = parser.parse_args()
    program = pathlib.Path(options.program).resolve()
    folder = pathlib.Path(options.folder).resolve()
    truth = ["--truth", pathlib.Path(options.truth).resolve()] if options.truth else []
    folder.mkdir(parents=True, exist_ok=True)
    # ARTIST writes a log to the working directory as soon as it is imported.
    os.chdir(folder)

    def mean(images, key):
        return numpy.mean([image[key] for image in images])

    print(f"{'images':<26}{'fitted':>18}{'not seen':>18}{'slopes, mrad':>16}{'CPU s':>8}")
    for heliostat, halves in SPLITS.items():
        start = folder / f"{heliostat}.h5"
        run(program, "scenario", "paint", "--tower", TOWER, PAINT / heliostat / "Properties", "--control-points", CONTROL_POINTS, "-o", start)
        with h5py.File(start, "r+") as file:
            file["lightsources/sun/number_of_rays"][()] = options.rays
        for train, unseen in (halves, halves[::-1]):
            def judge(scenario):
                out = run(program, "reconstruct", scenario, "--measured", *files(heliostat, train, "flux-centered.png"), "--test",
                          *files(heliostat, unseen, "flux-centered.png"), *truth, "--threads", 1, "-o", folder / "judged.h5", "--json")
                return json.loads(out)["heliostats"][heliostat]

            def show(name, one, which, key, seconds=None):
                slopes = f"{one['slopes_mrad'][which]:.2f}" if "slopes_mrad" in one else "-"
                print(f"{name:<26}{mean(one['fitted'], key):18.3f}{mean(one['test'], key):18.3f}{slopes:>16}{'' if seconds is None else f'{seconds:8.1f}'}", flush=True)

            print(f"{heliostat}, {', '.join(train)} fitted")
            begin = os.times()
            own = judge(start)
            used = os.times()
            show("  start", own, "before", "flux_accuracy_before")
            show("  helioray reconstruct", own, "after", "flux_accuracy", used.children_user - begin.children_user)
            points, history, seconds = reconstruct_with_artist(start, heliostat, train, unseen, options.epochs)
            made = folder / f"{heliostat}-artist.h5"
            with_surface(start, heliostat, points, made)
            show(f"  ARTIST, {len(history)} epochs", judge(made), "before", "flux_accuracy_before", seconds)
            print(f"    its own loss: {history[0]:.3f} -> {history[-1]:.3f}", flush=True)


if __name__ == "__main__":
    main()
