// SPDX-License-Identifier: MIT
// The list of energy terms, and sums over targets.
#include "raytracer/tracing/job/result.h"

#include "raytracer/tracing/geometry/frames.h"
#include "raytracer/tracing/job/mesh_statistics.h"
#include "raytracer/tracing/job/peak_flux.h"
#include "scenario/files/number_text.h"
#include "scenario/types/run_config.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace helioray {

const std::vector<EnergyTermInfo>& energy_term_infos() {
    static const std::vector<EnergyTermInfo> infos{
        {"solar_power",
         "Power that the mirror area would receive if it faced the sun: direct normal irradiance "
         "times mirror area.",
         &EnergyTerms::solar_power},
        {"cosine_loss",
         "Power not received because the mirror is tilted against the direction to the sun.",
         &EnergyTerms::cosine_loss},
        {"shading_loss",
         "Power that another mirror or an obstacle intercepts on its way from the sun to the "
         "mirror.",
         &EnergyTerms::shading_loss},
        {"reflection_loss",
         "Power that the mirror does not reflect: 1 - reflectivity of what reaches it.",
         &EnergyTerms::reflection_loss},
        {"blocking_loss",
         "Reflected power that another mirror or an obstacle intercepts on its way to the target.",
         &EnergyTerms::blocking_loss},
        {"attenuation_loss",
         "Reflected power that the air absorbs or scatters between mirror and target.",
         &EnergyTerms::attenuation_loss},
        {"spillage_loss",
         "Power that arrives at the target's distance but passes beside its lit surface.",
         &EnergyTerms::spillage_loss},
        {"shield_loss",
         "Power that first meets a shield or the back of a receiver's surface.",
         &EnergyTerms::shield_loss,
         true},
        {"escape_loss",
         "Power that surfaces of receivers reflect and that meets no other surface.",
         &EnergyTerms::escape_loss,
         true,
         true},
        {"reflected_shield_loss",
         "Power that surfaces of receivers reflect onto a shield or the back of a surface.",
         &EnergyTerms::reflected_shield_loss,
         true,
         true},
        {"bounce_limit_loss",
         "Power that surfaces of receivers reflect beyond the last bounce that is followed.",
         &EnergyTerms::bounce_limit_loss,
         true,
         true},
        {"secondary_loss",
         "Power that mirrors among the surfaces of receivers absorb.",
         &EnergyTerms::secondary_loss,
         true,
         true,
         true},
        {"target_power",
         "Power on the lit surface of the heliostat's target; where a surface of a receiver has an "
         "absorptance, the power that it absorbs.",
         &EnergyTerms::target_power},
    };
    return infos;
}

std::vector<ReceiverResult> receiver_results(const RunResult& result) {
    std::map<std::string, ReceiverResult> receivers;
    for (size_t i = 0; i < result.targets.size(); ++i) {
        const TargetResult& target = result.targets[i];
        if (target.target.receiver.empty()) continue;
        ReceiverResult& receiver = receivers[target.target.receiver];
        receiver.surfaces.push_back(i);
        if (target.target.use != SurfaceUse::absorber) continue;
        receiver.power_w += target.power_w;
        receiver.power_std_error_w =
            std::hypot(receiver.power_std_error_w, target.power_std_error_w);
        const auto raise = [](double& peak, double other) {
            if (std::isfinite(other)) peak = std::max(peak, other);
        };
        raise(receiver.peak_flux_w_m2, target.peak_flux_w_m2);
        const auto& incident = target.incident;
        receiver.incident_power_w += incident ? incident->power_w : target.power_w;
        raise(receiver.incident_peak_flux_w_m2,
              incident ? incident->peak_flux_w_m2 : target.peak_flux_w_m2);
    }
    std::vector<ReceiverResult> all;
    for (auto& [name, receiver] : receivers) {
        receiver.name = name;
        std::stable_sort(
            receiver.surfaces.begin(), receiver.surfaces.end(), [&](size_t a, size_t b) {
                return result.targets[a].target.name < result.targets[b].target.name;
            });
        all.push_back(std::move(receiver));
    }
    return all;
}

bool has_receivers(const RunResult& result) {
    return std::any_of(result.targets.begin(), result.targets.end(), [](const TargetResult& t) {
        return !t.target.receiver.empty();
    });
}

bool has_reflection(const RunResult& result) {
    return std::any_of(result.targets.begin(), result.targets.end(), [](const TargetResult& t) {
        return t.target.absorption.has_value();
    });
}

bool has_mirrors(const RunResult& result) {
    return std::any_of(result.targets.begin(), result.targets.end(), [](const TargetResult& t) {
        return t.target.use == SurfaceUse::mirror;
    });
}

std::vector<EnergyTermInfo> energy_terms_of(bool has_receivers,
                                            bool has_reflection,
                                            bool has_mirrors) {
    std::vector<EnergyTermInfo> terms = energy_term_infos();
    std::erase_if(terms, [&](const EnergyTermInfo& term) {
        return (term.is_of_receivers && !has_receivers) ||
               (term.is_of_reflection && !has_reflection) || (term.is_of_mirrors && !has_mirrors);
    });
    return terms;
}

std::vector<EnergyTermInfo> energy_terms_of(const RunResult& result) {
    return energy_terms_of(has_receivers(result), has_reflection(result), has_mirrors(result));
}

EnergyTerms total_energy(const RunResult& result) {
    EnergyTerms total;
    for (const HeliostatResult& heliostat : result.heliostats) {
        for (const EnergyTermInfo& term : energy_term_infos()) {
            total.*term.member += heliostat.energy.*term.member;
        }
    }
    return total;
}

double power_on_targets(const RunResult& result) {
    double power = 0.0;
    for (const TargetResult& target : result.targets)
        if (target.target.use == SurfaceUse::absorber) power += target.power_w;
    return power;
}

const TargetResult* target_with_peak(const RunResult& result) {
    const TargetResult* found = nullptr;
    for (const TargetResult& target : result.targets) {
        if (!std::isfinite(target.peak_flux_w_m2) || target.target.use != SurfaceUse::absorber)
            continue;
        if (found == nullptr || target.peak_flux_w_m2 > found->peak_flux_w_m2) found = &target;
    }
    return found;
}

double peak_on_targets(const RunResult& result) {
    const TargetResult* target = target_with_peak(result);
    return target != nullptr ? target->peak_flux_w_m2 : 0.0;
}

const TargetResult* find_target(const RunResult& result, const std::string& name) {
    for (const TargetResult& target : result.targets)
        if (target.target.name == name) return &target;
    return nullptr;
}

std::optional<std::string> accuracy_warning(const RunResult& result) {
    if (!result.accuracy || result.accuracy->is_reached()) return std::nullopt;
    const AccuracyReport& a = *result.accuracy;
    // The error of independent rays halves with four times as many rays. Sobol sequences need
    // fewer.
    const double factor = std::pow(a.reached / a.wanted, 2);
    return fmt::format(
        "after all {} rays per heliostat the {} of target '{}' has a standard error of {}, not "
        "the wanted {}; set tracing.rays_per_heliostat to {:.1e} or accept a larger "
        "tracing.relative_error",
        grouped(a.rays_per_heliostat),
        a.of == AccuracyOf::peak ? "peak flux" : "power",
        a.target,
        percent(a.reached),
        percent(a.wanted),
        std::min(kRayCounts.high, factor * static_cast<double>(a.most_rays_per_heliostat)));
}

void add_map_statistics(TargetResult& result) {
    if (add_mesh_statistics(result)) return;
    const auto extent = surface_extent(result.target);
    const NoisyMap map{result.flux,
                       result.flux_std_error,
                       result.width,
                       result.height,
                       extent[0] / static_cast<double>(result.width),
                       extent[1] / static_cast<double>(result.height),
                       result.shared_noise,
                       result.flux_noise};
    const PeakFlux peak = estimate_peak(map);
    result.peak_flux_w_m2 = peak.flux;
    result.peak_flux_std_error_w_m2 = peak.std_error;
    result.peak_area_m2 = peak.area_m2;
    result.peak_pixel_w_m2 = 0.0;
    Vec3 moment{};
    double total = 0.0;
    for (int64_t row = 0; row < result.height; ++row) {
        const double y = -pixel_centre(row, result.height, extent[1]);
        for (int64_t column = 0; column < result.width; ++column) {
            const double flux = result.flux[static_cast<size_t>(row * result.width + column)];
            if (flux == 0.0) continue;
            const double x = pixel_centre(column, result.width, extent[0]);
            moment = add_scaled(moment, flux, surface_point(result.target, x, y));
            total += flux;
            result.peak_pixel_w_m2 = std::max(result.peak_pixel_w_m2, flux);
        }
    }
    result.centroid_m =
        total > 0.0 ? scaled(1.0 / total, moment) : surface_point(result.target, 0.0, 0.0);
}

}  // namespace helioray
