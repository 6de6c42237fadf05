// SPDX-License-Identifier: MIT
// The integer sums of a trace: their layout in one vector, so that one all-reduce adds them all,
// and their conversion to energy and accuracy.
#pragma once

#include "kernels/core/trace_types.h"
#include "raytracer/tracing/job/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace helioray::physical {

/// Shapes of the sums of a field.
struct SumsLayout {
    int64_t num_targets = 0;     ///< number of targets of the field
    int64_t num_heliostats = 0;  ///< number of traced heliostats
    int64_t height = 0;          ///< height of a map, pixels
    int64_t width = 0;           ///< width of a map, pixels
    bool per_heliostat = false;  ///< the sums include a map of each heliostat
    bool squares = true;         ///< the sums include squares for the standard errors of pixels
    bool differences = false;    ///< the sums include a map of the noise of each target
    bool receivers = false;      ///< the sums include those of surfaces of receivers

    /// Returns the number of pixels of the maps of all targets.
    int64_t flux_size() const { return num_targets * height * width; }
    /// Returns the number of pixels of the maps of all heliostats.
    int64_t heliostat_flux_size() const {
        return per_heliostat ? num_heliostats * height * width : 0;
    }
    /// Returns the index of the interim sums: energy sums and squares of every heliostat, then the
    /// number of traced rays.
    int64_t interim_begin() const { return (squares ? 2 : 1) * flux_size(); }
    /// Returns the number of interim sums.
    int64_t interim_size() const { return num_heliostats * (kernels::kNumEnergySums + 1) + 1; }
    /// Returns the index of the number of rays.
    int64_t rays_index() const { return interim_begin() + interim_size() - 1; }
    /// Returns the index of the differences of half units, which follow all sums that a fingerprint
    /// covers.
    int64_t differences_begin() const { return rays_index() + 1; }
    /// Returns the index of the sums of surfaces of receivers: a square of every target's power,
    /// then the light that each heliostat loses on shields and backs.
    int64_t surfaces_begin() const { return differences_begin() + (differences ? flux_size() : 0); }
    /// Returns the index of the maps of single heliostats.
    int64_t heliostat_flux_begin() const {
        return surfaces_begin() + (receivers ? num_targets + num_heliostats : 0);
    }
    /// Returns the number of all sums.
    int64_t total_size() const { return heliostat_flux_begin() + heliostat_flux_size(); }
};

/// Returns the layout for the kernels.
kernels::SumsPlaces sums_places(const SumsLayout& layout);

/// Returns pointers into a vector of layout.total_size() int64 values.
kernels::SumsView sums_view(const SumsLayout& layout, int64_t* data);

/// Returns the energy terms. sums: kNumEnergySums of the traced rays; solar_quanta: quanta of all
/// these rays if the mirror faced the sun. Differences are taken between integers, so that the
/// terms add up exactly before they are converted to watts. shielded: quanta lost on shields and
/// backs of receivers.
EnergyTerms energy_terms(const int64_t* sums,
                         int64_t shielded,
                         int64_t solar_quanta,
                         double watts_per_quantum);

/// Accuracy of the least certain target.
struct Accuracy {
    double relative_error = 0.0;   ///< standard error relative to the power of the target
    std::optional<size_t> target;  ///< index of the target; not set if no target has received power
    bool has_dark_targets = false;  ///< a target at which heliostats aim has received no power

    /// Returns true if the accuracy is sufficient. A dark target does not stop a run, because rare
    /// light may still hit it.
    bool is_reached(double wanted) const { return !has_dark_targets && relative_error <= wanted; }
};

/// Returns the accuracy from the energy sums [N, kNumEnergySums] of the heliostats, followed by the
/// sums of squares [N] of their delivered power. The surfaces of receivers count together, as their
/// first surface at which a heliostat aims.
Accuracy target_accuracy(const int64_t* interim_sums,
                         const kernels::FieldView& field,
                         double square_scale);

}  // namespace helioray::physical
