// SPDX-License-Identifier: MIT
// Kinematics and actuators in columns.
#pragma once

#include "scenario/files/hdf5/file.h"
#include "scenario/types/types.h"

#include <memory>
#include <vector>

namespace helioray::columns {

/// Writes the table "kinematics".
void write_kinematics(hdf5::Group& group,
                      const std::vector<std::shared_ptr<const Kinematics>>& kinematics);

/// Reads it. Throws InputError as read_scenario().
std::vector<std::shared_ptr<const Kinematics>> read_kinematics(const hdf5::Group& group);

/// Writes the tables "actuator/axis_1" and "actuator/axis_2".
void write_actuators(hdf5::Group& group,
                     const std::vector<std::shared_ptr<const ActuatorPair>>& actuators);

/// Reads them. Throws InputError as read_scenario().
std::vector<std::shared_ptr<const ActuatorPair>> read_actuators(const hdf5::Group& group);

}  // namespace helioray::columns
