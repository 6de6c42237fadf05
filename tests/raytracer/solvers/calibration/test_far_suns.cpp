// SPDX-License-Identifier: MIT
// Few records and far suns: what larger sets of parameters may add to four tilts.
#include "raytracer/solvers/calibration/calibrate_files.h"
#include "raytracer/solvers/calibration/stages.h"
#include "scenario/import/paint/arguments.h"
#include "tests/raytracer/solvers/calibration/simulated.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

namespace helioray::test {

namespace {

/// Measured records of four heliostats (PAINT database, see the README.md beside them).
MeasuredField measured_field() {
    CalibrationFiles files;
    const std::string folder = source_dir() + "/tutorials/12_calibration/paint";
    files.tower = source_dir() + "/configs/paint/tower-measurements.json";
    files.heliostats = paint_heliostats({folder});
    files.folders.emplace_back(folder);
    return read_measured_field(files);
}

/// The part of the records, by azimuth clockwise from north, becomes the test of its heliostat.
std::vector<HeliostatRecords> without_part(std::vector<HeliostatRecords> field,
                                           size_t part,
                                           size_t parts) {
    for (HeliostatRecords& heliostat : field) {
        std::vector<SpotRecord>& records = heliostat.records;
        // Measurements that are known to be wrong.
        std::erase_if(records, [](const SpotRecord& record) {
            return record.id == "unnumbered-28736" || record.id == "100733";
        });
        const auto azimuth = [](const SpotRecord& record) {
            const double angle = std::atan2(record.to_sun[0], record.to_sun[1]);
            return angle < 0 ? angle + 2 * std::numbers::pi : angle;
        };
        std::sort(records.begin(), records.end(), [&](const SpotRecord& a, const SpotRecord& b) {
            return azimuth(a) < azimuth(b);
        });
        const auto begin = records.begin() + static_cast<long>(part * records.size() / parts);
        const auto end = records.begin() + static_cast<long>((part + 1) * records.size() / parts);
        heliostat.test.assign(begin, end);
        records.erase(begin, end);
    }
    return field;
}

}  // namespace

TEST_CASE("far suns: the average over sets is no worse than four tilts, and ellipses hold") {
    const MeasuredField measured = measured_field();
    struct Class {
        double from, to;              // degrees to the nearest fitted sun
        double inside_68, inside_95;  // at least, per cent
    };
    for (const Class& one : {Class{5, 10, 63, 90},
                             Class{10, 20, 63, 90},
                             Class{20, 40, 63, 85},
                             Class{40, 180, 45, 80}}) {
        double tilts = 0.0, average = 0.0, inside_68 = 0.0, inside_95 = 0.0, count = 0.0;
        for (const size_t parts : {size_t{2}, size_t{3}, size_t{4}}) {
            for (size_t part = 0; part < parts; ++part) {
                const auto field = without_part(measured.field, part, parts);
                for (const bool all : {false, true}) {
                    const std::optional<Level> level =
                        all ? std::nullopt : std::optional<Level>(Level::tilts);
                    CalibrationOptions options = calibration_options(measured, level, 1);
                    options.left_out = options.next_measurement = false;
                    for (const HeliostatCalibration& found :
                         calibrate(field, target_planes(measured.scenario), options)) {
                        for (const Comparison& test : found.test) {
                            const double distance = test.sun_distance * 180.0 / std::numbers::pi;
                            if (distance < one.from || distance >= one.to) continue;
                            (all ? average : tilts) += test.error;
                            if (!all) continue;
                            count += 1.0;
                            inside_68 += test.mahalanobis < 2.2789 ? 1.0 : 0.0;
                            inside_95 += test.mahalanobis < 5.9915 ? 1.0 : 0.0;
                        }
                    }
                }
            }
        }
        std::printf(
            "%.0f to %.0f degrees: %.2f mrad off with tilts, %.2f with all sets; %.0f %% and "
            "%.0f %% of %.0f spots inside\n",
            one.from,
            one.to,
            1e3 * tilts / count,
            1e3 * average / count,
            100 * inside_68 / count,
            100 * inside_95 / count,
            count);
        CHECK(average <= tilts);
        CHECK(100 * inside_68 / count >= one.inside_68);
        CHECK(100 * inside_95 / count >= one.inside_95);
    }
}

TEST_CASE("far suns: the effect beyond tilts is what a regression on the tilts leaves") {
    SpotProblem problem;
    problem.nominal = nominal_heliostat({20.0, 60.0, 1.7});
    problem.parameters = parameters_of(problem.nominal);
    const SquareMatrix effect = effect_beyond_tilts(problem, walls(), 50.9);
    REQUIRE(effect.size() == problem.parameters.size());
    size_t tilts = 0;
    while (problem.parameters[tilts].level == Level::tilts) ++tilts;
    for (size_t a = 0; a < tilts; ++a)
        for (size_t b = 0; b < effect.size(); ++b) CHECK(effect(a, b) == 0.0);
    // The angle at which axis 2 starts is mostly a tilt.
    CHECK(std::sqrt(effect(tilts, tilts)) > 0.2e-3);
    CHECK(std::sqrt(effect(tilts, tilts)) < 0.2 * problem.parameters[tilts].sigma);
    for (size_t a = tilts; a < effect.size(); ++a) {
        CHECK(effect(a, a) >= 0.0);
        for (size_t b = tilts; b < effect.size(); ++b) {
            CHECK(effect(a, b) == Approx(effect(b, a)).margin(1e-15));
            CHECK(std::abs(effect(a, b)) <= std::sqrt(effect(a, a) * effect(b, b)) + 1e-15);
        }
    }
    // Without a target nothing is known.
    CHECK(effect_beyond_tilts(problem, {}, 50.9).size() == 0);
}

TEST_CASE("far suns: a prior's stiffness enters maximum, covariance and evidence") {
    std::mt19937_64 random(83);
    const Simulated one = simulated(Level::drives, 6, 0, 0.6e-3, random);
    SpotProblem problem;
    problem.nominal = one.data.nominal;
    problem.parameters = parameters_of(problem.nominal);
    problem.stiffness = effect_beyond_tilts(problem, walls(), 50.9);
    for (double& value : problem.stiffness.values()) value /= 1e-6;
    const std::vector<double> zero(problem.parameters.size(), 0.0);

    // Without records posterior and prior are the same.
    {
        const SpotFitter fitter(problem);
        const SpotFitter::Fit prior = fitter.fit(Level::drives, 0.5e-3, zero);
        CHECK(prior.evidence == Approx(0.0).margin(1e-9));
        const auto [first, last] = fitter.unknowns_of(Level::drives);
        for (size_t a = 4; a < last; ++a) {
            for (size_t b = 4; b < last; ++b) {
                double product = 0.0;
                for (size_t k = 4; k < last; ++k)
                    product +=
                        ((a == k ? 1.0 : 0.0) + problem.stiffness(a, k)) * prior.covariance(k, b);
                CHECK(product == Approx(a == b ? 1.0 : 0.0).margin(1e-9));
            }
        }
        CHECK(first > 4);
    }

    // A stiff prior leaves the larger sets no more than the tilts have.
    problem.records = one.data.records;
    problem.epochs.assign(problem.records.size(), 0);
    SpotProblem stiff = problem;
    for (double& value : stiff.stiffness.values()) value *= 1e8;
    const SpotFitter free(problem), bound(stiff);
    const double tilts = free.fit(Level::tilts, 0.5e-3, zero).cost;
    CHECK(free.fit(Level::drives, 0.5e-3, zero).cost < tilts - 1.0);
    CHECK(bound.fit(Level::drives, 0.5e-3, zero, std::nullopt, 1e-9).cost ==
          Approx(tilts).epsilon(0.02));
}

TEST_CASE("far suns: a part of the bending's variance is noise of every record in a fit") {
    CHECK(fitted_scale(0.5e-3, 0.0) == 0.5e-3);
    // The variance of a record is that of its measurement plus a part of that of the bending.
    const double variance = kVarianceOfScale * 0.3e-3 * 0.3e-3 + 0.36 * 0.8e-3 * 0.8e-3;
    CHECK(kVarianceOfScale * std::pow(fitted_scale(0.3e-3, 0.8e-3), 2) == Approx(variance));
}

}  // namespace helioray::test
