# SPDX-License-Identifier: MIT
"""Two ranks of the program under any launcher, found and disturbed through /proc."""

import os
import pathlib
import shutil
import signal
import subprocess
import time
import uuid

from harness import PROGRAM, ProgramTest, clean_environment, find_tool
from test_ranks import free_port

MARK = "HELIORAY_TEST_MARK"
RANK_VARIABLES = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID")


def launcher_command(name):
    """Command line that starts two ranks of what follows; None where the launcher is not installed."""
    torchrun = find_tool("HELIORAY_TORCHRUN", "torchrun")
    commands = {
        "torchrun": torchrun and [torchrun, "--no-python", "--standalone", "--nproc-per-node", "2"],
        "openmpi": shutil.which("mpirun.openmpi") and ["mpirun.openmpi", "-n", "2", "--oversubscribe"],
        "mpich": shutil.which("mpiexec.hydra") and ["mpiexec.hydra", "-n", "2"],
    }
    return commands[name]


class Run:
    """Two ranks under a launcher, or started by hand: `processes` are what the test started."""

    def __init__(self, folder, launcher, arguments, rank_arguments=({}, {}), **environment):
        self.mark = uuid.uuid4().hex
        self.launcher = launcher
        environment = {MARK: self.mark, "OMPI_ALLOW_RUN_AS_ROOT": 1, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": 1, **environment}
        raytrace = [PROGRAM, "raytrace", *map(str, arguments)]
        self.started = time.monotonic()
        if launcher == "env":
            common = dict(WORLD_SIZE=2, MASTER_ADDR="127.0.0.1", MASTER_PORT=environment.pop("MASTER_PORT", None) or free_port())
            starts = [(raytrace + list(more.get("arguments", ())), {**common, "RANK": rank, **more.get("environment", {})})
                      for rank, more in enumerate(rank_arguments)]
        elif launcher == "local":
            starts = [(raytrace + ["--ranks", str(environment.pop("RANKS", 2))], {})]
        else:
            starts = [(launcher_command(launcher) + raytrace, {})]
        # A session of their own: signals reach these processes only.
        self.processes = [subprocess.Popen(command, cwd=folder, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                           stderr=subprocess.STDOUT, start_new_session=True,
                                           env=clean_environment(**{**environment, **more})) for command, more in starts]

    def ranks(self):
        """Process ids of the ranks that exist now, by rank."""
        found = {}
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                variables = dict(v.split("=", 1) for v in (entry / "environ").read_text(errors="replace").split("\0") if "=" in v)
                if variables.get(MARK) != self.mark or os.path.realpath(entry / "exe") != os.path.realpath(PROGRAM):
                    continue
            except OSError:
                continue
            rank = next((variables[name] for name in RANK_VARIABLES if name in variables), None)
            if rank is not None:
                found[int(rank)] = int(entry.name)
        return found

    def remnants(self):
        """Every process that carries the mark of this run, zombies apart."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and f"{MARK}={self.mark}" in (entry / "environ").read_text(errors="replace"):
                    found.append((int(entry.name), (entry / "comm").read_text().strip()))
            except OSError:
                pass
        return found

    def kill_all(self):
        for pid, _ in self.remnants():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def end(self, limit):
        """Exit codes and everything that was said, by started process. Fails where the limit does not suffice."""
        codes, texts = [], []
        for process in self.processes:
            text, _ = process.communicate(timeout=max(1.0, limit - (time.monotonic() - self.started)))
            codes.append(process.returncode)
            texts.append(text)
        return codes, texts


class FaultCase(ProgramTest):
    """A row of the table is a method that calls these."""

    LONG = "1e12"  # more rays than can be traced while a test lasts

    def setUp(self):
        super().setUp()
        self.long = self.write_config(rays=self.LONG, name="long.yaml")
        self.short = self.write_config(rays="1e5", name="short.yaml")
        self.logs = 0

    def start(self, launcher, config, *arguments, **options):
        if launcher not in ("env", "local") and not launcher_command(launcher):
            self.skipTest(f"{launcher} is not installed")
        run = Run(self.folder, launcher, (config, *arguments), **options)
        self.addCleanup(run.kill_all)
        return run

    def start_tracing(self, launcher, *arguments, **options):
        """A long run whose two ranks are tracing when this returns."""
        self.logs += 1
        folder = self.folder / f"logs{self.logs}.yaml"  # the harness knows .yaml as ours
        run = self.start(launcher, self.long, "-v", "--log-dir", folder, "--threads", 1, *arguments, **options)
        deadline = time.monotonic() + 40
        while time.monotonic() < deadline:
            logs = [folder / f"rank_{rank}.log" for rank in (0, 1)]
            if all(log.exists() and "backend gloo" in log.read_text() for log in logs):
                time.sleep(0.5)
                return run
            if any(process.poll() is not None for process in run.processes):
                break
            time.sleep(0.05)
        run.kill_all()
        self.fail(f"{launcher}: the ranks do not trace: {[p.communicate()[0] for p in run.processes]}")

    def check_end(self, run, *, codes=None, said=(), within=30, since=None, files=()):
        """Ends in time with these exit codes (None: any failure), said this, left neither process nor file behind."""
        since = since or run.started
        found, texts = run.end(since - run.started + within)
        everything = "\n".join(texts)
        if codes is None:
            self.assertTrue(all(code != 0 for code in found), (found, everything))
        else:
            self.assertEqual(found, codes, everything)
        for text in said:
            self.assertIn(text, everything)
        self.assertNotIn("terminate called", everything)
        # Launchers reap their last children a moment later.
        deadline = time.monotonic() + 5
        while run.remnants() and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual(run.remnants(), [], everything)
        self.assertEqual(self.leftovers(), sorted(files))
        return everything
