// SPDX-License-Identifier: MIT
// Scenarios and run configurations from SolTrace's input files.
#pragma once

#include "scenario/run_config.h"
#include "scenario/soltrace/stinput.h"
#include "scenario/types.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace helioray::soltrace {

/// Settings that an input file leaves open.
struct Options {
    UpAxis up = UpAxis::z;              ///< of the project's global frame
    double dni = 1000.0;                ///< W/m2; input files have none
    bool skip_unsupported = false;      ///< leave out unsupported elements, with a remark
    std::optional<std::string> target;  ///< what heliostats aim at; nothing: the first receiver
};

/// Scenario and run that an input file describes.
struct Import {
    Scenario scenario;  ///< heliostats and targets by name; the plant at latitude and longitude 0
    RunConfig run;      ///< sun, motor positions, optics; paths are left to the caller
    std::vector<std::string> report;  ///< inputs, ignored inputs, assumptions
};

/// Every mirror element becomes a heliostat of one facet whose azimuth-elevation drives hold it, at
/// the motor positions of the run configuration, where the project points it; it is named after its
/// number in its stage. Every receiver element becomes a target. The last stage holds receivers,
/// the first one mirrors; in a project of one stage the front reflectivity decides (mirrors: 0.5 or
/// more).
///
/// Mirrors: rectangles that are flat, paraboloids of revolution or spheres. Receivers: flat
/// rectangles with one side horizontal, full cylinders. Everything else is a problem, or a remark
/// with skip_unsupported. Throws InputError with all problems found.
Import convert(const Project& project, const Options& options);

}  // namespace helioray::soltrace
