// SPDX-License-Identifier: MIT
// Shape of the flux about the centre of a focused spot.
#include "raytracer/validation/radial_flux.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace helioray::validation {

RadialFlux uniform_flux() {
    return [](double) { return 1.0; };
}

RadialFlux gaussian_flux(double sigma) {
    return [=](double r) { return std::exp(-0.5 * r * r / (sigma * sigma)); };
}

RadialFlux blurred_flux(const std::function<double(double)>& brightness,
                        double edge,
                        double sigma,
                        double radius) {
    constexpr int kRings = 2000;  // midpoints over the sun's image
    constexpr int kKnots = 64;    // of the table, equidistant in r^2
    // Beyond ten standard deviations nothing reaches the table.
    const double end = std::min(edge, radius + 10.0 * sigma);
    const double variance = sigma * sigma;
    std::vector<double> table;
    for (int knot = 0; knot <= kKnots; ++knot) {
        const double r = radius * std::sqrt(static_cast<double>(knot) / kKnots);
        double sum = 0.0;
        for (int ring = 0; ring < kRings; ++ring) {
            const double q = end * (ring + 0.5) / kRings;
            sum += brightness(q) * q * std::exp(-0.5 * (r * r + q * q) / variance) *
                   std::cyl_bessel_i(0.0, r * q / variance);
        }
        table.push_back(sum);
    }
    return [=](double r) {
        const double position = std::min(r * r / (radius * radius), 1.0) * kKnots;
        const auto knot = std::min(static_cast<size_t>(position), size_t{kKnots - 1});
        const double part = position - static_cast<double>(knot);
        return (table[knot] + (table[knot + 1] - table[knot]) * part) / table[0];
    };
}

}  // namespace helioray::validation
