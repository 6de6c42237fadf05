# SPDX-License-Identifier: MIT
"""Series of sun positions: layout, equality with single runs, continuing after SIGKILL, refusals."""

import json
import os
import resource
import signal
import subprocess
import time
import unittest

import h5py
import numpy

from halt_rank import Preload
from harness import ARTIST, CONFIG, PROGRAM, SCENARIO, ProgramTest, clean_environment, find_tool

SUN = "sun: {azimuth_deg: 180.0, elevation_deg: 45.0, "
DAY = '{start: "2026-06-21T00:00:00+02:00", end: "2026-06-21T23:30:00+02:00", step_minutes: 60}'
TERMS = ("cosine_loss", "shading_loss", "reflection_loss", "blocking_loss", "attenuation_loss", "spillage_loss", "target_power")


def setUpModule():
    Preload.make()


class Series(ProgramTest):
    def write_series(self, sun, rays="1e4", name="run.yaml"):
        return self.write_config(name=name, text=CONFIG.format(scenario=SCENARIO, rays=rays).replace(SUN, f"sun: {{{sun}, "))

    def many(self, rays="1e4", count=15):
        suns = ", ".join(f"{{azimuth_deg: {90 + 3.6 * i:.1f}, elevation_deg: {20 + 0.5 * i:.1f}, dni_w_m2: {500 + 10 * i}}}" for i in range(count))
        return self.write_series(f"positions: [{suns}]", rays)

    def parts(self, output="result.h5"):
        return sorted((self.folder / (output + ".parts")).glob("step_*.h5"))

    def kill_in_the_middle(self, *arguments, after=5, at=None):
        """Starts a run and ends it hard, with all of its processes, before it stores the next step or the file `at`. Returns the steps done."""
        run = subprocess.Popen([PROGRAM, "raytrace", *map(str, arguments)], cwd=self.folder, start_new_session=True, stdout=subprocess.PIPE,
                               env=clean_environment(**Preload.environment("any", at=at or f"commit:step_{after:06d}", number=signal.SIGKILL, group=1)))
        run.communicate(timeout=60)  # the ranks end later than what started them
        self.assertEqual(run.returncode, -signal.SIGKILL)
        self.assertFalse((self.folder / "result.h5").exists())
        self.assertEqual(len(self.parts()), after)
        return after

    def test_a_run_that_is_killed_while_it_joins_leaves_nothing_for_long(self):
        config = self.many(count=3)
        self.assertEqual(self.run_program("raytrace", config, "--shard", "1/1").returncode, 0)
        self.kill_in_the_middle(config, after=3, at="commit:result.h5")
        left = [name for name in self.leftovers() if name.startswith(".helioray-") and name.endswith(".part")]
        self.assertEqual(len(left), 1, self.leftovers())
        self.raytrace_json(config)
        self.assertEqual(self.leftovers(), ["result.h5"])

    def test_every_step_is_a_run_of_its_own(self):
        config = self.write_series("positions: [{azimuth_deg: 120, elevation_deg: 30, dni_w_m2: 700}, {azimuth_deg: 190, elevation_deg: 60}]")
        printed = self.raytrace_json(config, "--set", "output.per_heliostat=true")
        self.assertEqual(printed["num_steps"], 2)
        self.assertEqual(self.leftovers(), ["result.h5"])
        with h5py.File(self.folder / "result.h5") as series:
            for step, (azimuth, elevation, dni) in enumerate(((120, 30, 700), (190, 60, 1000))):
                single = self.raytrace_json(self.write_config("1e4", name="one.yaml"), "--set", f"sun={{azimuth_deg: {azimuth}, elevation_deg: {elevation}, "
                                            f"dni_w_m2: {dni}, shape: {{type: pillbox, half_angle_mrad: 4.65}}}}", "-o", "one.h5",
                                            "--set", "output.per_heliostat=true")
                self.assertEqual(printed["series"]["fingerprint"][step], single["fingerprint"])
                for term, values in printed["energy"].items():
                    self.assertEqual(values[step], single["energy"][term])
                self.assertEqual(series["series/fingerprint"][step].decode(), single["fingerprint"])
                position = [series[f"series/{n}"][step] for n in ("azimuth_deg", "elevation_deg", "dni_w_m2")]
                numpy.testing.assert_allclose(position, [azimuth, elevation, dni], rtol=1e-14)
                with h5py.File(self.folder / "one.h5") as one:
                    names = []
                    one.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
                    for name in ("orientation", "row", "column"):
                        names.remove(f"heliostats/{name}")
                    self.check_poses(series, step, one["heliostats/orientation"][()])
                    for name in names:
                        same = name.endswith(("/name", "heliostats/target", "mirror_outline", "width_m", "height_m")) or one[name].is_scale
                        value = series[name] if same else series[name][step]
                        numpy.testing.assert_array_equal(value[()], one[name][()], name)
                        self.assertEqual(series[name].attrs["unit"], one[name].attrs["unit"])
                        self.assertEqual(series[name].attrs["description"], one[name].attrs["description"])
                    for target, group in one["targets"].items():
                        for name, value in group.attrs.items():
                            if name in ("kind", "geometry"):
                                self.assertEqual(series["targets"][target].attrs[name], value)
                            else:
                                numpy.testing.assert_array_equal(series["targets"][target][name][step], value)
            flux = series["targets/multi_focus_tower/flux"]
            self.assertEqual(flux.shape, (2, 64, 64))
            self.assertEqual((flux.chunks[0], flux.compression), (2 if 64 * 64 * 2 <= 8192 else 1, "gzip"))
            solar = series["heliostats/solar_power"][()]
            numpy.testing.assert_allclose(sum(series["heliostats"][term][()] for term in TERMS), solar, rtol=1e-12)

    def check_poses(self, series, step, matrices):
        """A step of a series has normals, origins and turns of the matrices of a single run."""
        self.assertNotIn("orientation", series["heliostats"])
        normal, origin, turn = (series[f"heliostats/mirror_{name}"][step] for name in ("normal", "origin", "turn"))
        numpy.testing.assert_array_equal(normal, matrices[:, :3, 2])
        numpy.testing.assert_array_equal(origin, matrices[:, :3, 3])
        level = numpy.stack([-normal[:, 1], normal[:, 0], numpy.zeros(len(normal))], axis=1)
        level /= numpy.linalg.norm(level, axis=1)[:, None]
        first = numpy.cos(turn)[:, None] * level + numpy.sin(turn)[:, None] * numpy.cross(normal, level)
        numpy.testing.assert_allclose(first, matrices[:, :3, 0], atol=1e-9)

    def check_killed(self, count, first, then, after):
        config = self.many(count=count)
        whole = self.raytrace_json(config, "-o", "whole.h5")
        self.assertEqual((whole["num_steps"], whole["steps_done_before"]), (count, 0))
        done = self.kill_in_the_middle(config, "--ranks", first, after=after)
        continued = self.raytrace_json(config, "--ranks", then)
        self.assertEqual(continued["steps_done_before"], done)
        for key in ("fingerprint", "energy", "targets", "rays"):
            self.assertEqual(continued[key], whole[key], key)
        self.assertEqual(continued["world_size"], then)
        self.assertFalse((self.folder / "result.h5.parts").exists())

    def test_killed_series_ends_with_the_same_fingerprint(self):
        self.check_killed(50, 1, 1, 20)

    def test_killed_series_under_two_ranks(self):
        self.check_killed(50, 2, 2, 20)

    def test_killed_under_two_ranks_continued_by_one(self):
        self.check_killed(10, 2, 1, 3)

    def test_killed_by_one_continued_under_two_ranks(self):
        self.check_killed(10, 1, 2, 3)

    def test_killed_in_the_middle_of_a_step(self):
        config = self.many("3e8", count=2)
        whole = self.raytrace_json(config, "-o", "whole.h5")
        often = ("--set", "output.checkpoint_minutes=0.002")
        run = subprocess.Popen([PROGRAM, "raytrace", str(config), *often, "--ranks", "2"], cwd=self.folder, env=clean_environment(),
                               start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        work = lambda: list((self.folder / "result.h5.parts").glob("work_000001_*.sums"))
        try:
            # Part of the second step is kept, and the step is not done.
            end = time.monotonic() + 240
            while not (len(self.parts()) == 1 and work()):
                self.assertIsNone(run.poll(), "it ended before it could be killed")
                self.assertLess(time.monotonic(), end)
                time.sleep(0.002)
        finally:
            os.killpg(run.pid, signal.SIGKILL)
            run.communicate()
        self.assertEqual((len(self.parts()), bool(work())), (1, True))
        again = self.run_program("raytrace", config, *often, "--json", "-v")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("continues: 1 of 2 steps are done", again.stderr)
        self.assertRegex(again.stderr, r"continues: [0-9.]+ % of 900000[0-9]+ rays are traced already")
        continued = json.loads(again.stdout)
        self.assertEqual(continued["steps_done_before"], 1)
        for key in ("fingerprint", "energy", "targets", "rays"):
            self.assertEqual(continued[key], whole[key], key)
        self.assertFalse((self.folder / "result.h5.parts").exists())

    def test_series_under_torchrun(self):
        torchrun = find_tool("HELIORAY_TORCHRUN", "torchrun")
        if not torchrun:
            self.skipTest("torchrun is not installed")
        config = self.many(count=3)
        one = self.raytrace_json(config, "-o", "one.h5")["fingerprint"]
        printed = self.raytrace_json(config, prefix=(torchrun, "--no-python", "--standalone", "--nproc-per-node", "2"))
        self.assertEqual((printed["fingerprint"], printed["launcher"], printed["world_size"]), (one, "torchrun", 2))

    def check_goes_on_from_all(self, config, whole):
        """All 15 steps are kept, nothing half is left, and the same command joins them."""
        self.assertEqual(len(self.parts()), 15)
        again = self.raytrace_json(config)
        self.assertEqual((again["steps_done_before"], again["fingerprint"]), (15, whole))
        self.assertFalse((self.folder / "result.h5.parts").exists())

    def test_killed_while_steps_are_joined(self):
        config = self.many("1e3")
        whole = self.raytrace_json(config, "-o", "whole.h5")["fingerprint"]
        # The manifest and 15 steps have their names already.
        run = self.run_program("raytrace", config, **Preload.environment("any", at="commit:result.h5", count=17, number=signal.SIGKILL))
        self.assertEqual(run.returncode, -signal.SIGKILL)
        self.assertFalse((self.folder / "result.h5").exists())
        self.check_goes_on_from_all(config, whole)

    def test_disk_that_is_full_while_steps_are_joined(self):
        config = self.many("1e3")
        whole = self.raytrace_json(config, "-o", "whole.h5")["fingerprint"]
        # More than a step and less than all of them.
        limit = (self.folder / "whole.h5").stat().st_size // 2
        run = subprocess.run([PROGRAM, "raytrace", config], cwd=self.folder, text=True, capture_output=True, timeout=120, env=clean_environment(),
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual((run.returncode, run.stdout), (1, ""), run.stderr)
        for text in ("15 of 15 steps are done and kept in result.h5.parts", "the same command continues", "result.h5: the file cannot be stored"):
            self.assertIn(text, run.stderr)
        self.assertEqual(sorted(self.leftovers()), ["result.h5.parts", "whole.h5"])
        self.check_goes_on_from_all(config, whole)

    def test_picture_that_cannot_be_drawn(self):
        config = self.many("1e3")
        whole = self.raytrace_json(config, "-o", "whole.h5")["fingerprint"]
        run = self.run_program("raytrace", config, "--image", "flux.png", **Preload.environment("any", at="commit:flux.png", number=signal.SIGKILL))
        self.assertEqual(run.returncode, -signal.SIGKILL)
        self.check_goes_on_from_all(config, whole)

    def test_room_on_the_disk(self):
        """A series is refused only where even compressed files would not fit."""
        config = self.many("1e3", count=20)
        disk = self.folder / "disk"
        disk.mkdir()
        for size, code, text in (("1m", 2, "the disk has room for"), ("3m", 0, "the same command goes on from there"), ("20m", 0, "")):
            if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk)], capture_output=True).returncode != 0:
                self.skipTest("a small file system cannot be mounted here")
            try:
                run = self.run_program("raytrace", config, "-o", "disk/result.h5", "-q")
                self.assertEqual(run.returncode, code, run.stderr)
                self.assertIn(text, run.stderr)
                if not text:
                    self.assertNotIn("room", run.stderr)
                self.assertEqual(os.listdir(disk), [] if code else ["result.h5"])
            finally:
                subprocess.run(["umount", str(disk)], check=True)

    def test_interrupt_says_how_to_go_on(self):
        config = self.many("1e6")
        run = self.run_program("raytrace", config, **Preload.environment("any", at="commit:step_000002", number=signal.SIGINT))
        self.assertEqual(run.returncode, 130, run.stderr)
        self.assertIn("the same command continues", run.stderr)
        self.assertEqual(run.stdout, "")
        done = len(self.parts())
        self.assertEqual(done, 3)
        again = self.run_program("raytrace", config)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn(f"continues: {done} of 15 steps are done", again.stderr)

    def test_parts_of_another_configuration_are_refused(self):
        config = self.many("1e5")
        self.kill_in_the_middle(config)
        before = self.parts()
        for change, word in ((("--seed", "7"), "the configuration"), (("--set", "optics.reflectivity=0.5"), "the configuration"),
                             (("--set", "sun.positions=[{azimuth_deg: 180, elevation_deg: 20}]"), "the sun's positions")):
            done = self.run_program("raytrace", config, *change)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(word, done.stderr)
            self.assertIn("--restart", done.stderr)
        two = self.run_program("raytrace", config, "--seed", "7", "--ranks", "2")
        self.assertEqual(two.returncode, 2, two.stderr)
        self.assertEqual(two.stderr.count("--restart"), 1)
        self.assertEqual(self.parts(), before)
        # What changes no number may change.
        same = self.raytrace_json(config, "--image", "x.png", "--threads", 1, "--set", "distributed.schedule=dynamic")
        self.assertGreaterEqual(same["steps_done_before"], 5)

    def test_restart(self):
        config = self.many("1e5")
        self.kill_in_the_middle(config)
        printed = self.raytrace_json(config, "--seed", "7", "--restart")
        self.assertEqual(printed["steps_done_before"], 0)
        self.assertEqual(self.leftovers(), ["result.h5"])

    def test_foreign_folder_is_left_alone(self):
        folder = self.folder / "result.h5.parts"
        folder.mkdir()
        (folder / "step_000000.h5").write_text("mine")
        for extra in ((), ("--restart",)):
            done = self.run_program("raytrace", self.many(), *extra)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("manifest.json", done.stderr)
            self.assertEqual((folder / "step_000000.h5").read_text(), "mine")

    def test_damaged_part_is_made_again(self):
        config = self.many("1e5")
        self.kill_in_the_middle(config)
        done = self.parts()
        done[1].write_bytes(done[1].read_bytes()[:1000])
        expected = self.raytrace_json(config, "-o", "whole.h5")["fingerprint"]
        continued = self.raytrace_json(config)
        self.assertEqual(continued["steps_done_before"], len(done) - 1)
        self.assertEqual(continued["fingerprint"], expected)

    def test_two_at_once(self):
        config = self.many()
        first = subprocess.Popen([PROGRAM, "raytrace", str(config), "-q"], cwd=self.folder, start_new_session=True,
                                 env=clean_environment(**Preload.environment("any", at="commit:step_000001", number=signal.SIGSTOP)))
        try:
            self.assertTrue(os.WIFSTOPPED(os.waitpid(first.pid, os.WUNTRACED)[1]))
            second = self.run_program("raytrace", config)
            self.assertEqual(second.returncode, 2, second.stderr)
            self.assertIn("another process", second.stderr)
        finally:
            os.killpg(first.pid, signal.SIGKILL)
            first.wait()

    def test_night_of_a_range_is_left_out(self):
        done = self.run_program("raytrace", self.write_series(f"times: {DAY}"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"8 of 24 steps have no light.*2026-06-21T00:00:00\+02:00")
        with h5py.File(self.folder / "result.h5") as file:
            times = [t.decode() for t in file["series/time"]]
            self.assertEqual((times[0], times[-1], len(times)), ("2026-06-21T06:00:00+02:00", "2026-06-21T21:00:00+02:00", 16))
            self.assertTrue((file["series/elevation_deg"][()] > 0).all())

    def test_night_in_a_list_is_an_error(self):
        times = '"2026-06-21T12:00:00+02:00", "2026-06-21T23:00:00+02:00", "2026-06-21T01:00:00+02:00"'
        done = self.run_program("raytrace", self.write_series(f"times: [{times}]"))
        self.assertEqual(done.returncode, 2)
        for word in ("sun.times[1]", "sun.times[2]", "below the horizon"):
            self.assertIn(word, done.stderr)
        self.assertNotIn("sun.times[0]", done.stderr)
        self.assertEqual(self.leftovers(), [])

    def test_file_of_positions(self):
        (self.folder / "suns.csv").write_text("azimuth_deg,elevation_deg,dni_w_m2\n90,20,500\n180,-5,0\n180,60,900\n# end\n")
        printed = self.raytrace_json(self.write_series("file: suns.csv"))
        numpy.testing.assert_allclose(printed["series"]["azimuth_deg"], [90, 180], rtol=1e-14)
        self.assertEqual(printed["series"]["dni_w_m2"], [500, 900])
        (self.folder / "suns.csv").write_text("time,reflectivity\n2026-06-21T12:00:00,0.9\n")
        done = self.run_program("raytrace", self.folder / "run.yaml")
        self.assertEqual(done.returncode, 2)
        for word in ("suns.csv:1", "unknown column 'reflectivity'", "suns.csv:2", "no offset"):
            self.assertIn(word, done.stderr)

    def test_model_artist_and_rounds(self):
        config = self.write_series("positions: [{azimuth_deg: 120, elevation_deg: 30}, {azimuth_deg: 190, elevation_deg: 60}]")
        one = self.raytrace_json(config, *ARTIST)
        self.assertEqual(self.raytrace_json(config, *ARTIST, "--ranks", 2, "--set", "distributed.schedule=dynamic")["fingerprint"], one["fingerprint"])
        rounds = (config, "--set", "tracing.relative_error=0.02", "--set", "tracing.rays_per_heliostat=1e6")
        one = self.raytrace_json(*rounds)
        self.assertLess(one["rays"], 6e6)
        self.assertEqual(self.raytrace_json(*rounds, "--ranks", 2)["fingerprint"], one["fingerprint"])

    def test_info_and_plot(self):
        self.raytrace_json(self.write_series(f"times: {DAY}"), "--image", "series.png")
        text = self.run_program("info", "result.h5").stdout
        for word in ("series", "16 steps", "2026-06-21T12:00:00+02:00", "multi_focus_tower"):
            self.assertIn(word, text)

        def title(*arguments):
            done = self.run_program("plot", "result.h5", "-o", "map.svg", *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            return (self.folder / "map.svg").read_bytes()

        strongest = title("--time", "8")
        self.assertEqual(title("--time", "2026-06-21T12:00:00Z"), strongest)
        self.assertNotEqual(title("--time", "3"), strongest)
        self.assertNotEqual(title(), strongest)  # the whole series
        for wrong in ("16", "2026-06-22T12:00:00Z", "noon"):
            done = self.run_program("plot", "result.h5", "-o", "map.svg", "--time", wrong)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("--time" if wrong != "noon" else "noon", done.stderr)

    def test_output_is_needed(self):
        done = self.run_program("raytrace", self.many(), "--set", "output=null")
        self.assertEqual(done.returncode, 2)
        self.assertIn("output.file", done.stderr)

    def test_files_of_positions_that_cannot_be_read(self):
        for rows, words in (("time,azimuth_deg\n2026-06-21T10:00Z,110\n", ["only one of azimuth_deg and elevation_deg"]), ("dni_w_m2\n900\n", ["neither times nor angles"]),
                            ("azimuth_deg,elevation_deg\n110,x\n", ["suns.csv:2", "'x'"]), ("azimuth_deg,elevation_deg\n", ["has no rows", "a header of some of time, azimuth_deg"])):
            (self.folder / "suns.csv").write_text(rows)
            config = self.write_series("file: suns.csv")
            for command in ("validate", "raytrace"):
                with self.subTest(rows=rows, command=command):
                    done = self.run_program(command, config)
                    self.assertEqual(done.returncode, 2, done.stderr)
                    for word in words:
                        self.assertIn(word, done.stderr)
                    self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_one_form_of_the_position(self):
        done = self.run_program("validate", self.write_series(f"azimuth_deg: 180, elevation_deg: 45, times: {DAY}"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("more than one form", done.stderr)


if __name__ == "__main__":
    unittest.main()
