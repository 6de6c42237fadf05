#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Start, memory and descriptors of a run on many processes of this machine: many_ranks.py PROGRAM SCHEDULE RANKS...

Prints for each number of ranks: seconds until every rank is connected, processor seconds of the whole run, memory of all ranks together
and of rank 0 (PSS: pages that processes share count once), descriptors of rank 0 and of rank 1, seconds of the whole run, and whether the
fingerprint is that of one process. The run must last longer than the start: give it more rays for more ranks."""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONFIG = """\
scenario: {scenario}
sun: {{azimuth_deg: 180, elevation_deg: 45}}
aim: {{target: receiver}}
tracing: {{rays_per_heliostat: {rays}}}
bitmap: {{width: 256, height: 256}}
device: cpu
"""


def pss_mb(pid):
    for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return 0.0


def ranks_of(launcher):
    """Process ids by rank."""
    found = {}
    for child in pathlib.Path(f"/proc/{launcher}/task/{launcher}/children").read_text().split():
        variables = pathlib.Path(f"/proc/{child}/environ").read_text(errors="replace").split("\0")
        found.update({int(v[5:]): int(child) for v in variables if v.startswith("RANK=")})
    return found


def measure(program, schedule, ranks, config, expected):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="many_ranks_", dir=config.parent))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    process = subprocess.Popen([program, "raytrace", str(config), "--json", "--threads", "1", "--ranks", str(ranks), "--log-dir", str(folder), "-v",
                                "--set", f"distributed.schedule={schedule}", "--set", "distributed.timeout_s=600"], stdout=subprocess.PIPE, text=True)
    logs = [folder / f"rank_{rank}.log" for rank in range(ranks)]
    waiting = list(logs)
    while waiting and process.poll() is None:
        waiting = [log for log in waiting if not log.exists() or "launcher local" not in log.read_text()]
        time.sleep(0.1)
    connected = time.monotonic() - start
    try:
        pids = ranks_of(process.pid)
        memory = {rank: pss_mb(pid) for rank, pid in pids.items()}
        files = {rank: len(os.listdir(f"/proc/{pids[rank]}/fd")) for rank in (0, 1)}
    except (OSError, KeyError):  # the run has ended
        memory, files = {}, {}
    printed, _ = process.communicate()
    seconds = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    same = process.returncode == 0 and json.loads(printed)["fingerprint"] == expected
    # The run may end before all memory is counted.
    counted = f"{sum(memory.values()):.0f} MB, rank 0 {memory[0]:.0f} MB, descriptors {files.get(0)} and {files.get(1)}" if len(memory) == ranks else "not counted"
    print(f"{schedule} {ranks}: connected {connected:.1f} s, {cpu:.1f} CPU s, {counted}, whole run {seconds:.1f} s, same fingerprint: {same}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("schedule")
    parser.add_argument("ranks", type=int, nargs="+")
    parser.add_argument("--rays", default="5e8", help="rays per heliostat")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        config = pathlib.Path(name) / "run.yaml"
        config.write_text(CONFIG.format(scenario=ROOT / "configs" / "juelich.h5", rays=options.rays))
        one = subprocess.run([options.program, "raytrace", str(config), "--json"], capture_output=True, text=True, check=True)
        for ranks in options.ranks:
            measure(options.program, options.schedule, ranks, config, json.loads(one.stdout)["fingerprint"])


if __name__ == "__main__":
    main()
