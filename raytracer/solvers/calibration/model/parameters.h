// SPDX-License-Identifier: MIT
// Lists the parameters that a calibration may change, with their priors.
#pragma once

#include "raytracer/solvers/calibration/model/spot_model.h"

#include <string>
#include <utility>
#include <vector>

namespace helioray::calibration {

/// Nested sets of parameters; each set contains all sets before it.
enum class Level {
    tilts,   ///< The four tilts of the joints.
    zero,    ///< Adds the initial angle of axis 2.
    mount,   ///< Adds the position of the mirror on its joints.
    drives,  ///< Adds the start of the spindles.
    all,     ///< Adds levers, increments, position and joint translations.
};
/// Number of levels.
inline constexpr size_t kLevels = 5;

/// A direction in which the numbers of the kinematics may change.
struct Parameter {
    std::string name;  ///< Key of the first number, as in scenario files.
    Level level;       ///< The smallest set that contains the parameter.
    /// Prior standard deviation, in the unit of the first number; 0 if not available.
    double sigma = 0.0;
    /// Numbers of the kinematics (RecordColumns), each with its change per unit of the parameter.
    std::vector<std::pair<size_t, double>> columns;
};

/// Returns all parameters of a heliostat, ordered by level. Their number and order is always the
/// same; ideal drives have no parameters. The prior is a normal distribution about the nominal
/// kinematics.
///
/// A shift of a spindle's start changes two numbers: the initial stroke, and the initial angle, so
/// that the joint's angle remains a function of the stroke alone.
std::vector<Parameter> parameters_of(const KinematicsRecord& nominal);

/// Returns the shifts of the start of both spindles, in metres of stroke. Such shifts occur when
/// drives are set to zero anew.
std::vector<Parameter> epoch_parameters_of(const KinematicsRecord& nominal);

/// Returns the names of all numbers of the kinematics, in the order of RecordColumns.
const std::vector<std::string>& column_names();

/// Returns the kinematics with `shift` added to its numbers.
KinematicsRecord moved(const KinematicsRecord& nominal, const std::array<double, kColumns>& shift);

}  // namespace helioray::calibration
