// SPDX-License-Identifier: MIT
// The integer sums of a trace in one vector, so that one all-reduce adds them all.
#pragma once

#include "kernels/trace_types.h"

#include <cstdint>

namespace helioray::physical {

/// Shapes of the sums of a field.
struct SumsLayout {
    int64_t num_targets = 0;
    int64_t num_heliostats = 0;
    int64_t height = 0;
    int64_t width = 0;
    bool per_heliostat = false;

    int64_t flux_size() const { return num_targets * height * width; }
    int64_t heliostat_flux_size() const {
        return per_heliostat ? num_heliostats * height * width : 0;
    }
    /// Energy sums and squares of every heliostat, then the rays that were traced in all.
    int64_t interim_begin() const { return 2 * flux_size(); }
    int64_t interim_size() const { return num_heliostats * (kernels::kNumEnergySums + 1) + 1; }
    int64_t rays_index() const { return interim_begin() + interim_size() - 1; }
    int64_t total_size() const { return 2 * flux_size() + interim_size() + heliostat_flux_size(); }
};

/// The same for the kernels.
kernels::SumsPlaces sums_places(const SumsLayout& layout);

/// Pointers into a vector of layout.total_size() int64 values.
kernels::SumsView sums_view(const SumsLayout& layout, int64_t* data);

}  // namespace helioray::physical
