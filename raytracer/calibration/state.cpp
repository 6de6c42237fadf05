// SPDX-License-Identifier: MIT
// States in scenario files, and the filter that updates them.
#include "raytracer/calibration/state.h"

#include "raytracer/calibration/stages.h"
#include "scenario/files/error.h"
#include "scenario/files/hdf5/file.h"
#include "scenario/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace helioray::calibration {

namespace {

constexpr int64_t kFormat = 1;
constexpr const char* kGroup = "calibration";
// Chunks of equal size reuse the space of earlier ones, so that updates do not enlarge the file.
constexpr size_t kRecordsOfChunk = 256;
constexpr double kDaysPerYear = 365.25;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();  // unknown time

using Columns = RecordColumns;

std::array<double, kColumns> numbers_of(const KinematicsRecord& record) {
    std::array<double, kColumns> numbers{};
    converted_record<double>(record, [&](size_t column, double value) {
        numbers[column] = value;
        return value;
    });
    return numbers;
}

/// Returns a problem without records, to use the formulas of the fitter.
SpotProblem problem_of(const HeliostatState& state) {
    SpotProblem problem;
    problem.nominal = state.nominal;
    problem.parameters = parameters_of(state.nominal);
    for (size_t i = 0; i < problem.parameters.size(); ++i) {
        problem.parameters[i].sigma = state.prior_sigmas.at(i);
    }
    return problem;
}

KinematicsRecord kinematics_of(const HeliostatState& state) {
    const SpotProblem problem = problem_of(state);
    return SpotFitter(problem).kinematics(state.unknowns, 0);
}

/// Returns the variance that a parameter gains per day, relative to its prior variance.
double drift_per_day(const Parameter& parameter) {
    if (!(parameter.sigma > 0)) return 0.0;
    const size_t column = parameter.columns.front().first;
    double drift = 0.0;
    if (parameter.level <= Level::zero) drift = kTiltDrift;
    if (column == Columns::drives + 3 || column == Columns::drives + 8) drift = kStrokeDrift;
    return drift * drift / (parameter.sigma * parameter.sigma * kDaysPerYear);
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

}  // namespace

HeliostatState state_of(const HeliostatCalibration& calibration) {
    HeliostatState state;
    state.name = calibration.name;
    state.nominal = calibration.nominal;
    state.prior_sigmas = calibration.prior_sigmas;
    state.unknowns = calibration.unknowns;
    state.covariance = calibration.covariance;
    state.scale = calibration.scale;
    state.bending = calibration.bending;
    state.aim_error = calibration.aim_error;
    state.records = calibration.used;
    state.counted = calibration.counted;
    state.epochs = calibration.epochs.size() + 1;
    state.last_day = calibration.last_day;
    for (const Comparison& comparison : calibration.fitted) {
        state.residual += comparison.error / static_cast<double>(calibration.fitted.size());
    }
    return state;
}

Scenario calibrated_scenario(Scenario scenario, const std::vector<HeliostatState>& states) {
    for (const HeliostatState& state : states) {
        if (state.records == 0) continue;
        const auto index = scenario.find_heliostat(state.name);
        if (!index || !scenario.heliostats[*index].kinematics) continue;
        Heliostat& heliostat = scenario.heliostats[*index];
        const KinematicsRecord record = kinematics_of(state);
        heliostat.position = record.position;
        Kinematics kinematics = *heliostat.kinematics;
        KinematicsDeviations& deviations = kinematics.deviations;
        for (size_t i = 0; i < 3; ++i) {
            deviations.first_joint_translation[i] = record.translations[i];
            deviations.second_joint_translation[i] = record.translations[3 + i];
            deviations.concentrator_translation[i] = record.translations[6 + i];
        }
        deviations.first_joint_tilt_n = record.rotations[0];
        deviations.first_joint_tilt_u = record.rotations[1];
        deviations.second_joint_tilt_e = record.rotations[2];
        deviations.second_joint_tilt_n = record.rotations[3];
        heliostat.kinematics = std::make_shared<const Kinematics>(kinematics);
        ActuatorPair actuators = *heliostat.actuators;
        for (size_t axis = 0; axis < 2; ++axis) {
            if (actuators[axis].type != ActuatorType::linear) continue;
            const DriveRecord& drive = record.drives[axis];
            actuators[axis].increment = drive.increment;
            actuators[axis].offset = drive.offset;
            actuators[axis].pivot_radius = drive.pivot_radius;
            actuators[axis].initial_stroke_length = drive.initial_stroke;
            // Files specify the angle of axis 1 for a horizontal mirror.
            actuators[axis].initial_angle =
                drive.initial_angle + (axis == 0 ? std::numbers::pi / 2 : 0.0);
        }
        heliostat.actuators = std::make_shared<const ActuatorPair>(actuators);
    }
    return scenario;
}

namespace {

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
        const size_t one[] = {*index};
        const bool has_components = scenario.heliostats[*index].kinematics != nullptr;
        state.nominal = converted_record<double>(
            has_components ? kinematics_records(scenario, one).front() : KinematicsRecord{},
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

double expected_aim_error(const HeliostatState& state,
                          const std::vector<std::pair<std::string, TargetPlane>>& targets,
                          double latitude_deg) {
    const SpotProblem problem = problem_of(state);
    const SpotFitter fitter(problem);
    HeliostatCalibration result;
    result.kinematics = fitter.kinematics(state.unknowns, 0);
    result.unknowns = state.unknowns;
    result.covariance = state.covariance;
    result.scale = state.scale;
    result.bending = state.bending;
    result.counted = state.counted;
    judge_future(fitter, targets, latitude_deg, Outlook::error, result);
    return result.aim_error;
}

Update update(HeliostatState& state,
              const SpotRecord& record,
              const std::vector<MirrorElement>& mirror) {
    const SpotProblem problem = problem_of(state);
    const SpotFitter fitter(problem);
    const size_t count = state.unknowns.size();

    // Let the parameters drift since the last record.
    SquareMatrix prior = state.covariance;
    if (record.julian_day && state.last_day && *record.julian_day > *state.last_day) {
        for (size_t i = 0; i < count; ++i) {
            prior(i, i) +=
                drift_per_day(problem.parameters[i]) * (*record.julian_day - *state.last_day);
        }
    }

    SpotRecord seen = record;
    const Vec3 shift = centroid_shift(mirror, fitter.kinematics(state.unknowns, 0), record);
    seen.spot = subtract(seen.spot, shift);
    const double variance =
        kVarianceOfScale * std::pow(fitted_scale(state.scale, state.bending), 2);
    Update result;
    const double nearest = nearest_sun(record.to_sun, state.counted);
    const double unbent = kVarianceOfScale * state.scale * state.scale;
    const double noise = std::sqrt(unbent + bending_variance(state.bending, nearest));
    result.predicted = compare(fitter, seen, 0, state.unknowns, &prior, noise);
    result.predicted.sun_distance = sun_distance(nearest);
    result.predicted.measured = record.spot;
    if (result.predicted.predicted) {
        result.predicted.predicted = add(*result.predicted.predicted, shift);
    }
    const std::string identity = identity_of(record);
    if (std::any_of(state.counted.begin(), state.counted.end(), [&](const CountedRecord& one) {
            return one.identity == identity;
        })) {
        result.rejected = "counted before: a record counts once";
        return result;
    }
    result.rejected = not_of_last_epoch(state, record);
    if (result.rejected) return result;
    if (!fitter.linear(seen, 0, state.unknowns)) {
        result.rejected = "impossible motor position: its drive does not reach it";
        return result;
    }
    if (is_gross(result.predicted.error, std::sqrt(result.predicted.mahalanobis))) {
        result.rejected = fmt::format(
            "outlier: its spot lies {:.2f} m ({:.1f} mrad of the normal) "
            "from where it was expected",
            result.predicted.error_m,
            1e3 * result.predicted.error);
        return result;
    }

    // Linearise again at the end of each step until the step no longer changes.
    const double weight =
        std::min(1.0, (kStudent + 2.0) / (kStudent + result.predicted.mahalanobis));
    std::vector<double> unknowns = state.unknowns;
    SquareMatrix covariance = prior;
    for (int pass = 0; pass < 4; ++pass) {
        const auto linear = fitter.linear(seen, 0, unknowns);
        if (!linear) return result;
        std::array<std::vector<double>, 2> spread{std::vector<double>(count, 0.0),
                                                  std::vector<double>(count, 0.0)};
        std::array<double, 4> s{variance / weight, 0.0, 0.0, variance / weight};
        std::array<double, 2> innovation = linear->value;
        for (size_t k = 0; k < 2; ++k) {
            for (size_t a = 0; a < count; ++a) {
                for (size_t b = 0; b < count; ++b) {
                    spread[k][a] += prior(a, b) * linear->slope[k][b];
                }
                innovation[k] += linear->slope[k][a] * (state.unknowns[a] - unknowns[a]);
            }
        }
        for (size_t k = 0; k < 2; ++k) {
            for (size_t l = 0; l < 2; ++l) {
                for (size_t a = 0; a < count; ++a) {
                    s[2 * k + l] += linear->slope[k][a] * spread[l][a];
                }
            }
        }
        const double determinant = s[0] * s[3] - s[1] * s[2];
        const std::array<double, 4> inverse{
            s[3] / determinant, -s[1] / determinant, -s[2] / determinant, s[0] / determinant};
        double change = 0.0;
        for (size_t a = 0; a < count; ++a) {
            const double first = spread[0][a] * inverse[0] + spread[1][a] * inverse[2];
            const double second = spread[0][a] * inverse[1] + spread[1][a] * inverse[3];
            const double next =
                state.unknowns[a] - (first * innovation[0] + second * innovation[1]);
            change = std::max(change, std::abs(next - unknowns[a]));
            unknowns[a] = next;
            for (size_t b = 0; b < count; ++b) {
                covariance(a, b) = prior(a, b) - (first * spread[0][b] + second * spread[1][b]);
            }
        }
        if (change < 1e-9) break;
    }
    state.unknowns = std::move(unknowns);
    state.covariance = std::move(covariance);
    ++state.records;
    state.counted.push_back({identity, state.epochs - 1, record.julian_day, record.to_sun});
    if (record.julian_day) {
        state.last_day = std::max(state.last_day.value_or(*record.julian_day), *record.julian_day);
    }
    return result;
}

}  // namespace helioray::calibration
