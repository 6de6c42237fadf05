# SPDX-License-Identifier: MIT
"""Processes that die, users who interrupt, disks that are full: a clear end and no broken file."""

import os
import pathlib
import signal
import subprocess
import time
import unittest

from harness import PROGRAM, ProgramTest, clean_environment
from test_ranks import free_port


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

    def start_two_by_hand(self):
        port = free_port()
        common = dict(WORLD_SIZE=2, MASTER_ADDR="127.0.0.1", MASTER_PORT=port)
        return [self.start(RANK=rank, **common) for rank in (0, 1)]

    def check_killed(self, victim):
        ranks = self.start_two_by_hand()
        time.sleep(4)
        self.assertEqual([r.poll() for r in ranks], [None, None])
        ranks[victim].send_signal(signal.SIGKILL)
        killed_at = time.monotonic()
        survivor = ranks[1 - victim]
        _, errors = survivor.communicate(timeout=30)
        self.assertLess(time.monotonic() - killed_at, 30)
        self.assertEqual(survivor.returncode, 1, errors)
        self.assertIn(f"rank {victim}", errors)
        self.assertEqual(self.leftovers(), [])
        ranks[victim].communicate()

    def test_rank_1_killed(self):
        self.check_killed(1)

    def test_rank_0_killed(self):
        self.check_killed(0)

    def test_local_rank_killed(self):
        parent = self.start("--ranks", "2")
        time.sleep(4)
        children = pathlib.Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split()
        self.assertEqual(len(children), 2)
        os.kill(int(children[1]), signal.SIGKILL)
        _, errors = parent.communicate(timeout=30)
        self.assertNotEqual(parent.returncode, 0)
        self.assertIn("rank 1", errors)
        self.assertEqual(self.leftovers(), [])
        for child in children:
            self.assertFalse(pathlib.Path(f"/proc/{child}").exists())

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

    def test_interrupt_of_local_ranks(self):
        self.check_signal(signal.SIGINT, 130, "--ranks", "2")

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


if __name__ == "__main__":
    unittest.main()
