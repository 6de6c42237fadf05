// SPDX-License-Identifier: MIT
// Plants in Python's memory, and sources of traces.
#pragma once

#include "raytracer/solvers/calibration/state.h"
#include "scenario/config/reader.h"
#include "scenario/types/types.h"

#include <nanobind/nanobind.h>

#include "python/bindings/suns.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace helioray::python {

/// A scenario with the settings that a scenario file cannot store. It is immutable.
struct Plant {
    std::shared_ptr<const Scenario> scenario;
    std::string file;                 ///< file that contains this scenario; empty if there is none
    std::string config = "{}";        ///< run configuration (YAML): aims, obstacles, ...
    std::vector<std::string> report;  ///< report of the conversion that created it
    /// States of a calibrated plant, which its files also store. A changed plant has none.
    std::vector<calibration::HeliostatState> states;
};

using PlantPtr = std::shared_ptr<const Plant>;

/// Returns a plant in memory.
PlantPtr plant_of(std::shared_ptr<const Scenario> scenario,
                  std::string config = "{}",
                  std::vector<calibration::HeliostatState> states = {});

/// Returns a changed plant with the settings of the original. The scenario is written to a file and
/// read back, because the checks of scenarios are part of their reader. `caller` replaces the file
/// in messages. Throws InputError for an invalid scenario. The caller must have the lock of HDF5
/// files, see with_files().
PlantPtr checked_plant(const Scenario& scenario, const Plant& origin, const std::string& caller);

/// Input of a call that traces: a configuration file, or a plant in memory.
struct Source {
    PlantPtr plant;                     ///< null if the source is a file
    std::string file;                   ///< run configuration, or the plant's scenario file
    std::vector<std::string> settings;  ///< "dotted.key=value", see Overrides::set
    std::string caller;                 ///< "hr.trace", for messages
    std::optional<FrameSuns> suns = std::nullopt;  ///< positions that replace those of the source
};

/// Returns as much of a source's configuration as could be read. A plant with one target aims at it
/// by default. Throws InputError as draft_run_config() does; for a plant with every problem.
DraftRunConfig draft_config(const Source& source, SunPositions positions = SunPositions::required);

/// Adds the bindings of Plant and Source, and the functions that make plants.
void bind_plant(nanobind::module_& m);

}  // namespace helioray::python
