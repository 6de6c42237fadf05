# SPDX-License-Identifier: MIT
"""Scenarios from templates, tables, and projects of SolTrace and SolarPILOT: what runs of them do."""

import json
import math
import unittest

import h5py
import numpy as np

from harness import ProgramTest, SOURCE

TEMPLATE = """\
tower: {optical_height_m: 60, height_m: 54, radius_m: 2}
receiver: {type: plane, width_m: 8, height_m: 6}
heliostat: {width_m: 4, height_m: 3, pivot_height_m: 3, facet_shape: paraboloid, slant_step_m: 0.001}
"""

# Position, a point on the mirror's normal, width, height, surface, curvature (1/m) of each heliostat.
MIRRORS = [((10.0, 100.0, 3.0), (4, 3), "p", 0.004), ((-40.0, 90.0, 3.0), (4, 3), "p", 0.0045),
           ((30.0, 140.0, 5.0), (4, 3), "p", 0.003), ((-20.0, 60.0, 3.0), (4, 3), "p", 0.006)]
SUN = np.array([0.3, -0.6, 0.7])
AIM = np.array([0.0, 0.0, 60.0])


def unit(v):
    return np.asarray(v) / np.linalg.norm(v)


def stinput():
    """The scene of MIRRORS as a SolTrace project; rotations such that mirrors' x axes are horizontal."""
    lines = ["# SOLTRACE VERSION 3.4.0 INPUT FILE", "SUN\tPTSRC\t0\tSHAPE\tp\tSIGMA\t2.73\tHALFWIDTH\t4.65",
             "XYZ\t%r\t%r\t%r\tUSELDH\t0\tLDH\t0\t0\t0" % tuple(float(x) for x in 100 * SUN), "USER SHAPE DATA\t0", "OPTICS LIST COUNT\t2"]
    for name, reflectivity in (("Mirror", 0.9), ("Absorber", 0.0)):
        lines.append(f"OPTICAL PAIR\t{name}")
        lines += [f"OPTICAL.v2\tg\t3\t1\t4\t{reflectivity}\t1\t1.2\t0.4\t1\t0\t0\t0\t0\t0\t0\t0\t0\t0"] * 2
    lines.append("STAGE LIST COUNT\t2")
    stage = "STAGE\tXYZ\t0\t0\t0\tAIM\t0\t0\t1\tZROT\t0\tVIRTUAL\t0\tMULTIHIT\t1\tELEMENTS\t%d\tTRACETHROUGH\t0"
    lines += [stage % len(MIRRORS), "Field"]
    for position, (width, height), surface, curvature in MIRRORS:
        position = np.array(position)
        normal = unit(unit(SUN) + unit(AIM - position))
        aim = position + 500 * normal
        # Without rotation the x axis is (cos alpha, 0, -sin alpha); the mirror's is horizontal and perpendicular to the normal.
        alpha, beta = math.atan2(normal[0], normal[2]), math.asin(normal[1])
        x0 = np.array([math.cos(alpha), 0, -math.sin(alpha)])
        y0 = np.cross(normal, x0)
        wanted = unit(np.cross([0, 0, 1], normal))
        # Local x = cos(g) x0 - sin(g) y0.
        rotation = math.degrees(math.atan2(-wanted @ y0, wanted @ x0))
        cells = [1, *position, *aim, rotation, "r", width, height, 0, 0, 0, 0, 0, 0, surface, curvature, curvature, 0, 0, 0, 0, 0, 0, "", "Mirror", 2, ""]
        lines.append("\t".join(str(c) for c in cells))
    lines += [stage % 1, "Receiver"]
    lines.append("\t".join(str(c) for c in [1, 0, 0, 60, 0, 10, 60, 0, "r", 8, 6, 0, 0, 0, 0, 0, 0, "f", 0, 0, 0, 0, 0, 0, 0, 0, "", "Absorber", 2, "receiver"]))
    return "\n".join(lines) + "\n"


def spt():
    """The heliostats of MIRRORS with a flat plate as a SolarPILOT project."""
    values = {
        "ambient": {"latitude": 37.5, "longitude": -6.25, "elevation": 20, "time_zone": 1, "sun_type": "Pillbox sun", "sun_rad_limit": 4.65, "atm_model": "User-defined", "atm_coefs": "0,0;0,0;0,0.1"},
        "fluxsim": {"flux_time_type": "Sun position", "flux_solar_az_in": 160, "flux_solar_el_in": 50, "flux_dni": 900, "aim_method": "Simple aim points"},
        "solarfield": {"tht": 60, "layout_data": "".join(f"0,1,1,{x},{y},{z},NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL\n" for (x, y, z), *_ in MIRRORS)},
        "heliostat": {"width": 4, "height": 3, "is_round": "Rectangular", "is_faceted": "false", "focus_method": "At slant", "reflectivity": 0.9, "soiling": 1, "reflect_ratio": 1,
                      "err_azimuth": 0, "err_elevation": 0, "err_surface_x": 0.0012, "err_surface_y": 0.0012, "err_reflect_x": 0.0004, "err_reflect_y": 0.0004, "st_err_type": "Gaussian"},
        "receiver": {"is_enabled": "true", "rec_name": "receiver", "rec_type": "Flat plate", "rec_height": 6, "rec_width": 8, "rec_azimuth": 0, "rec_elevation": -10, "rec_offset_x": 0, "rec_offset_y": 0,
                     "rec_offset_z": 0, "rec_offset_reference": "Tower", "absorptance": 0.94, "peak_flux": 800}}
    variables = "".join(f"<variable><component>{component}</component><instance>0</instance><varname>{name}</varname><units></units><value>{value}</value></variable>\n"
                        for component, entries in values.items() for name, value in entries.items())
    return f"<data>\n<version>1.5.2</version>\n{variables}</data>\n"


class Fields(ProgramTest):
    def run_good(self, *arguments):
        done = self.run_program(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_help(self):
        for command in ("generate", "layout", "solarpilot", "soltrace"):
            self.assertIn("Example", self.run_good("scenario", command, "--help").stdout)

    def test_heliostats_of_a_generated_field_reach_their_aim(self):
        self.run_good("scenario", "generate", SOURCE / "configs" / "field.yaml", "-o", "field.h5", "--config", "run.yaml", "--heliostats", "60")
        for azimuth in (0, 75, 160, 270):
            for elevation in (8, 45, 89):
                self.run_good("raytrace", "run.yaml", "-q", "-o", "result.h5", "--set", "output.image=null", "--set", f"sun.azimuth_deg={azimuth}",
                              "--set", f"sun.elevation_deg={elevation}", "--set", "tracing.rays_per_heliostat=1000")
                with h5py.File(self.folder / "result.h5") as file:
                    frames, aims = file["heliostats/orientation"][:], file["heliostats/aim_point"][:]
                sun = [math.sin(math.radians(azimuth)) * math.cos(math.radians(elevation)),
                       math.cos(math.radians(azimuth)) * math.cos(math.radians(elevation)), math.sin(math.radians(elevation))]
                origins = frames[:, :3, 3]
                self.assertTrue(np.allclose(origins[:, 2], 3))
                # On the cylinder, on the side of the heliostat.
                self.assertTrue(np.allclose(np.hypot(aims[:, 0], aims[:, 1]), 3, atol=1e-6))
                self.assertTrue((np.einsum("ij,ij->i", aims[:, :2], origins[:, :2]) > 0).all())
                to_aim = (aims - origins) / np.linalg.norm(aims - origins, axis=1, keepdims=True)
                bisector = to_aim + sun
                bisector /= np.linalg.norm(bisector, axis=1, keepdims=True)
                self.assertTrue(np.allclose(frames[:, :3, 2], bisector, atol=1e-9), (azimuth, elevation))

    def test_shipped_template_and_run_fit_together(self):
        self.run_good("scenario", "generate", SOURCE / "configs" / "field.yaml", "-o", "field.h5")
        (self.folder / "field_run.yaml").write_text((SOURCE / "configs" / "field_run.yaml").read_text())
        self.assertIn("valid", self.run_good("validate", "field_run.yaml").stdout)

    def test_power_of_a_field_adds_up(self):
        self.run_good("scenario", "generate", SOURCE / "configs" / "field.yaml", "-o", "field.h5", "--config", "run.yaml", "--heliostats", "60")
        result = self.raytrace_json("run.yaml", "--set", "tracing.rays_per_heliostat=2000", "--set", "output.image=null")
        facets = 60 * (6 - 2 * 0.02) * (5 - 0.02) * 1000
        # Spheres have a little more area than their outline.
        self.assertLess(abs(result["energy"]["solar_power"] / facets - 1), 1e-3)
        self.assertGreater(result["energy"]["target_power"], 0.5 * facets)

    def test_soltrace_and_its_twin_give_the_same_flux(self):
        (self.folder / "tower.stinput").write_text(stinput())
        done = self.run_good("scenario", "soltrace", "tower.stinput", "-o", "tower.h5", "--config", "tower.yaml", "--dni", "900")
        self.assertIn("4 mirrors became heliostats", done.stderr)
        # The twin: a table with focal lengths 1 / 2c, aimed by the program.
        rows = "".join(f"H{i},{x},{y},{z},{0.5 / curvature}\n" for i, ((x, y, z), _, _, curvature) in enumerate(MIRRORS, 1))
        (self.folder / "twin.csv").write_text("name,x,y,z,focal_length\n" + rows)
        (self.folder / "field.yaml").write_text(TEMPLATE)
        self.run_good("scenario", "layout", "twin.csv", "--template", "field.yaml", "-o", "twin.h5")
        direction = ",".join(str(-x) for x in SUN)
        (self.folder / "twin.yaml").write_text(f"""\
scenario: twin.h5
sun: {{incident_direction: [{direction}], dni_w_m2: 900}}
aim: {{target: receiver}}
optics: {{reflectivity: 0.9, slope_error_mrad: 1.2, specularity_error_mrad: 0.4}}
output: {{file: twin_flux.h5}}
""")
        results = []
        for name in ("tower", "twin"):
            result = self.raytrace_json(f"{name}.yaml", "-o", f"{name}_flux.h5", "--set", "tracing.rays_per_heliostat=2e5", "--set", "output.image=null",
                                        "--set", "bitmap={width: 32, height: 24}")
            with h5py.File(self.folder / f"{name}_flux.h5") as file:
                results.append({"orientation": file["heliostats/orientation"][:], "flux": file["targets/receiver/flux"][:],
                                "error": file["targets/receiver/flux_std_error"][:], "power": result["targets"]["receiver"]["power_w"],
                                "power_error": result["targets"]["receiver"]["power_std_error_w"]})
        tower, twin = results
        # Mirrors may differ by half a turn, which is the same rectangle.
        self.assertTrue(np.allclose(tower["orientation"][:, :3, 2:], twin["orientation"][:, :3, 2:], atol=1e-9))
        self.assertTrue(np.allclose(tower["orientation"], twin["orientation"], atol=1e-9))
        self.assertGreater(twin["power"], 1e4)
        self.assertLess(abs(tower["power"] - twin["power"]), 5 * math.hypot(tower["power_error"], twin["power_error"]) + 1e-6 * twin["power"])
        noise = np.hypot(tower["error"], twin["error"])
        lit = noise > 0
        self.assertLess(np.abs((tower["flux"] - twin["flux"])[lit] / noise[lit]).max(), 6)

    def test_solarpilot_and_its_twin_give_the_same_flux(self):
        (self.folder / "plant.spt").write_text(spt())
        done = self.run_good("scenario", "solarpilot", "plant.spt", "-o", "plant.h5", "--config", "plant.yaml")
        self.assertIn("SolarPILOT 1.5.2, 1 receiver", done.stderr)
        self.assertNotIn("SolarPILOT's default", done.stderr)
        # The twin: a table and a template.
        (self.folder / "twin.csv").write_text("name,x,y,z\n" + "".join(f"H{i},{x},{y},{z}\n" for i, ((x, y, z), *_) in enumerate(MIRRORS, 1)))
        (self.folder / "twin_field.yaml").write_text("""\
tower: {optical_height_m: 60}
receiver: {type: billboard, width_m: 8, height_m: 6, tilt_deg: 10, absorptance: 0.94}
heliostat: {width_m: 4, height_m: 3, pivot_height_m: 0}
""")
        self.run_good("scenario", "layout", "twin.csv", "--template", "twin_field.yaml", "-o", "twin.h5")
        (self.folder / "twin.yaml").write_text("""\
scenario: twin.h5
sun: {azimuth_deg: 160, elevation_deg: 50, dni_w_m2: 900}
aim: {target: receiver}
optics: {reflectivity: 0.9, slope_error_mrad: 1.2, specularity_error_mrad: 0.4, attenuation: {model: polynomial, coefficients: [1, -0.1, 0, 0, 0]}}
output: {file: twin_flux.h5}
""")
        results = [self.raytrace_json(f"{name}.yaml", "-o", f"{name}_flux.h5", "--set", "tracing.rays_per_heliostat=1e4", "--set", "output.image=null")
                   for name in ("plant", "twin")]
        # The same rays; angles are rounded on their way through degrees.
        powers = [result["energy"]["target_power"] for result in results]
        self.assertGreater(powers[0], 1e4)
        self.assertLess(abs(powers[0] / powers[1] - 1), 1e-6)

    def test_bad_input_ends_with_2_and_writes_nothing(self):
        (self.folder / "field.yaml").write_text(TEMPLATE)
        (self.folder / "bad.csv").write_text("x,y\n1,zwei\n")
        (self.folder / "bad.stinput").write_text("nonsense\n")
        for arguments, part in ((["generate", "field.yaml"], "layout.type"), (["generate", "nowhere.yaml"], "nowhere.yaml"),
                                (["generate", "field.yaml", "--layout", "spiral", "--heliostats", "3"], "radial_stagger"),
                                (["layout", "bad.csv", "--template", "field.yaml"], "bad.csv:2:3"), (["soltrace", "bad.stinput"], "bad.stinput:1"), (["solarpilot", "bad.stinput"], "bad.stinput:1")):
            done = self.run_program("scenario", *arguments, "-o", "out.h5")
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(part, done.stderr)
            self.assertFalse((self.folder / "out.h5").exists())
        self.assertEqual(self.run_program("scenario", "generate", "field.yaml", "-o", "a.h5", "--config", "./a.h5").returncode, 2)

    def test_json_carries_the_report(self):
        done = self.run_good("scenario", "generate", SOURCE / "configs" / "field.yaml", "-o", "field.h5", "--json", "--heliostats", "20")
        made = json.loads(done.stdout)
        self.assertEqual(made["heliostats"], 20)
        self.assertEqual(done.stderr, "")
        self.assertTrue(any("rings" in line for line in made["report"]))

    def test_a_field_in_columns_is_the_same_field(self):
        self.write_field("artist")
        self.write_field("columns")
        with h5py.File(self.folder / "columns.h5") as file:
            self.assertEqual(file["heliostat_columns/heliostat/position"].shape, (40, 3))
            self.assertNotIn("heliostats", file)
        with h5py.File(self.folder / "artist.h5") as file:
            self.assertEqual(len(file["heliostats"]), 40)
        fingerprints = set()
        for name in ("artist", "columns"):
            done = self.run_good("raytrace", f"{name}.yaml", "--set", "tracing.rays_per_heliostat=100", "--json")
            fingerprints.add(json.loads(done.stdout)["fingerprint"])
        self.assertEqual(len(fingerprints), 1)
        self.assertIn("40", self.run_good("info", "columns.h5").stdout)

    def write_field(self, form):
        self.run_good("scenario", "generate", SOURCE / "configs" / "field.yaml", "--heliostats", "40", "-o", f"{form}.h5", "--config",
                      f"{form}.yaml", "--format", form)

    def test_large_fields_are_written_in_columns_with_a_message(self):
        for count, arguments, stored in ((1000, [], "heliostat_columns"), (999, [], "heliostats"), (1000, ["--format", "artist"], "heliostats")):
            done = self.run_good("scenario", "generate", SOURCE / "configs" / "field.yaml", "--heliostats", str(count), "--set",
                                 "tower.optical_height_m=150", "-o", "field.h5", *arguments)
            with h5py.File(self.folder / "field.h5") as file:
                self.assertIn(stored, file)
            self.assertEqual("--format artist" in done.stderr, stored == "heliostat_columns", done.stderr)
        done = self.run_program("scenario", "generate", SOURCE / "configs" / "field.yaml", "-o", "field.h5", "--format", "rows")
        self.assertEqual(done.returncode, 2)
        self.assertIn("columns", done.stderr)

    def test_heliostats_outside_of_any_plant_are_named(self):
        (self.folder / "field.yaml").write_text(TEMPLATE)
        (self.folder / "map.csv").write_text("x,y\n286000,4100\n286020,4130\n")
        (self.folder / "wide.csv").write_text("x,y\n0,200\n0,900\n0,9700\n")
        for table, parts in (("map.csv", ["2 of 2 heliostats", "286 km", "subtract"]), ("wide.csv", ["1 of 3 heliostats", "9.7 km", "900 m away"])):
            done = self.run_good("scenario", "layout", table, "--template", "field.yaml", "-o", "far.h5", "--config", "far.yaml")
            for part in parts:
                self.assertIn(part, done.stderr)
            for command in (["validate", "far.h5"], ["validate", "far.yaml"]):
                self.assertIn(parts[0], self.run_good(*command).stderr)
            self.assertIn(parts[1], self.run_good("info", "far.h5").stdout)
            made = json.loads(self.run_good("scenario", "layout", table, "--template", "field.yaml", "-o", "far.h5", "--json").stdout)
            self.assertTrue(any(parts[0] in line for line in made["report"]), made["report"])


if __name__ == "__main__":
    unittest.main()
