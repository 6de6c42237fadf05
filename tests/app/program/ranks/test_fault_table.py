# SPDX-License-Identifier: MIT
"""Fault x launcher: each run ends in time with the cause, or completes with its fingerprint, and leaves no process and no partial file."""

import concurrent.futures
import contextlib
import datetime
import itertools
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time
import unittest

import store_strangers
from fault_table import SANITIZED, FaultCase, Row, launcher_command, run_table, stop_main_thread
from harness import free_port
from halt_rank import Preload

HAND = ("env", "local")
MPI = ("openmpi", "mpich")
# How a launcher of others ends its ranks is its own business, and so is its exit code.
CODES = {"local": [1], "env": [1, 1]}
FINGERPRINTS = {}
# Of runs that complete, on a busy machine.
GENEROUS = ("--set", "distributed.timeout_s=30")
SLACK = {"seconds": 3.0}
# Rays of runs that complete in a few seconds.
SIZES = {"medium": "2e7", "some": "1e7"} if SANITIZED else {"medium": "2e8", "some": "1e8"}


def setUpModule():
    Preload.make()
    case = FaultCase()
    case.setUp()
    try:
        begin = time.monotonic()
        FINGERPRINTS["short"] = case.raytrace_json(case.short, "--ranks", 2)["fingerprint"]
        SLACK["seconds"] += 5 * (time.monotonic() - begin)
        FINGERPRINTS["medium"] = case.raytrace_json(medium(case))["fingerprint"]
    finally:
        case.doCleanups()


def medium(case):
    """A configuration that takes a few seconds."""
    return case.write_config(rays=SIZES["medium"], name="medium.yaml")


def within(case):
    """Twice the time-out, and what a busy machine takes for starting and ending processes."""
    return 2 * case.time_out_s + SLACK["seconds"]


def check_completes(case, run, fingerprint="short"):
    everything = case.check_end(run, codes=[0, 0] if run.launcher == "env" else [0], within=150, files=["result.h5"])
    case.assertIn(FINGERPRINTS[fingerprint], everything)


# Ranks that stop or die in a phase of the run.

# Where rank R is halted, by what it is about to do; None: while it traces.
PHASES = {
    "discovery": "send:hello/{rank}",
    "barrier at the start": "send:start-up",
    "tracing": None,
    "barrier after tracing": "send:traced trace",  # with the sum of small numbers
    "sum": "data:8000",
    "writing": ("commit:result.h5", "sent:close"),
    "shutdown": "send:close",
    "close": "leave",
}
CAUSES = {
    signal.SIGSTOP: r"(?i)rank {rank} .*(hangs|did not start within|did not reach this call within|did not answer within|does not answer|serves it)|rank {other} cannot (reach|open) the store",
    signal.SIGKILL: r"(?i)rank {rank} .*(is gone|was killed|did not start within|did not answer within|serves it)|rank {other} cannot (reach|open) the store",
}


def check_halted(case, launcher, rank, phase, number):
    at, other = PHASES[phase], 1 - rank
    if at is None:
        run = case.start_tracing(launcher, *case.time_out)
        os.kill(run.ranks()[rank], number)
        since = time.monotonic()
    else:
        at = (at if isinstance(at, str) else at[rank]).format(rank=rank)
        run = case.start(launcher, case.short, *case.time_out, "--threads", 1, **Preload.environment(rank, at=at, number=number))
        since = run.started
        if number == signal.SIGSTOP:
            since = case.wait_until(run, "the halt", lambda: run.state(rank) == "T", may_end=True)
    by_hand = launcher == "env" or (launcher == "mpich" and number == signal.SIGSTOP)
    if by_hand:
        # Nobody but the user ends a stopped process; MPICH waits for it.
        ended = case.wait_until(run, "the end of the other rank", lambda: run.state(other) in (None, "Z"), within(case), may_end=True)
        for pid in run.ranks().values():
            os.kill(pid, signal.SIGKILL)
    # The result is stored before the ranks part; one that was killed at storing leaves a hidden file.
    stored = phase in ("shutdown", "close") or (phase, rank) == ("writing", 1)
    files = ["result.h5"] if stored else ["PART"] if (phase, rank) == ("writing", 0) else []
    codes, said = CODES.get(launcher), (CAUSES[number].format(rank=rank, other=other),)
    if launcher == "env":
        # A rank that has closed its connection does not wait for the other.
        parted = phase == "close" or (phase, rank) == ("writing", 1)
        codes = [((0, 1) if number == signal.SIGKILL else 0) if parted else 1] * 2
        codes[rank] = -9
        said = () if parted else said
    if launcher in MPI and number == signal.SIGKILL:
        said = ()  # the launcher ends the other ranks before they can speak
    case.check_end(run, codes=codes, said=said, since=since, within=within(case) + (case.time_out_s if since == run.started else 0), files=files)
    if by_hand:
        case.seconds = ended - since


def halts():
    rows = []
    add = lambda number, phase, rank, launcher: rows.append(
        Row(f"rank {rank} {'stops' if number == signal.SIGSTOP else 'is killed'}: {phase}", launcher, check_halted,
            dict(rank=rank, phase=phase, number=number)))
    for number, phase, rank, launcher in itertools.product((signal.SIGSTOP, signal.SIGKILL), PHASES, (0, 1), HAND):
        add(number, phase, rank, launcher)
    for phase, rank, launcher in itertools.product(("discovery", "tracing", "sum"), (0, 1), MPI):
        add(signal.SIGSTOP, phase, rank, launcher)
    for rank, launcher in itertools.product((0, 1), ("torchrun", *MPI)):
        add(signal.SIGKILL, "tracing", rank, launcher)
    return rows


# Computing threads that hang in a rank that is alive. Where rank R waits for TEXT, it is about to send it or to give a file its name.

HANGS = {**PHASES, "writing": ("commit:result.h5", None)}
del HANGS["sum"], HANGS["close"]  # other threads send the numbers and the farewell


def check_hang(case, launcher, rank, phase):
    at, other = HANGS[phase], 1 - rank
    if at is None:
        run = case.start_tracing(launcher, *case.time_out)
        stop_main_thread(run.ranks()[rank])
    else:
        at = (at if isinstance(at, str) else at[rank]).format(rank=rank)
        run = case.start(launcher, case.short, *case.time_out, "--threads", 1, **Preload.environment(rank, at=at, hold=case.folder / "never.yaml"))
    since = time.monotonic() if at is None else run.started
    limit = within(case) + (0 if at is None else case.time_out_s)
    met = phase != "discovery"
    if launcher == "env" and not met:
        # Before the ranks have met, only its own launcher can end a process that hangs.
        ended = case.wait_until(run, "the end of the other rank", lambda: run.state(other) in (None, "Z"), limit, may_end=True)
        os.kill(run.ranks()[rank], signal.SIGKILL)
    codes = CODES.get(launcher) if met or launcher != "env" else [-9 if one == rank else 1 for one in (0, 1)]
    said = rf"(?i)rank {rank} .*hangs: tracing has made no progress" if at is None else CAUSES[signal.SIGSTOP].format(rank=rank, other=other)
    case.check_end(run, codes=codes, said=(said,), since=since, within=limit, files=["PART"] if phase == "writing" else ["result.h5"] if phase == "shutdown" else [])
    if launcher == "env" and not met:
        case.seconds = ended - since


def hangs():
    rows = [(phase, rank, launcher) for phase, rank, launcher in itertools.product(HANGS, (0, 1), HAND) if (phase, rank) != ("writing", 1)]
    rows += [("tracing", rank, launcher) for rank, launcher in itertools.product((0, 1), ("torchrun", *MPI))]
    return [Row(f"the computing thread of rank {rank} hangs: {phase}", launcher, check_hang, dict(rank=rank, phase=phase)) for phase, rank, launcher in rows]


def check_suspended(case, launcher):
    """All ranks are suspended for longer than the time-out, as a scheduler does, and go on."""
    run = case.start_held(launcher, *case.time_out, "--json", config=medium(case))
    for number, seconds in ((signal.SIGSTOP, 3 * case.time_out_s), (signal.SIGCONT, 0)):
        for pid in run.ranks().values():
            os.kill(pid, number)
        time.sleep(seconds)
    case.let_go()
    check_completes(case, run, "medium")


def check_paused(case, launcher, rank, phase):
    """A rank that goes on before the time-out has not failed."""
    at = PHASES[phase]
    at = (at if isinstance(at, str) else at[rank]).format(rank=rank)
    run = case.start(launcher, case.short, *GENEROUS, "--threads", 1, "--json", **Preload.environment(rank, at=at, number=signal.SIGSTOP))
    case.wait_until(run, "the halt", lambda: run.state(rank) == "T")
    time.sleep(1)
    os.kill(run.ranks()[rank], signal.SIGCONT)
    check_completes(case, run)


# Users and schedulers who end a run.


def check_signal(case, launcher, number, codes, to_group):
    run = case.start_tracing(launcher)
    since = time.monotonic()
    for process in run.processes:
        os.killpg(process.pid, number) if to_group else process.send_signal(number)
    case.check_end(run, codes=codes, within=40, since=since)


def signals():
    rows = []
    for name, number, code in (("SIGTERM to the launcher", signal.SIGTERM, 143), ("Ctrl-C", signal.SIGINT, 130)):
        for launcher in ("local", "env", "torchrun", "openmpi") + (("mpich",) if number == signal.SIGTERM else ()):
            codes = {"local": [code], "env": [code] * 2}.get(launcher)
            rows.append(Row(name, launcher, check_signal, dict(number=number, codes=codes, to_group=number == signal.SIGINT)))
    return rows


# Networks that lose packets.


class TwoHosts:
    """Two network namespaces with a cable between them; rank N is started on host N."""

    numbers = itertools.count(os.getpid() % 200)

    def __init__(self, case):
        if os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("unshare"):
            raise unittest.SkipTest("networks of two hosts need root, ip and unshare")
        number = next(self.numbers)
        self.names = [f"hrf{os.getpid()}{side}{number}" for side in "ab"]
        self.cables = [f"hf{number}{side}" for side in "xy"]
        self.net = f"10.98.{number % 250}"
        self.address = f"{self.net}.1"
        for name in self.names:
            case.addCleanup(subprocess.run, ["ip", "netns", "del", name], capture_output=True, check=False)
        steps = [["netns", "add", name] for name in self.names]
        steps.append(["link", "add", self.cables[0], "netns", self.names[0], "type", "veth", "peer", "name", self.cables[1], "netns", self.names[1]])
        for host, (name, cable) in enumerate(zip(self.names, self.cables)):
            steps += [["-n", name, "addr", "add", f"{self.net}.{host + 1}/24", "dev", cable], ["-n", name, "link", "set", "lo", "up"],
                      ["-n", name, "link", "set", cable, "up"]]
        for step in steps:
            if subprocess.run(["ip", *step], capture_output=True).returncode != 0:
                raise unittest.SkipTest(f"this machine does not allow: ip {' '.join(step)}")

    def ranks(self):
        return tuple({"prefix": ["ip", "netns", "exec", name, "unshare", "--uts", "sh", "-c", f'hostname host{host} && exec "$@"', "sh"],
                      "environment": {"MASTER_ADDR": self.address}} for host, name in enumerate(self.names))

    def cut(self, how):
        if how == "the cable is cut":
            step = ["-n", self.names[0], "link", "set", self.cables[0], "down"]
        else:
            # A half-open connection: what goes to this rank has a wrong address of hardware, and nobody says so.
            to = int(how[-1])
            step = ["-n", self.names[1 - to], "neigh", "replace", f"{self.net}.{to + 1}", "lladdr", "02:00:00:00:00:99", "dev", self.cables[1 - to],
                    "nud", "permanent"]
        subprocess.run(["ip", *step], check=True, capture_output=True)


def check_network(case, launcher, how, phase):
    hosts = TwoHosts(case)
    if phase == "start":
        hosts.cut(how)
        run = case.start(launcher, case.short, *case.time_out, rank_arguments=hosts.ranks())
        since, said = run.started, ("rank 1 of 2 did not start within", "cannot reach the store")
    elif phase == "tracing":
        run = case.start_tracing(launcher, *case.time_out, rank_arguments=hosts.ranks())
        hosts.cut(how)
        since, said = time.monotonic(), (r"rank 1 on host host1 .*hangs", r"rank 0 on host host0 .*(hangs|is gone)")
    else:
        run = case.start(launcher, case.short, *case.time_out, "--threads", 1, rank_arguments=hosts.ranks(),
                         **Preload.environment(1, at=PHASES[phase], number=signal.SIGSTOP))
        case.wait_until(run, "the halt", lambda: run.state(1) == "T")
        hosts.cut(how)
        os.kill(run.ranks()[1], signal.SIGCONT)
        since, said = time.monotonic(), (r"rank 1 on host host1 .*hangs", r"rank 0 on host host0 .*(hangs|is gone)")
    case.check_end(run, codes=[1, 1], said=said, since=since, within=within(case))


def networks():
    ways = ("packets are lost to rank 0", "packets are lost to rank 1", "the cable is cut")
    return [Row(f"{how}: {phase}", "env", check_network, dict(how=how, phase=phase))
            for phase, how in itertools.product(("start", "tracing", "sum"), ways)]


# Clocks, files and ports.


def check_clock(case, launcher, seconds):
    logs = case.folder / "logs.yaml"
    run = case.start(launcher, case.short, *GENEROUS, "--json", "--threads", 1, "-v", "--log-dir", logs, **Preload.environment(1, clock_s=seconds))
    check_completes(case, run)
    times = [datetime.datetime.fromisoformat((logs / f"rank_{rank}.log").read_text().split()[0]) for rank in (0, 1)]
    case.assertLess(abs((times[1] - times[0]).total_seconds() - seconds), 3600)


def check_time_since_boot(case, launcher):
    shift = ["unshare", "--time", "--monotonic", "86400", "--boottime", "86400", "--"]
    if os.geteuid() != 0 or subprocess.run([*shift, "true"], capture_output=True).returncode != 0:
        raise unittest.SkipTest("this machine has no name spaces of time")
    run = case.start(launcher, case.short, *GENEROUS, "--json", "--threads", 1, rank_arguments=({}, {"prefix": shift}))
    check_completes(case, run)


def check_full_disk(case, launcher):
    """The disk fills up between the check at the start and the end of the trace."""
    mount = case.folder / "small.yaml"
    mount.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(mount)], capture_output=True).returncode != 0:
        raise unittest.SkipTest("a small file system cannot be mounted here")
    case.addCleanup(subprocess.run, ["umount", str(mount)], check=False)
    run = case.start_tracing(launcher, "-o", mount / "result.h5", "--set", "output.checkpoint_minutes=0",
                             config=case.write_config(rays=SIZES["some"], name="some.yaml"))
    filler = os.open(mount / "filler", os.O_WRONLY | os.O_CREAT)
    with contextlib.suppress(OSError):
        while True:
            os.write(filler, bytes(4096))
    os.close(filler)
    case.check_end(run, codes=CODES.get(launcher), said=("result.h5",), within=150)
    case.assertEqual(os.listdir(mount), ["filler"])


def check_file_size(case, launcher):
    run = case.start(launcher, case.short, *GENEROUS, "--set", "bitmap.width=512", "--set", "bitmap.height=512",
                     prefix=["sh", "-c", 'ulimit -f 16; exec "$@"', "sh"])
    case.check_end(run, codes=CODES.get(launcher), said=("result.h5", "File too large"), within=150)


def check_two_jobs(case, launcher, secrets):
    """The second job ends; the first one does not notice."""
    port = free_port()
    first = case.start_held(launcher, "--json", config=medium(case), MASTER_PORT=port, **secrets[0])
    second = case.start(launcher, case.short, *case.time_out, "-o", "second.h5", MASTER_PORT=port, **secrets[1])
    codes, texts = second.end(within(case))
    case.seconds = time.monotonic() - second.started
    case.assertTrue(all(code == 1 for code in codes), (codes, texts))
    case.assertRegex("\n".join(texts), "rank 0 cannot open the store .*choose another MASTER_PORT")
    seconds = case.seconds
    case.let_go()
    check_completes(case, first, "medium")
    case.seconds = seconds


def other_files():
    rows = [Row(f"clock of rank 1 is off by {shift:+d} s", launcher, check_clock, dict(seconds=shift))
            for shift, launcher in itertools.product((86400, -86400), HAND)]
    rows += [Row("clock of rank 1 is off by +86400 s", launcher, check_clock, dict(seconds=86400)) for launcher in ("torchrun", *MPI)]
    rows.append(Row("time since boot differs by a day", "env", check_time_since_boot))
    rows += [Row("the disk is full", launcher, check_full_disk) for launcher in (*HAND, "torchrun", *MPI)]
    rows += [Row("files may not be longer (ulimit -f)", launcher, check_file_size) for launcher in (*HAND, *MPI)]
    one, two = {"HELIORAY_SECRET": "one"}, {"HELIORAY_SECRET": "two"}
    rows += [Row(f"two jobs on one port, {name}", "env", check_two_jobs, dict(secrets=secrets))
             for name, secrets in (("no secret", ({}, {})), ("same secret", (one, one)), ("two secrets", (one, two)))]
    return rows


# Strangers at the store of rank 0.


def store_of(run):
    """What rank 0 serves: at the port that the test chose, or at that of its ports that greets as a store."""
    if run.port:
        return store_strangers.Store(run.port)
    sockets, pid = set(), run.ranks()[0]
    for link in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            sockets.add(os.readlink(link))
    # Gloo listens at other ports and greets nobody; a store on a busy machine may be late, so each port is asked several times.
    for _ in range(10):
        for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
            parts = line.split()
            if parts[3] != "0A" or f"socket:[{parts[9]}]" not in sockets:
                continue
            store = store_strangers.Store(int(parts[1].split(":")[1], 16))
            with contextlib.suppress(OSError), store.connect(answer_s=2) as connection:
                if connection.recv(8) == store_strangers.GREETING:
                    return store
    raise AssertionError("rank 0 serves no store")


ATTACKS = {"garbage": store_strangers.send_garbage, "an endless message": store_strangers.send_endless_message,
           "a forged failure": store_strangers.forge_failure, "300 silent connections": store_strangers.stay_silent}
SECRET = {"HELIORAY_SECRET": "of this test"}


def check_stranger(case, launcher, attack):
    run = case.start_held(launcher, *GENEROUS, "--json", config=medium(case), **SECRET)
    case.assertGreater(attack(store_of(run)), 0, "no connection was made")
    case.let_go()
    check_completes(case, run, "medium")


def check_stranger_at_start(case, launcher, attack):
    """Rank 0 waits for rank 1, which comes in the middle of the attack."""
    wait = ["sh", "-c", 'while [ ! -e go.yaml ]; do sleep 0.02; done; exec "$@"', "sh"]
    run = case.start(launcher, case.short, "--json", "--threads", 1, *GENEROUS, rank_arguments=({}, {"prefix": wait}),
                     **SECRET)
    store = store_strangers.Store(run.port)

    def listens():
        with contextlib.suppress(OSError), store_strangers.Store(run.port).connect():
            return True
        return False

    case.wait_until(run, "a store", listens)
    with concurrent.futures.ThreadPoolExecutor(1) as attacker:
        connections = attacker.submit(attack, store)
        store.reached.wait(60)
        (case.folder / "go.yaml").touch()
        check_completes(case, run)
        case.assertGreater(connections.result(), 0, "no connection was made")


def check_replay(case, launcher):
    port = free_port()
    eavesdropper = store_strangers.Eavesdropper(store_strangers.Store(port))
    case.addCleanup(eavesdropper.close)
    run = case.start_held(launcher, *GENEROUS, "--json", config=medium(case), MASTER_PORT=port,
                          rank_arguments=({}, {"environment": {"MASTER_PORT": eavesdropper.port}}), **SECRET)
    case.assertIn(b"\x00", eavesdropper.heard)
    answers = store_strangers.replay(store_strangers.Store(port), eavesdropper.heard)
    case.assertEqual(len(answers), 5)
    for answer in answers:
        # Length and number of the call, then 0 for what is done.
        case.assertTrue(len(answer) < 13 or answer[12] != 0, answer)
    case.let_go()
    check_completes(case, run, "medium")


def strangers():
    rows = [Row(f"a stranger sends {name}: tracing", launcher, check_stranger, dict(attack=attack))
            for (name, attack), launcher in itertools.product(ATTACKS.items(), HAND)]
    rows += [Row(f"a stranger sends {name}: start", "env", check_stranger_at_start, dict(attack=attack)) for name, attack in ATTACKS.items()]
    rows += [Row("a stranger sends 300 silent connections: tracing", launcher, check_stranger, dict(attack=store_strangers.stay_silent))
             for launcher in ("torchrun", *MPI)]
    rows.append(Row("a stranger sends a replayed admission: tracing", "env", check_replay))
    return rows


class FaultTable(unittest.TestCase):
    def test_ranks_that_stop_or_die(self):
        run_table(self, halts())

    def test_computing_threads_that_hang(self):
        run_table(self, hangs())

    def test_jobs_that_are_suspended(self):
        run_table(self, [Row("all ranks are suspended: tracing", launcher, check_suspended) for launcher in HAND])

    def test_ranks_that_pause(self):
        run_table(self, [Row(f"rank {rank} pauses for 1 s: {phase}", "env", check_paused, dict(rank=rank, phase=phase))
                         for phase, rank in itertools.product((name for name, at in PHASES.items() if at), (0, 1))])

    def test_signals(self):
        run_table(self, signals())

    def test_networks(self):
        run_table(self, networks())

    def test_clocks_files_and_ports(self):
        run_table(self, other_files())

    def test_strangers(self):
        run_table(self, strangers())


if __name__ == "__main__":
    unittest.main()
