// SPDX-License-Identifier: MIT
// Transmittance of the air.
#pragma once

#include "kernels/core/elementary.h"
#include "kernels/core/trace_types.h"

namespace helioray::kernels {

/// Returns the transmittance over a distance in metres, at least 0.
template <typename Real>
HELIORAY_HD Real transmittance(const AirRecord& air, Real distance) {
    const Real d = distance * Real(1e-3f);
    Real near(air.coefficients[4]);
    for (int i = 3; i >= 0; --i) near = fma_(near, d, Real(air.coefficients[i]));
    const Real far = Real(air.far_scale) * exp_negative(Real(-air.far_rate) * d);
    return select(d > Real(air.limit_km), far, near);
}

/// Returns the derivative of the transmittance with respect to the distance, per metre.
template <typename Real>
HELIORAY_HD Real transmittance_slope(const AirRecord& air, Real distance) {
    const Real d = distance * Real(1e-3f);
    Real near = Real(4.0f * air.coefficients[4]);
    for (int i = 3; i >= 1; --i)
        near = fma_(near, d, Real(static_cast<float>(i) * air.coefficients[i]));
    const Real far = Real(-air.far_rate * air.far_scale) * exp_negative(Real(-air.far_rate) * d);
    return Real(1e-3f) * select(d > Real(air.limit_km), far, near);
}

}  // namespace helioray::kernels
