// SPDX-License-Identifier: MIT
// Warnings about targets without light although heliostats aim at them in daylight.
#pragma once

#include "raytracer/results/series/series.h"
#include "raytracer/tracing/geometry/aiming.h"
#include "raytracer/tracing/job/result.h"
#include "scenario/types/types.h"

#include <cstddef>
#include <string>
#include <vector>

namespace helioray {

/// Returns "no light reaches target 'receiver'", the statement of every message about it.
std::string no_light(const std::string& target);

/// Advice about a target without light.
extern const char* const kNoLightAdvice;

/// Returns the name under which the light of a target is judged: that of its receiver, because some
/// of a receiver's surfaces may be dark.
std::string light_name(const std::string& target, const std::string& receiver);

/// Counts the cases (positions of the sun, variants) in which heliostats aim at one target in
/// daylight.
class LightCount {
  public:
    /// Adds a case in daylight. label: its name in messages.
    void add(bool is_lit, const std::string& label = "");

    /// Returns the warning about this target, or an empty list if all cases are lit. cases: kind of
    /// the cases, "positions of the sun"; unused if there is one case.
    std::vector<std::string> warning(const std::string& target, const std::string& cases) const;

  private:
    std::size_t count_ = 0;
    std::size_t dark_ = 0;
    std::string first_dark_;  ///< label of the first dark case
};

/// Returns a warning for each target that receives no power although the sun shines on heliostats
/// that aim at it. The warnings follow from stored numbers, so results from files have the same
/// warnings as new results.
std::vector<std::string> light_warnings(const RunResult& result);

/// Returns the warnings for a series, with the number of affected positions of the sun.
std::vector<std::string> light_warnings(const SeriesResult& series);

/// Returns all warnings that the program prints about a result: light_warnings() and
/// accuracy_warning().
std::vector<std::string> result_warnings(const RunResult& result);

/// Returns a warning for each flat target if all heliostats that aim at it are located behind its
/// front, and an empty list if the plant has secondary mirrors. Needs no rays.
std::vector<std::string> front_warnings(const Scenario& scenario, const std::vector<Aim>& aims);

}  // namespace helioray
