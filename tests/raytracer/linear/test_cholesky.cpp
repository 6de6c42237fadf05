// SPDX-License-Identifier: MIT
// Cholesky factors against results by hand.
#include "raytracer/linear/cholesky.h"
#include "tests/support/catch2.h"

namespace helioray::test {

TEST_CASE("cholesky: solves, inverts and knows the determinant") {
    SquareMatrix matrix(2);
    matrix(0, 0) = 4;
    matrix(1, 0) = matrix(0, 1) = 2;
    matrix(1, 1) = 3;
    const Cholesky factors(matrix);
    CHECK(factors.positive());
    CHECK(factors.log_determinant() == Approx(std::log(8.0)));
    const std::vector<double> x = factors.solve({8, 7});
    CHECK(x[0] == Approx(1.25));
    CHECK(x[1] == Approx(1.5));
    const SquareMatrix inverse = factors.inverse();
    CHECK(inverse(0, 0) == Approx(3.0 / 8));
    CHECK(inverse(1, 0) == Approx(-2.0 / 8));
    CHECK(inverse(0, 1) == Approx(-2.0 / 8));
    CHECK(inverse(1, 1) == Approx(4.0 / 8));
    CHECK(factors.trace_of_inverse() == Approx(7.0 / 8));
    matrix(1, 1) = 0.5;
    CHECK_FALSE(Cholesky(matrix).positive());
    // A least pivot: L = (2, 0), (1, sqrt(0.25 * 0.5)).
    CHECK(Cholesky(matrix, 0.25).positive());
    CHECK(Cholesky(matrix, 0.25).factor()(1, 1) == Approx(std::sqrt(0.125)));
    CHECK_THROWS_AS(factorise(matrix, "a reason"), std::logic_error);
}

}  // namespace helioray::test
