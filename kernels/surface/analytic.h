// SPDX-License-Identifier: MIT
// Flat, parabolic and spherical mirrors.
#pragma once

#include "kernels/core/trace_types.h"
#include "kernels/core/vec.h"

namespace helioray::kernels {

/// Computes point and normal at (x, y) in a mirror's own frame, metres; not for B-splines. The
/// normal points to the lit side and has z = 1, so that its length is the area element per dx dy. A
/// sphere of radius 2 f needs x^2 + y^2 < 4 f^2.
template <typename Real>
HELIORAY_HD void analytic_surface(
    FacetKind kind, Real focal_length, Real x, Real y, Vec<Real>& point, Vec<Real>& normal) {
    const Real zero(0.0f);
    const Real one(1.0f);
    point = {x, y, zero};
    normal = {zero, zero, one};
    const Real r2 = fma_(x, x, y * y);
    if (kind == FacetKind::paraboloid) {
        // z = r^2 / 4f
        const Real k = Real(0.5f) / focal_length;
        point.z = Real(0.5f) * k * r2;
        normal = {-k * x, -k * y, one};
    } else if (kind == FacetKind::sphere) {
        // z = R - sqrt(R^2 - r^2) with R = 2f, in a form without cancellation
        const Real radius = Real(2.0f) * focal_length;
        const Real depth = sqrt_(fma_(radius, radius, -r2));
        point.z = r2 / (radius + depth);
        normal = {-x / depth, -y / depth, one};
    }
}

}  // namespace helioray::kernels
