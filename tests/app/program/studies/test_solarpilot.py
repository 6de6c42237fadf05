# SPDX-License-Identifier: MIT
"""Cosine, attenuation and spillage against SolarPILOT (nrel-pysam), for heliostats that stand so far apart that they do not shade each other."""

import datetime
import importlib.util
import math
import sys
import unittest

import h5py
import numpy

from harness import ProgramTest

TOWER_M, SIZE_M, SLOPE_MRAD, REFLECTIVITY = 90, 8, 2.2, 0.9
RECEIVERS = {"cylinder": "{type: cylinder, radius_m: 4, height_m: 10}", "cavity": "{type: plane, width_m: 10, height_m: 10, azimuth_deg: 0}"}
PLANT = f"""\
tower: {{optical_height_m: {TOWER_M}}}
receiver: RECEIVER
heliostat: {{width_m: {SIZE_M}, height_m: {SIZE_M}, facets: [2, 2], pivot_height_m: 0, slant_step_m: 0.01}}
"""
RUN = f"""\
scenario: plant.h5
sun: {{shape: {{type: limb_darkened}}, positions: SUNS}}
aim: {{target: receiver}}
optics:
  reflectivity: {REFLECTIVITY}
  slope_error_mrad: {SLOPE_MRAD}
  attenuation: {{model: polynomial, coefficients: [0.993211, -0.1046, 0.0170, -0.002845]}}
tracing: {{rays_per_heliostat: 2e4}}
bitmap: {{width: 4, height: 4}}
device: cpu
"""


def write_weather(file):
    """Writes a year in SAM's format. SolarPILOT takes only the latitude from it, as the heliostats have their places."""
    lines = ["Source,Location ID,City,State,Country,Latitude,Longitude,Time Zone,Elevation", "none,1,none,none,none,35,-117,-8,600",
             "Year,Month,Day,Hour,Minute,DNI,DHI,GHI,Dry Bulb,Dew Point,Pressure,Wind Speed"]
    hours = (datetime.datetime(2023, 1, 1) + datetime.timedelta(hours=i) for i in range(8760))
    file.write_text("\n".join(lines + [f"{hour:%Y,%m,%d,%H},30,900,60,500,20,8,950,2" for hour in hours]) + "\n")


@unittest.skipIf(importlib.util.find_spec("PySAM") is None, f"{sys.executable} has no PySAM (nrel-pysam)")
class SolarPilot(ProgramTest):
    def table_of_solarpilot(self, receiver, positions):
        """Rows of azimuth from south, zenith and efficiency with all light that arrives."""
        import PySAM.Solarpilot
        write_weather(self.folder / "weather.csv")
        model = PySAM.Solarpilot.new()
        plant = {"solar_resource_file": str(self.folder / "weather.csv"), "receiver_type": 0 if receiver == "cylinder" else 1, "h_tower": TOWER_M,
                 "rec_height": 10, "rec_aspect": 1.25, "cav_rec_height": 10, "cav_rec_width": 10, "cav_rec_span": 180, "n_cav_rec_panels": 4,
                 "rec_absorptance": 1, "helio_width": SIZE_M, "helio_height": SIZE_M, "n_facet_x": 2, "n_facet_y": 2, "cant_type": 1,
                 "focus_type": 1, "helio_optical_error": SLOPE_MRAD / 1000, "helio_reflectance": REFLECTIVITY, "helio_active_fraction": 1,
                 "dens_mirror": 1, "c_atm_0": 0.006789, "c_atm_1": 0.1046, "c_atm_2": -0.0170, "c_atm_3": 0.002845}
        run = {"helio_positions_in": positions, "calc_fluxmaps": 1, "n_flux_days": 2, "delta_flux_hrs": 2, "q_design": 10, "dni_des": 950,
               "land_min": 0.75, "land_max": 9.5, "flux_max": 1000, "rec_hl_perm2": 30}
        costs = dict.fromkeys(("tower_fixed_cost", "tower_exp", "rec_ref_cost", "rec_ref_area", "rec_cost_exp", "site_spec_cost", "heliostat_spec_cost",
                               "land_spec_cost", "contingency_rate", "sales_tax_rate", "sales_tax_frac", "cost_sf_fixed", "opt_flux_penalty",
                               "csp_pt_sf_fixed_land_area", "csp_pt_sf_land_overhead_factor"), 1)
        for name, value in (plant | run | costs).items():
            setattr(model.SolarPILOT, name, value)
        model.execute(0)
        return numpy.array(model.Outputs.opteff_table)

    def compare(self, receiver, points):
        """points: tolerance of the efficiency in points."""
        positions = [(radius * math.sin(math.radians(azimuth)), radius * math.cos(math.radians(azimuth)))
                     for radius, step in ((110, 60), (220, 30), (330, 20), (440, 15)) for azimuth in range(-60, 61, step)]
        table = self.table_of_solarpilot(receiver, positions)
        chosen = table[numpy.argsort(table[:, 1])[[0, len(table) // 2, -1]]]
        self.write_config(name="plant.yaml", text=PLANT.replace("RECEIVER", RECEIVERS[receiver]))
        (self.folder / "layout.csv").write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y in positions))
        suns = ", ".join(f"{{azimuth_deg: {(azimuth + 180) % 360}, elevation_deg: {90 - zenith}}}" for azimuth, zenith, _ in chosen)
        self.write_config(text=RUN.replace("SUNS", f"[{suns}]"))
        self.good("scenario", "layout", "layout.csv", "--template", "plant.yaml", "-o", "plant.h5")
        self.good("raytrace", "run.yaml", "-o", "series.h5")
        with h5py.File(self.folder / "series.h5") as file:
            solar, arrived = (file[f"heliostats/{name}"][()].sum(1) for name in ("solar_power", "target_power"))
            self.assertEqual(file["heliostats/shading_loss"][()].max(), 0)
            spilled = file["heliostats/spillage_loss"][()].sum(1) / solar
        # Enough spillage for the comparison to be about it.
        self.assertGreater(spilled.min(), 0.015)
        numpy.testing.assert_allclose(arrived / solar, chosen[:, 2], atol=points / 100)

    def test_cavity(self):
        # SolarPILOT expands images in Hermite polynomials up to the sixth order.
        self.compare("cavity", 0.05)

    def test_cylinder(self):
        # SolarPILOT projects the cylinder along parallel lines at the distance of its front: its outline is too large by radius / distance.
        self.compare("cylinder", 0.2)


if __name__ == "__main__":
    unittest.main()
