// SPDX-License-Identifier: MIT
// The flux operator gives what model "physical" gives, for any number of threads.
#include "tests/raytracer/artist/tensor_support.h"
#include "tests/raytracer/operators/flux_scene.h"
#include "tests/raytracer/tracing/physical/run.h"

#include <ATen/Parallel.h>
#include <ATen/ops/equal.h>

using namespace helioray;
using namespace helioray::operators;
using namespace helioray::test;

namespace {

void check_equals_model(const FluxScene& scene) {
    const RunResult result = run(scene.scene);
    const at::Tensor expected = flux_of(scene, result);
    // The scene has to light both targets and to lose light between mirrors.
    REQUIRE(largest(expected[0]) > 1000.0);
    REQUIRE(largest(expected[1]) > 300.0);
    double shading = 0.0, blocking = 0.0;
    for (const HeliostatResult& heliostat : result.heliostats) {
        shading += heliostat.energy.shading_loss;
        blocking += heliostat.energy.blocking_loss;
    }
    REQUIRE(shading + blocking > 100.0);

    const at::Tensor flux = trace_flux(flux_inputs(scene, result), scene.settings);
    CHECK(flux.scalar_type() == at::kDouble);
    CHECK(largest_difference(flux, expected) < 1e-6 * largest(expected));
    CHECK(largest(flux[2]) == 0.0);
}

}  // namespace

TEST_CASE("The operator's flux is that of the model") {
    SECTION("mirrors of their own, cylinder lit outside") {
        check_equals_model(flux_scene(false, CylindricalTarget::Side::outer));
    }
    SECTION("one mirror for all, cylinder lit inside") {
        check_equals_model(flux_scene(true, CylindricalTarget::Side::inner));
    }
    SECTION("pillbox sun, no shading") {
        FluxScene scene = flux_scene(true, CylindricalTarget::Side::outer);
        scene.scene.config.sun.shape = PillboxShape{2.1e-3};
        scene.scene.config.tracing.shading = false;
        scene.settings.sun_shape = "pillbox";
        scene.settings.shading = false;
        check_equals_model(scene);
    }
    SECTION("collimated sun, no blocking") {
        FluxScene scene = flux_scene(true, CylindricalTarget::Side::outer);
        scene.scene.config.sun.shape = CollimatedShape{};
        scene.scene.config.tracing.blocking = false;
        scene.settings.sun_shape = "collimated";
        scene.settings.blocking = false;
        check_equals_model(scene);
    }
}

TEST_CASE("A shared mirror is the same as equal mirrors") {
    const FluxScene scene = flux_scene(true, CylindricalTarget::Side::outer);
    FluxInputs inputs = flux_inputs(scene, run(scene.scene));
    REQUIRE(inputs.control_points.size(0) == 1);
    const at::Tensor shared = trace_flux(inputs, scene.settings);
    inputs.control_points = inputs.control_points.expand({5, -1, -1, -1, -1});
    CHECK(at::equal(trace_flux(inputs, scene.settings), shared));
}

TEST_CASE("The operator's flux has the same bits for any number of threads") {
    const FluxScene scene = flux_scene(false, CylindricalTarget::Side::outer);
    const FluxInputs inputs = flux_inputs(scene, run(scene.scene));
    const int before = at::get_num_threads();
    at::set_num_threads(1);
    const at::Tensor one = trace_flux(inputs, scene.settings);
    at::set_num_threads(3);
    const at::Tensor three = trace_flux(inputs, scene.settings);
    at::set_num_threads(before);
    CHECK(at::equal(one, three));
    FluxSettings other = scene.settings;
    other.seed = 8;
    CHECK_FALSE(at::equal(trace_flux(inputs, other), one));
}

TEST_CASE("Directions to the sun have any length, tensors any strides") {
    const FluxScene scene = flux_scene(false, CylindricalTarget::Side::outer);
    FluxInputs inputs = flux_inputs(scene, run(scene.scene));
    const at::Tensor expected = trace_flux(inputs, scene.settings);
    inputs.sun_direction = inputs.sun_direction * 4.0;
    inputs.orientation = inputs.orientation.transpose(1, 2).contiguous().transpose(1, 2);
    inputs.control_points = inputs.control_points.transpose(0, 4).contiguous().transpose(0, 4);
    inputs.targets = inputs.targets.t().contiguous().t();
    REQUIRE_FALSE(inputs.control_points.is_contiguous());
    CHECK(at::equal(trace_flux(inputs, scene.settings), expected));
}

TEST_CASE("A plane mirror keeps the place that its control points give it") {
    // All heights are 0: nothing may be canted or moved again.
    const FluxScene scene = flux_scene(true, CylindricalTarget::Side::outer);
    FluxInputs inputs = flux_inputs(scene, run(scene.scene));
    inputs.control_points = inputs.control_points.clone();
    inputs.control_points.select(4, 2).zero_();
    const at::Tensor flat = trace_flux(inputs, scene.settings);
    inputs.control_points.select(4, 2).fill_(1e-9);
    const at::Tensor lifted = trace_flux(inputs, scene.settings);
    CHECK(largest_difference(flat, lifted) < 1e-3 * largest(flat));
}
