// SPDX-License-Identifier: MIT
// Spilled power and centre flux of a perfect mirror, by quadrature over the sun's profile and its
// table.
//
// A paraboloid of 10 m x 10 m focuses 100 kW from 500 m on a target of 8 m x 8 m (Y. Wang et al.,
// Solar Energy 195 (2020) 461-474, round A): a ray that deviates by theta lands 500 m * theta from
// the centre.
#include "scenario/sun/buie.h"
#include "scenario/sun/radial_profile.h"
#include "tests/scenario/sun/near.h"
#include "tests/support/catch2.h"

#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

using namespace helioray;

namespace {

constexpr double kDistance = 500.0, kHalfWidth = 4.0, kPower = 100.0;

/// Share of a circle about the target's centre that lies off the square.
double share_off_target(double radius) {
    if (radius <= kHalfWidth) return 0.0;
    if (radius >= std::sqrt(2.0) * kHalfWidth) return 1.0;
    return 4.0 / std::numbers::pi * std::acos(kHalfWidth / radius);
}

/// The same of a circle that is blurred by a Gaussian of this width per axis, metres.
double blurred_share_off_target(double radius, double sigma) {
    const auto within = [&](double centre) {
        const double s = std::sqrt(2.0) * sigma;
        return 0.5 * (std::erf((kHalfWidth - centre) / s) + std::erf((kHalfWidth + centre) / s));
    };
    const int n = 32;  // over an eighth of the circle
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        const double angle = 0.25 * std::numbers::pi * (i + 0.5) / n;
        sum += within(radius * std::cos(angle)) * within(radius * std::sin(angle));
    }
    return 1.0 - sum / n;
}

/// Mean of a function of the radius over the light of a table: midpoints between the knots' shares.
template <class Function>
double mean_over(const RadialTable& table, const Function& f, int per_interval) {
    double total = 0.0;
    for (const bool core : {true, false}) {
        const auto& knots = core ? table.core : table.tail;
        const int n = kRadialTableSize * per_interval;
        double sum = 0.0;
        for (int i = 0; i < n; ++i) {
            const double part = (i + 0.5) / per_interval;
            const int knot = static_cast<int>(part);
            const double s = knots[knot] + (knots[knot + 1] - knots[knot]) * (part - knot);
            sum += f(kDistance * std::sqrt(s));
        }
        total += sum / n * (core ? double{table.split} : 1.0 - table.split);
    }
    return total;
}

double spilled(const SunShape& shape) {
    return kPower * mean_over(radial_table(shape), share_off_target, 64);
}

double spilled_with_slope(const SunShape& shape, double sigma) {
    const auto share = [&](double radius) { return blurred_share_off_target(radius, sigma); };
    return kPower * mean_over(radial_table(shape), share, 2);
}

double centre_flux(const SunShape& shape) {
    const auto profile = radial_profile(shape);
    return kPower * profile->radiance(0.0) /
           (2.0 * std::numbers::pi * profile->integral() * kDistance * kDistance);
}

double centre_flux_with_slope(const SunShape& shape, double sigma) {
    const auto flux = [&](double radius) {
        return std::exp(-0.5 * radius * radius / (sigma * sigma)) /
               (2.0 * std::numbers::pi * sigma * sigma);
    };
    return kPower * mean_over(radial_table(shape), flux, 2);
}

/// Flux at the centre that the table itself gives: from its first knot.
double table_centre_flux(const SunShape& shape) {
    const RadialTable table = radial_table(shape);
    const double area = std::numbers::pi * table.core[1] * kDistance * kDistance;
    return kPower * double{table.split} / kRadialTableSize / area;
}

struct Expected {
    double csr;
    BuieCalibration calibration;
    double spilled, centre;
};

}  // namespace

TEST_CASE("Spillage and centre flux of a Buie sun") {
    using enum BuieCalibration;
    const std::vector<Expected> rows{{0.01, tonatiuh, 0.7339, 6.8285},
                                     {0.02, tonatiuh, 1.3174, 6.7660},
                                     {0.03, tonatiuh, 1.9784, 6.6918},
                                     {0.01, tracer, 0.6405, 6.8382},
                                     {0.02, tracer, 1.4430, 6.7521},
                                     {0.03, tracer, 2.0660, 6.6818},
                                     {0.01, exact, 0.6982, 6.8322},
                                     {0.02, exact, 1.3427, 6.7632},
                                     {0.03, exact, 1.9580, 6.6942},
                                     {0.05, exact, 3.1268, 6.5562},
                                     {0.10, exact, 5.8398, 6.2111}};
    for (const Expected& row : rows) {
        CAPTURE(row.csr, static_cast<int>(row.calibration));
        const BuieShape shape{row.csr, row.calibration};
        CHECK(spilled(shape) == test::near(row.spilled, 1.5e-4));
        CHECK(centre_flux(shape) == test::near(row.centre, 1e-4));
        CHECK(table_centre_flux(shape) == Approx(row.centre).epsilon(2e-4));
    }
}

TEST_CASE("Spillage of a Buie sun on a rough mirror") {
    using enum BuieCalibration;
    // Slope errors of 2 mrad turn the ray by 4 mrad: 2 m on the target.
    const std::vector<Expected> rows{{0.02, tonatiuh, 16.5757, 2.9243},
                                     {0.02, tracer, 16.6870, 2.9192},
                                     {0.02, exact, 16.5981, 2.9232}};
    for (const Expected& row : rows) {
        CAPTURE(static_cast<int>(row.calibration));
        const BuieShape shape{row.csr, row.calibration};
        CHECK(spilled_with_slope(shape, 2.0) == test::near(row.spilled, 5e-4));
        CHECK(centre_flux_with_slope(shape, 2.0) == test::near(row.centre, 1e-4));
    }
}

TEST_CASE("Spillage of the shapes with closed forms") {
    CHECK(spilled(PillboxShape{4e-3}) == 0.0);
    CHECK(centre_flux(PillboxShape{4e-3}) == test::near(7.9577, 1e-4));
    CHECK(spilled(GaussianShape{4e-3}) == test::near(8.8930, 3e-3));
    CHECK(centre_flux(GaussianShape{4e-3}) == test::near(3.9789, 1e-4));
    CHECK(spilled_with_slope(PillboxShape{4.65e-3}, 2.0) == test::near(16.0631, 5e-4));
    CHECK(centre_flux_with_slope(PillboxShape{4.65e-3}, 2.0) == test::near(2.8924, 1e-4));
    CHECK(spilled_with_slope(GaussianShape{4e-3}, 2.0) == test::near(28.9855, 3e-3));
    CHECK(centre_flux_with_slope(GaussianShape{4e-3}, 2.0) == test::near(1.98944, 2e-4));
}
