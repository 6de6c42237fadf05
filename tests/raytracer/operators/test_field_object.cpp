// SPDX-License-Identifier: MIT
// A field that a user of the operators holds gives what model "physical" gives for the same
// configuration.
#include "raytracer/operators/field_object.h"
#include "tests/raytracer/artist/tensor_support.h"
#include "tests/raytracer/operators/flux_scene.h"
#include "tests/raytracer/tracing/physical/run.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>

using namespace helioray;
using namespace helioray::operators;
using namespace helioray::test;

namespace {

constexpr const char* kTracing = R"(
tracing: {rays_per_heliostat: 20000, seed: 7, sampling: sobol}
bitmap: {width: 24, height: 20}
)";

/// What the text says, in the scene's own configuration. Targets of the text have the names of
/// rows.
void apply(const std::string& text, FluxScene& scene) {
    const RunConfig said = read_field_config(text);
    RunConfig& config = scene.scene.config;
    config.sun.shape = said.sun.shape;
    config.sun.dni = said.sun.dni;
    config.optics = said.optics;
    config.tracing = said.tracing;
    config.bitmap = said.bitmap;
    config.obstacles = said.obstacles;
    config.targets.clear();
    for (const auto& [row, extras] : said.targets)
        config.targets[scene.scene.scenario.targets[std::stoul(row)].name] = extras;
}

at::Tensor energies_of(const RunResult& result) {
    std::vector<at::Tensor> rows;
    for (const HeliostatResult& heliostat : result.heliostats) {
        std::vector<double> terms;
        for (const EnergyTermInfo& info : energy_term_infos())
            if (!info.is_of_receivers) terms.push_back(heliostat.energy.*info.member);
        rows.push_back(at::tensor(terms, at::kDouble));
    }
    return at::stack(rows);
}

void check_equal_light(FieldObject& field, const FluxScene& scene, const RunResult& result) {
    const auto [flux, energy] = field.trace(std::vector<int64_t>{0, 1});
    const at::Tensor expected = flux_of(scene, result);
    REQUIRE(largest(expected) > 300.0);
    CHECK(largest_difference(flux, expected) < 1e-6 * largest(expected));
    const at::Tensor terms = energies_of(result);
    CHECK(largest_difference(energy, terms) < 1e-6 * largest(terms));
}

void check_equals_model(const std::string& text, CylindricalTarget::Side side) {
    FluxScene scene = flux_scene(false, side);
    apply(text, scene);
    const RunResult result = run(scene.scene);
    const FluxInputs inputs = flux_inputs(scene, result);
    FieldObject field(text, inputs.targets, inputs.target_index, inputs.orientation, false);
    field.set_control_points(inputs.control_points, {3, 2}, std::nullopt);
    field.set_sun(inputs.sun_direction);
    check_equal_light(field, scene, result);
}

}  // namespace

TEST_CASE("A field that is held gives the light of the model") {
    using Side = CylindricalTarget::Side;
    const std::string tracing = kTracing;
    SECTION("circumsolar sun, air, pixels of their own") {
        check_equals_model(R"(
sun: {shape: {type: buie, csr: 0.1}, dni_w_m2: 700}
optics: {reflectivity: 0.8, slope_error: {type: pillbox, half_angle_mrad: 2}, attenuation: {model: exponential, per_km: 2}}
)" + tracing,
                           Side::outer);
    }
    SECTION("dark rim, random numbers, nothing in the way") {
        check_equals_model(R"(
sun: {shape: {type: limb_darkened}}
tracing: {rays_per_heliostat: 5000, seed: 9, sampling: random, shading: false, blocking: false}
bitmap: {width: 10, height: 30, filter: bilinear}
)",
                           Side::inner);
    }
    SECTION("windows, outlines and bodies") {
        check_equals_model(R"(
optics: {slope_error_mrad: 1.5}
targets:
  "0": {outline_m: [[-1, -0.8], [1, -0.8], [0, 1]]}
  "1": {aperture: {center: [4, 3, 12], normal: [0, 1, 0], radius_m: 0.8}}
obstacles:
- {type: box, center: [-3, 20, 8], size_m: [1, 1, 6]}
- {type: cylinder, base: [2, 25, 0], radius_m: 0.4, height_m: 9}
)" + tracing,
                           Side::outer);
    }
}

TEST_CASE("Facets with formulas are those of a scenario") {
    FluxScene scene = flux_scene(true, CylindricalTarget::Side::outer);
    apply(kTracing, scene);
    const FluxInputs inputs = flux_inputs(scene, run(scene.scene));
    const double canting = 0.01;
    Surface surface;
    std::vector<double> rows;
    for (const FacetShape shape : {FacetShape::flat, FacetShape::paraboloid, FacetShape::sphere}) {
        const auto kind = static_cast<double>(surface.facets.size());
        Facet facet;
        facet.name = std::to_string(surface.facets.size());
        facet.shape = shape;
        facet.focal_length = shape == FacetShape::flat ? 0.0 : 40.0;
        facet.translation = {1.1 * (kind - 1.0), 0.1, 0.02};
        facet.canting_e = {0.5, 0.0, canting * (1.0 - kind)};
        facet.canting_n = {0.0, 0.8, 0.0};
        rows.push_back(kind);
        rows.push_back(facet.focal_length);
        for (const Vec3& v : {facet.translation, facet.canting_e, facet.canting_n})
            rows.insert(rows.end(), v.begin(), v.end());
        surface.facets.push_back(std::move(facet));
    }
    const auto shared = std::make_shared<const Surface>(std::move(surface));
    for (Heliostat& heliostat : scene.scene.scenario.heliostats) heliostat.surface = shared;

    FieldObject field(kTracing, inputs.targets, inputs.target_index, inputs.orientation, true);
    field.set_facets(at::tensor(rows, at::kDouble).view({1, 3, 11}), std::nullopt);
    field.set_sun(inputs.sun_direction);
    check_equal_light(field, scene, run(scene.scene));
    const at::Tensor maps = field.trace_heliostats(std::vector<int64_t>{0, 1});
    const auto flux = std::get<0>(field.trace(std::vector<int64_t>{0, 1}));
    CHECK(largest_difference(maps.sum(0), flux.sum(0)) < 1e-9 * largest(flux));
}

TEST_CASE("Heliostats without a target lie flat and are not traced") {
    FluxScene scene = flux_scene(false, CylindricalTarget::Side::outer);
    apply(kTracing, scene);
    const FluxInputs inputs = flux_inputs(scene, run(scene.scene));
    scene.scene.config.aim.active = {scene.scene.scenario.heliostats[0].name,
                                     scene.scene.scenario.heliostats[3].name};
    const RunResult result = run(scene.scene);
    const at::Tensor index = at::tensor(std::vector<int64_t>{inputs.target_index[0].item<int64_t>(),
                                                             -1,
                                                             -1,
                                                             inputs.target_index[3].item<int64_t>(),
                                                             -1},
                                        at::kLong);
    FieldObject field(kTracing, inputs.targets, inputs.target_index, inputs.orientation, false);
    field.set_control_points(inputs.control_points, {3, 2}, std::nullopt);
    field.set_sun(inputs.sun_direction);
    const at::Tensor all = std::get<0>(field.trace(std::vector<int64_t>{0, 1}));
    field.set_target_index(index);
    const auto [flux, energy] = field.trace(std::vector<int64_t>{0, 1});
    CHECK(largest_difference(flux, flux_of(scene, result)) < 1e-6 * largest(flux));
    CHECK(largest(energy[1]) == 0.0);
    CHECK(largest(energy[3]) > 100.0);
    field.set_target_index(inputs.target_index);
    CHECK(at::equal(std::get<0>(field.trace(std::vector<int64_t>{0, 1})), all));
}
