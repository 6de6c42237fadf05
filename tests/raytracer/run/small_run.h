// SPDX-License-Identifier: MIT
// A configuration that is traced within milliseconds.
#pragma once

#include "raytracer/run/prepare.h"
#include "scenario/config/reader.h"

#include <cstdlib>
#include <filesystem>
#include <string>

namespace helioray::test {

/// The repository's small scenario.
inline std::filesystem::path scenario_file() {
    const char* folder = std::getenv("HELIORAY_SOURCE_DIR");
    return std::filesystem::path(folder ? folder : ".") / "configs/juelich.h5";
}

/// Three heliostats; `overrides` replace keys: "tracing.seed=1".
inline RunConfig small_config(const std::vector<std::string>& overrides = {}) {
    const std::string text = "scenario: " + scenario_file().string() +
                             "\n"
                             "sun: {azimuth_deg: 180, elevation_deg: 45}\n"
                             "aim: {target: multi_focus_tower}\n"
                             "tracing: {rays_per_heliostat: 20000, shading: false}\n"
                             "bitmap: {width: 16, height: 16}\n"
                             "device: cpu\n";
    Overrides replaced;
    replaced.set = overrides;
    return parse_run_config(text, "small", ".", replaced);
}

/// This process alone, whatever the variables of the test's launcher say.
inline run::Options alone() {
    run::Options options;
    options.launch = LaunchInfo{};
    options.num_threads = 1;
    return options;
}

}  // namespace helioray::test
