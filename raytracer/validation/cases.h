// SPDX-License-Identifier: MIT
// The groups of cases; each function returns its table as things to run.
#pragma once

#include "raytracer/validation/study.h"

#include <vector>

namespace helioray::validation {

/// F1 to F10: one paraboloid on its axis, power on the target and flux at its centre.
std::vector<Case> closed_form_cases();
/// M1 to M11: cosine, flat mirrors, dish, sphere, astigmatism, sun shapes, errors, attenuation.
std::vector<Case> single_mirror_cases();
/// M12 and M13: parallel mirrors that shade and block, and the whole scene turned.
std::vector<Case> scene_cases();
/// S1 and S2: Buie's circumsolar ratio and what it spills.
std::vector<Case> buie_cases();
/// A1 to A3, rounds of Wang et al.: one mirror on its axis.
std::vector<Case> round_a_cases();
/// B1 and B2: one heliostat at four places and two hours.
std::vector<Case> round_b_cases();
/// C1 and C2: 522 heliostats with shading and blocking.
std::vector<Case> round_c_cases();
/// T: transmittance of the air; P: position of the sun.
std::vector<Case> air_cases();
std::vector<Case> sun_position_cases();

/// The unit tolerance: four standard errors and a relative model error.
inline double four_sigma(double std_error, double relative, double reference) {
    return 4.0 * std_error + relative * (reference < 0.0 ? -reference : reference);
}

/// Tolerance of published powers, relative: the tools agree to about 0.1 %, which few rays cannot
/// resolve.
inline double published_tolerance(const Effort& effort) {
    return effort.full ? 1e-3 : 3e-3;
}

/// What a mirror of finite size changes of the closed forms for an infinitely small one; 10 m at
/// 500 m.
inline constexpr double kFiniteMirror = 1e-4;

}  // namespace helioray::validation
