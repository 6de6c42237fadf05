// SPDX-License-Identifier: MIT
// Reads and writes states in scenario files.
#include "raytracer/solvers/calibration/model/parameters.h"
#include "raytracer/solvers/calibration/state.h"
#include "scenario/files/columns.h"
#include "scenario/files/error.h"
#include "scenario/files/hdf5/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace helioray::calibration {

namespace {

constexpr int64_t kFormat = 1;
constexpr const char* kGroup = "calibration";
// Chunks of equal size reuse the space of earlier ones, so that updates do not enlarge the file.
constexpr size_t kRecordsOfChunk = 256;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();  // unknown time

std::array<double, kColumns> list_numbers(const KinematicsRecord& record) {
    std::array<double, kColumns> numbers{};
    converted_record<double>(record, [&](size_t column, double value) {
        numbers[column] = value;
        return value;
    });
    return numbers;
}

/// Returns the column of a Julian day, which is NaN if unknown.
template <typename Row, typename... Path>
Column<Row> day_column(ColumnInfo info, Path... path) {
    return converted_column<Row>(
        std::move(info),
        [=](const Row& row) { return column_values::follow(row, path...).value_or(kUnknown); },
        [=](Row& row, double day) {
            if (std::isfinite(day)) column_values::follow(row, path...) = day;
        });
}

/// Opens the group of states. Throws InputError if this program cannot read its format.
hdf5::Group group_of_states(const hdf5::Group& root) {
    hdf5::Group group = root.group(kGroup);
    const int64_t format = group.read_attribute_integer("format_version");
    if (format != kFormat) {
        throw InputError(Problem{group.where(),
                                 fmt::format("has format version {}", format),
                                 fmt::format("this program reads version {}", kFormat),
                                 "calibrate anew"});
    }
    return group;
}

ColumnReading reading() {
    return {.why = "heliostats, parameters and records belong together",
            .advice = "calibrate anew"};
}

/// Returns a column of a standard deviation of each heliostat, which is not negative.
const Column<HeliostatState>& aim_error_column() {
    static const Column<HeliostatState> one =
        column({"aim_error", "rad", "expected standard deviation of the normal about each axis"},
               &HeliostatState::aim_error);
    return one;
}

/// Returns the columns of states with `width` parameters. The nominal kinematics of a state keep
/// the kinds of their drives, which are not numbers.
Columns<HeliostatState> state_columns(size_t width) {
    using S = HeliostatState;
    const std::string any_unit = "m, rad, steps/m";
    return {
        column({"heliostat", "1", "names"}, &S::name),
        converted_column<S>(
            {"nominal",
             any_unit,
             "numbers of the kinematics before calibration; initial angles from a mirror that "
             "faces south"},
            [](const S& state) { return list_numbers(state.nominal); },
            [](S& state, const std::array<double, kColumns>& numbers) {
                state.nominal = converted_record<double>(
                    state.nominal, [&](size_t column, double) { return numbers[column]; });
            }),
        column({"prior_sigma", any_unit, "prior standard deviations of the parameters", {width}},
               &S::prior_sigmas),
        column({"value", "1", "parameters in prior standard deviations", {width}}, &S::unknowns),
        converted_column<S>(
            {"covariance", "1", "posterior covariance of value", {width, width}},
            [](const S& state) { return state.covariance.values(); },
            [=](S& state, const std::vector<double>& values) {
                state.covariance = SquareMatrix(width);
                state.covariance.values() = values;
            }),
        column({"scale", "rad", "Student scale of a residual"}, &S::scale),
        // Files of version 0.2.0 have neither bending nor epochs.
        column(
            {.name = "bending",
             .unit = "rad",
             .description = "standard deviation of the normal far from all suns that were fitted",
             .is_optional = true},
            &S::bending),
        aim_error_column(),
        column({"residual", "rad", "mean residual"}, &S::residual),
        column({"records", "1", "records that counted"}, &S::records),
        day_column<S>({"last_day", "days", "Julian day of the latest record, NaN where unknown"},
                      &S::last_day),
        converted_column<S>(
            {.name = "epochs",
             .unit = "1",
             .description = "epochs in time that the records showed; the kinematics are those of "
                            "the last",
             .is_optional = true},
            [](const S& state) { return state.epochs; },
            [](S& state, size_t epochs) { state.epochs = std::max<size_t>(1, epochs); })};
}

/// A counted record with the index of its heliostat.
struct RecordRow {
    int64_t heliostat = 0;
    CountedRecord record;
};

/// Returns the columns of counted records.
Columns<RecordRow> record_columns() {
    using R = RecordRow;
    using C = CountedRecord;
    return {
        column({"record",
                "1",
                "records that counted, by heliostat: id, or the measured numbers without one"},
               &R::record,
               &C::identity),
        column({"record_heliostat", "1", "index of the heliostat of each record"}, &R::heliostat),
        column({"record_epoch", "1", "epoch of each record, from 0"}, &R::record, &C::epoch),
        day_column<R>({"record_day", "days", "Julian day of each record, NaN where unknown"},
                      &R::record,
                      &C::day),
        column({.name = "record_sun",
                .unit = "1",
                .description = "unit vector to the sun of each record: east, north, up",
                .is_optional = true},
               &R::record,
               &C::to_sun)};
}

/// Reads the counted records of the states. Files of version 0.2.0 do not list them.
void read_counted(const hdf5::Group& group, std::vector<HeliostatState>& states) {
    if (!group.contains("record")) return;
    std::vector<RecordRow> rows(group.dataset("record").size());
    read_columns(group, rows, record_columns(), reading());
    for (RecordRow& row : rows) {
        if (row.heliostat < 0 || row.heliostat >= std::ssize(states)) {
            throw InputError(
                Problem{group.where_of("record_heliostat"),
                        fmt::format("is {} for '{}'", row.heliostat, row.record.identity),
                        fmt::format("there are {} heliostats", states.size()),
                        "calibrate anew"});
        }
        states[static_cast<size_t>(row.heliostat)].counted.push_back(std::move(row.record));
    }
}

/// Writes the group of states; writes nothing without states.
void write_states(const std::vector<HeliostatState>& states, hdf5::Group& root) {
    if (states.empty()) return;
    std::vector<RecordRow> records;
    for (size_t i = 0; i < states.size(); ++i)
        for (const CountedRecord& record : states[i].counted)
            records.push_back({static_cast<int64_t>(i), record});
    std::vector<std::string> parameters;
    for (const Parameter& parameter : parameters_of(states.front().nominal))
        parameters.push_back(parameter.name);
    hdf5::Group group = root.create_group(kGroup);
    group.write_attribute("format_version", kFormat);
    annotate(group.write_padded_strings("parameter", parameters), "1", "names");
    annotate(
        group.write_padded_strings("number", column_names()), "1", "names of kinematic numbers");
    write_columns(
        group, states, state_columns(states.front().unknowns.size()), {.has_padded_texts = true});
    write_columns(group,
                  records,
                  record_columns(),
                  {.has_padded_texts = true, .chunk_rows = kRecordsOfChunk});
}

}  // namespace

void write_calibrated_scenario(const Scenario& scenario,
                               const std::vector<HeliostatState>& states,
                               const std::filesystem::path& path,
                               ScenarioFormat format) {
    write_scenario(
        scenario, path, [&](hdf5::Group& root) { write_states(states, root); }, format);
}

void change_calibrated_scenario(const std::filesystem::path& from,
                                const std::filesystem::path& path,
                                const Scenario& scenario,
                                const std::vector<HeliostatState>& states) {
    change_scenario(from, path, scenario, [&](hdf5::Group& root) {
        root.remove(kGroup);
        write_states(states, root);
    });
}

bool is_calibrated(const std::filesystem::path& path) {
    return hdf5::File::open(path).root().contains(kGroup);
}

std::map<std::string, double> read_aim_errors(const std::filesystem::path& path) {
    if (!is_calibrated(path)) return {};
    const hdf5::File file = hdf5::File::open(path);
    const hdf5::Group group = group_of_states(file.root());
    std::vector<HeliostatState> states(group.dataset("heliostat").size());
    const Columns<HeliostatState> all = state_columns(0);
    read_columns(group, states, {all.front(), aim_error_column()}, reading());
    std::map<std::string, double> by_name;
    for (const HeliostatState& state : states) {
        if (!(state.aim_error >= 0.0) || !std::isfinite(state.aim_error)) {
            throw InputError(Problem{group.where_of("aim_error"),
                                     fmt::format("is {} for '{}'", state.aim_error, state.name),
                                     "it is a standard deviation, in radians",
                                     "calibrate anew"});
        }
        by_name[state.name] = state.aim_error;
    }
    return by_name;
}

std::vector<HeliostatState> read_states(const std::filesystem::path& path,
                                        const Scenario& scenario) {
    if (!is_calibrated(path)) {
        throw InputError(Problem{path.string(),
                                 "has no group 'calibration'",
                                 "only calibrated scenarios can be updated",
                                 "make one with helioray calibrate"});
    }
    const hdf5::File file = hdf5::File::open(path);
    const hdf5::Group group = group_of_states(file.root());
    const std::vector<std::string> names = group.read_strings("heliostat");
    const size_t width = group.dataset("parameter").size();
    std::vector<HeliostatState> states(names.size());
    for (size_t i = 0; i < states.size(); ++i) {
        const auto index = scenario.find_heliostat(names[i]);
        if (!index) {
            throw InputError(
                Problem{group.where_of("heliostat"),
                        fmt::format("there is no heliostat '{}' in the scenario", names[i]),
                        "",
                        "calibrate anew"});
        }
        const size_t indices[] = {*index};
        if (scenario.heliostats[*index].kinematics != nullptr)
            states[i].nominal = kinematics_records(scenario, indices).front();
        if (parameters_of(states[i].nominal).size() != width) {
            throw InputError(Problem{group.where_of("parameter"),
                                     "holds other parameters than this program's",
                                     "",
                                     "calibrate anew"});
        }
    }
    read_columns(group, states, state_columns(width), reading());
    read_counted(group, states);
    return states;
}

}  // namespace helioray::calibration
