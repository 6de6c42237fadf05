#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ARTIST's aim point optimiser beside `helioray aim` on the same task: 96 heliostats, a wanted map, both judged by the same tracer.

Needs a Python with artist-csp 2.0.0 (pip install artist-csp torchvision) and the program:

    python scripts/studies/aiming_artist.py --program build/release/bin/helioray --folder out/artist

The field has the heliostats of configs/juelich.h5 (four B-spline facets, linear drives) on 96 places north of its tower. The wanted map on its cylindrical receiver is the product of two
trapezoids with the proportions of ARTIST's field example, and has the power that arrives when all aim at the middle.
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import time

import h5py
import numpy
import torch

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "configs" / "juelich.h5"
ROWS, COLUMNS = 8, 12
PIXELS = 256
DNI = 800.0
TARGET = "receiver"
# ARTIST's settings for aim points in its tutorial; the rays per point are those of its tests.
ARTIST = {
    "optimization": {"initial_learning_rate": 3e-4, "tolerance": 5e-4, "max_epoch": 100, "batch_size": 50, "log_step": 0,
                     "early_stopping_delta": 1e-4, "early_stopping_patience": 100, "early_stopping_window": 100},
    "scheduler": {"scheduler_type": "reduce_on_plateau", "reduce_factor": 0.3, "patience": 100, "threshold": 1e-3, "cooldown": 10, "lr_min": 1e-6},
    "constraints": {"rho_flux_integral": 1.0, "rho_local_flux": 1.0, "rho_intercept": 1.0, "max_flux_density": 1e6},
}
CONFIG = f"""\
scenario: field.h5
sun: {{azimuth_deg: 180, elevation_deg: 45, dni_w_m2: {DNI}}}
aim: {{target: {TARGET}}}
optics: {{reflectivity: 1}}
bitmap: {{width: {PIXELS}, height: {PIXELS}}}
tracing: {{rays_per_heliostat: 1e5, seed: 1}}
device: cpu
"""


def make_field(path, rays):
    """All heliostats are the prototype of the source."""
    with h5py.File(SOURCE) as source, h5py.File(path, "w") as field:
        field.attrs.update(source.attrs)
        for name in source:
            if name != "heliostats":
                source.copy(name, field)
        field["number_of_heliostat_groups"][()] = 1
        field["lightsources/sun/number_of_rays"][()] = rays
        for i in range(ROWS * COLUMNS):
            row, column = divmod(i, COLUMNS)
            heliostat = field.create_group(f"heliostats/H{i + 1:02d}")
            heliostat["id"] = i
            heliostat["position"] = [(column - 0.5 * (COLUMNS - 1)) * 8 + (row % 2) * 4 - 2, 40 + 14.0 * row, 1.7, 1.0]


def trapezoid(plateau, slope):
    """Shares of the width of the map."""
    at = numpy.abs((numpy.arange(PIXELS) + 0.5) / PIXELS - 0.5)
    return numpy.clip((0.5 * plateau + slope - at) / slope, 0, 1)


class Program:
    """helioray in a folder, with the CPU seconds that it takes."""

    def __init__(self, program, folder):
        self.program, self.folder = pathlib.Path(program).resolve(), folder

    def run(self, *arguments):
        def used():
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            return usage.ru_utime + usage.ru_stime
        before, begin = used(), time.monotonic()
        done = subprocess.run([self.program, *arguments, "--json"], cwd=self.folder, capture_output=True, text=True, check=True)
        return json.loads(done.stdout), used() - before, time.monotonic() - begin

    def flux(self, config, *arguments):
        """W in each pixel."""
        self.run("raytrace", config, "-o", "flux.h5", *arguments)
        with h5py.File(self.folder / "flux.h5") as file:
            target = file["targets"][TARGET]
            flux = target["flux"][()]
            return flux * target.attrs["power_w"] / flux.sum() if target["flux"].attrs["unit"] == "W/m2" else flux


def losses(wanted, power):
    """ARTIST's divergence, of shapes alone, and the generalised one, which counts the power."""
    q, p, least = wanted / wanted.sum(), power / power.sum(), 1e-12
    shape = (q * numpy.log((q + least) / (p + least))).sum()
    share = power.sum() / wanted.sum()
    return shape, shape - numpy.log(share) + share - 1


def optimise_with_artist(folder, wanted, points, epochs):
    """Motor positions by heliostat, the losses of all epochs, CPU and wall seconds."""
    # ARTIST writes a log to the working directory as soon as it is imported.
    os.chdir(folder)
    from artist.optim import AimPointOptimizer
    from artist.optim.loss import KLDivergenceLoss
    from artist.scenario.scenario import Scenario
    from artist.util.env import setup_distributed_environment

    torch.manual_seed(7)
    device = torch.device("cpu")
    with h5py.File(folder / "field.h5") as file:
        scenario = Scenario.load_scenario_from_hdf5(file, number_of_surface_points_per_facet=torch.tensor([points, points]), device=device)
    settings = {**ARTIST, "optimization": {**ARTIST["optimization"], "max_epoch": epochs}}
    half = numpy.sqrt(0.5)
    with setup_distributed_environment(number_of_heliostat_groups=1, device=device) as world:
        optimiser = AimPointOptimizer(
            ddp_setup=world, scenario=scenario, optimization_configuration=settings, incident_ray_direction=torch.tensor([0.0, half, -half, 0.0]).float(),
            target_area_index=scenario.solar_tower.target_name_to_index[TARGET], ground_truth=torch.tensor(wanted).float(), dni=DNI,
            bitmap_resolution=torch.tensor([PIXELS, PIXELS]), device=device)
        cpu, wall = time.process_time(), time.monotonic()
        _, history, *_ = optimiser.optimize(loss_definition=KLDivergenceLoss(), device=device)
        seconds = time.process_time() - cpu, time.monotonic() - wall
    motors = scenario.heliostat_field.heliostat_groups[0].kinematics.motor_positions.detach().numpy()
    return motors, history["flux_loss"], *seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/bin/helioray")
    parser.add_argument("--folder", default="out/artist")
    parser.add_argument("--epochs", type=int, default=ARTIST["optimization"]["max_epoch"], help="of ARTIST")
    parser.add_argument("--points", type=int, default=50, help="of ARTIST, along either side of a facet")
    parser.add_argument("--rays", type=int, default=4, help="of ARTIST, per point")
    options = parser.parse_args()
    folder = pathlib.Path(options.folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    make_field(folder / "field.h5", options.rays)
    (folder / "run.yaml").write_text(CONFIG)
    program = Program(options.program, folder)
    # Many rays with numbers of their own.
    judge = ("--set", "tracing.rays_per_heliostat=2e6", "--set", "tracing.seed=99")

    centre = program.flux("run.yaml", *judge)
    wanted = numpy.outer(trapezoid(166 / 276, 30 / 276), trapezoid(120 / 230, 30 / 230))
    wanted *= centre.sum() / wanted.sum()
    with h5py.File(folder / "flux.h5") as file:
        area = file["targets"][TARGET].attrs["power_w"] / file["targets"][TARGET]["flux"][()].sum()
    with h5py.File(folder / "wanted.h5", "w") as file:
        file[f"targets/{TARGET}/flux"] = wanted / area

    print(f"{'aim points':<28}{'shape':>9}{'with power':>12}{'power kW':>10}{'CPU s':>9}{'wall s':>9}")

    def show(name, power, cpu=None, wall=None):
        shape, counted = losses(wanted, power)
        times = f"{cpu:9.2f}{wall:9.2f}" if cpu is not None else ""
        print(f"{name:<28}{shape:9.4f}{counted:12.4f}{power.sum() / 1e3:10.1f}{times}", flush=True)

    show("centre", centre)
    for measure in ("kl", "mean_square"):
        table = f"{measure}.csv"
        printed, cpu, wall = program.run("aim", "run.yaml", "--set", f"aiming.objective={{target_map: wanted.h5, measure: {measure}}}", "-o", table)
        show(f"helioray aim, {measure}", program.flux("run.yaml", "--set", f"aim.file={table}", *judge), cpu, wall)
        print(f"    {printed['iterations']} iterations, {printed['traces']} traces, {printed['heliostats_off']} off, {printed['seconds']:.2f} s of choosing")
    motors, history, cpu, wall = optimise_with_artist(folder, wanted, options.points, options.epochs)
    own = ", ".join(f"H{i + 1:02d}: {{motor_positions: [{a:.3f}, {b:.3f}]}}" for i, (a, b) in enumerate(motors))
    (folder / "artist.yaml").write_text(CONFIG.replace(f"aim: {{target: {TARGET}}}", f"aim: {{target: {TARGET}, heliostats: {{{own}}}}}"))
    show(f"ARTIST, {len(history)} epochs", program.flux("artist.yaml", *judge), cpu, wall)
    print(f"    its own loss, with its rays and its light: {history[0]:.4f} -> {history[-1]:.4f}, least {min(history):.4f}")


if __name__ == "__main__":
    main()
