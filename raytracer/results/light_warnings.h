// SPDX-License-Identifier: MIT
// Warnings about targets that no light reaches although heliostats aim at them in daylight.
#pragma once

#include "raytracer/geometry/aiming.h"
#include "raytracer/job/result.h"
#include "raytracer/results/series.h"
#include "scenario/types.h"

#include <cstddef>
#include <string>
#include <vector>

namespace helioray {

/// Returns "no light reaches target 'receiver'", the statement of every message about it.
std::string no_light(const std::string& target);

/// What users should check where no light reaches a target.
extern const char* const kNoLightAdvice;

/// Counts the cases (positions of the sun, variants) in which heliostats aim at one target in
/// daylight.
class LightCount {
  public:
    /// Adds a case in daylight; label: its name in messages.
    void add(bool is_lit, const std::string& label = "");

    /// Returns the warning about this target, or nothing where all cases are lit. cases: what they
    /// are, "positions of the sun"; unused where there is one case.
    std::vector<std::string> warning(const std::string& target, const std::string& cases) const;

  private:
    std::size_t count_ = 0;
    std::size_t dark_ = 0;
    std::string first_dark_;  ///< label of the first dark case
};

/// Returns a warning for each target that receives no power although the sun shines on heliostats
/// that aim at it. Follows from stored numbers: results from files have the same warnings as new
/// ones.
std::vector<std::string> light_warnings(const RunResult& result);

/// The same for a series, whose warnings name how many positions of the sun they are about.
std::vector<std::string> light_warnings(const SeriesResult& series);

/// Everything that the program prints as a warning about a result: light_warnings() and
/// accuracy_warning().
std::vector<std::string> result_warnings(const RunResult& result);

/// Returns a warning for each flat target behind whose front all heliostats that aim at it are
/// located. Needs no rays.
std::vector<std::string> front_warnings(const Scenario& scenario, const std::vector<Aim>& aims);

}  // namespace helioray
