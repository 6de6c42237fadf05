// SPDX-License-Identifier: MIT
// Defines the parameters and their priors.
#include "raytracer/solvers/calibration/model/parameters.h"

#include <cmath>

namespace helioray::calibration {

namespace {

// Prior standard deviations: metres, radians, steps per metre. Fitted heliostats of the solar tower
// in Juelich lie within these widths; README.md has the figures.
constexpr double kTilt = 0.02, kTiltAlongAxis = 0.03;
// The direction of a heliostat's first axis is set up roughly: 50 and 150 mrad were found.
constexpr double kSetUp = 0.1;
constexpr double kInitialAngle = 0.03;
constexpr double kConcentratorN = 0.15, kConcentratorU = 0.07;
constexpr double kStroke = 0.003;
constexpr double kLever = 0.003, kIncrement = 300.0, kTranslation = 0.03, kPosition = 0.05;
// Drives that were set to zero anew were observed to move by 5 mm.
constexpr double kEpochStroke = 0.005;

using Columns = RecordColumns;

/// Returns the initial stroke of a spindle together with the corresponding angle.
std::vector<std::pair<size_t, double>> spindle_start(const KinematicsRecord& nominal, size_t axis) {
    const DriveRecord& drive = nominal.drives[axis];
    const double b = drive.offset, r = drive.pivot_radius, s = drive.initial_stroke;
    const double cosine = (b * b + r * r - s * s) / (2.0 * b * r);
    const double by_stroke = s / (b * r * std::sqrt(1.0 - cosine * cosine));
    const size_t first = Columns::drives + 5 * axis;
    return {{first + 3, 1.0}, {first + 4, drive.clockwise ? -by_stroke : by_stroke}};
}

}  // namespace

const std::vector<std::string>& column_names() {
    static const std::vector<std::string> names{
        "position_e",
        "position_n",
        "position_u",
        "first_joint_translation_e",
        "first_joint_translation_n",
        "first_joint_translation_u",
        "second_joint_translation_e",
        "second_joint_translation_n",
        "second_joint_translation_u",
        "concentrator_translation_e",
        "concentrator_translation_n",
        "concentrator_translation_u",
        "first_joint_tilt_n",
        "first_joint_tilt_u",
        "second_joint_tilt_e",
        "second_joint_tilt_n",
        "axis_1_increment",
        "axis_1_offset",
        "axis_1_pivot_radius",
        "axis_1_initial_stroke_length",
        "axis_1_initial_angle",
        "axis_2_increment",
        "axis_2_offset",
        "axis_2_pivot_radius",
        "axis_2_initial_stroke_length",
        "axis_2_initial_angle",
    };
    return names;
}

std::vector<Parameter> parameters_of(const KinematicsRecord& nominal) {
    std::vector<Parameter> list;
    const auto add =
        [&](Level level, double sigma, std::vector<std::pair<size_t, double>> columns) {
            const size_t first = columns.front().first;
            list.push_back({column_names()[first], level, sigma, std::move(columns)});
        };
    const auto linear = [&](size_t axis, double sigma) {
        return nominal.drives[axis].is_linear ? sigma : 0.0;
    };
    const auto single = [](size_t column) {
        return std::vector<std::pair<size_t, double>>{{column, 1.0}};
    };
    const size_t tilts = Columns::rotations, first = Columns::drives, second = first + 5;
    add(Level::tilts, kTilt, single(tilts));
    add(Level::tilts, kSetUp, single(tilts + 1));
    add(Level::tilts, kTiltAlongAxis, single(tilts + 2));
    add(Level::tilts, kTilt, single(tilts + 3));
    add(Level::zero, linear(1, kInitialAngle), single(second + 4));
    add(Level::mount, kConcentratorN, single(Columns::translations + 7));
    add(Level::mount, kConcentratorU, single(Columns::translations + 8));
    for (size_t axis = 0; axis < 2; ++axis) {
        add(Level::drives,
            linear(axis, kStroke),
            nominal.drives[axis].is_linear ? spindle_start(nominal, axis)
                                           : single(first + 5 * axis + 3));
    }
    for (size_t axis = 0; axis < 2; ++axis) {
        const size_t column = first + 5 * axis;
        add(Level::all, linear(axis, kLever), single(column + 1));
        add(Level::all, linear(axis, kLever), single(column + 2));
        add(Level::all, linear(axis, kIncrement), single(column));
    }
    add(Level::all, kTranslation, single(Columns::translations + 6));
    for (size_t i = 0; i < 3; ++i) {
        add(Level::all, kTranslation, single(Columns::translations + i));
        add(Level::all, kTranslation, single(Columns::translations + 3 + i));
        add(Level::all, kPosition, single(Columns::position + i));
    }
    return list;
}

std::vector<Parameter> epoch_parameters_of(const KinematicsRecord& nominal) {
    std::vector<Parameter> list;
    for (size_t axis = 0; axis < 2; ++axis) {
        if (!nominal.drives[axis].is_linear) continue;
        const auto columns = spindle_start(nominal, axis);
        list.push_back(
            {column_names()[columns.front().first], Level::tilts, kEpochStroke, columns});
    }
    return list;
}

KinematicsRecord moved(const KinematicsRecord& nominal, const std::array<double, kColumns>& shift) {
    return converted_record<double>(
        nominal, [&](size_t column, double value) { return value + shift[column]; });
}

}  // namespace helioray::calibration
