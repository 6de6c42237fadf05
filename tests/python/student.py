# SPDX-License-Identifier: MIT
"""A first project, as a student writes it from python/README.md and tutorial 14: five hundred heliostats, a day of pvlib, mirrors of two qualities, a flux
limit, and one step along a gradient."""

import pandas
import pvlib
import torch

import helioray as hr
import helioray.torch

plant = hr.generate(hr.example("field"), heliostats=500, receiver={"type": "cylinder", "radius_m": 2.5, "height_m": 4})
latitude, longitude, altitude = plant.position
place = pvlib.location.Location(latitude, longitude, altitude=altitude)
times = pandas.date_range("2026-06-21 07:00", "2026-06-21 20:00", freq="2h", tz="Europe/Madrid")
suns = place.get_solarposition(times)
suns["dni"] = place.get_clearsky(times, model="ineichen", linke_turbidity=3.0)["dni"]

# A day with good mirrors and with worse ones.
for slope_error in (1.0, 3.0):
    day = hr.trace_series(plant, suns, slope_error_mrad=slope_error, rays=1000)
    energy = day.steps.target_power.sum() * 2 / 1e6
    print(f"{slope_error} mrad: {energy:.1f} MWh, at most {day.steps.target_power.max() / 1e6:.2f} MW at {day.steps.target_power.idxmax():%H:%M}")
day.write("day.h5")
day.report("day.html")

# At noon no more than 600 kW/m2.
noon = dict(sun=(180, 70), dni=900, slope_error_mrad=1.0, rays=2000, bitmap={"width": 64, "height": 32})
aims = hr.aim(plant, strategy="optimize", flux_limit_kw_m2=600, **noon)
before, after = hr.trace(plant, **noon), hr.trace(plant, aim=aims.setting, **noon)
for run in (before, after):
    print(f"{run.energy['target_power'] / 1e6:.2f} MW, peak {run.targets.peak_flux_w_m2.max() / 1e3:.0f} kW/m2")

# One step of the aim points along the gradient of what measures hot spots.
field = helioray.torch.Field(plant, parameters=["aim_points"], **noon)
flux, _ = field()
hot = (flux / 600e3).pow(4).mean()
hot.backward()
with torch.no_grad():
    field.aim_points -= 0.2 * field.aim_points.grad / field.aim_points.grad.norm(dim=1).max()
    flux, _ = field()
    print(f"one step: hot spots fall from {hot:.4f} to {(flux / 600e3).pow(4).mean():.4f}")
