// SPDX-License-Identifier: MIT
// Small fields, a field as large as a power plant, and the backward pass on a field.
#include "app/validation/speed_fields.h"

#include "app/validation/published_field.h"
#include "kernels/trace_flux.h"

#include <cmath>
#include <numbers>

namespace helioray::validation {

namespace {

constexpr double kTowerHeight = 200.0;  // metres
constexpr double kFirstRing = 100.0;    // metres
constexpr double kSpacing = 14.5;       // metres between neighbours of a ring
constexpr double kHalfOpening = 1.3;    // radians; half angle of the field about north

/// Returns the distance to the next ring, so that its light passes above the ring in front.
double ring_distance(double radius) {
    return 11.0 + 4.0 * radius / kTowerHeight;
}

/// Returns focused mirrors of 10 m x 10 m in staggered rings north of a receiver 200 m up, 20 m x
/// 20 m. The distance between the rings increases with their radius. Morning sun, Gaussian of 2.09
/// mrad, slope error 1 mrad, shading and blocking on.
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

constexpr size_t kHeliostats = 57;  ///< number of heliostats in five rings

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

BackwardSums backward_sums(const physical::Field& field,
                           const std::vector<float>& flux_gradient,
                           int num_threads) {
    const kernels::FieldView view = field.view();
    const std::vector<kernels::WorkUnit>& units = field.plan().units;
    BackwardSums sums;
    sums.scale = kernels::gradient_scale(view, units.data(), std::ssize(units), 1.0f);
    sums.heliostats.resize(static_cast<size_t>(view.num_heliostats) *
                           kernels::kNumHeliostatGradients);
    sums.floats.resize(field.facets().floats().size());
    kernels::CpuOptions options;
    options.num_threads = num_threads;
    kernels::trace_flux_backward_cpu(view,
                                     units.data(),
                                     std::ssize(units),
                                     flux_gradient.data(),
                                     sums.scale,
                                     {sums.heliostats.data(), sums.floats.data()},
                                     options);
    return sums;
}

double run_backward(const physical::Field& field, int num_threads) {
    const kernels::FieldView view = field.view();
    const auto pixels = static_cast<size_t>(field.sums_layout().flux_size());
    const BackwardSums sums = backward_sums(field, std::vector<float>(pixels, 1.0f), num_threads);
    double value = 0.0;
    for (int32_t i = 0; i < view.num_heliostats; ++i) {
        const auto index = static_cast<size_t>(i) * kernels::kNumHeliostatGradients;
        value += static_cast<double>(sums.heliostats[index + kernels::kValueGradient]) /
                 sums.scale.heliostat[kernels::kValueGradient];
    }
    return value;
}

}  // namespace helioray::validation
