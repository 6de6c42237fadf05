// SPDX-License-Identifier: MIT
// The closed-form and published cases, in groups and all together.
#pragma once

#include "app/validation/study.h"

#include <functional>
#include <string>
#include <vector>

namespace helioray::validation {

/// Returns cases F1 to F10: one paraboloid on its axis, power on the target and flux at its centre.
std::vector<Case> closed_form_cases();
/// Returns cases M1 to M11: cosine, flat mirrors, dish, sphere, astigmatism, sun shapes, errors,
/// attenuation.
std::vector<Case> single_mirror_cases();
/// Returns cases M12 and M13: parallel mirrors that shade and block, and a rotated scene.
std::vector<Case> scene_cases();
/// Returns cases S1 and S2: Buie's circumsolar ratio and the resulting spillage.
std::vector<Case> buie_cases();
/// Returns cases A1 to A3, rounds of Wang et al.: one mirror on its axis.
std::vector<Case> round_a_cases();
/// Returns cases B1 and B2: one heliostat at four places and two hours.
std::vector<Case> round_b_cases();
/// Returns cases C1 and C2: 522 heliostats with shading and blocking.
std::vector<Case> round_c_cases();
/// Return cases T, transmittance of the air, and P, position of the sun.
std::vector<Case> air_cases();
std::vector<Case> sun_position_cases();

/// Returns all cases, in the order they are printed.
std::vector<Case> all_cases();

/// Called before each case; may throw to stop.
using CaseObserver = std::function<void(const Case&)>;

/// Runs the cases whose id or title contains `only` (all of them if it is empty), whole fields with
/// effort.full only, and appends the identities that must hold in every traced scene. A case that
/// this version cannot compute becomes a row with a note, which does not pass. Throws InputError if
/// no case matches.
std::vector<Row> validate(const Effort& effort,
                          const std::string& only = "",
                          const CaseObserver& observer = {});

}  // namespace helioray::validation
