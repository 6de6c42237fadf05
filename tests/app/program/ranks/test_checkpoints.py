# SPDX-License-Identifier: MIT
"""Single runs that are killed, stopped or damaged go on from what they have traced, to the same fingerprint."""

import contextlib
import os
import random
import resource
import signal
import subprocess
import time
import unittest

from halt_rank import Preload
from harness import ARTIST, PROGRAM, ProgramTest, clean_environment, find_tool

# A few seconds of work on an idle machine, and more on a busy one, that is kept several times a second.
SECONDS = 3.0
OFTEN = ("--set", "output.checkpoint_minutes=0.001")
FINGERPRINTS = {}


def setUpModule():
    Preload.make()


def cpu_seconds():
    """Of all children so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Checkpoints(ProgramTest):
    rays = None  # of each of three heliostats

    def setUp(self):
        super().setUp()
        if not self.rays:
            probe, begin = self.write_config("5e7"), cpu_seconds()
            rays = self.raytrace_json(probe, "--set", "output=null")["rays"]
            # CPU time does not depend on what else the machine does.
            speed = len(os.sched_getaffinity(0)) * rays / (cpu_seconds() - begin)
            Checkpoints.rays = f"{speed * SECONDS / 3:.2e}"
        self.config = self.write_config(self.rays)
        self.parts = self.folder / "result.h5.parts"

    def expected(self, *options):
        """The fingerprint of an undisturbed run; each is traced once for all tests."""
        if options not in FINGERPRINTS:
            FINGERPRINTS[options] = self.raytrace_json(self.config, "-o", "whole.h5", *options)["fingerprint"]
        return FINGERPRINTS[options]

    def work(self):
        """The files of work with the times of their last change; the run may replace them meanwhile."""
        files = {}
        for path in self.parts.glob("work_*.sums"):
            with contextlib.suppress(FileNotFoundError):
                files[path] = path.stat().st_mtime_ns
        return files

    def start(self, *arguments, prefix=(), **fault):
        """fault: what happens to the run from inside, at a moment of its own work (see Preload)."""
        return subprocess.Popen([*prefix, PROGRAM, "raytrace", str(self.config), *OFTEN, *arguments], cwd=self.folder, text=True,
                                env=clean_environment(**Preload.environment(**{"rank": "any", **fault})), start_new_session=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    @contextlib.contextmanager
    def stopped(self, *arguments):
        """A run that stands still, with all of its ranks, since one has kept something."""
        # Once: a rank that keeps something later does not stop them again.
        mark = self.folder / "stopped.csv"
        mark.unlink(missing_ok=True)
        run = self.start(*arguments, at="committed:work_", number=signal.SIGSTOP, group=1, once=mark)
        try:
            state = os.waitid(os.P_PID, run.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            self.assertEqual(state.si_code, os.CLD_STOPPED, "it ended before it kept anything")
            yield run
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(run.pid, signal.SIGKILL)
            run.communicate()

    def run_until_killed(self, *arguments, after=0.0, **fault):
        """The exit code, and what the run said. A run that does not keep something (as often as `fault` says) ends by itself."""
        run = self.start(*arguments, at="committed:work_", number=signal.SIGKILL, group=1, delay_ms=round(1000 * after), **fault)
        _, errors = run.communicate(timeout=240)
        return run.returncode, errors

    def kill(self, *arguments, after=0.0, **fault):
        """Kills a run and its ranks some time after one has first kept something."""
        code, errors = self.run_until_killed(*arguments, after=after, **fault)
        self.assertEqual(code, -signal.SIGKILL, errors)
        self.assertFalse((self.folder / "result.h5").exists())

    def kill_early(self, *arguments, after):
        """Kills a run and its ranks some time after its start, or when it is about to store its result, if that comes first."""
        run = self.start(*arguments, at="commit:result.h5", number=signal.SIGKILL, group=1)
        time.sleep(after)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)
        run.communicate()
        self.assertFalse((self.folder / "result.h5").exists())

    def check_continued(self, *arguments, options=()):
        printed = self.raytrace_json(self.config, *options, *arguments)
        self.assertEqual(printed["fingerprint"], self.expected(*options))
        self.assertGreater(printed["rays_done_before"], 0)
        self.assertLess(printed["rays_done_before"], printed["rays"])
        self.assertFalse(self.parts.exists())
        return printed

    def check_killed_at_random_moments(self, seed, ranks, *options):
        chance = random.Random(seed)
        self.kill(*options, "--ranks", str(ranks[0]))
        for _ in range(10):
            early = chance.random() < 0.4
            arguments = (*options, "--ranks", str(chance.choice(ranks)))
            if early:
                self.kill_early(*arguments, after=chance.uniform(0, 0.5))
            else:
                self.kill(*arguments, after=chance.uniform(0, 0.1))
        self.check_continued(*options, "--ranks", ranks[0])

    def test_killed_at_ten_moments_with_one_rank(self):
        self.check_killed_at_random_moments(1, [1])

    def test_killed_at_ten_moments_with_two_ranks(self):
        self.check_killed_at_random_moments(2, [2])

    def test_killed_at_ten_moments_with_other_numbers_of_ranks(self):
        self.check_killed_at_random_moments(3, [2, 1, 3], "--set", "distributed.schedule=dynamic")

    def test_rounds(self):
        options = ("--set", "tracing.relative_error=1e-6", "--set", f"tracing.rays_per_heliostat={self.rays}")
        for ranks in ("1", "2"):
            self.kill(*options, "--ranks", ranks, after=0.2)
        self.check_continued("--threads", 1, options=options)

    def test_model_artist(self):
        options = (*ARTIST, "--set", "artist.rays_per_point=20000")
        self.kill(*options, "--threads", "1")
        self.check_continued(options=options)

    def check_signal(self, number, exit_code, *arguments):
        with self.stopped(*arguments) as run:
            before = self.work()
            os.killpg(run.pid, number)
            os.killpg(run.pid, signal.SIGCONT)
            _, errors = run.communicate(timeout=60)
        self.assertEqual(run.returncode, exit_code, errors)
        self.assertIn("the same command continues", errors)
        self.assertNotEqual(self.work(), before)
        self.check_continued()

    def test_terminate(self):
        self.check_signal(signal.SIGTERM, 143)

    def test_terminate_two_ranks(self):
        self.check_signal(signal.SIGTERM, 143, "--ranks", "2")

    def test_user_signal(self):
        self.check_signal(signal.SIGUSR1, 138)

    def test_interrupt(self):
        self.check_signal(signal.SIGINT, 130)

    def test_lost_rank_under_torchrun(self):
        torchrun = find_tool("HELIORAY_TORCHRUN", "torchrun")
        if not torchrun:
            self.skipTest("torchrun is not installed")
        run = self.start("--json", "--set", "distributed.schedule=dynamic",
                         prefix=(torchrun, "--no-python", "--standalone", "--nproc-per-node", "2", "--max-restarts", "2"),
                         rank="1", at="committed:work_", number=signal.SIGKILL, once=self.folder / "killed.csv")
        out, errors = run.communicate(timeout=120)
        self.assertTrue((self.folder / "killed.csv").exists(), errors)
        self.assertEqual(run.returncode, 0, errors)
        self.assertIn(f'"fingerprint":"{self.expected()}"', out.replace(" ", ""))
        self.assertRegex(out.replace(" ", ""), r'"rays_done_before":[1-9]')
        self.assertFalse(self.parts.exists())

    def test_damaged_files_are_traced_again(self):
        def flip(data):
            return data[:-9] + bytes([data[-9] ^ 1]) + data[-8:]

        for damage in (lambda data: data[:1000], flip, lambda data: b""):
            self.kill("--ranks", "2", after=0.1)
            victim = sorted(self.work())[-1]
            victim.write_bytes(damage(victim.read_bytes()))
            again = self.run_program("raytrace", self.config)
            self.assertEqual(again.returncode, 0, again.stderr)
            self.assertIn("traced again", again.stderr)
            self.assertIn(victim.name, again.stderr)
            self.assertIn(self.expected(), again.stdout)
            (self.folder / "result.h5").unlink()

    def test_files_of_former_states_do_not_count_twice(self):
        # On a very busy disk a run may end before rank 0 has kept something twice; then the next one may not.
        for last in (False, False, True):
            self.kill("--ranks", "2", after=0.1)
            former = {path: path.read_bytes() for path in self.work()}
            # Rank 0 removes them after it has kept something for the first time.
            code, errors = self.run_until_killed("--ranks", "2", rank="0", count=2)
            if code != 0 or last:
                break
            (self.folder / "result.h5").unlink()
        self.assertEqual(code, -signal.SIGKILL, errors)
        for path, content in former.items():
            self.assertFalse(path.exists())
            path.write_bytes(content)
        self.check_continued("--ranks", 2)

    def test_killed_while_it_stores_for_the_first_time(self):
        self.parts.mkdir()
        (self.parts / ".helioray-1-00000000-0.part").write_text("half")
        self.assertEqual(self.raytrace_json(self.config)["fingerprint"], self.expected())
        self.assertFalse(self.parts.exists())

    def test_another_configuration_is_refused(self):
        self.kill()
        before = self.work()
        for change, word in ((("--seed", "7"), "the configuration"), (("--set", "output.per_heliostat=true"), "the configuration")):
            done = self.run_program("raytrace", self.config, *change)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(word, done.stderr)
            self.assertIn("--restart", done.stderr)
        self.assertEqual(self.work(), before)
        printed = self.raytrace_json(self.config, "--restart")
        self.assertEqual((printed["fingerprint"], printed["rays_done_before"]), (self.expected(), 0))
        self.assertFalse(self.parts.exists())

    def test_two_at_once(self):
        self.kill()
        with self.stopped("--set", "tracing.seed=42"):
            second = self.run_program("raytrace", self.config)
            self.assertEqual(second.returncode, 2, second.stderr)
            self.assertIn("another process", second.stderr)

    def test_short_runs_keep_nothing(self):
        run = subprocess.Popen([PROGRAM, "raytrace", str(self.config), "--set", "tracing.rays_per_heliostat=1e12"], cwd=self.folder,
                               env=clean_environment(), stderr=subprocess.PIPE)
        time.sleep(2)
        run.terminate()
        run.communicate(timeout=60)
        self.assertEqual(self.leftovers(), [])

    def test_checkpoints_can_be_turned_off(self):
        run = self.start("--set", "output.checkpoint_minutes=0", "--set", "tracing.rays_per_heliostat=1e12")
        time.sleep(1.5)
        self.assertIsNone(run.poll())
        os.killpg(run.pid, signal.SIGTERM)
        run.communicate(timeout=60)
        self.assertEqual(self.leftovers(), [])

    def test_full_disk_does_not_end_the_run(self):
        self.parts.mkdir()
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(self.parts)],
                                               capture_output=True).returncode != 0:
            self.skipTest("a small file system cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", str(self.parts)], check=False)
        done = self.run_program("raytrace", self.config, *OFTEN)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(self.expected(), done.stdout)
        self.assertEqual(done.stderr.count("the run goes on"), 1, done.stderr)
        self.assertEqual(os.listdir(self.parts), [])


if __name__ == "__main__":
    unittest.main()
