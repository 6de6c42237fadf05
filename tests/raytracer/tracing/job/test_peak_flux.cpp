// SPDX-License-Identifier: MIT
// The peak of noisy maps is right within its stated error, whatever the shape and the rays.
#include "app/output/summary/peak_text.h"
#include "raytracer/tracing/job/peak_flux.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

using namespace helioray;

namespace {

constexpr int64_t kPixels = 96;

struct Map {
    std::vector<double> flux, std_error;

    PeakFlux peak() const {
        return estimate_peak({flux, std_error, kPixels, kPixels, 0.5, 0.5, {}});
    }
};

using Shape = std::function<double(double, double)>;

/// Expected rays of every pixel; x and y run from -1/2 to 1/2.
std::vector<double> expected_rays(const Shape& shape, double rays) {
    std::vector<double> expected;
    double sum = 0.0;
    for (int64_t i = 0; i < kPixels; ++i) {
        for (int64_t j = 0; j < kPixels; ++j) {
            const auto place = [](int64_t index) {
                return (static_cast<double>(index) + 0.5) / kPixels - 0.5;
            };
            expected.push_back(shape(place(j), place(i)));
            sum += expected.back();
        }
    }
    for (double& value : expected) value *= rays / sum;
    return expected;
}

/// Poisson numbers by inversion; large ones are rounded normal numbers.
Map noisy(const std::vector<double>& expected, std::mt19937_64& random) {
    const auto uniform = [&] { return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53; };
    Map map;
    for (const double mean : expected) {
        double count = 0.0;
        if (mean > 40.0) {
            const double normal =
                std::sqrt(-2.0 * std::log(uniform())) * std::cos(6.283185307179586 * uniform());
            count = std::max(0.0, std::round(mean + std::sqrt(mean) * normal));
        } else {
            double product = uniform();
            for (const double least = std::exp(-mean); product > least; product *= uniform())
                ++count;
        }
        map.flux.push_back(count);
        map.std_error.push_back(std::sqrt(count));
    }
    return map;
}

/// Largest mean over any square of this many pixels.
double largest_mean(const std::vector<double>& map, int64_t side) {
    double most = 0.0;
    for (int64_t i = 0; i + side <= kPixels; ++i) {
        for (int64_t j = 0; j + side <= kPixels; ++j) {
            double sum = 0.0;
            for (int64_t y = i; y < i + side; ++y)
                for (int64_t x = j; x < j + side; ++x)
                    sum += map[static_cast<size_t>(y * kPixels + x)];
            most = std::max(most, sum / static_cast<double>(side * side));
        }
    }
    return most;
}

double gauss(double x, double y, double width, double height) {
    return std::exp(-0.5 * (x * x / (width * width) + y * y / (height * height)));
}

}  // namespace

TEST_CASE("The peak of a noisy map is right within its stated error") {
    struct Case {
        const char* name;
        Shape shape;
        double rays;
    };
    const Shape flat = [](double x, double y) { return std::hypot(x, y) < 0.3 ? 1.0 : 0.0; };
    const Shape spot = [](double x, double y) { return gauss(x, y, 0.15, 0.15); };
    const Shape ridge = [](double x, double y) { return gauss(x, y, 0.3, 0.04); };
    const Shape two = [](double x, double y) {
        return gauss(x + 0.2, y, 0.06, 0.06) + gauss(x - 0.2, y - 0.1, 0.06, 0.06);
    };
    const Shape narrow = [](double x, double y) { return gauss(x - 0.1, y, 0.03, 0.03); };
    const std::vector<Case> cases{{"flat", flat, 1e4},
                                  {"flat, many rays", flat, 1e6},
                                  {"spot", spot, 1e4},
                                  {"spot, many rays", spot, 1e6},
                                  {"ridge", ridge, 1e5},
                                  {"two spots", two, 1e5},
                                  {"narrow", narrow, 1e4}};
    constexpr int kSeeds = 60;
    for (const Case& one : cases) {
        CAPTURE(one.name);
        const std::vector<double> expected = expected_rays(one.shape, one.rays);
        std::mt19937_64 random(7);
        // Against the largest pixel of the expected map, and the largest mean over the stated area.
        double bias = 0.0, squares = 0.0, bias_over_area = 0.0;
        const double pixel = largest_mean(expected, 1);
        for (int seed = 0; seed < kSeeds; ++seed) {
            const Map map = noisy(expected, random);
            const PeakFlux peak = map.peak();
            const auto side = static_cast<int64_t>(std::llround(std::sqrt(peak.area_m2) / 0.5));
            const double off = (peak.flux - pixel) / peak.std_error;
            bias += off / kSeeds;
            bias_over_area += (peak.flux - largest_mean(expected, side)) / peak.std_error / kSeeds;
            squares += off * off / kSeeds;
        }
        // Means of 60 numbers with a standard deviation of 1 are known to 0.13.
        CAPTURE(bias, squares, bias_over_area);
        CHECK(std::abs(bias) < 0.33 + 2.0 * 0.13);
        CHECK(std::abs(bias_over_area) < 0.33 + 2.0 * 0.13);
        CHECK(std::sqrt(squares) > 0.7);
        CHECK(std::sqrt(squares) < 1.35);
    }
}

TEST_CASE("The noise map tells how much of its noise neighbouring pixels share") {
    // Every ray lights 2 x 2 pixels, which the standard errors of the pixels do not show.
    constexpr size_t kSide = kPixels;
    constexpr int kSeeds = 60;
    for (const double rays : {3e3, 1e5}) {
        CAPTURE(rays);
        std::vector<double> expected =
            expected_rays([](double x, double y) { return gauss(x, y, 0.15, 0.15); }, 4.0 * rays);
        for (size_t p = 0; p < expected.size(); ++p)
            expected[p] = expected[p / kSide / 2 * 2 * kSide + p % kSide / 2 * 2];
        std::vector<double> half = expected;
        for (double& value : half) value /= 2.0;
        std::mt19937_64 random(7);
        const double pixel = largest_mean(expected, 1);
        double bias = 0.0, squares = 0.0, squares_without = 0.0;
        for (int seed = 0; seed < kSeeds; ++seed) {
            const Map a = noisy(half, random);
            const Map b = noisy(half, random);
            Map map = a;
            std::vector<double> noise = a.flux;
            for (size_t p = 0; p < map.flux.size(); ++p) {
                const size_t first = p / kSide / 2 * 2 * kSide + p % kSide / 2 * 2;
                map.flux[p] = a.flux[first] + b.flux[first];
                map.std_error[p] = std::sqrt(map.flux[p]);
                noise[p] = a.flux[first] - b.flux[first];
            }
            const PeakFlux without = map.peak();
            const PeakFlux peak =
                estimate_peak({map.flux, map.std_error, kPixels, kPixels, 0.5, 0.5, {}, noise});
            bias += (peak.flux - pixel) / peak.std_error / kSeeds;
            squares += std::pow((peak.flux - pixel) / peak.std_error, 2) / kSeeds;
            squares_without += std::pow((without.flux - pixel) / without.std_error, 2) / kSeeds;
        }
        CAPTURE(bias, squares, squares_without);
        CHECK(std::abs(bias) < 0.33 + 2.0 * 0.13);
        CHECK(std::sqrt(squares) > 0.7);
        CHECK(std::sqrt(squares) < 1.35);
        // Errors that are stated without the noise map are too small.
        CHECK(std::sqrt(squares_without) > 1.35);
        CHECK(squares_without > 1.5 * squares);
    }
}

TEST_CASE("More rays make the area of the peak smaller and its error too") {
    const auto spot = [](double x, double y) { return gauss(x, y, 0.15, 0.15); };
    double area = std::numeric_limits<double>::infinity();
    double error = 1.0;
    for (const double rays : {1e3, 1e4, 1e6, 1e8}) {
        std::mt19937_64 random(11);
        const std::vector<double> expected = expected_rays(spot, rays);
        const PeakFlux peak = noisy(expected, random).peak();
        // One pixel is the least.
        CHECK((peak.area_m2 < area || peak.area_m2 == 0.25));
        CHECK(peak.std_error / peak.flux < error);
        area = peak.area_m2;
        error = peak.std_error / peak.flux;
        CHECK(std::abs(peak.flux - largest_mean(expected, 1)) < 4.0 * peak.std_error);
    }
}

TEST_CASE("Maps without noise or without light have the largest pixel as their peak") {
    Map map;
    map.flux.assign(kPixels * kPixels, 0.0);
    map.std_error = map.flux;
    CHECK(map.peak().flux == 0.0);
    CHECK(map.peak().std_error == 0.0);
    map.flux[1234] = 7.0;
    CHECK(map.peak().flux == 7.0);
    CHECK(map.peak().std_error == 0.0);
    CHECK(map.peak().area_m2 == 0.25);
    map.std_error.clear();
    CHECK(map.peak().flux == 7.0);
}

TEST_CASE("Light on a single row or column has the same peak at both edges") {
    // Boxes of most scales are dark there if they do not reach the last pixels.
    constexpr int64_t kSide = 64;
    constexpr double kFlux = 500.0;
    const auto peak_of = [](int64_t line, bool is_row) {
        std::vector<double> flux(kSide * kSide), error(flux.size());
        for (int64_t i = 0; i < kSide; ++i) {
            const auto p = static_cast<size_t>(is_row ? line * kSide + i : i * kSide + line);
            flux[p] = kFlux;
            error[p] = 0.1 * kFlux;
        }
        return estimate_peak({flux, error, kSide, kSide, 0.01, 0.016, {}});
    };
    for (const bool is_row : {false, true}) {
        CAPTURE(is_row);
        const PeakFlux first = peak_of(0, is_row);
        const PeakFlux last = peak_of(kSide - 1, is_row);
        CHECK(last.flux == Approx(first.flux));
        CHECK(last.std_error == Approx(first.std_error));
        // The squares that measure the peak may be wider than the line.
        CHECK(first.flux > 0.1 * kFlux);
        CHECK(first.flux < 1.5 * kFlux);
    }
    // One ray in a corner.
    std::vector<double> flux(kSide * kSide), error(flux.size());
    flux.back() = error.back() = 34874.0;
    const PeakFlux corner = estimate_peak({flux, error, kSide, kSide, 0.01, 0.016, {}});
    CHECK(std::isfinite(corner.flux));
    CHECK(std::isfinite(corner.std_error));
}

TEST_CASE("The peak does not depend on the unit, and the same map gives the same peak") {
    std::mt19937_64 random(3);
    const Map map =
        noisy(expected_rays([](double x, double y) { return gauss(x, y, 0.1, 0.2); }, 1e5), random);
    Map kilo = map;
    for (double& value : kilo.flux) value *= 1024.0;
    for (double& value : kilo.std_error) value *= 1024.0;
    CHECK(kilo.peak().flux == 1024.0 * map.peak().flux);
    CHECK(kilo.peak().std_error == 1024.0 * map.peak().std_error);
    CHECK(kilo.peak().area_m2 == map.peak().area_m2);
    CHECK(map.peak().flux == map.peak().flux);
}

TEST_CASE(
    "Texts of a peak give its error, its area and the largest pixel, or say what is missing") {
    TargetResult target;
    target.peak_flux_w_m2 = 5130.4;
    target.peak_flux_std_error_w_m2 = 52.3;
    target.peak_area_m2 = 0.0912;
    target.peak_pixel_w_m2 = 6018.0;
    CHECK(peak_text(target, "kW/m2") == "5.130 ± 0.052 kW/m2 over 0.091 m2 (largest pixel 6.018)");
    CHECK(peak_text(target, "kW/m²") == "5.130 ± 0.052 kW/m² over 0.091 m² (largest pixel 6.018)");
    CHECK(with_error(1234.5, 56.0) == "1234 ± 56");
    CHECK(with_error(1234.5, 0.0) == "1234");
    target.peak_flux_std_error_w_m2 = 0.0;
    CHECK(peak_text(target, "kW/m2") == "6.018 kW/m2 (largest pixel, error unknown)");
    target.peak_flux_w_m2 = std::nan("");
    CHECK(peak_text(target, "kW/m2") == "not stored (largest pixel 6.018 kW/m2)");
}
