// SPDX-License-Identifier: MIT
// Declares the operators of the namespace helioray, which trace_flux.h, surface.h and align.h
// document.
#include <ATen/core/enum_tag.h>
#include <torch/library.h>

TORCH_LIBRARY(helioray, m) {
    const std::vector<at::Tag> tags{at::Tag::pt2_compliant_tag};
    m.def(
        "trace_flux(Tensor orientation, Tensor control_points, Tensor target_index, "
        "Tensor targets, Tensor sun_direction, Tensor optics, int[] degrees, int[] bitmap, "
        "int rays, int seed=42, str sun_shape=\"gaussian\", bool shading=True, "
        "bool blocking=True, int[] part=[0, 1]) -> Tensor",
        tags);
    m.def(
        "trace_flux_backward(Tensor grad_flux, Tensor orientation, Tensor control_points, "
        "Tensor target_index, Tensor targets, Tensor sun_direction, Tensor optics, "
        "int[] degrees, int[] bitmap, int rays, int seed=42, str sun_shape=\"gaussian\", "
        "bool shading=True, bool blocking=True, int[] part=[0, 1]) "
        "-> (Tensor grad_orientation, Tensor grad_control_points, Tensor grad_sun_direction, "
        "Tensor grad_optics)",
        tags);
    m.def(
        "nurbs_surface(Tensor control_points, Tensor u, Tensor v, int[] degrees) "
        "-> (Tensor points, Tensor normals)",
        tags);
    m.def(
        "nurbs_surface_backward(Tensor grad_points, Tensor grad_normals, Tensor control_points, "
        "Tensor u, Tensor v, int[] degrees) "
        "-> (Tensor grad_control_points, Tensor grad_u, Tensor grad_v)",
        tags);
    m.def(
        "align(Tensor parameters, Tensor sun_direction, Tensor aim_points, "
        "str kinematics=\"rigid_body\") -> Tensor",
        tags);
    m.def(
        "align_backward(Tensor grad_orientation, Tensor parameters, Tensor sun_direction, "
        "Tensor aim_points, str kinematics=\"rigid_body\") "
        "-> (Tensor grad_parameters, Tensor grad_sun_direction, Tensor grad_aim_points)",
        tags);
    m.def(
        "orient(Tensor parameters, Tensor motor_positions, Tensor drives, "
        "str kinematics=\"rigid_body\") -> Tensor",
        tags);
    m.def(
        "orient_backward(Tensor grad_orientation, Tensor parameters, Tensor motor_positions, "
        "Tensor drives, str kinematics=\"rigid_body\") "
        "-> (Tensor grad_parameters, Tensor grad_motor_positions, Tensor grad_drives)",
        tags);
    m.def(
        "motor_positions(Tensor parameters, Tensor sun_direction, Tensor aim_points, "
        "Tensor drives, str kinematics=\"rigid_body\") -> Tensor",
        tags);
    m.def(
        "motor_positions_backward(Tensor grad_motor_positions, Tensor parameters, "
        "Tensor sun_direction, Tensor aim_points, Tensor drives, str kinematics=\"rigid_body\") "
        "-> (Tensor grad_parameters, Tensor grad_sun_direction, Tensor grad_aim_points, "
        "Tensor grad_drives)",
        tags);
}
