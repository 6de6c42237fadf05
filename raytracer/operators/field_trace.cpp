// SPDX-License-Identifier: MIT
// Traces on the CPU and on CUDA devices, and converts sums of the backward kernel to gradients with
// respect to tensors.
#include "raytracer/operators/field_trace.h"

#include "kernels/field_on_devices.h"
#include "kernels/trace_flux.h"
#include "raytracer/operators/tensor_field.h"
#include "scenario/types/vector_math.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace helioray::operators {

namespace {

/// Copies the field to the CUDA devices of a place. A single device of tensors orders the work on
/// its current stream.
std::unique_ptr<kernels::DeviceField> upload(const physical::Field& field, const Place& place) {
    const kernels::CudaDevices& cuda = kernels::cuda_devices();
    if (!place.cuda_devices.empty())
        return kernels::upload_to_devices(cuda, field.view(), place.cuda_devices);
    const c10::impl::VirtualGuardImpl guard(place.device.type());
    return kernels::upload_to_devices(
        cuda, field.view(), {place.device.index()}, guard.getStream(place.device).native_handle());
}

}  // namespace

FluxSums traced_sums(const TensorField& field,
                     const std::array<int64_t, 2>& part,
                     const Place& place,
                     bool per_heliostat) {
    const physical::Field& prepared = field.field();
    const std::vector<kernels::WorkUnit> units = field.units_of_part(part);
    const auto num_units = std::ssize(units);
    FluxSums result;
    result.layout = prepared.sums_layout(per_heliostat);
    // No operator returns standard errors; only the CUDA kernels add squares in any case.
    result.layout.squares = place.is_cuda();
    result.values = at::zeros({result.layout.total_size()}, at::kLong);
    auto* const values = result.values.mutable_data_ptr<int64_t>();
    if (place.is_cuda()) {
        const auto on_device = upload(prepared, place);
        on_device->trace(units.data(),
                         num_units,
                         physical::Plan::rays(prepared.plan().units.front()),
                         result.layout,
                         {});
        on_device->read_sums(0, result.layout.total_size(), values);
    } else {
        kernels::CpuOptions options;
        options.num_threads = at::get_num_threads();
        kernels::trace_flux_cpu(
            prepared.view(), units.data(), num_units, result.layout.view(values), options);
    }
    return result;
}

at::Tensor compute_flux(const TensorField& field, const FluxSums& sums) {
    const kernels::SumsLayout& layout = sums.layout;
    const int64_t pixels = layout.height * layout.width;
    at::Tensor flux = at::empty({layout.num_maps(), layout.height, layout.width}, at::kDouble);
    // Use one pass, because new memory for intermediate tensors costs more than the sums.
    const int64_t* quanta = sums.values.const_data_ptr<int64_t>();
    auto* values = flux.mutable_data_ptr<double>();
    for (const double factor : field.flux_per_quantum())
        for (int64_t p = 0; p < pixels; ++p) *values++ = static_cast<double>(*quanta++) * factor;
    return flux;
}

namespace {

/// Derivatives of the loss in units of the loss; those with respect to control points are still
/// integers.
struct Derivatives {
    std::vector<double> heliostats;  ///< [heliostats, kNumHeliostatGradients], target frames
    double largest = 0.0;            ///< loss per quantum that corresponds to 1 in the sums
    double floats_scale = 1.0;       ///< sum that corresponds to a derivative of 1, a power of two

    const double* heliostat_row(size_t heliostat) const {
        return heliostats.data() + heliostat * kernels::kNumHeliostatGradients;
    }
};

/// The loss per quantum of each pixel, and its largest magnitude.
struct PixelGradients {
    std::vector<float> values;  ///< values as fractions of the largest one, [T, H, W]
    double largest = 0.0;       ///< largest loss per quantum
};

/// Converts derivatives to fractions of the largest value, because quanta are small and the range
/// of float32 is limited. per_flux: must not be zero everywhere.
PixelGradients per_quantum(const TensorField& field, const at::Tensor& per_flux) {
    const at::Tensor given = per_flux.contiguous();
    const auto* const gradients = given.const_data_ptr<double>();
    const std::vector<double> factors = field.flux_per_quantum();
    const auto pixels = static_cast<size_t>(given.size(1) * given.size(2));
    PixelGradients result;
    for (size_t t = 0; t < factors.size(); ++t) {
        const double* const map = gradients + t * pixels;
        double largest = 0.0;
        for (size_t p = 0; p < pixels; ++p)
            largest = std::max(largest, std::abs(map[p] * factors[t]));
        result.largest = std::max(result.largest, largest);
    }
    result.values.resize(factors.size() * pixels);
    for (size_t t = 0; t < factors.size(); ++t) {
        const double* const map = gradients + t * pixels;
        float* const values = result.values.data() + t * pixels;
        for (size_t p = 0; p < pixels; ++p)
            values[p] = static_cast<float>(map[p] * factors[t] / result.largest);
    }
    return result;
}

/// Traces the backward pass. per_flux: must not be zero everywhere. float_sums: sums of the field,
/// to which derivatives are added.
Derivatives trace_backward(const TensorField& field,
                           const at::Tensor& per_flux,
                           const std::array<int64_t, 2>& part,
                           const Place& place,
                           float edge_reach,
                           std::vector<int64_t>& float_sums) {
    const PixelGradients pixels = per_quantum(field, per_flux);
    Derivatives derivatives;
    derivatives.largest = pixels.largest;

    const physical::Field& prepared = field.field();
    const kernels::FieldView view = prepared.view();
    const std::vector<kernels::WorkUnit> units = field.units_of_part(part);
    // All parts have one scale, so that they add up exactly.
    const std::vector<kernels::WorkUnit>& all = prepared.plan().units;
    const kernels::GradientScale scale =
        kernels::gradient_scale(view, all.data(), std::ssize(all), 1.0f, edge_reach);
    std::vector<int64_t> heliostats(prepared.aimed().size() * kernels::kNumHeliostatGradients, 0);
    const kernels::GradientSums sums{heliostats.data(), float_sums.data()};
    if (place.is_cuda()) {
        upload(prepared, place)
            ->backward(units.data(), std::ssize(units), pixels.values.data(), scale, sums);
    } else {
        kernels::CpuOptions options;
        options.num_threads = at::get_num_threads();
        options.edge_reach = edge_reach;
        kernels::trace_flux_backward_cpu(
            view, units.data(), std::ssize(units), pixels.values.data(), scale, sums, options);
    }

    derivatives.heliostats.reserve(heliostats.size());
    for (size_t i = 0; i < heliostats.size(); ++i) {
        const double unit = scale.heliostat[i % kernels::kNumHeliostatGradients];
        derivatives.heliostats.push_back(static_cast<double>(heliostats[i]) * derivatives.largest /
                                         unit);
    }
    derivatives.floats_scale = scale.floats;
    return derivatives;
}

/// Returns the gradient [N, 4, 4] with respect to the orientation. The kernel's rotation is axes *
/// R and its translation axes * (p - origin), so gradients are multiplied by the transposed axes.
at::Tensor orientation_gradient(const TensorField& field, const Derivatives& derivatives) {
    const physical::Field& prepared = field.field();
    at::Tensor gradient =
        at::zeros({static_cast<int64_t>(field.num_heliostats()), 4, 4}, at::kDouble);
    auto* const values = gradient.mutable_data_ptr<double>();
    for (size_t i = 0; i < prepared.aimed().size(); ++i) {
        const physical::AimedHeliostat& aimed = prepared.aimed()[i];
        const TargetFrame& frame = prepared.frame(aimed.target);
        const double* of_record = derivatives.heliostat_row(i);
        double* matrix = values + 16 * aimed.heliostat;
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

/// Returns the gradient [3] with respect to the direction as given; its length has no influence.
at::Tensor sun_gradient(const TensorField& field,
                        const Derivatives& derivatives,
                        const at::Tensor& sun_direction) {
    const physical::Field& prepared = field.field();
    Vec3 sum{};
    for (size_t i = 0; i < prepared.aimed().size(); ++i) {
        const double* of_record = derivatives.heliostat_row(i) + kernels::kSunDirectionGradient;
        const TargetFrame& frame = prepared.frame(prepared.aimed()[i].target);
        sum = add(sum, frame.direction_to_world({of_record[0], of_record[1], of_record[2]}));
    }
    const at::Tensor gradient =
        at::tensor(std::vector<double>(sum.begin(), sum.end()), at::kDouble);
    const at::Tensor length = sun_direction.norm();
    const at::Tensor unit = sun_direction / length;
    return (gradient - unit * (unit * gradient).sum()) / length;
}

/// Returns the gradient [5]. All power is proportional to DNI and reflectivity.
at::Tensor optics_gradient(const Derivatives& derivatives, const at::Tensor& optics) {
    std::vector<double> sum(kernels::kNumHeliostatGradients, 0.0);
    for (size_t i = 0; i < derivatives.heliostats.size(); ++i)
        sum[i % sum.size()] += derivatives.heliostats[i];
    const at::Tensor given = optics.contiguous();
    const double* values = given.const_data_ptr<double>();
    const double value = sum[kernels::kValueGradient];
    return at::tensor(std::vector<double>{value / values[OpticsColumns::dni],
                                          value / values[OpticsColumns::reflectivity],
                                          sum[kernels::kSunWidthGradient],
                                          sum[kernels::kSlopeWidthGradient],
                                          sum[kernels::kSpecularityWidthGradient]},
                      at::kDouble);
}

/// Returns for each row of control points the row of the field that contains its facets, or no
/// value if none of its heliostats is traced.
std::vector<std::optional<size_t>> rows_of_mirrors(const physical::Field& field,
                                                   const GradientRequest& request) {
    std::vector<std::optional<size_t>> rows(static_cast<size_t>(request.points_shape[0]));
    for (size_t i = 0; i < request.mirrors.size(); ++i) {
        const int32_t row = field.row(request.mirrors[i]);
        if (row >= 0) rows[rows.size() == 1 ? 0 : i] = static_cast<size_t>(row);
    }
    return rows;
}

/// Number of sums in a cache line.
constexpr int64_t kLine = 8;

/// Writes up to kLine sums as derivatives and sets them to zero. Few rays affect few control
/// points, so lines of zeros are only read.
void move_line(int64_t* sums, int64_t count, double unit, double* destination) {
    int64_t any = 0;
    for (int64_t k = 0; k < count; ++k) any |= sums[k];
    if (any == 0) {
        std::fill_n(destination, count, 0.0);
        return;
    }
    for (int64_t k = 0; k < count; ++k) {
        destination[k] = static_cast<double>(sums[k]) * unit;
        sums[k] = 0;
    }
}

/// Returns the gradient with respect to control points and sets the sums that it reads to zero. The
/// facets of a shared mirror exist only once.
at::Tensor control_point_gradient(const TensorField& field,
                                  const Derivatives& derivatives,
                                  std::vector<int64_t>& float_sums,
                                  const GradientRequest& request) {
    const physical::Field& prepared = field.field();
    const auto& shape = request.points_shape;
    const int64_t facet_size = shape[2] * shape[3] * shape[4];
    at::Tensor gradient = at::empty(shape, at::kDouble);
    auto* destination = gradient.mutable_data_ptr<double>();
    // The scale is a power of two, so one product is as exact as a product and a quotient.
    const double unit = derivatives.largest / derivatives.floats_scale;
    for (const std::optional<size_t>& row : rows_of_mirrors(prepared, request)) {
        if (!row) {
            destination = std::fill_n(destination, shape[1] * facet_size, 0.0);
            continue;
        }
        auto facet = static_cast<size_t>(prepared.heliostats()[*row].first_facet);
        for (int64_t f = 0; f < shape[1]; ++f, ++facet, destination += facet_size) {
            int64_t* sums = float_sums.data() + prepared.facets().facets()[facet].control_points;
            for (int64_t begin = 0; begin < facet_size; begin += kLine) {
                const int64_t count = std::min(kLine, facet_size - begin);
                fetch_ahead(sums + begin);
                fetch_ahead(destination + begin);
                move_line(sums + begin, count, unit, destination + begin);
            }
        }
    }
    return gradient;
}

/// Clears the sums of control points that are not read.
void clear(const physical::Field& field, std::vector<int64_t>& float_sums) {
    for (const kernels::HeliostatRecord& record : field.heliostats()) {
        for (int32_t f = record.first_facet; f < record.first_facet + record.num_facets; ++f) {
            const kernels::FacetRecord& facet = field.facets().facets()[static_cast<size_t>(f)];
            if (facet.kind != kernels::FacetKind::bspline) continue;
            const auto count =
                3 * static_cast<size_t>(facet.num_control_points[0] * facet.num_control_points[1]);
            std::fill_n(float_sums.data() + facet.control_points, count, 0);
        }
    }
}

}  // namespace

Gradients flux_gradients(TensorField& field,
                         const at::Tensor& per_flux,
                         const GradientRequest& request,
                         const std::array<int64_t, 2>& part,
                         const Place& place) {
    std::vector<int64_t>& float_sums = field.float_sums();
    const Derivatives derivatives =
        trace_backward(field, per_flux, part, place, request.edge_reach, float_sums);
    Gradients gradients{orientation_gradient(field, derivatives),
                        {},
                        sun_gradient(field, derivatives, request.sun_direction),
                        optics_gradient(derivatives, request.optics)};
    if (request.points_shape[0] > 0)
        std::get<1>(gradients) = control_point_gradient(field, derivatives, float_sums, request);
    if (request.points_shape[0] == 0 || request.mirrors.size() < field.num_heliostats())
        clear(field.field(), float_sums);
    return gradients;
}

}  // namespace helioray::operators
