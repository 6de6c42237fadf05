# SPDX-License-Identifier: MIT
"""Rank 0 hands out work (distributed.schedule: master_worker): workers are killed, stopped, late or strange, and the result is that of one process."""

import json
import os
import random
import re
import signal
import subprocess
import time
import unittest

from fault_table import SANITIZED, FaultCase
from harness import ARTIST, PROGRAM, clean_environment, find_tool, free_port
from store_strangers import Store, forge_failure, send_endless_message, send_garbage

MASTER_WORKER = ("--set", "distributed.schedule=master_worker")
# Random moments of the trial; more of them by hand: HELIORAY_WORKER_TRIALS=20.
TRIALS = int(os.environ.get("HELIORAY_WORKER_TRIALS", "2"))


class WorkerCase(FaultCase):
    def setUp(self):
        super().setUp()
        self.config = self.write_config(rays="2e7", name="medium.yaml")

    def begin(self, launcher, *arguments, config=None, **options):
        run = self.start(launcher, config or self.config, "--json", "--threads", 1, *MASTER_WORKER, *self.time_out, *arguments, **options)
        self.wait_until(run, "a start of rank 0", lambda: 0 in run.ranks(), may_end=True)
        return run

    def result(self, everything):
        return json.loads(next(line for line in everything.splitlines() if line.startswith("{")))

    def check_result(self, everything, world_size, expected=None):
        result = self.result(everything)
        self.assertEqual(result["fingerprint"], expected or self.expected())
        self.assertEqual(result["world_size"], world_size)
        self.assertEqual(result["backend"], "store")

    def expected(self):
        if not hasattr(WorkerCase, "fingerprint"):
            WorkerCase.fingerprint = self.raytrace_json(self.config, "--set", "output=null")["fingerprint"]
        return WorkerCase.fingerprint


class Workers(WorkerCase):
    def test_ranks_option_and_hand(self):
        for launcher, codes, options in (("local", [0], {"RANKS": 3}), ("env", [0, 0], {})):
            run = self.begin(launcher, **options)
            everything = self.check_end(run, codes=codes, files=["result.h5"], within=120)
            self.check_result(everything, options.get("RANKS", 2))
            self.assertNotIn("rank ", everything)

    def test_many_workers_deliver_large_results_at_once(self):
        if SANITIZED or os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") < 15e9:
            self.skipTest("96 processes need more memory than there is, with a sanitizer or below 15 GB")
        # Their maps are 17 MB each; the store of rank 0 holds 256 MB of calls that are not complete.
        size = ("--set", "bitmap.width=1448", "--set", "bitmap.height=1448")
        expected = self.raytrace_json(self.config, *size, "--set", "output=null")["fingerprint"]
        run = self.begin("local", *size, "--set", "distributed.timeout_s=120", RANKS=96)
        everything = self.check_end(run, codes=[0], files=["result.h5"], within=400)
        self.check_result(everything, 96, expected)
        self.assertNotIn("warning:", everything)

    def test_launchers(self):
        for launcher in ("torchrun", "openmpi", "mpich"):
            with self.subTest(launcher=launcher):
                if launcher == "torchrun" and not find_tool("HELIORAY_TORCHRUN", "torchrun"):
                    self.skipTest("torchrun is not installed")
                run = self.begin(launcher)
                self.check_result(self.check_end(run, codes=[0], files=["result.h5"], within=120), 2)

    def test_workers_killed_at_random_moments(self):
        expected, ranks = self.expected(), 4
        for trial in range(TRIALS):
            for lost in (1, 2, ranks - 1):
                chance = random.Random(100 * trial + lost)
                victims = chance.sample(range(1, ranks), lost)
                run = self.begin("local", RANKS=ranks)
                for victim in victims:
                    time.sleep(chance.uniform(0.0, 1.0))
                    if pid := run.ranks().get(victim):
                        os.kill(pid, signal.SIGKILL)
                with self.subTest(trial=trial, lost=lost):
                    everything = self.check_end(run, codes=[0], files=["result.h5"], within=120)
                    self.check_result(everything, ranks, expected)
                    # One line for each rank that was known: it may have been killed before it joined, or after the end.
                    said = re.findall(r"rank (\d) on host \S+ \(pid \d+\) is gone", everything)
                    self.assertEqual(len(said), len(set(said)), everything)
                    self.assertLessEqual(set(map(int, said)), set(victims), everything)

    def test_a_lost_worker_is_named_once(self):
        run = self.start_tracing_workers("local", RANKS=3)
        os.kill(run.ranks()[2], signal.SIGKILL)
        self.wait_for_log(run, "rank 2 on host")
        run.processes[0].terminate()
        everything = self.check_end(run, codes=[143], within=60)
        self.assertEqual(len(re.findall(r"rank 2 on host \S+ \(pid \d+\) is gone.*continues without it", everything)), 1, everything)

    def start_tracing_workers(self, launcher, *arguments, config=None, **options):
        """A long run whose rank 0 and workers trace."""
        self.logs += 1
        self.log_folder = self.folder / f"logs{self.logs}.yaml"
        run = self.begin(launcher, "-v", "--log-dir", self.log_folder, *arguments, config=config or self.long, **options)
        self.wait_for_log(run, "hands out")
        for rank in range(1, options.get("RANKS", 2)):
            self.wait_for_log(run, "delivered", rank)
        return run

    def wait_for_log(self, run, text, rank=0):
        log = self.log_folder / f"rank_{rank}.log"
        self.wait_until(run, text, lambda: log.exists() and text in log.read_text())

    def test_hung_worker_is_replaced(self):
        run = self.begin("env", config=self.write_config(rays="1e8", name="more.yaml"))
        self.wait_until(run, "rank 1", lambda: 1 in run.ranks())
        time.sleep(0.5)
        if pid := run.ranks().get(1):
            os.kill(pid, signal.SIGSTOP)
        text, _ = run.processes[0].communicate(timeout=180)
        run.kill_all()
        run.processes[1].communicate()
        self.assertEqual(run.processes[0].returncode, 0, text)
        self.check_result(text, 2, self.raytrace_json(self.folder / "more.yaml", "--set", "output=null")["fingerprint"])

    def test_hung_worker_is_named(self):
        run = self.start_tracing_workers("local", RANKS=2)
        since = time.monotonic()
        os.kill(run.ranks()[1], signal.SIGSTOP)
        self.wait_for_log(run, "rank 1 on host")
        self.assertLess(time.monotonic() - since, 30)
        self.assertIn("hangs: it has sent no heartbeat", (self.log_folder / "rank_0.log").read_text())
        # When the run ends, the stopped process does, too.
        run.processes[0].terminate()
        self.check_end(run, codes=[143], within=60)

    def test_loss_of_rank_0_ends_the_workers(self):
        run = self.start_tracing_workers("env")
        since = time.monotonic()
        os.kill(run.ranks()[0], signal.SIGKILL)
        self.check_end(run, codes=[-signal.SIGKILL, 1], said=(r"rank 0 on host \S+ \(pid \d+\) is gone",), since=since, within=60)

    def test_a_worker_that_starts_late_gets_work(self):
        # Rank 0 alone, with far more rays than it can trace; the late worker delivers.
        port, folder = free_port(), self.folder / "late.yaml"
        common = [PROGRAM, "raytrace", str(self.long), "-v", "--threads", "1", "--log-dir", str(folder), *MASTER_WORKER]
        processes = []

        def start(rank):
            process = subprocess.Popen(common, cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                       env=clean_environment(RANK=rank, WORLD_SIZE=3, MASTER_ADDR="127.0.0.1", MASTER_PORT=port))
            self.addCleanup(process.kill)
            processes.append(process)

        def wait_for(rank, text, count=1):
            deadline, log = time.monotonic() + 60, folder / f"rank_{rank}.log"
            while not (log.exists() and log.read_text().count(text) >= count):
                self.assertLess(time.monotonic(), deadline, text)
                time.sleep(0.02)

        start(0)
        wait_for(0, "hands out")
        start(1)
        wait_for(1, "delivered")
        # A lost rank may be started again.
        processes[1].kill()
        wait_for(0, "rank 1 on host")
        (folder / "rank_1.log").unlink()
        start(1)
        wait_for(1, "delivered")
        processes[0].terminate()
        texts = [process.communicate(timeout=60)[0] for process in processes]
        self.assertEqual([process.returncode for process in processes], [143, -signal.SIGKILL, 1], texts)

    def test_strangers_change_nothing(self):
        run = self.begin("env", HELIORAY_SECRET="only the ranks know it")
        store = Store(run.port)
        made = 0
        for attack in (send_garbage, forge_failure, send_endless_message):
            try:
                made += attack(store)
            except OSError:
                pass  # the run has ended
        everything = self.check_end(run, codes=[0, 0], files=["result.h5"], within=120)
        self.check_result(everything, 2)

    def test_model_artist(self):
        one = self.raytrace_json(self.short, *ARTIST, "--set", "output=null")["fingerprint"]
        run = self.begin("local", *ARTIST, config=self.short, RANKS=2)
        self.check_result(self.check_end(run, codes=[0], files=["result.h5"], within=120), 2, one)

    def test_maps_of_single_heliostats(self):
        one = self.raytrace_json(self.short, "--set", "output.per_heliostat=true", "-o", "one.h5")["fingerprint"]
        run = self.begin("local", "--set", "output.per_heliostat=true", config=self.short, RANKS=3)
        self.check_result(self.check_end(run, codes=[0], files=["one.h5", "result.h5"], within=120), 3, one)
        compared = subprocess.run(["h5diff", "one.h5", "result.h5", "/heliostats/flux"], cwd=self.folder, capture_output=True, text=True) \
            if find_tool("HELIORAY_H5DIFF", "h5diff") else None
        if compared:
            self.assertEqual(compared.returncode, 0, compared.stdout)

    def test_checkpoints_continue_with_any_number_of_workers(self):
        one = self.raytrace_json(self.config, "--set", "output=null")["fingerprint"]
        keep = ("--set", "output.checkpoint_minutes=0.01")
        for ranks in (3, 2):
            run = self.begin("local", *keep, RANKS=ranks)
            time.sleep(1.5)
            run.processes[0].terminate()
            run.end(time.monotonic() - run.started + 60)
        run = self.begin("local", *keep, RANKS=2)
        self.check_result(self.check_end(run, codes=[0], files=["result.h5"], within=120), 2, one)


class Commands(WorkerCase):
    """Which commands hand out work."""

    def ranks(self, *arguments):
        return self.run_program(*arguments, *MASTER_WORKER, "--ranks", 3, "--threads", 1)

    def test_annual_and_efficiency(self):
        year = ("--min-elevation", 30, "--declinations", 3, "--hours", 3, "--set", "tracing.rays_per_heliostat=2e4", "--json", "-q")
        for command, more in (("annual", year), ("efficiency", ("--azimuths", "120,180,240", "--elevations", "30,45,60", "--no-checks", "--json"))):
            one = self.run_program(command, self.short, *more, "-o", "one.h5")
            self.assertEqual(one.returncode, 0, one.stderr)
            several = self.ranks(command, self.short, *more, "-o", "several.h5")
            self.assertEqual(several.returncode, 0, several.stderr)
            self.assertEqual(json.loads(one.stdout)["fingerprint"], json.loads(several.stdout)["fingerprint"])

    def test_series(self):
        suns = ("--set", "sun.azimuth_deg=null", "--set", "sun.elevation_deg=null",
                "--set", "sun.positions=[{azimuth_deg: 120, elevation_deg: 30}, {azimuth_deg: 180, elevation_deg: 50}, {azimuth_deg: 200, elevation_deg: 40}]")
        one = self.raytrace_json(self.short, *suns, "-o", "one.h5")
        several = self.raytrace_json(self.short, *suns, *MASTER_WORKER, "--ranks", 3, "-o", "several.h5")
        self.assertEqual(one["fingerprint"], several["fingerprint"])

    def test_commands_without_workers_refuse(self):
        for arguments in (("aim", self.short, "-o", "aims.csv"), ("sweep", self.short, "--vary", "tracing.seed=1,2", "-o", "table.csv")):
            done = self.ranks(*arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stderr.count("distributed.schedule: is master_worker"), 1, done.stderr)
        year = self.ranks("annual", self.short, "--set", "aiming.strategy=image_size", "-o", "year.h5")
        self.assertEqual(year.returncode, 2, year.stderr)
        self.assertEqual(year.stderr.count("distributed.schedule: is master_worker, but this run chooses aim points"), 1, year.stderr)

    def test_bad_input_is_reported_once(self):
        done = self.ranks("raytrace", self.short, "--set", "aim.target=nowhere")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("nowhere"), 1, done.stderr)
        self.assertIn("backend", self.refused("raytrace", self.short, *MASTER_WORKER, "--set", "distributed.backend=gloo"))
        self.assertIn("master_worker", self.refused("raytrace", self.short, "--set", "distributed.schedule=masterworker"))


if __name__ == "__main__":
    unittest.main()
