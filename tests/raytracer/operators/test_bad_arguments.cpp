// SPDX-License-Identifier: MIT
// What the operators refuse, and what they say about it.
#include "raytracer/operators/pose/align.h"
#include "raytracer/operators/surface.h"
#include "tests/raytracer/artist/tensor_support.h"
#include "tests/raytracer/operators/flux_scene.h"
#include "tests/raytracer/tracing/physical/run.h"

#include <c10/util/Exception.h>

using namespace helioray;
using namespace helioray::operators;
using namespace helioray::test;

namespace {

/// Message of the error that a call throws; empty when there is none.
template <typename Function>
std::string error_of(Function function) {
    try {
        function();
    } catch (const c10::Error& error) {
        return error.what_without_backtrace();
    }
    return "";
}

struct Arguments {
    FluxInputs inputs;
    FluxSettings settings;
};

struct BadArgument {
    const char* message;  ///< part of what must be said
    void (*spoil)(Arguments&);
};

const BadArgument kBadArguments[] = {
    {"orientation must be Double",
     [](Arguments& a) { a.inputs.orientation = a.inputs.orientation.to(at::kFloat); }},
    {"orientation must be [N, 4, 4]",
     [](Arguments& a) { a.inputs.orientation = a.inputs.orientation[0]; }},
    {"orientation[3] is no rigid motion",
     [](Arguments& a) { a.inputs.orientation[3][0].mul_(1.1); }},
    {"orientation[2] is no rigid motion",
     [](Arguments& a) { a.inputs.orientation[2].slice(0, 0, 3).select(1, 2).neg_(); }},
    {"control_points has NaN",
     [](Arguments& a) { a.inputs.control_points.select(4, 0).fill_(std::nan("")); }},
    {"a mirror for each of the 5 heliostats or one for all, found 3",
     [](Arguments& a) { a.inputs.control_points = a.inputs.control_points.slice(0, 0, 3); }},
    {"more control points than its degree",
     [](Arguments& a) {
         a.settings.degrees = {3, 4};
     }},
    {"degrees must be from 1 to 7, found 8",
     [](Arguments& a) {
         a.settings.degrees = {8, 2};
     }},
    {"target_index must be from 0 to 2, found 0 to 3",
     [](Arguments& a) { a.inputs.target_index[1] = 3; }},
    {"target_index must have one entry",
     [](Arguments& a) { a.inputs.target_index = a.inputs.target_index.slice(0, 0, 4); }},
    {"targets[0]: kind must be", [](Arguments& a) { a.inputs.targets[0][0] = 4.0; }},
    {"targets[0]: the radius must be above 0 m",
     [](Arguments& a) {
         a.inputs.targets[0][0] = 3.0;
         a.inputs.targets[0][10] = 0.0;
     }},
    {"targets[1]: the normal is parallel",
     [](Arguments& a) {
         a.inputs.targets[1].slice(0, 4, 7).copy_(a.inputs.targets[1].slice(0, 7, 10));
     }},
    {"targets[1]: the opening angle", [](Arguments& a) { a.inputs.targets[1][12] = 7.0; }},
    {"targets[2]: width (or radius) and height",
     [](Arguments& a) { a.inputs.targets[2][11] = 0.0; }},
    {"sun_direction has no length", [](Arguments& a) { a.inputs.sun_direction.zero_(); }},
    {"the DNI, must be above 0", [](Arguments& a) { a.inputs.optics[0] = 0.0; }},
    {"the DNI, must be above 0 to 10000 W/m2, found 20000",
     [](Arguments& a) { a.inputs.optics[0] = 2e4; }},
    {"the reflectivity, must be from 0 to 1, found 93",
     [](Arguments& a) { a.inputs.optics[1] = 93.0; }},
    {"the slope error, must be from 0 to 0.5 rad, found 1.5",
     [](Arguments& a) { a.inputs.optics[3] = 1.5; }},
    {"rays must be from 1", [](Arguments& a) { a.settings.rays = 0; }},
    {"bitmap must be from 1 to 16384",
     [](Arguments& a) {
         a.settings.bitmap = {20, 0};
     }},
    {"found \"buie\"", [](Arguments& a) { a.settings.sun_shape = "buie"; }},
    {"no gradient with respect to targets",
     [](Arguments& a) { a.inputs.targets.set_requires_grad(true); }}};

}  // namespace

TEST_CASE("Arguments that cannot be traced are refused by name") {
    FluxScene scene = flux_scene(false, CylindricalTarget::Side::outer);
    scene.scene.config.tracing.rays_per_heliostat = 100;
    const RunResult result = run(scene.scene);
    REQUIRE(error_of([&] { trace_flux(flux_inputs(scene, result), scene.settings); }).empty());
    for (const BadArgument& bad : kBadArguments) {
        Arguments arguments{flux_inputs(scene, result), scene.settings};
        bad.spoil(arguments);
        const std::string error =
            error_of([&] { trace_flux(arguments.inputs, arguments.settings); });
        INFO("expected: " << bad.message << "\nfound: " << error);
        CHECK(error.find(bad.message) != std::string::npos);
    }
}

TEST_CASE("Surfaces and alignments that do not exist are refused") {
    const at::Tensor points = uniform({4, 4, 3}, 0, 1, 1);
    const at::Tensor u = uniform({5}, 0, 1, 2);
    CHECK(error_of([&] {
              nurbs_surface(points, u, u.slice(0, 0, 4), {3, 3});
          }).find("u and v must be [P]") != std::string::npos);
    CHECK(error_of([&] {
              nurbs_surface(points, u + 1.0, u, {3, 3});
          }).find("[0, 1]") != std::string::npos);

    at::Tensor parameters = at::zeros({2, 16}, at::kDouble);
    const at::Tensor sun = tensor_of({0, 0.6, 0.8}, {3});
    const at::Tensor aims = tensor_of({0, -50, 30, 0, 0, 0}, {2, 3});
    CHECK(error_of([&] {
              align(parameters, sun, aims, KinematicsType::rigid_body);
          }).find("aim_points[1]") != std::string::npos);
    parameters[0][4] = 0.1;
    CHECK(error_of([&] {
              align(parameters, sun, aims, KinematicsType::azimuth_elevation);
          }).find("no joint translations") != std::string::npos);
}
