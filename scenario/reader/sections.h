// SPDX-License-Identifier: MIT
// Readers of the sections of a scenario file, one per subject. Internal to read_scenario.
//
// All of them report problems to the log and go on; what they return is meaningful only when the
// log stays without problems. Nothing is thrown for wrong contents.
#pragma once

#include "scenario/hdf5/group.h"
#include "scenario/reader/read_log.h"
#include "scenario/types.h"

#include <vector>

namespace helioray {

/// /target_areas_planar, then /target_areas_cylindrical, each by name. Either group may be missing.
std::vector<Target> read_targets(const hdf5::Group& root, ReadLog& log);

/// /lightsources, by name.
std::vector<LightSource> read_light_sources(const hdf5::Group& root, ReadLog& log);

/// A `surface` group.
Surface read_surface(const hdf5::Group& group, ReadLog& log);

/// A `kinematics` group.
Kinematics read_kinematics(const hdf5::Group& group, ReadLog& log);

/// An `actuator` group: exactly two actuators of one type.
ActuatorPair read_actuators(const hdf5::Group& group, ReadLog& log);

}  // namespace helioray
