// SPDX-License-Identifier: MIT
// Computes the largest ratio of flux to limit without the bias caused by noise.
#include "raytracer/solvers/aiming/traced/limit_check.h"

#include "raytracer/tracing/job/normal_deviates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace helioray::aiming {

namespace {

// Pixels that lie below the largest by more than this number of their standard errors are ignored.
constexpr double kNear = 5.0;
constexpr int kDraws = 64;  ///< Number of pairs of noise draws for choosing and measuring

/// Pixel with a limit.
struct Pixel {
    double share = 0.0;  ///< Ratio of flux to limit
    double error = 0.0;  ///< Standard error of this ratio
    size_t map = 0;      ///< Index of the map among the limits
};

/// Returns the pixels that may have the largest ratio.
std::vector<Pixel> near_largest(std::vector<Pixel> pixels) {
    double floor = 0.0;
    for (const Pixel& pixel : pixels) floor = std::max(floor, pixel.share - kNear * pixel.error);
    std::erase_if(pixels, [&](const Pixel& p) {
        const double most = p.share + kNear * p.error;
        return most < floor || most == 0.0;
    });
    return pixels;
}

}  // namespace

std::string LimitCheck::text() const {
    return fmt::format(
        "{} cell(s) are above their flux limit by more than {:g} standard errors; the worst is on "
        "'{}' at {:.4f} times its limit",
        pixels_above,
        kErrorsAboveLimit,
        place,
        worst_share.value_or(0.0));
}

LimitCheck check_limits(const std::vector<LimitMap>& limits, const TracedField& traced) {
    LimitCheck check;
    std::vector<Pixel> pixels;
    for (size_t m = 0; m < limits.size(); ++m) {
        const TargetResult* target = find_map(limits[m], traced);
        for (size_t p = 0; p < limits[m].limit.size(); ++p) {
            const double limit = limits[m].limit[p];
            if (std::isinf(limit)) continue;
            const double flux = target != nullptr ? target->flux[p] : 0.0;
            const double error = target != nullptr ? target->flux_std_error[p] : 0.0;
            pixels.push_back({flux / limit, error / limit, m});
            if (flux > limit + kErrorsAboveLimit * error) ++check.pixels_above;
        }
    }
    if (pixels.empty()) return check;
    const size_t first_map = pixels.front().map;
    pixels = near_largest(std::move(pixels));
    if (pixels.empty()) {
        check.worst_share = 0.0;
        check.place = limits[first_map].place();
        return check;
    }
    std::vector<double> chosen(pixels.size(), 0.0), noise(pixels.size());
    NormalDeviates deviates(pixels.size());
    double mean = 0.0;
    for (int draw = 0; draw < kDraws; ++draw) {
        for (size_t p = 0; p < pixels.size(); ++p) noise[p] = pixels[p].error * deviates.next();
        // Use each noise draw with both signs.
        for (const double sign : {1.0, -1.0}) {
            size_t best = 0;
            for (size_t p = 1; p < pixels.size(); ++p)
                if (pixels[p].share + sign * noise[p] > pixels[best].share + sign * noise[best])
                    best = p;
            mean += (pixels[best].share - sign * noise[best]) / (2 * kDraws);
            chosen[best] += 1.0 / (2 * kDraws);
        }
    }
    double square = 0.0;
    for (size_t p = 0; p < pixels.size(); ++p)
        square += chosen[p] * pixels[p].error * chosen[p] * pixels[p].error;
    const size_t place =
        static_cast<size_t>(std::max_element(chosen.begin(), chosen.end()) - chosen.begin());
    check.worst_share = std::max(0.0, mean);
    // Measuring combines the noise of the trace with the subtracted noise, which is as large.
    check.worst_std_error = std::sqrt(2.0 * square);
    check.place = limits[pixels[place].map].place();
    if (*check.worst_share > 1.0)
        check.most_errors = (*check.worst_share - 1.0) / std::max(check.worst_std_error, 1e-30);
    check.kept = check.most_errors <= kErrorsAboveLimit;
    return check;
}

}  // namespace helioray::aiming
