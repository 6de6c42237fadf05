// SPDX-License-Identifier: MIT
// Lists the members of tables of efficiency for archives of bytes. A new member of a struct does
// not compile until it is listed here.
#pragma once

#include "raytracer/studies/efficiency/efficiency.h"
#include "scenario/files/byte_archive.h"

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
void members(Archive& archive, Archived<Archive, EfficiencyTable>& value) {
    auto& [provenance, grid, suns, positions, checks, latitude, heliostats, mirror_area,
           land_area, height, shares, parked, std_error, interpolation_error, reached, targets]
           = value;
    archive(provenance, grid, suns, positions, checks, latitude, heliostats, mirror_area,
            land_area, height, shares, parked, std_error, interpolation_error, reached,
            targets);
}

// clang-format on

}  // namespace helioray
