// SPDX-License-Identifier: MIT
// Double-precision vectors for the few numbers per heliostat or target that are computed on the
// host.
#pragma once

#include <array>
#include <cmath>

namespace helioray {

/// A point (metres) or direction in the frame that its user names; mostly east, north, up.
using Vec3 = std::array<double, 3>;

/// a + b
inline Vec3 add(const Vec3& a, const Vec3& b) {
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}

/// a - b
inline Vec3 subtract(const Vec3& a, const Vec3& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

/// s a
inline Vec3 scaled(double s, const Vec3& a) {
    return {s * a[0], s * a[1], s * a[2]};
}

/// a + s b
inline Vec3 add_scaled(const Vec3& a, double s, const Vec3& b) {
    return {a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]};
}

/// Scalar product.
inline double dot(const Vec3& a, const Vec3& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Vector product.
inline Vec3 cross(const Vec3& a, const Vec3& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Length.
inline double norm(const Vec3& a) {
    return std::sqrt(dot(a, a));
}

/// The unit vector along a, which must have a length.
inline Vec3 normalized(const Vec3& a) {
    const double length = norm(a);
    return {a[0] / length, a[1] / length, a[2] / length};
}

/// The part of v perpendicular to the unit vector n, normalised; zero when v is parallel to n.
inline Vec3 perpendicular(const Vec3& v, const Vec3& n) {
    const Vec3 rest = add_scaled(v, -dot(v, n), n);
    return norm(rest) < 1e-6 ? Vec3{} : normalized(rest);
}

}  // namespace helioray
