// SPDX-License-Identifier: MIT
// Gradients of a loss of the flux maps with respect to the field, by replaying the same rays.
#pragma once

#include "kernels/trace_flux.h"
#include "kernels/trace_types.h"

#include <cstdint>

namespace helioray::kernels {

/// Derivatives per heliostat, in the frame of its target and the units of HeliostatRecord.
enum HeliostatGradient : int32_t {
    kRotationGradient = 0,       ///< 9, row-major
    kTranslationGradient = 9,    ///< 3, per metre
    kSunDirectionGradient = 12,  ///< 3; for changes across the direction, which stays a unit vector
    kSunWidthGradient = 15,      ///< per radian of FieldView::sun.width; 0 for tables
    kSlopeWidthGradient = 16,    ///< per radian of FieldView::slope_error.width
    kSpecularityWidthGradient = 17,  ///< per radian of FieldView::specularity_error.width
    kValueGradient = 18,  ///< sum of quanta * gradient: times 1/x the derivative with respect to
                          ///< anything that all power is proportional to (DNI, reflectivity)
    kNumHeliostatGradients = 19  ///< how many numbers a heliostat has
};

/// Factors that make derivatives integers, so that sums are exact and the same for every number of
/// threads and ranks.
struct GradientScale {
    double heliostat[kNumHeliostatGradients];  ///< of each HeliostatGradient, a power of two
    double floats;                             ///< of every control point's coordinates, likewise
};

/// Scale for all rays of the units together, from bounds that no sum reaches. largest_gradient:
/// largest magnitude in flux_gradient.
GradientScale gradient_scale(const FieldView& host_field,
                             const WorkUnit* units,
                             int64_t num_units,
                             float largest_gradient);

/// Where a backward pass adds up; int64, zeroed by the caller, in units of 1 / scale.
struct GradientSums {
    int64_t* heliostats;  ///< [num_heliostats, kNumHeliostatGradients]
    int64_t* floats;      ///< as FieldView::floats; written where control points are
};

/// Adds the derivatives of the loss sum over targets and pixels of flux_gradient * quanta for the
/// rays of the units. flux_gradient: [num_targets, bitmap_height, bitmap_width] loss per quantum.
///
/// The maps are those of the bilinear filter whatever field.filter is. What is lost or won at edges
/// (rims of targets and apertures, shading, blocking) is not part of the derivative. Bitwise
/// independent of threads, instruction set and order of units. Throws std::invalid_argument when
/// the instruction set is not available.
void trace_flux_backward_cpu(const FieldView& field,
                             const WorkUnit* units,
                             int64_t num_units,
                             const float* flux_gradient,
                             const GradientScale& scale,
                             const GradientSums& sums,
                             const CpuOptions& options);

}  // namespace helioray::kernels
