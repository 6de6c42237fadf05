// SPDX-License-Identifier: MIT
// Mirrors of a whole field from files: which records belong to which heliostat, and the fit of
// each.
#pragma once

#include "raytracer/job/field_ranks.h"
#include "raytracer/reconstruction/reconstruct.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace helioray::reconstruction {

/// Which files are read, and what for. Paths are those of read_flux_records(), and in `test` also
/// tables of splits (CSV, PaintSplits::read()), whose "train" rows alone are fitted.
struct FluxFiles {
    std::vector<std::string> measured;    ///< to be fitted
    std::vector<std::string> test;        ///< only predicted, also where `measured` holds them
    std::vector<std::string> heliostats;  ///< names; none: all of the scenario
    /// Names of heliostats whose kinematics were fitted to measured spots. They have taken up the
    /// tilt of the mirror, so that motor positions no longer show it.
    std::vector<std::string> calibrated;
    ImageKind kind = ImageKind::flux_centered;  ///< of the pictures that are taken
};

/// What is known of one heliostat before its mirror is fitted.
struct HeliostatImages {
    std::string name;                      ///< of the heliostat
    std::vector<FluxRecord> fitted;        ///< to be fitted
    std::vector<FluxRecord> test;          ///< to be predicted; none is in both
    std::vector<RejectedRecord> rejected;  ///< each once
};

/// The images of every heliostat that has records, by name. Throws InputError as
/// read_flux_records(), for names that are not in the scenario and where no image can be fitted.
/// elsewhere: where given, the number of measured records of heliostats that the scenario lacks.
std::vector<HeliostatImages> read_images(const Scenario& scenario,
                                         const FluxFiles& files,
                                         size_t* elsewhere = nullptr);

/// The mirror of one heliostat, and what was left out.
struct HeliostatMirror {
    std::string name;                      ///< of the heliostat
    std::vector<RejectedRecord> rejected;  ///< before the fit and by it
    std::optional<Reconstruction> found;   ///< nothing where no image could be fitted
    /// slope_difference() from the true mirror before and after, radians; nothing where it is not
    /// known.
    std::optional<std::array<double, 2>> slopes;
};

/// Fits all mirrors, each alone. truth: a scenario with measured surfaces, or null. Throws
/// InputError as reconstruct_mirror() and slope_difference(), and for a truth without any of these
/// heliostats. No result depends on num_threads or on how many ranks share the mirrors; collective
/// where there are several.
std::vector<HeliostatMirror> reconstruct_field(const Scenario& scenario,
                                               const std::vector<HeliostatImages>& images,
                                               const Scenario* truth,
                                               int num_threads = 1,
                                               const FieldRanks& ranks = {});

/// The scenario with the surfaces that were found.
Scenario with_mirrors(Scenario scenario, const std::vector<HeliostatMirror>& mirrors);

}  // namespace helioray::reconstruction
