// SPDX-License-Identifier: MIT
// Frames that turn and move about their own axes, and vector formulas with finite derivatives. T is
// double or a Dual.
#pragma once

#include "raytracer/tracing/kinematics/dual.h"

#include <array>
#include <cmath>

namespace helioray {

/// Three components along east, north and up.
template <typename T>
using Triple = std::array<T, 3>;

/// Returns the dot product.
template <typename T>
T dot_product(const Triple<T>& a, const Triple<T>& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Cosine and sine of an angle, for turns that are applied more than once.
template <typename T>
struct Turn {
    T cosine = T(1.0);  ///< cosine of the angle
    T sine = T(0.0);    ///< sine of the angle

    /// Creates the identity.
    Turn() = default;
    /// Creates a turn by an angle in radians.
    explicit Turn(const T& angle) {
        using std::cos, std::sin;
        cosine = cos(angle);
        sine = sin(angle);
    }
};

/// Axes and origin of a frame, given in an outer frame: the columns of a 4 x 4 matrix whose last
/// row is (0, 0, 0, 1). The default is the identity. Turning and moving multiply this matrix from
/// the right.
template <typename T>
struct Frame {
    Triple<T> e{T(1.0), T(0.0), T(0.0)};       ///< unit vector along the east axis
    Triple<T> n{T(0.0), T(1.0), T(0.0)};       ///< unit vector along the north axis
    Triple<T> u{T(0.0), T(0.0), T(1.0)};       ///< unit vector along the up axis
    Triple<T> origin{T(0.0), T(0.0), T(0.0)};  ///< metres

    /// Turns about the east axis: rows (1, 0, 0), (0, c, -s), (0, s, c). Right-handed.
    void turn_e(const Turn<T>& by) { turn(n, u, by); }

    /// Turns about the north axis with ARTIST's sign: rows (c, 0, -s), (0, 1, 0), (s, 0, c). This
    /// is the inverse of the right-handed rotation; every tilt about north in a scenario file has
    /// this sign.
    void turn_n(const Turn<T>& by) { turn(e, u, by); }

    /// Turns about the up axis: rows (c, -s, 0), (s, c, 0), (0, 0, 1). Right-handed.
    void turn_u(const Turn<T>& by) { turn(e, n, by); }

    /// Moves the origin along the frame's own axes, metres.
    void move(const T* offset) {
        for (size_t i = 0; i < 3; ++i) {
            origin[i] = e[i] * offset[0] + n[i] * offset[1] + u[i] * offset[2] + origin[i];
        }
    }

    /// Converts a direction from this frame to the outer one.
    Triple<T> outwards(const Triple<T>& v) const {
        Triple<T> result;
        for (size_t i = 0; i < 3; ++i) result[i] = e[i] * v[0] + n[i] * v[1] + u[i] * v[2];
        return result;
    }

    /// Converts a direction from the outer frame to this one.
    Triple<T> inwards(const Triple<T>& v) const {
        return {dot_product(e, v), dot_product(n, v), dot_product(u, v)};
    }

    /// Returns the matrix, 4 x 4 row-major.
    std::array<T, 16> matrix() const {
        std::array<T, 16> result;
        for (size_t row = 0; row < 3; ++row) {
            result[4 * row] = e[row];
            result[4 * row + 1] = n[row];
            result[4 * row + 2] = u[row];
            result[4 * row + 3] = origin[row];
        }
        for (size_t column = 0; column < 4; ++column) {
            result[12 + column] = T(column == 3 ? 1.0 : 0.0);
        }
        return result;
    }

  private:
    // Turns the first axis towards the second.
    static void turn(Triple<T>& first, Triple<T>& second, const Turn<T>& by) {
        for (size_t i = 0; i < 3; ++i) {
            const T was = first[i];
            first[i] = was * by.cosine + second[i] * by.sine;
            second[i] = second[i] * by.cosine - was * by.sine;
        }
    }
};

/// A unit vector that may be undefined.
template <typename T>
struct UnitVector {
    Triple<T> vector;    ///< vector of length 1
    bool valid = false;  ///< true if the length of the original vector was above the limit
};

/// Returns the unit vector of `vector`. If `vector` is shorter than `shortest`, returns up, without
/// derivative.
template <typename T>
UnitVector<T> normalise_or_up(const Triple<T>& vector, double shortest) {
    using std::sqrt;
    const T square = dot_product(vector, vector);
    if (!(value_of(square) > shortest * shortest)) return {{T(0.0), T(0.0), T(1.0)}, false};
    const T length = sqrt(square);
    return {{vector[0] / length, vector[1] / length, vector[2] / length}, true};
}

/// Returns atan2(y, x), or `undefined` without a derivative at (0, 0).
template <typename T>
T atan2_or(const T& y, const T& x, double undefined) {
    using std::atan2;
    if (value_of(x) == 0 && value_of(y) == 0) return T(undefined);
    return atan2(y, x);
}

}  // namespace helioray
