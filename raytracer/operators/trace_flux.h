// SPDX-License-Identifier: MIT
// Flux on receivers as a differentiable function of tensors.
//
// The functions use Torch's dispatcher to call the operators helioray::trace_flux and
// helioray::trace_flux_backward, which Python finds in torch.ops.helioray.
#pragma once

#include "kernels/core/trace_types.h"
#include "raytracer/tracing/physical/records/target_rows.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <string>

namespace helioray::operators {

/// All tensors on which the flux depends; float64 unless stated otherwise, all on one device. SI
/// units, radians, east-north-up.
struct FluxInputs {
    /// [N, 4, 4] mirror frame (facets in the e-n plane, normal up) to ENU; rigid to 1 %.
    at::Tensor orientation;
    /// [N, F, nu, nv, 3] metres, mirror frame, canting and translation included; or
    /// [1, F, nu, nv, 3]: one mirror that all heliostats share.
    at::Tensor control_points;
    /// [N] int64, row of `targets` for each heliostat.
    at::Tensor target_index;
    /// [T, 13]: kind (see TargetKind), centre 3, normal 3, axis 3 (cylinder), width of a plane or
    /// radius of a cylinder or disc, height (plane, cylinder), opening angle (cylinder, (0, 2 pi]).
    /// Columns that a kind does not use may contain any finite value. Not differentiable.
    at::Tensor targets;
    /// [3] direction to the sun, any non-zero length.
    at::Tensor sun_direction;
    /// [5]: DNI in W/m2, reflectivity [0, 1], width of the sun (sigma per axis of a Gaussian, half
    /// angle of a pillbox), sigma of the slope error, sigma of the specularity error.
    at::Tensor optics;
};

/// Columns of FluxInputs::targets.
using physical::TargetColumns;

/// Indices in FluxInputs::optics.
struct OpticsColumns {
    static constexpr int64_t dni = 0;                ///< W/m2
    static constexpr int64_t reflectivity = 1;       ///< [0, 1]
    static constexpr int64_t sun_width = 2;          ///< radians
    static constexpr int64_t slope_error = 3;        ///< radians
    static constexpr int64_t specularity_error = 4;  ///< radians
    static constexpr int64_t count = 5;              ///< number of entries
};

/// Values of the first column of FluxInputs::targets.
using TargetKind = kernels::TargetKind;

/// Settings of the sampling of the flux.
struct FluxSettings {
    /// Degrees of the B-splines along u (east) and v (north).
    std::array<int64_t, 2> degrees{3, 3};
    std::array<int64_t, 2> bitmap{256, 256};  ///< height and width of the maps, pixels
    int64_t rays = 100000;                    ///< number of rays per heliostat
    int64_t seed = 42;                        ///< seed of the random numbers, any integer
    /// "gaussian", "pillbox" or "collimated" (which ignores the width)
    std::string sun_shape = "gaussian";
    bool shading = true;   ///< mirrors may obstruct light from the sun
    bool blocking = true;  ///< mirrors may obstruct light to the target
    /// Part of the rays to trace, [index, count]: the flux and the gradients of all `count` parts
    /// add up to those of [0, 1]. With several processes, add the flux of all, then the gradients.
    std::array<int64_t, 2> part{0, 1};
};

/// Returns the flux [T, H, W] float64, W/m2, of model "physical" with the bilinear filter; row 0 is
/// the top edge, column 0 the left edge for an observer who faces the target. Targets without
/// heliostats are dark.
///
/// Differentiable in orientation, control_points, sun_direction and optics. A seed fixes the random
/// numbers, so the estimate is a smooth function of these inputs, and gradients are those of the
/// traced rays. Edge effects are excluded: rims of targets, shading and blocking. Central
/// differences agree with two exceptions: rounding of single-precision rays, so steps should be at
/// least a thousandth of the quantity's scale; and rays that move from facet to facet if a step
/// changes the facets' fractions of the area, which is as large as the sampling error.
///
/// Equal inputs give equal bits for any number of threads; at::get_num_threads() threads are used.
///
/// For a map of each heliostat, give each a separate row of targets, target_index = 0 .. N - 1.
/// Rows may be equal, and blocking and shading are those of the whole field.
///
/// A few prepared fields are cached between calls, and a call recomputes only the records that
/// differ; this never affects the result. Works inside torch.func and torch.compile; vmap calls the
/// operator once for each element. Forward-mode and second derivatives are refused.
///
/// Throws c10::Error for shapes, types or values that cannot be traced, naming argument and value.
at::Tensor trace_flux(const FluxInputs& inputs, const FluxSettings& settings);

/// Gradients of a loss with respect to the differentiable inputs, with the shapes of the inputs.
struct FluxGradients {
    at::Tensor orientation;     ///< [N, 4, 4], per entry; the last row is 0
    at::Tensor control_points;  ///< [N or 1, F, nu, nv, 3], per metre
    /// [3], perpendicular to the direction, as its length has no influence
    at::Tensor sun_direction;
    at::Tensor optics;  ///< [5], per unit of each entry
};

/// Returns the gradients for the loss's derivative with respect to the flux ([T, H, W] float64) by
/// tracing the same rays again. Not differentiable itself.
FluxGradients trace_flux_backward(const at::Tensor& grad_flux,
                                  const FluxInputs& inputs,
                                  const FluxSettings& settings);

}  // namespace helioray::operators
