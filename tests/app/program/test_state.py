# SPDX-License-Identifier: MIT
"""States of single heliostats in raytrace, series, aim, annual and efficiency: powers that follow, ranks, refusals."""

import json
import unittest

import h5py
import numpy

from harness import ProgramTest
from plants import CYLINDER, CYLINDER_RUN

STATE = ("--set", "state={file: state.csv}")
TIMES = ("--set", 'sun={times: ["2026-06-21T10:00:00+00:00", "2026-06-21T12:00:00+00:00"], dni_w_m2: 900, shape: {type: pillbox, half_angle_mrad: 4.65}}')
GRID = ("--declinations", 3, "--hours", 5)


class State(ProgramTest):
    def setUp(self):
        super().setUp()
        self.generate(CYLINDER)
        self.config = self.write_config(text=CYLINDER_RUN)

    def write_state(self, text):
        (self.folder / "state.csv").write_text(text)

    def columns(self, name="result.h5", keys=("target_power",)):
        with h5py.File(self.folder / name) as file:
            heliostats = file["heliostats"]
            return [n.decode() for n in heliostats["name"][()]], {key: heliostats[key][()] for key in keys}

    def annual_json(self, *arguments, code=0):
        done = self.run_program("annual", self.config, *GRID, "--json", *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)

    def test_powers_follow_the_state_of_each_heliostat(self):
        plain = self.raytrace_json(self.config)
        names, clean = self.columns()
        with h5py.File(self.folder / "result.h5") as file:
            self.assertNotIn("reflectivity", file["heliostats"])
        self.write_state(f"name,reflectivity,soiling,available\nall,0.9,,\n{names[0]},,0.2,\n{names[1]},0.45,,\n{names[2]},,,false\n")
        self.raytrace_json(self.config, *STATE)
        left, dirty = self.columns(keys=("target_power", "reflectivity"))
        self.assertEqual(left, [name for name in names if name != names[2]])
        keep = numpy.array([name != names[2] for name in names])
        factor = numpy.ones(len(names))
        factor[:2] = 0.8, 0.5
        numpy.testing.assert_allclose(dirty["reflectivity"], 0.9 * factor[keep])
        # A heliostat that is out of order lies flat, so the others may lose less light to it.
        same = numpy.isclose(dirty["target_power"], (factor * clean["target_power"])[keep], rtol=1e-5)
        self.assertTrue(same[:2].all() and same.sum() >= len(names) - 8, same)
        self.write_state("name,reflectivity\n,0.9\n")
        self.assertEqual(self.raytrace_json(self.config, *STATE)["fingerprint"], plain["fingerprint"])
        self.assertEqual(self.raytrace_json(self.config, *STATE, "--ranks", 2, "--threads", 1)["fingerprint"], plain["fingerprint"])

    def test_steps_of_a_series_have_the_state_of_their_time(self):
        self.raytrace_json(self.config, *TIMES, "-o", "plain.h5")
        names, plain = self.columns("plain.h5")
        a, b = names[:2]
        self.write_state("name,time,soiling,available\n"
                         f"{a},,0.5,\n{a},2026-06-21T11:00:00+00:00,0.25,\n{b},2026-06-21T11:00:00+00:00,,false\n")
        one = self.raytrace_json(self.config, *TIMES, *STATE)
        same, dirty = self.columns()
        self.assertEqual(same, names)
        numpy.testing.assert_allclose(dirty["target_power"][:, 0], numpy.array([0.5, 0.75]) * plain["target_power"][:, 0], rtol=1e-5)
        self.assertEqual(dirty["target_power"][1, 1], 0)
        self.assertAlmostEqual(dirty["target_power"][0, 1] / plain["target_power"][0, 1], 1, delta=1e-12)
        two = self.raytrace_json(self.config, *TIMES, *STATE, "--ranks", 2, "-o", "two.h5")
        self.assertEqual(two["fingerprint"], one["fingerprint"])
        # Each step is the single run at its time.
        single = self.raytrace_json(self.config, *STATE, "-o", "single.h5")
        with h5py.File(self.folder / "result.h5") as file:
            self.assertEqual(file["series/fingerprint"][1].decode(), single["fingerprint"])

    def test_aim_chooses_points_for_the_mirrors_as_they_are(self):
        self.raytrace_json(self.config)
        names, _ = self.columns()
        self.write_state(f"name,soiling,available\nall,0.5,\n{names[4]},,false\n")
        for extra in ((), TIMES):
            done = self.run_program("aim", self.config, *STATE, *extra, "--set", "aiming={strategy: sigma}", "--json", "-o", "aims.csv", "--result", "aimed.h5")
            self.assertEqual(done.returncode, 0, done.stderr)
            aimed, values = self.columns("aimed.h5", ("reflectivity", "rays"))
            used = values["rays"] > 0
            numpy.testing.assert_allclose(values["reflectivity"][used], 0.45)
            self.assertFalse(any(used[..., i].any() for i, name in enumerate(aimed) if name == names[4]))

    def test_a_year_states_what_soiling_and_outages_cost(self):
        clean = self.annual_json("-o", "clean.h5")
        self.assertEqual((clean["energy"]["soiling_loss"], clean["energy"]["outage_loss"]), (0, 0))
        self.assertNotIn("state", clean)
        state = ("--set", "state={soiling: {rate_per_day: 0.003, washing: {every: monday}}, outages: {share: 0.05, seed: 4}}")
        year = self.annual_json(*state, "-o", "year.h5", "--csv", "year.csv")
        self.assertAlmostEqual(year["state"]["mean_soiling"], 0.009, delta=1e-4)
        self.assertAlmostEqual(year["state"]["outage_share"], 0.05, delta=0.02)
        self.assertAlmostEqual(year["energy"]["soiling_loss"] / clean["energy_j"], 0.009, delta=2e-4)
        self.assertAlmostEqual((year["energy_j"] + year["energy"]["soiling_loss"] + year["energy"]["outage_loss"]) / clean["energy_j"], 1, delta=1e-12)
        losses = sum(value for term, value in year["energy"].items() if term != "solar_power")
        self.assertAlmostEqual(losses / year["energy"]["solar_power"], 1, delta=1e-12)
        with h5py.File(self.folder / "year.h5") as file:
            self.assertEqual(file.attrs["soiling_loss_j"], year["energy"]["soiling_loss"])
            self.assertAlmostEqual(file["heliostats/outage_loss"][()].sum() / year["energy"]["outage_loss"], 1, delta=1e-12)
        self.assertTrue((self.folder / "year.csv").read_text().splitlines()[0].endswith("defocus_loss_j,soiling_loss_j,outage_loss_j"))
        ranks = self.annual_json(*state, "--ranks", 2, "-o", "ranks.h5")
        self.assertEqual({key: ranks[key] for key in ("energy_j", "std_error_j", "energy")}, {key: year[key] for key in ("energy_j", "std_error_j", "energy")})
        text = self.run_program("info", "year.h5").stdout
        for word in ("soiling loss", "outage loss"):
            self.assertIn(word, text)
        self.assertEqual(self.run_program("report", "year.h5", "-o", "year.html").returncode, 0)
        self.assertIn("Lost to soiling", (self.folder / "year.html").read_text())
        # A table without times holds all year.
        self.write_state("soiling\n0.5\n")
        half = self.annual_json("--set", "state={file: state.csv, soiling: {rate_per_day: 0.003, washing: {every: monday}}, outages: {share: 0.05, seed: 4}}",
                                "-o", "half.h5")
        self.assertAlmostEqual(half["energy_j"] / year["energy_j"], 0.5, delta=1e-6)

    def test_efficiency_has_one_state(self):
        angles = ("--azimuths", "90,180,270", "--elevations", "30,50,70", "--no-checks")
        for name, rows in (("plain.h5", "soiling\n0\n"), ("half.h5", "soiling\n0.5\n")):
            self.write_state(rows)
            done = self.run_program("efficiency", self.config, *angles, *STATE, "-o", name)
            self.assertEqual(done.returncode, 0, done.stderr)
        with h5py.File(self.folder / "plain.h5") as plain, h5py.File(self.folder / "half.h5") as half:
            numpy.testing.assert_allclose(half["efficiency"][()], 0.5 * plain["efficiency"][()], rtol=1e-5)

    def test_keys_of_years_are_named_where_they_do_nothing(self):
        done = self.run_program("raytrace", self.config, "--set", "state.soiling.rate_per_day=0.01")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_message("run_configurations", "days of a year without a year", done.stderr, "not used", "state.soiling")

    def test_mistakes_are_named(self):
        rows = "name,time,soiling\n,2026-06-21T11:00:00Z,0.1\n"
        for command, text, part in ((("annual", *GRID), rows, "the table of states has times"),
                                    (("efficiency", "--azimuths", "90,180,270", "--elevations", "30,50,70"), rows, "the table of states has times"),
                                    (("raytrace",), "name,soiling\nnobody,0.1\n", "state.csv:2: name: the scenario has no heliostat 'nobody'"),
                                    (("raytrace",), "name,target\n,nothing\n", "state.csv:2: target: the scenario has no target 'nothing'"),
                                    (("validate",), "name,soiling\nx,2\n", "state.csv:2: soiling: '2' is not a number"),
                                    (("validate",), "name,soiling\n,5%\n", "write a share of 1 without a sign: 0.05"),
                                    (("raytrace",), "name,available\n,0\n", "no heliostat is active (there is nothing to trace); activate one in"),
                                    (("raytrace",), rows.replace("11:00", "13:00"), "has no row at 2026-06-21T12:00:00+00:00 or before")):
            self.write_state(text)
            done = self.run_program(command[0], self.config, *command[1:], *STATE)
            self.assertEqual(done.returncode, 2, (command, text, done.stderr))
            self.assertIn(part, done.stderr)
            self.assertLessEqual(done.stderr.count("has no target"), 1)
        self.write_state("soiling\n0.1\n")
        done = self.run_program("raytrace", self.config, *STATE, "--set", "tracing.model=artist")
        self.assertIn("a state of each heliostat is not available in model artist", done.stderr)


if __name__ == "__main__":
    unittest.main()
