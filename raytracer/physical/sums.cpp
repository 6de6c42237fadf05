// SPDX-License-Identifier: MIT
// Layout of the integer sums.
#include "raytracer/physical/sums.h"

namespace helioray::physical {

kernels::SumsPlaces sums_places(const SumsLayout& layout) {
    kernels::SumsPlaces places{};
    places.flux = 0;
    places.flux_square = layout.flux_size();
    places.energy = layout.interim_begin();
    places.power_square = places.energy + layout.num_heliostats * kernels::kNumEnergySums;
    places.heliostat_flux = layout.per_heliostat ? layout.rays_index() + 1 : -1;
    places.size = layout.total_size();
    return places;
}

kernels::SumsView sums_view(const SumsLayout& layout, int64_t* data) {
    return sums_places(layout).view(data);
}

}  // namespace helioray::physical
