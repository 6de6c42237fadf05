// SPDX-License-Identifier: MIT
// Formats peak fluxes.
#include "app/output/summary/peak_text.h"

#include "scenario/files/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace helioray {

namespace {
constexpr double kKilo = 1e3;
}  // namespace

std::string with_error(double value, double std_error) {
    if (!(std_error > 0.0) || !std::isfinite(std_error)) return significant(value, 4);
    const int decimals = std::clamp(1 - static_cast<int>(std::floor(std::log10(std_error))), 0, 9);
    return fmt::format("{:.{}f} ± {:.{}f}", value, decimals, std_error, decimals);
}

std::string peak_text(const TargetResult& target, const std::string& unit) {
    const std::string pixel = significant(target.peak_pixel_w_m2 / kKilo, 4);
    if (!std::isfinite(target.peak_flux_w_m2))
        return fmt::format("not stored (largest pixel {} {})", pixel, unit);
    if (!(target.peak_flux_std_error_w_m2 > 0.0))
        return fmt::format("{} {} (largest pixel, error unknown)", pixel, unit);
    return fmt::format(
        "{} {} over {} m{} (largest pixel {})",
        with_error(target.peak_flux_w_m2 / kKilo, target.peak_flux_std_error_w_m2 / kKilo),
        unit,
        significant(target.peak_area_m2, 2),
        unit.substr(std::min(unit.size(), unit.rfind('m') + 1)),
        pixel);
}

}  // namespace helioray
