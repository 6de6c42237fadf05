// SPDX-License-Identifier: MIT
// Buie's sun: a disc and an aureole whose share of the power is the circumsolar ratio.
#pragma once

#include "scenario/types.h"

namespace helioray {

/// Radiance of D. Buie, A. Monger and C. Dey, Sunshape distributions for terrestrial solar
/// simulations, Solar Energy 74 (2003) 113-122, relative to the disc's centre, with the angle t in
/// mrad: cos(0.326 t) / cos(0.308 t) in the disc, exp(kappa) t^gamma in the aureole.
struct BuieParameters {
    double x = 0.0;  ///< what the published formulas of kappa and gamma take as circumsolar ratio;
                     ///< 0: no aureole
    double kappa = 0.0;  ///< 0.9 ln(13.5 x) x^-0.3
    double gamma = 0.0;  ///< 2.2 ln(0.52 x) x^0.43 - 0.1; exponent of the angle in mrad
};

inline constexpr double kBuieDisc = 4.65e-3;     ///< radians, edge of the disc
inline constexpr double kBuieAureole = 43.6e-3;  ///< radians, edge of the aureole

/// Parameters for a shape. With x = csr the formulas miss the ratio that was asked for (0.02
/// becomes 0.0058), so that x is solved for (exact) or taken from the polynomials of Tonatiuh++
/// (Solstice's too) or of Tracer. Throws InputError for a ratio outside of kCircumsolarRatios.
BuieParameters buie_parameters(const BuieShape& shape);

/// kappa and gamma of a given x, positive or 0 (no aureole).
BuieParameters buie_parameters_of(double x);

/// Integral of radiance * theta from the centre to theta, which lies in the disc, rad^2; 9.22474e-6
/// for all of it.
double buie_disc_integral(double theta = kBuieDisc);
/// The same from the disc's edge to theta, which lies in the aureole.
double buie_ring_integral(const BuieParameters& parameters, double theta = kBuieAureole);
/// Angle up to which the aureole holds a share of its power, [0, 1].
double buie_ring_angle(const BuieParameters& parameters, double share);

/// Relative radiance at an angle in radians.
double buie_radiance(const BuieParameters& parameters, double theta);

/// Aureole's share of the power that these parameters really give.
double buie_realised_csr(const BuieParameters& parameters);

}  // namespace helioray
