// SPDX-License-Identifier: MIT
// Culling never changes a result: sums of a field with and without it are the same integers.
#include "kernels/core/sums_layout.h"
#include "kernels/trace_flux.h"
#include "raytracer/tracing/physical/occlusion/neighbours.h"
#include "raytracer/tracing/physical/prepared_field.h"
#include "scenario/types/vector_math.h"
#include "tests/raytracer/tracing/physical/run.h"
#include "tests/support/catch2.h"

#include <numbers>
#include <random>

using namespace helioray;
using namespace helioray::physical;
using namespace helioray::validation;

namespace {

/// Staggered rows of 10 m mirrors around a tower, with some relief of the ground.
std::vector<Mirror> field_of(int count) {
    std::vector<Mirror> mirrors;
    for (int ring = 0; static_cast<int>(mirrors.size()) < count; ++ring) {
        const double radius = 60.0 + 14.0 * ring;
        const int slots = static_cast<int>(2.0 * std::numbers::pi * radius / 15.0);
        for (int k = 0; k < slots && static_cast<int>(mirrors.size()) < count; ++k) {
            const double angle = 2.0 * std::numbers::pi * (k + 0.5 * (ring % 2)) / slots;
            mirrors.push_back({{radius * std::sin(angle),
                                radius * std::cos(angle),
                                3.0 * std::sin(0.01 * radius)}});
        }
    }
    return mirrors;
}

struct Traced {
    std::vector<int64_t> sums;
    double candidates_per_heliostat = 0.0;
    double shaded = 0.0, blocked = 0.0;  ///< shares of the incident light
};

Traced trace(const Scene& scene, bool cull) {
    const PreparedField prepared(scene.config, scene.scenario, cull);
    const Field& field = prepared.field();
    const std::vector<kernels::WorkUnit>& units = field.plan().units;
    const kernels::SumsLayout layout = field.sums_layout();
    Traced traced;
    traced.sums.assign(static_cast<size_t>(layout.total_size()), 0);
    kernels::CpuOptions options;
    options.num_threads = 2;
    const kernels::SumsView sums = layout.view(traced.sums.data());
    kernels::trace_flux_cpu(field.view(), units.data(), std::ssize(units), sums, options);
    double energy[kernels::kNumEnergySums] = {};
    for (size_t i = 0; i < field.aimed().size() * kernels::kNumEnergySums; ++i)
        energy[i % kernels::kNumEnergySums] += static_cast<double>(sums.energy[i]);
    traced.shaded = 1.0 - energy[kernels::kUnshadedSum] / energy[kernels::kIncidentSum];
    traced.blocked = 1.0 - energy[kernels::kUnblockedSum] / energy[kernels::kReflectedSum];
    int64_t candidates = 0;
    for (const kernels::HeliostatRecord& record : field.heliostats())
        candidates += record.num_shaders + record.num_blockers;
    traced.candidates_per_heliostat =
        static_cast<double>(candidates) / static_cast<double>(field.aimed().size());
    return traced;
}

Scene thousand_heliostats(double zenith_deg, const SunShape& shape) {
    Scene scene = make_scene(field_of(1000),
                             {{0, 0, 90}, {0, 1, 0}, 12.0, 12.0},
                             sun_at(190.0, zenith_deg),
                             shape,
                             GaussianShape{2e-3});
    scene.config.optics.specularity_error = GaussianShape{5e-4};
    scene.config.tracing.rays_per_heliostat = 1024;
    scene.config.tracing.shading = scene.config.tracing.blocking = true;
    scene.config.bitmap.width = scene.config.bitmap.height = 32;
    return scene;
}

void check_culling(double zenith_deg, const SunShape& shape) {
    const Scene scene = thousand_heliostats(zenith_deg, shape);
    const Traced culled = trace(scene, true);
    const Traced brute_force = trace(scene, false);
    CAPTURE(zenith_deg, culled.candidates_per_heliostat, culled.shaded, culled.blocked);
    CHECK(culled.sums == brute_force.sums);
    CHECK(culled.blocked > 0.001);
    // The lists are as short as neighbourhoods are; without culling both name everybody.
    CHECK(culled.candidates_per_heliostat < 60.0);
    CHECK(brute_force.candidates_per_heliostat == 2.0 * 999.0);
}

}  // namespace

TEST_CASE("culling changes no sum of 1,000 heliostats at noon") {
    check_culling(40.0, GaussianShape{2.35e-3});
}

TEST_CASE("culling changes no sum of 1,000 heliostats at 8 degrees elevation") {
    check_culling(82.0, GaussianShape{2.35e-3});
}

TEST_CASE("culling changes no sum under a sun with a wide aureole") {
    check_culling(60.0, BuieShape{0.1});
}

TEST_CASE("targets in one place share the mirrors that may stand in the way") {
    Scene scene = thousand_heliostats(60.0, GaussianShape{2.35e-3});
    const Traced one = trace(scene, true);
    scene.scenario.targets.push_back(scene.scenario.targets[0]);
    scene.scenario.targets[1].name = "twin";
    for (size_t i = 1; i < 1000; i += 2)
        scene.config.aim.heliostats[mirror_name(i)].target = "twin";
    const Traced two = trace(scene, true);
    const PreparedField prepared(scene.config, scene.scenario);
    CHECK(prepared.field().occlusion().occluders().size() == 1000);
    CHECK(prepared.field().aimed().back().target == 1);
    CHECK(two.candidates_per_heliostat == one.candidates_per_heliostat);
}

TEST_CASE("neighbour search finds what a search through all mirrors finds") {
    // Reference: the same spheres, every pair tested by the distance of random rays.
    std::mt19937 random(3);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    std::vector<MirrorSphere> mirrors;
    for (int i = 0; i < 400; ++i)
        mirrors.push_back(
            {{200.0 * uniform(random), 200.0 * uniform(random), 20.0 * uniform(random)},
             4.0 + uniform(random)});
    const NeighbourSearch search(mirrors);
    const auto unit = [&] {
        Vec3 v{};
        do {
            v = {uniform(random), uniform(random), uniform(random)};
        } while (norm(v) > 1.0 || norm(v) < 0.1);
        return normalized(v);
    };
    int hits = 0;
    for (int trial = 0; trial < 20000; ++trial) {
        const size_t self = static_cast<size_t>(trial) % mirrors.size();
        const double spread = 0.05 + 0.05 * uniform(random);
        Vec3 axis = unit();
        axis[2] = 0.3 * axis[2] + (trial % 2 == 0 ? 0.1 : -0.1);
        axis = normalized(axis);
        std::vector<int32_t> found;
        search.find(self, {axis, spread}, found);
        // A ray of the beam: anywhere on the mirror, within the spread.
        const Vec3 start = add_scaled(mirrors[self].center, 0.99 * mirrors[self].radius, unit());
        const Vec3 aside = unit();
        const Vec3 d = normalized(
            add_scaled(axis, 0.9 * std::tan(spread), add_scaled(aside, -dot(aside, axis), axis)));
        for (size_t i = 0; i < mirrors.size(); ++i) {
            if (i == self) continue;
            const Vec3 between = subtract(mirrors[i].center, start);
            const double along = dot(between, d);
            const double across = norm(add_scaled(between, -along, d));
            if (along < 0.0 || across > mirrors[i].radius) continue;
            ++hits;
            CHECK(std::binary_search(found.begin(), found.end(), static_cast<int32_t>(i)));
        }
    }
    CHECK(hits > 1000);
}
