// SPDX-License-Identifier: MIT
// The backward block tracer of each instruction set. Each is the only symbol of its translation
// unit.
#pragma once

#include "kernels/core/assert.h"
#include "kernels/core/macros.h"
#include "kernels/trace_flux_backward.h"

namespace helioray::kernels {

/// Where a block adds its derivatives.
struct BlockGradient {
    double* heliostat;    ///< [kNumHeliostatGradients]
    double* floats;       ///< of FieldView::floats, from first_float on
    int64_t first_float;  ///< first control point of the heliostat's facets
    int64_t num_floats;   ///< from there to the end of its last facet's

    HELIORAY_HD void add(int index, float derivative) const {
        heliostat[index] += static_cast<double>(derivative);
    }
    HELIORAY_HD void add_float(int64_t index, float derivative) const {
        HELIORAY_ASSERT(index >= first_float && index - first_float < num_floats,
                        "a derivative belongs to the heliostat's control points");
        floats[index - first_float] += static_cast<double>(derivative);
    }
};

/// Adds the derivatives of all rays of one block of heliostat h. gradient: map of its target.
using TraceBlockBackward = void (*)(const FieldView& field,
                                    const HeliostatRecord& h,
                                    int64_t block,
                                    int64_t rays_per_block,
                                    const float* gradient,
                                    const BlockGradient& sums);

void trace_block_backward_portable(
    const FieldView&, const HeliostatRecord&, int64_t, int64_t, const float*, const BlockGradient&);
void trace_block_backward_avx2(
    const FieldView&, const HeliostatRecord&, int64_t, int64_t, const float*, const BlockGradient&);
void trace_block_backward_avx512(
    const FieldView&, const HeliostatRecord&, int64_t, int64_t, const float*, const BlockGradient&);

}  // namespace helioray::kernels
