// SPDX-License-Identifier: MIT
// Measures the error as a function of the number of rays.
#include "app/validation/sampling_study.h"

#include "app/output/summary/text_table.h"
#include "scenario/files/number_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace helioray::validation {

namespace {

constexpr int64_t kCoarsePixels = 16;
constexpr uint64_t kReferenceSeed = 1'000'003;  ///< differs from the seeds of the study

struct Errors {
    int64_t rays = 0;  ///< traced number, rounded up to whole blocks
    double power = 0.0;
    double map = 0.0;
};

Errors rms_errors(const Scene& scene,
                  const TargetResult& reference,
                  int64_t rays,
                  const SamplingPlan& plan) {
    double mean_flux = 0.0;
    for (const double flux : reference.flux) mean_flux += flux;
    mean_flux /= static_cast<double>(reference.flux.size());
    int64_t traced = 0;
    double power = 0.0, map = 0.0;
    for (int seed = 1; seed <= plan.num_seeds; ++seed) {
        const RunResult run = trace_scene(scene, rays, static_cast<uint64_t>(seed), plan.control);
        const TargetResult& target = run.targets.front();
        traced = run.provenance.rays;
        power += std::pow(target.power_w / reference.power_w - 1.0, 2);
        double square = 0.0;
        for (size_t p = 0; p < target.flux.size(); ++p)
            square += std::pow((target.flux[p] - reference.flux[p]) / mean_flux, 2);
        map += square / static_cast<double>(target.flux.size());
    }
    return {traced, std::sqrt(power / plan.num_seeds), std::sqrt(map / plan.num_seeds)};
}

}  // namespace

double SamplingError::power_saving() const {
    return std::pow(power_random / power_sobol, 2);
}

double SamplingError::map_saving() const {
    return std::pow(map_random / map_sobol, 2);
}

std::vector<SamplingError> sampling_errors(const std::string& field,
                                           const Scene& scene,
                                           const SamplingPlan& plan) {
    Scene coarse = scene;
    coarse.config.bitmap.width = coarse.config.bitmap.height = kCoarsePixels;
    Scene random = coarse;
    coarse.config.tracing.sampling = Sampling::sobol;
    random.config.tracing.sampling = Sampling::random;
    const int64_t most = *std::max_element(plan.rays.begin(), plan.rays.end());
    const RunResult reference =
        trace_scene(coarse, plan.reference_factor * most, kReferenceSeed, plan.control);
    std::vector<SamplingError> errors;
    for (const int64_t rays : plan.rays) {
        const Errors by_random = rms_errors(random, reference.targets.front(), rays, plan);
        const Errors by_sobol = rms_errors(coarse, reference.targets.front(), rays, plan);
        errors.push_back(
            {field, by_random.rays, by_random.power, by_sobol.power, by_random.map, by_sobol.map});
    }
    return errors;
}

std::string sampling_table(const std::vector<SamplingError>& errors) {
    TextTable table({{"field", Align::left},
                     {"rays", Align::right},
                     {"power, random", Align::right},
                     {"Sobol", Align::right},
                     {"saves", Align::right},
                     {"map, random", Align::right},
                     {"Sobol", Align::right},
                     {"saves", Align::right}});
    const auto percent = [](double share) { return fmt::format("{:.3g} %", 100.0 * share); };
    const auto factor = [](double saving) { return fmt::format("{:.3g}x", saving); };
    for (const SamplingError& errors_of_field : errors) {
        table.add_row({errors_of_field.field,
                       grouped(errors_of_field.rays),
                       percent(errors_of_field.power_random),
                       percent(errors_of_field.power_sobol),
                       factor(errors_of_field.power_saving()),
                       percent(errors_of_field.map_random),
                       percent(errors_of_field.map_sobol),
                       factor(errors_of_field.map_saving())});
    }
    return table.str();
}

nlohmann::json sampling_json(const std::vector<SamplingError>& errors) {
    nlohmann::json list = nlohmann::json::array();
    for (const SamplingError& errors_of_field : errors) {
        list.push_back({{"field", errors_of_field.field},
                        {"rays", errors_of_field.rays},
                        {"power_error_random", errors_of_field.power_random},
                        {"power_error_sobol", errors_of_field.power_sobol},
                        {"power_rays_saved", errors_of_field.power_saving()},
                        {"map_error_random", errors_of_field.map_random},
                        {"map_error_sobol", errors_of_field.map_sobol},
                        {"map_rays_saved", errors_of_field.map_saving()}});
    }
    return {{"sampling", list}};
}

}  // namespace helioray::validation
