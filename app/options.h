// SPDX-License-Identifier: MIT
// The command line after parsing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace helioray::app {

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
    bool json = false;
    bool quiet = false;
    bool verbose = false;
    std::string log_dir;
};

struct ValidateOptions {
    std::string file;
};

struct InfoOptions {
    std::string file;
};

struct PlotOptions {
    std::string result;
    std::string picture;
};

struct ScenarioPaintOptions {
    std::string tower;
    std::vector<std::string> heliostats;
    std::string output;
    int64_t control_points = 10;
};

struct DoctorOptions {};

struct BenchOptions {
    bool validate = false;
    bool sampling = false;
    bool full = false;
    std::string only;
    std::optional<double> rays;  ///< per scene; may be written 1e6
    int threads = 0;             ///< 0: all cores
    bool json = false;
};

using Command = std::variant<RaytraceOptions,
                             ValidateOptions,
                             InfoOptions,
                             PlotOptions,
                             ScenarioPaintOptions,
                             DoctorOptions,
                             BenchOptions>;

/// Parses the command line. Returns the command, or the exit code when there is nothing to run
/// (help, version: 0 after printing to stdout; wrong arguments: 2 after one message on stderr).
std::variant<Command, int> parse_command_line(int argc, char** argv);

}  // namespace helioray::app
