// SPDX-License-Identifier: MIT
// Measures the error as a function of the number of rays, for both kinds of sampling.
#pragma once

#include "app/validation/study.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace helioray::validation {

/// Root mean square errors over the seeds, relative to the power and to the mean flux of a map of
/// 16 x 16 pixels, against a reference with many more rays.
struct SamplingError {
    std::string field;
    int64_t rays = 0;  ///< number per scene
    double power_random = 0.0;
    double power_sobol = 0.0;
    double map_random = 0.0;
    double map_sobol = 0.0;

    /// Returns the factor of rays that random sampling needs relative to Sobol's sequence for the
    /// same error.
    double power_saving() const;
    double map_saving() const;
};

struct SamplingPlan {
    std::vector<int64_t> rays{57'000, 570'000, 5'700'000};  ///< numbers per scene
    int num_seeds = 16;
    int64_t reference_factor = 32;  ///< rays of the reference, relative to the largest of `rays`
    TraceControl control;
};

/// Returns one entry per scene and number of rays.
std::vector<SamplingError> sampling_errors(const std::string& field,
                                           const Scene& scene,
                                           const SamplingPlan& plan);

std::string sampling_table(const std::vector<SamplingError>& errors);
nlohmann::json sampling_json(const std::vector<SamplingError>& errors);

}  // namespace helioray::validation
