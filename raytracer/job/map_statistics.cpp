// SPDX-License-Identifier: MIT
// Peak and centroid of a flux map.
#include "raytracer/job/map_statistics.h"

#include "raytracer/geometry/target_frame.h"
#include "scenario/vector_math.h"

#include <algorithm>

namespace helioray {

void add_map_statistics(TargetResult& result) {
    const auto extent = surface_extent(result.target);
    Vec3 moment{};
    double total = 0.0;
    for (int64_t row = 0; row < result.height; ++row) {
        const double y = -pixel_centre(row, result.height, extent[1]);
        for (int64_t column = 0; column < result.width; ++column) {
            const double flux = result.flux[static_cast<size_t>(row * result.width + column)];
            if (flux == 0.0) continue;
            const double x = pixel_centre(column, result.width, extent[0]);
            moment = add_scaled(moment, flux, surface_point(result.target, x, y));
            total += flux;
            result.peak_flux_w_m2 = std::max(result.peak_flux_w_m2, flux);
        }
    }
    result.centroid_m =
        total > 0.0 ? scaled(1.0 / total, moment) : surface_point(result.target, 0.0, 0.0);
}

}  // namespace helioray
