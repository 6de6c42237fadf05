// SPDX-License-Identifier: MIT
// Banded systems against ones whose factor and solution are known.
#include "raytracer/solvers/surface_fit/height_spline.h"
#include "tests/support/catch2.h"

using namespace helioray;

namespace {

/// 5 on the diagonal and 2 beside it.
BandedMatrix tridiagonal(size_t size) {
    BandedMatrix matrix(size, 1);
    for (size_t i = 0; i < size; ++i) {
        matrix.at(i, i) = 5.0;
        if (i > 0) matrix.at(i, i - 1) = 2.0;
    }
    return matrix;
}

}  // namespace

TEST_CASE("banded matrix: product, trace and sum") {
    BandedMatrix matrix = tridiagonal(4);
    CHECK(matrix.trace() == 20.0);
    CHECK(matrix.multiply({1, 2, 3, 4}) == std::vector<double>{9, 18, 27, 26});
    matrix.add_scaled(tridiagonal(4), 2.0);
    CHECK(matrix.multiply({1, 2, 3, 4}) == std::vector<double>{27, 54, 81, 78});
}

TEST_CASE("banded matrix: Cholesky's factor of a matrix made from it") {
    // L = rows (2), (1, 3), (4, 5, 6), (0, 7, 8, 9) with bandwidth 2; A = L L^T by hand.
    BandedMatrix matrix(4, 2);
    matrix.at(0, 0) = 4;
    matrix.at(1, 0) = 2, matrix.at(1, 1) = 10;
    matrix.at(2, 0) = 8, matrix.at(2, 1) = 19, matrix.at(2, 2) = 77;
    matrix.at(3, 1) = 21, matrix.at(3, 2) = 83, matrix.at(3, 3) = 194;
    const BandedMatrix original = matrix;
    REQUIRE(matrix.factorise());
    CHECK(matrix.at(1, 0) == Approx(1));
    CHECK(matrix.at(2, 1) == Approx(5));
    CHECK(matrix.at(3, 1) == Approx(7));
    CHECK(matrix.at(3, 2) == Approx(8));
    CHECK(matrix.at(3, 3) == Approx(9));
    const std::vector<double> x{1, -2, 3, -4};
    const std::vector<double> solution = matrix.solve(original.multiply(x));
    for (size_t i = 0; i < 4; ++i) CHECK(solution[i] == Approx(x[i]));
}

TEST_CASE("banded matrix: what is not positive definite has no factor") {
    BandedMatrix matrix = tridiagonal(5);
    matrix.at(3, 3) = 0.5;
    CHECK_FALSE(matrix.factorise());
    BandedMatrix empty(3, 1);
    CHECK_FALSE(empty.factorise());
}
