# SPDX-License-Identifier: MIT
"""The annual command: energies that add up, files, weather, continuing, refusals."""

import csv
import json
import os
import signal
import subprocess
import time
import unittest

import h5py
import numpy

from harness import ARTIST, PROGRAM, ProgramTest, clean_environment

LOSSES = ("cosine_loss", "shading_loss", "reflection_loss", "blocking_loss", "attenuation_loss", "spillage_loss")
SMALL = ("--declinations", 3, "--hours", 5)


class Annual(ProgramTest):
    def setUp(self):
        super().setUp()
        self.config = self.write_config("2e4")

    def annual_json(self, *arguments):
        done = self.run_program("annual", self.config, "--json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_energies_add_up(self):
        printed = self.annual_json("--csv", "year.csv")
        self.assertEqual(self.leftovers(), ["annual.h5"])
        self.assertEqual(printed["num_positions"], 9 * 13)
        energy = printed["energy"]
        self.assertAlmostEqual(sum(energy[term] for term in LOSSES) + energy["target_power"], energy["solar_power"], delta=1e-9 * energy["solar_power"])
        self.assertAlmostEqual(sum(printed["monthly_energy_j"]), printed["energy_j"], delta=1e-9 * printed["energy_j"])
        self.assertAlmostEqual(sum(h["energy_j"] for h in printed["heliostats"].values()), printed["energy_j"], delta=1e-9 * printed["energy_j"])
        # About 2 MWh/m2 of a sky that is never cloudy, most of it above 10 degrees.
        self.assertTrue(5e9 < printed["usable_insolation_j_m2"] < printed["insolation_j_m2"] < 13e9)
        self.assertTrue(0.6 < printed["efficiency"] < 0.9)
        self.assertLess(printed["quadrature_error_j"], 0.01 * printed["energy_j"])
        self.assertLess(printed["std_error_j"], 0.01 * printed["energy_j"])
        with h5py.File(self.folder / "annual.h5") as file:
            self.assertEqual(file.attrs["format"], "helioray-annual")
            self.assertEqual(file.attrs["energy_j"], printed["energy_j"])
            weight, efficiency = file["sky/weight"][()], file["sky/efficiency"][()]
            self.assertEqual((weight.shape, efficiency.shape), ((9, 13), (9, 13, 3)))
            self.assertAlmostEqual(weight.sum(), printed["usable_insolation_j_m2"], delta=1e-9 * weight.sum())
            area = file["heliostats/solar_energy"][()] / weight.sum()
            numpy.testing.assert_allclose(numpy.einsum("ij,ijn,n->n", weight, efficiency, area), file["heliostats/target_energy"][()], rtol=1e-9)
            numpy.testing.assert_allclose(file["heliostats/monthly_target_energy"][()].sum(1), file["heliostats/target_energy"][()], rtol=1e-9)

            def check(name, item):
                if isinstance(item, h5py.Dataset):
                    self.assertTrue({"unit", "description"} <= set(item.attrs), name)
            file.visititems(check)
            with open(self.folder / "year.csv") as table:
                rows = list(csv.DictReader(table))
            self.assertEqual([row["name"] for row in rows], [name.decode() for name in file["heliostats/name"]])
            numpy.testing.assert_array_equal([float(row["target_energy_j"]) for row in rows], file["heliostats/target_energy"][()])

    def test_a_day_of_weather_is_the_sum_of_its_hours(self):
        # Interpolated between the year's sun positions against traced hour by hour.
        hours = [f"2026-05-10T{hour:02}:{minute:02}:00+00:00" for hour in range(6, 11) for minute in (0, 10, 20, 30, 40, 50)]
        (self.folder / "dni.csv").write_text("time,dni_w_m2\n" + "".join(f"{t},{500 + i}\n" for i, t in enumerate(hours)))
        printed = self.annual_json("--weather", "dni.csv")
        self.assertIn("not a year", " ".join(printed["notes"]))
        middles = [t.replace("0:00+00:00", "5:00+00:00") for t in hours]
        (self.folder / "suns.csv").write_text("time,dni_w_m2\n" + "".join(f"{t},{500 + i}\n" for i, t in enumerate(middles)))
        self.config.write_text(self.config.read_text().replace("azimuth_deg: 180.0, elevation_deg: 45.0", "file: suns.csv").replace(", dni_w_m2: 1000", ""))
        traced = self.raytrace_json(self.config)
        for term in ("target_power", "cosine_loss", "reflection_loss"):
            self.assertAlmostEqual(printed["energy"][term] / (600 * sum(traced["energy"][term])), 1, delta=2e-3, msg=term)

    def shards(self, count, *which, base=("annual",), more=()):
        """Runs shards; returns the last one's process."""
        for index in which or range(1, count + 1):
            done = self.run_program(*base, self.config, *more, "--shard", f"{index}/{count}")
            self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def contents(self, name):
        """Everything of a file but the time it was made and how long that took."""
        found = {}
        with h5py.File(self.folder / name) as file:
            def add(path, item):
                for key, value in item.attrs.items():
                    # References of axes and scales to each other have other bytes in every process.
                    if key in ("DIMENSION_LIST", "REFERENCE_LIST"):
                        continue
                    found[path, key] = numpy.asarray(value).tobytes() if not isinstance(value, str) else value
                if isinstance(item, h5py.Dataset):
                    found[path] = (item.dtype, item.shape, item[()].tobytes() if item.dtype.kind != "O" else item[()].tolist())
            add("/", file)
            file.visititems(add)
        for name in (("/", "created"), ("/", "config"), "series/trace_seconds"):
            found.pop(name, None)
        return found

    def test_shards_join_to_the_same_year(self):
        self.annual_json(*SMALL, "-o", "whole.h5")
        last = self.shards(4, 2, 1, 4, 3, more=SMALL)
        self.assertIn("shard 3/4 is done; of all 15 steps, 15 are done", last.stdout)
        self.assertEqual(self.leftovers(), ["annual.h5.parts", "whole.h5"])
        joined = self.annual_json(*SMALL, "--join")
        self.assertEqual(self.contents("annual.h5"), self.contents("whole.h5"))
        self.assertEqual(self.leftovers(), ["annual.h5", "whole.h5"])
        self.assertGreater(joined["energy_j"], 0)

    def test_shards_of_a_series(self):
        self.config.write_text(self.config.read_text().replace("azimuth_deg: 180.0, elevation_deg: 45.0", "positions: [" + ", ".join(
            f"{{azimuth_deg: {a}, elevation_deg: 40}}" for a in range(150, 220, 10)) + "]"))
        self.raytrace_json(self.config, "-o", "whole.h5")
        self.shards(3, base=("raytrace",))
        self.raytrace_json(self.config)
        self.assertEqual(self.contents("result.h5"), self.contents("whole.h5"))

    def test_shards_that_do_not_fit(self):
        self.shards(4, 1, 2, 4, more=SMALL)
        again = json.loads(self.run_program("annual", self.config, *SMALL, "--shard", "4/4", "--json").stdout)
        self.assertEqual((again["shard"], again["shards"], again["num_steps"], again["steps_done"]), (4, 4, 15, 11))
        for words, arguments in ((("4 of 15 steps are missing: 2, 6, 10, 14", "--join"), (*SMALL, "--join")),
                                 (("the sun's positions", "--restart"), (*SMALL, "--shard", "3/4", "--min-elevation", 15)),
                                 (("the configuration", "--restart"), (*SMALL, "--shard", "3/4", "--seed", 7)),
                                 (("the configuration", "--restart"), (*SMALL, "--join", "--seed", 7)),
                                 (("'5/4' is not a shard",), ("--shard", "5/4")), (("'0/4' is not a shard",), ("--shard", "0/4")),
                                 (("'4' is not a shard",), ("--shard", "4")), (("--restart",), ("--shard", "3/4", "--restart"))):
            done = self.run_program("annual", self.config, *arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            for word in words:
                self.assertIn(word, done.stderr)
        self.assertEqual(self.leftovers(), ["annual.h5.parts"])
        single = self.run_program("raytrace", self.config, "--shard", "1/2")
        self.assertEqual(single.returncode, 2, single.stderr)
        self.assertIn("not a series", single.stderr)
        # Without --join, what is missing is traced.
        self.annual_json(*SMALL)
        self.assertEqual(self.leftovers(), ["annual.h5"])

    def test_shards_side_by_side(self):
        self.config = self.write_config("2e6")
        runs = [subprocess.Popen([PROGRAM, "annual", str(self.config), *map(str, SMALL), "--threads", "1", "--shard", shard], cwd=self.folder,
                                 env=clean_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for shard in ("1/2", "2/2")]
        # Each of them has begun: it has every other step.
        while len({int(file.stem[5:]) % 2 for file in self.folder.glob("annual.h5.parts/step_*.h5")}) < 2:
            self.assertEqual([run.poll() for run in runs], [None, None])
            time.sleep(0.002)
        for run in runs:
            run.send_signal(signal.SIGSTOP)
        # The same shard twice, and joining too early.
        for arguments in (("--shard", "1/2"), ("--join",)):
            done = self.run_program("annual", self.config, *SMALL, *arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("another process", done.stderr)
        for run in runs:
            run.send_signal(signal.SIGCONT)
        for run in runs:
            _, errors = run.communicate(timeout=120)
            self.assertEqual(run.returncode, 0, errors)
        self.annual_json(*SMALL, "--join")

    def test_continues_after_sigkill_and_under_two_ranks(self):
        self.config = self.write_config("1e5")
        whole = self.annual_json(*SMALL, "-o", "whole.h5")
        run = subprocess.Popen([PROGRAM, "annual", str(self.config), *map(str, SMALL)], cwd=self.folder, env=clean_environment(),
                               start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while len(list(self.folder.glob("annual.h5.parts/step_*.h5"))) < 3:
                self.assertIsNone(run.poll())
                time.sleep(0.002)
        finally:
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()
        done = self.run_program("annual", self.config, *SMALL, "--ranks", 2)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("continues: ", done.stderr)
        self.assertIn(whole["fingerprint"], done.stdout)
        self.assertFalse((self.folder / "annual.h5.parts").exists())

    def test_bad_input(self):
        (self.folder / "bad.csv").write_text("time,dni_w_m2\n2026-05-10T06:00:00Z,7\n2026-05-10T05:00:00Z,x\n")
        for arguments, words in ((("--declinations", 4), ("4", "odd")), (("--min-elevation", 65), ("65.0", "on any day")),
                                 (("--weather", "bad.csv"), ("bad.csv:3",)), (("--weather", "none.csv"), ("none.csv",)),
                                 (("--dni", "fog"), ("fog",)), (("--weather-time", "end"), ("--weather",)),
                                 (ARTIST, ("tracing.model",)), (("--csv", "nowhere/x.csv"), ("nowhere",))):
            done = self.run_program("annual", self.config, *arguments)
            self.assertEqual(done.returncode, 2, (arguments, done.stderr))
            for word in words:
                self.assertIn(word, done.stderr)
        self.assertEqual(self.leftovers(), [])

    def test_table(self):
        done = self.run_program("annual", self.config, *SMALL, "--dni", "meinel", "--year", 2025)
        self.assertEqual(done.returncode, 0, done.stderr)
        for word in ("multi_focus_tower", "cosine loss", "Jun", "Meinel", "2025", "not modelled", "annual.h5"):
            self.assertIn(word, done.stdout)
        info = self.run_program("info", "annual.h5")
        self.assertEqual(info.returncode, 0, info.stderr)
        table = done.stdout.split("  result ")[0]
        self.assertIn(table, info.stdout)
        self.assertIn("AA39", info.stdout)

    def test_configuration_without_a_position_of_the_sun(self):
        given = self.annual_json(*SMALL, "-o", "given.h5")
        text = self.config.read_text()
        self.config.write_text(text.replace("azimuth_deg: 180.0, elevation_deg: 45.0, dni_w_m2: 1000, ", "").replace("output: {file: result.h5}\n", ""))
        done = self.run_program("annual", self.config, *SMALL, "-o", "none.h5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(given["fingerprint"], done.stdout)
        self.assertRegex(done.stderr, "not used, .*: bitmap\n")
        valid = self.run_program("validate", self.config)
        self.assertEqual(valid.returncode, 0, valid.stderr)
        self.assertIn("valid configuration for 'helioray annual'", valid.stdout)
        run = self.run_program("raytrace", self.config)
        self.assertEqual(run.returncode, 2)
        self.assertIn("the sun has no position", run.stderr)
        # No section at all.
        self.config.write_text("\n".join(line for line in text.splitlines() if not line.startswith("sun:")))
        done = self.run_program("annual", self.config, *SMALL)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, "not used, .*: bitmap, output\n")

    def test_a_given_position_is_said_to_be_unused_in_one_line(self):
        done = self.run_program("annual", self.config, *SMALL)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_message("run_configurations", "keys without effect in a year", done.stderr, "not used", "sun.azimuth_deg, sun.elevation_deg, sun.dni_w_m2, bitmap, output")

    def test_pictures_tables_and_report_of_a_year(self):
        self.annual_json(*SMALL)
        for arguments in ((), ("--field",), ("--field", "target_energy"), ("--field", "cosine", "--unit", "energy"), ("--title", "A year")):
            done = self.run_program("plot", "annual.h5", "-o", "x.png", *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual((self.folder / "x.png").read_bytes()[:4], b"\x89PNG")
            (self.folder / "x.png").unlink()
        for arguments, words in ((("--contours", "--time", "3"), ("--contours: ", "--time: ")), (("--target", "receiver"), ("--target: ",)),
                                 (("--scale", "log"), ("--scale: ",)), (("--field", "target_power"), ("target_energy",)),
                                 (("--field", "cosine", "--unit", "power"), ("--unit", "energy")), (("--difference", "annual.h5"), ("--difference: ",))):
            done = self.run_program("plot", "annual.h5", "-o", "x.png", *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            for word in words:
                self.assertIn(word, done.stderr)
        done = self.run_program("export", "csv", "annual.h5", "-o", "tables", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["files"], ["months.csv", "heliostats.csv", "sky.csv"])
        with open(self.folder / "tables" / "months.csv") as table:
            energies = [float(row["target_energy_j"]) for row in csv.DictReader(table)]
        with h5py.File(self.folder / "annual.h5") as file:
            self.assertEqual(energies, list(file["months/target_energy"]))
            self.assertEqual(file["heliostats/orientation"].shape, (3, 4, 4))
        done = self.run_program("report", "annual.h5", "-o", "year.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("<h2>Months</h2>", (self.folder / "year.html").read_text())
        for arguments in (("export", "vtk", "annual.h5", "-o", "vtk"), ("report", "annual.h5", "-o", "x.html", "--time", "1"),
                          ("export", "csv", "annual.h5", "-o", "other", "--time", "1"), ("compare", "annual.h5", "--measured", "x.png")):
            done = self.run_program(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn("year", done.stderr)
        self.assertEqual(self.leftovers(), ["annual.h5", "tables", "year.html"])

    def test_other_results_have_no_energies(self):
        self.raytrace_json(self.config)
        done = self.run_program("plot", "result.h5", "-o", "x.png", "--field", "cosine", "--unit", "energy")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--unit", done.stderr)

    def test_weather_files_as_they_come(self):
        def rows(lines):
            (self.folder / "dni.csv").write_text("\n".join(lines) + "\n")
            return self.run_program("annual", self.config, *SMALL, "--weather", "dni.csv", "--json")
        hours = [f"2026-05-10T{hour:02}:00:00+02:00" for hour in range(8, 18)]
        done = rows(["time,ghi,dni_w_m2"] + [f"{t},9,{'nan' if i == 3 else 500}" for i, t in enumerate(hours)])
        self.assertEqual(done.returncode, 0, done.stderr)
        notes = "; ".join(json.loads(done.stdout)["notes"])
        self.assertIn("not used: ghi", notes)
        self.assertIn("1.0 hours are missing", notes)
        done = rows(["time,dni_w_m2"] + [f"{t[:-6]},500" for t in hours] * 10)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.count("has no offset"), 5)
        self.assertIn("95 more problems like this", done.stderr)
        head = ("LOCATION,x,y,z,s,1,50.9,6.4,1,90", "DATA PERIODS,1,1,Data,Sunday,1/1,12/31")
        epw = [f"2026,5,10,{hour},60,f,1,1,1,1,0,1,1,1,{500 if hour > 8 else 0},1" for hour in range(1, 25)]
        (self.folder / "day.epw").write_text("\n".join((*head, *epw)) + "\n")
        done = self.run_program("annual", self.config, *SMALL, "--weather", "day.epw", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        lit = json.loads(done.stdout)["insolation_j_m2"] / 3.6e6 / 0.5
        self.assertTrue(11 <= lit <= 13, lit)  # hours from 8 in the morning to the evening

    def test_weather_files_of_other_programs(self):
        def annual(text, *options):
            (self.folder / "weather.csv").write_text(text)
            done = self.run_program("annual", self.config, *SMALL, "--weather", "weather.csv", "--json", *options)
            return done, json.loads(done.stdout) if done.returncode == 0 else None

        head = "Source,Location ID,City,State,Country,Latitude,Longitude,Time Zone,Elevation\nx,0,Test,-,-,50.9,6.4,0,90\n"
        light = [800 if hour == 10 else 0 for hour in range(24)]
        hours = annual(head + "Year,Month,Day,Hour,DNI\n" + "".join(f"2026,5,10,{hour},{dni}\n" for hour, dni in enumerate(light)))[1]
        self.assertAlmostEqual(hours["insolation_j_m2"], 800 * 3600, delta=1e-3)
        middles = annual(head + "Year,Month,Day,Hour,Minute,DNI\n" + "".join(f"2026,5,10,{hour},30,{dni}\n" for hour, dni in enumerate(light)))[1]
        own = "time,dni_w_m2\n" + "".join(f"2026-05-10T{hour:02}:30:00+00:00,{dni}\n" for hour, dni in enumerate(light))
        given = annual(own, "--weather-time", "middle")[1]
        for other in (middles, given):
            self.assertAlmostEqual(other["energy"]["target_power"] / hours["energy"]["target_power"], 1, delta=1e-12)
        self.assertNotAlmostEqual(annual(own)[1]["energy"]["target_power"] / hours["energy"]["target_power"], 1, delta=1e-3)
        done, _ = annual(own.replace("time,", "PeriodEnd,").replace("dni_w_m2", "Dni"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("looks like Solcast's CSV, which is not read", done.stderr)
        self.assertIn("make a CSV file with the columns time", done.stderr)


if __name__ == "__main__":
    unittest.main()
