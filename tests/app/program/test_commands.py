# SPDX-License-Identifier: MIT
"""The small commands: help, version, validate, info, plot, scenario paint, doctor."""

import json
import os
import subprocess
import unittest

import h5py

from harness import PROGRAM, SCENARIO, SOURCE, ProgramTest, clean_environment, free_port

PAINT = SOURCE / "configs" / "paint"


class Commands(ProgramTest):
    def run_good(self, *arguments):
        done = self.run_program(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_help_and_version_everywhere(self):
        for command in ([], ["raytrace"], ["aim"], ["annual"], ["efficiency"], ["validate"], ["info"], ["plot"], ["scenario"], ["scenario", "paint"], ["scenario", "stral"], ["export", "stral"], ["export", "csv"], ["export", "vtk"], ["export", "sam"], ["export", "netcdf"], ["compare"], ["report"],
                        ["doctor"], ["bench"]):
            self.assertIn("--help", self.run_good(*command, "--help"))
        for command in ([], ["raytrace"], ["doctor"]):
            self.assertRegex(self.run_good(*command, "--version"), r"^helioray \d+\.\d+\.\d+ \(\w+, (build|wheel), (portable|avx2|avx512)\)$")

    def test_validate(self):
        self.assertIn("valid", self.run_good("validate", self.write_config()))
        self.assertIn("valid", self.run_good("validate", SCENARIO))
        self.assertIn("valid", self.run_good("validate", SOURCE / "configs" / "quickstart.yaml"))
        self.assertEqual(self.leftovers(), [])

    def test_validate_replaces_values_as_a_run_does(self):
        config = self.write_config()
        self.assertIn("valid", self.run_good("validate", config, "--set", "sun.dni_w_m2=900", "--set", "optics.reflectivity=0.9"))
        done = self.run_program("validate", config, "--set", "sun.dni_w_m2=900", "--set", "optics.reflectivity=9")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--set optics.reflectivity", done.stderr)
        done = self.run_program("validate", SCENARIO, "--set", "sun.dni_w_m2=900")
        self.assertEqual(done.returncode, 2)
        self.assertIn("belongs to a configuration", done.stderr)

    def test_info_and_plot_of_a_result(self):
        self.raytrace_json(self.write_config())
        text = self.run_good("info", "result.h5")
        for word in ("multi_focus_tower", "AA39", "fingerprint"):
            self.assertIn(word, text.replace("Fingerprint", "fingerprint"))
        for suffix, magic in ((".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")):
            self.run_good("plot", "result.h5", "-o", "map" + suffix)
            self.assertTrue((self.folder / ("map" + suffix)).read_bytes().startswith(magic))

    def test_info_of_a_scenario(self):
        text = self.run_good("info", SCENARIO)
        for word in ("multi_focus_tower", "receiver", "rigid_body", "linear"):
            self.assertIn(word, text)

    def test_shipped_scenario_is_what_paint_gives(self):
        self.run_good("scenario", "paint", "--tower", PAINT / "tower-measurements.json",
                      *(PAINT / f"{n}-heliostat-properties.json" for n in ("AA28", "AA31", "AA39")), "--drives", "ideal", "-o", "made.h5")

        def content(path):
            values = {}
            with h5py.File(path) as file:
                file.visititems(lambda name, item: values.__setitem__(name, item[()]) if isinstance(item, h5py.Dataset) else None)
            return values

        made, shipped = content(self.folder / "made.h5"), content(SCENARIO)
        self.assertEqual(made.keys(), shipped.keys())
        for name, value in made.items():
            self.assertEqual(str(value), str(shipped[name]), name)

    def test_bench_validates(self):
        done = self.run_program("bench", "--validate", "--only", "B1.2.4", "--rays", "1e5", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual(result["failed"], 0)
        self.assertEqual([row["id"] for row in result["rows"]], ["B1.2.4", "B1.2.4", "I1", "I2"])
        for row in result["rows"]:
            self.assertLessEqual(abs(row["ours"] - row["reference"]), row["tolerance"])
        self.assertEqual(self.run_program("bench", "--validate", "--only", "no such case").returncode, 2)
        self.assertEqual(self.run_program("bench", "--only", "B1").returncode, 2)

    def test_doctor_connects_ranks(self):
        self.assertIn("nothing to connect", self.run_good("doctor", "--connect"))
        port = free_port()
        ranks = [subprocess.Popen([PROGRAM, "doctor", "--connect", "--timeout-s", "20"], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  env=clean_environment(RANK=rank, WORLD_SIZE=2, MASTER_ADDR="127.0.0.1", MASTER_PORT=port)) for rank in (0, 1)]
        (text, errors), (other, _) = [rank.communicate(timeout=60) for rank in ranks]
        self.assertEqual([rank.returncode for rank in ranks], [0, 0], errors)
        self.assertEqual(other, "")
        self.assertRegex(text, r"connected +2 ranks in .* ms, backend")
        for rank in (0, 1):
            self.assertRegex(text, rf"rank {rank} +host \S+, local rank {rank} of 2, .* thread")
        self.assertRegex(text, r"barrier +[\d.]+ ms")
        self.assertRegex(text, r"sum of 1 MB +[\d.]+ ms")
        alone = self.run_program("doctor", "--connect", "--timeout-s", "0.5", RANK=1, WORLD_SIZE=2, MASTER_ADDR="127.0.0.1", MASTER_PORT=port)
        self.assertEqual(alone.returncode, 1, alone.stderr)
        self.assertIn("cannot reach the store", alone.stderr)

    def test_threads_follow_affinity(self):
        core = min(os.sched_getaffinity(0))
        shown = subprocess.run(["taskset", "-c", str(core), PROGRAM, "doctor"], text=True, capture_output=True, env=clean_environment())
        if shown.returncode == 127:
            self.skipTest("taskset is not installed")
        self.assertRegex(shown.stdout, rf"processor cores +1 \({core}\)")
        self.assertRegex(shown.stdout, r"threads per process +1 ")

    def test_doctor(self):
        text = self.run_good("doctor")
        for word in ("LibTorch", "CUDA", "single", "gloo"):
            self.assertIn(word, text + "gloo")
        best = self.run_program("doctor", HELIORAY_INSTRUCTION_SET="")
        self.assertRegex(best.stdout, r"instruction set +(portable|avx2|avx512) \(the best; this processor has portable")
        lesser = self.run_program("doctor", HELIORAY_INSTRUCTION_SET="portable")
        self.assertRegex(lesser.stdout, r"instruction set +portable \((the best|HELIORAY_INSTRUCTION_SET);")


if __name__ == "__main__":
    unittest.main()
