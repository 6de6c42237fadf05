// SPDX-License-Identifier: MIT
// Images of mirrors: their convolution against a sum, their derivatives against central
// differences, the images themselves against traced ones.
#include "raytracer/solvers/reconstruction/images/image_model.h"
#include "tests/raytracer/solvers/reconstruction/mirrors.h"
#include "tests/raytracer/tracing/surface/surface_support.h"

#include <algorithm>
#include <numeric>

using namespace helioray;
using namespace helioray::reconstruction;

namespace {

constexpr size_t kSize = kImagePixels * kImagePixels;

std::vector<double> random_unknowns(const MirrorShape& shape, double share) {
    test::Uniform random(7);
    const std::vector<double> expected = shape.expected_covariance();
    std::vector<double> unknowns;
    for (size_t i = 0; i < shape.num_unknowns(); ++i)
        unknowns.push_back(share * std::sqrt(expected[i * (shape.num_unknowns() + 1)]) *
                           random(-1.0, 1.0));
    return unknowns;
}

}  // namespace

TEST_CASE("A convolution is the sum over all shifts") {
    // A Gaussian of 0.4 m in space has the transform exp(-k^2 0.16 / 2).
    constexpr double kWidth = 0.4;
    std::vector<double> transform;
    for (size_t column = 0; column < kGrid; ++column) {
        for (size_t row = 0; row < kGrid; ++row) {
            const double k = std::hypot(wave_number(column), wave_number(row));
            transform.push_back(std::exp(-0.5 * k * k * kWidth * kWidth));
        }
    }
    GridPair<double> grids, scratch;
    const auto at = [](int row, int column) {
        return static_cast<size_t>(row) * kGrid + static_cast<size_t>(column);
    };
    grids.first[at(20, 30)] = 1.0;
    grids.first[at(25, 35)] = 2.0;
    grids.second[at(40, 31)] = 3.0;
    convolve(grids, transform, scratch);
    const auto gauss = [&](int rows, int columns) {
        const double square = (rows * rows + columns * columns) * kPixel * kPixel;
        return kPixel * kPixel / (2.0 * std::numbers::pi * kWidth * kWidth) *
               std::exp(-0.5 * square / (kWidth * kWidth));
    };
    for (const auto& [row, column] : {std::array{20, 30}, {24, 33}, {38, 29}, {45, 40}}) {
        CHECK(
            grids.first[at(row, column)] ==
            Approx(gauss(row - 20, column - 30) + 2.0 * gauss(row - 25, column - 35)).margin(1e-9));
        CHECK(grids.second[at(row, column)] ==
              Approx(3.0 * gauss(row - 40, column - 31)).margin(1e-9));
    }
}

TEST_CASE("Derivatives of an image are its central differences") {
    const Scenario scenario = test::one_heliostat(test::four_facets(50.0));
    const ImageModel model(test::geometry_of(scenario, 150.0, 35.0));
    const MirrorShape shape(*scenario.heliostats[0].surface);
    const std::vector<double> unknowns = random_unknowns(shape, 1.0);
    const ImageOptics optics{0.06, 1.4e-3};
    const ImageNuisances own{{0.11, -0.07}, 0.4e-6};
    const ImageModel::Derivatives derivatives =
        model.with_derivatives(shape, unknowns, optics, own);
    const std::vector<float>& rows = derivatives.rows;
    REQUIRE(rows.size() == (shape.num_unknowns() + ImageModel::num_rows) * kSize);
    const std::vector<double> image = model.image(shape, unknowns, optics, own);
    for (size_t i = 0; i < kSize; ++i)
        REQUIRE(derivatives.image[i] == Approx(image[i]).margin(1e-15));

    const auto check = [&](size_t row, double step, const auto& moved) {
        const std::vector<double> more = moved(step), less = moved(-step);
        double largest = 0.0, error = 0.0;
        for (size_t i = 0; i < kSize; ++i) {
            const double expected = (more[i] - less[i]) / (2.0 * step);
            largest = std::max(largest, std::abs(expected));
            error =
                std::max(error, std::abs(static_cast<double>(rows[row * kSize + i]) - expected));
        }
        INFO("row " << row);
        CHECK(largest > 0.0);
        // The spread over the grid has jumps in its second derivative.
        CHECK(error < 2e-3 * largest);
    };
    // Each order, in two facets.
    for (const size_t unknown : {0u, 1u, 2u, 3u, 8u, 13u, 42u, 47u, 55u}) {
        check(unknown, 1e-6, [&](double step) {
            std::vector<double> changed = unknowns;
            changed[unknown] += step;
            return model.image(shape, changed, optics, own);
        });
    }
    const size_t first = shape.num_unknowns();
    check(first + ImageModel::circumsolar_ratio, 1e-4, [&](double step) {
        return model.image(
            shape, unknowns, {optics.circumsolar_ratio + step, optics.slope_error}, own);
    });
    check(first + ImageModel::slope_error, 1e-6, [&](double step) {
        return model.image(
            shape, unknowns, {optics.circumsolar_ratio, optics.slope_error + step}, own);
    });
    check(first + ImageModel::shift_right, 1e-5, [&](double step) {
        return model.image(
            shape, unknowns, optics, {{own.shift[0] + step, own.shift[1]}, own.blur});
    });
    check(first + ImageModel::shift_up, 1e-5, [&](double step) {
        return model.image(
            shape, unknowns, optics, {{own.shift[0], own.shift[1] + step}, own.blur});
    });
    check(first + ImageModel::own_blur, 1e-8, [&](double step) {
        return model.image(shape, unknowns, optics, {own.shift, own.blur + step});
    });
}

TEST_CASE("An image holds the light that the mirror reflects") {
    const Scenario scenario = test::one_heliostat(test::four_facets(50.0));
    const ImageGeometry geometry = test::geometry_of(scenario, 150.0, 35.0);
    const MirrorShape shape(*scenario.heliostats[0].surface);
    const std::vector<double> flat(shape.num_unknowns(), 0.0);
    // Without an aureole nothing falls beyond the picture.
    const std::vector<double> image = ImageModel(geometry).image(shape, flat, {0.0, 1.2e-3}, {});
    const double area = 4.0 * 1.6 * 1.275;
    const auto& m = geometry.orientation;
    const double cosine = dot({m[2], m[6], m[10]}, geometry.to_sun);
    CHECK(std::accumulate(image.begin(), image.end(), 0.0) == Approx(area * cosine).epsilon(1e-3));
}

TEST_CASE("Images agree with traced ones within one percent of the light") {
    const Scenario scenario = test::one_heliostat(test::four_facets(50.0));
    const MirrorShape shape(*scenario.heliostats[0].surface);
    const std::vector<double> unknowns = random_unknowns(shape, 1.0);
    const std::vector<double> certain(shape.num_unknowns() * shape.num_unknowns(), 0.0);
    const auto bent = std::make_shared<const Surface>(shape.surface(unknowns, certain));
    for (const auto& sun : {test::kSuns[0], test::kSuns[3]}) {
        FluxRecord record;
        record.geometry = test::geometry_of(scenario, sun[0], sun[1]);
        const FluxMap traced = traced_map(scenario, record, bent, {}, 2);
        const std::vector<double> image =
            ImageModel(record.geometry).image(shape, unknowns, {}, {});
        const FluxMap model{kImagePixels, kImagePixels, {kImageExtent, kImageExtent}, image};
        // The traced map reaches further; both centroids are those of the middle.
        const double accuracy = flux_accuracy(window_about_centroid(traced, kImagePixels),
                                              window_about_centroid(model, kImagePixels));
        CHECK(accuracy > 0.99);
    }
}
