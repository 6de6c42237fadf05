// SPDX-License-Identifier: MIT
// Sampling tables: round trips and chi-square tests against the density of each shape.
#include "scenario/files/error.h"
#include "scenario/sun/radial_profile.h"
#include "tests/scenario/sun/shapes.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace helioray;
using helioray::test::rms_width;

namespace {

/// Uniform numbers in [0, 1) with the 24 bits that a float holds, the same on every platform.
class Uniform {
  public:
    float operator()() { return static_cast<float>(engine_() >> 40U) * 0x1p-24F; }

  private:
    std::mt19937_64 engine_{20260621};
};

/// Chi-square of the angles of samples in bins of equal angle up to `far`, the rest in a last one.
struct ChiSquare {
    double value = 0.0;
    int degrees_of_freedom = 0;
};

ChiSquare chi_square(const RadialTable& table, const RadialProfile& profile, double far) {
    const int num_bins = 200, num_samples = 1'000'000;
    std::vector<int> counts(num_bins + 1, 0);
    Uniform uniform;
    for (int i = 0; i < num_samples; ++i) {
        const double theta = std::sqrt(square_angle(table, uniform()));
        ++counts[std::min(static_cast<int>(theta / far * num_bins), num_bins)];
    }
    // Bins with few samples are joined with their neighbours.
    ChiSquare result;
    double expected = 0.0, observed = 0.0, below = 0.0;
    for (int bin = 0; bin <= num_bins; ++bin) {
        const double within =
            bin < num_bins ? profile.power_within(far * (bin + 1) / num_bins) : 1.0;
        expected += num_samples * (within - below);
        observed += counts[bin];
        below = within;
        if (expected < 20.0 && bin < num_bins) continue;
        if (expected < 1.0) {
            CHECK(observed <= 8.0);
            continue;
        }
        result.value += (observed - expected) * (observed - expected) / expected;
        ++result.degrees_of_freedom;
        expected = observed = 0.0;
    }
    --result.degrees_of_freedom;
    return result;
}

}  // namespace

TEST_CASE("Tables ascend and their parts meet") {
    for (const auto& [name, shape] : test::sun_shapes()) {
        CAPTURE(name);
        const RadialTable table = radial_table(shape);
        CHECK(table.split > 0.0F);
        CHECK(table.split < 1.0F);
        CHECK(table.core.front() == 0.0F);
        CHECK(table.tail.front() == table.core.back());
        CHECK(std::is_sorted(table.core.begin(), table.core.end()));
        CHECK(std::is_sorted(table.tail.begin(), table.tail.end()));
        const double edge = radial_profile(shape)->edge();
        if (std::isfinite(edge)) CHECK(std::sqrt(table.tail.back()) == Approx(edge).epsilon(1e-6));
    }
}

TEST_CASE("Tables keep the mean square angle") {
    for (const auto& [name, shape] : test::sun_shapes()) {
        CAPTURE(name);
        const double exact = radial_profile(shape)->mean_square_angle();
        CHECK(mean_square_angle(radial_table(shape)) == Approx(exact).epsilon(1e-4));
    }
    // The last knot of a Gaussian is chosen for it.
    const RadialTable gaussian = radial_table(GaussianShape{2e-3});
    CHECK(mean_square_angle(gaussian) == Approx(2.0 * 2e-3 * 2e-3).epsilon(1e-6));
    CHECK(std::sqrt(gaussian.tail.back()) == Approx(4.74 * 2e-3).epsilon(1e-2));
}

TEST_CASE("Tables invert the distribution of their shape") {
    for (const auto& [name, shape] : test::sun_shapes()) {
        const auto profile = radial_profile(shape);
        const RadialTable table = radial_table(shape);
        double worst = 0.0;
        for (int i = 0; i < 5000; ++i) {
            const float u = static_cast<float>((i + 0.37) / 5000);
            const double theta = std::sqrt(square_angle(table, u));
            worst = std::max(worst, std::abs(profile->power_within(theta) - u));
        }
        CAPTURE(name);
        CHECK(worst < 2e-4);
    }
}

TEST_CASE("A pillbox is exact") {
    const RadialTable table = radial_table(PillboxShape{4e-3});
    for (float u : {0.0F, 0.1F, 0.4999F, 0.5F, 0.77F, 0.999999F})
        CHECK(square_angle(table, u) == Approx(u * 16e-6).epsilon(1e-6).margin(1e-13));
}

TEST_CASE("A Buie table splits at the edge of the disc") {
    const RadialTable table = radial_table(BuieShape{0.05});
    CHECK(table.split == Approx(0.95).epsilon(1e-6));
    CHECK(std::sqrt(table.tail.front()) == Approx(4.65e-3).epsilon(1e-6));
    CHECK(std::sqrt(square_angle(table, 0x1.fffffep-1F)) == Approx(43.6e-3).epsilon(1e-3));
}

TEST_CASE("Samples follow the density of their shape") {
    for (const auto& [name, shape] : test::sun_shapes()) {
        CAPTURE(name);
        const auto profile = radial_profile(shape);
        const RadialTable table = radial_table(shape);
        // Once over everything, once over the middle.
        const double edge = std::min(profile->edge(), 5.0 * rms_width(shape));
        for (double far : {edge, rms_width(shape)}) {
            const ChiSquare chi = chi_square(table, *profile, far);
            CAPTURE(far, chi.value, chi.degrees_of_freedom);
            const double spread = std::sqrt(2.0 * chi.degrees_of_freedom);
            CHECK(chi.degrees_of_freedom >= 50);
            CHECK(std::abs(chi.value - chi.degrees_of_freedom) < 4.0 * spread);
        }
    }
}

TEST_CASE("A chi-square test notices a wrong shape") {
    const RadialTable wrong = radial_table(GaussianShape{2.0e-3 * 1.005});
    const auto profile = radial_profile(GaussianShape{2.0e-3});
    const ChiSquare chi = chi_square(wrong, *profile, 10e-3);
    CHECK(chi.value - chi.degrees_of_freedom > 4.0 * std::sqrt(2.0 * chi.degrees_of_freedom));
}

TEST_CASE("A collimated sun has no table") {
    CHECK_THROWS_AS(radial_table(CollimatedShape{}), InputError);
}
