// SPDX-License-Identifier: MIT
// Calibrated scenarios and their updates.
#include "raytracer/solvers/calibration/stages.h"
#include "raytracer/solvers/calibration/state.h"
#include "scenario/files/error.h"
#include "scenario/import/paint/paint.h"
#include "scenario/reader/scenario_reader.h"
#include "tests/raytracer/solvers/calibration/simulated.h"
#include "tests/support/catch2.h"

#include <cstdio>
#include <filesystem>

namespace helioray::test {

namespace {

HeliostatCalibration at_one_level(const HeliostatRecords& data) {
    CalibrationOptions options;
    options.level = Level::drives;
    options.left_out = options.next_measurement = false;
    return calibrate({data}, walls(), options).front();
}

/// Returns a problem without records, for the formulas of the fitter.
SpotProblem problem_of(const HeliostatState& state) {
    SpotProblem problem;
    problem.nominal = state.nominal;
    problem.parameters = parameters_of(state.nominal);
    for (size_t i = 0; i < problem.parameters.size(); ++i)
        problem.parameters[i].sigma = state.prior_sigmas[i];
    return problem;
}

}  // namespace

TEST_CASE("state: one record after the other gives what all at once give") {
    std::mt19937_64 random(53);
    for (int repetition = 0; repetition < 5; ++repetition) {
        Simulated one = simulated(Level::drives, 30, 10, kNoise, random);
        const HeliostatCalibration all = at_one_level(one.data);
        HeliostatRecords first = one.data;
        first.records.resize(8);
        HeliostatState state = state_of(at_one_level(first));
        // A field knows the errors of measurement and the bending of its heliostats, and the first
        // records count with these.
        state.scale = all.scale;
        state.bending = all.bending;
        SpotProblem eight = problem_of(state);
        eight.records = first.records;
        eight.epochs.assign(first.records.size(), 0);
        eight.stiffness = effect_beyond_tilts(eight, walls(), CalibrationOptions{}.latitude_deg);
        for (double& value : eight.stiffness.values())
            value /= FieldErrors{}.beyond_tilts * FieldErrors{}.beyond_tilts;
        const SpotFitter::Fit fit = SpotFitter(eight).fit(
            Level::drives, fitted_scale(all.scale, all.bending), state.unknowns);
        state.unknowns = fit.unknowns;
        state.covariance = fit.covariance;
        for (size_t i = 8; i < 30; ++i) {
            CHECK_FALSE(update(state, one.data.records[i], {}).rejected);
        }
        CHECK(state.records == 30);
        REQUIRE(state.counted.size() == 30);
        CHECK(state.counted[29].identity == one.data.records[29].id);
        // None of them counts again.
        const std::vector<double> unknowns = state.unknowns;
        for (const size_t i : {size_t{0}, size_t{29}}) {
            const Update again = update(state, one.data.records[i], {});
            REQUIRE(again.rejected);
            CHECK_THAT(*again.rejected, ContainsSubstring("counted before"));
        }
        CHECK(state.unknowns == unknowns);
        CHECK(state.records == 30);
        // Predictions differ by a fraction of their own uncertainty.
        const SpotProblem problem = problem_of(state);
        const SpotFitter fitter(problem);
        for (const SpotRecord& record : one.data.test) {
            const auto recursive =
                compare(fitter, record, 0, state.unknowns, &state.covariance, 1e-9);
            const auto batch = compare(fitter, record, 0, all.unknowns, &all.covariance, 1e-9);
            const double sigma = std::sqrt(batch.covariance[0] + batch.covariance[3]);
            const double apart = std::hypot(recursive.offset_m[0] - batch.offset_m[0],
                                            recursive.offset_m[1] - batch.offset_m[1]);
            CHECK(apart < 0.5 * sigma);
            CHECK(std::sqrt(recursive.covariance[0] + recursive.covariance[3]) ==
                  Approx(sigma).epsilon(0.12));
        }
    }
}

TEST_CASE("state: a field that begins with three records per heliostat ends near all at once") {
    // Update and calibration differ because the state holds one normal distribution instead of the
    // average over sets, and because priors, scale and bending stay those of three records.
    for (const size_t records : {size_t{8}, size_t{12}}) {
        std::mt19937_64 random(71);
        std::vector<HeliostatRecords> field, first;
        for (int i = 0; i < 20; ++i) {
            field.push_back(simulated(Level::drives, records, 10, kNoise, random).data);
            field.back().name = std::to_string(i);
            first.push_back(field.back());
            first.back().records.resize(3);
        }
        CalibrationOptions options;
        options.left_out = options.next_measurement = false;
        options.latitude_deg = 50.9;
        const auto all = calibrate(field, walls(), options);
        const auto start = calibrate(first, walls(), options);
        double most = 0.0, square = 0.0, updated = 0.0, at_once = 0.0, count = 0.0;
        for (size_t i = 0; i < field.size(); ++i) {
            HeliostatState state = state_of(start[i]);
            for (size_t r = 3; r < records; ++r)
                CHECK_FALSE(update(state, field[i].records[r], {}).rejected);
            const HeliostatState whole = state_of(all[i]);
            const SpotProblem problem = problem_of(state), of_all = problem_of(whole);
            const SpotFitter fitter(problem), fitter_of_all(of_all);
            for (const SpotRecord& record : field[i].test) {
                const double noise = std::sqrt(
                    kVarianceOfScale * whole.scale * whole.scale +
                    bending_variance(whole.bending, nearest_sun(record.to_sun, whole.counted)));
                const auto a = compare(fitter, record, 0, state.unknowns, &state.covariance, noise);
                const auto b =
                    compare(fitter_of_all, record, 0, whole.unknowns, &whole.covariance, noise);
                const double apart =
                    std::hypot(a.offset_m[0] - b.offset_m[0], a.offset_m[1] - b.offset_m[1]) /
                    std::sqrt(b.covariance[0] + b.covariance[3]);
                most = std::max(most, apart);
                square += apart * apart;
                updated += a.error;
                at_once += b.error;
                count += 1.0;
            }
        }
        std::printf(
            "3 of %zu records, then updates: %.2f standard deviations from all at once, at "
            "most %.2f; %.2f mrad off instead of %.2f\n",
            records,
            std::sqrt(square / count),
            most,
            1e3 * updated / count,
            1e3 * at_once / count);
        CHECK(most < 2.0);
        CHECK(std::sqrt(square / count) < 0.5);
        CHECK(updated < 1.1 * at_once);
    }
}

TEST_CASE("state: a gross outlier changes nothing, time makes uncertain") {
    std::mt19937_64 random(59);
    Simulated one = simulated(Level::drives, 20, 1, kNoise, random);
    HeliostatState state = state_of(at_one_level(one.data));
    SpotRecord record = one.data.test.front();
    const std::vector<double> before = state.unknowns;
    SpotRecord outlier = record;
    outlier.spot[0] += 5.0;
    const Update refused = update(state, outlier, {});
    REQUIRE(refused.rejected);
    CHECK_THAT(*refused.rejected, ContainsSubstring("outlier"));
    CHECK(state.unknowns == before);

    const Update now = update(state, record, {});
    CHECK_FALSE(now.rejected);
    HeliostatState later = state_of(at_one_level(one.data));
    later.last_day = 2.46e6;
    record.julian_day = 2.46e6 + 2000.0;
    const Update then = update(later, record, {});
    CHECK(then.predicted.covariance[0] > now.predicted.covariance[0]);
    CHECK(*later.last_day == *record.julian_day);
}

TEST_CASE("state: a calibrated scenario keeps kinematics and state") {
    PaintInputs inputs;
    const std::filesystem::path folder = source_dir() + "/configs/paint";
    inputs.tower = folder / "tower-measurements.json";
    inputs.heliostats = {{folder / "AA31-heliostat-properties.json", ""},
                         {folder / "AA39-heliostat-properties.json", ""}};
    const Scenario scenario = scenario_from_paint(inputs);
    const size_t index[] = {1};
    std::mt19937_64 random(61);
    HeliostatRecords data;
    data.name = "AA39";
    data.nominal = kinematics_records(scenario, index).front();
    const KinematicsRecord truth = drawn(data.nominal, Level::drives, random);
    for (size_t i = 0; i < 20; ++i) {
        data.records.push_back(drawn_record(data.nominal, truth, kNoise, i, random));
    }
    const HeliostatCalibration found = at_one_level(data);
    const std::vector<HeliostatState> states{state_of(found)};
    const std::filesystem::path path =
        std::filesystem::temp_directory_path() / "helioray_test_calibrated.h5";
    write_calibrated_scenario(calibrated_scenario(scenario, states), states, path);

    const Scenario read = read_scenario(path);
    const KinematicsRecord kinematics = kinematics_records(read, index).front();
    const SpotRecord& record = data.records.front();
    const auto a = SpotModel(kinematics).ray(record.motor_positions, record.to_sun);
    const auto b = SpotModel(found.kinematics).ray(record.motor_positions, record.to_sun);
    REQUIRE(a);
    REQUIRE(b);
    for (size_t i = 0; i < 3; ++i) CHECK(a->direction[i] == Approx(b->direction[i]).margin(1e-12));

    const std::vector<HeliostatState> back = read_states(path, read);
    REQUIRE(back.size() == 1);
    CHECK(back[0].name == "AA39");
    CHECK(back[0].unknowns == states[0].unknowns);
    CHECK(back[0].covariance.values() == states[0].covariance.values());
    CHECK(back[0].prior_sigmas == states[0].prior_sigmas);
    CHECK(back[0].scale == states[0].scale);
    CHECK(back[0].bending > 0);
    CHECK(back[0].bending == states[0].bending);
    CHECK(back[0].records == 20);
    CHECK(back[0].epochs == 1);
    REQUIRE(back[0].counted.size() == 20);
    for (size_t i = 0; i < 20; ++i) {
        CHECK(back[0].counted[i].identity == states[0].counted[i].identity);
        CHECK(back[0].counted[i].epoch == 0);
        CHECK(back[0].counted[i].to_sun == data.records[i].to_sun);
        CHECK_FALSE(back[0].counted[i].day.has_value());
    }
    CHECK_FALSE(back[0].last_day.has_value());
    // The other heliostat is as it was.
    CHECK(*read.heliostats[0].kinematics == *scenario.heliostats[0].kinematics);
    std::filesystem::remove(path);

    CHECK_THROWS_AS(read_states(source_dir() + "/configs/juelich.h5",
                                read_scenario(source_dir() + "/configs/juelich.h5")),
                    InputError);
}

TEST_CASE("state: a file in which one heliostat changes is as if all were written") {
    PaintInputs inputs;
    const std::filesystem::path folder = source_dir() + "/configs/paint";
    inputs.tower = folder / "tower-measurements.json";
    // The last two have the same components.
    inputs.heliostats = {{folder / "AA31-heliostat-properties.json", ""},
                         {folder / "AA39-heliostat-properties.json", ""},
                         {folder / "AA39-heliostat-properties.json", "AA40"}};
    const Scenario scenario = scenario_from_paint(inputs);
    std::mt19937_64 random(67);
    std::vector<HeliostatState> states;
    std::vector<SpotRecord> more;
    for (const size_t index : {size_t{0}, size_t{1}, size_t{2}}) {
        const size_t one[] = {index};
        HeliostatRecords data;
        data.name = scenario.heliostats[index].name;
        data.nominal = kinematics_records(scenario, one).front();
        const KinematicsRecord truth = drawn(data.nominal, Level::drives, random);
        for (size_t i = 0; i < 8; ++i)
            data.records.push_back(drawn_record(data.nominal, truth, kNoise, i, random));
        for (size_t i = 8; i < 14 && index == 1; ++i)
            more.push_back(drawn_record(data.nominal, truth, kNoise, i, random));
        states.push_back(state_of(at_one_level(data)));
    }
    const std::filesystem::path temporary = std::filesystem::temp_directory_path();
    const std::filesystem::path start = temporary / "helioray_test_change.h5";
    const std::filesystem::path changed = temporary / "helioray_test_changed.h5";
    const std::filesystem::path whole = temporary / "helioray_test_whole.h5";
    // AA40 has no records, so that it shares its components with AA39's prototype.
    states[2].records = 0;
    write_calibrated_scenario(calibrated_scenario(scenario, states), states, start);
    const auto size = std::filesystem::file_size(start);

    std::filesystem::path from = start;
    for (const SpotRecord& record : more) {
        const Scenario part = read_scenario(from, std::set<std::string>{"AA39"});
        REQUIRE(part.heliostats.size() == 3);
        CHECK(part.heliostats[0].name == "AA31");
        CHECK(part.heliostats[0].kinematics == nullptr);
        CHECK(part.heliostats[0].surface == nullptr);
        std::vector<HeliostatState> read = read_states(from, part);
        CHECK_FALSE(update(read[1], record, {}).rejected);
        change_calibrated_scenario(from, changed, calibrated_scenario(part, read), read);
        from = changed;
    }
    // HDF5 loses a few kilobytes of text every time.
    CHECK(std::filesystem::file_size(changed) < size + 8192 * more.size());

    for (const SpotRecord& record : more) CHECK_FALSE(update(states[1], record, {}).rejected);
    write_calibrated_scenario(calibrated_scenario(scenario, states), states, whole);
    const Scenario expected = read_scenario(whole), found = read_scenario(changed);
    CHECK(equal(found, expected));
    const std::vector<HeliostatState> expected_states = read_states(whole, expected);
    const std::vector<HeliostatState> found_states = read_states(changed, found);
    REQUIRE(found_states.size() == 3);
    for (size_t i = 0; i < 3; ++i) {
        CAPTURE(i);
        const HeliostatState &a = found_states[i], &b = expected_states[i];
        CHECK(a.name == b.name);
        CHECK(a.unknowns == b.unknowns);
        CHECK(a.covariance.values() == b.covariance.values());
        CHECK(a.prior_sigmas == b.prior_sigmas);
        CHECK(a.nominal.rotations == b.nominal.rotations);
        CHECK(a.nominal.drives[0].increment == b.nominal.drives[0].increment);
        CHECK(a.records == b.records);
        CHECK(a.counted.size() == b.counted.size());
    }
    for (const auto& path : {start, changed, whole}) std::filesystem::remove(path);
}

}  // namespace helioray::test
