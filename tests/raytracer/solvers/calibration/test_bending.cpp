// SPDX-License-Identifier: MIT
// Ellipses that grow with the distance to the suns that were fitted.
#include "raytracer/solvers/calibration/stages.h"
#include "tests/raytracer/solvers/calibration/simulated.h"
#include "tests/support/catch2.h"

#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>

namespace helioray::test {

namespace {

CalibrationOptions options() {
    CalibrationOptions options;
    options.left_out = options.next_measurement = false;
    options.latitude_deg = 50.9;
    return options;
}

/// Fields of 200 heliostats in all.
struct Case {
    double bending;                   // radians
    size_t heliostats, records;       // of each field, of each heliostat
    std::array<double, 2> inside_68;  // limits in per cent
    double inside_95;                 // at least
    bool mornings = false;            // are fitted, afternoons predicted
};

}  // namespace

TEST_CASE("bending: the variance grows with the chord to the nearest sun") {
    constexpr double b = 1.5e-3;
    CHECK(bending_variance(b, 1.0) == 0.0);
    CHECK(bending_variance(b, -std::numeric_limits<double>::infinity()) == Approx(b * b));
    // A chord as long as thirty degrees of the unit circle.
    const double angle = 2.0 * std::asin(std::numbers::pi / 12.0);
    CHECK(bending_variance(b, std::cos(angle)) ==
          Approx(b * b * std::pow(1.0 - std::exp(-1.0), 2)));
    // Near fitted suns the deviation grows with the square of the distance.
    CHECK(bending_variance(b, std::cos(0.02)) ==
          Approx(16.0 * bending_variance(b, std::cos(0.01))).epsilon(0.01));
}

TEST_CASE("bending: ellipses fit mirrors that bend, and those that do not") {
    for (const Case& one : {Case{0.0, 50, 12, {63, 73}, 92},
                            Case{0.0, 50, 40, {63, 73}, 92},
                            Case{0.0, 50, 20, {60, 73}, 89, true},
                            Case{0.0, 1, 12, {63, 73}, 92},
                            Case{1.5e-3, 50, 12, {63, 78}, 93},
                            Case{1.5e-3, 50, 40, {63, 78}, 93},
                            Case{1.5e-3, 4, 12, {63, 73}, 93},
                            Case{1.5e-3, 1, 12, {60, 73}, 88},
                            Case{1.5e-3, 1, 40, {63, 73}, 92},
                            // What the parameters made of the mornings' errors misleads them.
                            Case{1.5e-3, 50, 20, {63, 73}, 92, true}}) {
        constexpr size_t kTests = 5;
        std::mt19937_64 random(7);
        double inside_68 = 0, inside_95 = 0, count = 0, bending = 0.0, error = 0.0;
        for (size_t heliostat = 0; heliostat < 200; heliostat += one.heliostats) {
            std::vector<HeliostatRecords> field;
            for (size_t i = 0; i < one.heliostats; ++i) {
                const size_t times = one.mornings ? 2 : 1;
                Simulated mirror = simulated(Level::drives,
                                             times * one.records,
                                             times * kTests,
                                             kNoise,
                                             random,
                                             one.bending);
                if (one.mornings) {
                    std::erase_if(mirror.data.records,
                                  [](const SpotRecord& r) { return r.to_sun[0] < 0; });
                    std::erase_if(mirror.data.test,
                                  [](const SpotRecord& r) { return r.to_sun[0] > 0; });
                }
                field.push_back(std::move(mirror.data));
            }
            for (const HeliostatCalibration& found : calibrate(field, walls(), options())) {
                bending += found.bending / 200;
                for (const Comparison& c : found.test) {
                    count += 1;
                    error += c.error;
                    inside_68 += c.mahalanobis < 2.2789 ? 1 : 0;
                    inside_95 += c.mahalanobis < 5.9915 ? 1 : 0;
                }
            }
        }
        const double p68 = 100 * inside_68 / count, p95 = 100 * inside_95 / count;
        std::printf(
            "%.1f mrad, %zu heliostats, %zu records%s: found %.2f mrad; %.1f %% and %.1f %% of "
            "%.0f spots inside, %.2f mrad off\n",
            1e3 * one.bending,
            one.heliostats,
            one.records,
            one.mornings ? " in the morning" : "",
            1e3 * bending,
            p68,
            p95,
            count,
            1e3 * error / count);
        CHECK(p68 >= one.inside_68[0]);
        CHECK(p68 <= one.inside_68[1]);
        CHECK(p95 >= one.inside_95);
        // The simulated errors of two suns a chord of thirty degrees apart have this correlation.
        const double known = std::cos(2.0 * std::asin(std::numbers::pi / 12.0));
        const double found = std::sqrt(bending_variance(bending, known));
        const double left = std::sqrt(1.0 - std::exp(-1.0));
        CHECK(found < (one.bending > 0 ? 2.2e-3 : 0.9e-3) * left);
        CHECK(found > 0.8 * one.bending * left);
    }
}

TEST_CASE("bending: a record far from the others lowers the aim error and is wanted next") {
    std::mt19937_64 random(11);
    Simulated one = simulated(Level::drives, 40, 0, kNoise, random);
    std::erase_if(one.data.records, [](const SpotRecord& r) { return r.to_sun[0] < 0.2; });
    CalibrationOptions with_search = options();
    with_search.next_measurement = true;
    const HeliostatCalibration found = calibrate({one.data}, walls(), with_search).front();
    REQUIRE(found.next);
    // The morning was measured.
    CHECK(found.next->sun_azimuth > std::numbers::pi);
    CHECK(found.next->aim_error < found.aim_error);

    HeliostatState state = state_of(found);
    state.bending = 2e-3;
    const double before = expected_aim_error(state, walls(), 50.9);
    SpotRecord record = drawn_record(one.data.nominal, one.truth, kNoise, 100, random);
    while (record.to_sun[0] > -0.4)
        record = drawn_record(one.data.nominal, one.truth, kNoise, 100, random);
    const Update first = update(state, record, {});
    CHECK_FALSE(first.rejected);
    const double after = expected_aim_error(state, walls(), 50.9);
    CHECK(after < 0.95 * before);
    // The same sun once more: what the mirror does there is known.
    record.id = "101";
    const Update second = update(state, record, {});
    CHECK(second.predicted.covariance[0] < 0.6 * first.predicted.covariance[0]);
}

}  // namespace helioray::test
