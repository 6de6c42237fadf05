// SPDX-License-Identifier: MIT
// Energy terms by subtraction.
#include "raytracer/physical/energy_terms.h"

#include "kernels/trace_types.h"

namespace helioray::physical {

EnergyTerms energy_terms(const int64_t* sums, int64_t solar_quanta, double watts_per_quantum) {
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
    terms.spillage_loss = watts(sums[kUnblockedSum] - sums[kAttenuatedSum] - sums[kDeliveredSum]);
    terms.target_power = watts(sums[kDeliveredSum]);
    return terms;
}

}  // namespace helioray::physical
