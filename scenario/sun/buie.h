// SPDX-License-Identifier: MIT
// Buie's sun: a disc, and an aureole whose fraction of the power is the circumsolar ratio.
#pragma once

#include "scenario/types/types.h"

namespace helioray {

/// Radiance of D. Buie, A. Monger and C. Dey, Sunshape distributions for terrestrial solar
/// simulations, Solar Energy 74 (2003) 113-122, relative to the disc's centre, with the angle t in
/// mrad: cos(0.326 t) / cos(0.308 t) in the disc, exp(kappa) t^gamma in the aureole.
struct BuieParameters {
    /// Circumsolar ratio in the published formulas of kappa and gamma; 0: no aureole.
    double x = 0.0;
    double kappa = 0.0;  ///< 0.9 ln(13.5 x) x^-0.3
    double gamma = 0.0;  ///< 2.2 ln(0.52 x) x^0.43 - 0.1; exponent of the angle in mrad
};

inline constexpr double kBuieDisc = 4.65e-3;     ///< radians, edge of the disc
inline constexpr double kBuieAureole = 43.6e-3;  ///< radians, edge of the aureole

/// Returns the parameters for a shape. With x = csr the formulas do not give the requested ratio
/// (0.02 becomes 0.0058), so x is solved for (exact) or computed with the polynomials of Tonatiuh++
/// (also used by Solstice) or of Tracer. Throws InputError for a ratio outside kCircumsolarRatios.
BuieParameters buie_parameters(const BuieShape& shape);

/// Returns kappa and gamma for x, positive or 0 (no aureole).
BuieParameters buie_parameters_of(double x);

/// Returns the integral of radiance * theta from the centre to theta, which must be in the disc,
/// rad^2; 9.22474e-6 for the whole disc.
double buie_disc_integral(double theta = kBuieDisc);
/// Returns the integral of radiance * theta from the disc's edge to theta, which must be in the
/// aureole, rad^2.
double buie_ring_integral(const BuieParameters& parameters, double theta = kBuieAureole);
/// Returns the angle within which the aureole has a fraction `share` of its power, [0, 1].
double buie_ring_angle(const BuieParameters& parameters, double share);

/// Returns the relative radiance at an angle in radians.
double buie_radiance(const BuieParameters& parameters, double theta);

/// Returns the aureole's fraction of the power for these parameters.
double buie_realised_csr(const BuieParameters& parameters);

}  // namespace helioray
