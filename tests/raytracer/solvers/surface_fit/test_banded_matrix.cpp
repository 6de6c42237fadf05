// SPDX-License-Identifier: MIT
// Banded systems against ones whose factor and solution are known.
#include "raytracer/linear/cholesky.h"
#include "raytracer/solvers/surface_fit/height_spline.h"
#include "tests/support/catch2.h"

using namespace helioray;

namespace {

/// 5 on the diagonal and 2 beside it.
BandedMatrix tridiagonal(size_t size) {
    BandedMatrix matrix(size, 1);
    for (size_t i = 0; i < size; ++i) {
        matrix(i, i) = 5.0;
        if (i > 0) matrix(i, i - 1) = 2.0;
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
    matrix(0, 0) = 4;
    matrix(1, 0) = 2, matrix(1, 1) = 10;
    matrix(2, 0) = 8, matrix(2, 1) = 19, matrix(2, 2) = 77;
    matrix(3, 1) = 21, matrix(3, 2) = 83, matrix(3, 3) = 194;
    const Cholesky factors(matrix);
    REQUIRE(factors.positive());
    const BandedMatrix& lower = factors.factor();
    CHECK(lower(1, 0) == Approx(1));
    CHECK(lower(2, 1) == Approx(5));
    CHECK(lower(3, 1) == Approx(7));
    CHECK(lower(3, 2) == Approx(8));
    CHECK(lower(3, 3) == Approx(9));
    const std::vector<double> x{1, -2, 3, -4};
    const std::vector<double> solution = factors.solve(matrix.multiply(x));
    for (size_t i = 0; i < 4; ++i) CHECK(solution[i] == Approx(x[i]));
}

TEST_CASE("banded matrix: what is not positive definite has no factor") {
    BandedMatrix matrix = tridiagonal(5);
    matrix(3, 3) = 0.5;
    CHECK_FALSE(Cholesky(matrix).positive());
    CHECK_FALSE(Cholesky(BandedMatrix(3, 1)).positive());
}
