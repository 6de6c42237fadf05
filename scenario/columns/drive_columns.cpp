// SPDX-License-Identifier: MIT
// One row per different kinematics, and one per different pair of actuators.
#include "scenario/columns/drive_columns.h"

#include "scenario/columns/table.h"
#include "scenario/types/type_names.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace helioray::columns {

namespace {

constexpr const char* kKinematics = "kinematics";
constexpr const char* kActuator = "actuator";
constexpr std::array<const char*, 2> kAxes{"axis_1", "axis_2"};

/// The kinds of all rows.
template <typename Enum>
std::vector<Enum> read_kinds(const Table& table, const std::string& column) {
    const Words words = table.words(column);
    std::vector<Enum> of_words;
    for (const std::string& word : words.words) {
        const auto kind = from_string<Enum>(word);
        if (!kind) {
            throw InputError(Problem{table.where(column + "_words"),
                                     fmt::format("'{}' is unknown", word),
                                     "",
                                     "use " + all_names<Enum>()});
        }
        of_words.push_back(*kind);
    }
    std::vector<Enum> kinds;
    kinds.reserve(words.rows.size());
    for (const std::int64_t row : words.rows)
        kinds.push_back(of_words[static_cast<std::size_t>(row)]);
    return kinds;
}

const char* find_unit(const char* deviation) {
    return std::string_view(deviation).find("_tilt_") == std::string_view::npos ? "m" : "rad";
}

/// The numbers of an actuator, with their columns; those of levers belong to linear ones alone.
struct NumberOfActuator {
    const char* column;
    double Actuator::*member;
    bool is_lever;
    bool is_positive;
    const char* unit;
    const char* description;
};
constexpr std::array<NumberOfActuator, 7> kNumbers{{
    {"min_motor_position",
     &Actuator::min_motor_position,
     false,
     false,
     "steps, rad",
     "smallest motor position: steps of linear actuators, radians of ideal ones"},
    {"max_motor_position",
     &Actuator::max_motor_position,
     false,
     false,
     "steps, rad",
     "largest motor position: steps of linear actuators, radians of ideal ones"},
    {"increment",
     &Actuator::increment,
     true,
     true,
     "1/m",
     "steps per metre of stroke; linear only"},
    {"initial_stroke_length",
     &Actuator::initial_stroke_length,
     true,
     false,
     "m",
     "stroke at motor position 0; linear only"},
    {"offset", &Actuator::offset, true, true, "m", "from the joint to the drive; linear only"},
    {"pivot_radius", &Actuator::pivot_radius, true, true, "m", "length of the lever; linear only"},
    {"initial_angle",
     &Actuator::initial_angle,
     true,
     false,
     "rad",
     "angle of the joint at motor position 0; linear only"},
}};

/// Actuators of one axis of every pair.
std::vector<Actuator> read_axis(const hdf5::Group& group, const char* axis) {
    const Table table(group.group(kActuator), axis, "type");
    std::vector<Actuator> actuators(table.rows());
    const std::vector<ActuatorType> types = read_kinds<ActuatorType>(table, "type");
    const Words names = table.words("name");
    const std::vector<std::int64_t> clockwise = table.indices("clockwise_axis_movement", 2);
    for (std::size_t row = 0; row < actuators.size(); ++row) {
        actuators[row].name = names.words[static_cast<std::size_t>(names.rows[row])];
        actuators[row].type = types[row];
        actuators[row].clockwise = clockwise[row] == 1;
    }
    for (const NumberOfActuator& number : kNumbers) {
        const std::vector<double> values = table.numbers(number.column, {});
        const auto counts = [&](std::size_t row) {
            return !number.is_lever || types[row] == ActuatorType::linear;
        };
        for (std::size_t row = 0; row < actuators.size(); ++row)
            if (counts(row)) actuators[row].*number.member = values[row];
        if (!number.is_positive) continue;
        table.require(
            number.column,
            0,
            values.size(),
            [&](std::size_t row) { return !counts(row) || values[row] > 0.0; },
            "is not greater than 0",
            "without increment, offset or pivot radius no motor position has a meaning");
    }
    table.require(
        "min_motor_position",
        0,
        actuators.size(),
        [&](std::size_t row) {
            return actuators[row].min_motor_position <= actuators[row].max_motor_position;
        },
        "is above the maximum",
        "motor positions lie between the two");
    return actuators;
}

/// Axis 1 is the actuator whose name comes first, as in ARTIST's files.
ActuatorPair in_order(const ActuatorPair& pair) {
    return pair[1].name < pair[0].name ? ActuatorPair{pair[1], pair[0]} : pair;
}

}  // namespace

void write_kinematics(hdf5::Group& group,
                      const std::vector<std::shared_ptr<const Kinematics>>& kinematics) {
    std::vector<std::string> types;
    std::vector<double> orientations;
    std::vector<std::pair<const char*, std::vector<double>>> deviations;
    for (const auto& shared : kinematics) {
        types.push_back(to_string(shared->type));
        orientations.insert(orientations.end(),
                            shared->initial_orientation.begin(),
                            shared->initial_orientation.end());
        std::size_t column = 0;
        for_each_deviation(shared->deviations, [&](const char* key, const double& value) {
            if (deviations.size() == column) deviations.push_back({key, {}});
            deviations[column++].second.push_back(value);
        });
    }
    TableWriter table(group, kKinematics);
    table.words("type", types, "rigid_body or azimuth_elevation");
    table.numbers("initial_orientation", orientations, {3}, "1", "without influence, as in ARTIST");
    for (const auto& [key, values] : deviations)
        table.numbers(key, values, {}, find_unit(key), "deviation from the ideal geometry");
}

std::vector<std::shared_ptr<const Kinematics>> read_kinematics(const hdf5::Group& group) {
    const Table table(group, kKinematics, "type");
    const std::vector<KinematicsType> types = read_kinds<KinematicsType>(table, "type");
    const std::vector<double> orientations = table.numbers("initial_orientation", {3});
    std::vector<std::shared_ptr<Kinematics>> kinematics;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        kinematics.push_back(std::make_shared<Kinematics>());
        kinematics.back()->type = types[row];
        for (std::size_t axis = 0; axis < 3; ++axis)
            kinematics.back()->initial_orientation[axis] = orientations[3 * row + axis];
    }
    std::vector<std::vector<double>> deviations;
    KinematicsDeviations any;
    for_each_deviation(
        any, [&](const char* key, const double&) { deviations.push_back(table.numbers(key, {})); });
    for (std::size_t row = 0; row < table.rows(); ++row) {
        std::size_t column = 0;
        for_each_deviation(kinematics[row]->deviations,
                           [&](const char*, double& value) { value = deviations[column++][row]; });
    }
    return {kinematics.begin(), kinematics.end()};
}

void write_actuators(hdf5::Group& group,
                     const std::vector<std::shared_ptr<const ActuatorPair>>& actuators) {
    hdf5::Group tables = group.create_group(kActuator);
    for (std::size_t axis = 0; axis < kAxes.size(); ++axis) {
        std::vector<std::string> names, types;
        std::vector<std::int64_t> clockwise;
        std::array<std::vector<double>, kNumbers.size()> numbers;
        for (const auto& pair : actuators) {
            const Actuator actuator = in_order(*pair)[axis];
            names.push_back(actuator.name);
            types.push_back(to_string(actuator.type));
            clockwise.push_back(actuator.clockwise ? 1 : 0);
            for (std::size_t i = 0; i < kNumbers.size(); ++i) {
                const bool counts = !kNumbers[i].is_lever || actuator.type == ActuatorType::linear;
                numbers[i].push_back(counts ? actuator.*kNumbers[i].member : 0.0);
            }
        }
        TableWriter table(tables, kAxes[axis]);
        table.words("name", names, "names");
        table.words("type", types, "linear or ideal");
        table.integers("clockwise_axis_movement", clockwise, {}, "1: yes, 0: no");
        for (std::size_t i = 0; i < kNumbers.size(); ++i) {
            table.numbers(
                kNumbers[i].column, numbers[i], {}, kNumbers[i].unit, kNumbers[i].description);
        }
    }
}

std::vector<std::shared_ptr<const ActuatorPair>> read_actuators(const hdf5::Group& group) {
    const std::vector<Actuator> first = read_axis(group, kAxes[0]);
    const std::vector<Actuator> second = read_axis(group, kAxes[1]);
    const Table table(group.group(kActuator), kAxes[1], "type");
    if (first.size() != second.size()) {
        throw InputError(Problem{
            table.where("type"),
            fmt::format("has {} rows, and {} has {}", second.size(), kAxes[0], first.size()),
            "a heliostat has two actuators",
            "make the scenario again"});
    }
    table.require(
        "type",
        0,
        second.size(),
        [&](std::size_t row) { return first[row].type == second[row].type; },
        "differs from the type of axis 1",
        "both axes of a heliostat have one type of actuator");
    table.require(
        "name",
        0,
        second.size(),
        [&](std::size_t row) { return first[row].name < second[row].name; },
        "does not come after the name of axis 1",
        "the two names ascend, as in ARTIST's files");
    std::vector<std::shared_ptr<const ActuatorPair>> actuators;
    actuators.reserve(first.size());
    for (std::size_t row = 0; row < first.size(); ++row)
        actuators.push_back(
            std::make_shared<const ActuatorPair>(ActuatorPair{first[row], second[row]}));
    return actuators;
}

}  // namespace helioray::columns
