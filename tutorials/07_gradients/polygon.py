# SPDX-License-Identifier: MIT
"""Tutorial 07 in Python: aim points on a receiver of twelve panels, under a limit of the flux, found by gradient descent."""

import torch

import helioray as hr
import helioray.torch

# 1. Forty heliostats north of a tower with a polygon of panels and heat shields.
plant = hr.generate("configs/field.yaml", heliostats=40, azimuth_from_deg=-70, azimuth_to_deg=70,
                    receiver={"type": "polygon", "panels": 12, "radius_m": 3, "height_m": 6, "shield_height_m": 1})
keys = {"sun": (170, 45), "slope_error_mrad": 1.5, "bitmap": {"width": 16, "height": 32, "filter": "bilinear"}}
limit = 150e3  # W/m2

# 2. The flux on every panel and shield as a function of the aim points.
field = helioray.torch.Field(plant, rays=5000, **keys)
panels = torch.tensor(["panel" in name for name in field.map_names])
optimizer = torch.optim.Adam(field.parameters(), lr=0.05)
for step in range(41):
    flux, energy = field()
    power, excess = field.power(flux)[panels].sum(), torch.relu(flux[panels] - limit)
    if step % 20 == 0:
        print(f"step {step:2}: {power.item() / 1e3:7.1f} kW on the panels, peak {flux[panels].max().item() / 1e3:6.1f} kW/m2")
    optimizer.zero_grad()
    # Light that crosses a rim has no gradient: the second term keeps aim points a metre away from those at the top and at the bottom.
    outside = torch.relu((field.aim_points[:, 2] - 60).abs() - 2)
    (excess.square().mean() / 1e8 + outside.square().sum()).backward()
    optimizer.step()

# 3. A run with other random numbers confirms them.
run = hr.trace(plant, rays=1e5, seed=7, aim=field.learnt().aim, **keys)
receiver = run.receivers.iloc[0]
print(f"traced:  {receiver.power_w / 1e3:7.1f} kW on the panels, peak {receiver.peak_flux_w_m2 / 1e3:6.1f} kW/m2")
