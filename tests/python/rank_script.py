# SPDX-License-Identifier: MIT
"""What test_ranks.py starts on several processes: rank_script.py KIND FOLDER. Each writes what it has got to FOLDER."""

import atexit
import ctypes
import hashlib
import json
import os
import pathlib
import socket
import sys
import tempfile
import warnings

if sys.argv[1] == "end":
    # Holds Python's lock until the interpreter ends, for longer than late_threads.c delays threads. The first function that is registered is called
    # last. Python code after the call would hand the lock to a waiting thread, so none follows.
    atexit.register(ctypes.PyDLL(None).usleep, 1_500_000)

import helioray as hr  # noqa: E402

KEYS = {"rays": 20000, "bitmap": {"width": 16, "height": 12}, "device": "cpu", "distributed": {"backend": "gloo", "timeout_s": 60}}
SUNS = {"azimuth": [150.0, 180.0, 210.0], "elevation": [35.0, 50.0, 35.0], "dni": [1000.0, 1000.0, 1000.0]}


def engine(rank):
    plant = hr.generate(os.environ["HELIORAY_TEMPLATE"], heliostats=12)
    run = hr.trace(plant, sun=(180, 45), ranks=True, **KEYS)
    field = hr.prepare(plant, sun=(180, 45), **KEYS)
    loop = [field.set_sun(azimuth, 40).trace(ranks=True).fingerprint for azimuth in (170, 190)]
    series = hr.trace_series(plant, SUNS, ranks=True, **KEYS)
    kept = hr.trace_series(plant, SUNS, output="series.h5", ranks=True, **KEYS)
    year = hr.annual(plant, declinations=3, hours=3, ranks=True, **{**KEYS, "rays": 500})
    # Alone, whatever the launcher says.
    alone = hr.trace(plant, sun=(180, 40), seed=rank, **KEYS)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        hr.trace(plant, sun=(180, 45), ranks=True, relative_error=1e-9, **{**KEYS, "rays": 1000})
    try:
        hr.trace(plant, sun=(180, 45), ranks=True, reflectivity=2 + rank, **KEYS)
        refused = ""
    except hr.InputError as error:
        refused = str(error)
    try:
        hr.trace(plant, sun=(180, 45), ranks=True, **{**KEYS, "distributed": {"schedule": "master_worker"}})
        workers = ""
    except hr.InputError as error:
        workers = str(error)
    return {"run": run.fingerprint, "energy": run.energy, "peak": float(run.array().max()), "world": run.provenance["world_size"], "loop": loop,
            "series": series.fingerprint, "steps": [step.fingerprint for step in series], "kept": kept.fingerprint, "year": year.fingerprint,
            "year_energy": year.facts["energy_j"] if "energy_j" in year.facts else 0, "alone": alone.provenance["world_size"], "warnings": len(caught), "refused": refused, "workers": workers}


def solvers(rank):
    source = pathlib.Path(os.environ["HELIORAY_SOURCE_DIR"])
    plant = hr.generate(os.environ["HELIORAY_TEMPLATE"], heliostats=12)
    table = hr.efficiency(plant, azimuths=(90, 180, 270), elevations=(20, 40, 60), ranks=True, **{**KEYS, "rays": 500})
    limits = {"strategy": "optimize", "flux_limit_kw_m2": 20, "robust_sigma": 1}
    aims = hr.aim(plant, sun=(180, 45), aiming=limits, tracking_error_mrad=0.3, ranks=True, **KEYS)
    day = hr.aim(plant, SUNS, aiming=limits, tracking_error_mrad=0.3, ranks=True, **KEYS)
    tower = source / "configs/paint/tower-measurements.json"
    spots = source / "tutorials/12_calibration/paint"
    calibration = hr.calibrate([spots / "AA28", spots / "AA39"], tower=tower, ranks=True)
    images = source / "tests/data/paint"
    start = hr.from_paint(images, tower=tower, heliostats=["AA31", "AA39"])
    measured = [images / f"{name}-flux-centered.png" for name in ("AA31/Calibration/125284", "AA31/Calibration/126372", "AA39/Calibration/205363",
                                                                   "AA39/Calibration/223788")]
    reconstruction = hr.reconstruct(start, measured, ranks=True)
    aims.plot("aims.png" if rank == 0 else f"aims_{rank}.png")
    return {"table": table.fingerprint, "efficiency": table.facts, "aims": timeless(aims.facts), "points": aims._core.points(), "setting": aims.setting,
            "before": aims._core.before().provenance["fingerprint"], "after": aims.run.fingerprint, "flux": aims.run.array().tolist(),
            "day": timeless(day.facts), "day_points": day._core.points(), "day_runs": [run.fingerprint for run in day.runs],
            "day_before": day._core.before().provenance["fingerprint"], "day_after": day.run.fingerprint,
            "calibration": timeless(calibration.facts), "reconstruction": timeless(reconstruction.facts),
            "kinematics": hash_of(calibration.plant), "mirrors": hash_of(reconstruction.plant)}


def timeless(facts):
    """Without times, memory and ranks, which differ between equal results."""
    return {key: value for key, value in facts.items() if key not in ("seconds", "trace_seconds", "total_seconds", "rays_per_second", "peak_rss_mb",
                                                                      "world_size", "backend", "launcher")}


def hash_of(plant):
    """Of all that a plant's file holds."""
    with tempfile.TemporaryDirectory() as folder:
        plant.write(pathlib.Path(folder, "plant.h5"))
        return hashlib.sha256(pathlib.Path(folder, "plant.h5").read_bytes()).hexdigest()


def module(rank):
    import torch

    import helioray.torch
    world = int(os.environ["WORLD_SIZE"])
    torch.set_num_threads(1)
    if world > 1:
        torch.distributed.init_process_group("gloo")
    field = helioray.torch.Field(hr.generate(os.environ["HELIORAY_TEMPLATE"], heliostats=12), sun=(180, 45), sun_shape=hr.Buie(0.05),
                                 attenuation="mirval", ranks=world > 1, parameters=["aim_points", "optics"], **{**KEYS, "distributed": None})
    parallel = torch.nn.parallel.DistributedDataParallel(field) if world > 1 else field
    optimiser = torch.optim.SGD(field.parameters(), lr=1e-7)
    fluxes, gradients = [], []
    for _ in range(3):
        optimiser.zero_grad()
        flux, energy = parallel()
        (flux * flux).mean().mul(1e-6).backward()
        optimiser.step()
        fluxes.append(flux.detach().flatten().tolist())
        gradients.append(field.aim_points.grad.flatten().tolist() + field.optics.grad.tolist())
    if world > 1:
        torch.distributed.destroy_process_group()
    return {"first": fluxes[0], "last": fluxes[-1], "gradients": gradients, "energy": energy.flatten().tolist()}


def end(rank):
    """Leaves the group open, so that Gloo's threads still run when the interpreter ends."""
    import torch

    import helioray.torch
    torch.distributed.init_process_group("gloo")
    field = helioray.torch.Field(hr.generate(os.environ["HELIORAY_TEMPLATE"], heliostats=2), sun=(180, 45), ranks=True, **{**KEYS, "distributed": None})
    held.append((torch.distributed.group.WORLD, field()))
    torch.distributed.destroy_process_group()
    return {"delay_ms": ctypes.c_int.in_dll(ctypes.CDLL(None), "late_threads_delay_ms").value}


def group(_, **options):
    """Calls beside a group of torch.distributed, whose store listens at the port of the launcher."""
    import torch
    torch.distributed.init_process_group("gloo", **options)
    plant = hr.generate(os.environ["HELIORAY_TEMPLATE"], heliostats=4)
    runs = [hr.trace(plant, sun=(180, 45), ranks=True, **KEYS) for _ in range(2)]
    total = torch.ones(1)
    torch.distributed.all_reduce(total)
    alone = hr.trace(plant, sun=(180, 45), **KEYS)
    torch.distributed.destroy_process_group()
    return {"worlds": [run.provenance["world_size"] for run in runs], "fingerprints": [run.fingerprint for run in runs], "alone": alone.fingerprint,
            "sum": total.item()}


def group_of_tcp(rank):
    """The same without the variables of a launcher."""
    address = f"tcp://{os.environ.pop('MASTER_ADDR')}:{os.environ.pop('MASTER_PORT')}"
    del os.environ["RANK"]
    return group(rank, init_method=address, rank=rank, world_size=int(os.environ.pop("WORLD_SIZE")))


def lasting(rank):
    """One connection for several calls, closed at the end of a block, and another one afterwards."""
    plant = hr.generate(os.environ["HELIORAY_TEMPLATE"], heliostats=4)
    free, fingerprints = [], []

    def look():
        with socket.socket() as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind((os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])))
                free.append(True)
            except OSError:
                free.append(False)

    def trace(**keys):
        fingerprints.append(hr.trace(plant, sun=(180, 45), ranks=True, **{**KEYS, **keys}).fingerprint)

    look()
    with hr.connected_ranks():
        for _ in range(3):
            trace()
        look()
        try:
            trace(reflectivity=2 if rank == 1 else 0.9)
        except hr.InputError as error:
            refused = str(error)
        trace()
        # Another time-out is another connection.
        trace(distributed={"backend": "gloo", "timeout_s": 50})
        look()
    look()
    trace()
    look()
    return {"fingerprints": fingerprints, "refused": refused, "port_is_free": free if rank == 0 else [True, False, False, True, False]}


held = []

KINDS = {"engine": engine, "solvers": solvers, "module": module, "end": end, "group": group, "group_of_tcp": group_of_tcp, "lasting": lasting}

if __name__ == "__main__":
    own = int(os.environ.get("RANK", "0"))
    pathlib.Path(sys.argv[2], f"{own}.json").write_text(json.dumps(KINDS[sys.argv[1]](own)))
