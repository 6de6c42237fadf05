// SPDX-License-Identifier: MIT
// Kinematics "azimuth_elevation", forward and inverse.
#include "raytracer/kinematics/azimuth_elevation.h"

#include "raytracer/kinematics/transforms.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/atan2.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <numbers>

namespace helioray {

at::Tensor azimuth_elevation_orientation(const KinematicsParameters& parameters,
                                         const at::Tensor& joint_angles) {
    const at::Tensor azimuth = joint_angles.select(1, 0), elevation = joint_angles.select(1, 1);
    const at::Tensor ca = azimuth.cos(), sa = azimuth.sin();
    const at::Tensor ch = elevation.cos(), sh = elevation.sin();

    const at::Tensor e = at::stack({-ca, sa, at::zeros_like(ca)}, 1);
    const at::Tensor n = at::stack({-sh * sa, -sh * ca, ch}, 1);
    const at::Tensor u = at::stack({ch * sa, ch * ca, sh}, 1);
    return at::matmul(rigid_transform(e, n, u, parameters.positions),
                      translate(parameters.translations.narrow(1, 6, 3)));
}

at::Tensor azimuth_elevation_joint_angles(const at::Tensor& normals) {
    constexpr double kPi = std::numbers::pi;
    const at::Tensor e = normals.select(1, 0), n = normals.select(1, 1), u = normals.select(1, 2);
    const at::Tensor signed_azimuth = angle_of(e, n, /*undefined=*/kPi);
    const at::Tensor azimuth =
        at::where(signed_azimuth < 0, signed_azimuth + 2 * kPi, signed_azimuth);

    // A vertical normal has no horizontal part to differentiate; its root sees a harmless number.
    const at::Tensor square = e * e + n * n;
    const at::Tensor tilted = square > 1e-30;
    const at::Tensor horizontal =
        at::where(tilted, at::where(tilted, square, at::ones_like(square)).sqrt(), 0.0);
    return at::stack({azimuth, at::atan2(u, horizontal)}, 1);
}

}  // namespace helioray
