// SPDX-License-Identifier: MIT
// Estimates the common tilt of all facets of a mirror from recorded motor positions. Internal to
// this folder.
#pragma once

#include "raytracer/solvers/reconstruction/fit/fit_mirror.h"
#include "raytracer/solvers/reconstruction/images/flux_records.h"

#include <array>
#include <optional>
#include <span>

namespace helioray::reconstruction {

/// Slopes that a fitted mirror lacks as a whole, radians, along its east and north.
struct CommonTilt {
    std::array<double, 2> slope{};     ///< Slopes du/de and du/dn.
    std::array<double, 2> variance{};  ///< Variances of the slopes, rad^2.
};

/// Estimates the tilt that the motor positions show. If the fitted mirror is turned by them, its
/// light is displaced from the measured light by the missing tilt and by all errors of the
/// kinematics. `records` are those of the fit's images, in their order. Returns nothing if fewer
/// than two records have motor positions, and if the kinematics are evidently wrong: records
/// contradict each other by more than 0.5 mrad (standard deviation of either slope), or their mean
/// is more than 3 mrad.
std::optional<CommonTilt> shown_tilt(const MirrorShape& shape,
                                     const MirrorFit& fit,
                                     std::span<const FluxRecord> records);

/// Conditions the Gaussian of the fit's unknowns on the tilt. A mirror as a whole is expected to be
/// tilted by 1 mrad. Shifts and models are not changed: they remain those of the mirror without the
/// tilt.
void take_tilt(const MirrorShape& shape, const CommonTilt& tilt, MirrorFit& fit);

}  // namespace helioray::reconstruction
