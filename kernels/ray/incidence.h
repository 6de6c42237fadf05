// SPDX-License-Identifier: MIT
// Reflectivity by the angle of incidence.
#pragma once

#include "kernels/core/assert.h"
#include "kernels/core/trace_types.h"
#include "kernels/core/vec.h"

namespace helioray::kernels {

/// Factor of the reflectivity, and its derivative with respect to the cosine of incidence.
template <typename Real>
struct IncidenceFactor {
    Real value;
    Real by_cosine;
};

/// Returns the factor at a cosine of incidence. The knots are at equal steps of t = sqrt(1 -
/// cosine), which is sqrt(2) times the sine of half the angle: the steps of the angle are nearly
/// equal. Requires FieldView::has_incidence_table.
template <typename Real>
HELIORAY_HD IncidenceFactor<Real> incidence_factor(const FieldView& field, Real cosine) {
    const Real size(static_cast<float>(kIncidenceTableSize));
    const Real square = min_(max_(Real(1.0f) - cosine, Real(0.0f)), Real(1.0f));
    const Real t = sqrt_(square);
    const Real x = t * size;
    const auto i = min_(truncate_to_int(x), make_int(kIncidenceTableSize - 1, x));
    HELIORAY_ASSERT(smallest(i) >= 0, "a cosine is a number");
    const float* table = field.floats + field.incidence_table;
    const Real low = gather(table, i, x);
    const Real rise = gather(table + 1, i, x) - low;
    // dt / d cosine = -1 / 2 t; at normal incidence the factor has no slope.
    const Real by_cosine = Real(-0.5f) * size * rise / max_(t, Real(1e-3f));
    return {fma_(rise, x - to_real(i, x), low), by_cosine};
}

}  // namespace helioray::kernels
