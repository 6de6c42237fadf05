// SPDX-License-Identifier: MIT
// All commands together, and their common options.
#include "app/commands/commands.h"
#include "app/common/standard_streams.h"
#include "scenario/files/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "helioray/version.h"

namespace helioray::app {

namespace {

/// A message about a first word that is not a command; CLI11 only says that one is required.
std::string unknown_command(CLI::App& app, int argc, char** argv) {
    if (argc < 2 || argv[1][0] == '-') return "";
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
        if (command->get_name() == argv[1]) return "";
        names.push_back(command->get_name());
    }
    return fmt::format("there is no command '{}'; {}", argv[1], suggest(argv[1], names));
}

/// The first option that was given an empty value: most likely an unset variable of the shell, and
/// never the same as leaving it out. Texts may be empty.
std::string empty_value(const CLI::App& app) {
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_type_name() == "TEXT") continue;
        for (const std::string& value : option->results()) {
            if (!value.empty()) continue;
            return fmt::format("{}: the value is empty; give one or leave it out",
                               option->get_name());
        }
    }
    for (const CLI::App* command : app.get_subcommands()) {
        if (std::string found = empty_value(*command); !found.empty()) return found;
    }
    return "";
}

int refuse(const std::string& message) {
    print_failure(message);
    return 2;
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
    add_aim(app, action);
    add_annual(app, action);
    add_sweep(app, action);
    add_efficiency(app, action);
    add_calibrate(app, action);
    add_reconstruct(app, action);
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
        if (const std::string wrong = unknown_command(app, argc, argv); !wrong.empty())
            return refuse(wrong);
        return refuse(
            fmt::format("{}\nRun 'helioray --help', or '--help' after a command, for its options.",
                        error.what()));
    }
    if (const std::string wrong = empty_value(app); !wrong.empty()) return refuse(wrong);
    return action;
}

}  // namespace helioray::app
