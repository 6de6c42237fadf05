// SPDX-License-Identifier: MIT
// Fields whose truth is known: parameters, ellipses, outliers, threads and ranks.
#include "raytracer/solvers/calibration/result_bytes.h"
#include "raytracer/solvers/calibration/stages.h"
#include "raytracer/solvers/calibration/state.h"
#include "tests/raytracer/solvers/calibration/simulated.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <barrier>
#include <cstdio>
#include <numeric>
#include <stdexcept>
#include <thread>

namespace helioray::test {

TEST_CASE("simulated field: many exact records give the truth back") {
    std::mt19937_64 random(3);
    const Simulated one = simulated(Level::drives, 60, 20, 1e-7, random);
    const HeliostatCalibration found = calibrated(one.data);
    CHECK(found.used == 60);
    CHECK(found.epochs.empty());
    for (const Comparison& c : found.test) CHECK(c.error < 0.05e-3);
}

TEST_CASE("simulated field: 68 and 95 % of 1,000 unseen spots lie inside of their ellipses") {
    for (const size_t records : {size_t{10}, size_t{40}}) {
        std::mt19937_64 random(5);
        size_t inside_68 = 0, inside_95 = 0, count = 0, rejected = 0, epochs = 0;
        for (int i = 0; i < 500; ++i) {
            const Simulated one = simulated(Level::drives, records, 2, kNoise, random);
            const HeliostatCalibration found = calibrated(one.data);
            rejected += found.rejected.size();
            epochs += found.epochs.size();
            for (const Comparison& c : found.test) {
                ++count;
                inside_68 += c.mahalanobis < 2.2789 ? 1 : 0;
                inside_95 += c.mahalanobis < 5.9915 ? 1 : 0;
            }
        }
        REQUIRE(count == 1000);
        INFO(records << " records");
        std::printf("coverage with %zu records: %zu and %zu of 1000, %zu rejected, %zu epochs\n",
                    records,
                    inside_68,
                    inside_95,
                    rejected,
                    epochs);
        CHECK(inside_68 >= 630);
        // One heliostat alone does not show that it does not bend, and its ellipses contain the
        // bending that is expected before: 0.58 mrad for 10 records. As errors of 0.91 mrad show,
        // the variances about each axis are n = 0.36 mrad2 of the measurement and 0.17 mrad2 of the
        // parameters. A record counts with n + 0.36 x 0.58^2 = 1.34 n, so that the parameters are
        // stated with 1.34 times their variance; suns between the fitted ones bend by 0.01 mrad2.
        // The stated variance is 1.13 times that of the errors, and 1 - 0.32^1.13 = 72 % of
        // the spots lie inside, 1,000 spots within 1.4 % of that. Where the field shows that
        // nothing bends, the next test has 69 %.
        CHECK(inside_68 <= 740);
        CHECK(inside_95 >= 930);
        CHECK(inside_95 <= 975);
        // Sound records are rarely rejected, and hardly ever split.
        CHECK(rejected <= 2);
        CHECK(epochs <= 5);
    }
}

TEST_CASE("simulated field: ellipses are as small as the errors of an exact plant") {
    // A fifth of the usual error of measurement, which the field has to find out.
    std::mt19937_64 random(7);
    std::vector<HeliostatRecords> field;
    for (int i = 0; i < 50; ++i) {
        field.push_back(simulated(Level::drives, 12, 20, 0.1e-3, random).data);
        field.back().name = "H" + std::to_string(i);
    }
    CalibrationOptions options;
    options.left_out = options.next_measurement = false;
    options.latitude_deg = 50.9;
    size_t inside_68 = 0, inside_95 = 0;
    for (const HeliostatCalibration& found : calibrate(field, walls(), options)) {
        for (const Comparison& c : found.test) {
            inside_68 += c.mahalanobis < 2.2789 ? 1 : 0;
            inside_95 += c.mahalanobis < 5.9915 ? 1 : 0;
        }
    }
    std::printf("coverage of an exact plant: %zu and %zu of 1000\n", inside_68, inside_95);
    CHECK(inside_68 >= 630);
    CHECK(inside_68 <= 730);
    CHECK(inside_95 >= 930);
}

TEST_CASE("simulated field: parameters lie within their posterior") {
    std::mt19937_64 random(17);
    size_t inside = 0, count = 0;
    for (int i = 0; i < 100; ++i) {
        const Simulated one = simulated(Level::drives, 15, 0, kNoise, random);
        const HeliostatCalibration found = calibrated(one.data);
        std::array<double, kColumns> truth{}, fitted{};
        const auto keep = [](std::array<double, kColumns>& list) {
            return [&list](size_t column, double value) {
                list[column] = value;
                return value;
            };
        };
        converted_record<double>(one.truth, keep(truth));
        converted_record<double>(found.kinematics, keep(fitted));
        for (size_t column = RecordColumns::rotations; column < RecordColumns::drives; ++column) {
            const double sigma = std::sqrt(found.column_covariance(column, column));
            ++count;
            inside += std::abs(truth[column] - fitted[column]) < 2 * sigma ? 1 : 0;
        }
    }
    INFO(inside << " of " << count);
    CHECK(inside >= count * 90 / 100);
}

TEST_CASE("simulated field: a start 75 mrad off converges") {
    std::mt19937_64 random(23);
    Simulated one = simulated(Level::mount, 12, 10, kNoise, random);
    KinematicsRecord truth = one.data.nominal;
    truth.rotations[1] += 0.15;
    truth.rotations[0] -= 0.05;
    truth.drives[0].initial_angle += 0.04;
    for (auto* list : {&one.data.records, &one.data.test}) {
        for (SpotRecord& record : *list) {
            const size_t number = std::stoul(record.id);
            record = drawn_record(one.data.nominal, truth, kNoise, number, random);
        }
    }
    const HeliostatCalibration found = calibrated(one.data);
    double before = 0.0;
    for (const Comparison& c : found.before) before = std::max(before, c.error);
    CHECK(before > 75e-3);
    CHECK(found.used == 12);
    for (const Comparison& c : found.test) CHECK(c.error < 3e-3);
}

TEST_CASE("simulated field: outliers are named with their reasons") {
    std::mt19937_64 random(29);
    Simulated one = simulated(Level::mount, 14, 0, kNoise, random);
    // One has another record's sun, one a spot 2 m off, one motor positions beyond the spindle.
    one.data.records[3].to_sun = one.data.records[9].to_sun;
    one.data.records[6].spot[2] += 2.0;
    one.data.records[10].motor_positions[0] = 99999;
    const HeliostatCalibration found = calibrated(one.data);
    REQUIRE(found.rejected.size() == 3);
    CHECK(found.used == 11);
    const auto reason = [&](const std::string& id) {
        for (const Rejection& rejection : found.rejected) {
            if (rejection.record == id) return rejection.reason;
        }
        return std::string();
    };
    CHECK_THAT(reason("4"), ContainsSubstring("wrong sun"));
    CHECK_THAT(reason("7"), ContainsSubstring("outlier: its spot lies"));
    CHECK_THAT(reason("11"), ContainsSubstring("impossible motor position: 99999 of axis 1"));
}

TEST_CASE("simulated field: one gross error among six records is named") {
    std::mt19937_64 random(71);
    size_t named = 0, sound_rejected = 0;
    std::vector<double> with_outlier, without_it;
    constexpr size_t kFields = 200;
    for (size_t i = 0; i < kFields; ++i) {
        Simulated one = simulated(Level::mount, 6, 2, kNoise, random);
        HeliostatRecords sound = one.data;
        sound.records.pop_back();
        // 12 mrad of the normal, as 1.4 m at a distance of 60 m.
        const double distance = norm(one.data.nominal.position);
        one.data.records.back().spot[0] += (i % 2 == 0 ? 24e-3 : -24e-3) * distance;
        const HeliostatCalibration found = calibrated(one.data), best = calibrated(sound);
        for (const Rejection& rejection : found.rejected) {
            named += rejection.record == "6" ? 1 : 0;
            sound_rejected += rejection.record == "6" ? 0 : 1;
        }
        sound_rejected += best.rejected.size();
        for (const Comparison& c : found.test) with_outlier.push_back(c.error);
        for (const Comparison& c : best.test) without_it.push_back(c.error);
    }
    const auto mean = [](const std::vector<double>& list) {
        return std::accumulate(list.begin(), list.end(), 0.0) / static_cast<double>(list.size());
    };
    std::printf(
        "one gross error among six records: named in %zu of %zu fields, %zu sound records "
        "rejected, unseen records %.2f mrad off, %.2f without it\n",
        named,
        kFields,
        sound_rejected,
        1e3 * mean(with_outlier),
        1e3 * mean(without_it));
    CHECK(named >= kFields * 9 / 10);
    CHECK(sound_rejected <= kFields / 50);
    CHECK(mean(with_outlier) < 1.3 * mean(without_it));
}

TEST_CASE("simulated field: nothing, one and two records are no failure") {
    std::mt19937_64 random(37);
    for (const size_t records : {0, 1, 2}) {
        Simulated one = simulated(Level::mount, records, 3, kNoise, random);
        const HeliostatCalibration found = calibrated(one.data, true);
        CHECK(found.used == records);
        CHECK(found.left_out.size() == records);
        CHECK(found.rejected.empty());
        CHECK(found.aim_error > 1e-3);
        for (const Comparison& c : found.test) CHECK(c.mahalanobis < 20);
    }
}

TEST_CASE("simulated field: many records are left out in one step, as few by fits of their own") {
    std::mt19937_64 random(41);
    Simulated one = simulated(Level::tilts, 41, 0, kNoise, random);
    const HeliostatCalibration steps = calibrated(one.data, true);
    one.data.records.pop_back();
    const HeliostatCalibration fits = calibrated(one.data, true);
    REQUIRE(steps.left_out.size() == 41);
    for (size_t i = 0; i < 40; ++i) {
        CHECK(steps.left_out[i].error == Approx(fits.left_out[i].error).margin(0.12e-3));
    }
}

TEST_CASE("simulated field: the result does not depend on threads") {
    std::mt19937_64 random(43);
    std::vector<HeliostatRecords> field;
    for (int i = 0; i < 6; ++i) {
        field.push_back(simulated(Level::drives, 8, 1, kNoise, random).data);
        field.back().name = "H" + std::to_string(i);
    }
    CalibrationOptions options;
    options.latitude_deg = 50.9;
    std::vector<double> errors[2];
    for (const int threads : {1, 4}) {
        options.num_threads = threads;
        for (const HeliostatCalibration& one : calibrate(field, walls(), options)) {
            errors[threads == 1 ? 0 : 1].push_back(one.test.front().error);
            CHECK(one.next.has_value());
            CHECK(one.next->aim_error < one.aim_error);
        }
    }
    CHECK(errors[0] == errors[1]);
}

TEST_CASE("simulated field: ranks that share the heliostats find what one finds") {
    std::mt19937_64 random(67);
    std::vector<HeliostatRecords> field;
    for (int i = 0; i < 5; ++i) {
        field.push_back(simulated(Level::drives, 6, 1, kNoise, random).data);
        field.back().name = "H" + std::to_string(i);
    }
    CalibrationOptions options;
    options.latitude_deg = 50.9;
    options.num_threads = 1;
    const std::vector<HeliostatCalibration> alone = calibrate(field, walls(), options);
    for (const size_t count : {size_t{2}, size_t{3}, size_t{7}}) {
        // All ranks in one process, each with a thread of its own.
        std::vector<std::string> texts(count);
        std::barrier meeting(static_cast<std::ptrdiff_t>(count));
        std::vector<std::vector<HeliostatCalibration>> found(count);
        std::vector<std::jthread> ranks;
        for (size_t rank = 0; rank < count; ++rank) {
            ranks.emplace_back([&, rank] {
                CalibrationOptions own = options;
                own.ranks = {rank, count, [&, rank](const std::string& mine) {
                                 texts[rank] = mine;
                                 meeting.arrive_and_wait();
                                 std::vector<std::string> all = texts;
                                 meeting.arrive_and_wait();
                                 return all;
                             }};
                found[rank] = calibrate(field, walls(), own);
            });
        }
        ranks.clear();
        for (const auto& one : found) CHECK(bytes_of(one) == bytes_of(alone));
    }
    // Every member arrives.
    const std::vector<HeliostatCalibration> back = restore_calibrations(bytes_of(alone));
    REQUIRE(back.size() == alone.size());
    CHECK(back[3].name == "H3");
    CHECK(back[3].next->target == alone[3].next->target);
    CHECK(back[3].covariance.size() == alone[3].covariance.size());
    CHECK(back[3].kinematics.drives[1].offset == alone[3].kinematics.drives[1].offset);
    CHECK(back[3].left_out[5].covariance == alone[3].left_out[5].covariance);
    std::string cut = bytes_of(alone);
    cut.pop_back();
    CHECK_THROWS_AS(restore_calibrations(cut), std::runtime_error);
    CHECK_THROWS_AS(restore_calibrations(cut + "12"), std::runtime_error);
}

TEST_CASE("simulated field: a calibration asks before every heliostat whether it shall go on") {
    std::mt19937_64 random(71);
    std::vector<HeliostatRecords> field;
    for (int i = 0; i < 4; ++i) {
        field.push_back(simulated(Level::drives, 6, 1, kNoise, random).data);
        field.back().name = "H" + std::to_string(i);
    }
    CalibrationOptions options;
    options.num_threads = 1;
    int asked = 0;
    options.ranks.stop = [&] { ++asked; };
    CHECK(calibrate(field, walls(), options).size() == 4);
    CHECK(asked >= 4);
    asked = 0;
    options.ranks.stop = [&] {
        if (++asked == 3) throw std::runtime_error("enough");
    };
    CHECK_THROWS_WITH(calibrate(field, walls(), options), "enough");
    CHECK(asked == 3);
}

TEST_CASE("simulated field: a measurement lowers the error as it was said to") {
    std::mt19937_64 random(47);
    Simulated one = simulated(Level::mount, 4, 0, kNoise, random);
    CalibrationOptions options;
    options.latitude_deg = 50.9;
    options.level = Level::mount;
    const HeliostatCalibration before = calibrate({one.data}, walls(), options).front();
    REQUIRE(before.next);
    SpotRecord record = one.data.records.front();
    const double a = before.next->sun_azimuth, h = before.next->sun_elevation;
    record.id = "next";
    record.order = 5;
    record.to_sun = {std::sin(a) * std::cos(h), std::cos(a) * std::cos(h), std::sin(h)};
    record.motor_positions =
        point_mirror(before.kinematics, {record.to_sun, record.plane.centre}).motor_positions;
    record.spot =
        *hit(*SpotModel(one.truth).ray(record.motor_positions, record.to_sun), record.plane);
    one.data.records.push_back(record);
    const HeliostatCalibration after = calibrate({one.data}, walls(), options).front();
    CHECK(after.aim_error == Approx(before.next->aim_error).epsilon(0.25));
}

TEST_CASE("simulated field: the error after the next measurement is that of the updated state") {
    std::mt19937_64 random(71);
    Simulated one = simulated(Level::drives, 6, 0, kNoise, random);
    CalibrationOptions options;
    options.latitude_deg = 50.9;
    options.level = Level::drives;
    const std::vector<std::pair<std::string, TargetPlane>> targets{
        {"wall", north_wall()}, {"low wall", {{0, -3, 20}, {-1, 0, 0}, {0, 0, 1}, {0, 1, 0}}}};
    const HeliostatCalibration before = calibrate({one.data}, targets, options).front();
    REQUIRE(before.next);
    const TargetPlane plane = targets[before.next->target == "wall" ? 0 : 1].second;

    // A filter takes in the record, at the spot that is predicted; another code than the search.
    SpotRecord record;
    const double a = before.next->sun_azimuth, h = before.next->sun_elevation;
    record.id = "next";
    record.plane = plane;
    record.to_sun = {std::sin(a) * std::cos(h), std::cos(a) * std::cos(h), std::sin(h)};
    record.motor_positions =
        point_mirror(before.kinematics, {record.to_sun, plane.centre}).motor_positions;
    record.spot =
        *hit(*SpotModel(before.kinematics).ray(record.motor_positions, record.to_sun), plane);
    HeliostatState state = state_of(before);
    REQUIRE_FALSE(update(state, record, {}).rejected);
    CHECK(expected_aim_error(state, targets, options.latitude_deg) ==
          Approx(before.next->aim_error).epsilon(1e-6));
    CHECK(before.next->aim_error < 0.98 * before.aim_error);
}

}  // namespace helioray::test
