// SPDX-License-Identifier: MIT
// Double-precision vectors for the few numbers per heliostat or target that are computed on the
// host.
#pragma once

#include "scenario/types.h"

#include <cmath>

namespace helioray {

inline Vec3 add(const Vec3& a, const Vec3& b) {
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}

inline Vec3 subtract(const Vec3& a, const Vec3& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

inline Vec3 scaled(double s, const Vec3& a) {
    return {s * a[0], s * a[1], s * a[2]};
}

/// a + s b
inline Vec3 add_scaled(const Vec3& a, double s, const Vec3& b) {
    return {a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]};
}

inline double dot(const Vec3& a, const Vec3& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

inline Vec3 cross(const Vec3& a, const Vec3& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

inline double norm(const Vec3& a) {
    return std::sqrt(dot(a, a));
}

inline Vec3 normalized(const Vec3& a) {
    const double length = norm(a);
    return {a[0] / length, a[1] / length, a[2] / length};
}

}  // namespace helioray
