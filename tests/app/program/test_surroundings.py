# SPDX-License-Identifier: MIT
"""What surrounds the program: closed and full streams, limits of the shell, pipes, links, damaged files."""

import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import time
import unittest

from harness import CONFIG, PROGRAM, ProgramTest, SCENARIO, SOURCE, clean_environment

# A byte of the scenario whose damage makes HDF5 1.10 crash.
FATAL_BYTE = 72402


class Surroundings(ProgramTest):
    def setUp(self):
        super().setUp()
        shutil.copy(SCENARIO, self.folder / "scenario.h5")
        self.write_config(text=CONFIG.format(scenario="scenario.h5", rays="1000"))

    def shell(self, command, **options):
        return subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], cwd=self.folder, text=True, capture_output=True,
                              timeout=120, env=clean_environment(PROGRAM=PROGRAM), **options)

    def check_refused(self, done, *fragments, code=2):
        self.assertEqual(done.returncode, code, f"stdout: {done.stdout}\nstderr: {done.stderr}")
        for fragment in fragments:
            self.assertIn(fragment, done.stderr)
        self.assertEqual(done.stdout, "")

    def need_disk(self, gigabytes):
        """A disk without room for the result is a fault of its own, which the program names beside the one under test."""
        if shutil.disk_usage(self.folder).free < gigabytes * 1e9:
            self.skipTest(f"the disk has less than {gigabytes} GB of room")

    # Streams

    def test_lost_results_are_a_failure(self):
        for arguments in ("info scenario.h5", "raytrace run.yaml --json", "validate run.yaml", "--version", "raytrace --help", "doctor"):
            with self.subTest(arguments):
                self.check_refused(self.shell(f"\"$PROGRAM\" {arguments} > /dev/full"), "helioray: ", "No space left", code=1)

    def test_closed_streams(self):
        closed = "<&- >&- 2>&-"
        self.assertEqual(self.shell(f"\"$PROGRAM\" raytrace run.yaml {closed}").returncode, 0)
        # Nothing that was printed went into the file that took the stream's place.
        self.assertEqual(self.run_program("info", "result.h5").returncode, 0)
        self.assertEqual(self.shell(f"\"$PROGRAM\" raytrace nowhere.yaml {closed}").returncode, 2)
        self.assertEqual(self.shell("\"$PROGRAM\" raytrace nowhere.yaml 2> /dev/full").returncode, 2)

    def test_reader_that_has_read_enough(self):
        for ranks in ("", "--ranks 2"):
            with self.subTest(ranks):
                done = self.shell(f"\"$PROGRAM\" raytrace run.yaml {ranks} | true")
                self.assertEqual((done.returncode, done.stderr), (128 + signal.SIGPIPE, ""))
                self.assertEqual(self.leftovers(), ["result.h5"])

    def test_configuration_from_a_pipe(self):
        for command in ("validate", "raytrace -q"):
            with self.subTest(command):
                done = self.shell(f'"$PROGRAM" {command} <(sed "s@scenario.h5@$PWD/scenario.h5@" run.yaml)')
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_signals_while_a_pipe_is_read(self):
        """Of a pipe that somebody keeps open, and of one that nobody opens; the second within the time in which a writer may come."""
        os.mkfifo(self.folder / "nobody")
        for name in ("/dev/stdin", "nobody"):
            for sent in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
                with self.subTest(name, sent=sent):
                    with subprocess.Popen([PROGRAM, "raytrace", name], cwd=self.folder, text=True, stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                                          env=clean_environment()) as process:
                        self.wait_for_poll(process.pid)
                        process.send_signal(sent)
                        # Its input stays open until it has ended.
                        self.assertEqual(process.wait(timeout=9), 128 + sent)
                        self.assertRegex(process.stderr.read(), "^helioray: (interrupted|terminated|stopped by SIGUSR1)")

    def wait_for_poll(self, process):
        """Until the process waits in poll(), as it does for its configuration, with handlers of signals."""
        def reads():
            call = pathlib.Path(f"/proc/{process}/wchan").read_text()
            return "poll" in call
        deadline = time.monotonic() + 60
        while not reads():
            self.assertLess(time.monotonic(), deadline, "the program never waited for its configuration")
            time.sleep(0.01)

    def test_pipe_for_several_ranks(self):
        for ranks in ("2", "auto"):
            for command in ("raytrace", "annual"):
                with self.subTest(ranks, command=command):
                    done = self.shell(f'"$PROGRAM" {command} --ranks {ranks} <(sed "s@scenario.h5@$PWD/scenario.h5@" run.yaml)')
                    self.check_refused(done, "is a pipe or device, not a file", "several processes read it", "name a file, or leave --ranks out")
        done = self.shell('"$PROGRAM" raytrace -q --ranks 1 <(sed "s@scenario.h5@$PWD/scenario.h5@" run.yaml)')
        self.assertEqual(done.returncode, 0, done.stderr)

    # Names from files and file systems

    def check_json(self, *arguments):
        done = self.run_program(*arguments, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("\ufffd", done.stdout)
        return json.loads(done.stdout)

    def test_json_of_names_that_are_not_utf_8(self):
        bad = os.fsdecode(b"\xff")
        paint = SOURCE / "configs" / "paint"
        heliostat = paint / "AA39-heliostat-properties.json"
        self.check_json("scenario", "generate", SOURCE / "configs" / "field.yaml", "--heliostats", "20", "-o", f"a{bad}.h5")
        self.check_json("scenario", "paint", "--tower", paint / "tower-measurements.json", heliostat, "-o", f"b{bad}.h5")
        self.assertEqual(self.run_program("export", "stral", SCENARIO, "--heliostat", "AA39", "--points", "9", "-o", "c.binp").returncode, 0)
        self.check_json("scenario", "stral", "c.binp", "--control-points", "6", "-o", f"c{bad}.h5")
        self.check_json("raytrace", "run.yaml", "--scenario", f"b{bad}.h5", "-o", f"d{bad}.h5")
        self.check_json("annual", "run.yaml", "--declinations", "3", "--hours", "3", "-o", f"e{bad}.h5")
        self.check_json("plot", f"d{bad}.h5", "-o", f"f{bad}.png")
        self.check_json("plot", f"d{bad}.h5", "--difference", f"d{bad}.h5", "-o", f"g{bad}.png")
        self.check_json("export", "csv", f"d{bad}.h5", "-o", f"tables{bad}")
        # A target's name of another program: the same length in the same place.
        result = (self.folder / f"d{bad}.h5").read_bytes()
        (self.folder / "named.h5").write_bytes(result.replace(b"multi_focus_tower", b"multi_focus\xfftower"))
        compared = self.check_json("compare", "named.h5", "--measured", paint / "AA31" / "Calibration" / "125284-flux.png")
        self.assertEqual(compared["target"], "multi_focus\ufffdtower")
        self.check_json("plot", "named.h5", "--difference", "named.h5", "-o", "named.png")

    # Limits and signals

    def test_file_size_limit(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))
        done = subprocess.run([PROGRAM, "raytrace", "run.yaml", "-q"], cwd=self.folder, text=True, capture_output=True, timeout=120,
                              env=clean_environment(), preexec_fn=limit)
        self.check_refused(done, "result.h5", "File too large", code=1)
        self.assertEqual(self.leftovers(), [])

    def test_no_stack_trace_without_memory(self):
        self.need_disk(3)
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
        options = dict(cwd=self.folder, text=True, capture_output=True, timeout=120, env=clean_environment(), preexec_fn=limit)
        if subprocess.run([PROGRAM, "raytrace", "run.yaml"], **options).returncode != 0:
            self.skipTest("the program needs more address space than this test leaves")
        os.remove(self.folder / "result.h5")
        done = subprocess.run([PROGRAM, "raytrace", "run.yaml", "--set", "bitmap={width: 16384, height: 16384}"], **options)
        self.check_refused(done, "out of memory", code=1)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertEqual(self.leftovers(), [])

    def limited(self, limit, *arguments):
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder, text=True, capture_output=True, timeout=120, env=clean_environment(),
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))

    def test_no_memory_on_the_threads_that_trace(self):
        """Bitmaps of threads do not fit where those of the run do."""
        limit = 3 << 30
        if self.limited(limit, "raytrace", "run.yaml").returncode != 0:
            self.skipTest("the program needs more address space than this test leaves")
        os.remove(self.folder / "result.h5")
        done = self.limited(limit, "raytrace", "run.yaml", "--threads", "8", "--set", "bitmap={width: 4096, height: 4096}")
        self.check_refused(done, "out of memory: 134.2 MB more were asked for", "fewer threads", code=1)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertEqual(self.leftovers(), [])

    def test_maps_of_heliostats_that_do_not_fit(self):
        self.need_disk(8)
        options = ("raytrace", "run.yaml", "--set", "output.per_heliostat=true", "--set", "bitmap={width: 16384, height: 16384}")
        done = self.limited(4 << 30, *options)
        self.check_refused(done, "output.per_heliostat", "take 6.4 GB", "gives 4.3 GB", "aim.active")
        self.check_message("surroundings", "maps of heliostats that do not fit", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertEqual(self.leftovers(), [])

    def test_lost_terminal(self):
        process = subprocess.Popen([PROGRAM, "raytrace", "run.yaml", "--set", "tracing.rays_per_heliostat=1e12"], cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_environment(), start_new_session=True)
        time.sleep(4)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGHUP)
        _, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 128 + signal.SIGHUP, errors)
        self.assertEqual(self.leftovers(), [])

    # Files

    def test_outputs_are_no_inputs(self):
        shutil.copy(SOURCE / "configs" / "field.yaml", self.folder / "field.yaml")
        os.symlink("scenario.h5", self.folder / "other_name.yaml")
        kept = {path.name: path.read_bytes() for path in self.folder.iterdir()}
        for arguments in (("raytrace", "run.yaml", "-o", "./scenario.h5"),
                          ("annual", "run.yaml", "-o", "scenario.h5"),
                          ("annual", "run.yaml", "-o", "year.h5", "--csv", "run.yaml"),
                          ("scenario", "generate", "field.yaml", "-o", "new.h5", "--config", "../" + self.folder.name + "/field.yaml"),
                          ("scenario", "generate", "field.yaml", "-o", "new.h5", "--config", "new.h5"),
                          ("export", "stral", "scenario.h5", "--heliostat", "AA39", "-o", "other_name.yaml")):
            with self.subTest(arguments):
                self.check_refused(self.run_program(*arguments), "would replace", "choose another name")
                self.assertEqual({path.name: path.read_bytes() for path in self.folder.iterdir()}, kept)

    def test_link_to_nothing_yet(self):
        os.symlink("result.h5", self.folder / "link.yaml.h5")
        self.assertEqual(self.run_program("raytrace", "run.yaml", "-q", "-o", "link.yaml.h5").returncode, 0)
        self.assertTrue((self.folder / "link.yaml.h5").is_symlink())
        self.assertTrue((self.folder / "result.h5").is_file())
        os.symlink("missing/result.h5", self.folder / "nowhere.h5")
        self.check_refused(self.run_program("raytrace", "run.yaml", "-q", "-o", "nowhere.h5"), "missing", "does not exist")

    def test_names_that_no_file_can_have(self):
        os.symlink("b.h5", self.folder / "a.h5")
        os.symlink("a.h5", self.folder / "b.h5")
        for name in ("a.h5", 253 * "n" + ".h5"):
            with self.subTest(name[:9]):
                self.check_refused(self.run_program("raytrace", "run.yaml", "-q", "-o", name), name, "no file can have this name")
        self.assertEqual(self.leftovers(), ["a.h5", "b.h5"])

    def test_file_that_crashes_the_hdf5_library(self):
        damaged = bytearray(SCENARIO.read_bytes())
        damaged[FATAL_BYTE] ^= 0x10
        (self.folder / "scenario.h5").write_bytes(damaged)
        for arguments in (("info", "scenario.h5"), ("raytrace", "run.yaml")):
            with self.subTest(arguments):
                done = self.run_program(*arguments)
                self.check_refused(done, "scenario.h5")
                # HDF5 1.14 does not crash and says what it cannot read.
                self.assertRegex(done.stderr, "damaged|facet_2: cannot be listed")
                self.assertEqual(self.leftovers(), [])

    def test_control_characters_do_not_reach_the_terminal(self):
        self.write_config(text=CONFIG.format(scenario="scenario.h5", rays="1000") + '"a\\nb\\e[31m": 5\n')
        self.check_refused(self.run_program("validate", "run.yaml"), "unknown key 'a\\nb\\x1b[31m'")

    def test_message_about_a_name_of_any_length(self):
        self.write_config(text=CONFIG.format(scenario="scenario.h5", rays="1000").replace("multi_focus_tower", 1_000_000 * "k"))
        done = self.run_program("validate", "run.yaml")
        self.check_refused(done, "run.yaml:3:15: aim.target", "the scenario has no target 'kkk", " ... ")
        self.assertLess(len(done.stderr), 20_000)

    # Problems

    def test_empty_values_are_no_absence(self):
        for arguments in (("raytrace", "run.yaml", "--ranks", ""), ("raytrace", "run.yaml", "--log-dir="), ("annual", "run.yaml", "--csv", ""),
                          ("raytrace", ""), ("bench", "--validate", "--only", "no such case", "--rays", "")):
            with self.subTest(arguments):
                self.check_refused(self.run_program(*arguments))
        self.check_refused(self.run_program("raytrace", "run.yaml", "--ranks", ""), "--ranks", "empty")
        self.assertEqual(self.leftovers(), [])

    def test_all_problems_of_all_kinds_at_once(self):
        good = CONFIG.format(scenario="scenario.h5", rays="1000")
        dark = good.replace("azimuth_deg: 180.0, elevation_deg: 45.0", "time: 2026-06-21T00:00:00Z")
        away = good.replace("azimuth_deg: 180.0, elevation_deg: 45.0", "azimuth_deg: 0, elevation_deg: 2")
        cases = {
            "values, names and outputs": (good.replace("reflectivity: 0.9", "reflectivity: 9").replace("multi_focus_tower", "nowhere")
                                          .replace("result.h5", "missing/result.h5"),
                                          ["run.yaml:4:24: optics.reflectivity", "run.yaml:3:15: aim.target", "missing/result.h5"]),
            "night, names and outputs": (dark.replace("multi_focus_tower", "nowhere").replace("result.h5", "missing/result.h5"),
                                         ["run.yaml:2:13: sun.time", "run.yaml:3:15: aim.target", "missing/result.h5"]),
            "drives and outputs": (away.replace("result.h5", "missing/result.h5"), ["AA31", "AA39", "missing/result.h5"]),
        }
        for name, (text, fragments) in cases.items():
            with self.subTest(name):
                self.write_config(text=text)
                traced = self.run_program("raytrace", "run.yaml")
                self.check_refused(traced, *fragments)
                self.assertEqual(self.run_program("validate", "run.yaml").stderr, traced.stderr)

    def test_scenario_and_configuration_are_both_examined(self):
        import h5py
        with h5py.File(self.folder / "scenario.h5", "r+") as file:
            del file["heliostats/AA39/position"]
        self.write_config(text=CONFIG.format(scenario="scenario.h5", rays="1000").replace("reflectivity: 0.9", "reflectivity: 9"))
        self.check_refused(self.run_program("validate", "run.yaml"), "optics.reflectivity", "heliostats/AA39/position")


if __name__ == "__main__":
    unittest.main()
