# SPDX-License-Identifier: MIT
"""Runs on two nodes of a SLURM cluster: srun, other launchers in an allocation, and the batch scripts of distributed/RECIPES.md."""

import json
import os
import pathlib
import re
import shutil
import signal
import time
import unittest

from fault_table import FaultCase
from harness import PROGRAM, SOURCE, ProgramTest, clean_environment, find_tool
from slurm_cluster import Cluster, NoCluster

# The two ranks of a node share its cores.
SRUN = ("srun", "--nodes", "2", "--ntasks-per-node", "2")


def setUpModule():
    global cluster
    try:
        cluster = Cluster()
    except NoCluster as reason:
        raise unittest.SkipTest(str(reason)) from None
    unittest.addModuleCleanup(cluster.close)


def bound(*srun):
    """With the cores that each of two tasks on a node gets."""
    return (*srun, "--cpus-per-task", str(cluster.cores // 2))


class OnCluster(ProgramTest):
    def on_cluster(self, *command, **environment):
        return cluster.run(*command, folder=self.folder, PATH=f"{pathlib.Path(PROGRAM).resolve().parent}:{cluster.environment()['PATH']}",
                           HOME=self.folder,
                           HELIORAY="helioray", **environment)

    def checked(self, *command, **environment):
        done = self.on_cluster(*command, **environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout


class Steps(OnCluster):
    def setUp(self):
        super().setUp()
        self.config = self.write_config()
        self.expected = self.raytrace_json(self.config)["fingerprint"]

    def check(self, text, ranks, launcher):
        printed = json.loads(text)
        self.assertEqual((printed["fingerprint"], printed["world_size"], printed["launcher"]), (self.expected, ranks, launcher))

    def test_one_fingerprint(self):
        dynamic = ("--set", "distributed.schedule=dynamic")
        # As many ranks on each node; units that ranks draw; more ranks on one node, neighbours apart; a node that is not the first of
        # the job; SLURM's own PMI.
        for ranks, start, options in ((4, bound(*SRUN), ()), (4, bound(*SRUN), dynamic), (3, ("srun", "-N2", "-n3", "--distribution=cyclic"), ()),
                                      (2, ("salloc", "-Q", *SRUN[1:], "srun", "-N1", "-n2", "-w", "node2"), ()), (4, (*SRUN, "--mpi=pmi2"), ())):
            with self.subTest(start=start, options=options):
                self.check(self.checked(*start, "helioray", "raytrace", self.config, "--json", *options), ranks, "slurm")

    def test_hosts_local_ranks_and_threads(self):
        # What SLURM says of each task.
        tasks = self.checked(*bound(*SRUN), "sh", "-c", "echo $SLURM_PROCID $(hostname) $SLURM_LOCALID $(nproc)").splitlines()
        tasks = {int(rank): (host, int(local), int(cores)) for rank, host, local, cores in map(str.split, tasks)}
        self.assertEqual([tasks[rank][:2] for rank in range(4)], [("node1", 0), ("node1", 1), ("node2", 0), ("node2", 1)])
        said = self.checked(*bound(*SRUN), "helioray", "doctor", "--connect")
        self.assertRegex(said, r"connected +4 ranks in .*, backend gloo")
        rows = re.findall(r"rank (\d) +host (\S+), local rank (\d) of 2, cpu, (\d+) thread\(s\), cores (\d+) ", said)
        self.assertEqual(len(rows), 4, said)
        for rank, host, local, threads, cores in rows:
            self.assertEqual((host, int(local), int(cores)), tasks[int(rank)], said)
            # Ranks that SLURM does not bind divide the cores of their node.
            self.assertEqual(int(threads), int(cores) if cluster.binds else max(1, int(cores) // 2), said)

    def test_other_launchers_in_an_allocation(self):
        torchrun = find_tool("HELIORAY_TORCHRUN", "torchrun")
        launchers = {
            "openmpi": ("mpirun.openmpi", ("salloc", "-Q", *SRUN[1:], "mpirun.openmpi")),
            "mpich": ("mpiexec.hydra", ("salloc", "-Q", *SRUN[1:], "mpiexec.hydra")),
            "torchrun": (torchrun, ("srun", "-N2", "-n2", torchrun, "--no-python", "--nnodes", "2", "--nproc-per-node", "2", "--rdzv-backend", "c10d",
                                    "--rdzv-endpoint", "node1:29511", "--rdzv-id", "7"))}
        for launcher, (tool, start) in launchers.items():
            with self.subTest(launcher=launcher):
                if not tool or not shutil.which(tool):
                    self.skipTest(f"{launcher} is not installed")
                self.check(self.checked(*start, "helioray", "raytrace", self.config, "--json", OMPI_ALLOW_RUN_AS_ROOT=1,
                                        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1), 4, launcher)

    def test_bad_input_is_reported_once(self):
        done = self.on_cluster(*SRUN, "helioray", "raytrace", self.config, "--set", "aim.target=nowhere")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("nowhere"), 1, done.stderr)


class Faults(FaultCase):
    def start_on_cluster(self, *srun):
        """A long run of two ranks on two nodes, which are tracing."""
        return self.start_tracing("slurm", *self.time_out, command=cluster.command(self.folder, "srun", "-N2", "-n2", *srun),
                                  SLURM_CONF=cluster.environment()["SLURM_CONF"])

    def test_killed_rank(self):
        for rank in (0, 1):
            with self.subTest(rank=rank):
                run = self.start_on_cluster()
                since = time.monotonic()
                os.kill(run.ranks()[rank], signal.SIGKILL)
                said = self.check_end(run, codes=[137], said=(rf"rank {rank} on host node{rank + 1} .*is gone",), since=since, within=2 * self.time_out_s)
                self.assertIn("Exited with exit code 1", said)

    def test_stopped_rank(self):
        # SLURM leaves a stopped process alone, unless told how long it may outlive the first one that ends.
        run = self.start_on_cluster("--wait", "2")
        since = time.monotonic()
        os.kill(run.ranks()[1], signal.SIGSTOP)
        self.check_end(run, codes=[137], said=("rank 1 on host node2",), since=since, within=2 * self.time_out_s + 4)


class Recipes(OnCluster):
    """The scripts as the page prints them, with less time and fewer cores."""

    @classmethod
    def setUpClass(cls):
        page = (SOURCE / "distributed" / "RECIPES.md").read_text().split("\n## SLURM\n")[1].split("\n## ")[0]
        cls.blocks = re.findall(r"^```\n(.*?)^```", page, re.MULTILINE | re.DOTALL)

    def script(self, word):
        """The only block with this word, as a file."""
        found = [block for block in self.blocks if word in block]
        self.assertEqual(len(found), 1, word)
        path = self.folder / f"{word.strip('-')}.yaml"  # the harness knows .yaml as ours
        path.write_text(found[0])
        return path

    def submit(self, *arguments):
        """Submits a job and returns its number."""
        return self.checked("sbatch", "--parsable", "--cpus-per-task=1", *arguments).strip()

    def states(self, job):
        return re.findall(r"JobState=(\S+)", self.checked("scontrol", "show", "job", "-o", job))

    def said(self, job):
        return "\n".join(path.read_text() for path in sorted(self.folder.glob(f"slurm-{job}*.out")))

    def wait_until(self, job, condition, patience=60):
        end = time.monotonic() + patience
        while not condition():
            if time.monotonic() > end or "FAILED" in self.states(job):
                self.fail(f"{self.states(job)}: {self.said(job)}")
            time.sleep(0.02)

    def wait_for_end(self, job):
        self.wait_until(job, lambda: set(self.states(job)) == {"COMPLETED"})

    def test_requeued_run_continues(self):
        (self.folder / ".helioray-secret").write_text("a secret\n")
        speed = self.raytrace_json(self.write_config("5e7"), "--set", "output=null")["rays_per_second"]
        # Three heliostats: three seconds of work.
        config = self.write_config(f"{speed:.2e}", name="plant.yaml")
        expected = self.raytrace_json(config, "-o", "whole.h5")["fingerprint"]
        config.write_text(config.read_text().replace("result.h5", "result.h5, checkpoint_minutes: 0.001"))
        parts = self.folder / "result.h5.parts"

        def work():
            return {path: path.stat().st_mtime_ns for path in parts.glob("work_*.sums")}

        job = self.submit(self.script("requeue"))
        # The notice of --signal, and a requeue of the scheduler's own.
        for interrupt in (("scancel", "--signal=USR1", job), ("scontrol", "requeue", job)):
            before = work()
            self.wait_until(job, lambda: work() != before)
            self.checked(*interrupt)
            self.wait_until(job, lambda: self.states(job) == ["PENDING"])
            self.assertTrue(parts.exists(), self.said(job))
        self.wait_for_end(job)
        said = self.said(job)
        self.assertIn("Restarts=2", self.checked("scontrol", "show", "job", "-o", job))
        self.assertEqual(said.count("continues: "), 2, said)
        self.assertIn(expected, said)
        self.assertFalse(parts.exists())

    def test_variants_as_a_job_array(self):
        self.write_config(name="CONFIG")
        job = self.submit("--array=0-2", self.script("tracing.seed"))
        self.wait_for_end(job)
        for seed in range(3):
            expected = self.raytrace_json("CONFIG", "--seed", seed)["fingerprint"]
            self.assertIn(expected, self.run_program("info", f"seed_{seed}.h5").stdout)
            self.assertIn("1 process", self.said(f"{job}_{seed}"))

    def test_a_year_as_a_job_array(self):
        self.write_config("2e4", name="plant.yaml")
        whole = json.loads(self.run_program("annual", "plant.yaml", "--json", "-o", "whole.h5").stdout)["fingerprint"]
        shards = self.submit("--array=1-3", self.script("--shard"))
        join = self.script("--join").read_text()
        self.assertIn("afterok:$(sbatch --parsable shards.sh)", join)
        last = self.checked("sh", "-c", join.replace("$(sbatch --parsable shards.sh)", shards)).split()[-1]
        self.wait_for_end(last)
        self.assertEqual(set(self.states(shards)), {"COMPLETED"})
        self.assertIn(whole, self.said(last))
        self.assertFalse((self.folder / "annual.h5.parts").exists())

    def test_batch_file_of_the_tutorial(self):
        config = self.write_config()
        job = self.submit("--ntasks-per-node=2", SOURCE / "tutorials" / "03_distributed_raytracing" / "job.sbatch", config)
        self.wait_for_end(job)
        said = self.said(job)
        self.assertIn(self.raytrace_json(config)["fingerprint"], said)
        self.assertIn("4 processes", said)
        self.assertEqual(len(os.listdir(self.folder / f"logs_{job}")), 4)

    def test_a_batch_script_is_one_process(self):
        config = self.write_config()
        job = self.submit("--ntasks=2", f"--wrap=helioray raytrace {config} --json")
        self.wait_for_end(job)
        printed = json.loads(self.said(job).splitlines()[-1])
        self.assertEqual((printed["launcher"], printed["world_size"]), ("single", 1))


if __name__ == "__main__":
    unittest.main()
