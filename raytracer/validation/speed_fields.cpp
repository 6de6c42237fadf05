// SPDX-License-Identifier: MIT
// Small fields to measure speed and sampling on.
#include "raytracer/validation/speed_fields.h"

#include "raytracer/validation/large_field.h"
#include "raytracer/validation/published_field.h"

namespace helioray::validation {

namespace {

constexpr size_t kHeliostats = 57;  ///< five rings

}  // namespace

std::vector<NamedScene> small_fields() {
    std::vector<Vec3> positions = published_positions();
    positions.resize(kHeliostats);
    Scene plain = published_scene(positions, published_morning(), GaussianShape{2.09 * kMrad});
    Scene hidden = plain;
    hidden.config.tracing.shading = true;
    hidden.config.tracing.blocking = true;
    return {{"plain", std::move(plain)}, {"shading and blocking", std::move(hidden)}};
}

std::vector<NamedScene> speed_fields() {
    std::vector<NamedScene> fields = small_fields();
    fields.push_back({"6,000 heliostats, shading and blocking", large_field(6000)});
    return fields;
}

}  // namespace helioray::validation
