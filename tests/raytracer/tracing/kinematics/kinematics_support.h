// SPDX-License-Identifier: MIT
// Heliostats to test kinematics with, and derivatives against central differences.
#pragma once

#include "raytracer/tracing/kinematics/alignment.h"
#include "raytracer/tracing/kinematics/dual.h"
#include "tests/raytracer/published_vectors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace helioray::test {

using Pair = std::array<double, 2>;
using Drives = std::array<DriveRecord, 2>;

/// Rows of N uniform numbers in [low, high) that are the same in every run.
template <size_t N>
std::vector<std::array<double, N>> uniform_rows(size_t n, double low, double high, uint64_t seed) {
    // splitmix64, so that tests do not depend on a global generator.
    std::vector<std::array<double, N>> rows(n);
    for (std::array<double, N>& row : rows) {
        for (double& value : row) {
            uint64_t z = (seed += 0x9e3779b97f4a7c15ULL);
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
            z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
            value = low + (high - low) * static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
        }
    }
    return rows;
}

/// Largest difference of elements; NaN counts as infinite.
template <size_t N>
double largest_difference(const std::array<double, N>& a, const std::array<double, N>& b) {
    double largest = 0.0;
    for (size_t i = 0; i < N; ++i) {
        const double difference = std::abs(a[i] - b[i]);
        if (std::isnan(difference)) return INFINITY;
        largest = std::max(largest, difference);
    }
    return largest;
}

/// Drives like those of ARTIST's AA39. They differ as the two axes do.
inline Drives linear_drives() {
    return {{{true, false, 154166.67, 0.335308, 0.338095, 0.0774127916, -1.5317868, 0, 68745},
             {true, true, 154166.67, 0.340771, 0.3191, 0.0775222853, 0.943922222, 0, 75308}}};
}

/// Ideal drives with the given limits for both axes.
inline Drives ideal_drives(double lowest, double highest) {
    Drives drives{};
    for (DriveRecord& drive : drives) {
        drive.min_position = lowest;
        drive.max_position = highest;
    }
    return drives;
}

/// n rigid bodies at scattered positions; deviations up to `translation` metres and `tilt` radians.
inline std::vector<KinematicsRecord> rigid_bodies(
    size_t n, const Drives& drives, double translation, double tilt, uint64_t seed = 1) {
    const auto places = uniform_rows<3>(n, -1, 1, seed);
    const auto translations = uniform_rows<9>(n, -translation, translation, seed + 1);
    const auto rotations = uniform_rows<4>(n, -tilt, tilt, seed + 2);
    std::vector<KinematicsRecord> records(n);
    for (size_t i = 0; i < n; ++i) {
        const Vec3& p = places[i];
        records[i].position = {40 * p[0], 60 + 40 * p[1], 2 * p[2]};
        records[i].translations = translations[i];
        records[i].rotations = rotations[i];
        records[i].drives = drives;
    }
    return records;
}

/// Aim points up to 5 m beside a point 50 m up.
inline std::vector<Vec3> scattered_aims(size_t n) {
    std::vector<Vec3> aims = uniform_rows<3>(n, -5, 5, 3);
    for (Vec3& aim : aims) aim[2] += 50;
    return aims;
}

/// Unit normals that point to the sky around south.
inline std::vector<Vec3> southern_normals(size_t n, uint64_t seed = 7) {
    std::vector<Vec3> normals = uniform_rows<3>(n, -0.6, 0.6, seed);
    for (Vec3& v : normals) {
        v[1] -= 0.8;
        v[2] += 0.8;
        const double length = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        for (double& x : v) x /= length;
    }
    return normals;
}

/// The mirror's axis e, n, u (0, 1, 2) or origin (3) of a 4 x 4 orientation.
inline Vec3 column(const std::array<double, 16>& orientation, size_t index) {
    return {orientation[index], orientation[4 + index], orientation[8 + index]};
}

inline Vec3 negative(const Vec3& v) {
    return {-v[0], -v[1], -v[2]};
}

/// One alignment of one heliostat.
inline Alignment align_one(const KinematicsRecord& record, const Vec3& incident, const Vec3& aim) {
    return align_to_aim_points({&record, 1}, {&incident, 1}, {&aim, 1});
}
/// The same by its motors.
inline Alignment align_one(const KinematicsRecord& record, const Pair& motors) {
    return align_to_motor_positions({&record, 1}, {&motors, 1});
}

inline bool all_converged(const Alignment& alignment) {
    return std::all_of(alignment.mirrors.begin(), alignment.mirrors.end(), [](const auto& mirror) {
        return mirror.converged;
    });
}

/// Drives of one of the entries of kinematics.json and actuators.json: rows as ARTIST stores them.
inline Drives drives_from_rows(const nlohmann::json& fixed, const nlohmann::json& free) {
    Drives drives;
    for (size_t axis = 0; axis < 2; ++axis) {
        const auto number = [axis](const nlohmann::json& rows, size_t row) {
            return rows.at(row).at(axis).get<double>();
        };
        drives[axis] = {number(fixed, 0) == 0,
                        number(fixed, 1) == 1,
                        number(fixed, 4),
                        number(fixed, 5),
                        number(fixed, 6),
                        number(free, 1),
                        number(free, 0),
                        number(fixed, 2),
                        number(fixed, 3)};
    }
    return drives;
}

/// The drives that ARTIST 2.0.0 computes with: softplus (sharpness 100) + 1e-6 of increment,
/// offset, pivot radius and initial stroke. It moves valid parameters a little (an initial stroke
/// of 0.0774 m by 5 micrometres, which is 0.8 motor steps).
inline Drives artist_effective(Drives drives) {
    const auto shift = [](double& x) {
        const double scaled = 100.0 * x;
        x = (scaled > 20.0 ? x : std::log1p(std::exp(scaled)) / 100.0) + 1e-6;
    };
    for (DriveRecord& drive : drives) {
        if (!drive.is_linear) continue;
        shift(drive.increment);
        shift(drive.offset);
        shift(drive.pivot_radius);
        shift(drive.initial_stroke);
    }
    return drives;
}

/// Central differences of f, a function of N numbers with M results, by number `which`.
template <size_t N, typename Function>
auto central_difference(const Function& f,
                        const std::array<double, N>& x,
                        size_t which,
                        double relative_step) {
    const double step = relative_step * std::max(1.0, std::abs(x[which]));
    std::array<double, N> above = x, below = x;
    above[which] += step;
    below[which] -= step;
    auto difference = f(above);
    const auto low = f(below);
    for (size_t i = 0; i < difference.size(); ++i) {
        difference[i] = (difference[i] - low[i]) / (above[which] - below[which]);
    }
    return difference;
}

/// x as numbers that carry derivatives by all of them.
template <size_t N>
std::array<Dual<N>, N> variables(const std::array<double, N>& x) {
    std::array<Dual<N>, N> numbers;
    for (size_t i = 0; i < N; ++i) {
        numbers[i] = x[i];
        numbers[i].slope[i] = 1.0;
    }
    return numbers;
}

/// Checks the derivatives that a formula, written for any type of number, has with Dual: f takes an
/// array of N numbers and returns an array.
template <size_t N, typename Function>
void check_derivatives(const Function& f,
                       const std::array<double, N>& x,
                       double tolerance = 1e-6,
                       double relative_step = 1e-5) {
    const auto found = f(variables(x));
    double largest = 0.0;
    for (size_t which = 0; which < N; ++which) {
        const auto expected = central_difference(f, x, which, relative_step);
        // Relative to the largest of a variable, because small ones drown in rounding.
        double scale = 0.0;
        for (const double value : expected) scale = std::max(scale, std::abs(value));
        for (size_t i = 0; i < expected.size(); ++i) {
            INFO("result " << i << " by variable " << which << ": " << found[i].slope[which]
                           << ", difference " << expected[i]);
            CHECK(std::abs(found[i].slope[which] - expected[i]) <= tolerance * scale + 1e-12);
        }
        largest = std::max(largest, scale);
    }
    REQUIRE(largest > 0);
}

}  // namespace helioray::test
