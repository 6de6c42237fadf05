// SPDX-License-Identifier: MIT
// helioray::trace_flux_backward: sums of the backward kernel, seen from the operators' arguments.
#include "kernels/trace_flux_backward.h"
#include "raytracer/operators/checks.h"
#include "raytracer/operators/kernels.h"
#include "raytracer/operators/tensor_field.h"
#include "raytracer/physical/sums.h"
#include "raytracer/target_frame.h"
#include "scenario/vector_math.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include <algorithm>
#include <vector>

namespace helioray::operators {

namespace {

/// Derivatives of the loss in units of the loss.
struct Derivatives {
    std::vector<double> heliostats;  ///< [heliostats, kNumHeliostatGradients], target frames
    std::vector<double> floats;      ///< as FieldView::floats

    const double* of(size_t heliostat) const {
        return heliostats.data() + heliostat * kernels::kNumHeliostatGradients;
    }
};

/// per_flux: derivative of the loss by the flux, [T, H, W] on the CPU, not zero everywhere; device:
/// where to trace.
Derivatives trace_backward(const TensorField& field,
                           const at::Tensor& per_flux,
                           at::Device device) {
    // Per quantum, and no larger than 1: quanta are small, float32 has a range.
    const at::Tensor factors = at::tensor(field.flux_per_quantum(), at::kDouble);
    at::Tensor per_quantum = per_flux * factors.view({-1, 1, 1});
    const double largest = per_quantum.abs().max().item<double>();
    per_quantum = (per_quantum / largest).to(at::kFloat).contiguous();

    const kernels::FieldView view = field.field().view();
    const std::vector<kernels::WorkUnit>& units = field.units();
    // One scale for all parts, so that they add up exactly.
    const std::vector<kernels::WorkUnit>& all = field.field().plan().units;
    const kernels::GradientScale scale =
        kernels::gradient_scale(view, all.data(), std::ssize(all), 1.0f);
    at::Tensor heliostats =
        at::zeros({std::ssize(field.field().aimed()), kernels::kNumHeliostatGradients}, at::kLong);
    at::Tensor floats = at::zeros({std::ssize(field.field().facets().floats())}, at::kLong);
    if (device.is_cuda()) {
        const c10::DeviceGuard guard(device);
        upload(field.field(), device)
            ->backward(
                units.data(),
                std::ssize(units),
                per_quantum.const_data_ptr<float>(),
                scale,
                {heliostats.mutable_data_ptr<int64_t>(), floats.mutable_data_ptr<int64_t>()});
    } else {
        kernels::CpuOptions options;
        options.num_threads = at::get_num_threads();
        kernels::trace_flux_backward_cpu(
            view,
            units.data(),
            std::ssize(units),
            per_quantum.const_data_ptr<float>(),
            scale,
            {heliostats.mutable_data_ptr<int64_t>(), floats.mutable_data_ptr<int64_t>()},
            options);
    }

    Derivatives derivatives;
    derivatives.heliostats.reserve(static_cast<size_t>(heliostats.numel()));
    derivatives.floats.reserve(static_cast<size_t>(floats.numel()));
    const int64_t* of_heliostats = heliostats.const_data_ptr<int64_t>();
    for (int64_t i = 0; i < heliostats.numel(); ++i) {
        const double unit = scale.heliostat[i % kernels::kNumHeliostatGradients];
        derivatives.heliostats.push_back(static_cast<double>(of_heliostats[i]) * largest / unit);
    }
    const int64_t* of_floats = floats.const_data_ptr<int64_t>();
    for (int64_t i = 0; i < floats.numel(); ++i)
        derivatives.floats.push_back(static_cast<double>(of_floats[i]) * largest / scale.floats);
    return derivatives;
}

/// [N, 4, 4]. The kernel's rotation is axes * R and its translation axes * (p - origin): gradients
/// go back with the transposed axes.
at::Tensor orientation_gradient(const TensorField& field, const Derivatives& derivatives) {
    const auto count = std::ssize(field.field().aimed());
    at::Tensor gradient = at::zeros({count, 4, 4}, at::kDouble);
    for (size_t i = 0; i < field.field().aimed().size(); ++i) {
        const physical::AimedHeliostat& one = field.field().aimed()[i];
        const TargetFrame frame = target_frame(field.field().targets()[one.target].target);
        const double* of_record = derivatives.of(i);
        double* matrix = gradient.mutable_data_ptr<double>() + 16 * one.heliostat;
        for (size_t column = 0; column < 4; ++column) {
            Vec3 in_frame{};
            for (size_t row = 0; row < 3; ++row) {
                in_frame[row] = column < 3
                                    ? of_record[kernels::kRotationGradient + 3 * row + column]
                                    : of_record[kernels::kTranslationGradient + row];
            }
            const Vec3 in_world = frame.direction_to_world(in_frame);
            for (size_t row = 0; row < 3; ++row) matrix[4 * row + column] = in_world[row];
        }
    }
    return gradient;
}

/// [3] by the direction as given: what would only change its length has no influence.
at::Tensor sun_gradient(const TensorField& field,
                        const Derivatives& derivatives,
                        const at::Tensor& sun_direction) {
    Vec3 sum{};
    for (size_t i = 0; i < field.field().aimed().size(); ++i) {
        const double* of_record = derivatives.of(i) + kernels::kSunDirectionGradient;
        const TargetFrame frame =
            target_frame(field.field().targets()[field.field().aimed()[i].target].target);
        sum = add(sum, frame.direction_to_world({of_record[0], of_record[1], of_record[2]}));
    }
    const at::Tensor gradient =
        at::tensor(std::vector<double>(sum.begin(), sum.end()), at::kDouble);
    const at::Tensor length = sun_direction.norm();
    const at::Tensor unit = sun_direction / length;
    return (gradient - unit * (unit * gradient).sum()) / length;
}

/// [5]. All power is proportional to DNI and reflectivity.
at::Tensor optics_gradient(const Derivatives& derivatives, const at::Tensor& optics) {
    std::vector<double> sum(kernels::kNumHeliostatGradients, 0.0);
    for (size_t i = 0; i < derivatives.heliostats.size(); ++i)
        sum[i % sum.size()] += derivatives.heliostats[i];
    const at::Tensor given = optics.contiguous();
    const double* values = given.const_data_ptr<double>();
    const double value = sum[kernels::kValueGradient];
    return at::tensor(std::vector<double>{value / values[0],
                                          value / values[1],
                                          sum[kernels::kSunWidthGradient],
                                          sum[kernels::kSlopeWidthGradient],
                                          sum[kernels::kSpecularityWidthGradient]},
                      at::kDouble);
}

/// The shape of control_points; the facets of a shared mirror exist once.
at::Tensor control_point_gradient(const TensorField& field,
                                  const Derivatives& derivatives,
                                  const at::Tensor& control_points) {
    at::Tensor gradient = at::zeros(control_points.sizes(), at::kDouble);
    const int64_t num_facets = control_points.size(1);
    const int64_t facet_size = control_points[0][0].numel();
    for (size_t i = 0; i < field.field().aimed().size(); ++i) {
        const auto mirror = control_points.size(0) == 1
                                ? 0
                                : static_cast<int64_t>(field.field().aimed()[i].heliostat);
        const auto first_facet = static_cast<size_t>(field.field().heliostats()[i].first_facet);
        for (int64_t f = 0; f < num_facets; ++f) {
            const kernels::FacetRecord& facet =
                field.field().facets().facets()[first_facet + static_cast<size_t>(f)];
            std::copy_n(
                derivatives.floats.data() + facet.control_points,
                facet_size,
                gradient.mutable_data_ptr<double>() + (mirror * num_facets + f) * facet_size);
        }
    }
    return gradient;
}

/// Gradients on the CPU; per_flux and inputs are there, the rays are traced on the device.
Gradients gradients_on_cpu(const at::Tensor& per_flux,
                           const FluxInputs& inputs,
                           const FluxSettings& settings,
                           at::Device device) {
    if (per_flux.count_nonzero().item<int64_t>() == 0) {
        const auto zeros = [](const at::Tensor& tensor) {
            return at::zeros(tensor.sizes(), tensor.options());
        };
        return {zeros(inputs.orientation),
                zeros(inputs.control_points),
                zeros(inputs.sun_direction),
                zeros(inputs.optics)};
    }
    const TensorField field(inputs, settings);
    const Derivatives derivatives = trace_backward(field, per_flux, device);
    return {orientation_gradient(field, derivatives),
            control_point_gradient(field, derivatives, inputs.control_points),
            sun_gradient(field, derivatives, inputs.sun_direction),
            optics_gradient(derivatives, inputs.optics)};
}

Gradients trace_flux_gradients(const at::Tensor& grad_flux,
                               const FluxInputs& given,
                               const FluxSettings& settings) {
    const FluxInputs inputs = checked_on_cpu(given, settings);
    check_flux_gradient(grad_flux, given, settings);
    TORCH_CHECK(at::isfinite(grad_flux).all().item<bool>(),
                "grad_flux has NaN or infinite values; rays are added up as integers");
    // Without reflection there is nothing to divide by.
    TORCH_CHECK(inputs.optics[1].item<double>() > 0.0,
                "optics[1], the reflectivity, must be above 0 for gradients");
    const at::Device device = grad_flux.device();
    auto [by_orientation, by_control_points, by_sun, by_optics] = with_torch_errors(
        [&] { return gradients_on_cpu(grad_flux.to(at::kCPU), inputs, settings, device); });
    return {by_orientation.to(device),
            by_control_points.to(device),
            by_sun.to(device),
            by_optics.to(device)};
}

}  // namespace

TORCH_LIBRARY_IMPL(helioray, CPU, m) {
    m.impl("trace_flux_backward", gradient_kernel<trace_flux_gradients>);
}

// Without CUDA in this build, tensors on a device are answered with an error that says so.
TORCH_LIBRARY_IMPL(helioray, CUDA, m) {
    m.impl("trace_flux_backward", gradient_kernel<trace_flux_gradients>);
}

}  // namespace helioray::operators
