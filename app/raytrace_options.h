// SPDX-License-Identifier: MIT
// What the command line can say about a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace helioray::app {

/// Options of `helioray raytrace`; what is given replaces the configuration's value.
struct RaytraceOptions {
    std::string config;
    std::optional<std::string> output;
    std::optional<std::string> image;
    std::optional<std::string> scenario;
    std::vector<std::string> set;  ///< dotted.key=value
    std::optional<std::string> device;
    std::string ranks;  ///< empty, a number or "auto"
    int threads = 0;    ///< 0: all cores of this machine, shared between its ranks
    std::optional<std::string> seed;
    bool restart = false;  ///< of a series: forget finished steps
    bool json = false;
    bool quiet = false;
    bool verbose = false;
    std::string log_dir;
};

}  // namespace helioray::app
