# SPDX-License-Identifier: MIT
"""Templates of small fields, and a configuration, that several tests use."""

# 30 heliostats around a cylinder.
CYLINDER = """\
site: {latitude_deg: 37, longitude_deg: -6, altitude_m: 20}
tower: {optical_height_m: 40, height_m: 35, radius_m: 2}
receiver: {type: cylinder, radius_m: 2, height_m: 5}
heliostat: {width_m: 5, height_m: 4, facet_shape: sphere, pivot_height_m: 3, slant_step_m: 1}
layout: {type: radial_stagger, heliostats: 30, min_radius_m: 30}
"""
CYLINDER_RUN = """\
scenario: plant.h5
sun: {time: "2026-06-21T12:00:00+00:00", dni_w_m2: 900, shape: {type: pillbox, half_angle_mrad: 4.65}}
aim: {target: receiver}
optics: {reflectivity: 0.9, slope_error_mrad: 2}
tracing: {rays_per_heliostat: 2e4, seed: 3}
bitmap: {width: 16, height: 8}
output: {file: result.h5}
device: cpu
"""

# 12 heliostats before a plane.
PLANE = """\
tower: {optical_height_m: 40, height_m: 36, radius_m: 2}
receiver: {type: plane, width_m: 4, height_m: 4}
heliostat: {width_m: 4, height_m: 3, pivot_height_m: 2.5}
layout: {type: radial_stagger, heliostats: 12, min_radius_m: 40}
"""
