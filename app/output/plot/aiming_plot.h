// SPDX-License-Identifier: MIT
// Draws pictures of aim points: flux before and after relative to the limit, shadow prices, field,
// convergence.
#pragma once

#include "app/output/plot/drawing/plot_page.h"
#include "raytracer/solvers/aiming/aim_field.h"
#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace helioray {

/// Panels of aiming that belong together.
struct AimingPart {
    std::string description;  ///< description for readers who cannot see the picture
    /// Panels; all parts but the last have the same number of them.
    std::vector<std::unique_ptr<Panel>> panels;
};

/// Returns the panels of all targets that are aimed at. For each target: the flux before and after
/// on one colour scale, relative to the limit if there is one, with cells outlined that exceed the
/// limit by more than three standard errors; the aim points; and the shadow price of the limit if
/// there is one. The last part has the flux on shields relative to their limits, the field coloured
/// by the height of the aim points with crosses for heliostats that are turned off, and the
/// convergence if there were several rounds. `result` outlives the parts.
std::vector<AimingPart> aiming_parts(const aiming::AimingResult& result, const Scenario& scenario);

/// Returns one line about the strategy that chose the aim points, and the limit.
std::string strategy_text(const AimingConfig& config);

/// Returns a description of the aim points before: "aimed at the centre".
std::string before_text(const aiming::AimingResult& result);

/// Returns a heading for violated limits; AimingResult::violation has the details.
std::string unkept_text(const aiming::AimingResult& result);

/// Returns the gain in per cent of power for 1 % more on all limits, from the shadow prices; 0
/// without limits.
double price_of_limits(const aiming::AimingResult& result);

/// Returns the gain of price_of_limits() as text with two digits: "0.61 %", or "< 0.001 %".
std::string price_text(double percent);

/// Draws all parts and a line of figures on one page and stores it as PNG, SVG or PDF, according to
/// the extension, completely or not at all. Throws InputError for another extension,
/// std::runtime_error with the file's name if it cannot be stored.
void plot_aiming(const aiming::AimingResult& result,
                 const RunConfig& config,
                 const Scenario& scenario,
                 const std::filesystem::path& picture);

}  // namespace helioray
