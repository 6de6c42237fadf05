// SPDX-License-Identifier: MIT
// Lists the members of tables of efficiency for archives of bytes. A new member of a struct does
// not compile until it is listed here.
#pragma once

#include "raytracer/results/result_bytes.h"
#include "raytracer/studies/efficiency/efficiency.h"

#include <utility>
#include <vector>

namespace helioray {

// A member per line would hide that both lists are the same.
// clang-format off

template <typename Archive>
void members(Archive& archive, Archived<Archive, SunRectangle>& value) {
    if constexpr (Archive::kReads) {
        std::vector<double> azimuths, elevations;
        archive(azimuths, elevations);
        value = {std::move(azimuths), std::move(elevations)};
    } else {
        archive(value.azimuths(), value.elevations());
    }
}

template <typename Archive>
void members(Archive& archive, Archived<Archive, EfficiencyTarget>& value) {
    auto& [target, width, height, efficiency, std_error, interpolation_error, share,
           share_error] = value;
    archive(target, width, height, efficiency, std_error, interpolation_error, share,
            share_error);
}

template <typename Archive>
void members(Archive& archive, Archived<Archive, EfficiencyTable>& value) {
    auto& [provenance, grid, suns, positions, checks, latitude, heliostats, mirror_area,
           land_area, height, shares, parked, std_error, interpolation_error, reached, targets]
           = value;
    std::vector<char> are_reached(reached.begin(), reached.end());
    archive(provenance, grid, suns, positions, checks, latitude, heliostats, mirror_area,
            land_area, height, shares, parked, std_error, interpolation_error, are_reached,
            targets);
    if constexpr (Archive::kReads) reached.assign(are_reached.begin(), are_reached.end());
}

// clang-format on

}  // namespace helioray
