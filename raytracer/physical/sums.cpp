// SPDX-License-Identifier: MIT
// Layout of the integer sums.
#include "raytracer/physical/sums.h"

namespace helioray::physical {

kernels::SumsView sums_view(const SumsLayout& layout, int64_t* data) {
    kernels::SumsView view{};
    view.flux = data;
    view.flux_square = view.flux + layout.flux_size();
    view.energy = view.flux_square + layout.flux_size();
    view.power_square = view.energy + layout.num_heliostats * kernels::kNumEnergySums;
    view.heliostat_flux = layout.per_heliostat ? data + layout.rays_index() + 1 : nullptr;
    return view;
}

}  // namespace helioray::physical
