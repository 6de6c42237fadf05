// SPDX-License-Identifier: MIT
// Points of round and polygonal outlines, uniform by area: continuous maps from the unit square, so
// that points of low-discrepancy sequences stay evenly distributed.
#pragma once

#include "kernels/core/elementary.h"
#include "kernels/core/trace_types.h"

namespace helioray::kernels {

/// Computes a point of the unit disc, or of the ring outside `hole`, from two uniform numbers. The
/// concentric map of Shirley and Chiu (J. Graphics Tools 2 (1997) 45-52) takes squares about the
/// centre of the unit square to circles; the ring moves each point along its radius.
template <typename Real>
HELIORAY_HD void point_in_ellipse(Real xi, Real eta, Real hole, Real& x, Real& y) {
    const Real one(1.0f);
    const Real a = fma_(Real(2.0f), xi, -one);
    const Real b = fma_(Real(2.0f), eta, -one);
    const auto along_x = abs_(a) > abs_(b);
    const Real radius = select(along_x, a, b);
    const Real other = select(along_x, b, a);
    const Real ratio = other / select(abs_(radius) > Real(0.0f), radius, one);
    const Real angle = Real(0.785398163f) * ratio;
    Real cosine, sinc;
    cosine_and_sinc(angle * angle, cosine, sinc);
    const Real square = max_(radius * radius, Real(1e-12f));
    const Real stretch = sqrt_(fma_(hole * hole, (one - square) / square, one));
    const Real major = radius * stretch * cosine;
    const Real minor = radius * stretch * (sinc * angle);
    x = select(along_x, major, minor);
    y = select(along_x, minor, major);
}

/// Computes a point of a polygon from two uniform numbers. `triangles` as in FacetRecord; `part` is
/// the start of the lanes' numbers. Each triangle takes its part of xi, from the common point of
/// all triangles to the side.
template <typename Real>
HELIORAY_HD void point_in_polygon(const float* triangles,
                                  typename LaneTraits<Real>::Int part,
                                  int32_t num_triangles,
                                  Real xi,
                                  Real eta,
                                  Real& x,
                                  Real& y) {
    constexpr int32_t kFirst = 2, kStride = 5;
    const auto zero = make_int(0, xi);
    auto offset = part;
    Real begin(0.0f);
    const float* ends = triangles + kFirst;
    for (int32_t i = 0; i + 1 < num_triangles; ++i, ends += kStride) {
        const Real end = gather(ends, part, xi);
        const auto beyond = xi >= end;
        offset = offset + select(beyond, make_int(kStride, xi), zero);
        begin = select(beyond, end, begin);
    }
    const float* first = triangles + kFirst;
    const Real end = gather(first, offset, xi);
    const Real within = min_(max_((xi - begin) / (end - begin), Real(0.0f)), Real(1.0f));
    const Real apart = sqrt_(within);  // from the common point
    const auto along = [&](int32_t axis) {
        const Real common = gather(triangles + axis, part, xi);
        const Real from = gather(first + 1 + axis, offset, xi);
        const Real to = gather(first + 3 + axis, offset, xi);
        return fma_(apart, fma_(eta, to - from, from) - common, common);
    };
    x = along(0);
    y = along(1);
}

/// Returns the points that are part of an occluder's outline. x, y: coordinates in the
/// parallelogram, from -1 to 1; `outline` as in FieldView::occluder_outlines.
template <typename Real>
HELIORAY_HD typename LaneTraits<Real>::Mask is_in_outline(const float* outline, Real x, Real y) {
    const auto num_sides = static_cast<int32_t>(outline[0]);
    if (num_sides == 0) {
        const Real square = fma_(x, x, y * y);
        return (square <= Real(1.0f)) & (square >= Real(outline[1]));
    }
    typename LaneTraits<Real>::Mask inside = Real(0.0f) < Real(1.0f);
    const float* side = outline + 2;
    for (int32_t i = 0; i < num_sides; ++i, side += 3)
        inside = inside & (fma_(Real(side[0]), x, Real(side[1]) * y) <= Real(side[2]));
    return inside;
}

}  // namespace helioray::kernels
