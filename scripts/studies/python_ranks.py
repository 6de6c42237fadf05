#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Cost of a call from Python on several ranks of this machine: python_ranks.py [RANKS...], by default 1 2 4.

Needs the Python package and torchrun. Each script prepares 12 heliostats and traces them 200 times with a new position of the sun, few rays, and one
thread for each rank. Prints the milliseconds of the fastest, the median and the slowest tenth of the calls on rank 0."""

import os
import pathlib
import shutil
import subprocess
import sys
import time

CALLS = 200


def work():
    import helioray as hr
    plant = hr.generate(os.environ["HELIORAY_TEMPLATE"], heliostats=12)
    keys = {"rays": 2000, "bitmap": {"width": 64, "height": 64}, "device": "cpu", "threads": 1, "distributed": {"timeout_s": 60}}
    ranks = int(os.environ.get("WORLD_SIZE", "1"))
    field = hr.prepare(plant, sun=(180, 45), **keys)
    times, prints = [], []
    for call in range(CALLS):
        begin = time.perf_counter()
        result = field.set_sun(150 + 0.3 * call, 40).trace(ranks=ranks > 1)
        times.append(1e3 * (time.perf_counter() - begin))
        prints.append(result.fingerprint)
    if int(os.environ.get("RANK", "0")) == 0:
        first, times = times[0], sorted(times[1:])
        print(f"{ranks:6d} {first:10.1f} {times[0]:10.2f} {times[len(times) // 2]:10.2f} {times[-len(times) // 10]:10.2f}   {hash(tuple(prints)):x}", flush=True)


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    environment = {**os.environ, "HELIORAY_TEMPLATE": str(root / "configs" / "field.yaml"), "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
    torchrun = os.environ.get("HELIORAY_TORCHRUN") or shutil.which("torchrun")
    print(" ranks   first, ms   least, ms  median, ms    p90, ms   hash of all fingerprints", flush=True)
    for ranks in sys.argv[1:] or ["1", "2", "4"]:
        launch = [sys.executable] if ranks == "1" else [torchrun, "--standalone", "--nproc-per-node", ranks]
        subprocess.run([*launch, __file__, "--work"], env=environment, check=True)


if __name__ == "__main__":
    work() if sys.argv[1:] == ["--work"] else main()
