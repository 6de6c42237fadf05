// SPDX-License-Identifier: MIT
// Writes scenario files: HDF5 in ARTIST's format with our extensions.
#pragma once

#include "scenario/types.h"

#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <utility>

namespace helioray::hdf5 {
class Group;
}

namespace helioray {

/// How the heliostats of a scenario lie in its file.
enum class ScenarioFormat {
    /// Columns for large fields, see scenario_format().
    automatic,
    /// One group per heliostat, as ARTIST reads them.
    artist,
    /// One dataset per kind of number, an extension that ARTIST does not read: reading costs
    /// 1 to 2 microseconds per heliostat instead of 130 (10,000 heliostats of one facet).
    columns,
};

/// The words for them on command lines and in Python.
inline constexpr std::array<std::pair<const char*, ScenarioFormat>, 3> kScenarioFormats{{
    {"auto", ScenarioFormat::automatic},
    {"artist", ScenarioFormat::artist},
    {"columns", ScenarioFormat::columns},
}};

/// Fields from this number of heliostats on are written in columns.
inline constexpr size_t kHeliostatsOfColumns = 1000;
/// Fields whose different mirrors have this number of facets or more are written in columns.
inline constexpr size_t kFacetsOfColumns = 10000;

/// The format of a scenario's file: `wanted`, or for `automatic` columns from kHeliostatsOfColumns
/// or kFacetsOfColumns on and ARTIST's format below.
ScenarioFormat scenario_format(const Scenario& scenario, ScenarioFormat wanted);

/// Writes a scenario so that read_scenario() gives an equal() one, and that ARTIST 2.0.0 reads it
/// as long as it holds no extension (see the format's documentation). Numbers are stored in
/// float64. A heliostat gets its own component where its pointer differs from the prototype's;
/// heliostats with the same pointer share one group of the file by hard links, which h5py and
/// ARTIST do not notice. Kinematics go along with actuators, because ARTIST cannot read the latter
/// alone; prototypes that are null become those of the first heliostat, because ARTIST needs them.
/// The file appears complete or not at all.
///
/// In columns equal components are stored once, whatever their pointers, and nothing depends on the
/// number of groups.
///
/// Throws InputError for names that HDF5 cannot hold (empty, ".", with '/') or that occur twice,
/// null components, a scenario without heliostats, and for paths that cannot be written.
///
/// extend: adds groups of its own to the root; readers of scenarios pass over them.
void write_scenario(const Scenario& scenario,
                    const std::filesystem::path& path,
                    const std::function<void(hdf5::Group& root)>& extend = {},
                    ScenarioFormat format = ScenarioFormat::automatic);

/// Copies a scenario file that write_scenario() has written, and gives some of its heliostats the
/// position, kinematics and actuators of those of `scenario` that have components (see `only` of
/// read_scenario()). The rest, the mirrors among it, stays as it is, so that a few heliostats of
/// thousands take milliseconds. from and path may be the same file; the new one appears complete or
/// not at all. change: changes groups of its own in the root. Throws InputError as
/// write_scenario().
void change_scenario(const std::filesystem::path& from,
                     const std::filesystem::path& path,
                     const Scenario& scenario,
                     const std::function<void(hdf5::Group& root)>& change);

}  // namespace helioray
