// SPDX-License-Identifier: MIT
// All commands together, and what is the same for each of them.
#include "app/command_line.h"

#include "scenario/suggest.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "helioray/version.h"

namespace helioray::app {

namespace {

/// A message about the first word when it is no command; CLI11 only says that one is required.
std::string unknown_command(CLI::App& app, int argc, char** argv) {
    if (argc < 2 || argv[1][0] == '-') return "";
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
        if (command->get_name() == argv[1]) return "";
        names.push_back(command->get_name());
    }
    return fmt::format("there is no command '{}'; {}", argv[1], suggest(argv[1], names));
}

/// The version belongs to every command, as users expect.
void set_version(CLI::App& app) {
    app.set_version_flag("--version", fmt::format("helioray {} ({})", kVersion, kGitCommit));
    for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
        set_version(*command);
    }
}

}  // namespace

std::variant<Action, int> parse_command_line(int argc, char** argv) {
    CLI::App app("HelioRay: flux on the receivers of solar tower plants, by ray tracing",
                 "helioray");
    app.require_subcommand(1);
    app.footer("Run 'helioray COMMAND --help' for the options of a command.");

    Action action;
    add_raytrace(app, action);
    add_annual(app, action);
    add_validate(app, action);
    add_info(app, action);
    add_plot(app, action);
    add_report(app, action);
    add_compare(app, action);
    add_scenario(app, action);
    add_export(app, action);
    add_doctor(app, action);
    add_bench(app, action);
    add_completion(app, action);
    set_version(app);

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app.exit(error);
        if (const std::string wrong = unknown_command(app, argc, argv); !wrong.empty()) {
            fmt::print(stderr, "helioray: {}\n", wrong);
            return 2;
        }
        fmt::print(
            stderr,
            "helioray: {}\nRun 'helioray --help', or '--help' after a command, for its options.\n",
            error.what());
        return 2;
    }
    return action;
}

}  // namespace helioray::app
