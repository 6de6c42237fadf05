# SPDX-License-Identifier: MIT
"""Two ranks of the program under any launcher, disturbed from outside; rows of a table of such faults, several at a time."""

import concurrent.futures
import contextlib
import ctypes
import dataclasses
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import threading
import time
import unittest
import uuid

from halt_rank import Preload
from harness import PROGRAM, ProgramTest, clean_environment, find_tool, free_port

MARK = "HELIORAY_TEST_MARK"
RANK_VARIABLES = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID")
TIME_OUT_S = 4
SANITIZED = bool(os.environ.get("HELIORAY_SANITIZE"))  # such builds take ten times the processor time
ROWS_AT_A_TIME = 4 if SANITIZED else 8  # they mostly wait


def stop_main_thread(pid):
    """Stops the main thread of a process, as a hanging device or file system would. Its other threads go on, and the process can end."""
    seize, interrupt, wait_for_any = 0x4206, 0x4207, 0x40000000
    outcome = queue.SimpleQueue()

    def trace():
        libc = ctypes.CDLL(None, use_errno=True)
        for request in (seize, interrupt):
            if libc.ptrace(ctypes.c_long(request), ctypes.c_long(pid), ctypes.c_void_p(0), ctypes.c_void_p(0)) != 0:
                return outcome.put(os.strerror(ctypes.get_errno()))
        outcome.put(None)
        # The thread that traces must outlive the process. The launcher of the process learns of its end when this program has.
        own = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1] == str(os.getpid())
        while pathlib.Path(f"/proc/{pid}").exists():
            with contextlib.suppress(ChildProcessError):
                if not own:
                    os.waitpid(pid, wait_for_any | os.WNOHANG)
            time.sleep(0.05)

    threading.Thread(target=trace, daemon=True).start()
    if problem := outcome.get():
        raise unittest.SkipTest(f"a thread of another process cannot be stopped here: {problem}")


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
    """Two ranks under a launcher, or started by hand: `processes` are what the test started. `command` starts a launcher that
    needs no address of rank 0."""

    def __init__(self, folder, launcher, arguments, rank_arguments=({}, {}), prefix=(), command=None, **environment):
        self.mark = uuid.uuid4().hex
        self.launcher = launcher
        environment = {MARK: self.mark, "OMPI_ALLOW_RUN_AS_ROOT": 1, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": 1, **environment}
        raytrace = [*prefix, PROGRAM, "raytrace", *map(str, arguments)]
        self.started = time.monotonic()
        # torchrun and --ranks choose a free port themselves.
        self.port = None if command or launcher in ("local", "torchrun") else environment.pop("MASTER_PORT", None) or free_port()
        there = {} if self.port is None else dict(MASTER_ADDR="127.0.0.1", MASTER_PORT=self.port)
        if launcher == "env":
            common = dict(WORLD_SIZE=2, **there)
            starts = [([*more.get("prefix", ()), *raytrace, *more.get("arguments", ())], {**common, "RANK": rank, **more.get("environment", {})})
                      for rank, more in enumerate(rank_arguments)]
        elif launcher == "local":
            starts = [(raytrace + ["--ranks", str(environment.pop("RANKS", 2))], {})]
        else:
            starts = [((command or launcher_command(launcher)) + raytrace, there)]
        # A session of their own: signals reach these processes only.
        self.processes = [subprocess.Popen(command, cwd=folder, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                           stderr=subprocess.STDOUT, start_new_session=True,
                                           env=clean_environment(**{**environment, **more})) for command, more in starts]

    def _marked(self):
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and self.mark in (variables := (entry / "environ").read_text(errors="replace")):
                    yield entry, dict(v.split("=", 1) for v in variables.split("\0") if "=" in v)
            except OSError:
                pass

    def ranks(self):
        """Process ids of the ranks that exist now, by rank."""
        found = {}
        for entry, variables in self._marked():
            try:
                if os.path.realpath(entry / "exe") != os.path.realpath(PROGRAM):
                    continue
            except OSError:
                continue
            rank = next((variables[name] for name in RANK_VARIABLES if name in variables), None)
            if rank is not None:
                found[int(rank)] = int(entry.name)
        return found

    def state(self, rank):
        """T: stopped; None: it does not exist."""
        pid = self.ranks().get(rank)
        try:
            return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] if pid else None
        except OSError:
            return None

    def ended(self):
        return any(process.poll() is not None for process in self.processes)

    def remnants(self):
        """Every process that carries the mark of this run, zombies apart."""
        found = []
        for entry, _ in self._marked():
            try:
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
            try:
                text, _ = process.communicate(timeout=max(1.0, limit - (time.monotonic() - self.started)))
            except subprocess.TimeoutExpired:
                self.kill_all()
                raise AssertionError(f"did not end in time; it said: {[p.communicate()[0] for p in self.processes]}") from None
            codes.append(process.returncode)
            texts.append(text)
        return codes, texts


def processor_seconds(pid):
    """What a process has used, 0 for one that is gone."""
    with contextlib.suppress(OSError):
        user, system = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    return 0.0


class FaultCase(ProgramTest):
    """A run that is disturbed, and how it ends."""

    LONG = "1e11" if SANITIZED else "1e12"  # more rays than can be traced while a test lasts
    time_out_s = TIME_OUT_S

    @property
    def time_out(self):
        return ("--set", f"distributed.timeout_s={self.time_out_s}")

    def setUp(self):
        super().setUp()
        self.long = self.write_config(rays=self.LONG, name="long.yaml")
        self.short = self.write_config(rays="1e5", name="short.yaml")
        # Too many sums for the store, so that Gloo adds them.
        self.short.write_text(self.short.read_text().replace("width: 64, height: 64", "width: 400, height: 400"))
        self.logs = 0

    def start(self, launcher, config, *arguments, **options):
        if launcher not in ("env", "local") and not options.get("command") and not launcher_command(launcher):
            self.skipTest(f"{launcher} is not installed")
        run = Run(self.folder, launcher, (config, *arguments), **options)
        self.addCleanup(run.kill_all)
        return run

    def wait_until(self, run, what, condition, patience=60, may_end=False):
        """Returns the time at which the condition held."""
        deadline = time.monotonic() + patience
        while not condition():
            if time.monotonic() > deadline or (run.ended() and not may_end):
                run.kill_all()
                self.fail(f"{run.launcher}: {what} did not happen: {[p.communicate()[0] for p in run.processes]}")
            time.sleep(0.02)
        return time.monotonic()

    def start_tracing(self, launcher, *arguments, config=None, **options):
        """A long run, or one of `config`, whose two ranks are tracing when this returns."""
        self.logs += 1
        folder = self.folder / f"logs{self.logs}.yaml"  # the harness knows .yaml as ours
        run = self.start(launcher, config or self.long, "-v", "--log-dir", folder, "--threads", 1, *arguments, **options)
        logs = [folder / f"rank_{rank}.log" for rank in (0, 1)]
        said = lambda text: all(log.exists() and re.search(text, log.read_text()) for log in logs)
        self.wait_until(run, "ranks that have met", lambda: said("backend gloo"))
        if config:
            time.sleep(0.3)
            return run
        # Before that the ranks time some units and share out the rest.
        self.wait_until(run, "tracing", lambda: said(r"traces \d+ of \d+ units"))
        before = {pid: processor_seconds(pid) for pid in run.ranks().values()}
        self.wait_until(run, "rays", lambda: all(processor_seconds(pid) > used + 0.1 for pid, used in before.items()))
        return run

    def start_held(self, launcher, *arguments, **options):
        """As start_tracing(), but rank 1 does not end its trace before let_go(), whatever the speed of the machine. Its heartbeats go on."""
        return self.start_tracing(launcher, *arguments, **options, **Preload.environment(1, at="send:traced trace", hold=self.folder / "go_on.yaml"))

    def let_go(self):
        (self.folder / "go_on.yaml").touch()

    def check_end(self, run, *, codes=None, said=(), within=30, since=None, files=()):
        """Ends in time with these exit codes (None: any failure; a tuple: one of these), said this (regular expressions), left neither process nor file."""
        since = since or run.started
        found, texts = run.end(since - run.started + within)
        self.seconds = time.monotonic() - since
        everything = "\n".join(texts)
        if codes is None:
            self.assertTrue(all(code != 0 for code in found), (found, everything))
        else:
            self.assertTrue(all(one in (may if isinstance(may, tuple) else (may,)) for one, may in zip(found, codes, strict=True)),
                            (found, codes, everything))
        for text in said:
            self.assertRegex(everything, text)
        # torchrun, a program of Python, sometimes aborts after its ranks have ended.
        self.assertNotRegex(everything, r"terminate called(?!.*\nFatal Python error)|helioray: crashed")
        # Launchers reap their last children a moment later.
        deadline = time.monotonic() + 5
        while run.remnants() and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual(run.remnants(), [], everything)
        self.assertEqual([re.sub(r"^\.helioray-.*\.part$", "PART", name) for name in self.leftovers()], sorted(files), everything)
        return everything


@dataclasses.dataclass
class Row:
    """A line of the table: a fault, where it happens, under which launcher; `check(case, launcher, **details)` causes and judges it."""

    fault: str
    launcher: str
    check: object
    details: dict = dataclasses.field(default_factory=dict)

    # What ranks say that had no time to meet, because the machine is busy with others.
    TOO_BUSY = re.compile("did not start within|nothing listens at this port|connection of group world failed")

    def run(self):
        """(None or what went wrong, seconds from the fault to the end). Where the fault came too late because the ranks did not
        even meet, they get a longer time-out once."""
        outcome = self.attempt(TIME_OUT_S)
        if outcome[0] is not None and self.TOO_BUSY.search(str(outcome[0])):
            outcome = self.attempt(4 * TIME_OUT_S)
        return outcome

    def attempt(self, time_out_s):
        case = FaultCase()
        case.time_out_s = time_out_s
        try:
            case.setUp()
            self.check(case, self.launcher, **self.details)
            return None, getattr(case, "seconds", None)
        except Exception as problem:  # judged by the thread that owns the test
            return problem, getattr(case, "seconds", None)
        finally:
            case.doCleanups()


def run_table(test, rows):
    """Runs the rows, several at a time, and reports every one."""
    with concurrent.futures.ThreadPoolExecutor(ROWS_AT_A_TIME) as pool:
        outcomes = list(pool.map(Row.run, rows))
    for row, (problem, seconds) in zip(rows, outcomes):
        skipped = isinstance(problem, unittest.SkipTest)
        outcome = "ok" if problem is None else "skipped" if skipped else "FAILED"
        print(f"  {outcome:7}  {row.launcher:8}  {row.fault:50} {'' if seconds is None else f'{seconds:5.1f} s'}", flush=True)
        if outcome == "FAILED":
            print(f"           {str(problem)[:1000]}", flush=True)  # here, too: the end of a long log may be cut off
        with test.subTest(fault=row.fault, launcher=row.launcher):
            if problem is not None:
                raise problem
