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

/// Converts a project. Every mirror element becomes a heliostat of one facet, or of several for an
/// aperture that is not convex, whose azimuth-elevation drives, at the motor positions of the run
/// configuration, hold it in the project's orientation; it is named after its number in its stage.
/// The first stage contains the mirrors. Every element of later stages becomes a target: an
/// absorber, or a secondary mirror if the face that light meets reflects 0.5 or more; several of
/// them become the surfaces of a receiver. In a project with one stage, elements whose front
/// reflects 0.5 or more and faces the sun are mirrors.
///
/// Mirrors: any aperture on planes, conics, polynomials and splines. Receivers and secondary
/// mirrors: flat convex polygons, discs and rings, cylinders, round cones and conics, compound
/// parabolic concentrators. All other elements are problems, or remarks with skip_unsupported.
/// Throws InputError with all problems found.
Import convert(const Project& project, const Options& options);

}  // namespace helioray::soltrace
