# SPDX-License-Identifier: MIT
"""What calls leave where they fail: finished steps and complete results stay on disk, and the error says how to go on."""

import pathlib
import re
import resource
import shutil
import tempfile
import unittest
from unittest import mock

from package import SMALL, hr, small_field

SUNS = {"azimuth": [160.0, 170.0, 180.0, 190.0], "elevation": [40.0, 42.0, 45.0, 42.0], "dni": [1000.0] * 4}


class Kept(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        temporary = mock.patch.object(tempfile, "tempdir", folder.name)
        temporary.start()
        self.addCleanup(temporary.stop)
        self.plant = small_field(3)

    def left(self):
        return sorted(one.name for one in self.folder.glob("helioray_*"))

    def calls(self):
        sky = {"azimuths": [90, 180, 270], "elevations": [20, 40, 60], "checks": False}
        return {"trace_series": lambda **keys: hr.trace_series(self.plant, SUNS, **{**SMALL, **keys}),
                "annual": lambda **keys: hr.annual(self.plant, declinations=3, hours=3, **{**SMALL, **keys}),
                "efficiency": lambda **keys: hr.efficiency(self.plant, **sky, **{**SMALL, **keys}),
                "aim": lambda **keys: hr.aim(self.plant, SUNS, strategy="image_size", **{**SMALL, **keys})}

    def test_finished_steps_are_named(self):
        def fail(**arguments):
            file = pathlib.Path(arguments.get("table", arguments.get("file")))
            parts = file.with_name(file.name + ".parts")
            parts.mkdir()
            (parts / "step_000000.h5").touch()
            raise RuntimeError("the disk is full")
        for name, call in self.calls().items():
            with self.subTest(name), mock.patch.object(hr._core, name, fail):
                with self.assertRaisesRegex(RuntimeError, r"^the disk is full\n.*: 1 finished step is kept in .*\.parts; make the same call with output='.*' to continue, or delete") as caught:
                    call()
                file = pathlib.Path(re.search("output='([^']*)'", str(caught.exception))[1])
                self.assertTrue(file.with_name(file.name + ".parts").exists())
                shutil.rmtree(file.parent)
        self.assertEqual(self.left(), [])

    def test_a_series_goes_on_with_them(self):
        def progress(rays, expected):
            if list(self.folder.glob("helioray_*/*.parts/step_*")):
                raise RuntimeError("the script fails")
        call = {**SMALL, "rays": 2e7, "threads": 1}
        with self.assertRaisesRegex(RuntimeError, "the script fails") as caught:
            hr.trace_series(self.plant, SUNS, progress=progress, **call)
        file = re.search("output='([^']*)'", str(caught.exception))[1]
        traced = []
        continued = hr.trace_series(self.plant, SUNS, output=file, progress=lambda rays, expected: traced.append((rays, expected)), **call)
        self.assertLess(traced[-1][1] if traced else 0, 4 * 3 * 2e7)
        self.assertEqual(continued.fingerprint, hr.trace_series(self.plant, SUNS, **{**call, "threads": 0}).fingerprint)
        self.assertFalse(pathlib.Path(file + ".parts").exists())

    def test_disk_that_is_full_while_steps_are_joined(self):
        file = self.folder / "series.h5"
        whole = hr.trace_series(self.plant, SUNS, output=file, **SMALL).fingerprint
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        # More than a step and less than all of them.
        hr.trace(self.plant, sun=(160, 40), **SMALL).write(self.folder / "one.h5")
        step = (self.folder / "one.h5").stat().st_size
        limit = (step + file.stat().st_size) // 2
        self.assertGreater(file.stat().st_size, limit)
        file.unlink()
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limits[1]))
        try:
            with self.assertRaisesRegex(RuntimeError, "series.h5: the file cannot be stored"), self.assertWarnsRegex(hr.HelioRayWarning, "4 of 4 steps are done"):
                hr.trace_series(self.plant, SUNS, output=file, **SMALL)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        self.assertEqual(len(list((self.folder / "series.h5.parts").glob("step_*.h5"))), 4)
        traced = []
        again = hr.trace_series(self.plant, SUNS, output=file, progress=lambda rays, expected: traced.append(expected), **SMALL)
        self.assertEqual((again.fingerprint, sum(traced)), (whole, 0))
        self.assertFalse((self.folder / "series.h5.parts").exists())

    def test_interrupts_and_bad_input_leave_nothing(self):
        def interrupt(rays, expected):
            if rays > 0.3 * expected:
                raise KeyboardInterrupt
        for call in self.calls().values():
            with self.assertRaises(KeyboardInterrupt):
                call(progress=interrupt, rays=2e6, threads=1)
            with self.assertRaisesRegex(hr.InputError, "reflectivity"):
                call(reflectivity=2)
        self.assertEqual(self.left(), [])

    def test_a_complete_series_that_cannot_be_read_back(self):
        for output in (None, self.folder / "series.h5"):
            with self.subTest(output), mock.patch.object(hr._core, "series_facts", side_effect=hr.InputError("series.h5: is damaged")) as reading:
                reading.side_effect.problems = [("series.h5", "is damaged", "", "")]
                with self.assertRaisesRegex(hr.InputError, r"(?s)is damaged\n.*: the complete result is in this file; open it with hr.open\(") as caught:
                    hr.trace_series(self.plant, SUNS, output=output, **SMALL)
            self.assertEqual(len(caught.exception.problems), 2)
            file = re.search(r"hr.open\('([^']*)'\)", str(caught.exception))[1]
            self.assertEqual(len(hr.open(file)), 4)
            self.assertEqual(output is None, pathlib.Path(file).parent != self.folder)

    def test_nothing_is_left_of_calls_that_end_well(self):
        series, aims = hr.trace_series(self.plant, SUNS, **SMALL), hr.aim(self.plant, SUNS, strategy="image_size", **SMALL)
        self.assertEqual((len(series), len(aims), len(self.left())), (4, 4, 1))
        del aims
        self.assertEqual(self.left(), [])


class LargeResults(unittest.TestCase):
    def test_series_of_many_heliostats(self):
        """Arrays above the 8 MiB that once could not be read back: 4 x 4 numbers for 20 steps of 3,500 heliostats."""
        plant = small_field(3500)
        steps = 20
        suns = {"azimuth": [120.0 + 6 * i for i in range(steps)], "elevation": [40.0] * steps, "dni": [900.0] * steps}
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "series.h5"
            series = hr.trace_series(plant, suns, output=file, rays=1, bitmap={"width": 8, "height": 8}, device="cpu", shading=False, blocking=False)
            again = hr.open(file)
            self.assertEqual((len(again), again.fingerprint), (steps, series.fingerprint))
            self.assertEqual(again[-1].orientations.shape, (3500, 4, 4))
            self.assertEqual(again[7].fingerprint, series[7].fingerprint)


if __name__ == "__main__":
    unittest.main()
