// SPDX-License-Identifier: MIT
// Writes scenario files: HDF5 in ARTIST's format with our extensions.
#pragma once

#include "scenario/types/choices.h"
#include "scenario/types/types.h"

#include <cstddef>
#include <filesystem>
#include <functional>

namespace helioray::hdf5 {
class Group;
}

namespace helioray {

/// Storage of the heliostats of a scenario in its file.
enum class ScenarioFormat {
    /// Columns for large fields, see scenario_format().
    automatic,
    /// One group per heliostat, as ARTIST reads them.
    artist,
    /// One dataset per kind of number, an extension that ARTIST does not read. Reading takes 1 to 2
    /// microseconds per heliostat instead of 130 (10,000 heliostats of one facet).
    columns,
};

/// Names of the formats on command lines and in Python.
inline const Choices<ScenarioFormat> kScenarioFormats{{"auto", ScenarioFormat::automatic},
                                                      {"artist", ScenarioFormat::artist},
                                                      {"columns", ScenarioFormat::columns}};

/// Fields with at least this number of heliostats are written in columns.
inline constexpr size_t kHeliostatsOfColumns = 1000;
/// Fields whose different mirrors have at least this number of facets are written in columns.
inline constexpr size_t kFacetsOfColumns = 10000;

/// Returns the format of a scenario's file: `wanted`, or for `automatic` columns from
/// kHeliostatsOfColumns or kFacetsOfColumns on and ARTIST's format below.
ScenarioFormat scenario_format(const Scenario& scenario, ScenarioFormat wanted);

/// Writes a scenario so that read_scenario() returns an equal() one, and that ARTIST 2.0.0 can read
/// it if it contains no extension (see the format's documentation). Numbers are stored in float64.
/// A heliostat has its own component if its pointer differs from the prototype's. Heliostats with
/// the same pointer share one group of the file by hard links, which are transparent to h5py and
/// ARTIST. Kinematics are written together with actuators, because ARTIST cannot read the latter
/// alone; null prototypes are replaced by the components of the first heliostat, because ARTIST
/// needs them. The file is written completely or not at all.
///
/// In columns, equal components are stored once, even if their pointers differ, and the size does
/// not depend on a number of groups.
///
/// Throws InputError for names that HDF5 cannot store (empty, ".", with '/') or that occur twice,
/// null components, a scenario without heliostats, and paths that cannot be written.
///
/// extend: adds further groups to the root, which readers of scenarios ignore.
void write_scenario(const Scenario& scenario,
                    const std::filesystem::path& path,
                    const std::function<void(hdf5::Group& root)>& extend = {},
                    ScenarioFormat format = ScenarioFormat::automatic);

/// Copies a scenario file of write_scenario(), and replaces position, kinematics and actuators of
/// some of its heliostats by those of the heliostats of `scenario` that have components (see `only`
/// of read_scenario()). All other data, such as the mirrors, does not change, so that replacing a
/// few heliostats of thousands takes milliseconds. `from` and `path` may be the same file; the new
/// one is written completely or not at all. change: changes further groups in the root. Throws
/// InputError like write_scenario().
void change_scenario(const std::filesystem::path& from,
                     const std::filesystem::path& path,
                     const Scenario& scenario,
                     const std::function<void(hdf5::Group& root)>& change);

}  // namespace helioray
