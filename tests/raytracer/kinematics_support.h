// SPDX-License-Identifier: MIT
// Heliostats to test kinematics with.
#pragma once

#include "raytracer/kinematics/alignment.h"
#include "raytracer/kinematics/parameters.h"
#include "tests/raytracer/tensor_support.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>

namespace helioray::test {

/// Drives like those of ARTIST's AA39, repeated n times. Columns differ as the two axes do.
inline ActuatorParameters linear_drives(int64_t n) {
    const auto row = [n](double a, double b) { return tensor_of({a, b}, {1, 2}).repeat({n, 1}); };
    ActuatorParameters drives;
    drives.is_linear = row(1, 1).to(at::kBool);
    drives.clockwise = row(0, 1).to(at::kBool);
    drives.increment = row(154166.67, 154166.67);
    drives.offset = row(0.335308, 0.340771);
    drives.pivot_radius = row(0.338095, 0.3191);
    drives.initial_stroke = row(0.0774127916, 0.0775222853);
    drives.initial_angle = row(-1.5317868, 0.943922222);
    drives.min_position = row(0, 0);
    drives.max_position = row(68745, 75308);
    return drives;
}

/// Ideal drives with the given limits for both axes.
inline ActuatorParameters ideal_drives(int64_t n, double lowest, double highest) {
    ActuatorParameters drives = linear_drives(n);
    const auto all = [n](double value) { return at::full({n, 2}, value, at::kDouble); };
    drives.is_linear = all(0).to(at::kBool);
    drives.increment = drives.offset = drives.pivot_radius = all(0);
    drives.initial_stroke = drives.initial_angle = all(0);
    drives.min_position = all(lowest);
    drives.max_position = all(highest);
    return drives;
}

/// n rigid bodies at scattered positions; deviations up to `translation` metres and `tilt` radians.
inline KinematicsParameters rigid_bodies(ActuatorParameters drives,
                                         double translation,
                                         double tilt,
                                         uint64_t seed = 1) {
    const int64_t n = drives.offset.size(0);
    KinematicsParameters parameters;
    parameters.types = at::full({n}, 0, at::kLong);
    parameters.positions = uniform({n, 3}, -1, 1, seed) * tensor_of({40, 40, 2}, {3});
    parameters.positions = parameters.positions + tensor_of({0, 60, 0}, {3});
    parameters.translations = uniform({n, 9}, -translation, translation, seed + 1);
    parameters.rotations = uniform({n, 4}, -tilt, tilt, seed + 2);
    parameters.actuators = std::move(drives);
    return parameters;
}

/// Unit normals that point to the sky around south, one per row.
inline at::Tensor southern_normals(int64_t n, uint64_t seed = 7) {
    const at::Tensor direction = uniform({n, 3}, -0.6, 0.6, seed) + tensor_of({0, -0.8, 0.8}, {3});
    return direction / (direction * direction).sum(1, true).sqrt();
}

/// The mirror normal (column 2) and origin (column 3) of orientations [N, 4, 4].
inline at::Tensor column(const at::Tensor& orientation, int64_t index) {
    return orientation.narrow(1, 0, 3).select(2, index);
}

/// Parameters of one of the entries of kinematics.json and actuators.json: rows as ARTIST stores
/// them.
inline ActuatorParameters drives_from_rows(const nlohmann::json& non_optimisable,
                                           const nlohmann::json& optimisable) {
    const at::Tensor fixed = to_tensor(non_optimisable), free = to_tensor(optimisable);
    const auto row = [](const at::Tensor& rows, int64_t i) { return rows[i].unsqueeze(0); };
    ActuatorParameters drives;
    drives.is_linear = row(fixed, 0) == 0;
    drives.clockwise = row(fixed, 1) == 1;
    drives.min_position = row(fixed, 2);
    drives.max_position = row(fixed, 3);
    drives.increment = row(fixed, 4);
    drives.offset = row(fixed, 5);
    drives.pivot_radius = row(fixed, 6);
    drives.initial_angle = row(free, 0);
    drives.initial_stroke = row(free, 1);
    return drives;
}

/// Repeats the only row of drives n times.
inline ActuatorParameters repeated(const ActuatorParameters& drives, int64_t n) {
    return select(drives, at::full({n}, 0, at::kLong));
}

}  // namespace helioray::test
