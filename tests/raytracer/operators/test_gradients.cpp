// SPDX-License-Identifier: MIT
// Gradients of the flux operator against central differences of it with the same random numbers.
#include "raytracer/operators/pose/align.h"
#include "tests/raytracer/artist/tensor_support.h"
#include "tests/raytracer/operators/flux_scene.h"
#include "tests/raytracer/tracing/physical/run.h"

#include <ATen/Parallel.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/sin.h>

using namespace helioray;
using namespace helioray::operators;
using namespace helioray::test;

namespace {

// Steps are large enough to stand out from the rounding of single-precision rays.

// Inputs of the loss, by index.
enum Input : size_t {
    kAim,
    kParameters,
    kSun,
    kOptics,
    kPlaces,   ///< shifts of facets in the mirror's plane
    kHeights,  ///< heights of some control points
    kNumInputs
};

/// Five heliostats before targets that catch all light.
class Problem {
  public:
    explicit Problem(KinematicsType kinematics,
                     bool shared_surface = true,
                     CylindricalTarget::Side side = CylindricalTarget::Side::outer,
                     const char* sun_shape = "gaussian")
        : kinematics_(kinematics), scene_(flux_scene(shared_surface, side)) {
        scene_.settings.sun_shape = sun_shape;
        // What is lost at edges is not part of the gradient.
        scene_.settings.shading = scene_.settings.blocking = false;
        inputs_ = flux_inputs(scene_, run(scene_.scene));
        inputs_.targets[0].slice(0, 10, 12).fill_(7.0);
        inputs_.targets[1][10] = side == CylindricalTarget::Side::inner ? 5.0 : 6.0;
        inputs_.targets[1][11] = 9.0;
    }

    std::vector<at::Tensor> typical() const {
        std::vector<at::Tensor> x(kNumInputs);
        x[kAim] = tensor_of({-3.2, 0.1, 14.1, 4, 1, 12.2, -2.7, 0, 13.8, 4.2, 1, 11.7, -3, 0, 14.3},
                            {5, 3});
        x[kParameters] = at::zeros({5, 16}, at::kDouble);
        x[kParameters].slice(1, 0, 3).copy_(inputs_.orientation.slice(1, 0, 3).select(2, 3));
        const bool rigid = kinematics_ == KinematicsType::rigid_body;
        x[kParameters].slice(1, rigid ? 3 : 9, rigid ? 16 : 12).fill_(0.02);
        x[kSun] = inputs_.sun_direction * 1.3;
        x[kOptics] = inputs_.optics.clone();
        x[kPlaces] = at::zeros({inputs_.control_points.size(0), 4, 1, 1, 2}, at::kDouble);
        x[kHeights] = some_points(inputs_.control_points).slice(4, 2, 3).clone();
        return x;
    }

    at::Tensor flux(const std::vector<at::Tensor>& x) const {
        FluxInputs inputs = inputs_;
        inputs.orientation = align(x[kParameters], x[kSun], x[kAim], kinematics_);
        inputs.sun_direction = x[kSun];
        inputs.optics = x[kOptics];
        inputs.control_points = inputs_.control_points.clone();
        inputs.control_points.slice(4, 0, 2).add_(x[kPlaces]);
        some_points(inputs.control_points).slice(4, 2, 3).copy_(x[kHeights]);
        return trace_flux(inputs, scene_.settings);
    }

    /// A smooth pattern without symmetry, a few waves over each target; of the size of 1.
    at::Tensor loss(const std::vector<at::Tensor>& x) const {
        const at::Tensor down = at::linspace(0, 1, 20, at::kDouble).view({1, 20, 1});
        const at::Tensor right = at::linspace(0, 1, 24, at::kDouble).view({1, 1, 24});
        const at::Tensor target = tensor_of({1, 1.5, 0}, {3, 1, 1});
        const at::Tensor pattern =
            target * (at::sin(7.0 * right + 1.0) + 0.7 * at::cos(5.0 * down - 2.0 * right));
        return (flux(x) * pattern).sum().view({1}) * 1e-4;
    }

    void check(Input input, double step, double tolerance = 0.01) const {
        INFO("input " << input);
        check_gradient(
            [this](const auto& x) { return loss(x); }, typical(), input, tolerance, step);
    }

  private:
    /// Control points on an edge of one facet of the first two mirrors, or of the shared one; a
    /// view.
    static at::Tensor some_points(const at::Tensor& control_points) {
        return control_points.slice(0, 0, 2).slice(1, 2, 3).slice(2, 0, 2).slice(3, 0, 1);
    }

    KinematicsType kinematics_;
    FluxScene scene_;
    FluxInputs inputs_;
};

}  // namespace

TEST_CASE("Flux has the gradients of central differences") {
    const Problem problem(KinematicsType::rigid_body);
    problem.check(kAim, 1e-3);
    problem.check(kParameters, 4e-3);
    problem.check(kSun, 1e-3);
}

TEST_CASE("Flux has the gradients of central differences by control points") {
    Problem(KinematicsType::rigid_body, true).check(kHeights, 5e-4);
    Problem(KinematicsType::rigid_body, true).check(kPlaces, 1e-2);
    Problem(KinematicsType::rigid_body, false).check(kHeights, 5e-4);
}

TEST_CASE("A wider mirror has more light") {
    // Differences would move rays from facet to facet; the area's derivative is known instead.
    for (const bool shared_surface : {true, false}) {
        FluxScene scene = flux_scene(shared_surface, CylindricalTarget::Side::outer);
        scene.settings.shading = scene.settings.blocking = false;
        FluxInputs inputs = flux_inputs(scene, run(scene.scene));
        inputs.targets[0].slice(0, 10, 12).fill_(7.0);
        inputs.targets[1].slice(0, 10, 12).fill_(9.0);
        // Power of a map from its flux, relative to that of the plane.
        const at::Tensor pixel = tensor_of({49.0, 9.0 * 9.0 * 2.5, 0.0}, {3, 1, 1});
        const double power = (trace_flux(inputs, scene.settings) * pixel).sum().item<double>();
        const at::Tensor width = tensor_of({1.0, 1.0, 1.0}, {3}).set_requires_grad(true);
        inputs.control_points = inputs.control_points * width;
        (trace_flux(inputs, scene.settings) * pixel).sum().backward();
        const at::Tensor gradient = width.grad() / power;
        CHECK(gradient[0].item<double>() == Approx(1.0).epsilon(0.01));
        CHECK(gradient[1].item<double>() == Approx(1.0).epsilon(0.01));
        // Height only tilts the surface a little.
        CHECK(std::abs(gradient[2].item<double>()) < 0.01);
    }
}

TEST_CASE("Flux on the inside of a cylinder has the gradients of central differences") {
    const Problem problem(
        KinematicsType::azimuth_elevation, true, CylindricalTarget::Side::inner, "pillbox");
    problem.check(kAim, 1e-3);
    problem.check(kSun, 1e-3);
}

TEST_CASE("Flux has the gradient of central differences for each of the optics") {
    // They differ by orders of magnitude: each as a factor of itself.
    for (const char* const shape : {"gaussian", "pillbox"}) {
        const Problem problem(
            KinematicsType::rigid_body, true, CylindricalTarget::Side::outer, shape);
        const std::vector<at::Tensor> typical = problem.typical();
        for (int64_t i = 0; i < 5; ++i) {
            INFO(shape << ", optics[" << i << "]");
            check_gradient(
                [&](const auto& x) {
                    std::vector<at::Tensor> arguments = typical;
                    arguments[kOptics] = typical[kOptics].clone();
                    arguments[kOptics][i].mul_(x[0][0]);
                    return problem.loss(arguments);
                },
                {tensor_of({1.0}, {1})},
                0,
                0.01,
                0.02);
        }
    }
}

TEST_CASE("Lengths of the sun's direction have no influence on the flux") {
    const Problem problem(KinematicsType::rigid_body);
    std::vector<at::Tensor> x = problem.typical();
    x[kSun] = x[kSun].clone().set_requires_grad(true);
    problem.loss(x).backward();
    const at::Tensor gradient = x[kSun].grad();
    CHECK(std::abs((gradient * x[kSun]).sum().item<double>()) < 1e-9 * largest(gradient));
}

TEST_CASE("Gradients have the same bits for any number of threads") {
    const Problem problem(KinematicsType::rigid_body);
    const int before = at::get_num_threads();
    std::vector<at::Tensor> gradients[2];
    for (int run = 0; run < 2; ++run) {
        at::set_num_threads(run == 0 ? 1 : 3);
        std::vector<at::Tensor> x = problem.typical();
        for (at::Tensor& leaf : x) leaf.set_requires_grad(true);
        problem.loss(x).backward();
        for (const at::Tensor& leaf : x) gradients[run].push_back(leaf.grad());
    }
    at::set_num_threads(before);
    for (size_t i = 0; i < kNumInputs; ++i) {
        INFO("input " << i);
        CHECK(largest(gradients[0][i]) > 0.0);
        CHECK(at::equal(gradients[0][i], gradients[1][i]));
    }
}

TEST_CASE("A mirror that heliostats share has the sum of their gradients") {
    FluxScene scene = flux_scene(true, CylindricalTarget::Side::outer);
    FluxInputs inputs = flux_inputs(scene, run(scene.scene));
    const at::Tensor weights = uniform({3, 20, 24}, 0, 1, 5);
    const FluxGradients shared = trace_flux_backward(weights, inputs, scene.settings);
    inputs.control_points = inputs.control_points.expand({5, -1, -1, -1, -1});
    const FluxGradients own = trace_flux_backward(weights, inputs, scene.settings);
    REQUIRE(largest(shared.control_points) > 0.0);
    CHECK(largest_difference(shared.control_points, own.control_points.sum(0, true)) <
          1e-6 * largest(shared.control_points));
    CHECK(largest_difference(shared.orientation, own.orientation) == 0.0);
}

TEST_CASE("A loss that does not depend on the flux has zero gradients") {
    const Problem problem(KinematicsType::rigid_body);
    std::vector<at::Tensor> x = problem.typical();
    for (at::Tensor& leaf : x) leaf.set_requires_grad(true);
    (problem.loss(x) * 0.0).sum().backward();
    for (const at::Tensor& leaf : x) CHECK(largest(leaf.grad()) == 0.0);
}

TEST_CASE("Second derivatives of the flux are refused") {
    const FluxScene scene = flux_scene(true, CylindricalTarget::Side::outer);
    FluxInputs inputs = flux_inputs(scene, run(scene.scene));
    inputs.optics.set_requires_grad(true);
    const at::Tensor weights = at::ones_like(trace_flux(inputs, scene.settings));
    const FluxGradients first = trace_flux_backward(weights, inputs, scene.settings);
    CHECK_THROWS_WITH(first.optics.sum().backward(),
                      ContainsSubstring("flux has first derivatives only"));
}
