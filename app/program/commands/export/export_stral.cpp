// SPDX-License-Identifier: MIT
// helioray export stral: writes a heliostat as a STRAL file.
#include "app/program/commands/commands.h"
#include "app/program/common/log.h"
#include "raytracer/tracing/surface/stral_export.h"
#include "scenario/files/error.h"
#include "scenario/files/number_text.h"
#include "scenario/files/output_files.h"
#include "scenario/reader/scenario_reader.h"

#include <fmt/format.h>

#include <memory>

namespace helioray::app {

namespace {

struct ExportStralOptions {
    std::string scenario;
    std::string heliostat;
    std::string output;
    int64_t points = 256;
};

const Heliostat& choose_heliostat(const Scenario& scenario, const ExportStralOptions& options) {
    if (const auto index = scenario.find_heliostat(options.heliostat)) {
        return scenario.heliostats[*index];
    }
    std::vector<std::string> names;
    for (const Heliostat& heliostat : scenario.heliostats) names.push_back(heliostat.name);
    throw InputError(Problem{
        "--heliostat",
        fmt::format("there is no heliostat '{}' in {}", options.heliostat, options.scenario),
        "",
        suggest(options.heliostat, names)});
}

int run(const ExportStralOptions& options) {
    set_up_log(Verbosity::normal, 0, 1, "");
    check_outputs({{options.output}}, {options.scenario});
    const Scenario scenario = read_scenario(options.scenario);
    const Heliostat& heliostat = choose_heliostat(scenario, options);
    std::vector<std::string> report;
    const StralFile file = stral_from_heliostat(heliostat, options.points, &report);
    for (const std::string& line : report)
        write_log(run::LogLevel::info, fmt::format("{}: {}", heliostat.name, line));
    AtomicFile out(options.output);
    out.write(stral_bytes(file));
    out.commit();
    fmt::print("{}: {} facets with {} points each\n",
               options.output,
               file.facets.size(),
               grouped(options.points * options.points));
    return 0;
}

}  // namespace

void add_export_stral(Command parent, Action& action) {
    const auto options = std::make_shared<ExportStralOptions>();
    const Command command = parent.add_subcommand(
        "stral", "A heliostat as a STRAL file (.binp): points and normals of its facets");
    command.add_option("scenario", options->scenario, "Scenario file (HDF5)")
        .required()
        .type_name("SCENARIO");
    command.add_option("--heliostat", options->heliostat, "Heliostat to write")
        .required()
        .type_name("NAME");
    command.add_option("-o,--output", options->output, "STRAL file to write")
        .required()
        .type_name("FILE");
    command
        .add_option("--points",
                    options->points,
                    "Points of each facet per direction, at the centres of equal cells "
                    "(default 256)")
        .type_name("N")
        .range(1, 10000);
    command.footer(
        "Example:\n"
        "  helioray export stral configs/juelich.h5 --heliostat AA39 -o AA39.binp");
    command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace helioray::app
