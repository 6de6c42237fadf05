// SPDX-License-Identifier: MIT
// Turning heliostats: from incident direction and aim point, or from motor positions.
#include "raytracer/artist/alignment.h"

#include "raytracer/artist/kinematics.h"
#include "raytracer/artist/transforms.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

namespace helioray::artist {
namespace {

constexpr int64_t kMaxPasses = 4;
constexpr double kTolerance = 1e-4;

// Normals [N, 4] that reflect the incident light from the mirrors' origins to the aim points.
at::Tensor wanted_normals(const at::Tensor& orientation,
                          const at::Tensor& incident,
                          const at::Tensor& aim_point) {
    const at::Tensor origin = orientation.select(2, 3).narrow(1, 0, 3);
    const at::Tensor to_aim = normalized(aim_point.narrow(1, 0, 3) - origin);
    const at::Tensor normal = normalized(to_aim - incident.narrow(1, 0, 3));
    return at::cat({normal, at::zeros({normal.size(0), 1}, normal.options())}, 1);
}

}  // namespace

Alignment align_to_aim_points(const Parameters& p,
                              const at::Tensor& incident,
                              const at::Tensor& aim_point) {
    const int64_t n = p.position.size(0);
    const at::Tensor reference = at::tensor({0.0F, -1.0F, 0.0F, 0.0F});
    Alignment result;
    result.motor_positions = at::zeros({n, 2}, at::kFloat);
    result.out_of_range = at::zeros({n}, at::kBool);
    at::Tensor orientation, last_loss;
    for (int64_t pass = 0; pass < kMaxPasses; ++pass) {
        result.motor_positions_per_pass.push_back(result.motor_positions);
        orientation = forward(p, result.motor_positions);
        const at::Tensor wanted = wanted_normals(orientation, incident, aim_point);
        const at::Tensor loss = (wanted - orientation.matmul(reference)).abs().mean(1);
        // The whole batch stops together (P14).
        if (last_loss.defined() && (last_loss - loss).abs().le(kTolerance).all().item<bool>())
            break;
        last_loss = loss;
        InverseSolution solution = inverse(p, wanted);
        ++result.inverse_evaluations;
        result.motor_positions = solution.motor_positions;
        result.out_of_range = solution.out_of_range;
    }
    result.orientation = surface_orientation(orientation);
    return result;
}

Alignment align_to_motor_positions(const Parameters& p, const at::Tensor& motor_positions) {
    Alignment result;
    result.motor_positions = motor_positions;
    result.motor_positions_per_pass = {motor_positions};
    result.out_of_range = at::zeros({motor_positions.size(0)}, at::kBool);
    result.orientation = surface_orientation(forward(p, motor_positions));
    return result;
}

}  // namespace helioray::artist
