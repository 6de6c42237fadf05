// SPDX-License-Identifier: MIT
// Lists the members of the yield of a year for archives of bytes. A new member of a struct does not
// compile until it is listed here.
#pragma once

#include "raytracer/results/result_bytes.h"
#include "raytracer/studies/annual/annual.h"

namespace helioray {

// A member per line would hide that both lists are the same.
// clang-format off

template <typename Archive>
void members(Archive& archive, Archived<Archive, YearEnergy>& value) {
    auto& [energy, std_error, quadrature_error, months] = value;
    archive(energy, std_error, quadrature_error, months);
}

template <typename Archive>
void members(Archive& archive, Archived<Archive, AnnualHeliostat>& value) {
    auto& [name, target, energy, defocus, on_target] = value;
    archive(name, target, energy, defocus, on_target);
}

template <typename Archive>
void members(Archive& archive, Archived<Archive, AnnualTarget>& value) {
    auto& [name, energy] = value;
    archive(name, energy);
}

template <typename Archive>
void members(Archive& archive, Archived<Archive, YearAiming>& value) {
    auto& [strategy, center, positions, share, share_error, violation] = value;
    archive(strategy, center, positions, share, share_error, violation);
}

template <typename Archive>
void members(Archive& archive, Archived<Archive, GeodeticPosition>& value) {
    auto& [latitude, longitude, altitude] = value;
    archive(latitude, longitude, altitude);
}

template <typename Archive>
void members(Archive& archive, Archived<Archive, SkyGrid::Node>& value) {
    auto& [declination, hour_angle, azimuth, elevation] = value;
    archive(declination, hour_angle, azimuth, elevation);
}

template <typename Archive>
void members(Archive& archive, Archived<Archive, AnnualYield>& value) {
    auto& [provenance, irradiance, notes, plant, min_elevation, insolation, usable, targets,
           heliostats, energy, defocus, aiming, on_targets, plan, declinations, hours, nodes,
           weights, field_efficiency, efficiency] = value;
    archive(provenance, irradiance, notes, plant, min_elevation, insolation, usable, targets,
            heliostats, energy, defocus, aiming, on_targets, plan, declinations, hours, nodes,
            weights, field_efficiency, efficiency);
}

// clang-format on

}  // namespace helioray
