// SPDX-License-Identifier: MIT
// Reconstructs the mirrors of a whole field from files: assigns records to heliostats and fits each
// mirror.
#pragma once

#include "raytracer/solvers/reconstruction/reconstruct.h"
#include "raytracer/tracing/job/field_ranks.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace helioray::reconstruction {

/// Files to read, by purpose. Paths are those of read_flux_records(), and in `test` also tables of
/// splits (CSV, PaintSplits::read()), of which only the "train" rows are fitted.
struct FluxFiles {
    std::vector<std::string> measured;  ///< Records to fit.
    std::vector<std::string> test;      ///< Records to predict, even if `measured` holds them too.
    /// Names of heliostats; empty selects all of the scenario.
    std::vector<std::string> heliostats;
    /// Names of heliostats whose kinematics were fitted to measured spots. Their kinematics contain
    /// the tilt of the mirror, so that motor positions no longer show it.
    std::vector<std::string> calibrated;
    ImageKind kind = ImageKind::flux_centered;  ///< Kind of the pictures to read.
};

/// Input of the fit of one heliostat's mirror.
struct HeliostatImages {
    std::string name;                      ///< Name of the heliostat.
    std::vector<FluxRecord> fitted;        ///< Images to fit.
    std::vector<FluxRecord> test;          ///< Images to predict; none is in both lists.
    std::vector<RejectedRecord> rejected;  ///< Rejected records, without duplicates.
};

/// Images of a field.
struct FieldImages {
    std::vector<HeliostatImages> heliostats;  ///< Heliostats that have records, sorted by name.
    size_t elsewhere = 0;  ///< Number of measured records of heliostats that the scenario lacks.

    /// Returns the number of images to fit.
    size_t num_fitted() const;
};

/// Reads the images of every heliostat that has records. Throws InputError as read_flux_records()
/// does, for names that are not in the scenario, and if no image can be fitted.
FieldImages read_images(const Scenario& scenario, const FluxFiles& files);

/// The mirror of one heliostat, and the records that were left out.
struct HeliostatMirror {
    std::string name;                      ///< Name of the heliostat.
    std::vector<RejectedRecord> rejected;  ///< Records rejected before and by the fit.
    std::optional<Reconstruction> found;   ///< The mirror; empty if no image could be fitted.
    /// slope_difference() from the true mirror before and after the fit, radians; empty if the true
    /// mirror is not known.
    std::optional<std::array<double, 2>> slopes;
};

/// Fits all mirrors, each separately. `truth` is a scenario with measured surfaces, or null. Throws
/// InputError as reconstruct_mirror() and slope_difference() do, and if `truth` has none of these
/// heliostats. No result depends on num_threads or on the number of ranks; collective if there are
/// several ranks.
std::vector<HeliostatMirror> reconstruct_field(const Scenario& scenario,
                                               const FieldImages& field,
                                               const Scenario* truth,
                                               int num_threads = 1,
                                               const FieldRanks& ranks = {});

/// Serialises mirrors for other processes of the same version of the program.
std::string bytes_of(const std::vector<HeliostatMirror>& mirrors);

/// Restores mirrors from bytes_of(). Throws std::runtime_error if bytes are missing or left over.
std::vector<HeliostatMirror> restore_mirrors(const std::string& bytes);

/// Returns the scenario with the reconstructed surfaces.
Scenario with_mirrors(Scenario scenario, const std::vector<HeliostatMirror>& mirrors);

}  // namespace helioray::reconstruction
