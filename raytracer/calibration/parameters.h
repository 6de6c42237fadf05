// SPDX-License-Identifier: MIT
// What a calibration may change about a heliostat, and how far it is expected to change.
#pragma once

#include "raytracer/calibration/spot_model.h"

#include <string>
#include <utility>
#include <vector>

namespace helioray::calibration {

/// Nested sets of parameters, each with all of those before it.
enum class Level {
    tilts,   ///< the four tilts of the joints
    zero,    ///< and the angle at which axis 2 starts
    mount,   ///< and where the mirror sits on its joints
    drives,  ///< and where the spindles start
    all,     ///< and levers, increments, position and joint translations
};
/// How many there are.
inline constexpr size_t kLevels = 5;

/// A direction in which the numbers of the kinematics may move.
struct Parameter {
    std::string name;  ///< key of its first number, as in scenario files
    Level level;       ///< the smallest set it belongs to
    /// Prior standard deviation, in the unit of the first number; 0: not available.
    double sigma = 0.0;
    /// Numbers of the kinematics (RecordColumns) and how much each moves with the parameter.
    std::vector<std::pair<size_t, double>> columns;
};

/// All parameters of a heliostat, always as many and in the same order, by level. Ideal drives have
/// none of their own. The prior is a normal distribution about the nominal kinematics.
///
/// A spindle that starts elsewhere moves two numbers: the initial stroke, and the initial angle so
/// that the joint's angle stays a function of the stroke alone.
std::vector<Parameter> parameters_of(const KinematicsRecord& nominal);

/// Shift of the start of both spindles, as when drives are set to zero anew; metres of stroke.
std::vector<Parameter> epoch_parameters_of(const KinematicsRecord& nominal);

/// Names of all numbers of the kinematics, in the order of RecordColumns.
const std::vector<std::string>& column_names();

/// The kinematics with numbers moved by `shift`.
KinematicsRecord moved(const KinematicsRecord& nominal, const std::array<double, kColumns>& shift);

}  // namespace helioray::calibration
