// SPDX-License-Identifier: MIT
// The backward kernel on a prepared field.
#include "raytracer/validation/backward_run.h"

#include "kernels/trace_flux_backward.h"

namespace helioray::validation {

double run_backward(const physical::Field& field, int num_threads) {
    const kernels::FieldView view = field.view();
    const std::vector<kernels::WorkUnit>& units = field.plan().units;
    const auto pixels = static_cast<size_t>(view.bitmap_width) * view.bitmap_height;
    const std::vector<float> gradient(static_cast<size_t>(view.num_targets) * pixels, 1.0f);
    const kernels::GradientScale scale =
        kernels::gradient_scale(view, units.data(), std::ssize(units), 1.0f);
    std::vector<int64_t> heliostats(
        static_cast<size_t>(view.num_heliostats) * kernels::kNumHeliostatGradients, 0);
    std::vector<int64_t> floats(field.facets().floats().size(), 0);
    kernels::CpuOptions options;
    options.num_threads = num_threads;
    kernels::trace_flux_backward_cpu(view,
                                     units.data(),
                                     std::ssize(units),
                                     gradient.data(),
                                     scale,
                                     {heliostats.data(), floats.data()},
                                     options);
    double value = 0.0;
    for (int32_t i = 0; i < view.num_heliostats; ++i) {
        const auto index = static_cast<size_t>(i) * kernels::kNumHeliostatGradients;
        value += static_cast<double>(heliostats[index + kernels::kValueGradient]) /
                 scale.heliostat[kernels::kValueGradient];
    }
    return value;
}

}  // namespace helioray::validation
