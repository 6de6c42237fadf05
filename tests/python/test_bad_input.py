# SPDX-License-Identifier: MIT
"""Bad input: the program's text as InputError, and no value of any kind ends the interpreter."""

import dataclasses
import inspect
import io
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import unittest

import numpy

from package import QUICKSTART, SMALL, SOURCE, hr, juelich, needs, refusal, small_field

HAS_TORCH = not needs("torch")
if HAS_TORCH:
    import helioray.torch
    try:
        helioray.torch.operators()
    except ImportError:
        HAS_TORCH = False
# No record of a heliostat, so that nothing is fitted.
RECORDS = SOURCE / "tutorials/12_calibration/paint/AA28"
TOWER = SOURCE / "configs/paint/tower-measurements.json"

CLOSED = open(os.devnull)
CLOSED.close()

CYCLE = []
CYCLE.append(CYCLE)
DEEP = []
for _ in range(5000):
    DEEP = [DEEP]

# Values that somebody may pass where another one is meant.
STRANGE = [None, True, False, 0, -1, 1.5, 1e308, 10**40, float("nan"), float("inf"), "", "x", 10**400, 10**5000, CYCLE, DEEP, b"\xff.h5", "/dev/null", "\0", "\ud800", "null", "a=b", b"x", b"\xff", [], [1, "x"], {},
           {"a": 1}, {1: 2}, (), (1, 2), (1, 2, 3), set(), object(), print, numpy.zeros(0), numpy.zeros((2, 2)), numpy.array(["x"]), numpy.float32("nan"),
           numpy.zeros(3, dtype=complex), range(3), io.StringIO(), pathlib.Path("/"), [[[[[[1]]]]]], lambda: 1, CLOSED, numpy.array([numpy.nan, 1.0, 2.0]), {"azimuth": [1.0], "elevation": [float("nan")]}]


class Messages(unittest.TestCase):
    def test_text_is_the_programs(self):
        for key, value in (("optics.reflectivity", 2), ("tracing.rays_per_heliostat", 0), ("aim.target", "receivr"),
                           ("sun.shape", {"type": "buie", "csr": 0.9})):
            with self.subTest(key), tempfile.TemporaryDirectory() as folder:
                section, _, word = key.partition(".")
                with self.assertRaises(hr.InputError) as caught:
                    hr.trace(QUICKSTART, **{section: {word: value}})
                there = refusal("raytrace", QUICKSTART, "--set", f"{key}={value}", folder=folder)
                # The program's messages begin with the option.
                self.assertEqual(str(caught.exception).replace("hr.trace: ", "--set "), there.replace("error: ", ""))
                where, what, _, _ = caught.exception.problems[0]
                self.assertIn(key, where)
                self.assertTrue(what)

    def test_keywords(self):
        for keywords, message in (({"slope_eror_mrad": 1}, "did you mean 'slope_error_mrad'"), ({"file": "x"}, "may be"),
                                  ({"sun": 3}, "no position of the sun"), ({"rays": 3, "tracing": {"rays_per_heliostat": 4}}, "is given twice"), ({"sun": "noon"}, "sun.time"), ({"sun": (180, -5)}, "horizon"),
                                  ({"optics": {"reflectivty": 1}}, "did you mean 'reflectivity'"), ({"rays": float("nan")}, "not a finite number"),
                                  ({"obstacles": {"type": "box"}}, "the key has a list of dicts"), ({"reflectivity": object()}, "cannot be a value")):
            with self.subTest(keywords), self.assertRaisesRegex(hr.InputError, message):
                hr.trace(juelich(), **{"sun": (180, 45), "target": "receiver", **keywords})

    def test_numbers_words_and_paths(self):
        """Each message names the argument, and shows a value of any size in a line."""
        plant, few = small_field(2), {"rays": 50, "device": "cpu"}
        field, run = hr.prepare(plant, sun=(180, 45), **SMALL), hr.trace(plant, sun=(180, 45), **SMALL)
        suns = {"azimuth": [170.0, 180.0, 190.0], "elevation": [40.0, 45.0, 40.0], "dni": [1000.0] * 3}
        table = hr.efficiency(plant, azimuths=[90, 180, 270], elevations=[20, 40, 60], **few)
        for message, call in (
                ("hr.efficiency: azimuths.2.: 'x' is not a number; give degrees", lambda: hr.efficiency(plant, azimuths=[1, 2, "x"], **few)),
                ("hr.efficiency: azimuths: 'all' is no list of degrees", lambda: hr.efficiency(plant, azimuths="all", **few)),
                ("hr.efficiency: declinations: 2.5 is not a whole number", lambda: hr.efficiency(plant, grid="year", declinations=2.5, **few)),
                ("hr.efficiency: grid: 3 is no text", lambda: hr.efficiency(plant, grid=3, **few)),
                ("hr.annual: hours: 1000000.* is not a whole number", lambda: hr.annual(plant, hours=10**40, **few)),
                ("hr.annual: min_elevation_deg: 1000.* is too large", lambda: hr.annual(plant, min_elevation_deg=10**400, **few)),
                ("field.set_sun: elevation_deg: None is not a number; give degrees", lambda: field.set_sun(180, None)),
                ("field.set_sun: dni: a value of type int is too large", lambda: field.set_sun(180, 45, 10**5000)),
                ("field.set_aim: H1: .0, 0, 10* ?.* is not 3 numbers", lambda: field.set_aim({"H1": (0, 0, 10**400)})),
                ("hr.trace_series: suns: dni.1.: nan is not a finite number .the sun is up, at 45 degrees.; leave such rows out",
                 lambda: hr.trace_series(plant, {**suns, "dni": [900.0, float("nan"), 900.0]}, **few)),
                ("hr.trace_series: suns: elevation_deg.2.: 95 is not a number from -90 to 90",
                 lambda: hr.trace_series(plant, {**suns, "elevation": [40.0, 45.0, 95.0]}, **few)),
                ("hr.trace_series: suns: dni_w_m2.0.: 20000 is not a number from 0 to 10000",
                 lambda: hr.trace_series(plant, {**suns, "dni": [20000.0, 900.0, 900.0]}, **few)),
                ("hr.trace_series: suns: elevation: 3 is no column", lambda: hr.trace_series(plant, {**suns, "elevation": 3}, **few)),
                ("optics.reflectivity: .* nested too deeply, or contain themselves", lambda: hr.trace(plant, sun=(180, 45), reflectivity=CYCLE, **few)),
                ("optics.reflectivity: a whole number of 16610 bits is too large", lambda: hr.trace(plant, sun=(180, 45), reflectivity=10**5000, **few)),
                ("hr.read: .* is not Unicode text", lambda: hr.read(b"\xff.h5")),
                (".*aim.*no heliostat.* azimuth 0.00, elevation 30.00 .*checks=False.$", lambda: hr.efficiency(
                    juelich(), target="multi_focus_tower", active=["AA39"], azimuths=[60, 180, 300], elevations=[20, 40, 60], **few)),
                ("min_elevation_deg: nan is not from 1 to 80", lambda: hr.annual(plant, min_elevation_deg=float("nan"), **few)),
                ("min_elevation_deg: 0 is not from 1 to 80", lambda: hr.efficiency(plant, grid="year", min_elevation_deg=0, elevations=[10, 30, 50], **few)),
                ("declinations: 100001 is not from 3 to 999", lambda: hr.annual(plant, declinations=100001, **few)),
                ("hours: 1001 is not from 3 to 999", lambda: hr.efficiency(plant, grid="year", hours=1001, **few)),
                ("year: 1800 is not from 1901 to 2149", lambda: hr.annual(plant, year=1800, **few)),
                ("year: -5 is not from 1901 to 2149", lambda: hr.annual(plant, year=-5, **few)),
                ("dni_levels: 1 is not from 3 to 99", lambda: hr.annual(plant, dni_levels=1, **few)),
                ("hr.trace: output: 'x.h5' is no dict of keys", lambda: hr.trace(plant, sun=(180, 45), output="x.h5", **few)),
                (r"hr.trace_series: sun: \(180, 45\) is given besides suns", lambda: hr.trace_series(plant, suns, sun=(180, 45), **few)),
                ("hr.aim: sun: {'time': '.*'} is given besides suns", lambda: hr.aim(plant, suns, sun={"time": "2026-06-21T12:00Z"}, **few)),
                ("run.plot: contours: is given with quantity", lambda: run.plot(quantity="efficiency", contours=True)),
                ("run.plot: targets: is given with quantity", lambda: run.plot(quantity="cosine", targets=["receiver"])),
                ("no/folder: the folder 'no' does not exist", lambda: table.export("sam", "no/folder")),
                ("/dev/null: .* not a folder", lambda: table.export("solarpilot", "/dev/null")),
                ("hr.trace_series: restart: 'no' is neither True nor False", lambda: hr.trace_series(plant, suns, restart="no", **few)),
                ("hr.annual: restart: 1 is neither True nor False", lambda: hr.annual(plant, restart=1, **few)),
                ("hr.from_layout: ground: 'pivot' is neither", lambda: hr.from_layout("field.csv", ground="pivot")),
                ("run.plot: logarithmic: 'log' is neither", lambda: run.plot(logarithmic="log")),
                ("run.plot: quantity: .'flux'. is no text", lambda: run.plot(quantity=["flux"])),
                ("no folder/x.png: the folder 'no folder' does not exist", lambda: run.plot("no folder/x.png")),
                ("no folder/x.gif: pictures cannot be written as '.gif'", lambda: run.plot("no folder/x.gif")),
                ("no folder/x.h5: the folder 'no folder' does not exist", lambda: run.write("no folder/x.h5")),
                ("no folder/x.html: the folder 'no folder' does not exist", lambda: run.report("no folder/x.html")),
                ("no folder/x.h5: the folder 'no folder' does not exist", lambda: plant.write("no folder/x.h5"))):
            with self.subTest(message), self.assertRaisesRegex(hr.InputError, "^" + message) as caught:
                call()
            self.assertLess(len(str(caught.exception)), 300)
            self.assertEqual(len(caught.exception.problems[0]), 4)

    def test_files(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "empty.h5").touch()
            content = (SOURCE / "configs/juelich.h5").read_bytes()
            (folder / "short.h5").write_bytes(content[:len(content) // 2])
            (folder / "config.yaml").write_text("scenario: nothing.h5\n  bad")
            for call in (lambda: hr.read(folder / "none.h5"), lambda: hr.read(folder), lambda: hr.read(folder / "empty.h5"),
                         lambda: hr.read(folder / "short.h5"), lambda: hr.open(folder / "empty.h5"), lambda: hr.open(SOURCE / "configs/juelich.h5"),
                         lambda: hr.trace(folder / "none.yaml"), lambda: hr.trace(folder / "config.yaml"), lambda: hr.trace(folder),
                         lambda: hr.generate(folder / "none.yaml"), lambda: hr.from_paint(folder), lambda: hr.from_solarpilot(folder / "none"), lambda: hr.from_soltrace(folder / "none")):
                with self.assertRaises(hr.InputError):
                    call()
            with self.assertRaises(hr.InputError):
                juelich().write(folder / "no" / "folder.h5")
            self.assertEqual(sorted(os.listdir(folder)), ["config.yaml", "empty.h5", "short.h5"])


class Fuzz(unittest.TestCase):
    """Strange values in every place: a message about the place, and the interpreter lives."""

    # What Python and nanobind say by themselves names no argument.
    of_themselves = (SystemError, AttributeError, UnboundLocalError, OverflowError, RecursionError)

    def attempt(self, call, *arguments, **keywords):
        try:
            call(*arguments, **keywords)
        except Exception as error:
            self.assertNotIsInstance(error, self.of_themselves, (call, keywords))
            self.assertNotIn("incompatible function arguments", str(error), (call, keywords))

    def attempt_core(self, call, *arguments):
        """The same for a function of the extension module, which nobody calls but the package."""
        try:
            call(*arguments)
        except Exception as error:
            self.assertNotIsInstance(error, (SystemError, UnboundLocalError), (call, arguments))

    def test_lists_have_every_function(self):
        text = inspect.getsource(type(self))
        for name in hr.__all__:
            value = getattr(hr, name)
            if inspect.isfunction(value) and inspect.signature(value).parameters:
                self.assertRegex(text, rf"attempt\(hr\.{name}\b|for call in \([^)]*\bhr\.{name}\b", f"the tests below call hr.{name}() with no strange values")

    def test_functions(self):
        plant, run, field = small_field(3), hr.trace(small_field(3), sun=(180, 45), **SMALL), hr.prepare(small_field(3), sun=(180, 45), **SMALL)
        if HAS_TORCH:
            tensors, module = plant.tensors(), helioray.torch.Field(plant, sun=(180, 45), **SMALL)
        with tempfile.TemporaryDirectory() as folder:
            before = os.getcwd()
            os.chdir(folder)
            try:
                for value in STRANGE:
                    for call in (hr.example, hr.read, hr.generate, hr.from_paint, hr.from_solarpilot, hr.from_soltrace, hr.from_layout, hr.open, hr.trace, hr.prepare, hr.annual, hr.aim,
                                 hr.trace_series, hr.calibrate, hr.reconstruct, plant.write, run.write, run.plot, run.report, field.set_aim, field.set_inactive, field.trace):
                        if call in (run.report, run.plot, field.trace) and value is None:
                            continue
                        self.attempt(call, value)
                    for call, keyword in ((plant.replace, "heliostats"), (plant.replace, "targets"), (plant.replace, "position"), (run.plot, "targets"),
                                          (run.plot, "quantity"), (run.array, "target"), (run.report, "title"), (hr.from_paint, "control_points")):
                        arguments = (SOURCE / "configs/paint",) if call is hr.from_paint else ()
                        self.attempt(call, *arguments, **{keyword: value})
                    for keyword in ("tower", "records", "test", "spot", "drives", "parameters", "mirrors", "update", "threads", "progress"):
                        self.attempt(hr.calibrate, RECORDS, **{"tower": TOWER, keyword: value} if keyword != "update" else {keyword: value})
                    for keyword in ("measured", "test", "truth", "heliostats", "image_kind", "threads"):
                        self.attempt(hr.reconstruct, plant, **{"measured": folder, keyword: value})
                    self.attempt(hr.reconstruct, value, folder)
                    self.attempt(hr.trace, plant, ranks=value if value is not True else 1, **SMALL)
                    self.attempt(field.trace, ranks=value if value is not True else 1)
                    if HAS_TORCH:
                        self.attempt(plant.tensors, target=value)
                        for keyword in ("parameters", "ranks", "sun", "rays", "target"):
                            self.attempt(helioray.torch.Field, plant, **{"sun": (180, 45), **SMALL, keyword: value})
                        self.attempt(module, value)
                        for member in ("parameters", "drives", "mirrors", "origin"):
                            self.attempt(lambda: dataclasses.replace(tensors, **{member: value}).plant())  # noqa: B023
                    self.attempt(plant.replace, targets={"receiver": value})
                    self.attempt(plant.replace, targets={"receiver": {"normal": value}})
                    self.attempt(field.set_sun, value, value, value)
                    self.attempt(field.set_aim, {"H1": value}, target=value)
                    for keyword in ("sun", "dni", "sun_shape", "rays", "target", "threads", "progress", "aim", "optics", "obstacles", "targets", "bitmap",
                                    "output", "device", "seed", "model", "active"):
                        self.attempt(hr.trace, plant, **{"sun": (180, 45), **SMALL, keyword: value})
            finally:
                os.chdir(before)
        self.assertEqual(field.set_sun(180, 45, 1000).trace().array().shape, (24, 32))

    def test_many_positions(self):
        """Calls that trace several positions of the sun, and what they return."""
        plant, few = small_field(2), {"rays": 50, "bitmap": {"width": 8, "height": 8}, "device": "cpu"}
        suns = {"azimuth": [170.0, 190.0], "elevation": [40.0, 45.0], "dni": [1000.0, 900.0]}
        sky = {"azimuths": [90, 180, 270], "elevations": [20, 40, 60]}
        year = {"declinations": 3, "hours": 3}
        with tempfile.TemporaryDirectory() as folder:
            before = os.getcwd()
            os.chdir(folder)
            try:
                series = hr.trace_series(plant, suns, output="series.h5", **few)
                aims, day = hr.aim(plant, sun=(180, 45), **few), hr.aim(plant, suns, **few)
                table, whole = hr.efficiency(plant, **sky, **few), hr.annual(plant, **year, **few)
                fit = hr.calibrate(RECORDS.parent / "AA39", tower=TOWER)
                for value in STRANGE:
                    self.attempt(hr.aim, plant, value, **few)
                    self.attempt(hr.aim, plant, {"azimuth": value, "elevation": value}, **few)
                    self.attempt(hr.trace_series, plant, value, **few)
                    self.attempt(hr.efficiency, value)
                    for keyword in ("output", "threads", "strategy", "flux_limit_kw_m2", "aiming"):
                        self.attempt(hr.aim, plant, **{"sun": (180, 45), **few, keyword: value})
                        self.attempt(hr.aim, plant, suns, **{**few, keyword: value})
                    for keyword in ("output", "threads", "dni"):
                        self.attempt(hr.trace_series, plant, suns, **{**few, keyword: value})
                    for keyword in ("azimuths", "elevations", "grid", "output", "min_elevation_deg", "declinations", "hours", "checks", "threads"):
                        self.attempt(hr.efficiency, plant, **{**sky, **few, keyword: value})
                    for keyword in ("output", "sky", "weather", "weather_time", "year", "min_elevation_deg", "declinations", "hours", "dni_levels"):
                        self.attempt(hr.annual, plant, **{**year, **few, keyword: value})
                    for call in (series.__getitem__, table.export, aims.write, day.write, table.write, whole.write, fit.write):
                        self.attempt(call, value)
                    for call in (aims.plot, aims.report, day.plot, table.plot, whole.report, fit.plot, fit.report):
                        if value is not None:
                            self.attempt(call, value)
                    for one in (aims, whole, fit):
                        self.attempt(one.report, title=value)
                    for keyword in ("absorptance", "panels", "target", "land_area_m2"):
                        self.attempt(table.sam, **{keyword: value})
                    self.attempt(table.export, "sam", value)
                    if HAS_TORCH:
                        self.attempt(lambda: helioray.torch.Field(plant, sun=(180, 45), edge_reach=value, **few)()[0].sum().backward())  # noqa: B023
                # A file that is gone or no longer what it was.
                pathlib.Path("series.h5").unlink(missing_ok=True)
                with self.assertRaises(hr.InputError):
                    series[0]
                pathlib.Path("series.h5").write_bytes(b"something else")
                with self.assertRaises(hr.InputError):
                    series[0]
            finally:
                os.chdir(before)
        self.assertEqual(day.runs[1].fingerprint, day.runs[-1].fingerprint)

    def test_core(self):
        core = hr._core
        names = [name for name in dir(core) if callable(getattr(core, name)) and not name.startswith("__")]
        self.assertGreater(len(names), 15)
        draw = random.Random(7)
        for name in names:
            for count in range(6):
                for _ in range(6):
                    self.attempt_core(getattr(core, name), *(draw.choice(STRANGE) for _ in range(count)))
        # Objects that were never initialised.
        for name in ("Plant", "Result", "Field", "Source", "Call", "Year", "Aims", "Suns", "Weather", "Efficiency", "Calibration", "Reconstruction"):
            kind = getattr(core, name)
            empty = kind.__new__(kind)
            for member in (one for one in dir(kind) if not one.startswith("__")):
                self.attempt_core(lambda: getattr(empty, member)())  # noqa: B023

    def test_torch(self):
        if not HAS_TORCH:
            self.skipTest("no operators of PyTorch")
        field = helioray.torch.Field(small_field(3), sun=(180, 45), **SMALL)
        for sun in (helioray.torch.torch.zeros(0), helioray.torch.torch.zeros(3, 3), helioray.torch.torch.zeros(5, 3)):
            for call in (field, field.orientations):
                with self.assertRaisesRegex(hr.InputError, r"sun: a tensor of shape \[.*\] is no direction"):
                    call(sun)
        torch = helioray.torch.torch
        for flux in (None, 1, torch.zeros(3), torch.zeros(9, 24, 32), torch.zeros(1, 12, 16), torch.zeros(1, 24, 32, dtype=torch.complex128)):
            with self.assertRaisesRegex(hr.InputError, "is no flux of this field"):
                field.power(flux)
        for sun, message in (([0, 0, 0], "sun_direction has no length"), ([float("nan"), 0, 1], "sun_direction has NaN"), (torch.zeros(3, device="meta"), "sun: is on device meta"),
                             (torch.zeros(3).to_sparse(), "sun: .* layout torch.sparse_coo"), (torch.ones(3, dtype=torch.complex64), "sun: is of type torch.complex64")):
            for call in (field, field.orientations):
                with self.subTest(message), self.assertRaisesRegex(hr.InputError, message):
                    call(sun)
        for keys, message in (({"device": "tpu"}, "device: 'tpu' cannot be used"), ({"device": "meta"}, "device: no rays are traced on 'meta'"),
                              ({"device": object()}, "device: .* cannot be used"), ({"edge_reach": -1}, "edge_reach must be 0 or at least"),
                              ({"edge_reach": float("nan")}, "edge_reach must be 0 or at least")):
            with self.subTest(keys), self.assertRaisesRegex(hr.InputError, message):
                helioray.torch.Field(small_field(3), sun=(180, 45), **{**SMALL, **keys})()

    def test_torch_tensors(self):
        """Every member of Tensors with another form or with impossible values, in a Field and on the way back."""
        if not HAS_TORCH:
            self.skipTest("no operators of PyTorch")
        torch = helioray.torch.torch
        tensors = small_field(3).tensors(sun=(180, 45), **SMALL)
        mirrors = tensors.mirrors[0]
        nan = float("nan")
        shapes = ("parameters", "drives", "targets", "target_index", "aim_points", "motor_positions", "sun")
        cases = [(name, getattr(tensors, name)[:2] if name != "targets" else tensors.targets[:, :5], "has shape") for name in shapes]
        cases += [(name, getattr(tensors, name).to(torch.complex64), "is of type torch.complex64") for name in shapes]
        cases += [(name, 3, "3 is no tensor") for name in shapes]
        cases += [(name, getattr(tensors, name).to("meta"), "is on device meta") for name in shapes]
        cases += [(name, getattr(tensors, name) * nan, "has NaN") for name in ("parameters", "targets", "aim_points")]
        cases += [("target_index", tensors.target_index + 7, "is from 7 to 7 .the plant has 1 targets"), ("config", 3, "is no text"), ("heliostats", [1], "no list of texts"),
                  ("target_names", 3, "no list of texts"), ("kinematics", ["rigid_body"], "has 1 entries"), ("origin", 3, "is no plant"), ("mirrors", 3, "no list of Mirrors")]
        cases += [("mirrors", [dataclasses.replace(mirrors, **{member: value})], rf"\[0\].{member}: {message}") for member, value, message in
                  (("heliostats", 3, "3 is no tensor"), ("heliostats", mirrors.heliostats.double(), "is of type"), ("heliostats", mirrors.heliostats[0], "has shape"),
                   ("rows", mirrors.rows[..., :3], "has shape"), ("degrees", "x", "'x' is no pair of degrees"))]
        for name, value, message in cases:
            changed = dataclasses.replace(tensors, **{name: value})
            for call in (lambda: helioray.torch.Field(changed), changed.plant, lambda: changed.aim):  # noqa: B023
                with self.subTest(name, value=value), self.assertRaisesRegex(hr.InputError, rf"^tensors.{name}.*{message}"):
                    call()
        # What only the operators look at.
        for change, message in (({"targets": tensors.targets * 0}, r"targets\[0\]: the normal has no length"), ({"target_index": tensors.target_index * 0 - 1}, "no heliostat serves a target"),
                                ({"config": "x: ["}, "not valid YAML"), ({"kinematics": 3 * ["hinge"]}, "kinematics must be"), ({"mirrors": []}, "has no mirror yet"),
                                ({"sun": tensors.sun * 0}, "sun_direction has no length"), ({"aim_points": tensors.parameters[:, :3]}, r"aim_points\[0\]: no mirror normal exists"),
                                ({"mirrors": [dataclasses.replace(mirrors, heliostats=mirrors.heliostats + 9)]}, "heliostats must be from 0 to 2")):
            with self.subTest(message), self.assertRaisesRegex(hr.InputError, f"^helioray.torch.Field: .*{message}"):
                helioray.torch.Field(dataclasses.replace(tensors, **change))()

    def test_torch_parameters(self):
        """What becomes of a field's parameters between calls."""
        if not HAS_TORCH:
            self.skipTest("no operators of PyTorch")
        torch = helioray.torch.torch

        def assigned(field):
            field.aim_points = torch.nn.Parameter(torch.zeros(2, 3, dtype=torch.float64))
        nan = float("nan")
        for change, message in ((lambda one: one.aim_points.fill_(nan), "aim_points has NaN"), (lambda one: one.kinematics.fill_(nan), "kinematics has NaN"),
                                (lambda one: one.optics.fill_(-1), "the DNI, must be above 0"), (lambda one: one.half(), "is of type torch.float16"),
                                (lambda one: one.to("meta"), "is on device meta"), (assigned, r"aim_points: has shape \[2, 3\]")):
            field = helioray.torch.Field(small_field(3), sun=(180, 45), parameters=["aim_points", "kinematics", "optics"], **SMALL)
            with torch.no_grad():
                change(field)
                with self.subTest(message), self.assertRaisesRegex(hr.InputError, f"^helioray.torch.Field: .*{message}"):
                    field()

    def test_torch_failures(self):
        """Only refusals become InputError, without the stack trace that TORCH_SHOW_CPP_STACKTRACES adds."""
        if not HAS_TORCH:
            self.skipTest("no operators of PyTorch")
        with self.assertRaises(hr.InputError) as caught, helioray.torch._convert_refusals("there"):
            raise RuntimeError("optics[1] is bad\nException raised from checked at checks.cpp:3 (most recent call first):\nframe #0")
        self.assertEqual((str(caught.exception), caught.exception.problems), ("there: optics[1] is bad", [("there", "optics[1] is bad", "", "")]))
        for failure in (helioray.torch.torch.OutOfMemoryError("no memory"), RuntimeError("DefaultCPUAllocator: can't allocate memory"), NotImplementedError("jvp"), KeyError("x")):
            with self.assertRaises(type(failure)) as caught, helioray.torch._convert_refusals("there"):
                raise failure
            self.assertIs(caught.exception, failure)

    def test_names_of_no_file(self):
        for name in (100_000 * "x", 5000 * "../"):
            for call in (lambda: hr.calibrate(name, tower=TOWER), lambda: hr.reconstruct(small_field(2), name)):  # noqa: B023
                with self.assertRaisesRegex(hr.InputError, "File name too long; check the path"):
                    call()


class DamagedFiles(unittest.TestCase):
    """What is left of a file is read, or the program's text says what is wrong; nothing ends the interpreter, nothing takes long."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_file_that_crashes_the_library(self):
        """As the program's test of such a file."""
        content = bytearray((SOURCE / "configs/juelich.h5").read_bytes())
        content[72402] ^= 0x10
        file = self.folder / "scenario.h5"
        file.write_bytes(content)
        for _ in range(2):
            # HDF5 1.14 does not crash and says what it cannot read.
            with self.assertRaisesRegex(hr.InputError, "scenario.h5: .*(damaged.*; make or copy it again|cannot be listed)"):
                hr.read(file)
        # A file of the same name and size that is whole.
        file.write_bytes((SOURCE / "configs/juelich.h5").read_bytes())
        self.assertEqual(hr.read(file), juelich())

    def test_without_children(self):
        """Where others take the status of children away, a damaged file is still found."""
        code = ("import signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); import helioray as hr\n"
                "hr.read(sys.argv[1])\n"
                "try: hr.read(sys.argv[2])\n"
                "except hr.InputError as error: print(error)")
        content = bytearray((SOURCE / "configs/juelich.h5").read_bytes())
        content[72402] ^= 0x10
        (self.folder / "bad.h5").write_bytes(content)
        done = subprocess.run([sys.executable, "-c", code, SOURCE / "configs/juelich.h5", self.folder / "bad.h5"], capture_output=True, text=True)
        self.assertRegex(done.stdout, "bad.h5: .*(reading it crashed|cannot be listed)", done.stderr)

    def test_threads_and_forks(self):
        """Threads that read at once do not wait for each other for ever, and neither does a fork of their process."""
        code = """if True:
            import os, sys, threading
            import helioray as hr
            stop = []
            def read():
                while not stop:
                    os.utime(sys.argv[1])
                    hr.read(sys.argv[1])
            threads = [threading.Thread(target=read) for _ in range(3)]
            for thread in threads:
                thread.start()
            for _ in range(10):
                child = os.fork()
                if child == 0:
                    try:
                        hr.read(sys.argv[1])
                    except hr.InputError as error:
                        os._exit(0 if "forked while another thread" in str(error) else 1)
                    os._exit(0)
                print(os.waitpid(child, 0)[1])
            stop.append(True)
            for thread in threads:
                thread.join()"""
        small_field(2).write(self.folder / "plant.h5")
        done = subprocess.run([sys.executable, "-c", code, self.folder / "plant.h5"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stdout, 10 * "0\n", done.stderr)

    def test_names_that_are_not_utf_8(self):
        run = hr.trace(small_field(2), sun=(180, 45), output={"per_heliostat": True}, **SMALL)
        run.write(self.folder / "run.h5")
        content = (self.folder / "run.h5").read_bytes()
        self.assertIn(b"receiver", content)
        (self.folder / "run.h5").write_bytes(content.replace(b"receiver", b"receive\xfc"))
        again = hr.open(self.folder / "run.h5")
        self.assertIn("receive\ufffd", again.targets.index)
        self.assertEqual(again.fingerprint, run.fingerprint)

    def test_mutations(self):
        plant = small_field(2)
        few = {**SMALL, "rays": 50}
        plant.write(self.folder / "plant.h5")
        hr.trace(plant, sun=(180, 45), **few).write(self.folder / "run.h5")
        hr.trace_series(plant, {"azimuth": [170.0, 180.0], "elevation": [40.0, 45.0]}, dni=1000, output=self.folder / "series.h5", **few)
        hr.annual(plant, declinations=3, hours=3, **few).write(self.folder / "year.h5")
        hr.efficiency(plant, azimuths=[90, 180, 270], elevations=[20, 40, 60], **few).write(self.folder / "sky.h5")
        files = [(hr.read, SOURCE / "configs/juelich.h5"), (hr.read, self.folder / "plant.h5")]
        files += [(hr.open, self.folder / name) for name in ("run.h5", "series.h5", "year.h5", "sky.h5")]
        draw = random.Random(11)
        damaged = self.folder / "damaged.h5"
        read = 0
        for call, file in files:
            content = file.read_bytes()
            for _ in range(40):
                changed = bytearray(content)
                at = draw.randrange(len(changed))
                how = draw.randrange(5)
                if how == 0:
                    changed = changed[:at]
                elif how == 1:
                    changed[at:at + 64] = draw.randbytes(len(changed[at:at + 64]))
                elif how == 2:
                    changed[at:at + 512] = bytes(len(changed[at:at + 512]))
                else:
                    for place in [at, *(draw.randrange(len(changed)) for _ in range(how - 3))]:
                        changed[place] ^= 1 << draw.randrange(8)
                damaged.unlink(missing_ok=True)
                damaged.write_bytes(changed)
                start = time.monotonic()
                try:
                    repr(call(damaged))
                    read += 1
                except hr.InputError as error:
                    self.assertIn("damaged.h5", str(error))
                self.assertLess(time.monotonic() - start, 20)
        self.assertGreater(read, 20)


if __name__ == "__main__":
    unittest.main()
