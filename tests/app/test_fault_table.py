# SPDX-License-Identifier: MIT
"""Fault x launcher: how it ends, how soon, what is said, what is left."""

import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import time
import unittest

from fault_table import FaultCase, launcher_command
from harness import PROGRAM, find_tool
from test_ranks import free_port

LAUNCHERS = ("local", "env", "torchrun", "openmpi", "mpich")
TIME_OUT = ("--set", "distributed.timeout_s=20")


def bytes_unread_by(pid):
    """In the fullest TCP socket that the process has not read from."""
    sockets = set()
    for link in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            sockets.add(os.readlink(link))
        except OSError:
            pass  # closed meanwhile
    unread = [0]
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in pathlib.Path(table).read_text().splitlines()[1:]:
            parts = line.split()
            if f"socket:[{parts[9]}]" in sockets:
                unread.append(int(parts[4].split(":")[1], 16))
    return max(unread)


class DyingRanks(FaultCase):
    def check_killed(self, victim, launchers):
        for launcher in launchers:
            with self.subTest(launcher=launcher):
                if launcher not in ("local", "env") and not launcher_command(launcher):
                    continue
                run = self.start_tracing(launcher)
                since = time.monotonic()
                os.kill(run.ranks()[victim], signal.SIGKILL)
                # Open MPI and MPICH end the other ranks themselves, before these can speak.
                said = () if launcher in ("openmpi", "mpich") else (f"rank {victim}",)
                codes = None
                if launcher == "local":
                    codes = [1]
                elif launcher == "env":
                    codes = [-9, 1] if victim == 0 else [1, -9]
                    said = (f"rank {victim} on host", "is gone")
                self.check_end(run, codes=codes, said=said, within=25, since=since)

    def test_rank_1_dies(self):
        self.check_killed(1, LAUNCHERS)

    def test_ranks_of_one_terminal_say_it_once(self):
        run = self.start_tracing("local", RANKS=4)
        since = time.monotonic()
        os.kill(run.ranks()[3], signal.SIGKILL)
        everything = self.check_end(run, codes=[1], said=("rank 3 was killed",), since=since)
        self.assertEqual(everything.count("is gone"), 1, everything)

    def test_rank_0_dies_and_with_it_the_store(self):
        self.check_killed(0, LAUNCHERS)


class HangingRanks(FaultCase):
    def test_stopped_rank(self):
        for launcher in ("local", "env"):
            with self.subTest(launcher=launcher):
                run = self.start_tracing(launcher, *TIME_OUT)
                since, victim = time.monotonic(), run.ranks()[1]
                os.kill(victim, signal.SIGSTOP)
                if launcher == "env":
                    # Nobody but the user can end the stopped process itself.
                    run.processes[0].wait(timeout=30)
                    os.kill(victim, signal.SIGKILL)
                self.check_end(run, codes=[1] if launcher == "local" else [1, -9], said=("rank 1 on host", "hangs"), within=60, since=since)

    def test_stopped_rank_0_stops_the_store(self):
        run = self.start_tracing("env", *TIME_OUT)
        since = time.monotonic()
        os.kill(run.ranks()[0], signal.SIGSTOP)
        run.processes[1].wait(timeout=80)
        os.kill(run.ranks()[0], signal.SIGKILL)
        self.check_end(run, codes=[-9, 1], said=("no longer answers",), within=90, since=since)

    def test_full_socket(self):
        # Maps far larger than the buffers of a socket; rank 1 stops reading in the middle of their sum.
        run = self.start("env", self.short, *TIME_OUT, "--threads", 1, "--set", "bitmap.width=4096", "--set", "bitmap.height=4096")
        deadline = time.monotonic() + 60
        victim = run.processes[1].pid
        while True:
            while bytes_unread_by(victim) < 100_000:
                self.assertTrue(run.processes[0].poll() is None and time.monotonic() < deadline, "the ranks sent no maps")
            since = time.monotonic()
            os.kill(victim, signal.SIGSTOP)
            time.sleep(2)
            if bytes_unread_by(victim) > 100_000:
                break
            # It had read everything just before it was stopped.
            os.kill(victim, signal.SIGCONT)
        run.processes[0].wait(timeout=60)
        os.kill(victim, signal.SIGKILL)
        self.check_end(run, codes=[1, -9], said=("rank 1 on host", "hangs"), within=90, since=since)

    def test_slow_rank_is_no_failure(self):
        config = self.write_config(rays="6e8", name="medium.yaml")
        expected = self.raytrace_json(config)["fingerprint"]
        for schedule in ("static", "dynamic"):
            with self.subTest(schedule=schedule):
                # Time-outs are for ranks that are gone, not for ranks that are slow.
                log = self.folder / f"logs_{schedule}.yaml" / "rank_1.log"
                run = self.start("env", config, "--json", "-o", "slow.h5", "--threads", 1, "-v", "--log-dir", log.parent,
                                 "--set", "distributed.timeout_s=3", "--set", f"distributed.schedule={schedule}")
                deadline = time.monotonic() + 40
                while not (log.exists() and "backend gloo" in log.read_text()) and time.monotonic() < deadline:
                    time.sleep(0.01)
                time.sleep(1.5)  # past the short trace that balances the ranks
                victim = run.ranks()[1]
                os.kill(victim, signal.SIGSTOP)
                time.sleep(4)
                os.kill(victim, signal.SIGCONT)
                everything = self.check_end(run, codes=[0, 0], within=90, files=["result.h5", "slow.h5"])
                self.assertIn(expected, everything)


class Signals(FaultCase):
    def test_terminated_launcher(self):
        # Exit codes of other launchers are their own business.
        for launcher, codes in {"local": [143], "env": [143, 143], "torchrun": None, "openmpi": None, "mpich": None}.items():
            with self.subTest(launcher=launcher):
                if launcher not in ("local", "env") and not launcher_command(launcher):
                    continue
                run = self.start_tracing(launcher)
                since = time.monotonic()
                for process in run.processes:
                    process.terminate()
                self.check_end(run, codes=codes, within=40, since=since)

    def test_one_rank_terminated(self):
        run = self.start_tracing("env")
        since = time.monotonic()
        run.processes[1].terminate()
        self.check_end(run, codes=[1, 143], said=("rank 1 on host",), since=since)

    def test_interrupt(self):
        for launcher, codes in {"local": [130], "env": [130, 130], "torchrun": None, "openmpi": None}.items():
            with self.subTest(launcher=launcher):
                if launcher not in ("local", "env") and not launcher_command(launcher):
                    continue
                run = self.start_tracing(launcher)
                since = time.monotonic()
                for process in run.processes:
                    os.killpg(process.pid, signal.SIGINT)
                self.check_end(run, codes=codes, within=40, since=since)


class Restarts(FaultCase):
    def test_torchrun_restarts_complete(self):
        torchrun = find_tool("HELIORAY_TORCHRUN", "torchrun")
        if not torchrun:
            self.skipTest("torchrun is not installed")
        expected = self.raytrace_json(self.short)["fingerprint"]
        # Rank 1 of the first attempt is killed while it works.
        script = self.folder / "rank.yaml"
        script.write_text('[ "$TORCHELASTIC_RESTART_COUNT$RANK" = 01 ] && set -- "$@" --set tracing.rays_per_heliostat=1e12 && (sleep 4; kill -9 $$) &\n'
                          '[ "$TORCHELASTIC_RESTART_COUNT" = 0 ] && set -- "$@" --set tracing.rays_per_heliostat=1e12\nexec "$@"\n')
        done = subprocess.run([torchrun, "--no-python", "--standalone", "--nproc-per-node", "2", "--max-restarts", "1", "sh", str(script),
                               PROGRAM, "raytrace", str(self.short), "--json", "-o", "again.h5"], cwd=self.folder, text=True,
                              capture_output=True, timeout=90, env={**os.environ, "OMP_NUM_THREADS": "1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["fingerprint"], expected)
        self.assertIn("rank 1 on host", done.stderr)
        self.assertEqual(self.leftovers(), ["again.h5", "result.h5"])


class StartUp(FaultCase):
    def test_port_in_use(self):
        with socket.socket() as taken:
            taken.bind(("0.0.0.0", 0))
            taken.listen()
            port = taken.getsockname()[1]
            run = self.start("env", self.short, "--set", "distributed.timeout_s=3", MASTER_PORT=port)
            self.check_end(run, codes=[1, 1], said=("rank 0 cannot open the store", str(port), "choose another MASTER_PORT", "does not answer as a store"))

    def test_missing_rank(self):
        run = self.start("env", self.short, "--set", "distributed.timeout_s=3", rank_arguments=({},))
        self.check_end(run, codes=[1], said=("rank 1 of 2 did not start within 3 s",))

    def test_unreachable_store(self):
        port = free_port()
        run = self.start("env", self.short, "--set", "distributed.timeout_s=3", MASTER_PORT=port,
                         rank_arguments=({"environment": {"RANK": 1}},))
        self.check_end(run, codes=[1], said=("cannot reach the store at 127.0.0.1", "MASTER_ADDR"))

    def test_wrong_world_size(self):
        run = self.start("env", self.short, *TIME_OUT, rank_arguments=({}, {"environment": {"WORLD_SIZE": 3}}))
        self.check_end(run, codes=[1, 1], said=("disagree on the number of ranks",))

    def test_incomplete_environment(self):
        run = self.start("env", self.short, rank_arguments=({"environment": {"WORLD_SIZE": ""}},))
        self.check_end(run, codes=[2], said=("WORLD_SIZE",))

    def test_other_configuration(self):
        run = self.start("env", self.short, *TIME_OUT, rank_arguments=({}, {"arguments": ("--seed", "7")}))
        self.check_end(run, codes=[1, 1], said=("do not have the same configuration: tracing.seed is '42' on rank 0, '7' on rank 1;",))

    def test_other_contents_of_a_file(self):
        for name, last in (("one.csv", 0.5), ("two.csv", 0.4), ("same.csv", 0.5)):
            (self.folder / name).write_text(f"angle_mrad,radiance\n0,1\n4,{last}\n5,0\n")
        shape = lambda name: ("--set", f"sun.shape={{type: table, file: {self.folder / name}}}")
        run = self.start("env", self.short, *TIME_OUT, rank_arguments=({"arguments": shape("one.csv")}, {"arguments": shape("two.csv")}))
        self.check_end(run, codes=[1, 1], said=("same configuration: sun.shape.file is 'a file with SHA-256 ",))
        # Another place of the same contents is no difference.
        run = self.start("env", self.short, *TIME_OUT, rank_arguments=({"arguments": shape("one.csv")}, {"arguments": shape("same.csv")}))
        self.check_end(run, codes=[0, 0], files=["result.h5"])

    def test_input_that_is_wrong_on_one_rank(self):
        run = self.start("env", self.short, *TIME_OUT, rank_arguments=({}, {"arguments": ("--scenario", "nowhere.h5")}))
        everything = self.check_end(run, codes=[2, 2], said=("rank 1", "nowhere.h5"))
        self.assertEqual(everything.count("nowhere.h5"), 1, everything)


class Files(FaultCase):
    def test_full_disk(self):
        mount = self.folder / "small.yaml"
        mount.mkdir()
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(mount)], capture_output=True).returncode != 0:
            self.skipTest("a small file system cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", str(mount)], check=False)
        for launcher, codes in {"local": [1], "env": [1, 1], "torchrun": None, "openmpi": None, "mpich": None}.items():
            with self.subTest(launcher=launcher):
                if launcher not in ("local", "env") and not launcher_command(launcher):
                    continue
                run = self.start_filling(launcher, mount)
                self.check_end(run, codes=codes, said=("result.h5",))
                self.assertEqual(os.listdir(mount), ["filler"])
                (mount / "filler").unlink()

    def start_filling(self, launcher, mount):
        """The disk fills up between the check at the start and the end of the trace."""
        folder = self.folder / f"full_{launcher}.yaml"
        config = self.write_config(rays="4e7", name="medium.yaml")
        run = self.start(launcher, config, "-o", mount / "result.h5", "-v", "--log-dir", folder, "--threads", 1)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            log = folder / "rank_0.log"
            if log.exists() and "backend gloo" in log.read_text():
                break
            time.sleep(0.01)
        filler = os.open(mount / "filler", os.O_WRONLY | os.O_CREAT)
        try:
            while True:
                os.write(filler, bytes(4096))
        except OSError:
            os.close(filler)
        return run


class Endurance(FaultCase):
    def test_fifty_runs_leave_nothing(self):
        def shared_memory():
            return {name for name in os.listdir("/dev/shm") if re.search("torch|helioray|nccl|gloo", name)}

        memory, fingerprints = shared_memory(), set()
        config, port = self.write_config(rays="1e3", name="tiny.yaml"), free_port()
        # The same port again and again; check_end looks for processes and files.
        for launcher, codes, runs in (("local", [0], 25), ("env", [0, 0], 25)):
            for _ in range(runs):
                run = self.start(launcher, config, "--json", "--threads", 1, **({"MASTER_PORT": port} if launcher == "env" else {}))
                everything = self.check_end(run, codes=codes, files=["result.h5"])
                fingerprints.add(json.loads(everything)["fingerprint"])
        self.assertEqual(len(fingerprints), 1)
        self.assertEqual(shared_memory() - memory, set())
        with socket.socket() as again:
            again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            again.bind(("0.0.0.0", port))


if __name__ == "__main__":
    unittest.main()
