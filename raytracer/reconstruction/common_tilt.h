// SPDX-License-Identifier: MIT
// The tilt that all facets of a mirror have in common, from recorded motor positions. Internal to
// this folder.
#pragma once

#include "raytracer/reconstruction/fit_mirror.h"
#include "raytracer/reconstruction/flux_records.h"

#include <array>
#include <optional>
#include <span>

namespace helioray::reconstruction {

/// Slopes that a fitted mirror lacks as a whole, radians, along its east and north.
struct CommonTilt {
    std::array<double, 2> slope{};     ///< du/de and du/dn
    std::array<double, 2> variance{};  ///< rad^2
};

/// What the motor positions show of the tilt: turned by them, the fitted mirror has its light
/// beside the measured one by the tilt that it lacks, and by all that the kinematics do not know.
/// records: of the fit's images, in their order. Nothing where fewer than two records have motor
/// positions, and where the kinematics are evidently not right: records contradict each other by
/// more than 0.5 mrad (standard deviation of either slope), or their mean is more than 3 mrad.
std::optional<CommonTilt> shown_tilt(const MirrorShape& shape,
                                     const MirrorFit& fit,
                                     std::span<const FluxRecord> records);

/// Conditions the Gaussian of the fit's unknowns on the tilt. Mirrors are expected to be tilted by
/// 1 mrad as a whole. Shifts and models stay: they are those of the mirror without the tilt.
void take_tilt(const MirrorShape& shape, const CommonTilt& tilt, MirrorFit& fit);

}  // namespace helioray::reconstruction
