// SPDX-License-Identifier: MIT
// Energy and accuracy from the integer sums of a trace.
#pragma once

#include "kernels/core/trace_types.h"
#include "raytracer/tracing/job/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace helioray::physical {

/// Returns the energy terms. sums: kNumEnergySums of the traced rays; solar_quanta: quanta of all
/// these rays if the mirror faced the sun. Differences are taken between integers, so that the
/// terms add up exactly before they are converted to watts. shielded: quanta lost on shields and
/// backs of receivers; reflected: kNumReflectedSums, or null.
EnergyTerms energy_terms(const int64_t* sums,
                         int64_t shielded,
                         const int64_t* reflected,
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
