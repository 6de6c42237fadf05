# SPDX-License-Identifier: MIT
"""Several targets that share a field: printed and stored shares, ranks, series, refusals."""

import csv
import json
import unittest

import h5py

from harness import ProgramTest

PLANT = """\
site: {latitude_deg: 37, longitude_deg: -6, altitude_m: 20}
tower: {optical_height_m: 40, height_m: 35, radius_m: 2}
receiver: {type: plane, width_m: 6, height_m: 6, azimuth_deg: 90}
heliostat: {width_m: 5, height_m: 4, facet_shape: sphere, pivot_height_m: 3, slant_step_m: 1}
layout: {type: radial_stagger, heliostats: 60, min_radius_m: 30}
"""
CONFIG = """\
scenario: plant.h5
sun: {azimuth_deg: 180, elevation_deg: 55, dni_w_m2: 900, shape: {type: pillbox, half_angle_mrad: 4.65}}
aim: {target: receiver}
aiming: {strategy: center, target_shares: {receiver: 0.5, west: 0.3, north: 0.2}}
optics: {reflectivity: 0.9, slope_error_mrad: 2}
tracing: {rays_per_heliostat: 4e3, seed: 3}
bitmap: {width: 24, height: 24}
device: cpu
"""
WANTED = {"receiver": 0.5, "west": 0.3, "north": 0.2}
MORNING = ("--set", 'sun={dni_w_m2: 900, times: {start: "2026-06-21T13:30:00+02:00", end: "2026-06-21T14:30:00+02:00", step_minutes: 30}}')


class AimShares(ProgramTest):
    def setUp(self):
        super().setUp()
        self.generate(PLANT)
        with h5py.File(self.folder / "plant.h5", "a") as file:
            planes = file["target_areas_planar"]
            self.assertGreater(planes["receiver/normal_vector"][0], 0.9)
            for name, normal in (("west", (-1, 0, 0, 0)), ("north", (0, 1, 0, 0))):
                file.copy(planes["receiver"], planes, name)
                planes[name]["normal_vector"][...] = normal
        self.config = self.write_config(text=CONFIG)

    def aim(self, *arguments, code=0):
        done = self.run_program("aim", self.config, "--json", *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout), done.stderr

    def rows(self):
        with open(self.folder / "aims.csv") as table:
            return list(csv.DictReader(table))

    def test_shares_are_met_printed_and_stored(self):
        printed, _ = self.aim("--result", "flux.h5", "--report", "aims.html", "--image", "aims.png")
        self.assertEqual((printed["shares_met"], printed["violation"]), (True, None))
        self.assertEqual({name: share["wanted"] for name, share in printed["target_shares"].items()}, WANTED)
        with h5py.File(self.folder / "flux.h5") as file:
            one_heliostat = file["heliostats/target_power"][()].max() / printed["power_w"]
        self.assertLess(one_heliostat, 0.025)
        for name, share in printed["target_shares"].items():
            self.assertAlmostEqual(share["reached"], printed["targets"][name]["power_w"] / printed["power_w"], places=9)
            self.assertAlmostEqual(share["reached"], WANTED[name], delta=one_heliostat)
        with h5py.File(self.folder / "flux.h5") as file:
            self.assertEqual(file["aiming"].attrs["shares_met"], 1)
            for name, share in printed["target_shares"].items():
                self.assertEqual(dict(file["aiming/shares"][name].attrs), share)
        self.assertIn("Share of north", (self.folder / "aims.html").read_text())
        # The table has the targets, and the same run again without the key.
        again = self.raytrace_json(self.config, "--set", "aim={file: aims.csv}")
        self.assertEqual(again["fingerprint"], printed["fingerprint"])
        done = self.run_program("aim", self.config)
        self.assertRegex(done.stdout, r"shares +north [\d.]+ % of 20 %, receiver [\d.]+ % of 50 %, west [\d.]+ % of 30 %")

    def test_same_on_ranks_and_threads(self):
        limit = ("--strategy", "optimize", "--flux-limit-kw-m2", 30)
        found = [self.aim(*limit, *more)[0] for more in (("--threads", 1), ("--threads", 2), ("--ranks", 2))]
        self.assertEqual(len({one["fingerprint"] for one in found}), 1)
        self.assertEqual(found[0]["target_shares"], found[2]["target_shares"])
        self.assertTrue(found[0]["shares_met"])
        self.assertTrue(found[0]["limits_kept"])
        self.assertIsNotNone(found[0]["power_bound_w"])

    def test_a_share_that_cannot_be_met(self):
        # Half of the field stands behind the northern receiver.
        printed, said = self.aim("--set", "aiming.target_shares={north: 0.9, west: 0.1}", "--report", "aims.html", code=1)
        self.assertEqual((printed["shares_met"], printed["limits_kept"]), (False, True))
        reached = printed["target_shares"]["north"]["reached"]
        self.assertIn(f"target 'north' gets {100 * reached:.1f} %", said)
        self.assertEqual(printed["violation"].count("target"), 1)
        self.assertEqual(len(self.rows()), 60)
        self.assertIn("Shares are not met", (self.folder / "aims.html").read_text())

    def test_series_keeps_the_targets(self):
        printed, _ = self.aim(*MORNING, "--result", "day.h5")
        self.assertEqual(printed["num_steps"], 3)
        for name, share in printed["target_shares"].items():
            self.assertEqual((share["wanted"], len(share["reached"])), (WANTED[name], 3))
            for reached in share["reached"]:
                self.assertAlmostEqual(reached, WANTED[name], delta=0.05)
        targets = {}
        for row in self.rows():
            targets.setdefault(row["name"], set()).add(row["target"])
        self.assertEqual({len(one) for one in targets.values()}, {1})
        self.assertEqual(set.union(*targets.values()), set(WANTED))
        traced = self.raytrace_json(self.config, *MORNING, "--set", "aim.file=aims.csv", "-o", "again.h5")
        self.assertEqual(traced["fingerprint"], printed["series_fingerprint"])
        with h5py.File(self.folder / "day.h5") as day:
            stored = dict(zip(day["heliostats/name"].asstr()[()], day["heliostats/target"].asstr()[()]))
        self.assertEqual(stored, {name: one.pop() for name, one in targets.items()})
        # The steps of a series and one of them alone agree.
        first, _ = self.aim("--set", f"sun={{dni_w_m2: 900, time: '{printed['time'][0]}'}}")
        self.assertEqual(first["fingerprint"], printed["fingerprint"][0])
        self.assertIn("west", self.run_program("aim", self.config, *MORNING).stdout.splitlines()[0])

    def test_heliostats_that_are_not_available(self):
        names = [row["name"] for row in self.rows_of_first()]
        printed, _ = self.aim("--set", f"aim.active=[{', '.join(names[::2])}]")
        self.assertTrue(printed["shares_met"])
        self.assertEqual(sum(row["active"] == "true" for row in self.rows()), 30)

    def rows_of_first(self):
        self.aim()
        return self.rows()

    def test_bad_input(self):
        for shares, words in (("{west: 0.5, eats: 0.5}", ("aiming.target_shares.eats", "no target 'eats'")),
                              ("{west: 1.0}", ("aiming.target_shares",)),
                              ("{west: 0.5}", ("aiming.target_shares", "two or more")),
                              ("{west: 0.5, north: 0.4}", ("aiming.target_shares", "add up to 0.9")),
                              ("{west: 1.5, north: -0.5}", ("aiming.target_shares.west", "aiming.target_shares.north"))):
            for command in (("aim", self.config), ("validate", self.config)):
                if command[0] == "validate":
                    command = ("validate", self.write_config(name="bad.yaml", text=CONFIG.replace("{receiver: 0.5, west: 0.3, north: 0.2}", shares)))
                    done = self.run_program(*command)
                else:
                    done = self.run_program(*command, "--set", f"aiming.target_shares={shares}")
                self.assertEqual(done.returncode, 2, done.stderr)
                for word in words:
                    self.assertIn(word, done.stderr)
        self.assertFalse((self.folder / "aims.csv").exists())
        year = ("annual", self.config, "--declinations", 3, "--hours", 5)
        done = self.run_program(*year, "--set", "aiming.strategy=equator")
        self.assertEqual(done.returncode, 2)
        for word in ("aiming.target_shares", "aim.file"):
            self.assertIn(word, done.stderr)


if __name__ == "__main__":
    unittest.main()
