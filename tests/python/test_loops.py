# SPDX-License-Identifier: MIT
"""Many traces: series, years, aim points, prepared fields."""

import html
import pathlib
import pickle
import tempfile
import unittest
import warnings

import numpy

from package import QUICKSTART, SMALL, SOURCE, check_pickled_fit, hr, juelich, needs, program, small_field

try:
    import pandas
except ModuleNotFoundError:
    pandas = None

LITTLE = {key: value for key, value in SMALL.items() if key != "device"}


class InAFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class SeriesOfSuns(InAFolder):
    def suns(self):
        times = pandas.date_range("2026-03-21 07:00", periods=4, freq="3h", tz="Europe/Berlin")
        return pandas.DataFrame({"azimuth": [95.0, 140.0, 195.0, 260.0], "apparent_elevation": [-2.0, 30.0, 38.0, 8.0],
                                 "zenith": 0.0, "dni": [0.0, 800.0, 900.0, 400.0]}, index=times)

    @unittest.skipIf(needs("pandas", "xarray"), needs("pandas", "xarray"))
    def test_frame_of_pvlib(self):
        plant = small_field()
        series = hr.trace_series(plant, self.suns(), **SMALL)
        self.assertEqual(len(series), 3)
        for step, (azimuth, elevation, dni) in enumerate([(140, 30, 800), (195, 38, 900), (260, 8, 400)]):
            single = hr.trace(plant, sun=(azimuth, elevation), dni=dni, **SMALL)
            self.assertEqual(series[step].fingerprint, single.fingerprint)
        self.assertEqual(list(series.steps.index), list(self.suns().index[1:]))
        data = series.dataset
        self.assertEqual(data["flux_receiver"].shape, (3, 24, 32))
        self.assertEqual(str(data.time.values[0])[:16], "2026-03-21T09:00")  # UTC
        numpy.testing.assert_array_equal(data["flux_receiver"][1], series[1].array())
        numpy.testing.assert_allclose(data["target_power"].sum("heliostat"), series.steps.target_power)
        for step, wrong in ((3, IndexError), (-4, IndexError), (slice(0, 2), TypeError), ("1", TypeError), (1.0, TypeError)):
            with self.subTest(step), self.assertRaisesRegex(wrong, "series"):
                series[step]

    @unittest.skipIf(needs("pandas", "xarray"), needs("pandas", "xarray"))
    def test_times_of_a_frame_are_kept(self):
        series = hr.trace_series(small_field(), self.suns(), output=self.folder / "day.h5", **SMALL)
        again = hr.open(self.folder / "day.h5")
        self.assertEqual([str(time) for time in again.index], ["2026-03-21 10:00:00+01:00", "2026-03-21 13:00:00+01:00", "2026-03-21 16:00:00+01:00"])
        self.assertEqual(str(again.index.tz), "Europe/Berlin")
        self.assertEqual(list(again.index), list(series.index))
        numpy.testing.assert_array_equal(again.dataset.time, series.dataset.time)
        self.assertEqual(again.dataset.flux_receiver.dims[0], "time")
        noon = again.dataset.sel(time="2026-03-21T12:00")
        numpy.testing.assert_array_equal(noon.flux_receiver, series[1].array())

    @unittest.skipIf(needs("pandas"), needs("pandas"))
    def test_times_with_and_without_decimals(self):
        suns = pandas.DataFrame({"azimuth": [170.0, 180.0], "elevation": [40.0, 45.0], "dni": 1000},
                                index=pandas.DatetimeIndex(["2026-03-21T11:00:00.125Z", "2026-03-21T12:00:00Z"]))
        hr.trace_series(small_field(2), suns, output=self.folder / "day.h5", **SMALL)
        self.assertEqual(list(hr.open(self.folder / "day.h5").index), list(suns.index))

    @unittest.skipIf(needs("pandas"), needs("pandas"))
    def test_times_are_compared_when_a_series_continues(self):
        call = {"output": self.folder / "day.h5", **SMALL, "rays": 1e6}
        suns = self.suns()

        def interrupt(rays, expected):
            if rays > expected / 2:
                raise KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            hr.trace_series(small_field(), suns, progress=interrupt, threads=1, **call)
        with self.assertRaisesRegex(hr.InputError, "parts of another run"):
            hr.trace_series(small_field(), suns.tz_localize(None).tz_localize("Asia/Tokyo"), **call)
        # The same instants, told in another zone.
        series = hr.trace_series(small_field(), suns.tz_convert("Asia/Tokyo"), **call)
        self.assertEqual(len(series), 3)
        self.assertFalse((self.folder / "day.h5.parts").exists())

    @unittest.skipIf(needs("pandas"), needs("pandas"))
    def test_a_missing_time_is_named(self):
        suns = self.suns()
        suns.index = pandas.DatetimeIndex([*suns.index[:2], pandas.NaT, suns.index[3]])
        with self.assertRaisesRegex(hr.InputError, r"suns.index\[2\]: there is no time"):
            hr.trace_series(small_field(), suns, **SMALL)

    @unittest.skipIf(needs("pandas"), needs("pandas"))
    def test_times_give_positions(self):
        frame = pandas.DataFrame(index=pandas.date_range("2026-06-21 04:00", periods=3, freq="4h", tz="Europe/Berlin"))
        series = hr.trace_series(juelich(), frame, target="receiver", dni=1000, **SMALL)
        # The first one has no light.
        self.assertEqual(list(series.steps.index), list(frame.index[1:]))
        noon = hr.trace(juelich(), sun="2026-06-21T12:00:00+02:00", target="receiver", **SMALL)
        self.assertEqual(series[-1].fingerprint, noon.fingerprint)
        self.assertAlmostEqual(series.steps.azimuth_deg.iloc[-1], 136.8807, places=3)
        with self.assertRaisesRegex(hr.InputError, "no time zone"):
            hr.trace_series(juelich(), frame.tz_localize(None), target="receiver", **SMALL)

    def test_configuration_of_the_program(self):
        there = program("raytrace", SOURCE / "configs/series.yaml", "--set", "tracing.rays_per_heliostat=1000", "--set",
                        "bitmap={width: 32, height: 24}", "-o", "there.h5", "--image", "there.png", folder=self.folder)
        here = hr.trace_series(SOURCE / "configs/series.yaml", output=self.folder / "here.h5", **LITTLE)
        self.assertEqual(here.fingerprint, there["fingerprint"])
        self.assertEqual(hr.open(self.folder / "there.h5")[0].fingerprint, here[0].fingerprint)
        self.assertFalse((self.folder / "here.h5.parts").exists())

    def test_continues(self):
        plant = small_field()
        suns = {"azimuth": [170.0, 180.0, 190.0], "elevation": [40.0, 45.0, 40.0], "dni": [1000.0] * 3}
        whole = hr.trace_series(plant, suns, **SMALL)
        calls = []

        def interrupt(rays, expected):
            calls.append(rays)
            raise KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            hr.trace_series(plant, suns, output=self.folder / "s.h5", progress=interrupt, threads=1, bitmap=SMALL["bitmap"], device="cpu",
                            rays=3e6)
        series = hr.trace_series(plant, suns, output=self.folder / "s.h5", restart=True, **SMALL)
        self.assertEqual(series.fingerprint, whole.fingerprint)
        with self.assertRaisesRegex(hr.InputError, "one position"):
            hr.trace_series(plant, sun=(180, 45), **SMALL)

    def test_parts_of_another_run(self):
        """What an interrupted call has kept is refused by another one, unless it is told to begin anew."""
        plant, suns = small_field(), {"azimuth": [170.0, 180.0, 190.0], "elevation": [40.0, 45.0, 40.0], "dni": [1000.0] * 3}
        sky = {"azimuths": [90, 180, 270], "elevations": [20, 40, 60]}

        def interrupt(rays, expected):
            if rays > expected / 2:
                raise KeyboardInterrupt
        for name, call in {"series": lambda **keys: hr.trace_series(plant, suns, output=self.folder / "series.h5", **keys),
                           "year": lambda **keys: hr.annual(plant, declinations=3, hours=3, output=self.folder / "year.h5", **keys),
                           "table": lambda **keys: hr.efficiency(plant, **sky, output=self.folder / "table.h5", **keys)}.items():
            with self.subTest(name):
                with self.assertRaises(KeyboardInterrupt):
                    call(progress=interrupt, threads=1, **{**SMALL, "rays": 2e6})
                self.assertTrue((self.folder / f"{name}.h5.parts").exists())
                with self.assertRaisesRegex(hr.InputError, "parts of another run.*start over with restart=True"):
                    call(**SMALL)
                call(restart=True, **SMALL)
                self.assertFalse((self.folder / f"{name}.h5.parts").exists())

    def test_bad_suns(self):
        for suns in (3, "x", [1, 2], {}, {"azimuth": [1]}, {"azimuth": [1.0], "elevation": ["x"]}, {"azimuth": [], "elevation": []},
                     {"azimuth": [1.0, 2.0], "elevation": [1.0]}, {"azimuth": [float("nan")], "elevation": [3.0]}):
            with self.subTest(suns), self.assertRaises(hr.InputError):
                hr.trace_series(small_field(), suns, **SMALL)


class Years(InAFolder):
    def test_year_is_the_programs(self):
        small_field().write(self.folder / "field.h5")
        (self.folder / "run.yaml").write_text("scenario: field.h5\naim: {target: receiver}\ntracing: {rays_per_heliostat: 200}\n")
        there = program("annual", "run.yaml", "--declinations", "3", "--hours", "5", folder=self.folder)
        here = hr.annual(self.folder / "run.yaml", declinations=3, hours=5)
        self.assertEqual(here.fingerprint, there["fingerprint"])
        here.write(self.folder / "year.h5")
        self.assertEqual(hr.open(self.folder / "year.h5").fingerprint, here.fingerprint)
        self.assertIn("<!DOCTYPE html>", here.report())
        for bad in ({"sky": "blue"}, {"declinations": 4}, {"weather": self.folder / "none.csv"}, {"year": "x"}, {"weather_time": "noon"}):
            with self.subTest(bad), self.assertRaises(hr.InputError):
                hr.annual(self.folder / "run.yaml", **bad)
        (self.folder / "dni.csv").write_text("time,dni_w_m2\n2026-06-21T11:00Z,900\n2026-06-21T12:00Z,900\n")
        for message, keys in (("sky: is given with weather", {"sky": "meinel", "weather": self.folder / "dni.csv"}),
                              ("weather_time: is given without weather", {"weather_time": "end"})):
            with self.subTest(keys), self.assertRaisesRegex(hr.InputError, "hr.annual: " + message):
                hr.annual(self.folder / "run.yaml", declinations=3, hours=3, **keys)

    @unittest.skipIf(needs("pandas"), needs("pandas"))
    def test_tables(self):
        year = hr.annual(small_field(), declinations=3, hours=3, rays=100, device="cpu")
        self.assertEqual(year.heliostats.shape[0], 20)
        energy = year.facts["energy_j"]
        self.assertAlmostEqual(year.heliostats.target_energy.sum(), energy, delta=1e-9 * energy)
        self.assertEqual(len(year.positions), 9)


    def test_pickles(self):
        year = hr.annual(small_field(), declinations=3, hours=3, rays=100, device="cpu")
        self.assertEqual(pickle.loads(pickle.dumps(year)).facts["energy_j"], year.facts["energy_j"])
        table = hr.efficiency(small_field(), azimuths=[0, 120, 240], elevations=[20, 50, 80], rays=100, device="cpu")
        self.assertEqual(pickle.loads(pickle.dumps(table)).fingerprint, table.fingerprint)
        series = hr.trace_series(small_field(), {"azimuth": [170, 190], "elevation": [40, 41]}, dni=1000, **SMALL)
        again = pickle.loads(pickle.dumps(series))
        self.assertEqual([again[step].fingerprint for step in range(2)], [series[step].fingerprint for step in range(2)])


class Efficiencies(unittest.TestCase):
    def test_arguments_of_another_grid_are_refused(self):
        for message, keys in (("declinations: belongs to grid=.year.", {"declinations": 9}), ("hours: belongs", {"hours": 5, "grid": "solarpilot"}),
                              ("min_elevation_deg: belongs", {"min_elevation_deg": 10.0}), ("azimuths: is given with", {"grid": "solarpilot", "azimuths": [0, 180]}),
                              ("elevations: is given with", {"grid": "solarpilot", "elevations": [20, 60]}),
                              ("checks: has no effect", {"grid": "year", "checks": False}), ("checks: .* is neither True nor False", {"checks": "no"})):
            with self.subTest(keys), self.assertRaisesRegex(hr.InputError, "hr.efficiency: " + message):
                hr.efficiency(small_field(3), **keys, **SMALL)

    def test_checks_change_the_interpolation_error_alone(self):
        sky = {"azimuths": [90, 180, 270], "elevations": [20, 40, 60], **SMALL}
        checked, unchecked = (hr.efficiency(small_field(3), checks=checks, **sky) for checks in (True, False))
        for name, values in checked.table.items():
            (numpy.testing.assert_array_less if name == "interpolation_error" else numpy.testing.assert_array_equal)(unchecked.table[name], values, name)
        numpy.testing.assert_allclose(checked.dataset["interpolation_error_receiver"], checked.table["interpolation_error"], rtol=1e-9)

    def test_strategies_of_aim_points_are_not_used(self):
        sky = {"azimuths": [90, 180, 270], "elevations": [20, 40, 60], **SMALL}
        with self.assertWarnsRegex(hr.HelioRayWarning, "aiming.strategy is not used"):
            table = hr.efficiency(small_field(3), strategy="equator", **sky)
        self.assertEqual(table.fingerprint, hr.efficiency(small_field(3), **sky).fingerprint)


class AimPoints(InAFolder):
    def test_aims_are_the_programs(self):
        plant = small_field()
        plant.write(self.folder / "field.h5")
        (self.folder / "run.yaml").write_text(
            "scenario: field.h5\nsun: {azimuth_deg: 180, elevation_deg: 60}\naim: {target: receiver}\ntracing: {rays_per_heliostat: 1000}\n"
            "bitmap: {width: 32, height: 24}\naiming: {strategy: image_size}\n")
        there = program("aim", "run.yaml", folder=self.folder)
        here = hr.aim(self.folder / "run.yaml")
        self.assertEqual(here.run.fingerprint, there["fingerprint"])
        self.assertEqual(here.facts["power_w"], there["power_w"])
        here.write(self.folder / "ours.csv")
        self.assertEqual((self.folder / "ours.csv").read_text(), (self.folder / "aims.csv").read_text())
        again = hr.trace(self.folder / "run.yaml", aim=here.setting)
        self.assertEqual(again.fingerprint, here.run.fingerprint)

    def test_picture_and_report(self):
        aims = hr.aim(small_field(), sun=(180, 60), strategy="image_size", **SMALL)
        self.assertTrue(aims.plot()._repr_png_().startswith(b"\x89PNG"))
        self.assertEqual(aims.plot(self.folder / "aims.svg").format, "svg")
        self.assertTrue((self.folder / "aims.svg").exists())
        page = aims.report(self.folder / "aims.html", title="Aims of a morning")
        self.assertIn("Aims of a morning", page)
        self.assertEqual((self.folder / "aims.html").read_text(), page)
        again = check_pickled_fit(self, aims, self.folder)
        self.assertEqual((again.run.fingerprint, again.setting), (aims.run.fingerprint, aims.setting))
        self.assertEqual((self.folder / "a.csv").read_text(), (self.folder / "b.csv").read_text())

    def test_light_is_needed(self):
        plant = small_field()
        (self.folder / "dark.csv").write_text("name,share\n" + "".join(f"H{i:02d},0\n" for i in range(1, len(plant) + 1)))
        with self.assertRaisesRegex(hr.InputError, "no light reaches target 'receiver'"):
            hr.aim(plant, sun={"azimuth_deg": 180, "elevation_deg": 60, "clouds": {"file": str(self.folder / "dark.csv")}}, **SMALL)

    def test_targets_share_a_field(self):
        keys = {"sun": (180, 45), "strategy": "center", "target": "receiver", **SMALL}
        aims = hr.aim(juelich(), target_shares={"multi_focus_tower": 0.35, "receiver": 0.65}, **keys)
        shares = aims.facts["target_shares"]
        self.assertEqual(shares["receiver"]["wanted"], 0.65)
        self.assertAlmostEqual(sum(one["reached"] for one in shares.values()), 1.0)
        self.assertTrue(aims.facts["shares_met"])
        # Two of three heliostats.
        self.assertAlmostEqual(shares["receiver"]["reached"], 0.65, delta=0.1)
        traced = hr.trace(juelich(), aim=aims.setting, sun=(180, 45), **SMALL)
        self.assertEqual(traced.fingerprint, aims.run.fingerprint)
        with self.assertRaisesRegex(hr.InputError, "aiming.target_shares.tower"):
            hr.aim(juelich(), target_shares={"tower": 0.35, "receiver": 0.65}, **keys)

    def test_limits_that_cannot_be_kept(self):
        with self.assertWarns(hr.HelioRayWarning):
            hr.aim(small_field(), sun=(180, 60), strategy="center", flux_limit_kw_m2=1, **SMALL)


SERIES = """scenario: field.h5
sun: {times: ["2026-06-21T10:00:00+02:00", "2026-06-21T10:15:00+02:00", "2026-06-21T10:30:00+02:00", "2026-06-21T10:45:00+02:00"]}
aim: {target: receiver}
tracing: {rays_per_heliostat: 1000}
bitmap: {width: 32, height: 24}
aiming: {strategy: optimize, flux_limit_kw_m2: 20, max_move_m_per_minute: 0.02}
"""


class AimPointsOfSeries(InAFolder):
    def setUp(self):
        super().setUp()
        small_field().write(self.folder / "field.h5")
        (self.folder / "day.yaml").write_text(SERIES)

    @unittest.skipIf(needs("pandas"), needs("pandas"))
    def test_aims_are_the_programs(self):
        there = program("aim", "day.yaml", "-o", "theirs.csv", "--result", "theirs.h5", folder=self.folder)
        here = hr.aim(self.folder / "day.yaml", output=self.folder / "ours.csv")
        self.assertIsInstance(here, hr.AimSeries)
        self.assertEqual((self.folder / "ours.csv").read_text(), (self.folder / "theirs.csv").read_text())
        self.assertFalse((self.folder / "ours.csv.parts").exists())
        for key in ("power_w", "power_bound_w", "gap", "fingerprint", "heliostats_off"):
            self.assertEqual(list(here.steps[key]), there[key], key)
        self.assertEqual(here.runs.fingerprint, there["series_fingerprint"])
        self.assertEqual([run.fingerprint for run in here.runs], there["fingerprint"])
        strongest = there["power_w"].index(max(there["power_w"]))
        self.assertEqual(here.run.fingerprint, there["fingerprint"][strongest])
        self.assertEqual(str(here.steps.index[1]), "2026-06-21 10:15:00+02:00")

        table = pandas.read_csv(self.folder / "theirs.csv")
        table["time"] = pandas.to_datetime(table["time"], utc=True)
        pandas.testing.assert_frame_equal(here.points.reset_index(), table[list(here.points.reset_index().columns)], check_dtype=False)
        again = hr.trace_series(self.folder / "day.yaml", aim=here.setting)
        self.assertEqual(again.fingerprint, here.runs.fingerprint)

    @unittest.skipIf(needs("pandas"), needs("pandas"))
    def test_suns_of_a_frame(self):
        suns = pandas.DataFrame({"azimuth": [170.0, 180.0], "elevation": [40.0, 45.0], "dni": 1000.0})
        here = hr.aim(small_field(), suns, strategy="image_size", **SMALL)
        self.assertEqual(list(here.points["step"].unique()), [0, 1])
        first = hr.aim(small_field(), sun=(170, 40), strategy="image_size", **SMALL)
        self.assertEqual(here.runs[0].fingerprint, first.run.fingerprint)
        again = check_pickled_fit(self, here, self.folder)
        self.assertEqual([run.fingerprint for run in again.runs], [run.fingerprint for run in here.runs])
        pandas.testing.assert_frame_equal(again.points, here.points)
        pandas.testing.assert_frame_equal(again.steps, here.steps)
        self.assertEqual(*(pathlib.Path(one.setting["file"]).read_text() for one in (again, here)))
        self.assertEqual((self.folder / "a.csv").read_text(), (self.folder / "b.csv").read_text())
        file = here.setting["file"]
        del here
        self.assertFalse(pathlib.Path(file).parent.exists())

    def test_continues(self):
        rays = {"rays": 100_000, "threads": 1}
        whole = hr.aim(self.folder / "day.yaml", **rays)
        table = self.folder / "aims.csv"

        def interrupt(traced, expected):
            if list(self.folder.glob("aims.csv.parts/step_*")):
                raise KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            hr.aim(self.folder / "day.yaml", output=table, progress=interrupt, **rays)
        self.assertFalse(table.exists())
        continued = hr.aim(self.folder / "day.yaml", output=table, **rays)
        self.assertGreater(continued.facts["steps_done_before"], 0)
        self.assertEqual(continued.facts["fingerprint"], whole.facts["fingerprint"])
        self.assertEqual(continued.facts["power_bound_w"], whole.facts["power_bound_w"])

    def test_refused_before_any_work(self):
        with self.assertRaisesRegex(hr.InputError, "field.h5"):
            hr.aim(self.folder / "day.yaml", output=self.folder / "field.h5")
        with self.assertRaisesRegex(hr.InputError, "has no time"):
            hr.aim(self.folder / "day.yaml", {"azimuth": [170.0, 180.0], "elevation": [40.0, 45.0]})
        with self.assertRaises(hr.InputError):
            hr.aim(self.folder / "day.yaml", 3)


class Light(InAFolder):
    def test_a_receiver_that_faces_away(self):
        plant = hr.generate(tower={"optical_height_m": 40}, receiver={"type": "plane", "width_m": 6, "height_m": 6, "azimuth_deg": 180},
                            heliostat={"width_m": 3, "height_m": 2, "pivot_height_m": 3},
                            layout={"type": "radial_stagger", "heliostats": 6, "min_radius_m": 30, "azimuth_from_deg": -60, "azimuth_to_deg": 60})
        dark = "no light reaches target 'receiver'.*check which way its front faces"
        grid = {"declinations": 3, "hours": 3}
        calls = {"trace": lambda: hr.trace(plant, sun=(180, 45), **SMALL),
                 "series": lambda: hr.trace_series(plant, {"azimuth": [170.0, 180.0], "elevation": [40.0, 45.0], "dni": [900.0, 900.0]}, **SMALL),
                 "annual": lambda: hr.annual(plant, **grid, **SMALL),
                 "efficiency": lambda: hr.efficiency(plant, azimuths=[170, 180, 190], elevations=[40, 50, 60], checks=False, **SMALL)}
        for name, call in calls.items():
            with self.subTest(name):
                with self.assertWarnsRegex(hr.HelioRayWarning, dark):
                    result = call()
                self.assertRegex(repr(result), dark)
                if not hasattr(result, "write"):
                    continue
                result.write(self.folder / f"{name}.h5")
                self.assertRegex(repr(hr.open(self.folder / f"{name}.h5")), dark)
        run = hr.open(self.folder / "trace.h5")
        self.assertEqual(len(run.warnings), 1)
        self.assertRegex(html.unescape(run.report()), dark)
        lit = hr.trace(small_field(), sun=(180, 45), **SMALL)
        self.assertEqual(lit.warnings, [])
        self.assertNotIn("warning", repr(lit))


class MirrorsByTemperature(unittest.TestCase):
    @unittest.skipIf(needs("pandas", "xarray"), needs("pandas", "xarray"))
    def test_runs_series_years_and_loops_agree(self):
        plant = hr.generate(SOURCE / "configs/field.yaml", heliostats=3, by_temperature=[{"temperature_c": 0}, {"temperature_c": 40, "focal_length_m": 60, "tilt_mrad": 4}])
        with self.assertRaisesRegex(hr.InputError, "sun.temperature_c: is missing"):
            hr.trace(plant, sun=(180, 45), **SMALL)
        field = hr.prepare(plant, sun=(180, 45), temperature_c=20, **SMALL)
        single = {t: hr.trace(plant, sun=(180, 45), temperature_c=t, **SMALL) for t in (-5, 20, 33)}
        self.assertEqual(field.trace().fingerprint, single[20].fingerprint)
        for t in (-5, 33, 20):
            self.assertEqual(field.set_sun(180, 45, temperature_c=t).trace().fingerprint, single[t].fingerprint)
        self.assertEqual(field.set_sun(170, 40).trace().fingerprint, hr.trace(plant, sun=(170, 40), temperature_c=20, **SMALL).fingerprint)
        with self.assertRaisesRegex(hr.InputError, "field.set_sun: temperature_c: 300.* is not from -100 to 100"):
            field.set_sun(180, 45, temperature_c=300)
        suns = {"azimuth": [180.0] * 3, "apparent_elevation": [45.0] * 3, "dni": [1000.0] * 3, "temp_air": [-5.0, 20.0, 33.0]}
        series = hr.trace_series(plant, suns, **SMALL)
        self.assertEqual(series.steps.fingerprint.tolist(), [run.fingerprint for run in single.values()])
        self.assertEqual(series.dataset.temperature_c.values.tolist(), suns["temp_air"])
        times = pandas.date_range("2026-06-21 08:00", periods=8, freq="h", tz="UTC")
        weather = pandas.DataFrame({"dni": 800.0, "temp_air": 33.0}, index=times)
        few = {"declinations": 3, "hours": 5, **SMALL}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", hr.HelioRayWarning)  # A day is not a year.
            warm = hr.annual(plant, weather=weather, **few).facts["energy_j"]
            same = hr.annual(plant, weather=weather[["dni"]], temperature_c=33, **few).facts["energy_j"]
            cold = hr.annual(plant, weather=weather[["dni"]], temperature_c=-5, **few).facts["energy_j"]
        self.assertAlmostEqual(warm / same, 1, delta=1e-9)
        self.assertNotEqual(warm, cold)


class PreparedFields(unittest.TestCase):
    def test_follows_changes(self):
        plant = small_field()
        field = hr.prepare(plant, sun=(180, 45), **SMALL)
        self.assertEqual(field.trace().fingerprint, hr.trace(plant, sun=(180, 45), **SMALL).fingerprint)
        field.set_sun(150, 33, dni=700)
        moved = hr.trace(plant, sun=(150, 33), dni=700, **SMALL)
        for _ in range(2):
            self.assertEqual(field.trace().fingerprint, moved.fingerprint)
        self.assertEqual(field.trace().energy, moved.energy)
        self.assertEqual(field.set_sun(180, 45).set_sun((150, 33)).trace().fingerprint, moved.fingerprint)
        point = [1.0, 3.0, 61.0]
        field.set_aim({"H03": point})
        aimed = hr.trace(plant, sun=(150, 33), dni=700, aim={"heliostats": {"H03": {"point": point}}}, **SMALL)
        self.assertEqual(field.trace().fingerprint, aimed.fingerprint)
        field.set_inactive(["H05", "H06"])
        less = hr.trace(plant, sun=(150, 33), dni=700, **SMALL,
                        aim={"heliostats": {"H03": {"point": point}, "H05": {"active": False}, "H06": {"active": False}}})
        self.assertEqual(field.trace().fingerprint, less.fingerprint)
        self.assertEqual(len(less.orientations), 18)

    def test_the_list_of_inactive_heliostats_is_set(self):
        plant = small_field()
        off = list(plant.heliostats.index)[:7]
        field = hr.prepare(plant, sun=(150, 33), aim={"active": [name for name in plant.heliostats.index if name != off[0]]}, **SMALL)

        def of(names):
            states = {name: {"active": False} for name in names}
            return hr.trace(plant, sun=(150, 33), aim={"heliostats": {off[1]: {"point": [1.0, 0.0, 60.0]}} | states}, **SMALL).fingerprint

        field.set_aim({off[1]: (1.0, 0.0, 60.0)})
        for names in (off[:5], off[5:7], [], off[1:2], []):
            self.assertEqual(field.set_inactive(names).trace().fingerprint, of(names), names)
        field.set_inactive(off[:3]).set_aim({off[1]: (1.0, 0.0, 60.0)})
        self.assertEqual(field.trace().fingerprint, of([off[0], off[2]]))

    def test_heliostats_without_target_are_not_turned_on(self):
        names = ["AA28", "AA31", "AA39"]
        field = hr.prepare(juelich(), sun=(180, 45), aim={"active": names[:2], "heliostats": {name: {"target": "receiver"} for name in names[:2]}}, **SMALL)
        with self.assertRaisesRegex(hr.InputError, "'AA39' would be turned on, but it has no target"):
            field.set_inactive([])
        with self.assertRaisesRegex(hr.InputError, "set_aim: AA39: the heliostat has no target"):
            field.set_aim({"AA39": (0.0, 0.0, 55.0)})
        field.set_inactive(["AA39", "AA28"])
        field.set_aim({"AA39": (-17.6, -2.74, 52.0)}, target="multi_focus_tower")
        self.assertEqual(set(field.trace()._targets), {"receiver", "multi_focus_tower"})

    def test_targets(self):
        field = hr.prepare(juelich(), sun=(180, 45), target="receiver", **SMALL)
        field.set_aim({"AA39": (-17.6, -2.74, 52.0)}, target="multi_focus_tower")
        self.assertEqual(set(field.trace()._targets), {"receiver", "multi_focus_tower"})

    def test_refusals_leave_the_field_as_it_is(self):
        field = hr.prepare(QUICKSTART, **SMALL)
        before = field.trace().fingerprint
        for change in (lambda: field.set_sun(180, -5), lambda: field.set_sun(float("nan"), 5), lambda: field.set_sun("x", 5),
                       lambda: field.set_sun((180, 45, 3)), lambda: field.set_sun("180,45"), lambda: field.set_sun((180, 45), 45), lambda: field.set_sun(180, 45, dni=-1), lambda: field.set_aim({"x": (0, 0, 0)}), lambda: field.set_aim({"AA39": (0, 0)}),
                       lambda: field.set_aim({"AA39": (0, float("inf"), 0)}), lambda: field.set_aim(3), lambda: field.set_inactive(["x"]), lambda: field.set_inactive(3),
                       lambda: field.set_aim({"AA39": (0, 0, 50)}, target="x")):
            with self.assertRaises(hr.InputError):
                change()
        self.assertEqual(field.trace().fingerprint, before)
        with self.assertRaises(hr.InputError):
            hr.prepare(SOURCE / "configs/series.yaml")

    def test_a_field_that_is_off(self):
        field = hr.prepare(QUICKSTART, **SMALL)
        run = field.trace()
        field.set_inactive(["AA28", "AA31", "AA39"])
        with self.assertRaisesRegex(hr.InputError, "field.trace: no heliostat is active"):
            field.trace()
        points = {name: run._core.heliostats()["aim_point"][i].tolist() for i, name in enumerate(run._core.heliostats()["name"])}
        self.assertEqual(field.set_aim(points).trace().fingerprint, run.fingerprint)

    def test_pickles(self):
        with self.assertRaisesRegex(TypeError, "helioray.prepare"):
            pickle.dumps(hr.prepare(QUICKSTART, **SMALL))

    def test_what_drives_cannot_follow(self):
        field = hr.prepare(QUICKSTART, **SMALL)
        field.set_sun(170, 40)
        before = field.trace().fingerprint
        with self.assertRaisesRegex(hr.InputError, "no motor position"):
            field.set_sun(-10, 40)
        with self.assertRaisesRegex(hr.InputError, "no motor position"):
            field.trace()
        self.assertEqual(field.set_sun(170, 40).trace().fingerprint, before)


if __name__ == "__main__":
    unittest.main()
