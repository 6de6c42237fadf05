// SPDX-License-Identifier: MIT
// Attenuation models as polynomials with an exponential continuation.
#include "scenario/sun/attenuation.h"

#include "scenario/files/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace helioray {

namespace {

using Coefficients = std::array<double, 5>;

constexpr double kPolynomialLimit = 3.0;  // km
constexpr double kSteepest =
    20.0;  // per km; keeps the continuation for nearly opaque air within the range of float

/// The record in double precision.
struct Law {
    Coefficients c{1.0, 0.0, 0.0, 0.0, 0.0};
    double limit = 0.0;
    double far_scale = 1.0;
    double far_rate = 0.0;
};

double value(const Coefficients& c, double d) {
    return c[0] + d * (c[1] + d * (c[2] + d * (c[3] + d * c[4])));
}

double slope(const Coefficients& c, double d) {
    return c[1] + d * (2.0 * c[2] + d * (3.0 * c[3] + d * 4.0 * c[4]));
}

Law exponential(double per_km) {
    if (!(per_km >= 0.0 && std::isfinite(per_km)))
        throw InputError(Problem{"optics.attenuation.per_km",
                                 fmt::format("{} is not a number of at least 0", per_km),
                                 "air does not amplify light",
                                 "clear air has about 0.1"});
    Law law;
    law.far_rate = per_km;
    return law;
}

/// Continues a polynomial by the exponential with its value and slope at the limit.
Law polynomial(const Coefficients& c) {
    Law law{c, kPolynomialLimit, 1.0, 0.0};
    const double end = value(c, law.limit);
    law.far_rate = end > 0.0 ? std::clamp(-slope(c, law.limit) / end, 0.0, kSteepest) : 0.0;
    law.far_scale = end * std::exp(law.far_rate * law.limit);
    return law;
}

Law checked_polynomial(const Coefficients& c) {
    double previous = 1.0;
    for (int i = 0; i <= 300; ++i) {
        const double d = kPolynomialLimit * i / 300;
        const double t = value(c, d);
        if (!(t >= 0.0 && t <= previous))
            throw InputError(
                Problem{"optics.attenuation.coefficients",
                        fmt::format("the transmittance at {} km is {}, after {}", d, t, previous),
                        "it starts at 1 or below and descends, not below 0, up to 3 km",
                        "powers of the distance in kilometres, constant first"});
        previous = t;
    }
    return polynomial(c);
}

Law make_law(const AttenuationConfig& config) {
    using Model = AttenuationConfig::Model;
    switch (config.model) {
        case Model::none:
            break;
        case Model::mirval:
            return {{0.99321, -0.1176, 0.0197, 0.0, 0.0}, 1.0, 1.0, 0.1106};
        case Model::vittitoe_biggs_clear:
            return polynomial({0.99326, -0.1046, 0.017, -0.002845, 0.0});
        case Model::vittitoe_biggs_hazy:
            return polynomial({0.98707, -0.2748, 0.03394, 0.0, 0.0});
        case Model::exponential:
            return exponential(config.per_km);
        case Model::polynomial:
            return checked_polynomial(config.coefficients);
    }
    return {};
}

}  // namespace

std::optional<double> polynomial_limit(const AttenuationConfig& config) {
    const bool is_fitted = config.model == AttenuationConfig::Model::vittitoe_biggs_clear ||
                           config.model == AttenuationConfig::Model::vittitoe_biggs_hazy ||
                           config.model == AttenuationConfig::Model::polynomial;
    if (!is_fitted) return std::nullopt;
    return 1e3 * kPolynomialLimit;
}

AttenuationRecord attenuation_record(const AttenuationConfig& config) {
    const Law law = make_law(config);
    AttenuationRecord record;
    std::transform(law.c.begin(), law.c.end(), record.coefficients, [](double c) {
        return static_cast<float>(c);
    });
    record.limit_km = static_cast<float>(law.limit);
    record.far_scale = static_cast<float>(law.far_scale);
    record.far_rate = static_cast<float>(law.far_rate);
    return record;
}

double transmittance(const AttenuationConfig& config, double distance_m) {
    const Law law = make_law(config);
    const double d = 1e-3 * distance_m;
    return d <= law.limit ? value(law.c, d) : law.far_scale * std::exp(-law.far_rate * d);
}

}  // namespace helioray
