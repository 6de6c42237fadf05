// SPDX-License-Identifier: MIT
// Relative standard errors from integer sums.
#include "raytracer/physical/accuracy.h"

#include <cmath>
#include <map>

namespace helioray::physical {

Accuracy target_accuracy(const int64_t* interim_sums,
                         const std::vector<kernels::HeliostatRecord>& heliostats,
                         double square_scale) {
    struct Sums {
        int64_t delivered = 0;
        int64_t squares = 0;
    };
    const int64_t* squares = interim_sums + std::ssize(heliostats) * kernels::kNumEnergySums;
    std::map<int32_t, Sums> targets;
    for (size_t i = 0; i < heliostats.size(); ++i) {
        Sums& target = targets[heliostats[i].target];
        target.delivered += interim_sums[i * kernels::kNumEnergySums + kernels::kDeliveredSum];
        target.squares += squares[i];
    }
    Accuracy accuracy;
    for (const auto& [index, sums] : targets) {
        if (sums.delivered <= 0) {
            accuracy.has_dark_targets = true;
            continue;
        }
        const double error = std::sqrt(static_cast<double>(sums.squares) / square_scale) /
                             static_cast<double>(sums.delivered);
        if (!accuracy.target || error > accuracy.relative_error) {
            accuracy.relative_error = error;
            accuracy.target = static_cast<size_t>(index);
        }
    }
    return accuracy;
}

}  // namespace helioray::physical
