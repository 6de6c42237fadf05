// SPDX-License-Identifier: MIT
// The heliostats of a large field in columns instead of one group each: an extension of ARTIST's
// format that scenario/import/README.md describes.
#pragma once

#include "scenario/files/hdf5/file.h"
#include "scenario/types/types.h"

#include <functional>
#include <optional>
#include <set>
#include <string>

namespace helioray::columns {

/// Returns true if the heliostats of a scenario file are in columns.
bool has_field(const hdf5::Group& root);

/// Writes heliostats, prototypes and all their components. Equal components are stored once.
/// Throws InputError for names that occur twice or that ARTIST's format cannot hold.
void write_field(hdf5::Group& root, const Scenario& scenario, const Prototypes& prototypes);

/// Reads them into `scenario`. only: see read_scenario(); the surfaces of other heliostats are not
/// read. warn(where, text) receives remarks for users. Throws InputError for wrong contents.
void read_field(const hdf5::Group& root,
                const std::optional<std::set<std::string>>& only,
                const std::function<void(const std::string& where, const std::string& text)>& warn,
                Scenario& scenario);

/// Gives the heliostats of `scenario` that have components their position, kinematics and
/// actuators; mirrors stay as they are. Throws InputError where the file lacks one of them.
void change_field(hdf5::Group& root, const Scenario& scenario);

/// Throws InputError unless `name` can be the name of a group: names of scenarios can be written in
/// ARTIST's format, whatever format a file has.
void require_name(const std::string& where, const std::string& name);

}  // namespace helioray::columns
