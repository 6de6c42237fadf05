// SPDX-License-Identifier: MIT
// Runs scenes of app/validation in memory.
#pragma once

#include "app/validation/scene.h"
#include "raytracer/run/make_job.h"

namespace helioray::test {

inline RunResult run(const validation::Scene& scene, int threads = 2) {
    const auto job = make_job(scene.config, scene.scenario);
    TraceControl control;
    control.num_threads = threads;
    job->trace(0, job->num_units(), control);
    return job->result();
}

/// Sum of all losses and the target's power, less the solar power; relative to it.
inline double imbalance(const EnergyTerms& e) {
    return (e.cosine_loss + e.shading_loss + e.reflection_loss + e.blocking_loss +
            e.attenuation_loss + e.shield_loss + e.escape_loss + e.reflected_shield_loss +
            e.bounce_limit_loss + e.secondary_loss + e.spillage_loss + e.target_power -
            e.solar_power) /
           e.solar_power;
}

/// Four standard errors of a share p estimated from n rays.
inline double four_errors(double share, double rays) {
    return 4.0 * std::sqrt(std::max(share * (1.0 - share), 1e-6) / rays);
}

}  // namespace helioray::test
