// SPDX-License-Identifier: MIT
// The small field of the operators' tests.
#include "tests/raytracer/operators/flux_scene.h"

#include "raytracer/tracing/geometry/aiming.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

namespace helioray::test {

namespace {

constexpr int64_t kPointsU = 5;
constexpr int64_t kPointsV = 4;

/// Four facets of 2 m x 1.5 m about a common paraboloid.
std::shared_ptr<const Surface> bent_mirror(double focal_length) {
    Surface surface;
    for (int i = 0; i < 4; ++i) {
        Facet facet;
        facet.name = fmt::format("facet_{}", i);
        facet.degrees = {3, 2};
        facet.num_control_points = {kPointsU, kPointsV};
        const double east = i % 2 == 0 ? -1.05 : 1.05;
        const double north = i < 2 ? -0.8 : 0.8;
        for (int64_t u = 0; u < kPointsU; ++u) {
            for (int64_t v = 0; v < kPointsV; ++v) {
                const double x = east + 2.0 * (static_cast<double>(u) / (kPointsU - 1) - 0.5);
                const double y = north + 1.5 * (static_cast<double>(v) / (kPointsV - 1) - 0.5);
                const double z = (x * x + y * y) / (4.0 * focal_length);
                facet.control_points.insert(facet.control_points.end(), {x, y, z});
            }
        }
        facet.canting_e = {1.0, 0.0, 0.0};
        facet.canting_n = {0.0, 0.75, 0.0};
        surface.facets.push_back(std::move(facet));
    }
    return std::make_shared<const Surface>(std::move(surface));
}

std::vector<double> target_row(const Target& target) {
    if (const auto* plane = std::get_if<PlanarTarget>(&target.geometry)) {
        const Vec3& c = plane->center;
        const Vec3& n = plane->normal;
        return {0, c[0], c[1], c[2], n[0], n[1], n[2], 0, 0, 0, plane->width, plane->height, 0};
    }
    const auto& cylinder = std::get<CylindricalTarget>(target.geometry);
    const Vec3& c = cylinder.center;
    const Vec3& n = cylinder.normal;
    const Vec3& a = cylinder.axis;
    return {cylinder.side == CylindricalTarget::Side::inner ? 2.0 : 1.0,
            c[0],
            c[1],
            c[2],
            n[0],
            n[1],
            n[2],
            a[0],
            a[1],
            a[2],
            cylinder.radius,
            cylinder.height,
            cylinder.opening_angle};
}

at::Tensor control_points(const Surface& surface) {
    std::vector<at::Tensor> facets;
    for (const Facet& facet : surface.facets)
        facets.push_back(
            at::tensor(facet.control_points, at::kDouble).view({kPointsU, kPointsV, 3}));
    return at::stack(facets);
}

}  // namespace

FluxScene flux_scene(bool shared_surface, CylindricalTarget::Side side) {
    // The middle mirror of each row stands partly before those behind it.
    std::vector<validation::Mirror> mirrors;
    for (int i = 0; i < 5; ++i)
        mirrors.push_back({Vec3{-4.0 + 3.5 * (i % 3), 40.0 + 4.0 * (i / 3), 0.2 * i}});
    FluxScene result{validation::make_scene(mirrors,
                                            PlanarTarget{{-3, 0, 14}, {0.1, 0.98, -0.17}, 3.0, 2.5},
                                            validation::sun_at(150.0, 70.0),
                                            GaussianShape{2.1e-3},
                                            GaussianShape{1.5e-3}),
                     {}};
    Scenario& scenario = result.scene.scenario;
    CylindricalTarget cylinder;
    cylinder.center = {4, side == CylindricalTarget::Side::inner ? -1.0 : 1.0, 12};
    cylinder.normal = {0, side == CylindricalTarget::Side::inner ? -1.0 : 1.0, 0};
    cylinder.radius = 1.5;
    cylinder.height = 3.0;
    cylinder.opening_angle = 2.5;
    cylinder.side = side;
    scenario.targets.push_back({"second", cylinder});
    // Served by none.
    scenario.targets.push_back({"third", PlanarTarget{{0, 0, 30}, {0, 1, 0}, 2.0, 2.0}});
    const auto shared = bent_mirror(45.0);
    RunConfig& config = result.scene.config;
    for (size_t i = 0; i < scenario.heliostats.size(); ++i) {
        Heliostat& heliostat = scenario.heliostats[i];
        heliostat.surface =
            shared_surface ? shared : bent_mirror(38.0 + 3.0 * static_cast<double>(i));
        if (i % 2 == 1) config.aim.heliostats[heliostat.name].target = "second";
    }
    config.sun.dni = 850.0;
    config.optics.reflectivity = 0.9;
    config.optics.specularity_error = GaussianShape{0.8e-3};
    config.tracing.rays_per_heliostat = 20'000;
    config.tracing.seed = 7;
    config.tracing.shading = true;
    config.tracing.blocking = true;
    config.bitmap.width = 24;
    config.bitmap.height = 20;
    config.bitmap.filter = Filter::bilinear;

    result.settings.degrees = {3, 2};
    result.settings.bitmap = {20, 24};
    result.settings.rays = 20'000;
    result.settings.seed = 7;
    return result;
}

operators::FluxInputs flux_inputs(const FluxScene& flux_scene, const RunResult& run) {
    const auto& [scenario, config] = flux_scene.scene;
    std::vector<at::Tensor> orientations, mirrors;
    std::vector<int64_t> indices;
    bool shared = true;
    for (size_t i = 0; i < scenario.heliostats.size(); ++i) {
        const HeliostatResult& heliostat = run.heliostats.at(i);
        const auto& o = heliostat.orientation;
        orientations.push_back(
            at::tensor(std::vector<double>(o.begin(), o.end()), at::kDouble).view({4, 4}));
        indices.push_back(static_cast<int64_t>(scenario.find_target(heliostat.target).value()));
        mirrors.push_back(control_points(*scenario.heliostats[i].surface));
        shared = shared && scenario.heliostats[i].surface == scenario.heliostats[0].surface;
    }
    if (shared) mirrors.resize(1);
    std::vector<at::Tensor> targets;
    for (const Target& target : scenario.targets)
        targets.push_back(at::tensor(target_row(target), at::kDouble));
    const Vec3 sun = direction_to_sun(config.sun, scenario.position);
    return {at::stack(orientations),
            at::stack(mirrors),
            at::tensor(indices, at::kLong),
            at::stack(targets),
            at::tensor(std::vector<double>(sun.begin(), sun.end()), at::kDouble),
            at::tensor(std::vector<double>{850.0, 0.9, 2.1e-3, 1.5e-3, 0.8e-3}, at::kDouble)};
}

at::Tensor flux_of(const FluxScene& flux_scene, const RunResult& run) {
    const auto& [scenario, config] = flux_scene.scene;
    at::Tensor flux = at::zeros(
        {static_cast<int64_t>(scenario.targets.size()), config.bitmap.height, config.bitmap.width},
        at::kDouble);
    for (const TargetResult& target : run.targets) {
        const auto index = static_cast<int64_t>(scenario.find_target(target.target.name).value());
        flux[index].copy_(
            at::tensor(target.flux, at::kDouble).view({config.bitmap.height, config.bitmap.width}));
    }
    return flux;
}

}  // namespace helioray::test
