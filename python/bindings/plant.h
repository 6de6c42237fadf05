// SPDX-License-Identifier: MIT
// Plants in the memory of Python, and what is traced of them.
#pragma once

#include "raytracer/calibration/state.h"
#include "scenario/config/reader.h"
#include "scenario/types.h"

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace helioray::python {

/// A scenario with the settings that a scenario file cannot hold. Never changes.
struct Plant {
    std::shared_ptr<const Scenario> scenario;
    std::string file;                 ///< that holds this scenario; empty: none does
    std::string config = "{}";        ///< run configuration (YAML): aims, obstacles, ...
    std::vector<std::string> report;  ///< of the conversion that made it
    /// Of a calibrated plant, which its files keep. A changed plant has none.
    std::vector<calibration::HeliostatState> states;
};

/// A changed plant, with the settings of the one that it comes from. It goes through a file,
/// because all checks of scenarios are those of their reader. `caller` stands for the file in
/// messages. Throws InputError for what cannot be a scenario. Call it alone with HDF5, see
/// with_files().
std::shared_ptr<const Plant> checked_plant(const Scenario& scenario,
                                           const Plant& origin,
                                           const std::string& caller);

/// What a call traces: a configuration file, or a plant in memory.
struct Source {
    std::shared_ptr<const Plant> plant;  ///< nothing: the file
    std::string file;                    ///< run configuration, or the plant's scenario file
    std::vector<std::string> settings;   ///< "dotted.key=value", see Overrides::set
    std::string caller;                  ///< "hr.trace", for messages
};

/// The configuration of a source as far as it can be understood. A plant with one target aims at
/// it unless it is told otherwise. Throws InputError as draft_run_config() does; for a plant with
/// every problem.
DraftRunConfig draft_of(const Source& source, SunPositions positions = SunPositions::required);

/// The bindings of Plant and Source, and the functions that make plants.
void bind_plant(nanobind::module_& m);

}  // namespace helioray::python
