// SPDX-License-Identifier: MIT
// Samples of angular distributions from uniform numbers.
#pragma once

#include "kernels/core/elementary.h"
#include "kernels/trace_types.h"

namespace helioray::kernels {

/// Polar angle (radians) from the uniform number u in (0, 1): Gaussian per axis sigma sqrt(-2 ln
/// u), pillbox w sqrt(u). These invert the distributions on the tangent plane, so two
/// azimuth-independent axes follow.
template <typename Real>
HELIORAY_HD Real polar_angle(const AngularShape& shape, Real u) {
    if (shape.kind == AngularShape::Kind::gaussian) {
        return Real(shape.width) * sqrt_(Real(-2.0f) * log_positive(u));
    }
    return Real(shape.width) * sqrt_(u);
}

/// Two components of the sample on the tangent plane; nothing is drawn for Kind::none.
template <typename Real>
HELIORAY_HD void sample_angles(const AngularShape& shape, Real u, Real v, Real& a, Real& b) {
    if (shape.kind == AngularShape::Kind::none) {
        a = Real(0.0f);
        b = Real(0.0f);
        return;
    }
    const Real theta = polar_angle(shape, u);
    Real sine, cosine;
    sincos_turn(v, sine, cosine);
    a = theta * cosine;
    b = theta * sine;
}

}  // namespace helioray::kernels
