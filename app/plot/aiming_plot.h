// SPDX-License-Identifier: MIT
// Pictures of aim points: flux before and after against the limit, prices, field, convergence.
#pragma once

#include "app/plot/plot_page.h"
#include "raytracer/aiming/aim_field.h"
#include "scenario/run_config.h"
#include "scenario/types.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace helioray {

/// Some panels of aiming that belong together.
struct AimingPart {
    std::string description;                     ///< for readers who cannot see it
    std::vector<std::unique_ptr<Panel>> panels;  ///< all parts but the last: as many each
};

/// For every target that is aimed at: the flux before and after on one colour scale, as a share of
/// the limit where there is one, cells above the limit by more than three standard errors outlined;
/// the aim points; and the price of the limit where there is one. Last, the flux on shields as a
/// share of their limits, the field coloured by the height of the aim points with crosses for
/// heliostats that are turned off, and the convergence where there were several rounds. `result`
/// outlives the parts.
std::vector<AimingPart> aiming_parts(const aiming::AimingResult& result, const Scenario& scenario);

/// One line: how aim points were chosen, and the limit.
std::string strategy_text(const AimingConfig& config);

/// Which aim points were before: "aimed at the centre".
std::string before_text(const aiming::AimingResult& result);

/// What cannot be kept, before AimingResult::violation says how.
std::string unkept_text(const aiming::AimingResult& result);

/// Per cent of power that 1 % more on all limits would bring, from the prices; 0 without.
double price_of_limits(const aiming::AimingResult& result);

/// The same as text with two digits: "0.61 %", or "< 0.001 %".
std::string price_text(double percent);

/// Draws all parts and a line of figures on one page and stores it as PNG, SVG or PDF after the
/// file name; completely or not at all. Throws InputError for another ending, std::runtime_error
/// naming the file when it cannot be stored.
void plot_aiming(const aiming::AimingResult& result,
                 const RunConfig& config,
                 const Scenario& scenario,
                 const std::filesystem::path& picture);

}  // namespace helioray
