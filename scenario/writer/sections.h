// SPDX-License-Identifier: MIT
// Writers of the sections of a scenario file, one per subject. Internal to write_scenario.
#pragma once

#include "scenario/hdf5/group.h"
#include "scenario/types.h"

#include <string>
#include <vector>

namespace helioray {

/// Child group for a named thing; refuses names that are no single HDF5 link, or taken.
hdf5::Group create_named_group(hdf5::Group& parent, const std::string& name);

/// Homogeneous vector of shape (4,); `w` is 1 for points and 0 for directions and offsets.
void write_vector(hdf5::Group& group, const std::string& name, const Vec3& vector, double w);

void write_targets(hdf5::Group& root, const std::vector<Target>& targets);
void write_light_sources(hdf5::Group& root, const std::vector<LightSource>& sources);

/// Contents of a `surface`, `kinematics` or `actuator` group.
void write_component(hdf5::Group group, const Surface& surface);
void write_component(hdf5::Group group, const Kinematics& kinematics);
void write_component(hdf5::Group group, const ActuatorPair& actuators);

}  // namespace helioray
