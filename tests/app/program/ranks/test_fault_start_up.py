# SPDX-License-Identifier: MIT
"""Ranks that cannot meet, or must not: what each of them says at the start."""

import socket
import unittest

from fault_table import FaultCase
from harness import free_port

# Long enough for a busy machine: these end at once.
TIME_OUT = ("--set", "distributed.timeout_s=20")


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


if __name__ == "__main__":
    unittest.main()
