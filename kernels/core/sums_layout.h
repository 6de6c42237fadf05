// SPDX-License-Identifier: MIT
// Layout of the sums of a field in one vector of int64, so that one all-reduce adds them all.
#pragma once

#include "kernels/core/trace_types.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace helioray::kernels {

/// Returns the maps of the surfaces of receivers in SumsView::flux, in the order in which a tile or
/// a heliostat's own map has them: those of all surfaces, then, if surfaces reflect, those of their
/// incident light.
inline std::vector<int32_t> surface_maps(const FieldView& field) {
    std::vector<int32_t> maps;
    for (int32_t i = 0; i < field.num_surfaces; ++i) maps.push_back(field.surfaces[i].target);
    for (int32_t i = 0; i < field.num_surfaces && field.reflects != 0; ++i)
        maps.push_back(field.num_targets + i);
    return maps;
}

/// Returns some of the maps, with num_pixels pixels each, one after the other.
inline std::vector<float> gather_maps(const std::vector<int32_t>& which,
                                      const float* maps,
                                      int64_t num_pixels) {
    std::vector<float> gathered;
    gathered.reserve(which.size() * static_cast<std::size_t>(num_pixels));
    for (const int64_t map : which)
        gathered.insert(gathered.end(), maps + map * num_pixels, maps + (map + 1) * num_pixels);
    return gathered;
}

/// Shapes of the sums of a field, and their positions in one vector of int64, which can be on the
/// host or in the memory of a device.
struct SumsLayout {
    int64_t num_targets = 0;     ///< number of targets of the field
    int64_t num_heliostats = 0;  ///< number of traced heliostats
    int64_t height = 0;          ///< height of a map, pixels
    int64_t width = 0;           ///< width of a map, pixels
    bool per_heliostat = false;  ///< the sums include a map of each heliostat
    /// The sums include squares for the standard errors of pixels; required by CUDA devices.
    bool squares = true;
    bool differences = false;  ///< the sums include a map of the noise of each target
    bool receivers = false;    ///< the sums include those of surfaces of receivers
    /// Number of maps of incident light on surfaces of receivers, which follow those of the
    /// targets; 0 if the surfaces reflect nothing.
    int64_t num_incident = 0;

    bool operator==(const SumsLayout&) const = default;

    /// Returns the number of maps that are not those of single heliostats.
    int64_t num_maps() const { return num_targets + num_incident; }
    /// Returns the number of pixels of these maps.
    int64_t flux_size() const { return num_maps() * height * width; }
    /// Returns the number of pixels of the maps of all heliostats.
    int64_t heliostat_flux_size() const {
        return per_heliostat ? num_heliostats * height * width : 0;
    }
    /// Returns the index of the interim sums: energy sums and squares of every heliostat, then the
    /// number of traced rays.
    int64_t interim_begin() const { return (squares ? 2 : 1) * flux_size(); }
    /// Returns the number of interim sums.
    int64_t interim_size() const { return num_heliostats * (kNumEnergySums + 1) + 1; }
    /// Returns the index of the number of rays.
    int64_t rays_index() const { return interim_begin() + interim_size() - 1; }
    /// Returns the index of the differences of half units, which follow all sums that a fingerprint
    /// covers.
    int64_t differences_begin() const { return rays_index() + 1; }
    /// Returns the index of the sums of surfaces of receivers: a square of the power of every map,
    /// then the light that each heliostat loses on shields and backs, then its ReflectedSums if the
    /// surfaces reflect.
    int64_t surfaces_begin() const { return differences_begin() + (differences ? flux_size() : 0); }
    /// Returns the index of the maps of single heliostats.
    int64_t heliostat_flux_begin() const {
        const int64_t num_losses = num_incident > 0 ? 1 + kNumReflectedSums : 1;
        return surfaces_begin() + (receivers ? num_maps() + num_losses * num_heliostats : 0);
    }
    /// Returns the number of all sums.
    int64_t total_size() const { return heliostat_flux_begin() + heliostat_flux_size(); }

    /// Returns pointers into a vector of total_size() sums.
    SumsView view(int64_t* sums) const {
        int64_t* const energy = sums + interim_begin();
        int64_t* const surfaces = receivers ? sums + surfaces_begin() : nullptr;
        int64_t* const shielded = receivers ? surfaces + num_maps() : nullptr;
        return {sums,
                squares ? sums + flux_size() : nullptr,
                energy,
                energy + num_heliostats * kNumEnergySums,
                per_heliostat ? sums + heliostat_flux_begin() : nullptr,
                differences ? sums + differences_begin() : nullptr,
                surfaces,
                shielded,
                num_incident > 0 ? shielded + num_heliostats : nullptr};
    }
};

}  // namespace helioray::kernels
