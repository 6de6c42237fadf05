// SPDX-License-Identifier: MIT
// How large errors are, from what images say about them.
#include "raytracer/solvers/reconstruction/fit/error_scales.h"
#include "tests/raytracer/solvers/reconstruction/mirrors.h"
#include "tests/raytracer/tracing/surface/surface_support.h"

#include <cmath>
#include <vector>

using namespace helioray;
using namespace helioray::reconstruction;

namespace {

/// Images that know every unknown with this standard deviation, and errors of `scale` times the
/// expected size.
LinearLikelihood known(const MirrorShape& shape, double scale, double deviation) {
    const size_t size = shape.num_unknowns();
    test::Uniform random(11);
    std::vector<double> unknowns(size, 0.0);
    for (const ErrorMode& mode : shape.error_modes()) {
        const double draw = scale * std::sqrt(3.0) * random(-1.0, 1.0);
        for (size_t i = 0; i < size; ++i) unknowns[i] += draw * mode.unknowns[i];
    }
    LinearLikelihood images{std::vector<double>(size * size, 0.0), {}};
    for (size_t i = 0; i < size; ++i) {
        const double precision = 1.0 / (deviation * deviation);
        images.matrix[i * (size + 1)] = precision;
        images.right.push_back(precision *
                               (unknowns[i] + deviation * std::sqrt(3.0) * random(-1.0, 1.0)));
    }
    return images;
}

}  // namespace

TEST_CASE("Errors are found to be as large as images show them") {
    const MirrorShape shape(test::flat_facets(3, 3, 1.06, 0.84, 50.0));
    for (const double scale : {0.2, 1.0, 4.0}) {
        const ErrorScales found = likely_scales(shape, known(shape, scale, 0.02e-3), kUsualErrors);
        for (const reconstruction::ErrorKind kind : {own_canting, own_curvature}) {
            INFO("scale " << scale << ", kind " << kind);
            // 18 and 27 draws; what is usual pulls by a tenth besides.
            CHECK(found[kind] == Approx(scale).epsilon(0.35));
        }
        // There are no errors of this kind on nine facets.
        CHECK(found[own_waves] == Approx(1.0));
    }
}

TEST_CASE(
    "Images that show nothing leave errors at their usual size, noise alone makes them small") {
    const MirrorShape shape(test::flat_facets(3, 3, 1.06, 0.84, 50.0));
    for (const double scale : likely_scales(shape, known(shape, 1.0, 1.0), kUsualErrors))
        CHECK(scale == Approx(1.0).margin(0.01));
    const ErrorScales still = likely_scales(shape, known(shape, 0.0, 0.3e-3), kUsualErrors);
    CHECK(still[own_canting] < 0.6);
    CHECK(still[own_curvature] < 0.6);
    // Where it begins does not matter.
    const ErrorScales far{5.0, 5.0, 5.0, 5.0, 5.0};
    const ErrorScales again = likely_scales(shape, known(shape, 0.0, 0.3e-3), far);
    for (size_t kind = 0; kind < far.size(); ++kind)
        CHECK(again[kind] == Approx(still[kind]).epsilon(0.05));
}

TEST_CASE("The covariance of scaled errors is the sum over their modes") {
    const MirrorShape shape(test::four_facets(50.0));
    const std::vector<double> usual = shape.expected_covariance();
    const std::vector<double> twice = shape.expected_covariance({2.0, 2.0, 2.0, 2.0, 2.0});
    for (size_t i = 0; i < usual.size(); ++i) REQUIRE(twice[i] == Approx(4.0 * usual[i]));
    const std::vector<double> alone = shape.expected_covariance({0.0, 0.0, 1.0, 0.0, 0.0});
    for (size_t i = 0; i < shape.num_unknowns(); ++i)
        for (size_t j = 0; j < shape.num_unknowns(); ++j) {
            const bool tilt = i == j && i % shape.num_coefficients() < 2;
            REQUIRE(alone[i * shape.num_unknowns() + j] == Approx(tilt ? 0.25e-6 : 0.0));
        }
}
