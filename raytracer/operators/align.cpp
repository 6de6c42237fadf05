// SPDX-License-Identifier: MIT
// Alignment as an operator.
#include "raytracer/operators/align.h"

#include "raytracer/kinematics/alignment.h"
#include "raytracer/operators/kernels.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <torch/library.h>

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

void check_reached(const Alignment& alignment) {
    for (const AlignmentIssue& issue : alignment.issues) {
        if (issue.kind == AlignmentIssue::Kind::outside_limits ||
            issue.kind == AlignmentIssue::Kind::limits_not_meaningful)
            continue;
        TORCH_CHECK(false, "aim_points[", issue.heliostat, "]: ", issue.message);
    }
}

at::Tensor align_operator(const at::Tensor& parameters,
                          const at::Tensor& sun_direction,
                          const at::Tensor& aim_points,
                          std::string_view kinematics) {
    TORCH_CHECK(kinematics == "rigid_body" || kinematics == "azimuth_elevation",
                "kinematics must be \"rigid_body\" or \"azimuth_elevation\", found \"",
                kinematics,
                "\"");
    return align(parameters,
                 sun_direction,
                 aim_points,
                 kinematics == "rigid_body" ? KinematicsType::rigid_body
                                            : KinematicsType::azimuth_elevation);
}

}  // namespace

at::Tensor align(const at::Tensor& parameters,
                 const at::Tensor& sun_direction,
                 const at::Tensor& aim_points,
                 KinematicsType kinematics) {
    const int64_t n = parameters.dim() > 0 ? parameters.size(0) : 0;
    check(parameters, "parameters", {n, 16});
    check(sun_direction, "sun_direction", {3});
    check(aim_points, "aim_points", {n, 3});
    if (kinematics == KinematicsType::azimuth_elevation) {
        const bool deviates = (parameters.narrow(1, 3, 6) != 0.0).any().item<bool>() ||
                              (parameters.narrow(1, 12, 4) != 0.0).any().item<bool>();
        TORCH_CHECK(!deviates,
                    "parameters: azimuth_elevation kinematics have no joint translations or tilts "
                    "(columns 3 to 8 and 12 to 15); use rigid_body");
    }
    return with_torch_errors([&] {
        const auto options = parameters.options().requires_grad(false).dtype(at::kLong);
        const KinematicsParameters bodies{at::full({n}, static_cast<int64_t>(kinematics), options),
                                          parameters.narrow(1, 0, 3),
                                          parameters.narrow(1, 3, 9),
                                          parameters.narrow(1, 12, 4),
                                          ideal_drives(parameters)};
        const Alignment alignment = align_to_aim_points(bodies, -sun_direction, aim_points);
        check_reached(alignment);
        return alignment.orientation;
    });
}

TORCH_LIBRARY_IMPL(helioray, CompositeImplicitAutograd, m) {
    m.impl("align", align_operator);
}

}  // namespace helioray::operators
