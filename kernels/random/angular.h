// SPDX-License-Identifier: MIT
// Samples angular distributions from uniform numbers.
#pragma once

#include "kernels/core/elementary.h"
#include "kernels/core/trace_types.h"

namespace helioray::kernels {

/// Returns the square of the polar angle from a table (see AngularShape).
template <typename Real>
HELIORAY_HD Real square_angle(const AngularShape& shape, const float* floats, Real u) {
    const Real split(shape.split);
    const auto in_core = u < split;
    const float core_scale = static_cast<float>(kRadialTableSize) / shape.split;
    const float tail_scale = static_cast<float>(kRadialTableSize) / (1.0f - shape.split);
    const Real position = select(in_core, u * Real(core_scale), (u - split) * Real(tail_scale));
    const auto last = make_int(kRadialTableSize - 1, u);
    const auto knot = min_(truncate_to_int(position), last);
    const auto part = select(in_core, make_int(0, u), make_int(kRadialTableSize + 1, u));
    const float* table = floats + shape.table;
    const Real low = gather(table, knot + part, u);
    const Real high = gather(table + 1, knot + part, u);
    return fma_(high - low, position - to_real(knot, u), low);
}

/// Returns the polar angle (radians) for the uniform number u in (0, 1): Gaussian per axis sigma
/// sqrt(-2 ln u), pillbox w sqrt(u), or from a table. These invert the distributions on the tangent
/// plane, so the two axes do not depend on the azimuth. width: replaces that of the shape.
template <typename Real>
HELIORAY_HD Real polar_angle(const AngularShape& shape, float width, const float* floats, Real u) {
    if (shape.kind == AngularShape::Kind::gaussian) {
        return Real(width) * sqrt_(Real(-2.0f) * log_positive(u));
    }
    if (shape.kind == AngularShape::Kind::table) return sqrt_(square_angle(shape, floats, u));
    return Real(width) * sqrt_(u);
}

/// Computes the two components of the sample on the tangent plane; 0 for Kind::none.
template <typename Real>
HELIORAY_HD void sample_angles(
    const AngularShape& shape, float width, const float* floats, Real u, Real v, Real& a, Real& b) {
    if (shape.kind == AngularShape::Kind::none) {
        a = Real(0.0f);
        b = Real(0.0f);
        return;
    }
    const Real theta = polar_angle(shape, width, floats, u);
    Real sine, cosine;
    sincos_turn(v, sine, cosine);
    a = theta * cosine;
    b = theta * sine;
}

/// Returns `width` for shapes whose angles are proportional to it; 0 for other shapes.
HELIORAY_HD float scalable_width(const AngularShape& shape, float width) {
    return shape.kind == AngularShape::Kind::gaussian || shape.kind == AngularShape::Kind::pillbox
               ? width
               : 0.0f;
}

}  // namespace helioray::kernels
