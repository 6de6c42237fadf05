// SPDX-License-Identifier: MIT
// The few operations on vectors that makers of scenarios need.
#pragma once

#include "scenario/types.h"

#include <cmath>

namespace helioray::vectors {

inline Vec3 add(const Vec3& a, const Vec3& b) {
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline Vec3 subtract(const Vec3& a, const Vec3& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Vec3 scale(const Vec3& a, double s) {
    return {a[0] * s, a[1] * s, a[2] * s};
}
inline double dot(const Vec3& a, const Vec3& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Vec3 cross(const Vec3& a, const Vec3& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double length(const Vec3& a) {
    return std::hypot(a[0], a[1], a[2]);
}
inline Vec3 normalised(const Vec3& a) {
    return scale(a, 1.0 / length(a));
}

}  // namespace helioray::vectors
