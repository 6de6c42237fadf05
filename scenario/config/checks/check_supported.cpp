// SPDX-License-Identifier: MIT
// Refuses settings that model artist cannot compute.
#include "scenario/config/checks/checks.h"
#include "scenario/config/reader.h"
#include "scenario/files/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace helioray {

namespace {

template <typename T>
bool sun_is(const RunConfig& config) {
    return config.sun.shape && std::holds_alternative<T>(*config.sun.shape);
}

template <typename Shape>
bool is_set(const Shape& shape) {
    return !std::holds_alternative<NoError>(shape);
}

/// A feature that model artist does not support.
struct Limitation {
    const char* key;
    bool (*is_wanted)(const RunConfig&);
    const char* what;
    const char* advice;
};

bool has_aperture(const RunConfig& config) {
    return std::any_of(config.targets.begin(), config.targets.end(), [](const auto& target) {
        return target.second.aperture.has_value();
    });
}

bool has_outline(const RunConfig& config) {
    return std::any_of(config.targets.begin(), config.targets.end(), [](const auto& target) {
        return !target.second.outline.empty();
    });
}

bool has_obstacles(const RunConfig& config) {
    return !config.obstacles.empty();
}

const std::array kLimitations{
    Limitation{"sun.shape",
               [](const RunConfig& c) { return c.sun.shape && !sun_is<GaussianShape>(c); },
               "a sun shape other than gaussian",
               "choose gaussian, or tracing.model: physical"},
    Limitation{"sun.clouds.file",
               [](const RunConfig& c) { return c.sun.clouds.has_value(); },
               "a sky with clouds",
               "remove it, or choose tracing.model: physical"},
    Limitation{"optics.reflectivity_by_angle",
               [](const RunConfig& c) { return !c.optics.reflectivity_by_angle.empty(); },
               "a reflectivity that depends on the angle of incidence",
               "remove it, or choose tracing.model: physical"},
    Limitation{"optics.slope_error",
               [](const RunConfig& c) { return is_set(c.optics.slope_error); },
               "a slope error",
               "remove it, or choose tracing.model: physical"},
    Limitation{"optics.specularity_error",
               [](const RunConfig& c) { return is_set(c.optics.specularity_error); },
               "a specularity error",
               "remove it, or choose tracing.model: physical"},
    Limitation{"optics.tracking_error_mrad",
               [](const RunConfig& c) { return c.optics.tracking_error > 0.0; },
               "a tracking error",
               "remove it, or choose tracing.model: physical"},
    Limitation{"optics.attenuation",
               [](const RunConfig& c) {
                   return c.optics.attenuation.model != AttenuationConfig::Model::none;
               },
               "attenuation over the slant range",
               "use artist.extinction, or choose tracing.model: physical"},
    Limitation{"tracing.relative_error",
               [](const RunConfig& c) { return c.tracing.relative_error.has_value(); },
               "a wanted relative error",
               "set artist.rays_per_point instead"},
    Limitation{"state",
               [](const RunConfig& c) { return !c.state.rows.empty(); },
               "a state of each heliostat",
               "remove it, or choose tracing.model: physical"},
    Limitation{"targets.<name>.aperture",
               has_aperture,
               "an aperture",
               "remove it, or choose tracing.model: physical"},
    Limitation{"targets.<name>.outline_m",
               has_outline,
               "an outline",
               "remove it, or choose tracing.model: physical"},
    Limitation{"receivers",
               [](const RunConfig& c) { return !c.receivers.empty(); },
               "a receiver of several surfaces",
               "remove it, or choose tracing.model: physical"},
    Limitation{"obstacles",
               has_obstacles,
               "a list of obstacles",
               "remove it, or choose tracing.model: physical"},
    Limitation{"terrain",
               [](const RunConfig& c) { return c.terrain.file.has_value(); },
               "a terrain with hills",
               "remove it, or choose tracing.model: physical"},
};

/// Returns the key as it is written in the configuration: with the first name that has it in place
/// of "<name>", and in its short form ("slope_error_mrad") if the configuration uses that.
std::string written_key(const RunConfig& config, const std::string& key) {
    constexpr std::string_view kName = "<name>";
    if (const size_t at = key.find(kName); at != std::string::npos) {
        for (const auto& [name, target] : config.targets) {
            std::string named = key;
            named.replace(at, kName.size(), name);
            if (config.locations.contains(named)) return named;
        }
    }
    const std::string short_key = key + "_mrad";
    return config.locations.contains(short_key) ? short_key : key;
}

}  // namespace

void check_supported(const RunConfig& config) {
    if (config.tracing.model != Model::artist) return;
    std::vector<Problem> problems;
    for (const Limitation& limitation : kLimitations) {
        if (!limitation.is_wanted(config)) continue;
        problems.push_back({place_of(config, written_key(config, limitation.key)),
                            fmt::format("{} is not available in model artist", limitation.what),
                            "ARTIST 2.0.0 has no such feature",
                            limitation.advice});
    }
    if (!problems.empty()) throw InputError(std::move(problems));
}

}  // namespace helioray
