// SPDX-License-Identifier: MIT
// Replaces absorbed by incident light.
#include "app/output/plot/maps/incident_maps.h"

#include "raytracer/tracing/geometry/frames.h"
#include "scenario/files/error.h"
#include "scenario/types/vector_math.h"

#include <algorithm>
#include <utility>

namespace helioray {

namespace {

/// Returns the mean of the surface's points, weighted with the flux; the present one without flux.
Vec3 find_centroid(const TargetResult& t) {
    const auto [width, height] = surface_extent(t.target);
    Vec3 sum{};
    double total = 0.0;
    for (int64_t i = 0; i < t.height; ++i) {
        for (int64_t j = 0; j < t.width; ++j) {
            const double flux = t.flux[static_cast<size_t>(i * t.width + j)];
            total += flux;
            sum = add_scaled(
                sum,
                flux,
                surface_point(
                    t.target, pixel_centre(j, t.width, width), -pixel_centre(i, t.height, height)));
        }
    }
    return total > 0.0 ? scaled(1.0 / total, sum) : t.centroid_m;
}

}  // namespace

RunResult with_incident_maps(const RunResult& result, const std::string& where) {
    if (!has_reflection(result))
        throw InputError(Problem{where,
                                 "the result has no maps of incident light besides its flux maps",
                                 "only surfaces with an absorptance absorb a part of their light",
                                 "leave it out: the flux maps are those of incident light"});
    RunResult incident = result;
    for (TargetResult& target : incident.targets) {
        if (!target.incident) continue;
        IncidentLight light = std::move(*target.incident);
        target.incident.reset();
        target.flux = std::move(light.flux);
        target.flux_std_error = std::move(light.flux_std_error);
        target.flux_noise.clear();
        target.power_w = light.power_w;
        target.power_std_error_w = light.power_std_error_w;
        target.peak_flux_w_m2 = light.peak_flux_w_m2;
        target.peak_flux_std_error_w_m2 = light.peak_flux_std_error_w_m2;
        if (!target.flux.empty()) target.peak_pixel_w_m2 = std::ranges::max(target.flux);
        target.centroid_m = find_centroid(target);
    }
    return incident;
}

}  // namespace helioray
