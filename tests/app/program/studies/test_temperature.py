# SPDX-License-Identifier: MIT
"""Mirrors whose shape changes with the temperature of the air: runs, series, sweeps, years, and refusals."""

import csv
import json
import unittest

import h5py
import numpy as np

from harness import ProgramTest

PLANT = """\
site: {latitude_deg: 37, longitude_deg: 0}
tower: {optical_height_m: 40}
receiver: {type: plane, width_m: 3, height_m: 3, tilt_deg: 20}
heliostat: {width_m: 4, height_m: 4, pivot_height_m: 3, %s}
layout: {type: radial_stagger, heliostats: 4, min_radius_m: 60, max_radius_m: 120, azimuth_from_deg: -30, azimuth_to_deg: 30}
"""
WARM = "by_temperature: [{temperature_c: 0}, {temperature_c: 40, focal_length_m: 25, tilt_mrad: 3}]"
RUN = """\
scenario: plant.h5
sun: {azimuth_deg: 170, elevation_deg: 45, temperature_c: 25, dni_w_m2: 900, shape: {type: pillbox, half_angle_mrad: 4.65}}
aim: {target: receiver}
tracing: {rays_per_heliostat: 2e4}
output: {file: result.h5}
"""
SUNS = [(120, 20, 800, -5), (170, 45, 900, 25), (200, 40, 850, 50)]


class Temperature(ProgramTest):
    def setUp(self):
        super().setUp()
        self.plant(WARM)
        self.write_config(text=RUN)

    def plant(self, heliostat):
        (self.folder / "plant.yaml").write_text(PLANT % heliostat)
        self.good("scenario", "generate", "plant.yaml", "-o", "plant.h5")

    def run_at(self, temperature, *arguments):
        return self.raytrace_json("run.yaml", "--set", f"sun.temperature_c={temperature}", *arguments)

    def test_single_runs(self):
        self.assertIn("bent by temperature (0 to 40 °C)", self.good("info", "plant.h5"))
        cold, mild, warm, hot = (self.run_at(t) for t in (-20, 0, 40, 60))
        # Beyond the rows the shape stays, and hot mirrors miss the receiver.
        self.assertEqual((cold["fingerprint"], warm["fingerprint"]), (mild["fingerprint"], hot["fingerprint"]))
        self.assertLess(warm["energy"]["target_power"], 0.9 * cold["energy"]["target_power"])
        with h5py.File(self.folder / "result.h5") as file:
            self.assertEqual(file.attrs["temperature_c"], 60)
        # Equal rows are a rigid mirror.
        self.plant("by_temperature: [{temperature_c: 0}, {temperature_c: 40}]")
        bent = self.run_at(17)["fingerprint"]
        self.plant("mirror_offset_m: 0")
        self.assertEqual(bent, self.raytrace_json("run.yaml", "--set", "sun.temperature_c=null")["fingerprint"])
        with h5py.File(self.folder / "result.h5") as file:
            self.assertNotIn("temperature_c", file.attrs)

    def test_a_series_with_a_column_equals_single_runs(self):
        single = [self.raytrace_json("run.yaml", "--set", f"sun.azimuth_deg={a}", "--set", f"sun.elevation_deg={e}", "--set", f"sun.dni_w_m2={d}", "--set",
                                     f"sun.temperature_c={t}")["fingerprint"] for a, e, d, t in SUNS]
        (self.folder / "suns.csv").write_text("azimuth_deg,elevation_deg,dni_w_m2,temperature_c\n" + "".join(f"{a},{e},{d},{t}\n" for a, e, d, t in SUNS))
        text = RUN.replace("azimuth_deg: 170, elevation_deg: 45, temperature_c: 25, dni_w_m2: 900", "file: suns.csv")
        self.write_config(text=text, name="series.yaml")
        for more in ((), ("--ranks", 2), ("--threads", 3)):
            self.raytrace_json("series.yaml", "-o", "series.h5", *more)
            with h5py.File(self.folder / "series.h5") as file:
                self.assertEqual(file["series/fingerprint"].asstr()[()].tolist(), single)
                self.assertEqual(file["series/temperature_c"][()].tolist(), [t for *_, t in SUNS])
        self.good("export", "csv", "series.h5", "-o", "tables")
        with open(self.folder / "tables" / "steps.csv") as table:
            self.assertEqual([float(row["temperature_c"]) for row in csv.DictReader(table)], [t for *_, t in SUNS])
        self.assertIn("-5.0 °C", self.good("info", "series.h5"))
        # The positions of a list may fall back on the common temperature.
        entries = ", ".join(f"{{azimuth_deg: {a}, elevation_deg: {e}, dni_w_m2: {d}, temperature_c: {t}}}" for a, e, d, t in SUNS).replace(", temperature_c: 25", "")
        self.write_config(text=RUN.replace("azimuth_deg: 170, elevation_deg: 45, ", f"positions: [{entries}], "), name="list.yaml")
        printed = self.raytrace_json("list.yaml", "-o", "list.h5")
        with h5py.File(self.folder / "list.h5") as file:
            self.assertEqual(file["series/fingerprint"].asstr()[()].tolist(), single)
        self.assertEqual(printed["series"]["temperature_c"], [t for *_, t in SUNS])
        # A step without a temperature is found before anything is traced.
        (self.folder / "suns.csv").write_text("azimuth_deg,elevation_deg,temperature_c\n120,20,5\n170,45,\n170,-5,\n")
        message = self.refused("validate", "series.yaml")
        self.assertIn("is missing, at first for the sun at azimuth 170.00", message)
        self.assertIn("sun.temperature_c", message)

    def test_a_sweep_moves_the_temperature(self):
        self.good("sweep", "run.yaml", "--vary", "sun.temperature_c=-5,25,50", "-o", "sweep.csv")
        with open(self.folder / "sweep.csv") as table:
            rows = list(csv.DictReader(table))
        self.assertEqual([row["fingerprint"] for row in rows], [self.run_at(t)["fingerprint"] for t in (-5, 25, 50)])

    def annual(self, *arguments):
        return json.loads(self.good("annual", "run.yaml", "--declinations", "3", "--hours", "5", "--json", *arguments))

    def test_a_year_has_the_temperatures_of_its_weather(self):
        hours = [f"2026-06-{day:02}T{hour:02}:00Z" for day in (20, 21) for hour in range(6, 19)]

        def weather(temperature):
            text = "time,dni_w_m2,temperature_c\n" + "".join(f"{hour},700,{temperature(i)}\n" for i, hour in enumerate(hours))
            (self.folder / "weather.csv").write_text(text)
            return self.annual("--weather", "weather.csv")

        def sky():
            with h5py.File(self.folder / "annual.h5") as file:
                return {name: file["sky"][name][()] for name in ("temperature_c", "weight", "efficiency")}

        # A constant temperature is that of the configuration, whichever of the two gives it.
        constant = weather(lambda _: 30)
        np.testing.assert_allclose(sky()["temperature_c"], 30, rtol=1e-12)
        configured = weather(lambda _: "")
        self.assertEqual(sky()["temperature_c"].min(), 25)
        self.assertNotEqual(constant["energy_j"], configured["energy_j"])
        self.assertAlmostEqual(constant["energy_j"] / self.annual("--weather", "weather.csv", "--set", "sun.temperature_c=30")["energy_j"], 1, delta=1e-9)
        # Mean of the hours that each position represents, in hours that become warmer.
        weather(lambda i: 2 * (i % 13))
        found = sky()
        self.assertTrue((found["temperature_c"].min() >= 0) and (found["temperature_c"].max() <= 24))
        mean = (found["temperature_c"] * found["weight"]).sum() / found["weight"].sum()
        # All hours have the same irradiance, and the sun is above the lowest elevation of the field in most of them.
        self.assertAlmostEqual(mean, 12, delta=1.0)
        morning, evening = found["temperature_c"][0, -1], found["temperature_c"][0, 0]
        self.assertLess(morning, evening)

    def test_refusals(self):
        without = ("--set", "sun.temperature_c=null")
        for command in (("validate", "run.yaml"), ("raytrace", "run.yaml"), ("annual", "run.yaml"),
                        ("efficiency", "run.yaml", "--azimuths", "90:270:5", "--elevations", "20,40,60")):
            message = self.refused(*command, *without)
            self.assertIn("sun.temperature_c", message, command)
            self.assertIn("changes its shape with the temperature", message)
        self.assertIn("it is a temperature of the air in degrees Celsius", self.refused("validate", "run.yaml", "--set", "sun.temperature_c=293.15"))
        (self.folder / "plant.yaml").write_text(PLANT % (WARM + ", by_elevation: [{elevation_deg: 0}, {elevation_deg: 90}]"))
        self.assertIn("is given beside by_elevation", self.refused("scenario", "generate", "plant.yaml", "-o", "other.h5"))
        # A file with both tables.
        with h5py.File(self.folder / "plant.h5", "r+") as file:
            found = []
            file.visit(lambda name: found.append(name) if name.endswith("by_temperature") else None)
            if found:
                file.copy(found[0], found[0].replace("by_temperature", "by_elevation"))
                for row in file[found[0].replace("by_temperature", "by_elevation")].values():
                    row["elevation"] = row["temperature"][()] / 100
                    del row["temperature"]
        self.assertTrue(found)
        self.assertIn("is given beside by_elevation", self.refused("validate", "run.yaml"))


if __name__ == "__main__":
    unittest.main()
