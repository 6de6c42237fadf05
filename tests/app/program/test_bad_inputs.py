# SPDX-License-Identifier: MIT
"""Every bad input ends with exit code 2, one readable message that names the place, and no file."""

import shutil
import unittest

import h5py
import numpy as np

from harness import CONFIG, ProgramTest, SCENARIO

GOOD = CONFIG.format(scenario="scenario.h5", rays="1000")


def replaced(old, new):
    assert old in GOOD, old
    return GOOD.replace(old, new)


# name -> (text of the configuration, fragments of the message)
CONFIGS = {
    "syntax": ("sun: {azimuth_deg: 1\n", ["run.yaml:"]),
    "tabs": ("sun:\n\tazimuth_deg: 1\n", ["run.yaml:2"]),
    "empty": ("", ["run.yaml"]),
    "not a map": ("- 1\n- 2\n", ["run.yaml"]),
    "no scenario": (replaced("scenario: scenario.h5\n", ""), ["scenario"]),
    "no sun": (replaced("sun: {", "aim_: {"), ["sun"]),
    "unknown top-level key": (GOOD + "tracng: {}\n", ["run.yaml:9", "tracng", "tracing"]),
    "unknown nested key": (replaced("reflectivity", "reflectivty"), ["run.yaml:4", "optics.reflectivty", "reflectivity"]),
    "key without unit": (replaced("azimuth_deg", "azimuth"), ["run.yaml:2", "sun.azimuth", "azimuth_deg"]),
    "duplicate key": (GOOD + "device: cpu\n", ["run.yaml:9", "device"]),
    "text for a number": (replaced("elevation_deg: 45.0", "elevation_deg: high"), ["run.yaml:2", "sun.elevation_deg", "high"]),
    "list for a number": (replaced("elevation_deg: 45.0", "elevation_deg: [45]"), ["run.yaml:2", "sun.elevation_deg"]),
    "number with a unit": (replaced("dni_w_m2: 1000", "dni_w_m2: 1000 W"), ["run.yaml:2", "sun.dni_w_m2"]),
    "nan": (replaced("dni_w_m2: 1000", "dni_w_m2: .nan"), ["run.yaml:2", "sun.dni_w_m2"]),
    "negative dni": (replaced("dni_w_m2: 1000", "dni_w_m2: -5"), ["run.yaml:2", "sun.dni_w_m2", "-5"]),
    "sun below the horizon": (replaced("elevation_deg: 45.0", "elevation_deg: -3"), ["sun.elevation_deg", "horizon"]),
    "sun above the zenith": (replaced("elevation_deg: 45.0", "elevation_deg: 95"), ["run.yaml:2", "sun.elevation_deg"]),
    "azimuth without elevation": (replaced("elevation_deg: 45.0, ", ""), ["run.yaml:2", "elevation_deg"]),
    "two sun positions": (replaced("azimuth_deg: 180.0", "azimuth_deg: 180.0, incident_direction: [0, 1, -1]"),
                          ["run.yaml:2", "incident_direction"]),
    "incident direction of length 0": (replaced("azimuth_deg: 180.0, elevation_deg: 45.0", "incident_direction: [0, 0, 0]"),
                                       ["sun.incident_direction"]),
    "incident direction upwards": (replaced("azimuth_deg: 180.0, elevation_deg: 45.0", "incident_direction: [0, 0, 1]"),
                                   ["sun.incident_direction"]),
    "incident direction of two numbers": (replaced("azimuth_deg: 180.0, elevation_deg: 45.0", "incident_direction: [0, -1]"),
                                          ["sun.incident_direction"]),
    "unknown sun shape": (replaced("type: pillbox", "type: pilbox"), ["sun.shape", "pilbox", "pillbox"]),
    "sun shape without its parameter": (replaced(", half_angle_mrad: 4.65", ""), ["sun.shape", "half_angle_mrad"]),
    "missing sun table": (replaced("{type: pillbox, half_angle_mrad: 4.65}", "{type: table, file: nowhere.csv}"), ["nowhere.csv"]),
    "unknown target": (replaced("multi_focus_tower", "multi_focus"), ["aim.target", "multi_focus_tower"]),
    "no target": (replaced("aim: {target: multi_focus_tower}", "aim: {}"), ["target"]),
    "unknown heliostat": (replaced("aim: {target", "aim: {heliostats: {AA40: {point: [0, 0, 50]}}, target"), ["AA40", "AA39"]),
    "unknown active heliostat": (replaced("aim: {target", "aim: {active: [AA28, ZZ99], target"), ["aim.active", "ZZ99"]),
    "aim point of two numbers": (replaced("aim: {target", "aim: {point: [1, 2], target"), ["aim.point"]),
    "aim point and motor positions": (
        replaced("aim: {target", "aim: {heliostats: {AA39: {point: [0, 0, 50], motor_positions: [1, 2]}}, target"), ["AA39"]),
    "reflectivity above 1": (replaced("reflectivity: 0.9", "reflectivity: 93.5"), ["run.yaml:4", "optics.reflectivity", "93.5"]),
    "negative slope error": (replaced("slope_error_mrad: 1.0", "slope_error_mrad: -1"), ["optics.slope_error_mrad"]),
    "two slope errors": (replaced("slope_error_mrad: 1.0", "slope_error_mrad: 1.0, slope_error: {type: pillbox, half_angle_mrad: 1}"),
                         ["optics.slope_error"]),
    "unknown model": (replaced("tracing: {", "tracing: {model: physcal, "), ["tracing.model", "physical"]),
    "no rays": (replaced("rays_per_heliostat: 1000", "rays_per_heliostat: 0"), ["tracing.rays_per_heliostat"]),
    "half a ray": (replaced("rays_per_heliostat: 1000", "rays_per_heliostat: 10.5"), ["tracing.rays_per_heliostat", "10.5"]),
    "negative seed": (replaced("seed: 42", "seed: -1"), ["tracing.seed"]),
    "bitmap without pixels": (replaced("width: 64", "width: 0"), ["bitmap.width"]),
    "huge bitmap": (replaced("width: 64", "width: 1000000"), ["bitmap.width"]),
    "unknown filter": (replaced("width: 64", "filter: bilinaer, width: 64"), ["bitmap.filter", "bilinear"]),
    "picture of unknown kind": (replaced("file: result.h5", "file: result.h5, image: map.jpeg"), ["output.image", "png"]),
    "unknown device": (replaced("device: cpu", "device: gpu"), ["run.yaml:8", "device"]),
    "yes for a flag": (replaced("shading: false", "shading: 3"), ["tracing.shading"]),
    "missing scenario": (replaced("scenario: scenario.h5", "scenario: missing.h5"), ["missing.h5"]),
    "scenario that is text": (replaced("scenario: scenario.h5", "scenario: run.yaml"), ["run.yaml"]),
    "unknown backend": (GOOD + "distributed: {backend: mpi}\n", ["distributed.backend"]),
    "no time": (GOOD + "distributed: {timeout_s: 0}\n", ["distributed.timeout_s"]),
}


def set_value(path, value):
    def damage(file):
        del file[path]
        file[path] = value
    return damage


def delete(path):
    def damage(file):
        del file[path]
    return damage


TARGET = "target_areas_planar/multi_focus_tower"
def hazy_sun(file):
    for source in file["lightsources"].values():
        parameters = source["distribution_parameters"]
        del parameters["distribution_type"]
        parameters["distribution_type"] = "buie"
        parameters["csr"] = 0.9


SCENARIOS = {
    "target of no width": (set_value(f"{TARGET}/plane_e", 0.0), [f"{TARGET}/plane_e"]),
    "target of negative height": (set_value(f"{TARGET}/plane_u", -1.0), [f"{TARGET}/plane_u"]),
    "normal of length 0": (set_value(f"{TARGET}/normal_vector", np.zeros(4)), [f"{TARGET}/normal_vector"]),
    "centre that is not a number": (set_value(f"{TARGET}/position_center", [np.nan, 0, 0, 1]), [f"{TARGET}/position_center"]),
    "centre of wrong shape": (set_value(f"{TARGET}/position_center", np.zeros(7)), [f"{TARGET}/position_center"]),
    "centre that is text": (set_value(f"{TARGET}/position_center", "here"), [f"{TARGET}/position_center"]),
    "cylinder of negative radius": (set_value("target_areas_cylindrical/receiver/cylinder_radius", -4.0), ["cylinder_radius"]),
    "no heliostats": (delete("heliostats"), ["/heliostats"]),
    "no position": (delete("heliostats/AA39/position"), ["heliostats/AA39/position"]),
    "no plant": (delete("power_plant"), ["power_plant"]),
    "no light source": (delete("lightsources"), ["lightsources"]),
    "circumsolar ratio beyond Buie's formulas": (hazy_sun, ["distribution_parameters/csr", "is 0.9, outside of 0 to 0.8", "Buie"]),
}

ARGUMENTS = {
    "no command": ([], {}, ["a command is missing after 'helioray': raytrace, aim"]),
    "unknown command": (["raytrase", "run.yaml"], {}, ["no command 'raytrase'", "did you mean 'raytrace'?"]),
    "no command of a group": (["export"], {}, ["a command is missing after 'export': csv, vtk", "solartherm"]),
    "unknown command of a group": (["export", "motab"], {}, ["no command 'motab' after 'export'", "'solartherm'"]),
    "misspelt command of a group": (["scenario", "genrate"], {}, ["no command 'genrate'", "did you mean 'generate'?"]),
    "unknown choice": (["annual", "run.yaml", "--dni", "foo"], {}, ["--dni: foo not in {hottel,meinel}"]),
    "number for a choice": (["calibrate", "--spot", "2", "folder"], {}, ["--spot: 2 not in {utis,helios,image}"]),
    "unknown option": (["raytrace", "run.yaml", "--photons", "5"], {}, ["no option '--photons' of 'raytrace'", "--help"]),
    "misspelt option": (["scenario", "generate", "t.yaml", "--outptu=f.h5"], {}, ["no option '--outptu' of 'generate'", "did you mean '--output'?"]),
    "unknown option without a command": (["--verson"], {}, ["no option '--verson' of 'helioray'", "did you mean '--version'?"]),
    "no configuration": (["raytrace"], {}, ["config"]),
    "missing configuration": (["raytrace", "nowhere.yaml"], {}, ["nowhere.yaml"]),
    "folder for a configuration": (["raytrace", "."], {}, ["."]),
    "set without value": (["raytrace", "run.yaml", "--set", "sun.dni_w_m2"], {}, ["--set", "sun.dni_w_m2"]),
    "set of an unknown key": (["raytrace", "run.yaml", "--set", "sun.dni=5"], {}, ["sun.dni", "dni_w_m2"]),
    "seed that is no number": (["raytrace", "run.yaml", "--seed", "x"], {}, ["--seed"]),
    "no threads": (["raytrace", "run.yaml", "--threads", "0"], {}, ["--threads"]),
    "ranks that are no number": (["raytrace", "run.yaml", "--ranks", "many"], {}, ["--ranks", "many"]),
    "no ranks": (["raytrace", "run.yaml", "--ranks", "0"], {}, ["--ranks"]),
    "rank without size": (["raytrace", "run.yaml"], {"RANK": "0"}, ["WORLD_SIZE"]),
    "rank beyond size": (["raytrace", "run.yaml"],
                         {"RANK": "2", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500"}, ["RANK"]),
    "rank that is no number": (["raytrace", "run.yaml"],
                               {"RANK": "one", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500"}, ["RANK", "one"]),
    "no master": (["raytrace", "run.yaml"], {"RANK": "0", "WORLD_SIZE": "2"}, ["MASTER_ADDR"]),
    "port out of range": (["raytrace", "run.yaml"],
                          {"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "99999"}, ["MASTER_PORT", "99999"]),
    "unknown instruction set": (["raytrace", "run.yaml"], {"HELIORAY_INSTRUCTION_SET": "avx1024"},
                                ["HELIORAY_INSTRUCTION_SET=avx1024", "portable", "unset"]),
    "unknown instruction set, validated": (["validate", "run.yaml"], {"HELIORAY_INSTRUCTION_SET": "AVX2"},
                                           ["HELIORAY_INSTRUCTION_SET=AVX2", "portable", "unset"]),
    "ranks below a launcher": (["raytrace", "run.yaml", "--ranks", "2"], {"RANK": "0", "WORLD_SIZE": "1", "MASTER_ADDR": "127.0.0.1",
                                                                          "MASTER_PORT": "29500"}, ["--ranks"]),
    "info of a configuration": (["info", "run.yaml"], {}, ["run.yaml"]),
    "plot of a scenario": (["plot", "scenario.h5", "-o", "map.png"], {}, ["scenario.h5"]),
    "plot as jpeg": (["plot", "scenario.h5", "-o", "map.jpeg"], {}, ["map.jpeg"]),
    "validate of nothing": (["validate", "nowhere.h5"], {}, ["nowhere.h5"]),
}


class BadInputs(ProgramTest):
    def check(self, done, fragments, subject=None, name=None):
        """The message names the place and what is wrong; a golden file has its whole text."""
        self.assertEqual(done.returncode, 2, f"stdout: {done.stdout}\nstderr: {done.stderr}")
        for fragment in fragments:
            self.assertIn(fragment, done.stderr)
        self.assertNotIn("terminate called", done.stderr)
        self.assertNotIn("Exception raised from", done.stderr)
        self.assertNotIn("HDF5-DIAG", done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(self.leftovers(), [])
        if subject:
            self.check_message(subject, name, done.stderr)

    def setUp(self):
        super().setUp()
        shutil.copy(SCENARIO, self.folder / "scenario.h5")

    def test_configurations(self):
        for name, (text, fragments) in CONFIGS.items():
            with self.subTest(name):
                self.write_config(text=text)
                self.check(self.run_program("raytrace", "run.yaml"), fragments, "run_configurations", name)
                # validate says the same and never computes.
                self.check(self.run_program("validate", "run.yaml"), fragments)

    def test_scenarios(self):
        self.write_config(text=GOOD)
        for name, (damage, fragments) in SCENARIOS.items():
            with self.subTest(name):
                shutil.copy(SCENARIO, self.folder / "scenario.h5")
                with h5py.File(self.folder / "scenario.h5", "r+") as file:
                    damage(file)
                self.check(self.run_program("raytrace", "run.yaml"), ["scenario.h5", *fragments], "scenario_files", name)
                self.check(self.run_program("validate", "scenario.h5"), ["scenario.h5", *fragments])

    def test_truncated_scenario(self):
        self.write_config(text=GOOD)
        whole = SCENARIO.read_bytes()
        for share in (0.0, 0.01, 0.5, 0.99):
            with self.subTest(share=share):
                (self.folder / "scenario.h5").write_bytes(whole[:int(share * len(whole))])
                self.check(self.run_program("raytrace", "run.yaml"), ["scenario.h5"])

    def test_arguments(self):
        self.write_config(text=GOOD)
        for name, (arguments, environment, fragments) in ARGUMENTS.items():
            with self.subTest(name):
                self.check(self.run_program(*arguments, **environment), fragments, "arguments", name)

    def test_all_problems_at_once(self):
        self.write_config(text=GOOD.replace("reflectivity: 0.9", "reflectivity: 9").replace("width: 64", "width: 0")
                          .replace("device: cpu", "device: gpu").replace("multi_focus_tower", "nowhere"))
        done = self.run_program("validate", "run.yaml")
        self.check(done, ["optics.reflectivity", "bitmap.width", "device"], "run_configurations", "several problems at once")


if __name__ == "__main__":
    unittest.main()
