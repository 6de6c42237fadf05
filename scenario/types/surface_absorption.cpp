// SPDX-License-Identifier: MIT
// Absorptance by angle of incidence.
#include "scenario/types/surface_absorption.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace helioray {

namespace {

/// Returns the absorptance of a flat black absorber relative to normal incidence (Duffie and
/// Beckman, Solar engineering of thermal processes, equation 4.11.1). The polynomial holds up to 80
/// degrees; from there it goes straight to 0 at 90 degrees.
double duffie_beckman(double degrees) {
    constexpr double kEnd = 80.0;
    constexpr std::array<double, 8> kCoefficients{
        1.0, -1.5879e-3, 2.7314e-4, -2.3026e-5, 9.0244e-7, -1.8e-8, 1.7734e-10, -6.9937e-13};
    const double t = std::min(degrees, kEnd);
    double value = 0.0;
    for (auto c = kCoefficients.rbegin(); c != kCoefficients.rend(); ++c) value = value * t + *c;
    return degrees <= kEnd ? value : value * (90.0 - degrees) / (90.0 - kEnd);
}

double interpolate(const std::vector<std::array<double, 2>>& table, double degrees) {
    if (degrees >= table.back()[0]) return table.back()[1];
    size_t i = 1;
    while (table[i][0] < degrees) ++i;
    const auto& [low, at_low] = table[i - 1];
    const auto& [high, at_high] = table[i];
    return std::lerp(at_low, at_high, (degrees - low) / (high - low));
}

}  // namespace

SurfaceAbsorption mirror_front(double reflectivity, double slope_error) {
    SurfaceAbsorption front;
    front.absorptance = 1.0 - reflectivity;
    front.specular_fraction = 1.0;
    front.bounces = static_cast<int64_t>(kBounces.high);
    front.slope_error = slope_error;
    return front;
}

double absorptance_at(const SurfaceAbsorption& surface, double angle) {
    const double degrees = angle * 180.0 / std::numbers::pi;
    if (!surface.table.empty()) return interpolate(surface.table, degrees);
    double factor = 1.0;
    switch (surface.law) {
        case AbsorptanceLaw::constant:
            break;
        case AbsorptanceLaw::duffie_beckman:
            factor = duffie_beckman(degrees);
            break;
        case AbsorptanceLaw::martin_ruiz:
            factor = std::expm1(-std::cos(angle) / surface.martin_ruiz_coefficient) /
                     std::expm1(-1.0 / surface.martin_ruiz_coefficient);
            break;
    }
    return surface.absorptance * std::clamp(factor, 0.0, 1.0);
}

std::optional<AbsorptionFault> find_absorption_fault(const SurfaceAbsorption& surface) {
    const auto outside = [](const char* member, double value, const Range& range) {
        return AbsorptionFault{
            member, fmt::format("is {}", value), range.why, "give a value " + range.sentence()};
    };
    if (!kFractions.contains(surface.absorptance))
        return outside("absorptance", surface.absorptance, kFractions);
    if (!kFractions.contains(surface.specular_fraction))
        return outside("specular_fraction", surface.specular_fraction, kFractions);
    if (!kMartinRuizCoefficients.contains(surface.martin_ruiz_coefficient))
        return outside(
            "martin_ruiz_coefficient", surface.martin_ruiz_coefficient, kMartinRuizCoefficients);
    if (!kBounces.contains(static_cast<double>(surface.bounces)))
        return outside("bounces", static_cast<double>(surface.bounces), kBounces);
    if (!kMirrorSlopes.contains(surface.slope_error))
        return outside("slope_error", surface.slope_error, kMirrorSlopes);
    const auto& table = surface.table;
    if (table.empty()) return std::nullopt;
    const auto fault = [](const std::string& what, const std::string& advice) {
        return AbsorptionFault{
            "absorptance_table", what, "its rows are [angle of incidence, absorptance]", advice};
    };
    if (table.size() < 2)
        return fault("has one row only", "give at least two, the first for 0 degrees");
    if (table.front()[0] != 0.0)
        return fault(fmt::format("begins at {} degrees", table.front()[0]), "begin at 0 degrees");
    for (size_t i = 0; i < table.size(); ++i) {
        const auto& [degrees, value] = table[i];
        if (i > 0 && !(degrees > table[i - 1][0]))
            return fault(fmt::format("row {} is not above the row before", i + 1),
                         "give the angles in ascending order");
        if (!(degrees <= 90.0))
            return fault(fmt::format("row {} has an angle of {} degrees", i + 1, degrees),
                         "give angles from 0 to 90 degrees");
        if (!kFractions.contains(value))
            return fault(fmt::format("row {} has an absorptance of {}", i + 1, value),
                         "give fractions from 0 to 1");
    }
    return std::nullopt;
}

}  // namespace helioray
