// SPDX-License-Identifier: MIT
// Computes sums over pixels, and the flux about the centre of a focused spot.
#include "app/validation/measure.h"

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
    constexpr int kRings = 2000;  // number of midpoints over the sun's image
    constexpr int kKnots = 64;    // number of entries of the table, equidistant in r^2
    // The flux is negligible beyond ten standard deviations.
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

namespace {

struct Pixel {
    double x, y;  ///< centre in metres from the target's centre
    size_t index;
};

template <typename Function>
void for_each_pixel(const TargetResult& target, const Function& f) {
    const auto extent = surface_extent(target.target);
    for (int64_t i = 0; i < target.height; ++i) {
        for (int64_t j = 0; j < target.width; ++j) {
            f(Pixel{pixel_centre(j, target.width, extent[0]),
                    -pixel_centre(i, target.height, extent[1]),
                    static_cast<size_t>(i * target.width + j)});
        }
    }
}

std::array<double, 2> pixel_size(const TargetResult& target) {
    const auto extent = surface_extent(target.target);
    return {extent[0] / static_cast<double>(target.width),
            extent[1] / static_cast<double>(target.height)};
}

/// Returns the mean of a radial function over a pixel, by the midpoints of 4 x 4 parts.
double pixel_mean(const RadialFlux& shape, const Pixel& pixel, const std::array<double, 2>& size) {
    constexpr int kParts = 4;
    double sum = 0.0;
    for (int a = 0; a < kParts; ++a) {
        for (int b = 0; b < kParts; ++b) {
            const double x = pixel.x + ((a + 0.5) / kParts - 0.5) * size[0];
            const double y = pixel.y + ((b + 0.5) / kParts - 0.5) * size[1];
            sum += shape(std::hypot(x, y));
        }
    }
    return sum / (kParts * kParts);
}

/// Sums of flux, flux * x, flux * x^2, flux * y and flux * y^2.
struct Moments {
    double total = 0.0, x = 0.0, xx = 0.0, y = 0.0, yy = 0.0;
};

Moments moments(const TargetResult& target) {
    Moments m;
    for_each_pixel(target, [&](const Pixel& p) {
        const double flux = target.flux[p.index];
        m.total += flux;
        m.x += flux * p.x;
        m.xx += flux * p.x * p.x;
        m.y += flux * p.y;
        m.yy += flux * p.y * p.y;
    });
    return m;
}

}  // namespace

Estimate centre_flux(const TargetResult& target, double radius, const RadialFlux& shape) {
    const auto size = pixel_size(target);
    double flux = 0.0, square = 0.0, expected = 0.0;
    for_each_pixel(target, [&](const Pixel& p) {
        if (std::hypot(p.x, p.y) > radius) return;
        flux += target.flux[p.index];
        square += target.flux_std_error[p.index] * target.flux_std_error[p.index];
        expected += pixel_mean(shape, p, size);
    });
    return {1e-3 * flux / expected, 1e-3 * std::sqrt(square) / expected};
}

std::array<double, 2> spread(const TargetResult& target) {
    const Moments m = moments(target);
    const auto size = pixel_size(target);
    const auto deviation = [&](double first, double second, double pixel) {
        const double mean = first / m.total;
        return std::sqrt(second / m.total - mean * mean - pixel * pixel / 12.0);
    };
    return {deviation(m.x, m.xx, size[0]), deviation(m.y, m.yy, size[1])};
}

double rms_radius(const TargetResult& target) {
    const Moments m = moments(target);
    const auto size = pixel_size(target);
    return std::sqrt((m.xx + m.yy) / m.total - (size[0] * size[0] + size[1] * size[1]) / 12.0);
}

std::array<double, 2> extent_of_light(const TargetResult& target) {
    const auto size = pixel_size(target);
    double left = 1e300, right = -1e300, low = 1e300, high = -1e300;
    for_each_pixel(target, [&](const Pixel& p) {
        if (!(target.flux[p.index] > 0.0)) return;
        left = std::min(left, p.x);
        right = std::max(right, p.x);
        low = std::min(low, p.y);
        high = std::max(high, p.y);
    });
    return {right - left + size[0], high - low + size[1]};
}

Estimate power_kw(const TargetResult& target) {
    return {1e-3 * target.power_w, 1e-3 * target.power_std_error_w};
}

}  // namespace helioray::validation
