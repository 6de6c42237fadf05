// SPDX-License-Identifier: MIT
// Converts SolTrace's input files to scenarios and run configurations.
#pragma once

#include "scenario/import/soltrace/stinput.h"
#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace helioray::soltrace {

/// Settings that an input file does not contain.
struct Options {
    UpAxis up = UpAxis::z;  ///< up axis of the project's global frame
    double dni = 1000.0;    ///< direct normal irradiance, W/m2; not contained in input files
    bool skip_unsupported = false;      ///< omit unsupported elements, with a remark
    std::optional<std::string> target;  ///< aim; not set: the first receiver
};

/// Scenario and run of an input file.
struct Import {
    /// Heliostats and targets by name; the plant is at latitude and longitude 0.
    Scenario scenario;
    RunConfig run;                    ///< sun, motor positions, optics; the caller sets paths
    std::vector<std::string> report;  ///< lines about inputs, ignored inputs and assumptions
};

/// Converts a project. Every mirror element becomes a heliostat of one facet whose
/// azimuth-elevation drives, at the motor positions of the run configuration, hold it in the
/// project's orientation; it is named after its number in its stage. Every receiver element becomes
/// a target, several of them the surfaces of a receiver. The last stage contains receivers, the
/// first one mirrors; in a project with one stage, elements with a front reflectivity of 0.5 or
/// more are mirrors.
///
/// Mirrors: rectangles that are flat, parabolic or spheres. Receivers: flat convex polygons and
/// discs, full and partial cylinders; the lit face is the one that absorbs, or that mirrors see
/// better. All other elements, and stages between mirrors and receivers, are problems, or remarks
/// with skip_unsupported. Throws InputError with all problems found.
Import convert(const Project& project, const Options& options);

}  // namespace helioray::soltrace
