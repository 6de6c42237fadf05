# SPDX-License-Identifier: MIT
"""Every result shows itself: its picture and tables in notebooks, plot(), report(), write(); progress is one line that changes."""

import contextlib
import io
import os
import pathlib
import pickle
import re
import subprocess
import tempfile
import types
import unittest
import urllib.parse
import urllib.request
import warnings
from unittest import mock

from package import PROGRAM, SMALL, hr, juelich, needs, small_field

from helioray._input.progress import Cell, Line, describe_progress, describe_time
from helioray._input.suns import in_zone

SUNS = {"time": ["2026-06-21T09:00:00+02:00", "2026-06-21T12:00:00+02:00", "2026-06-21T15:00:00+02:00"], "dni": [700, 900, 850]}
MONTH_SUMS = {"insolation_j_m2": "usable_insolation_j_m2", "target_energy": "energy_j"}


class Shown(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        work = tempfile.TemporaryDirectory()
        cls.addClassCleanup(work.cleanup)
        cls.folder = pathlib.Path(work.name)
        cls.plant = small_field(4)
        sky = {"azimuths": [90, 180, 270], "elevations": [20, 40, 60], "checks": False}
        cls.results = {
            "run": hr.trace(cls.plant, sun=(180, 45), **SMALL),
            "series": hr.trace_series(cls.plant, SUNS, **SMALL) if not needs("pandas") else hr.trace_series(cls.plant, {"azimuth": [170], "elevation": [40], "dni": [900]}, **SMALL),
            "year": hr.annual(cls.plant, declinations=3, hours=3, **SMALL),
            "efficiency": hr.efficiency(cls.plant, **sky, **SMALL),
            "aims": hr.aim(cls.plant, sun=(180, 45), strategy="image_size", **SMALL),
            "aim series": hr.aim(cls.plant, {"azimuth": [170, 180], "elevation": [40, 45], "dni": [900, 900]}, strategy="image_size", **SMALL),
        }

    def test_in_notebooks(self):
        for name, result in self.results.items():
            with self.subTest(name):
                page = result._repr_html_()
                self.assertRegex(page, r'^<img src="data:image/png;base64,iVBOR[^"]{1000,}" alt="" style="[^"]*"><pre style="[^"]*monospace[^"]*">[^<]{200,}</pre>$')

    def test_picture_page_and_file(self):
        for name, result in self.results.items():
            with self.subTest(name):
                for ending, begin in ((".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")):
                    file = self.folder / f"{name}{ending}"
                    self.assertEqual(result.plot(file).data, file.read_bytes())
                    self.assertTrue(file.read_bytes().startswith(begin))
                self.assertRegex(repr(result.plot()), r"^<helioray picture: png, \d+ bytes>$")
                self.assertIn("<html", result.report(self.folder / f"{name}.html", title="My day"))
                self.assertIn("My day", (self.folder / f"{name}.html").read_text())
                file = self.folder / f"{name}{'.csv' if 'aim' in name else '.h5'}"
                result.write(file)
                self.assertGreater(file.stat().st_size, 100)
                self.assertGreater(len(result.summary), 200)

    def test_a_series_in_memory_is_written_whole(self):
        series = self.results["series"]
        series.write(self.folder / "day.h5")
        again = hr.open(self.folder / "day.h5")
        self.assertEqual((again.fingerprint, len(again), again.summary), (series.fingerprint, len(series), series.summary))
        again.write(self.folder / "copy.h5")
        self.assertEqual((self.folder / "copy.h5").read_bytes(), (self.folder / "day.h5").read_bytes())
        with self.assertRaisesRegex(hr.InputError, "series.write: 'day.csv' does not end in .h5"):
            series.write("day.csv")

    def test_a_series_is_shown_whole(self):
        """As the program shows its file; with a step, as that step alone."""
        series = self.results["series"]
        powers = [step.energy["target_power"] for step in series]
        self.assertEqual(powers[series.strongest], max(powers))
        file = self.folder / "shown.h5"
        series.write(file)
        done = subprocess.run([PROGRAM, "plot", str(file), "-o", str(self.folder / "day.png")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(series.plot().data, (self.folder / "day.png").read_bytes())
        self.assertEqual(hr.open(file).plot().data, series.plot().data)
        self.assertEqual(series.plot(step=0).data, series[0].plot().data)
        self.assertNotEqual(series.plot(logarithmic=True).data, series.plot().data)
        self.assertEqual(series.plot(step=0, quantity="efficiency").data, series[0].plot(quantity="efficiency").data)
        with self.assertRaisesRegex(hr.InputError, "series.plot: quantity: is given without a step"):
            series.plot(quantity="efficiency")
        self.assertIn("Power and efficiency", series.report())
        self.assertEqual(series.report(step=0), series[0].report())

    def test_year_of_the_field(self):
        year = self.results["year"]
        self.assertNotEqual(year.plot(quantity="efficiency").data, year.plot().data)
        with self.assertRaisesRegex(hr.InputError, "year.plot: quantity: .*'power'"):
            year.plot(quantity="power")

    @unittest.skipIf(needs("pandas"), needs("pandas"))
    def test_months(self):
        year = self.results["year"]
        months = year.months
        self.assertEqual((list(months.index), months.index.name), (list(range(1, 13)), "month"))
        for column, fact in MONTH_SUMS.items():
            self.assertAlmostEqual(months[column].sum() / year.facts[fact], 1, places=9)
        mean = (months.efficiency * months.insolation_j_m2).sum() / months.insolation_j_m2.sum()
        self.assertAlmostEqual(mean, year.facts["efficiency"], places=9)

    @unittest.skipIf(needs("pandas", "xarray"), needs("pandas", "xarray"))
    def test_times_have_their_zone(self):
        import pandas
        suns = pandas.DataFrame({"dni": [700.0, 900.0]}, index=pandas.date_range("2026-06-21 09:00", periods=2, freq="3h", tz="Europe/Madrid"))
        series = hr.trace_series(self.plant, suns, **SMALL)
        self.assertEqual(str(series.steps.index.tz), "Europe/Madrid")
        self.assertEqual(series.dataset["time"].attrs["time_zone"], "UTC")
        self.assertEqual(list(series.dataset["time"].values), list(suns.index.tz_convert("UTC").tz_localize(None).values))
        series.write(self.folder / "zone.h5")
        again = hr.open(self.folder / "zone.h5")
        self.assertEqual((str(again.index.tz), list(again.index)), ("Europe/Madrid", list(suns.index)))
        self.assertIn("09:00 to 12:00 (UTC+02:00)", again.report())
        self.assertEqual(pickle.loads(pickle.dumps(again)).index.tz, again.index.tz)

    @unittest.skipIf(needs("pandas"), needs("pandas"))
    def test_zones_of_files(self):
        """A name, an offset, and what earlier versions wrote."""
        import pandas
        noon = ["2026-03-28 12:00", "2026-03-29 12:00"]  # The clocks change in the night between them.
        for times, zone in ((pandas.DatetimeIndex(noon).tz_localize("Europe/Berlin"), "Europe/Berlin"), (pandas.to_datetime([f"{time}+02:00" for time in noon]), "UTC+02:00"),
                            (pandas.DatetimeIndex(noon).tz_localize("UTC"), "UTC")):
            with self.subTest(zone):
                series = hr.trace_series(self.plant, pandas.DataFrame({"dni": 800.0}, index=times), output=self.folder / "file.h5", restart=True, **SMALL)
                for one in (series, hr.open(self.folder / "file.h5")):
                    self.assertEqual((str(one.index.tz), list(one.index)), (zone, list(times)))
        # Offsets that change, without a name.
        mixed = [f"{noon[0]}+01:00", f"{noon[1]}+02:00"]
        self.assertEqual(str(in_zone(pandas.to_datetime(mixed, utc=True), mixed, "").tz), "UTC")
        self.assertEqual(str(in_zone(pandas.to_datetime(mixed, utc=True), mixed, "Moon/Base").tz), "UTC")

    @unittest.skipIf(needs("pandas"), needs("pandas"))
    def test_days_and_steps_by_time(self):
        import pandas
        times = pandas.date_range("2026-06-21 10:00", periods=3, freq="2h", tz="Europe/Madrid")
        with warnings.catch_warnings():
            warnings.simplefilter("error", hr.HelioRayWarning)
            series = hr.trace_series(self.plant, times, dni=800.0, **SMALL)
        power = series.steps.target_power.to_numpy()
        day = series.days.iloc[0]
        self.assertAlmostEqual(day.energy_j / ((power[1:] + power[:-1]).sum() * 3600), 1, places=9)
        self.assertEqual((day.first_step, day.last_step, str(series.days.index[0])), (0, 2, "2026-06-21 00:00:00+02:00"))
        for time in (times[1], times[1].to_pydatetime(), "2026-06-21T12:00:00+02:00", "2026-06-21T10:00:00Z"):
            self.assertEqual(series[time].fingerprint, series[1].fingerprint)
        self.assertEqual(series.plot(step=times[2]).data, series[2].plot().data)
        for time, message in (("12:00", "has no time zone"), ("noon", "is not a time"), ("2026-06-21T11:00:00+02:00", "no step has this time .the first is at 2026-06-21T10:00")):
            with self.assertRaisesRegex(hr.InputError, message):
                series[time]
        angles = hr.trace_series(self.plant, {"azimuth": [180.0], "elevation": [45.0]}, dni=900.0, **SMALL)
        self.assertEqual(len(angles.days), 0)
        with self.assertRaisesRegex(hr.InputError, "have no times; choose one by its number"):
            angles[times[0]]

    def test_pictures_are_shown(self):
        picture = self.results["run"].plot()
        with mock.patch("webbrowser.open", return_value=True) as browser:
            picture.show()
        path = urllib.request.url2pathname(urllib.parse.urlparse(browser.call_args[0][0]).path)
        self.addCleanup(os.unlink, path)
        self.assertEqual(pathlib.Path(path).read_bytes(), picture.data)
        with mock.patch("webbrowser.open", return_value=False), self.assertWarnsRegex(hr.HelioRayWarning, r"there is no program to show it; it is in .*\.png") as warned:
            picture.show()
        os.unlink(str(warned.warning).rpartition(" ")[2])

    @unittest.skipIf(needs("xarray"), needs("xarray"))
    def test_files_name_the_engine(self):
        """What xarray says without engine, with whichever of its backends is there."""
        import xarray
        for name in ("run", "series", "year", "efficiency"):
            file = self.folder / f"engine_{name}.h5"
            self.results[name].write(file)
            for engine in [one for one in (None, "h5netcdf", "netcdf4") if one is None or one in xarray.backends.list_engines()]:
                with self.subTest(name, engine=engine), xarray.open_dataset(file, engine=engine) as data:
                    self.assertIn("efficiency_std_error" if name == "efficiency" else 'helioray.open(file) or xarray engine="helioray"\n', repr(data))


class Progress(unittest.TestCase):
    def test_words(self):
        for given, text in (((0, 100, 1, 0), "0 %"), ((25, 100, 12, 5), "step 4 of 12, 25 %, 15 s left"), ((50, 100, 1, 100), "50 %, 1 min 40 s left"),
                            ((99, 100, 4, 1), "step 4 of 4, 99 %, 1 s left"), ((100, 100, 12, 61), "12 steps in 1 min 1 s"), ((3e6, 3e6, 1, 2), "3e+06 rays in 2 s")):
            self.assertEqual(describe_progress(*given), text)
        self.assertEqual([describe_time(seconds) for seconds in (0.4, 59.4, 3599, 7500)], ["0 s", "59 s", "59 min 59 s", "2 h 5 min"])

    def test_one_line_on_a_terminal(self):
        stderr = io.StringIO()
        with contextlib.redirect_stderr(stderr), mock.patch("time.monotonic", side_effect=[0.0, 0.5, 5.0, 6.0, 10.0]):
            line = Line()
            for rays in (10, 50, 60, 100):
                line(rays, 100, 2)
        parts = stderr.getvalue().split("\r")
        self.assertEqual(parts[1].strip(), "helioray: step 2 of 2, 50 %, 5 s left")
        self.assertEqual(parts[2].strip(), "helioray: step 2 of 2, 60 %, 4 s left")
        self.assertEqual("".join(parts[3:]).strip(), "")
        self.assertNotIn("\n", stderr.getvalue())

    def test_one_output_in_a_notebook(self):
        shown, changed = [], []
        handle = types.SimpleNamespace(update=changed.append)

        def display(what, display_id):
            shown.append(what)
            return handle
        modules = {"IPython": types.ModuleType("IPython"), "IPython.display": types.SimpleNamespace(display=display)}
        with mock.patch.dict("sys.modules", modules), mock.patch("time.monotonic", side_effect=[0.0] + [float(second) for second in range(2, 300)]):
            cell = Cell()
            for rays in range(1, 100):
                cell(rays, 100, 10)
            cell(100, 100, 10)
        self.assertEqual(len(shown), 1)
        self.assertGreater(len(changed), 50)
        self.assertIn("<progress", shown[0]._repr_html_())
        self.assertRegex(repr(changed[-1]), r"^helioray: 10 steps in \d+ (s|min)")
        self.assertNotIn("<progress", changed[-1]._repr_html_())

    def test_steps_reach_the_display(self):
        seen = []
        plant = juelich()
        suns = {"azimuth": [150, 160, 170], "elevation": [35, 40, 45], "dni": [900, 900, 900]}
        call = mock.Mock(side_effect=lambda rays, expected, steps: seen.append((rays, expected, steps)))
        with mock.patch("helioray._input.calls.choose_display", return_value=call):
            hr.trace_series(plant, suns, target="multi_focus_tower", **SMALL)
            hr.trace(plant, sun=(180, 45), target="multi_focus_tower", **SMALL)
        # A busy machine reports the end of a call several times.
        self.assertEqual(list(dict.fromkeys(steps for rays, expected, steps in seen if rays == expected > 0)), [3, 1])

    def test_functions_get_two_numbers(self):
        seen = []
        hr.trace(juelich(), sun=(180, 45), target="multi_focus_tower", progress=lambda rays, expected: seen.append((rays, expected)), **SMALL)
        self.assertEqual(seen[-1][0], seen[-1][1])


@unittest.skipIf(needs("nbclient", "ipykernel"), needs("nbclient", "ipykernel"))
class Notebook(unittest.TestCase):
    def test_progress_of_a_long_call(self):
        """A kernel shows one output, no stream of lines."""
        import nbclient
        import nbformat
        code = ("import time\nimport helioray as hr\nfrom helioray._input import progress\nprogress.DELAY_S = 0\n"
                "plant = hr.read(hr.example('juelich'))\n"
                "suns = {'azimuth': [150, 160, 170], 'elevation': [35, 40, 45], 'dni': [900, 900, 900]}\n"
                "run = hr.trace_series(plant, suns, target='multi_focus_tower', rays=3e6, device='cpu', threads=1, bitmap={'width': 16, 'height': 16})")
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
        with tempfile.TemporaryDirectory() as folder:
            nbclient.NotebookClient(notebook, timeout=240, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
        outputs = notebook.cells[0].outputs
        self.assertEqual([output.output_type for output in outputs], ["display_data"])
        self.assertRegex(outputs[0].data["text/plain"], r"^helioray: 3 steps in \d+ s$")


if __name__ == "__main__":
    unittest.main()
