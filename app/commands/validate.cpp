// SPDX-License-Identifier: MIT
// The validate command: every problem of a configuration or scenario, and nothing computed.
#include "app/commands/commands.h"
#include "app/file_kind.h"
#include "app/log.h"
#include "app/prepare.h"
#include "scenario/config/reader.h"
#include "scenario/scenario_reader.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>

namespace helioray::app {

namespace {

int run(const std::string& file) {
    set_up_log(Verbosity::normal, 0, 1, "");
    if (kind_of(file) == FileKind::hdf5) {
        const Scenario scenario = read_scenario(file);
        for (const std::string& warning : scenario.warnings) spdlog::warn("{}", warning);
        fmt::print("{}: valid scenario\n", file);
    } else {
        prepare_run(draft_run_config(file));
        fmt::print("{}: valid configuration\n", file);
    }
    return 0;
}

}  // namespace

void add_validate(CLI::App& parent, Action& action) {
    const auto file = std::make_shared<std::string>();
    CLI::App& command = *parent.add_subcommand(
        "validate",
        "Check a configuration or scenario and all it refers to; report every problem; compute "
        "nothing");
    command.add_option("file", *file, "Configuration (YAML) or scenario (HDF5)")
        ->required()
        ->type_name("FILE");
    command.callback([file, &action] { action = [file] { return run(*file); }; });
}

}  // namespace helioray::app
