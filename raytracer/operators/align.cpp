// SPDX-License-Identifier: MIT
// Alignment from tensors, made of ATen operators.
#include "raytracer/operators/align.h"

#include "raytracer/kinematics/alignment.h"
#include "raytracer/operators/kernels.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/zeros.h>

#include <numbers>

namespace helioray::operators {

namespace {

void check(const at::Tensor& tensor, const char* name, at::IntArrayRef sizes) {
    TORCH_CHECK(tensor.scalar_type() == at::kDouble && tensor.sizes() == sizes,
                name,
                " must be float64 ",
                sizes,
                ", found ",
                tensor.scalar_type(),
                " ",
                tensor.sizes());
    TORCH_CHECK(
        at::isfinite(tensor.detach()).all().item<bool>(), name, " has NaN or infinite values");
}

/// parameters [N, 16] alone; returns N.
int64_t checked_parameters(const at::Tensor& parameters, KinematicsType kinematics) {
    const int64_t n = parameters.dim() > 0 ? parameters.size(0) : 0;
    check(parameters, "parameters", {n, 16});
    if (kinematics == KinematicsType::azimuth_elevation) {
        const bool deviates = (parameters.narrow(1, 3, 6) != 0.0).any().item<bool>() ||
                              (parameters.narrow(1, 12, 4) != 0.0).any().item<bool>();
        TORCH_CHECK(!deviates,
                    "parameters: azimuth_elevation kinematics have no joint translations or tilts "
                    "(columns 3 to 8 and 12 to 15); use rigid_body");
    }
    return n;
}

KinematicsParameters bodies(const at::Tensor& parameters,
                            KinematicsType kinematics,
                            const ActuatorParameters& drives) {
    const auto options = parameters.options().requires_grad(false).dtype(at::kLong);
    return {at::full({parameters.size(0)}, static_cast<int64_t>(kinematics), options),
            parameters.narrow(1, 0, 3),
            parameters.narrow(1, 3, 9),
            parameters.narrow(1, 12, 4),
            drives};
}

/// Drives whose motor positions are the joint angles, without limits that matter.
ActuatorParameters ideal_drives(const at::Tensor& like) {
    const int64_t n = like.size(0);
    const auto options = like.options().requires_grad(false);
    const at::Tensor none = at::zeros({n, 2}, options);
    const at::Tensor turn = at::full({n, 2}, 2.0 * std::numbers::pi, options);
    ActuatorParameters drives;
    drives.is_linear = drives.clockwise = none.to(at::kBool);
    drives.increment = drives.offset = drives.pivot_radius = none;
    drives.initial_stroke = drives.initial_angle = none;
    drives.min_position = -turn;
    drives.max_position = turn;
    return drives;
}

/// From columns, without limits.
ActuatorParameters drives_of(const at::Tensor& drives) {
    const auto column = [&](DriveColumn which) {
        return drives.select(2, static_cast<int64_t>(which));
    };
    ActuatorParameters result = ideal_drives(drives);
    result.is_linear = column(DriveColumn::linear).detach() != 0.0;
    result.clockwise = column(DriveColumn::clockwise).detach() != 0.0;
    result.increment = column(DriveColumn::increment);
    result.offset = column(DriveColumn::offset);
    result.pivot_radius = column(DriveColumn::pivot_radius);
    result.initial_stroke = column(DriveColumn::initial_stroke);
    result.initial_angle = column(DriveColumn::initial_angle);
    result.max_position = at::full_like(result.max_position, 1e15);
    result.min_position = -result.max_position;
    return result;
}

/// Linear drives need a triangle at motor position 0.
void check_drives(const at::Tensor& drives) {
    const at::Tensor flags = drives.detach().narrow(2, 0, 2);
    TORCH_CHECK(((flags == 0.0) | (flags == 1.0)).all().item<bool>(),
                "drives: the first two columns, linear and clockwise, must be 0 or 1");
    const ActuatorParameters d = drives_of(drives.detach());
    const at::Tensor exists = (d.increment > 0.0) & (d.offset > 0.0) & (d.pivot_radius > 0.0) &
                              (d.initial_stroke > (d.offset - d.pivot_radius).abs()) &
                              (d.initial_stroke < d.offset + d.pivot_radius);
    const at::Tensor wrong = d.is_linear & exists.logical_not();
    if (!wrong.any().item<bool>()) return;
    const at::Tensor first = wrong.nonzero()[0];
    TORCH_CHECK(false,
                "drives[",
                first[0].item<int64_t>(),
                ", ",
                first[1].item<int64_t>(),
                "] is no linear drive: increment, offset and pivot radius must be above 0, and the "
                "initial stroke between |offset - pivot radius| and offset + pivot radius");
}

void check_reached(const Alignment& alignment, const char* input) {
    for (const AlignmentIssue& issue : alignment.issues) {
        if (issue.kind == AlignmentIssue::Kind::outside_limits ||
            issue.kind == AlignmentIssue::Kind::limits_not_meaningful)
            continue;
        TORCH_CHECK(false, input, "[", issue.heliostat, "]: ", issue.message);
    }
}

}  // namespace

at::Tensor align(const at::Tensor& parameters,
                 const at::Tensor& sun_direction,
                 const at::Tensor& aim_points,
                 KinematicsType kinematics) {
    const int64_t n = checked_parameters(parameters, kinematics);
    check(sun_direction, "sun_direction", {3});
    check(aim_points, "aim_points", {n, 3});
    return with_torch_errors([&] {
        const Alignment alignment = align_to_aim_points(
            bodies(parameters, kinematics, ideal_drives(parameters)), -sun_direction, aim_points);
        check_reached(alignment, "aim_points");
        return alignment.orientation;
    });
}

at::Tensor orient(const at::Tensor& parameters,
                  const at::Tensor& motor_positions,
                  const at::Tensor& drives,
                  KinematicsType kinematics) {
    const int64_t n = checked_parameters(parameters, kinematics);
    check(motor_positions, "motor_positions", {n, 2});
    check(drives, "drives", {n, 2, static_cast<int64_t>(DriveColumn::count)});
    check_drives(drives);
    return with_torch_errors([&] {
        const Alignment alignment = align_to_motor_positions(
            bodies(parameters, kinematics, drives_of(drives)), motor_positions);
        check_reached(alignment, "motor_positions");
        return alignment.orientation;
    });
}

}  // namespace helioray::operators
