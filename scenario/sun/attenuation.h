// SPDX-License-Identifier: MIT
// The share of the reflected light that the air lets through on its way to the target.
#pragma once

#include "scenario/run_config.h"

#include <cmath>
#include <optional>

namespace helioray {

/// Transmittance as kernels evaluate it, with the slant range d in kilometres: up to the limit a
/// polynomial c[0] + c[1] d + ... + c[4] d^4, beyond it far_scale * exp(-far_rate * d).
struct AttenuationRecord {
    float coefficients[5] = {1.0F, 0.0F, 0.0F, 0.0F, 0.0F};  ///< c[0] to c[4], per km^i
    float limit_km = 0.0F;   ///< up to here the polynomial holds; 0: the exponential everywhere
    float far_scale = 1.0F;  ///< at distance 0, though it holds only beyond the limit
    float far_rate = 0.0F;   ///< per km
};

/// Record of a model; none gives 1 everywhere.
///
///   mirval                0.99321 - 0.1176 d + 0.0197 d^2 up to 1 km, exp(-0.1106 d) beyond
///                         (P. Leary and J. Hankins, MIRVAL user's guide, SAND77-8280)
///   vittitoe_biggs_clear  0.99326 - 0.1046 d + 0.017 d^2 - 0.002845 d^3, visual range 23 km
///   vittitoe_biggs_hazy   0.98707 - 0.2748 d + 0.03394 d^2, visual range 5 km
///                         (C. Vittitoe and F. Biggs, Terrestrial propagation loss, SAND78-1137C)
///   exponential           exp(-per_km d)
///   polynomial            the configuration's coefficients
///
/// Polynomials turn up again or fall below 0 at distances they were not made for. From 3 km on they
/// are continued by the exponential that has their value and slope there. Throws InputError for a
/// negative per_km, and for a polynomial that leaves [0, 1] or ascends within 3 km.
AttenuationRecord attenuation_record(const AttenuationConfig& config);

/// Returns the distance up to which the polynomial of a model holds, in metres; nothing for models
/// that are defined at any distance.
std::optional<double> polynomial_limit(const AttenuationConfig& config);

/// Returns the transmittance in double precision; the distance in metres, at least 0.
double transmittance(const AttenuationConfig& config, double distance_m);

/// The kernels' transmittance for a record; the distance in metres.
inline float transmittance(const AttenuationRecord& record, float distance_m) {
    const float d = 1e-3F * distance_m;
    if (d > record.limit_km) return record.far_scale * std::exp(-record.far_rate * d);
    const float* c = record.coefficients;
    return c[0] + d * (c[1] + d * (c[2] + d * (c[3] + d * c[4])));
}

}  // namespace helioray
