// SPDX-License-Identifier: MIT
// Transmittance of the air for reflected light on its way to the target.
#pragma once

#include "scenario/types/run_config.h"

#include <cmath>
#include <optional>

namespace helioray {

/// Transmittance in the form of the kernels, with the slant range d in kilometres: up to the limit
/// a polynomial c[0] + c[1] d + ... + c[4] d^4, beyond it far_scale * exp(-far_rate * d).
struct AttenuationRecord {
    float coefficients[5] = {1.0F, 0.0F, 0.0F, 0.0F, 0.0F};  ///< c[0] to c[4], per km^i
    float limit_km = 0.0F;   ///< end of the polynomial's range, km; 0: exponential everywhere
    float far_scale = 1.0F;  ///< factor of the exponential, which is valid only beyond the limit
    float far_rate = 0.0F;   ///< rate of the exponential, per km
};

/// Returns the record of a model; `none` gives 1 everywhere.
///
///   mirval                0.99321 - 0.1176 d + 0.0197 d^2 up to 1 km, exp(-0.1106 d) beyond
///                         (P. Leary and J. Hankins, MIRVAL user's guide, SAND77-8280)
///   vittitoe_biggs_clear  0.99326 - 0.1046 d + 0.017 d^2 - 0.002845 d^3, visual range 23 km
///   vittitoe_biggs_hazy   0.98707 - 0.2748 d + 0.03394 d^2, visual range 5 km
///                         (C. Vittitoe and F. Biggs, Terrestrial propagation loss, SAND78-1137C)
///   exponential           exp(-per_km d)
///   polynomial            the configuration's coefficients
///
/// Polynomials increase again or become negative at distances for which they were not fitted. From
/// 3 km on they are continued by the exponential with their value and slope there. Throws
/// InputError for a negative per_km, and for a polynomial that leaves [0, 1] or increases within 3
/// km.
AttenuationRecord attenuation_record(const AttenuationConfig& config);

/// Returns the distance up to which the polynomial of a model holds, in metres; no value for models
/// that are defined at any distance.
std::optional<double> polynomial_limit(const AttenuationConfig& config);

/// Returns the transmittance in double precision; the distance is in metres, at least 0.
double transmittance(const AttenuationConfig& config, double distance_m);

/// Returns the kernels' transmittance for a record; the distance is in metres.
inline float transmittance(const AttenuationRecord& record, float distance_m) {
    const float d = 1e-3F * distance_m;
    if (d > record.limit_km) return record.far_scale * std::exp(-record.far_rate * d);
    const float* c = record.coefficients;
    return c[0] + d * (c[1] + d * (c[2] + d * (c[3] + d * c[4])));
}

}  // namespace helioray
