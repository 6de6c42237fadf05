// SPDX-License-Identifier: MIT
// Filling of the sampling tables from the profiles.
#include "scenario/sun/sun_shape_table.h"

#include "scenario/sun/radial_profile.h"

#include <algorithm>
#include <cmath>

namespace helioray {

namespace {

using Knots = std::array<float, kRadialTableSize + 1>;

/// Shares of the power at which a table may change from core to tail.
constexpr std::array<double, 8> kSplits{0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995};

/// Random numbers in float distinguish few values beyond this.
constexpr double kLargestSplit = 1.0 - 0x1p-20;

double mean(const Knots& knots) {
    double sum = 0.5 * (double{knots.front()} + double{knots.back()});
    for (int i = 1; i < kRadialTableSize; ++i) sum += knots[i];
    return sum / kRadialTableSize;
}

/// Knots over [from, to]; the last one is taken at `end` instead of `to`.
Knots knots_between(const RadialProfile& profile, double from, double to, double end) {
    Knots knots;
    for (int i = 0; i < kRadialTableSize; ++i) {
        const double share = from + (to - from) * i / kRadialTableSize;
        knots[i] = static_cast<float>(profile.square_angle(share));
    }
    knots[kRadialTableSize] = static_cast<float>(end);
    return knots;
}

RadialTable table_with_split(const RadialProfile& profile, double wanted_split) {
    RadialTable table;
    table.split = static_cast<float>(wanted_split);
    const double split = table.split;  // as rounded, so that core and tail meet
    const double middle = profile.square_angle(split);
    table.core = knots_between(profile, 0.0, split, middle);
    const bool bounded = std::isfinite(profile.edge());
    if (bounded) {
        table.tail = knots_between(profile, split, 1.0, profile.edge() * profile.edge());
        return table;
    }
    // Without an edge the last knot makes good the mean square angle.
    table.tail = knots_between(profile, split, 1.0, 0.0);
    const double missing = profile.mean_square_angle() - mean_square_angle(table);
    const double last = missing * 2.0 * kRadialTableSize / (1.0 - split);
    table.tail.back() = std::max(static_cast<float>(last), table.tail[kRadialTableSize - 1]);
    return table;
}

/// The split that keeps most of the profile: the mean square angle comes closest, of bounded
/// profiles.
RadialTable best_table(const RadialProfile& profile) {
    if (!std::isfinite(profile.edge())) return table_with_split(profile, 0.98);
    const auto error = [&](const RadialTable& table) {
        return std::abs(mean_square_angle(table) - profile.mean_square_angle());
    };
    RadialTable best = table_with_split(profile, kSplits.front());
    for (double split : kSplits) {
        const RadialTable table = table_with_split(profile, split);
        if (error(table) < error(best)) best = table;
    }
    return best;
}

}  // namespace

RadialTable radial_table(const SunShape& shape) {
    const auto profile = radial_profile(shape);
    const double kink = profile->kink();
    if (kink <= 0.0 || kink >= 1.0) return best_table(*profile);
    return table_with_split(*profile, std::min(kink, kLargestSplit));
}

double mean_square_angle(const RadialTable& table) {
    const double split = table.split;
    return split * mean(table.core) + (1.0 - split) * mean(table.tail);
}

}  // namespace helioray
