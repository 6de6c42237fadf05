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
    const Scene plain = fields.front().scene;
    const std::pair<const char*, SunShape> shapes[] = {
        {"plain, collimated", CollimatedShape{}},
        {"plain, pillbox", PillboxShape{4.65 * kMrad}},
        {"plain, Buie", BuieShape{0.05}}};
    for (const auto& [name, shape] : shapes) {
        fields.push_back({name, plain});
        fields.back().scene.config.sun.shape = shape;
    }
    fields.push_back(
        {"1 heliostat",
         published_scene(
             {published_positions().back()}, published_morning(), GaussianShape{2.09 * kMrad})});
    const Scene large = large_field(6000);
    fields.push_back({"6,000 heliostats, shading and blocking", large});
    const std::pair<const char*, int64_t> rays[] = {{"the same with 300 rays each", 300},
                                                    {"the same with 1,000 rays each", 1000},
                                                    {"the same with 20,000 rays each", 20'000}};
    for (const auto& [name, count] : rays) fields.push_back({name, large, count});
    fields.push_back({"20,000 heliostats, shading and blocking", large_field(20000)});
    return fields;
}

}  // namespace helioray::validation
