// SPDX-License-Identifier: MIT
// Energy terms by subtraction, and relative standard errors.
#include "raytracer/tracing/physical/sums.h"

#include "kernels/core/trace_types.h"

#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <span>

namespace helioray::physical {

EnergyTerms energy_terms(const int64_t* sums,
                         int64_t shielded,
                         const int64_t* reflected,
                         int64_t solar_quanta,
                         double watts_per_quantum) {
    using namespace kernels;
    const auto watts = [=](int64_t quanta) {
        return static_cast<double>(quanta) * watts_per_quantum;
    };
    EnergyTerms terms;
    terms.solar_power = watts(solar_quanta);
    terms.cosine_loss = watts(solar_quanta - sums[kIncidentSum]);
    terms.shading_loss = watts(sums[kIncidentSum] - sums[kUnshadedSum]);
    terms.reflection_loss = watts(sums[kUnshadedSum] - sums[kReflectedSum]);
    terms.blocking_loss = watts(sums[kReflectedSum] - sums[kUnblockedSum]);
    terms.attenuation_loss = watts(sums[kAttenuatedSum]);
    terms.shield_loss = watts(shielded);
    int64_t lost_after_reflection = 0;
    if (reflected != nullptr) {
        terms.escape_loss = watts(reflected[kEscapedSum]);
        terms.reflected_shield_loss = watts(reflected[kReflectedShieldSum]);
        terms.bounce_limit_loss = watts(reflected[kBounceLimitSum]);
        terms.secondary_loss = watts(reflected[kMirrorLossSum]);
        lost_after_reflection =
            std::accumulate(reflected, reflected + kNumReflectedSums, int64_t{0});
    }
    terms.spillage_loss = watts(sums[kUnblockedSum] - sums[kAttenuatedSum] - shielded -
                                lost_after_reflection - sums[kDeliveredSum]);
    terms.target_power = watts(sums[kDeliveredSum]);
    return terms;
}

Accuracy target_accuracy(const int64_t* interim_sums,
                         const kernels::FieldView& field,
                         double square_scale) {
    const std::span heliostats(field.heliostats, static_cast<size_t>(field.num_heliostats));
    struct Sums {
        int64_t delivered = 0;
        int64_t squares = 0;
    };
    const int64_t* squares = interim_sums + std::ssize(heliostats) * kernels::kNumEnergySums;
    std::map<int32_t, Sums> targets;
    std::optional<int32_t> receivers;
    for (size_t i = 0; i < heliostats.size(); ++i) {
        int32_t index = heliostats[i].target;
        if (field.targets[index].in_receiver != 0)
            index = receivers.emplace(receivers.value_or(index));
        Sums& target = targets[index];
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
