// SPDX-License-Identifier: MIT
// How well the powers of the targets are known from the sums so far.
#pragma once

#include "kernels/trace_types.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace helioray::physical {

/// The least certain target.
struct Accuracy {
    double relative_error = 0.0;    ///< its standard error as a share of its power
    std::optional<size_t> target;   ///< nothing when no target has received power
    bool has_dark_targets = false;  ///< some target that is aimed at has received none

    /// A dark target is no reason to stop: rare light may still come.
    bool is_reached(double wanted) const { return !has_dark_targets && relative_error <= wanted; }
};

/// Accuracy from the energy sums [N, kNumEnergySums] of the heliostats, followed by the sums of
/// squares [N] of their delivered power.
Accuracy target_accuracy(const int64_t* interim_sums,
                         const std::vector<kernels::HeliostatRecord>& heliostats,
                         double square_scale);

}  // namespace helioray::physical
