# SPDX-License-Identifier: MIT
"""Keywords are known to editors, type checkers and help(); errors speak Python; what users try first works or names the right call."""

import importlib.util
import inspect
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

import golden_messages
import numpy
from package import FINGERPRINT, QUICKSTART, SMALL, SOURCE, hr, juelich, needs, small_field

SUN = {"sun": (180, 45), "target": "multi_focus_tower"}
POINT = (-17.6, -2.7, 52.0)


def refused(call):
    """The text of the InputError that a call raises."""
    try:
        call()
    except hr.InputError as error:
        return str(error)
    raise AssertionError("nothing was refused")


class Signatures(unittest.TestCase):
    CALLS = ("trace", "trace_series", "annual", "efficiency", "aim", "prepare")

    def test_every_keyword_is_a_parameter(self):
        keys = hr._core.known_keys()
        for name in self.CALLS:
            parameters = inspect.signature(getattr(hr, name)).parameters
            for word in ("slope_error_mrad", "reflectivity", "dni", "rays", "sun_shape", "target", "optics", "per_heliostat", "flux_limit_kw_m2"):
                self.assertIn(word, parameters, name)
            self.assertNotIn("keys", parameters)
            self.assertLessEqual({path.split(".")[0].removesuffix("[]") for path in keys}, set(parameters))
        for name in ("generate", "from_layout"):
            self.assertLessEqual({"heliostats", "receiver", "optical_height_m", "layout"}, set(inspect.signature(getattr(hr, name)).parameters))

    @unittest.skipIf(needs("jedi"), needs("jedi"))
    def test_jedi_completes(self):
        """The completion of Jupyter and IPython."""
        import jedi
        for call, expected in (("hr.trace(plant, sl", {"slope_error=", "slope_error_mrad="}), ("hr.generate(helio", {"heliostat=", "heliostats="}),
                               ("hr.aim(plant, flux_l", {"flux_limit=", "flux_limit_kw_m2="}), ("hr.prepare(plant, ray", {"rays=", "rays_per_heliostat="})):
            found = {one.name for one in jedi.Interpreter(call, [{"hr": hr, "plant": None}]).complete()}
            self.assertLessEqual(expected, found, call)

    def test_help_lists_keys(self):
        text = inspect.getdoc(hr.trace)
        for path in hr._core.known_keys():
            info = hr._core.key_info(path)
            self.assertIn(info["meaning"], text, path)
            self.assertIn(info["range"], text, path)
            self.assertIn(info["default"], text, path)
        self.assertRegex(text, r"dni_w_m2 \(dni\): .*W/m2: above 0 to 10000; default 1000")
        self.assertRegex(inspect.getdoc(hr.generate), "optical_height_m: .* m: above 0 to 2000; required")

    def test_stored_types_are_those_of_the_declarations(self):
        for kind, name in (("run", "typed_keys.py"), ("field", "typed_field_keys.py")):
            done = subprocess.run([sys.executable, SOURCE / "scripts/python_keys", kind], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout, (SOURCE / "python/helioray/_input" / name).read_text(),
                             f"write it again: scripts/python_keys {kind} > python/helioray/_input/{name}")


class TypeCheckers(unittest.TestCase):
    GOOD = """\
import datetime
import numpy
import pathlib
import helioray as hr
plant = hr.generate(hr.example("field"), heliostats=numpy.int64(50), receiver={"type": "cylinder", "radius_m": 2, "height_m": 5.0})
hr.trace(plant, sun=(180, 45), rays=1e5, slope_error_mrad=numpy.float64(1.5), dni=None, sun_shape=hr.Buie(0.05), output={"file": "run.h5"})
hr.trace(pathlib.Path("plant.h5"), sun=numpy.array([180, 45]), optics={"reflectivity": 0.9}, attenuation="mirval", point=numpy.zeros(3), shading=False)
optics = {"reflectivity": 0.9, "slope_error_mrad": 1}
hr.trace("run.yaml", optics=optics, attenuation={"model": "exponential", "per_km": 0.1}, seed=7, sun=datetime.datetime.now(datetime.timezone.utc))
hr.trace_series(plant, None, output="day.h5", sun={"times": {"start": "2026-06-21T06:00:00+02:00"}}, bitmap={"width": 64, "height": 32})
hr.aim(plant, sun="2026-06-21T12:00:00+02:00", strategy="optimize", flux_limit_kw_m2=600, target_shares={"north": 0.6, "south": 0.4})
hr.prepare(plant, sun=[180, 45], active=["H1"], heliostats={"H1": {"active": False}}, obstacles=[{"type": "box"}])
"""
    BAD = """\
import helioray as hr
plant = hr.read("plant.h5")
hr.trace(plant, slope_eror_mrad=1.5)
hr.trace_series(plant, None, slope_eror_mrad=1.5)
hr.annual(plant, reflectivity="high")
hr.efficiency(plant, ray=1e4)
hr.generate(heliostat_count=3)
hr.aim(plant, None, flux_limt_kw_m2=600)
hr.prepare(plant, sun=12.5)
"""

    def check(self, text, *command):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "user.py"
            file.write_text(text)
            return subprocess.run([sys.executable, "-m", *command, str(file)], capture_output=True, text=True, cwd=folder)

    @unittest.skipIf(needs("mypy"), needs("mypy"))
    def test_mypy(self):
        with tempfile.TemporaryDirectory() as cache:
            # Some builds of Python have no SQLite, in which mypy keeps its cache by default.
            mypy = ("mypy", "--strict", "--ignore-missing-imports", "--python-version", "3.10", "--no-sqlite-cache", "--cache-dir", cache)
            done = self.check(self.BAD, *mypy)
            for line, text in ((3, "slope_eror_mrad"), (4, "slope_eror_mrad"), (5, "reflectivity"), (6, '"ray"'), (7, "heliostat_count"), (8, "flux_limt_kw_m2"), (9, '"sun"')):
                self.assertRegex(done.stdout, f"user.py:{line}: error: .*{text}")
            good = self.check(self.GOOD, *mypy)
            self.assertEqual(good.returncode, 0, good.stdout)


class PythonsWords(unittest.TestCase):
    def test_a_value_instead_of_a_dict(self):
        plant = juelich()
        for keys, text in (({"optics": 0.9}, "hr.trace: optics: 0.9 is no dict of keys; write optics={'reflectivity': 0.935}"),
                           ({"sun_shape": "buie"}, "hr.trace: sun_shape: 'buie' is no dict of keys; write sun_shape={'type': 'gaussian'}"),
                           ({"slope_error": 1.5}, "hr.trace: slope_error: 1.5 is no dict of keys; write slope_error_mrad=1.5"),
                           ({"optics": {"slope_error": 1.5}}, "hr.trace: optics.slope_error: 1.5 is no dict of keys; write slope_error_mrad=1.5"),
                           ({"bitmap": (64, 64)}, "hr.trace: bitmap: (64, 64) is no dict of keys; write bitmap={'width': 256}"),
                           ({"aim": {"heliostats": ["AA31"]}}, "hr.trace: aim.heliostats: ['AA31'] is no dict of keys; write heliostats={...: {'target': 'multi_focus_tower'}}"),
                           ({"obstacles": {"type": "box"}}, "hr.trace: obstacles: is a dict (the key has a list of dicts); write obstacles=[{'name': 'tower'}]")):
            with self.subTest(keys):
                self.assertEqual(refused(lambda: hr.trace(plant, **{**SUN, **keys})), text)

    def test_no_message_speaks_yaml(self):
        plant = juelich()
        wrong = ({"reflectivity": [0.9]}, {"reflectivity": "high"}, {"rays": {"a": 1}}, {"point": 3}, {"point": [1, 2]}, {"active": {"AA31": True}}, {"shading": "perhaps"},
                 {"attenuation": 0.1}, {"attenuation": "exponential"}, {"attenuation": {"per_km": 0.1}}, {"attenuation": {"model": "polynomial"}}, {"sun_shape": {"sigma_mrad": 2}},
                 {"sun": {"azimuth_deg": 180}}, {"sun": {"times": 3}}, {"sun": {"positions": 3}}, {"targets": {"multi_focus_tower": {"outline_m": 3}}},
                 {"obstacles": ["tower"]}, {"obstacles": 3}, {"aim": {"heliostats": {"AA31": [1, 2, 3]}}}, {"rays": 1.5}, {"seed": -1}, {"target": ["a"]}, {"model": 3})
        for keys in wrong:
            with self.subTest(keys):
                text = refused(lambda: hr.trace(plant, **{**SUN, **keys}))
                self.assertTrue(text.startswith("hr.trace"), text)
                for word in (r"\bmap of keys", r"\blines\b", r"key: value", r"\{[a-z_]+: ", r"[a-z]: [a-z]+$", r"\byaml\b", "indent"):
                    self.assertNotRegex(text.partition(": ")[2], word)


    def test_warnings_name_keywords(self):
        from helioray._input.calls import python_words
        self.assertEqual(python_words("give --azimuths 0:345:24 or a range across north (-90:90:13), and --elevations up to 90"),
                         "give azimuths numpy.linspace(0, 345, 24) or a range across north (numpy.linspace(-90, 90, 13)), and elevations up to 90")
        self.assertEqual(python_words("see --weather-time; the sun at 12:30:00+02:00; a--b"), "see weather_time; the sun at 12:30:00+02:00; a--b")
        with self.assertWarnsRegex(hr.HelioRayWarning, r"give azimuths numpy.linspace\(0, "):
            hr.efficiency(small_field(3), azimuths=[90, 180, 270], elevations=[20, 40, 60], checks=False, **SMALL)


class FirstTries(unittest.TestCase):
    def test_a_scenario_file_is_a_source(self):
        file = hr.example("juelich")
        run = hr.trace(str(file), sun=(180, 45), sun_shape=hr.Pillbox(4.65), target="multi_focus_tower", rays=1e4, slope_error_mrad=1.0)
        plant = hr.trace(juelich(), sun=(180, 45), sun_shape=hr.Pillbox(4.65), target="multi_focus_tower", rays=1e4, slope_error_mrad=1.0)
        self.assertEqual(run.fingerprint, plant.fingerprint)
        suns = {"azimuth": [170, 180], "elevation": [40, 45]}
        self.assertIn("has no column dni, and no irradiance is given", refused(lambda: hr.trace_series(file, suns, target="multi_focus_tower", **SMALL)))
        self.assertEqual(len(hr.trace_series(file, suns, dni=900, target="multi_focus_tower", **SMALL)), 2)
        self.assertEqual(hr.prepare(file, **SUN, **SMALL).trace().energy.keys(), run.energy.keys())
        with tempfile.TemporaryDirectory() as folder:
            result = pathlib.Path(folder) / "run.h5"
            run.write(result)
            self.assertIn("run.h5", refused(lambda: hr.trace(result, **SUN)))

    def test_examples_without_a_name_are_listed(self):
        text = refused(hr.example)
        self.assertIn("aiming, field, field_run, juelich, quickstart, series", text)
        golden_messages.check_message(self, "python", "no name of an example", text)

    def test_what_is_no_source(self):
        run = hr.trace(juelich(), **SUN, **SMALL)
        for wrong in (run, {"scenario": "a.h5"}, 3, None, [juelich()]):
            text = refused(lambda: hr.trace(wrong, **SUN))
            self.assertIn("is no plant", text)
            if isinstance(wrong, (int, dict)):
                golden_messages.check_message(self, "python", f"a plant of type {type(wrong).__name__}", text)

    def test_modules_do_not_hide_verbs(self):
        for name, call in (("run", "hr.trace"), ("series", "hr.trace_series"), ("year", "hr.annual"), ("plant", "hr.read or hr.generate"), ("field", "hr.prepare"),
                           ("aiming", "hr.aim"), ("calibration", "hr.calibrate"), ("reconstruction", "hr.reconstruct"), ("sky", "hr.efficiency"),
                           ("sweep", "hr.trace in a loop over the values")):
            with self.assertRaisesRegex(AttributeError, f"^module 'helioray' has no attribute '{name}'; use {call}$"):
                getattr(hr, name)
        self.assertFalse(hasattr(hr, "nothing_of_this_name"))
        self.assertEqual({name for name in dir(hr) if not name.startswith("_")}, {name for name in hr.__all__ if not name.startswith("_")})

    def test_aim_points_as_array(self):
        plant = juelich()
        names = list(plant.heliostats.index) if importlib.util.find_spec("pandas") else plant._core.heliostats()["name"]
        points = numpy.array([POINT] * len(names)) + numpy.arange(len(names))[:, None] * 0.1
        by_name = hr.prepare(plant, **SUN, **SMALL).set_aim(dict(zip(names, points))).trace()
        for given in (points, points.tolist(), tuple(map(tuple, points))):
            self.assertEqual(hr.prepare(plant, **SUN, **SMALL).set_aim(given).trace().fingerprint, by_name.fingerprint)
        field = hr.prepare(plant, **SUN, **SMALL)
        self.assertIn("has 2 points for 3 heliostats", refused(lambda: field.set_aim(points[:2])))
        self.assertIn("is not 3 numbers", refused(lambda: field.set_aim(points[:, :2])))
        self.assertIn("has no points", refused(lambda: field.set_aim(3.0)))

    @unittest.skipIf(needs("pandas"), needs("pandas"))
    def test_aim_points_as_frame(self):
        plant = juelich()
        aims = hr.aim(plant, strategy="image_size", **SUN, **SMALL)
        by_frame = hr.prepare(plant, **SUN, **SMALL).set_aim(aims.points).trace()
        self.assertEqual(by_frame.fingerprint, hr.trace(plant, aim=aims.setting, **{**SMALL, "sun": (180, 45)}).fingerprint)
        self.assertIn("the frame has no column up", refused(lambda: hr.prepare(plant, **SUN, **SMALL).set_aim(aims.points.drop(columns="up"))))

    def test_layout_as_array_and_dict(self):
        places = numpy.array([[0.0, 60.0], [10.0, 70.0], [-10.0, 70.0]])
        template = hr.example("field")
        made = hr.from_layout(places, template)
        self.assertEqual(len(made), 3)
        heights = hr.from_layout(numpy.column_stack([places, [3.0, 3.5, 4.0]]), template)
        self.assertEqual(heights._core.heliostats()["up_m"].tolist() if hasattr(heights._core.heliostats()["up_m"], "tolist") else heights._core.heliostats()["up_m"], [3.0, 3.5, 4.0])
        named = hr.from_layout({"name": ["# a", "b", "c"], "x": places[:, 0], "y": places[:, 1]}, template)
        self.assertEqual(list(named._core.heliostats()["name"]), ["# a", "b", "c"])
        self.assertEqual(made._core.heliostats()["east_m"].tolist() if hasattr(made._core.heliostats()["east_m"], "tolist") else made._core.heliostats()["east_m"], places[:, 0].tolist())
        for wrong in (3, None, [1, 2, 3], [], [[1, 2, 3, 4]], numpy.zeros((2, 2, 2)), ["ab", "cd"]):
            with self.subTest(wrong):
                self.assertIn("hr.from_layout: table", refused(lambda: hr.from_layout(wrong, template)))
        self.assertIn("columns of different lengths", refused(lambda: hr.from_layout({"x": [1, 2], "y": [1]}, template)))


class Magnitudes(unittest.TestCase):
    def warned(self, call):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        return [(str(one.message), one.filename) for one in caught if issubclass(one.category, hr.HelioRayWarning)]

    def test_other_units_warn(self):
        plant = small_field(3)
        for keys, text in (({"sun": (3.1, 0.8)}, "radians; if they are, give 177.617 and 45.8366"),
                           ({"dni": 0.9}, "0.9 W/m2 is unusually small; if it is in kW/m2, give 900"),
                           ({"slope_error_mrad": 0.0015}, "0.0015 mrad is unusually small; if it is in rad, give 1.5"),
                           ({"specularity_error": {"type": "pillbox", "half_angle_mrad": 0.0008}}, "0.0008 mrad is unusually small; if it is in rad, give 0.8"),
                           ({"sun_shape": hr.Pillbox(0.00465)}, "0.00465 mrad is unusually small; if it is in rad, give 4.65"),
                           ({"sun_shape": hr.Gaussian(0.00209)}, "0.00209 mrad is unusually small; if it is in rad, give 2.09")):
            with self.subTest(keys):
                found = [one for one in self.warned(lambda: hr.trace(plant, **{"sun": (180, 45), **SMALL, **keys})) if text in one[0]]
                self.assertEqual([file for _, file in found], [__file__])

    def test_prepared_fields_warn(self):
        field = hr.prepare(small_field(3), sun=(180, 45), **SMALL)
        angles, irradiance = (text for text, _ in self.warned(lambda: field.set_sun(3.1, 0.8, dni=0.9)))
        self.assertRegex(angles, "^field.set_sun: .*radians.*177.617 and 45.8366")
        self.assertRegex(irradiance, "^field.set_sun: dni: .*kW/m2, give 900")
        golden_messages.check_message(self, "python", "field.set_sun in other units", f"{angles}\n{irradiance}")

    def test_they_explain_failures(self):
        """Motors that reach no such sun are a consequence."""
        with self.assertRaisesRegex(hr.InputError, "no motor position"), self.assertWarnsRegex(hr.HelioRayWarning, "seem to be in radians"):
            hr.trace(juelich(), **{**SUN, **SMALL, "sun": (3.1, 0.8)})

    def test_usual_values_do_not(self):
        plant = small_field(3)
        for keys in ({"sun": (180, 1.2)}, {"sun": (0, 60)}, {"dni": 5}, {"slope_error_mrad": 0}, {"slope_error_mrad": 0.1}, {"sun_shape": hr.Pillbox(4.65)}, {"sun": (350, 1)}):
            with self.subTest(keys):
                found = self.warned(lambda: hr.trace(plant, **{"sun": (180, 45), **SMALL, **keys}))
                self.assertEqual([text for text, _ in found if "unusually" in text or "radians" in text], [])


class Examples(unittest.TestCase):
    def test_they_come_with_the_package(self):
        self.assertEqual(len(hr.read(hr.example("juelich"))), 3)
        self.assertEqual(hr.trace(hr.example("quickstart")).fingerprint, FINGERPRINT)
        self.assertEqual(hr.example("quickstart").read_text(), QUICKSTART.read_text())
        self.assertEqual(len(hr.generate(hr.example("field"), heliostats=5)), 5)
        self.assertRegex(refused(lambda: hr.example("jülich")), r"there is no example 'jülich'; choose one of aiming, field, field_run, juelich, quickstart, series$")


if __name__ == "__main__":
    unittest.main()
