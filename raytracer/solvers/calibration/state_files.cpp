// SPDX-License-Identifier: MIT
// Reads and writes states in scenario files.
#include "raytracer/solvers/calibration/model/parameters.h"
#include "raytracer/solvers/calibration/state.h"
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

std::array<double, kColumns> numbers_of(const KinematicsRecord& record) {
    std::array<double, kColumns> numbers{};
    converted_record<double>(record, [&](size_t column, double value) {
        numbers[column] = value;
        return value;
    });
    return numbers;
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

std::vector<double> read_numbers(const hdf5::Group& group, const char* name, size_t size) {
    std::vector<double> values = group.read_numbers(name);
    if (values.size() != size) {
        throw InputError(Problem{group.where_of(name),
                                 fmt::format("holds {} numbers, not {}", values.size(), size),
                                 "heliostats, parameters and records belong together",
                                 "calibrate anew"});
    }
    return values;
}

/// Reads the counted records of the states. Files of version 0.2.0 do not list them.
void read_counted(const hdf5::Group& group, std::vector<HeliostatState>& states) {
    if (!group.contains("record")) return;
    const std::vector<std::string> identities = group.read_strings("record");
    const size_t count = identities.size();
    const auto owners = read_numbers(group, "record_heliostat", count);
    const auto epochs = read_numbers(group, "record_epoch", count);
    const auto days = read_numbers(group, "record_day", count);
    std::vector<double> suns;
    if (group.contains("record_sun")) suns = read_numbers(group, "record_sun", 3 * count);
    for (size_t i = 0; i < count; ++i) {
        if (!(owners[i] >= 0.0 && owners[i] < static_cast<double>(states.size()))) {
            throw InputError(Problem{group.where_of("record_heliostat"),
                                     fmt::format("is {} for '{}'", owners[i], identities[i]),
                                     fmt::format("there are {} heliostats", states.size()),
                                     "calibrate anew"});
        }
        CountedRecord record{identities[i], static_cast<size_t>(std::max(0.0, epochs[i])), {}, {}};
        if (std::isfinite(days[i])) record.day = days[i];
        if (!suns.empty()) record.to_sun = {suns[3 * i], suns[3 * i + 1], suns[3 * i + 2]};
        states[static_cast<size_t>(owners[i])].counted.push_back(std::move(record));
    }
    const auto of_heliostats = read_numbers(group, "epochs", states.size());
    for (size_t i = 0; i < states.size(); ++i)
        states[i].epochs = static_cast<size_t>(std::max(1.0, of_heliostats[i]));
}

/// Writes the group of states; writes nothing without states.
void write_states(const std::vector<HeliostatState>& states, hdf5::Group& root) {
    if (states.empty()) return;
    const size_t count = states.size();
    const size_t width = states.front().unknowns.size();
    std::vector<std::string> names, parameters;
    std::vector<double> nominal, sigmas, unknowns, covariance, scale, bending, aim_error, residual,
        day;
    std::vector<int64_t> records, epochs;
    std::vector<std::string> counted;
    std::vector<int64_t> counted_heliostat, counted_epoch;
    std::vector<double> counted_day, counted_sun;
    for (const HeliostatState& state : states) {
        for (const CountedRecord& record : state.counted) {
            counted.push_back(record.identity);
            counted_heliostat.push_back(static_cast<int64_t>(names.size()));
            counted_epoch.push_back(static_cast<int64_t>(record.epoch));
            counted_day.push_back(record.day.value_or(kUnknown));
            counted_sun.insert(counted_sun.end(), record.to_sun.begin(), record.to_sun.end());
        }
        epochs.push_back(static_cast<int64_t>(state.epochs));
        names.push_back(state.name);
        const auto numbers = numbers_of(state.nominal);
        nominal.insert(nominal.end(), numbers.begin(), numbers.end());
        sigmas.insert(sigmas.end(), state.prior_sigmas.begin(), state.prior_sigmas.end());
        unknowns.insert(unknowns.end(), state.unknowns.begin(), state.unknowns.end());
        const auto& values = state.covariance.values();
        covariance.insert(covariance.end(), values.begin(), values.end());
        scale.push_back(state.scale);
        bending.push_back(state.bending);
        aim_error.push_back(state.aim_error);
        residual.push_back(state.residual);
        records.push_back(static_cast<int64_t>(state.records));
        day.push_back(state.last_day.value_or(kUnknown));
    }
    for (const Parameter& parameter : parameters_of(states.front().nominal)) {
        parameters.push_back(parameter.name);
    }
    hdf5::Group group = root.create_group(kGroup);
    group.write_attribute("format_version", kFormat);
    const auto describe = [](hdf5::Dataset dataset, const char* unit, const char* text) {
        dataset.write_attribute("unit", unit);
        dataset.write_attribute("description", text);
    };
    describe(group.write_padded_strings("heliostat", names), "1", "names");
    describe(group.write_padded_strings("parameter", parameters), "1", "names");
    describe(
        group.write_padded_strings("number", column_names()), "1", "names of kinematic numbers");
    describe(group.write_array("nominal", nominal, {count, kColumns}),
             "m, rad, steps/m",
             "numbers of the kinematics before calibration; initial angles from a mirror that "
             "faces south");
    describe(group.write_array("prior_sigma", sigmas, {count, width}),
             "m, rad, steps/m",
             "prior standard deviations of the parameters");
    describe(group.write_array("value", unknowns, {count, width}),
             "1",
             "parameters in prior standard deviations");
    describe(group.write_array("covariance", covariance, {count, width, width}),
             "1",
             "posterior covariance of value");
    describe(group.write_array("scale", scale, {count}), "rad", "Student scale of a residual");
    describe(group.write_array("bending", bending, {count}),
             "rad",
             "standard deviation of the normal far from all suns that were fitted");
    describe(group.write_array("aim_error", aim_error, {count}),
             "rad",
             "expected standard deviation of the normal about each axis");
    describe(group.write_array("residual", residual, {count}), "rad", "mean residual");
    describe(group.write_array("records", records, {count}), "1", "records that counted");
    describe(group.write_array("last_day", day, {count}),
             "days",
             "Julian day of the latest record, NaN where unknown");
    describe(group.write_array("epochs", epochs, {count}),
             "1",
             "epochs in time that the records showed; the kinematics are those of the last");
    const size_t num_counted = counted.size();
    const hdf5::Storage chunks{{kRecordsOfChunk}};
    describe(group.write_padded_strings("record", counted, chunks),
             "1",
             "records that counted, by heliostat: id, or the measured numbers without one");
    describe(group.write_array("record_heliostat", counted_heliostat, {num_counted}, chunks),
             "1",
             "index of the heliostat of each record");
    describe(group.write_array("record_epoch", counted_epoch, {num_counted}, chunks),
             "1",
             "epoch of each record, from 0");
    describe(group.write_array("record_day", counted_day, {num_counted}, chunks),
             "days",
             "Julian day of each record, NaN where unknown");
    describe(group.write_array("record_sun", counted_sun, {num_counted, 3}, {{kRecordsOfChunk, 3}}),
             "1",
             "unit vector to the sun of each record: east, north, up");
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
    const std::vector<std::string> names = group.read_strings("heliostat");
    const std::vector<double> errors = read_numbers(group, "aim_error", names.size());
    std::map<std::string, double> by_name;
    for (size_t i = 0; i < names.size(); ++i) {
        if (!(errors[i] >= 0.0) || !std::isfinite(errors[i])) {
            throw InputError(Problem{group.where_of("aim_error"),
                                     fmt::format("is {} for '{}'", errors[i], names[i]),
                                     "it is a standard deviation, in radians",
                                     "calibrate anew"});
        }
        by_name[names[i]] = errors[i];
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
    const size_t count = names.size(), width = group.read_strings("parameter").size();
    const auto numbers = [&](const char* name, size_t size) {
        return read_numbers(group, name, size);
    };
    const auto nominal = numbers("nominal", count * kColumns);
    const auto sigmas = numbers("prior_sigma", count * width);
    const auto unknowns = numbers("value", count * width);
    const auto covariance = numbers("covariance", count * width * width);
    const auto scale = numbers("scale", count), aim_error = numbers("aim_error", count);
    // Files of version 0.2.0 have no bending.
    std::vector<double> bending;
    if (group.contains("bending")) bending = numbers("bending", count);
    const auto residual = numbers("residual", count), records = numbers("records", count);
    const auto day = numbers("last_day", count);
    std::vector<HeliostatState> states;
    for (size_t i = 0; i < count; ++i) {
        const auto index = scenario.find_heliostat(names[i]);
        if (!index) {
            throw InputError(
                Problem{group.where_of("heliostat"),
                        fmt::format("there is no heliostat '{}' in the scenario", names[i]),
                        "",
                        "calibrate anew"});
        }
        HeliostatState state;
        state.name = names[i];
        const size_t indices[] = {*index};
        const bool has_components = scenario.heliostats[*index].kinematics != nullptr;
        state.nominal = converted_record<double>(
            has_components ? kinematics_records(scenario, indices).front() : KinematicsRecord{},
            [&](size_t column, double) { return nominal[i * kColumns + column]; });
        const auto part = [&](const std::vector<double>& all, size_t size) {
            const auto begin = all.begin() + static_cast<long>(i * size);
            return std::vector<double>(begin, begin + static_cast<long>(size));
        };
        state.prior_sigmas = part(sigmas, width);
        state.unknowns = part(unknowns, width);
        state.covariance = SquareMatrix(width);
        state.covariance.values() = part(covariance, width * width);
        if (parameters_of(state.nominal).size() != width) {
            throw InputError(Problem{group.where_of("parameter"),
                                     "holds other parameters than this program's",
                                     "",
                                     "calibrate anew"});
        }
        state.scale = scale[i];
        if (!bending.empty()) state.bending = bending[i];
        state.aim_error = aim_error[i];
        state.residual = residual[i];
        state.records = static_cast<size_t>(std::max(0.0, records[i]));
        if (std::isfinite(day[i])) state.last_day = day[i];
        states.push_back(std::move(state));
    }
    read_counted(group, states);
    return states;
}

}  // namespace helioray::calibration
