# SPDX-License-Identifier: MIT
"""Tutorial 07 in Python: aim points that spread the flux, found by gradient descent."""

import sys

import torch

# 1. The operators, registered with the PyTorch that HelioRay was built with.
torch.ops.load_library(sys.argv[1] if len(sys.argv) > 1 else "build/release/lib/libhelioray_torch.so")
ops, double = torch.ops.helioray, dict(dtype=torch.float64)

# 2. Seven mirrors of 3 x 3 m, focal length 60 m, in an arc in front of a receiver of 6 x 6 m that faces north.
x, y = torch.meshgrid(torch.linspace(-1.5, 1.5, 6, **double), torch.linspace(-1.5, 1.5, 6, **double), indexing="ij")
mirror = torch.stack([x, y, (x**2 + y**2) / (4 * 60)], -1)[None, None]  # one cubic B-spline facet, shared by all
angle = torch.linspace(-0.6, 0.6, 7, **double)
positions = torch.nn.functional.pad(torch.stack([52 * angle.sin(), 52 * angle.cos(), 0 * angle], -1), (0, 13))
receiver = torch.tensor([[0, 0, 0, 30, 0, 1, 0, 0, 0, 0, 6, 6, 0]], **double)
sun = torch.tensor([0, -0.7, 0.7], **double)
optics = torch.tensor([900, 0.93, 2.1e-3, 1e-3, 0], **double)  # DNI, reflectivity, widths of sun, slope and specularity
served = torch.zeros(7, dtype=torch.int64)
pixel = 6 * 6 / 64**2  # m2


# 3. The flux as a function of the aim points. Everything in it is differentiable.
def flux_of(aim_points):
    orientation = ops.align(positions, sun, aim_points)
    return ops.trace_flux(orientation, mirror, served, receiver, sun, optics, [3, 3], [64, 64], rays=50_000)


centre = torch.tensor([0, 0, 30], **double)
aim_points = centre.repeat(7, 1)
aim_points[:, 0] += torch.linspace(-0.2, 0.2, 7, **double)
aim_points.requires_grad_(True)

# 4. Compare the gradient with a finite difference: the loss when the first aim point moves to the east.
def mean_square(aim_points):
    return (flux_of(aim_points) / 1e4).square().mean()


shift = torch.zeros(7, 3, **double)
shift[0, 0] = 0.02
difference = (mean_square(aim_points + shift) - mean_square(aim_points - shift)).item() / 0.04
mean_square(aim_points).backward()
print(f"gradient {aim_points.grad[0, 0]:.4f} per m, central difference {difference:.4f} per m")

# 5. The mean square of the flux is small when the light is spread; aim points must stay 1.5 m inside the rims.
optimizer = torch.optim.Adam([aim_points], lr=0.1)
for step in range(41):
    flux = flux_of(aim_points)
    outside = torch.relu((aim_points - centre).abs() - 1.5)
    loss = (flux / 1e4).square().mean() + 10 * outside.square().sum()
    if step % 10 == 0:
        print(f"step {step:2}: loss {loss:8.4f}, peak {flux.max() / 1e3:6.1f} kW/m2, power {flux.sum() * pixel / 1e3:6.2f} kW")
    optimizer.zero_grad()
    loss.backward()
    aim_points.grad[:, 1] = 0  # a step along the normal of the receiver would be wasted
    optimizer.step()

# 6. A field that you keep prepares only what changes and supports every setting of a configuration, here circumsolar light and
#    hazy air. Flux has gradients as before, and energy balances are returned with it.
config = """
sun: {shape: {type: buie, csr: 0.1}, dni_w_m2: 900}
optics: {reflectivity: 0.93, slope_error_mrad: 1, attenuation: vittitoe_biggs_hazy}
tracing: {rays_per_heliostat: 50000}
bitmap: {width: 64, height: 64, filter: bilinear}
"""
field = torch.classes.helioray.Field(config, receiver, served, ops.align(positions, sun, aim_points.detach()))
field.set_control_points(mirror)
for hour in (-3, 0, 3):
    sun = torch.tensor([-0.23 * hour, -0.7, 0.7 - 0.03 * hour**2], **double)
    field.set_sun(sun)
    orientation = ops.align(positions, sun, aim_points)
    flux, energy = ops.trace_field(field, orientation)
    kw = dict(zip(field.energy_terms(), (energy.detach().sum(0) / 1e3).tolist()))
    print(f"hour {hour:+}: power {kw['target_power']:6.2f} kW, lost to the air {kw['attenuation_loss']:5.2f} kW, "
          f"beside the receiver {kw['spillage_loss']:5.2f} kW")
