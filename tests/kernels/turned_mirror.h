// SPDX-License-Identifier: MIT
// A scene of one mirror that is turned, for derivatives by its pose.
#pragma once

#include "kernels/trace_flux.h"
#include "tests/kernels/scene.h"

#include <cmath>

namespace helioray::test {

/// A heliostat with a paraboloid of 4 m x 3 m, 60 m before the target frame's origin, off its axis;
/// no target yet.
inline Scene one_mirror() {
    Scene scene;
    // Mirror frame to target frame: the mirror looks towards the target.
    const double tilt = 0.2;
    const auto c = static_cast<float>(std::cos(tilt));
    const auto s = static_cast<float>(std::sin(tilt));
    scene.heliostats.push_back(heliostat(
        {1, 0, 0, 0, -c, s, 0, -s, -c}, {1.0f, -2.0f, 60.0f}, {0.1f, 0.35f, -0.9313968f}));
    scene.facets.push_back(analytic_facet(kernels::FacetKind::paraboloid, 2.0f, 1.5f, 60.0f));
    return scene;
}

inline void rotate_vector(float& x, float& y, double angle) {
    const double a = x;
    const double b = y;
    x = static_cast<float>(a * std::cos(angle) - b * std::sin(angle));
    y = static_cast<float>(a * std::sin(angle) + b * std::cos(angle));
}

/// Turns the heliostat about an axis of the target frame.
inline void turn(Scene& scene, int axis, double angle) {
    float* r = scene.heliostats[0].rotation;
    const int i = (axis + 1) % 3;
    const int j = (axis + 2) % 3;
    for (int column = 0; column < 3; ++column)
        rotate_vector(r[3 * i + column], r[3 * j + column], angle);
}

/// What the gradient says about a turn: d R = W R with W antisymmetric. of: derivative of the loss
/// by the number of the heliostat's record with this index.
template <typename Of>
double turn_derivative(const Scene& scene, const Of& of, int axis) {
    const float* r = scene.heliostats[0].rotation;
    const int i = (axis + 1) % 3;
    const int j = (axis + 2) % 3;
    double sum = 0.0;
    for (int column = 0; column < 3; ++column) {
        sum -= of(3 * i + column) * r[3 * j + column];
        sum += of(3 * j + column) * r[3 * i + column];
    }
    return sum;
}

}  // namespace helioray::test
