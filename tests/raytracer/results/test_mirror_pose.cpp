// SPDX-License-Identifier: MIT
// Matrices of mirrors as poses, and back.
#include "raytracer/results/mirror_pose.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace helioray;

namespace {

using Matrix = std::array<double, 16>;

/// A frame whose normal is given, with its first axis turned by any angle.
Matrix frame(const Vec3& normal, double angle, const Vec3& origin) {
    const Vec3 other = std::abs(normal[0]) < 0.5 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    const Vec3 across = cross(normal, other);
    const Vec3 e = scaled(1.0 / std::sqrt(dot(across, across)), across), n = cross(normal, e);
    const Vec3 first = add_scaled(scaled(std::cos(angle), e), std::sin(angle), n);
    const Vec3 second = cross(normal, first);
    Matrix m{};
    for (size_t row = 0; row < 3; ++row) {
        m[4 * row] = first[row];
        m[4 * row + 1] = second[row];
        m[4 * row + 2] = normal[row];
        m[4 * row + 3] = origin[row];
    }
    m[15] = 1.0;
    return m;
}

double difference(const Matrix& a, const Matrix& b) {
    double largest = 0.0;
    for (size_t i = 0; i < 16; ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
}

}  // namespace

TEST_CASE("a pose gives the matrix back") {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> any(-1.0, 1.0);
    for (int i = 0; i < 1000; ++i) {
        Vec3 normal{any(random), any(random), any(random)};
        normal = scaled(1.0 / std::sqrt(dot(normal, normal)), normal);
        const Matrix m = frame(normal, 4.0 * any(random), {3000.0 * any(random), 5.0, 1.0});
        CHECK(difference(convert_to_matrix(convert_to_pose(m)), m) < 1e-14);
    }
}

TEST_CASE("a pose of a mirror that lies flat or nearly so gives the matrix back") {
    for (const double tilt : {0.0, 1e-12, 1e-7, 9.9e-7, 1.1e-6, 1e-3}) {
        for (const double up : {1.0, -1.0}) {
            for (const double angle : {0.0, 1.0, 3.14, -2.0}) {
                CAPTURE(tilt, up, angle);
                const Vec3 normal{std::sin(tilt) * 0.6, std::sin(tilt) * -0.8, up * std::cos(tilt)};
                const Matrix m = frame(normal, angle, {1, 2, 3});
                CHECK(difference(convert_to_matrix(convert_to_pose(m)), m) < 1e-14);
            }
        }
    }
}

TEST_CASE("a heliostat that stands nowhere stays so") {
    CHECK(convert_to_matrix(convert_to_pose(Matrix{})) == Matrix{});
}

TEST_CASE("the turn of a mirror with a level first axis is known") {
    // The normal to the south, the first axis to the east.
    const Matrix m{1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1};
    const MirrorPose pose = convert_to_pose(m);
    CHECK(pose.normal == Vec3{0, -1, 0});
    CHECK(pose.turn == Approx(0.0).margin(1e-15));
}
