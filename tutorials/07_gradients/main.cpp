// SPDX-License-Identifier: MIT
// Tutorial 07 in C++: the gradient of the flux corrects a mirror with the wrong focal length.
#include "raytracer/operators/pose/align.h"
#include "raytracer/operators/trace_flux.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/meshgrid.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <cstdio>
#include <exception>

using namespace helioray;

namespace {

constexpr double kDistance = 60.0;          // m from the mirror to the receiver
constexpr double kWrongFocalLength = 90.0;  // m
constexpr double kIrradiance = 900.0;       // W/m2
constexpr double kReflectivity = 0.93;
constexpr double kSun = 2.1e-3;    // standard deviation of a Gaussian sun, rad per axis
constexpr double kSlope = 1.0e-3;  // standard deviation of the surface normal, rad per axis

/// The concentration of the light: the flux's mean square in (10 kW/m2)^2.
at::Tensor concentration(const at::Tensor& flux) {
    return (flux * 1e-4).square().mean();
}

void improve_mirror() {
    // 1. A mirror of 3 x 3 m: one cubic B-spline facet. x and y of its control points are fixed,
    // their heights are the unknowns.
    const at::Tensor edge = at::linspace(-1.5, 1.5, 6, at::kDouble);
    const auto grid = at::meshgrid({edge, edge}, "ij");
    const at::Tensor radius2 = grid[0].square() + grid[1].square();
    at::Tensor heights = (radius2 / (4 * kWrongFocalLength)).set_requires_grad(true);

    // 2. The mirror is 60 m from a receiver of 3 x 3 m that faces it; the sun is behind the
    // receiver.
    const at::Tensor sun = at::tensor({0.0, -1.0, 0.1}, at::kDouble);
    const at::Tensor aim = at::tensor({0.0, 0.0, 0.0}, at::kDouble).view({1, 3});
    at::Tensor heliostat = at::zeros({1, 16}, at::kDouble);
    heliostat[0][1] = kDistance;

    operators::FluxInputs inputs;
    inputs.orientation = operators::align(heliostat, sun, aim, KinematicsType::azimuth_elevation);
    inputs.target_index = at::zeros({1}, at::kLong);
    inputs.targets =
        at::tensor({0., 0., 0., 0., 0., 1., 0., 0., 0., 0., 3., 3., 0.}, at::kDouble).view({1, 13});
    inputs.sun_direction = sun;
    inputs.optics = at::tensor({kIrradiance, kReflectivity, kSun, kSlope, 0.0}, at::kDouble);
    operators::FluxSettings settings;
    settings.bitmap = {64, 64};

    // 3. Gradient ascent: each step moves the heights along the gradient of the concentration.
    for (int step = 0; step <= 40; ++step) {
        inputs.control_points = at::stack({grid[0], grid[1], heights}, -1).view({1, 1, 6, 6, 3});
        const at::Tensor flux = operators::trace_flux(inputs, settings);
        const at::Tensor value = concentration(flux);
        value.backward();
        if (step % 10 == 0)
            std::printf("step %2d: concentration %.4f, peak %5.2f kW/m2, corner %4.1f mm high\n",
                        step,
                        value.item<double>(),
                        flux.max().item<double>() / 1e3,
                        heights[0][0].item<double>() * 1e3);
        heights = (heights.detach() + 1e-4 * heights.grad()).set_requires_grad(true);
    }

    // 4. The ideal mirror: the sun and the slope errors alone give the width of its image. A slope
    // error turns the light by twice its angle.
    const double width = kDistance * std::hypot(kSun, 2 * kSlope);  // standard deviation, m
    const double power = kIrradiance * kReflectivity * 9.0;         // W, without cosine loss
    std::printf("ideal mirror:                         peak %5.2f kW/m2\n",
                power / (2 * M_PI * width * width) / 1e3);
}

}  // namespace

int main() try { improve_mirror(); } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
