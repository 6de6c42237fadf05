// SPDX-License-Identifier: MIT
// Absorption and reflection at the fronts of surfaces of receivers.
#pragma once

#include "scenario/types/range.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Dependence of the absorptance on the angle of incidence: none, the polynomial of Duffie and
/// Beckman for flat black absorbers, or the formula of Martin and Ruiz.
enum class AbsorptanceLaw { constant, duffie_beckman, martin_ruiz };

/// Range of absorptances and of the specular part of reflected light.
inline constexpr Range kFractions{0.0, 1.0, false, false, "it is a fraction"};
/// Range of the coefficient of Martin and Ruiz.
inline constexpr Range kMartinRuizCoefficients{
    0.0, 10.0, true, false, "it is a small positive number"};
/// Range of the number of reflections that are followed.
inline constexpr Range kBounces{0.0, 1000.0, false, false, "it is a number of reflections"};

/// Range of slope errors of mirrors among the surfaces of receivers, radians.
inline constexpr Range kMirrorSlopes{0.0, 0.1, false, false, "it is a small angle"};

/// The front of an absorbing surface or a mirror. What it does not absorb is reflected.
struct SurfaceAbsorption {
    double absorptance = 1.0;                       ///< absorbed fraction at normal incidence
    AbsorptanceLaw law = AbsorptanceLaw::constant;  ///< factor of `absorptance` by angle
    double martin_ruiz_coefficient = 0.16;          ///< coefficient of AbsorptanceLaw::martin_ruiz
    /// Rows [angle of incidence in degrees, absorptance] that replace absorptance and law; linear
    /// between them, constant beyond the last. Empty: no table.
    std::vector<std::array<double, 2>> table = {};
    double specular_fraction = 0.0;  ///< part of the reflected light that is specular, not diffuse
    /// The surface reflects light that was reflected fewer times before; other light is lost.
    int64_t bounces = 0;
    /// Standard deviation of the surface normal about each tangent, for specular light, radians.
    double slope_error = 0.0;
    bool operator==(const SurfaceAbsorption&) const = default;
};

/// Returns the front of a mirror, which reflects light as often as it meets it.
SurfaceAbsorption mirror_front(double reflectivity, double slope_error);

/// Returns the absorbed fraction at an angle of incidence from 0 to pi / 2.
double absorptance_at(const SurfaceAbsorption& surface, double angle);

/// A wrong number of a surface.
struct AbsorptionFault {
    std::string member;  ///< name of the key or dataset, "absorptance_table"
    std::string what;    ///< what is wrong
    std::string why;     ///< reason
    std::string advice;  ///< what to do
};
/// Returns the first wrong number: values out of range, tables that do not ascend from 0 degrees.
std::optional<AbsorptionFault> find_absorption_fault(const SurfaceAbsorption& surface);

}  // namespace helioray
