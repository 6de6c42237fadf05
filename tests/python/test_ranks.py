# SPDX-License-Identifier: MIT
"""One script on 1, 2 and 4 processes: traces with ranks=True, and the module in DistributedDataParallel."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

from package import SOURCE, hr, needs

try:
    if needs("torch"):
        reason = needs("torch")
    else:
        import helioray.torch
        helioray.torch.operators()
        reason = ""
except ImportError as absent:
    reason = str(absent)
LIMIT_S = 300


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def started(kind, world):
    """What each of the processes has got."""
    environment = {name: value for name, value in os.environ.items() if name not in ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")}
    environment.update(HELIORAY_TEMPLATE=str(SOURCE / "configs/field.yaml"), OMP_NUM_THREADS="1")
    needs_launcher = kind == "module"
    torchrun = [os.environ.get("HELIORAY_TORCHRUN") or str(pathlib.Path(sys.executable).with_name("torchrun"))]
    with tempfile.TemporaryDirectory() as folder:
        if world == 1:
            environment.update(WORLD_SIZE="1", RANK="0")
            torchrun = [sys.executable]
            if not needs_launcher:
                del environment["WORLD_SIZE"], environment["RANK"]
        else:
            torchrun += ["--standalone", "--nproc-per-node", str(world)]
        done = subprocess.run([*torchrun, pathlib.Path(__file__).with_name("rank_script.py"), kind, folder], cwd=folder, env=environment,
                              capture_output=True, text=True, timeout=LIMIT_S)
        assert done.returncode == 0, done.stderr[-4000:]
        return [json.loads(pathlib.Path(folder, f"{rank}.json").read_text()) for rank in range(world)]


class Ranks(unittest.TestCase):
    @unittest.skipIf(needs("torch"), needs("torch"))
    def test_every_rank_gets_what_one_process_gets(self):
        alone, = started("engine", 1)
        for world in (2, 4):
            ranks = started("engine", world)
            for rank, found in enumerate(ranks):
                with self.subTest(world=world, rank=rank):
                    self.assertEqual((found["world"], found["alone"]), (world, 1))
                    for key in ("run", "energy", "peak", "loop", "series", "steps", "kept", "year"):
                        self.assertEqual(found[key], alone[key], key)
                    self.assertEqual(found["warnings"] > 0, rank == 0)
                    # The problem of the first rank, everywhere.
                    self.assertIn("reflectivity", found["refused"])
                    self.assertEqual(found["refused"], ranks[0]["refused"])
                    # Every rank of a script calls the same function, so none can wait for work.
                    self.assertIn("distributed.schedule: is master_worker, which this command does not support", found["workers"])

    @unittest.skipIf(needs("torch"), needs("torch"))
    def test_solvers_on_every_rank(self):
        alone, = started("solvers", 1)
        self.assertTrue(alone["aims"]["aim_errors"]["tracking"])
        for rank, found in enumerate(started("solvers", 2)):
            for key, value in alone.items():
                with self.subTest(key, rank=rank):
                    self.assertEqual(found[key], value)

    @unittest.skipIf(reason, reason)
    def test_gradients_in_distributed_data_parallel(self):
        alone, = started("module", 1)
        for world in (2, 4):
            for rank, found in enumerate(started("module", world)):
                with self.subTest(world=world, rank=rank):
                    # Integers are added up: the same bits.
                    self.assertEqual(found["first"], alone["first"])
                    for one, other in zip(found["gradients"], alone["gradients"]):
                        largest = max(map(abs, other))
                        self.assertGreater(largest, 0)
                        for a, b in zip(one, other):
                            self.assertAlmostEqual(a, b, delta=1e-6 * largest)
                    for key, tolerance in (("last", 1e-5), ("energy", 1e-9)):
                        largest = max(map(abs, alone[key]))
                        self.assertLess(max(abs(a - b) for a, b in zip(found[key], alone[key])), tolerance * largest, key)

    @unittest.skipIf(reason, reason)
    def test_threads_of_gloo_that_are_late_at_the_end(self):
        """They release the tensors of a sum while the interpreter ends, as on a busy machine."""
        compiler = shutil.which("cc") or os.environ.get("HELIORAY_COMPILER", "")
        with tempfile.TemporaryDirectory() as folder:
            library, source = f"{folder}/late_threads.so", pathlib.Path(__file__).with_name("late_threads.c")
            try:
                subprocess.run([compiler, "-xc", "-shared", "-fPIC", "-o", library, source], check=True, capture_output=True)
            except (OSError, subprocess.CalledProcessError):
                self.skipTest("no C compiler makes the library that delays the threads")
            environment = {**os.environ, "LD_PRELOAD": library, "RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()),
                           "HELIORAY_TEMPLATE": str(SOURCE / "configs/field.yaml"), "OMP_NUM_THREADS": "1",
                           "ASAN_OPTIONS": f"{os.environ.get('ASAN_OPTIONS', '')}:verify_asan_link_order=0"}
            done = subprocess.run([sys.executable, pathlib.Path(__file__).with_name("rank_script.py"), "end", folder], cwd=folder, env=environment,
                                  capture_output=True, text=True, timeout=LIMIT_S)
            self.assertEqual(done.returncode, 0, done.stderr[-4000:])
            self.assertGreater(json.loads(pathlib.Path(folder, "0.json").read_text())["delay_ms"], 0)

    def check_by_hand(self, kind):
        """Two processes that only the usual variables join; returns what each has got."""
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "OMP_NUM_THREADS": "1",
                           "HELIORAY_TEMPLATE": str(SOURCE / "configs/field.yaml")}
            script = [sys.executable, pathlib.Path(__file__).with_name("rank_script.py"), kind, folder]
            ranks = [subprocess.Popen(script, cwd=folder, env={**environment, "RANK": str(rank)}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                     for rank in (0, 1)]
            for rank in ranks:
                text, _ = rank.communicate(timeout=LIMIT_S)
                self.assertEqual((rank.returncode, text), (0, ""))
            return [json.loads(pathlib.Path(folder, f"{rank}.json").read_text()) for rank in (0, 1)]

    @unittest.skipIf(needs("torch"), needs("torch"))
    def test_calls_beside_a_group_of_torch_distributed(self):
        for kind in ("group", "group_of_tcp"):
            for found in self.check_by_hand(kind):
                self.assertEqual(found["worlds"], [2, 2], kind)
                self.assertEqual(found["fingerprints"], [found["alone"]] * 2, kind)
                self.assertEqual(found["sum"], 2, kind)

    @unittest.skipIf(needs("torch"), needs("torch"))
    def test_the_connection_lasts_until_it_is_closed(self):
        for found in self.check_by_hand("lasting"):
            self.assertEqual(len(set(found["fingerprints"])), 1)
            self.assertIn("reflectivity", found["refused"])
            # Rank 0 serves the store at the port of the launcher. It looks before the first call, between calls, after the block, in the second block.
            self.assertEqual(found["port_is_free"], [True, False, False, True, False])

    def test_bad_ranks(self):
        for value in (2, "yes", None):
            with self.subTest(value), self.assertRaisesRegex(hr.InputError, "neither True nor False"):
                hr.trace(SOURCE / "configs/quickstart.yaml", rays=1000, ranks=value)

    def test_a_launcher_that_makes_no_sense(self):
        code = f"import helioray as hr; hr.trace({str(SOURCE / 'configs/quickstart.yaml')!r}, rays=1000, ranks=True)"
        done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "RANK": "3", "WORLD_SIZE": "2"}, capture_output=True, text=True, timeout=60)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("RANK", done.stderr)


if __name__ == "__main__":
    unittest.main()
