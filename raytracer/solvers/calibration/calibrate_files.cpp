// SPDX-License-Identifier: MIT
// Calibrates a scenario from files of the PAINT database.
#include "raytracer/solvers/calibration/calibrate_files.h"

#include "scenario/files/error.h"
#include "scenario/files/output_files.h"
#include "scenario/import/paint/arguments.h"
#include "scenario/reader/read_log.h"
#include "scenario/reader/scenario_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

namespace helioray::calibration {

namespace {

/// Returns the heliostats whose properties are in the format of the database's older version.
std::set<std::string> older_heliostats(const std::vector<PaintHeliostat>& heliostats) {
    std::set<std::string> older;
    ReadLog log;
    for (const PaintHeliostat& heliostat : heliostats) {
        log.attempt([&] {
            if (is_older_paint_version(heliostat.file)) older.insert(name_of(heliostat));
        });
    }
    log.throw_if_any();
    return older;
}

/// Adds the records of the folders. A folder without records may hold properties alone.
void find_records(const CalibrationFiles& files,
                  RecordFiles& records,
                  std::vector<std::string>& remarks) {
    std::vector<std::string> names;
    for (const PaintHeliostat& heliostat : files.heliostats) names.push_back(name_of(heliostat));
    for (const std::filesystem::path& folder : files.folders) {
        const bool benchmark = !find_paint_benchmark(folder).empty();
        if (benchmark) records.benchmarks.push_back(folder);
        try {
            for (PaintFile& file : find_paint_calibrations(folder, names))
                records.paint.push_back(std::move(file));
        } catch (const InputError&) {
            if (benchmark) continue;
            remarks.push_back(folder.string() + ": no calibration records");
        }
        for (const auto& [home, count] : find_unknown_paint_calibrations(folder, names)) {
            remarks.push_back(
                fmt::format("{}: {} calibration record(s) of a heliostat without properties, left "
                            "out; add Properties/{}-heliostat-properties.json",
                            home.string(),
                            count,
                            home.filename().string()));
        }
    }
}

/// Throws InputError if no heliostat has a record, including those that are only predicted.
void require_records(const std::vector<HeliostatRecords>& field, size_t num_heliostats) {
    const bool any = std::any_of(field.begin(), field.end(), [](const HeliostatRecords& heliostat) {
        return !heliostat.records.empty() || !heliostat.rejected.empty() || !heliostat.test.empty();
    });
    if (any) return;
    throw InputError(
        Problem{"records",
                fmt::format("none of the {} heliostats has a record", num_heliostats),
                "kinematics follow from measured spots",
                "name a folder with <heliostat>/Calibration/*-calibration-properties.json, or a "
                "table of records"});
}

/// Copies the mirrors of another scenario to the heliostats with the same names. Returns a line for
/// users.
std::string take_mirrors(const std::filesystem::path& file, Scenario& scenario) {
    const Scenario source = read_scenario(file);
    size_t taken = 0;
    for (Heliostat& heliostat : scenario.heliostats) {
        const auto index = source.find_heliostat(heliostat.name);
        if (!index) continue;
        heliostat.surface = source.heliostats[*index].surface;
        ++taken;
    }
    if (taken == 0) {
        throw InputError(Problem{
            file.string(),
            fmt::format("holds none of the {} heliostats", scenario.heliostats.size()),
            "mirrors are matched by the names of heliostats",
            "name a scenario of these heliostats, as scenario paint or reconstruct writes it"});
    }
    return fmt::format(
        "{}: mirrors of {} of {} heliostats", file.string(), taken, scenario.heliostats.size());
}

/// Returns the inputs that are not tables. Adds the tables (.csv) to `records`.
std::vector<std::string> without_tables(const std::vector<std::string>& inputs,
                                        RecordFiles& records) {
    std::vector<std::string> others;
    for (const std::string& input : inputs) {
        if (lower_extension(input) == ".csv") {
            records.tables.emplace_back(input);
        } else {
            others.push_back(input);
        }
    }
    return others;
}

}  // namespace

void add_inputs(const std::vector<std::string>& inputs, CalibrationFiles& files) {
    files.heliostats = paint_heliostats(without_tables(inputs, files.records));
    for (const std::string& input : inputs)
        if (std::filesystem::is_directory(input)) files.folders.emplace_back(input);
}

std::vector<std::filesystem::path> named_files(const CalibrationFiles& files) {
    std::vector<std::filesystem::path> named{files.tower};
    if (files.mirrors) named.push_back(*files.mirrors);
    for (const PaintHeliostat& heliostat : files.heliostats) named.push_back(heliostat.file);
    for (const auto* records : {&files.records.tables, &files.records.test})
        named.insert(named.end(), records->begin(), records->end());
    return named;
}

size_t MeasuredField::num_records() const {
    size_t count = 0;
    for (const HeliostatRecords& heliostat : field) count += heliostat.records.size();
    return count;
}

MeasuredField read_measured_field(const CalibrationFiles& files) {
    const std::set<std::string> older = older_heliostats(files.heliostats);
    PaintInputs inputs;
    inputs.tower = files.tower;
    inputs.heliostats = files.heliostats;
    inputs.drives_called_ideal = files.drives;
    MeasuredField measured;
    RecordFiles records = files.records;
    find_records(files, records, measured.remarks);
    measured.scenario = scenario_from_paint(inputs, &measured.report);
    for (const std::string& line : measured.report)
        if (line.find(kIdealTakenAsLinear) != std::string::npos) measured.remarks.push_back(line);
    if (files.mirrors) measured.remarks.push_back(take_mirrors(*files.mirrors, measured.scenario));
    measured.field = field_records(
        measured.scenario, read_records(records, measured.scenario, &measured.remarks), older);
    require_records(measured.field, measured.field.size());
    return measured;
}

CalibrationOptions calibration_options(const MeasuredField& measured,
                                       const std::optional<Level>& level,
                                       int num_threads) {
    CalibrationOptions how;
    how.level = level;
    how.latitude_deg = measured.scenario.position.latitude_deg;
    how.num_threads = num_threads;
    return how;
}

CalibratedField calibrate_field(const MeasuredField& measured,
                                const std::optional<Level>& level,
                                int num_threads,
                                const FieldRanks& ranks) {
    CalibrationOptions options = calibration_options(measured, level, num_threads);
    options.ranks = ranks;
    CalibratedField field;
    field.heliostats = calibrate(measured.field, target_planes(measured.scenario), options);
    for (const HeliostatCalibration& heliostat : field.heliostats)
        field.states.push_back(state_of(heliostat));
    field.scenario = calibrated_scenario(measured.scenario, field.states);
    field.remarks = measured.remarks;
    return field;
}

namespace {

/// Adds the inputs to `records`. `heliostats` lists the names of the heliostats.
void add_new_records(const std::vector<std::string>& inputs,
                     const std::vector<std::string>& heliostats,
                     RecordFiles& records) {
    std::vector<std::string> others;
    for (const std::string& input : without_tables(inputs, records)) {
        if (!find_paint_benchmark(input).empty()) {
            records.benchmarks.emplace_back(input);
        } else {
            others.push_back(input);
        }
    }
    for (PaintFile& file : paint_files(others, heliostats, find_paint_calibrations))
        records.paint.push_back(std::move(file));
}

/// Updates the states with new records. The heliostats in `records` need their components, the
/// others do not. `file` is the path of the scenario, for messages.
std::vector<UpdatedRecord> take_in(const std::map<std::string, ReadRecords>& records,
                                   const std::string& file,
                                   const Scenario& scenario,
                                   std::vector<HeliostatState>& states) {
    std::vector<HeliostatRecords> field = field_records(scenario, records, {});
    require_records(field, scenario.heliostats.size());
    const auto targets = target_planes(scenario);
    std::vector<UpdatedRecord> updates;
    for (HeliostatRecords& heliostat : field) {
        for (const Rejection& rejection : heliostat.rejected) {
            Update update;
            update.predicted.record = rejection.record;
            update.rejected = rejection.reason;
            updates.push_back({heliostat.name, rejection.record, update, 0.0, false});
        }
        if (heliostat.records.empty() && heliostat.test.empty()) continue;
        const auto state = std::find_if(states.begin(), states.end(), [&](const HeliostatState& s) {
            return s.name == heliostat.name;
        });
        if (state == states.end())
            throw InputError(Problem{file,
                                     fmt::format("has no state of heliostat '{}'", heliostat.name),
                                     "a record changes one",
                                     "calibrate anew"});
        std::stable_sort(
            heliostat.records.begin(), heliostat.records.end(), [](const auto& a, const auto& b) {
                return a.order.value_or(0.0) < b.order.value_or(0.0);
            });
        const auto take = [&](HeliostatState& changed, const SpotRecord& record) {
            const auto begin = std::chrono::steady_clock::now();
            Update update = calibration::update(changed, record, heliostat.mirror);
            const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
            updates.push_back(
                {heliostat.name, record.id, std::move(update), seconds.count(), false});
        };
        for (const SpotRecord& record : heliostat.records) take(*state, record);
        for (const SpotRecord& record : heliostat.test) {
            HeliostatState copy = *state;
            take(copy, record);
            updates.back().is_test = true;
            std::optional<std::string>& reason = updates.back().update.rejected;
            const std::string test = "a record of the test is only predicted";
            reason = reason ? fmt::format("{}; {}", test, *reason) : test;
        }
        state->aim_error = expected_aim_error(*state, targets, scenario.position.latitude_deg);
    }
    return updates;
}

}  // namespace

CalibratedField update_field(const std::filesystem::path& file,
                             const std::vector<std::string>& inputs,
                             RecordFiles files,
                             UpdatedHeliostats heliostats) {
    const bool all = heliostats == UpdatedHeliostats::all;
    CalibratedField field;
    field.scenario = all ? read_scenario(file) : read_scenario(file, std::set<std::string>());
    std::vector<std::string> names;
    for (const Heliostat& heliostat : field.scenario.heliostats) names.push_back(heliostat.name);
    add_new_records(inputs, names, files);
    const std::map<std::string, ReadRecords> records = read_records(files, field.scenario);
    if (!all) {
        std::set<std::string> measured;
        for (const auto& [name, read] : records) measured.insert(name);
        field.scenario = read_scenario(file, measured);
    }
    field.states = read_states(file, field.scenario);
    field.updates = take_in(records, file.string(), field.scenario, field.states);
    field.scenario = calibrated_scenario(std::move(field.scenario), field.states);
    return field;
}

CalibratedField update_file(const std::filesystem::path& file,
                            const std::filesystem::path& output,
                            const std::vector<std::string>& inputs,
                            RecordFiles files) {
    std::error_code no_such_file;
    const std::uintmax_t size = std::filesystem::file_size(file, no_such_file);
    check_writable(output, no_such_file ? 0 : size);
    std::optional<ChangeLock> lock;
    if (std::error_code ignored; std::filesystem::equivalent(file, output, ignored))
        lock.emplace(output);
    CalibratedField field =
        update_field(file, inputs, std::move(files), UpdatedHeliostats::with_records);
    const bool counts =
        std::any_of(field.updates.begin(), field.updates.end(), [](const UpdatedRecord& record) {
            return !record.update.rejected;
        });
    if (counts) {
        change_calibrated_scenario(file, output, field.scenario, field.states);
    } else if (!lock) {
        AtomicFile same(output);
        same.copy(file);
        same.commit();
    }
    return field;
}

}  // namespace helioray::calibration
