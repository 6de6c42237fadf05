# SPDX-License-Identifier: MIT
"""One fingerprint for every way to start several processes."""

import json
import os
import pathlib
import re
import subprocess
import unittest

from harness import ARTIST, PROGRAM, ProgramTest, clean_environment, find_tool, free_port


class Ranks(ProgramTest):
    def setUp(self):
        super().setUp()
        self.config = self.write_config()
        self.expected = self.raytrace_json(self.config, "--ranks", "1")["fingerprint"]

    def check(self, printed, world_size, launcher):
        self.assertEqual(printed["fingerprint"], self.expected)
        self.assertEqual(printed["world_size"], world_size)
        self.assertEqual(printed["launcher"], launcher)
        self.assertEqual(printed["backend"], "gloo")

    def test_ranks_option(self):
        for ranks in (2, 3):
            self.check(self.raytrace_json(self.config, "--ranks", ranks), ranks, "local")

    def test_ranks_auto_is_one_process_without_gpus(self):
        self.assertEqual(self.raytrace_json(self.config, "--ranks", "auto")["fingerprint"], self.expected)

    def test_model_artist_is_independent_of_ranks(self):
        arguments = (self.config, *ARTIST)
        one = self.raytrace_json(*arguments)["fingerprint"]
        self.assertEqual(self.raytrace_json(*arguments, "--ranks", 2)["fingerprint"], one)

    def test_dynamic_schedule(self):
        dynamic = ("--set", "distributed.schedule=dynamic")
        for ranks in (1, 2, 3):
            printed = self.raytrace_json(self.config, *dynamic, "--ranks", ranks, "--threads", 2, "--log-dir", f"logs{ranks}", "-v")
            self.assertEqual(printed["fingerprint"], self.expected)
            logs = sorted(pathlib.Path(self.folder, f"logs{ranks}").glob("rank_*.log"))
            drawn = [re.findall(r"drew (\d+) of (\d+) units", log.read_text()) for log in logs]
            if ranks > 1:
                self.assertEqual([len(d) for d in drawn], [1] * ranks)
                self.assertEqual(sum(int(d[0][0]) for d in drawn), int(drawn[0][0][1]))

    def test_rounds_of_both_schedules(self):
        rounds = ("--set", "tracing.relative_error=0.004")
        one = self.raytrace_json(self.config, *rounds)
        self.assertNotEqual(one["fingerprint"], self.expected)
        for schedule in ("static", "dynamic"):
            several = self.raytrace_json(self.config, *rounds, "--set", f"distributed.schedule={schedule}", "--ranks", 2)
            self.assertEqual(several["fingerprint"], one["fingerprint"])
            self.assertEqual(several["rays"], one["rays"])

    def test_timed_samples_change_nothing(self):
        # Rounds until all rays are spent; later ones have enough units to time some first.
        many = (self.write_config(rays="2e6", name="many.yaml"), "--set", "tracing.relative_error=1e-6", "--threads", 1)
        one = self.raytrace_json(*many)["fingerprint"]
        self.assertEqual(self.raytrace_json(*many, "--ranks", 2, "-v", "--log-dir", "logs")["fingerprint"], one)
        self.assertIn("to balance the ranks", (self.folder / "logs" / "rank_1.log").read_text())

    def test_artist_draws_units(self):
        one = self.raytrace_json(self.config, *ARTIST)["fingerprint"]
        self.assertEqual(self.raytrace_json(self.config, *ARTIST, "--set", "distributed.schedule=dynamic", "--ranks", 2)["fingerprint"], one)

    def test_torchrun(self):
        torchrun = find_tool("HELIORAY_TORCHRUN", "torchrun")
        if not torchrun:
            self.skipTest("torchrun is not installed")
        prefix = (torchrun, "--no-python", "--standalone", "--nproc-per-node", "2")
        self.check(self.raytrace_json(self.config, prefix=prefix), 2, "torchrun")

    def test_open_mpi(self):
        mpirun = find_tool("HELIORAY_MPIRUN", "mpirun")
        if not mpirun:
            self.skipTest("mpirun is not installed")
        prefix = (mpirun, "-n", "2", "--oversubscribe")
        printed = self.raytrace_json(self.config, prefix=prefix, OMPI_ALLOW_RUN_AS_ROOT=1,
                                     OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)
        self.check(printed, 2, "openmpi")

    def test_variables_set_by_hand(self):
        port = free_port()
        ranks = [subprocess.Popen([PROGRAM, "raytrace", str(self.config), "--json"], cwd=self.folder, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  env=clean_environment(RANK=rank, WORLD_SIZE=2, MASTER_ADDR="127.0.0.1", MASTER_PORT=port))
                 for rank in (1, 0)]
        (quiet, _), (printed, errors) = [r.communicate(timeout=60) for r in ranks]
        self.assertEqual([r.returncode for r in ranks], [0, 0], errors)
        self.assertEqual(quiet, "")
        self.check(json.loads(printed), 2, "env")

    def test_bad_input_is_reported_once(self):
        done = self.run_program("raytrace", self.config, "--ranks", 2, "--set", "aim.target=nowhere")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("nowhere"), 1, done.stderr)

    def test_log_files(self):
        self.raytrace_json(self.config, "--ranks", 2, "--log-dir", "logs")
        self.assertEqual(sorted(os.listdir(pathlib.Path(self.folder) / "logs")), ["rank_0.log", "rank_1.log"])


if __name__ == "__main__":
    unittest.main()
