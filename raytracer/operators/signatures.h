// SPDX-License-Identifier: MIT
// Signatures of the operators for the dispatcher, and their arguments as structs.
#pragma once

#include "raytracer/operators/trace_flux.h"

#include <string_view>
#include <tuple>
#include <type_traits>

namespace helioray::operators {

using Gradients = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>;

/// Returns a part [index, count] of the rays; throws c10::Error for invalid values.
inline std::array<int64_t, 2> checked_part(at::IntArrayRef part) {
    TORCH_CHECK(part.size() == 2 && part[1] >= 1 && part[0] >= 0 && part[0] < part[1],
                "part must be [index, count] with 0 <= index < count, found ",
                part);
    return {part[0], part[1]};
}

/// Returns the arguments other than tensors as a struct.
inline FluxSettings flux_settings(at::IntArrayRef degrees,
                                  at::IntArrayRef bitmap,
                                  int64_t rays,
                                  int64_t seed,
                                  std::string_view sun_shape,
                                  bool shading,
                                  bool blocking,
                                  at::IntArrayRef part) {
    TORCH_CHECK(degrees.size() == 2, "degrees must be [u, v], found ", degrees);
    TORCH_CHECK(bitmap.size() == 2, "bitmap must be [height, width], found ", bitmap);
    return {{degrees[0], degrees[1]},
            {bitmap[0], bitmap[1]},
            rays,
            seed,
            std::string(sun_shape),
            shading,
            blocking,
            checked_part(part)};
}

/// Converts a function of the structs to a kernel of trace_flux for the dispatcher.
template <at::Tensor (*function)(const FluxInputs&, const FluxSettings&)>
at::Tensor flux_kernel(const at::Tensor& orientation,
                       const at::Tensor& control_points,
                       const at::Tensor& target_index,
                       const at::Tensor& targets,
                       const at::Tensor& sun_direction,
                       const at::Tensor& optics,
                       at::IntArrayRef degrees,
                       at::IntArrayRef bitmap,
                       int64_t rays,
                       int64_t seed,
                       std::string_view sun_shape,
                       bool shading,
                       bool blocking,
                       at::IntArrayRef part) {
    return function({orientation, control_points, target_index, targets, sun_direction, optics},
                    flux_settings(degrees, bitmap, rays, seed, sun_shape, shading, blocking, part));
}

/// Converts a function of the structs to a kernel of trace_flux_backward for the dispatcher.
template <Gradients (*function)(const at::Tensor&, const FluxInputs&, const FluxSettings&)>
Gradients gradient_kernel(const at::Tensor& grad_flux,
                          const at::Tensor& orientation,
                          const at::Tensor& control_points,
                          const at::Tensor& target_index,
                          const at::Tensor& targets,
                          const at::Tensor& sun_direction,
                          const at::Tensor& optics,
                          at::IntArrayRef degrees,
                          at::IntArrayRef bitmap,
                          int64_t rays,
                          int64_t seed,
                          std::string_view sun_shape,
                          bool shading,
                          bool blocking,
                          at::IntArrayRef part) {
    return function(grad_flux,
                    {orientation, control_points, target_index, targets, sun_direction, optics},
                    flux_settings(degrees, bitmap, rays, seed, sun_shape, shading, blocking, part));
}

/// Function types that the dispatcher calls.
using TraceFlux = std::remove_pointer_t<decltype(&flux_kernel<nullptr>)>;
using TraceFluxBackward = std::remove_pointer_t<decltype(&gradient_kernel<nullptr>)>;

}  // namespace helioray::operators
