// SPDX-License-Identifier: MIT
// The integer sums of a trace: their place in one vector, so that one all-reduce adds them all, and
// what they say of energy and accuracy.
#pragma once

#include "kernels/core/trace_types.h"
#include "raytracer/job/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace helioray::physical {

/// Shapes of the sums of a field.
struct SumsLayout {
    int64_t num_targets = 0;     ///< of the field
    int64_t num_heliostats = 0;  ///< that are traced
    int64_t height = 0;          ///< of a map, pixels
    int64_t width = 0;           ///< of a map, pixels
    bool per_heliostat = false;  ///< also a map of each heliostat
    bool squares = true;         ///< also squares for the standard errors of pixels

    /// Pixels of the maps of all targets.
    int64_t flux_size() const { return num_targets * height * width; }
    /// Pixels of the maps of all heliostats.
    int64_t heliostat_flux_size() const {
        return per_heliostat ? num_heliostats * height * width : 0;
    }
    /// Energy sums and squares of every heliostat, then the rays that were traced in all.
    int64_t interim_begin() const { return (squares ? 2 : 1) * flux_size(); }
    /// How many of them there are.
    int64_t interim_size() const { return num_heliostats * (kernels::kNumEnergySums + 1) + 1; }
    /// Place of the number of rays.
    int64_t rays_index() const { return interim_begin() + interim_size() - 1; }
    /// All sums.
    int64_t total_size() const { return interim_begin() + interim_size() + heliostat_flux_size(); }
};

/// The same for the kernels.
kernels::SumsPlaces sums_places(const SumsLayout& layout);

/// Pointers into a vector of layout.total_size() int64 values.
kernels::SumsView sums_view(const SumsLayout& layout, int64_t* data);

/// sums: kNumEnergySums of the rays that were traced; solar_quanta: what all of them would carry if
/// the mirror faced the sun. Differences are taken between integers, so that the terms add up
/// before they become watts.
EnergyTerms energy_terms(const int64_t* sums, int64_t solar_quanta, double watts_per_quantum);

/// The least certain target.
struct Accuracy {
    double relative_error = 0.0;    ///< its standard error as a share of its power
    std::optional<size_t> target;   ///< nothing when no target has received power
    bool has_dark_targets = false;  ///< some target that is aimed at has received none

    /// A dark target does not stop a run: rare light may still arrive.
    bool is_reached(double wanted) const { return !has_dark_targets && relative_error <= wanted; }
};

/// Accuracy from the energy sums [N, kNumEnergySums] of the heliostats, followed by the sums of
/// squares [N] of their delivered power.
Accuracy target_accuracy(const int64_t* interim_sums,
                         const std::vector<kernels::HeliostatRecord>& heliostats,
                         double square_scale);

}  // namespace helioray::physical
