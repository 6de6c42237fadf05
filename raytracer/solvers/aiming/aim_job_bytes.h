// SPDX-License-Identifier: MIT
// Lists the members of chosen aim points for archives of bytes. A new member of a struct does not
// compile until it is listed here.
#pragma once

#include "raytracer/results/result_bytes.h"
#include "raytracer/solvers/aiming/aim_job.h"

#include <memory>
#include <optional>
#include <utility>

namespace helioray {

// A member per line would hide that both lists are the same.
// clang-format off

template <typename Archive>
void members(Archive& archive, Archived<Archive, Aim>& value) {
    auto& [heliostat, target, point, motors] = value;
    archive(heliostat, target, point, motors);
}

template <typename Archive>
void members(Archive& archive, Archived<Archive, HeliostatAim>& value) {
    auto& [target, point, motors, active] = value;
    archive(target, point, motors, active);
}

template <typename Archive>
void members(Archive& archive, Archived<Archive, AimConfig>& value) {
    auto& [target, point, active, heliostats, file] = value;
    archive(target, point, active, heliostats, file);
}

template <typename Archive>
void members(Archive& archive, Archived<Archive, AimingConfig>& value) {
    auto& [strategy, limit, limit_file, map, measure, sigma, robust, confidence, shares,
           most_move, min_move] = value;
    archive(strategy, limit, limit_file, map, measure, sigma, robust, confidence, shares,
            most_move, min_move);
}

template <typename Archive>
void members(Archive& archive, Archived<Archive, SunAngles>& value) {
    auto& [azimuth, elevation, time] = value;
    archive(azimuth, elevation, time);
}

template <typename Archive>
void members(Archive& archive, Archived<Archive, SunTime>& value) {
    auto& [time] = value;
    archive(time);
}

template <typename Archive>
void members(Archive& archive, Archived<Archive, SunIncidentDirection>& value) {
    auto& [direction] = value;
    archive(direction);
}

template <typename Archive>
void members(Archive& archive, Archived<Archive, LitStep>& value) {
    auto& [position, time, azimuth, elevation, direction, dni, aim] = value;
    archive(position, time, azimuth, elevation, direction, dni);
    std::optional<AimConfig> own;
    if constexpr (Archive::kReads) {
        archive(own);
        if (own) aim = std::make_shared<const AimConfig>(std::move(*own));
    } else {
        if (aim) own = *aim;
        archive(own);
    }
}

}  // namespace helioray

namespace helioray::aiming {

template <typename Archive>
void members(Archive& archive, Archived<Archive, AimedPoint>& value) {
    auto& [aim, x, y, active] = value;
    archive(aim, x, y, active);
}

template <typename Archive>
void members(Archive& archive, Archived<Archive, PixelsBeyond>& value) {
    auto& [across, down] = value;
    archive(across, down);
}

template <typename Archive>
void members(Archive& archive, Archived<Archive, LimitMap>& value) {
    auto& [target, limit, price, beyond] = value;
    archive(target, limit, price, beyond);
}

template <typename Archive>
void members(Archive& archive, Archived<Archive, TargetShare>& value) {
    auto& [target, wanted, reached] = value;
    archive(target, wanted, reached);
}

template <typename Archive>
void members(Archive& archive, Archived<Archive, Round>& value) {
    auto& [iterations, power, bound, share, seconds] = value;
    archive(iterations, power, bound, share, seconds);
}

template <typename Archive>
void members(Archive& archive, Archived<Archive, AimErrors>& value) {
    auto& [sigma, calibrated, tracking] = value;
    archive(sigma, calibrated, tracking);
}

template <typename Archive>
void members(Archive& archive, Archived<Archive, AimingResult>& value) {
    auto& [points, power, power_error, bound, margin, peak, peak_error, share, share_error,
           place, share_before, errors, factor, price, distance, distance_before, off,
           iterations, traces, kept, shares, met, violation, limits, shields, rounds, before,
           follows, after] = value;
    archive(points, power, power_error, bound, margin, peak, peak_error, share, share_error,
            place, share_before, errors, factor, price, distance, distance_before, off,
            iterations, traces, kept, shares, met, violation, limits, shields, rounds, before,
            follows, after);
}

template <typename Archive>
void members(Archive& archive, Archived<Archive, AimedStep>& value) {
    auto& [sun, aiming, seconds] = value;
    archive(sun, aiming, seconds);
}

template <typename Archive>
void members(Archive& archive, Archived<Archive, AimSeries>& value) {
    auto& [steps, strongest, shown, done_before] = value;
    archive(steps, strongest, shown, done_before);
}

/// Lists the members of chosen aim points but their scenario; of the configuration only sections
/// aim and aiming.
template <typename Archive>
void members(Archive& archive, Archived<Archive, ChosenAims>& value) {
    archive(value.found, value.config.aim, value.config.aiming, value.seconds);
}

// clang-format on

}  // namespace helioray::aiming
