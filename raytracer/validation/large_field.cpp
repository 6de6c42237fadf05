// SPDX-License-Identifier: MIT
// A field of the size of a power plant.
#include "raytracer/validation/large_field.h"

#include <cmath>
#include <numbers>

namespace helioray::validation {

namespace {

constexpr double kTowerHeight = 200.0;  // metres
constexpr double kFirstRing = 100.0;    // metres
constexpr double kSpacing = 14.5;       // metres, between neighbours of a ring
constexpr double kHalfOpening = 1.3;    // radians, of the field about north

/// Distance to the next ring: what lets the light of its mirrors pass above the ring before.
double ring_distance(double radius) {
    return 11.0 + 4.0 * radius / kTowerHeight;
}

}  // namespace

Scene large_field(size_t num_heliostats) {
    std::vector<Mirror> mirrors;
    double radius = kFirstRing;
    for (int ring = 0; mirrors.size() < num_heliostats; ++ring) {
        const double step = kSpacing / radius;
        const auto slots = static_cast<int>(2.0 * kHalfOpening / step);
        for (int k = 0; k < slots && mirrors.size() < num_heliostats; ++k) {
            const double angle = -kHalfOpening + (k + 0.5 * (ring % 2)) * step;
            Mirror mirror;
            mirror.position = {radius * std::sin(angle), radius * std::cos(angle), 0.0};
            mirrors.push_back(mirror);
        }
        radius += ring_distance(radius);
    }
    Scene scene = make_scene(mirrors,
                             {{0.0, 0.0, kTowerHeight}, {0.0, 1.0, 0.0}, 20.0, 20.0},
                             sun_at(120.0, 55.0),
                             GaussianShape{2.09 * kMrad},
                             GaussianShape{1.0 * kMrad});
    scene.config.tracing.shading = true;
    scene.config.tracing.blocking = true;
    return scene;
}

}  // namespace helioray::validation
