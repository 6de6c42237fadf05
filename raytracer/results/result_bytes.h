// SPDX-License-Identifier: MIT
// Lists the members of results for archives of bytes. A new member of a struct does not compile
// until it is listed here.
#pragma once

#include "raytracer/tracing/job/result.h"
#include "scenario/files/byte_archive.h"
#include "scenario/types/targets/target_member.h"

#include <string>
#include <type_traits>

namespace helioray {

// A member per line would hide that both lists are the same.
// clang-format off

/// Lists the members of a target's shape.
template <typename Archive, typename Shape>
requires requires {
    std::remove_const_t<Shape>::kGroup;
}
void members(Archive& archive, Shape& shape) {
    Shape::members(shape, [&](const TargetMember&, auto& member) { archive(member); });
}

/// Lists the members of a struct of results.
template <typename Archive>
void members(Archive& archive, Archived<Archive, Target>& value) {
    auto& [name, geometry] = value;
    archive(name, geometry);
}
template <typename Archive>
void members(Archive& archive, Archived<Archive, SharedNoise>& value) {
    auto& [excess, area, bilinear] = value;
    archive(excess, area, bilinear);
}
template <typename Archive>
void members(Archive& archive, Archived<Archive, TargetResult>& value) {
    auto& [target, width, height, unit, flux, flux_error, noise, power, power_error, peak,
           peak_error, area, pixel, centroid] = value;
    archive(target, width, height, unit, flux, flux_error, noise, power, power_error, peak,
            peak_error, area, pixel, centroid);
}
template <typename Archive>
void members(Archive& archive, Archived<Archive, EnergyTerms>& value) {
    auto& [solar, cosine, shading, reflection, blocking, attenuation, spillage, target] = value;
    archive(solar, cosine, shading, reflection, blocking, attenuation, spillage, target);
}
template <typename Archive>
void members(Archive& archive, Archived<Archive, HeliostatResult>& value) {
    auto& [name, target, energy, defocus, error, orientation, motors, aim, outline, rays, flux]
           = value;
    archive(name, target, energy, defocus, error, orientation, motors, aim, outline, rays,
            flux);
}
template <typename Archive>
void members(Archive& archive, Archived<Archive, Provenance>& value) {
    auto& [version, commit, created, config, file, sha256, seed, rays, world, backend, device,
           launcher, fingerprint, sun, instructions] = value;
    archive(version, commit, created, config, file, sha256, seed, rays, world, backend, device,
            launcher, fingerprint, sun, instructions);
}
template <typename Archive>
void members(Archive& archive, Archived<Archive, AccuracyReport>& value) {
    auto& [wanted, reached, target, rays, most_rays, of] = value;
    archive(wanted, reached, target, rays, most_rays, of);
}
template <typename Archive>
void members(Archive& archive, Archived<Archive, RunResult>& value) {
    auto& [provenance, step, accuracy, targets, heliostats, uncertainty, trace_seconds,
           total_seconds, rays_before, rate, memory] = value;
    archive(provenance, step, accuracy, targets, heliostats, uncertainty, trace_seconds,
            total_seconds, rays_before, rate, memory);
}

// clang-format on

}  // namespace helioray
