// SPDX-License-Identifier: MIT
// Flux on receivers as a differentiable function of tensors.
//
// The functions go through Torch's dispatcher to the operators helioray::trace_flux and
// helioray::trace_flux_backward, which Python finds in torch.ops.helioray.
#pragma once

#include "kernels/core/trace_types.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <string>

namespace helioray::operators {

/// Everything that the flux depends on; all float64 unless said otherwise, all on one device. SI
/// units, radians, east-north-up.
struct FluxInputs {
    /// [N, 4, 4] mirror frame (facets in the e-n plane, normal up) to ENU; rigid to 1 %.
    at::Tensor orientation;
    /// [N, F, nu, nv, 3] metres, mirror frame, canting and translation included; or
    /// [1, F, nu, nv, 3]: one mirror that all heliostats share.
    at::Tensor control_points;
    /// [N] int64, row of `targets` that a heliostat serves.
    at::Tensor target_index;
    /// [T, 13]: kind (see TargetKind), centre 3, normal 3, axis 3 (cylinder), width of a plane or
    /// radius of a cylinder or disc, height (plane, cylinder), opening angle (cylinder, (0, 2 pi]).
    /// Columns that a kind has no use for may hold anything finite. Not differentiable.
    at::Tensor targets;
    /// [3] direction to the sun, any length but zero.
    at::Tensor sun_direction;
    /// [5]: DNI in W/m2, reflectivity [0, 1], width of the sun (sigma per axis of a Gaussian, half
    /// angle of a pillbox), sigma of the slope error, sigma of the specularity error.
    at::Tensor optics;
};

/// Columns of FluxInputs::targets.
struct TargetColumns {
    static constexpr int64_t kind = 0;            ///< a TargetKind
    static constexpr int64_t centre = 1;          ///< 3
    static constexpr int64_t normal = 4;          ///< 3
    static constexpr int64_t axis = 7;            ///< 3, of a cylinder
    static constexpr int64_t width = 10;          ///< of a plane; radius of a cylinder
    static constexpr int64_t height = 11;         ///< of both
    static constexpr int64_t opening_angle = 12;  ///< of a cylinder
    static constexpr int64_t count = 13;          ///< how many there are
};

/// Places in FluxInputs::optics.
struct OpticsColumns {
    static constexpr int64_t dni = 0;                ///< W/m2
    static constexpr int64_t reflectivity = 1;       ///< [0, 1]
    static constexpr int64_t sun_width = 2;          ///< radians
    static constexpr int64_t slope_error = 3;        ///< radians
    static constexpr int64_t specularity_error = 4;  ///< radians
    static constexpr int64_t count = 5;              ///< how many there are
};

/// First column of FluxInputs::targets.
using TargetKind = kernels::TargetKind;

/// How the flux is sampled.
struct FluxSettings {
    std::array<int64_t, 2> degrees{3, 3};     ///< of the B-splines, along u (east) and v (north)
    std::array<int64_t, 2> bitmap{256, 256};  ///< height, width in pixels
    int64_t rays = 100000;                    ///< of each heliostat
    int64_t seed = 42;                        ///< of the random numbers; any integer
    std::string sun_shape = "gaussian";       ///< or "pillbox", "collimated" (the width is ignored)
    bool shading = true;                      ///< mirrors may stand in the way to the sun
    bool blocking = true;                     ///< mirrors may stand in the way to the target
    /// Share of the rays to trace, [index, count]: the flux and the gradients of all `count` parts
    /// add up to those of [0, 1]. For several processes: add the flux of all, then the gradients.
    std::array<int64_t, 2> part{0, 1};
};

/// Flux [T, H, W] float64, W/m2, of model "physical" with the bilinear filter; row 0 is the top
/// edge, column 0 the left edge for an observer who faces the target. Targets that no heliostat
/// serves are dark.
///
/// Differentiable in orientation, control_points, sun_direction and optics. A seed fixes the random
/// numbers, so the estimate is a smooth function of them, and gradients are those of the rays that
/// were traced. Edge effects are excluded: rims of targets, shading and blocking. Central
/// differences agree but for two things: rounding of single-precision rays, so steps should be at
/// least a thousandth of the quantity's scale; and rays that move from facet to facet where a step
/// changes the facets' shares of the area, which is as large as the sampling error.
///
/// Equal inputs give equal bits for any number of threads; at::get_num_threads() of them are used.
///
/// A map for each heliostat: give each a row of targets of its own, target_index = 0 .. N - 1; rows
/// may repeat, and blocking and shading are those of the whole field.
///
/// Prepared fields stay in memory between calls, a few of them, and a call recomputes only the
/// records that differ; the result never depends on it. Works inside torch.func and torch.compile;
/// vmap calls it once for each element. Forward-mode and second derivatives are refused.
///
/// Throws c10::Error for shapes, types or values that cannot be traced, naming argument and value.
at::Tensor trace_flux(const FluxInputs& inputs, const FluxSettings& settings);

/// Gradients of a loss by the differentiable inputs, of their shapes.
struct FluxGradients {
    at::Tensor orientation;     ///< [N, 4, 4], per entry; the last row is 0
    at::Tensor control_points;  ///< [N or 1, F, nu, nv, 3], per metre
    at::Tensor sun_direction;   ///< [3]; across the direction, as its length has no influence
    at::Tensor optics;          ///< [5], per unit of each
};

/// Gradients from the loss's derivative by the flux ([T, H, W] float64): traces the same rays
/// again. Itself not differentiable.
FluxGradients trace_flux_backward(const at::Tensor& grad_flux,
                                  const FluxInputs& inputs,
                                  const FluxSettings& settings);

}  // namespace helioray::operators
