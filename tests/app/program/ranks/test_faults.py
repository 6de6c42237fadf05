# SPDX-License-Identifier: MIT
"""Faults that no row of the table has: one process alone, slow ranks, restarts, and many runs one after the other."""

import json
import os
import re
import signal
import socket
import subprocess
import time
import unittest

from fault_table import FaultCase
from harness import PROGRAM, ProgramTest, clean_environment, find_tool, free_port


class Faults(ProgramTest):
    def start(self, *arguments, **environment):
        # Its own session: a Ctrl-C must reach only these processes.
        return subprocess.Popen([PROGRAM, "raytrace", str(self.config), *arguments], cwd=self.folder, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                                env=clean_environment(**environment))

    def setUp(self):
        super().setUp()
        # Far more rays than can be traced while the test lasts.
        self.config = self.write_config(rays="1e12")

    def check_signal(self, number, exit_code, *arguments):
        process = self.start(*arguments)
        time.sleep(4)
        self.assertIsNone(process.poll())
        os.killpg(process.pid, number)
        _, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, exit_code, errors)
        self.assertEqual(self.leftovers(), [])

    def test_interrupt(self):
        self.check_signal(signal.SIGINT, 130)

    def test_terminate(self):
        self.check_signal(signal.SIGTERM, 143)

    def test_unwritable_output_is_found_before_tracing(self):
        blocker = self.folder / "file.yaml"
        blocker.write_text("x: 1\n")
        for output in (f"{blocker}/result.h5", "missing_folder/result.h5", "."):
            started = time.monotonic()
            done = self.run_program("raytrace", self.config, "-o", output, timeout=30)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertLess(time.monotonic() - started, 20)
            self.assertEqual(self.leftovers(), [])

    def test_full_disk_leaves_no_broken_file(self):
        mount = self.folder / "small"
        mount.mkdir()
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(mount)],
                                               capture_output=True).returncode != 0:
            self.skipTest("a small file system cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", str(mount)], check=False)
        config = self.write_config(rays="1e4", name="small.yaml")
        done = self.run_program("raytrace", config, "-o", "small/result.h5", "--set", "bitmap.width=512", "--set", "bitmap.height=512")
        self.assertIn(done.returncode, (1, 2), done.stderr)
        self.assertIn("result.h5", done.stderr)
        self.assertEqual(os.listdir(mount), [])


class SlowRank(FaultCase):
    def test_slow_rank_is_no_failure(self):
        config = self.write_config(rays="3e8", name="medium.yaml")
        expected = self.raytrace_json(config, "--set", "output=null")["fingerprint"]
        for schedule in ("static", "dynamic"):
            with self.subTest(schedule=schedule):
                # Time-outs are for ranks that are gone, not for ranks that are slow: this one runs a third of the time.
                run = self.start_tracing("env", "--json", "-o", "slow.h5", "--set", "distributed.timeout_s=3",
                                         "--set", f"distributed.schedule={schedule}", config=config)
                victim, end = run.ranks()[1], time.monotonic() + 8
                while time.monotonic() < end and not run.ended():
                    for number, seconds in ((signal.SIGSTOP, 0.5), (signal.SIGCONT, 0.25)):
                        os.kill(victim, number)
                        time.sleep(seconds)
                everything = self.check_end(run, codes=[0, 0], within=90, files=["slow.h5"])
                self.assertIn(expected, everything)
                (self.folder / "slow.h5").unlink()


class OneTerminal(FaultCase):
    def test_ranks_of_one_terminal_say_it_once(self):
        run = self.start_tracing("local", RANKS=4)
        since = time.monotonic()
        os.kill(run.ranks()[3], signal.SIGKILL)
        everything = self.check_end(run, codes=[1], said=("helioray: rank 3 was killed",), since=since)
        self.assertEqual(everything.count("is gone"), 1, everything)

    def test_one_rank_terminated(self):
        run = self.start_tracing("env")
        since = time.monotonic()
        run.processes[1].terminate()
        self.check_end(run, codes=[1, 143], said=("rank 1 on host",), since=since)


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
