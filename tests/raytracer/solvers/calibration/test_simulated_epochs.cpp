// SPDX-License-Identifier: MIT
// Fields whose truth is known and changes in time: epochs of the drives.
#include "raytracer/solvers/calibration/stages.h"
#include "tests/raytracer/solvers/calibration/simulated.h"
#include "tests/support/catch2.h"

#include <array>
#include <random>

namespace helioray::test {

/// The heliostat before its drives were set to zero anew: both spindles start 3 mm further in.
static KinematicsRecord before_new_zero(const Simulated& one) {
    KinematicsRecord before = one.truth;
    for (const Parameter& parameter : epoch_parameters_of(one.data.nominal)) {
        std::array<double, kColumns> shift{};
        for (const auto& [column, factor] : parameter.columns) shift[column] = -3e-3 * factor;
        before = moved(before, shift);
    }
    return before;
}

TEST_CASE("simulated field: drives that are set to zero anew begin an epoch") {
    std::mt19937_64 random(31);
    for (int i = 0; i < 10; ++i) {
        Simulated one = simulated(Level::mount, 12, 0, kNoise, random);
        // The first five records are from before.
        const KinematicsRecord before = before_new_zero(one);
        for (size_t k = 0; k < 5; ++k) {
            one.data.records[k] = drawn_record(one.data.nominal, before, kNoise, k + 1, random);
        }
        one.data.test = {drawn_record(one.data.nominal, before, kNoise, 3, random),
                         drawn_record(one.data.nominal, one.truth, kNoise, 100, random)};
        const HeliostatCalibration found = calibrated(one.data, true);
        REQUIRE(found.epochs.size() == 1);
        CHECK(found.epochs[0].record == "6");
        CHECK(found.epochs[0].last_before == "5");
        CHECK(found.epochs[0].stroke_m[0] == Approx(3e-3).margin(1e-3));
        CHECK(found.epochs[0].stroke_m[1] == Approx(3e-3).margin(1e-3));
        CHECK(found.rejected.empty());
        // Each unseen record is predicted in its own epoch.
        for (const Comparison& c : found.test) CHECK(c.error < 4e-3);
    }
}

TEST_CASE("simulated field: few records at an end of many are an epoch, not outliers") {
    std::mt19937_64 random(83);
    constexpr size_t kRecords = 30;
    for (int i = 0; i < 10; ++i) {
        Simulated one = simulated(Level::mount, kRecords, 0, kNoise, random);
        const KinematicsRecord before = before_new_zero(one);
        // The first three records are from before, or the last three from after.
        const size_t change = i % 2 == 0 ? 3 : kRecords - 3;
        const size_t begin = i % 2 == 0 ? 0 : change, end = i % 2 == 0 ? change : kRecords;
        for (size_t k = begin; k < end; ++k)
            one.data.records[k] = drawn_record(one.data.nominal, before, kNoise, k + 1, random);
        const HeliostatCalibration found = calibrated(one.data);
        REQUIRE(found.epochs.size() == 1);
        CHECK(found.epochs[0].record == std::to_string(change + 1));
        CHECK(found.rejected.empty());
    }
}

TEST_CASE("simulated field: drives that stood elsewhere for a while") {
    std::mt19937_64 random(89);
    for (int i = 0; i < 10; ++i) {
        const size_t third = i % 2 == 0 ? 5 : 10;
        Simulated one = simulated(Level::mount, 3 * third, 0, kNoise, random);
        const KinematicsRecord elsewhere = before_new_zero(one);
        for (size_t k = third; k < 2 * third; ++k)
            one.data.records[k] = drawn_record(one.data.nominal, elsewhere, kNoise, k + 1, random);
        const HeliostatCalibration found = calibrated(one.data);
        REQUIRE(found.epochs.size() == 2);
        CHECK(found.epochs[0].record == std::to_string(third + 1));
        CHECK(found.epochs[1].record == std::to_string(2 * third + 1));
        CHECK(found.rejected.empty());
    }
}

TEST_CASE("simulated field: a spot that was counted on another target is named so") {
    std::mt19937_64 random(97);
    for (int i = 0; i < 10; ++i) {
        Simulated one = simulated(Level::mount, 10, 0, kNoise, random);
        const TargetPlane other{{-17, -3, 52}, {-1, 0, 0}, {0, 0, 1}, {0, 1, 0}};
        SpotRecord& record = one.data.records[4];
        record.target = "other";
        record.spot = add(record.spot, subtract(other.centre, record.plane.centre));
        record.plane = other;
        CalibrationOptions options;
        options.left_out = options.next_measurement = false;
        options.latitude_deg = 50.9;
        auto targets = walls();
        targets.emplace_back("other", other);
        const HeliostatCalibration found = calibrate({one.data}, targets, options).front();
        REQUIRE(found.rejected.size() == 1);
        CHECK(found.rejected[0].record == "5");
        CHECK_THAT(found.rejected[0].reason, ContainsSubstring("wrong target: on 'wall' its spot"));
    }
}

TEST_CASE("simulated field: shares of epochs are those of the time between their records") {
    SpotProblem problem;
    for (const double order : {1.0, 2.0, 6.0, 8.0, 9.0}) {
        SpotRecord record;
        record.order = order;
        problem.records.push_back(record);
    }
    problem.epochs = {0, 0, 1, 1, 2};
    problem.num_epochs = 3;
    const auto shares = [&](std::optional<double> order, std::optional<size_t> left_out = {}) {
        SpotRecord record;
        record.order = order;
        return epoch_shares(record, problem, left_out);
    };
    using Shares = std::vector<double>;
    CHECK(shares(0.5) == Shares{1, 0, 0});
    CHECK(shares(1.5) == Shares{1, 0, 0});
    CHECK(shares(3.0) == Shares{0.75, 0.25, 0});
    CHECK(shares(6.0) == Shares{0, 1, 0});
    CHECK(shares(8.75) == Shares{0, 0.25, 0.75});
    CHECK(shares(20.0) == Shares{0, 0, 1});
    CHECK(shares(std::nullopt) == Shares{0, 0, 1});
    // The record at 6 does not say itself where it lies.
    CHECK(shares(6.0, 2)[1] == Approx(4.0 / 6));
}

TEST_CASE("simulated field: a record between two epochs is predicted by both") {
    std::mt19937_64 random(79);
    double apart = 0.0, off = 0.0;
    for (int i = 0; i < 10; ++i) {
        Simulated one = simulated(Level::mount, 12, 0, kNoise, random);
        const KinematicsRecord before = before_new_zero(one);
        const auto record = [&](bool old, bool aimed, double order) {
            const KinematicsRecord& truth = old ? before : one.truth;
            SpotRecord made =
                drawn_record(aimed ? truth : one.data.nominal, truth, kNoise, 0, random);
            made.id = std::to_string(order) + (old ? " old" : " new");
            made.order = order;
            return made;
        };
        for (const bool aimed : {true, false}) {
            for (size_t k = 0; k < 12; ++k)
                one.data.records[k] = record(k < 5, aimed, static_cast<double>(k));
            one.data.test = {record(true, aimed, 4.5), record(false, aimed, 4.5)};
            const HeliostatCalibration found = calibrated(one.data);
            if (found.epochs.size() != 1) continue;
            for (const Comparison& c : found.test) {
                // Heliostats that hit the centre of their target show which zero they have; the
                // covariance of the others has room for both.
                INFO(c.record << (aimed ? ", aimed" : ""));
                if (aimed) {
                    CHECK(c.error < 4e-3);
                } else {
                    CHECK(c.mahalanobis < 12);
                    off += c.error;
                    apart += found.epochs[0].tilt;
                }
            }
        }
    }
    // Without a sign of either the mean of both is half as far off as the wrong one.
    CHECK(apart > 0);
    CHECK(off < 0.7 * apart);
}

}  // namespace helioray::test
