// SPDX-License-Identifier: MIT
// Combines all commands and their common options.
#include "app/program/commands/commands.h"
#include "app/program/common/standard_streams.h"
#include "kernels/core/instruction_set.h"
#include "scenario/files/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "helioray/version.h"
#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace helioray::app {

namespace {

/// Returns a message about a missing command or a word that is not a command; the parser would only
/// report that a command is required. `words` are the arguments after the name of `command`.
std::string wrong_command(Command command, std::span<char* const> words) {
    std::vector<std::string> names;
    for (const Command below : command.subcommands()) {
        if (!words.empty() && below.name() == words[0])
            return wrong_command(below, words.subspan(1));
        names.push_back(below.name());
    }
    if (names.empty()) return "";
    const std::string place = fmt::format("after '{}'", command.name());
    if (words.empty())
        return fmt::format("a command is missing {}: {}", place, fmt::join(names, ", "));
    if (words[0][0] == '-') return "";
    return fmt::format(
        "there is no command '{}' {}; {}", words[0], place, suggest(words[0], names));
}

/// Returns a message about the first word that looks like a long option but is none of the command,
/// or an empty text if there is none. The parser would report this word with other words.
std::string wrong_option(Command command, std::span<char* const> words) {
    for (size_t i = 0; i < words.size(); ++i) {
        const std::string word(words[i]);
        for (const Command below : command.subcommands())
            if (below.name() == word) return wrong_option(below, words.subspan(i + 1));
        if (word == "--") return "";
        if (!word.starts_with("--")) continue;
        const std::string name = word.substr(2, word.find('=') - 2);
        std::vector<std::string> names;
        for (const Option option : command.options())
            for (const std::string& known : option.names())
                if (known.starts_with("--")) names.push_back(known.substr(2));
        if (std::ranges::find(names, name) != names.end()) continue;
        const auto meant = closest(name, names);
        return fmt::format(
            "there is no option '--{}' of '{}'; {}",
            name,
            command.name(),
            meant ? fmt::format("did you mean '--{}'?", *meant) : "--help lists the options");
    }
    return "";
}

/// Returns a message about the first option with an empty value, or an empty text if there is none.
/// An empty value most likely comes from an unset variable of the shell and differs from leaving
/// the option out. Options of type TEXT may be empty.
std::string empty_value(Command command) {
    for (const Option option : command.options()) {
        if (option.type_name() == "TEXT") continue;
        for (const std::string& value : option.values()) {
            if (!value.empty()) continue;
            return fmt::format("{}: the value is empty; give one or leave it out", option.name());
        }
    }
    for (const Command below : command.subcommands()) {
        if (std::string found = empty_value(below); !found.empty()) return found;
    }
    return "";
}

int refuse(const std::string& message) {
    print_failure(message);
    return 2;
}

/// Adds --version to every command, as users expect.
void add_version(Command command) {
    command.add_version(fmt::format("helioray {} ({}, {}, {})",
                                    kVersion,
                                    kGitCommit,
                                    kBuildKind,
                                    to_string(kernels::processor_instruction_sets().back())));
    for (const Command below : command.subcommands()) add_version(below);
}

}  // namespace

std::variant<Action, int> parse_command_line(int argc, char** argv) {
    CommandLine line("HelioRay: flux on the receivers of solar tower plants, by ray tracing",
                     "helioray");
    const Command program = line.program();
    program.require_subcommand();
    program.footer("Run 'helioray COMMAND --help' for the options of a command.");

    Action action;
    add_raytrace(program, action);
    add_aim(program, action);
    add_annual(program, action);
    add_sweep(program, action);
    add_efficiency(program, action);
    add_calibrate(program, action);
    add_reconstruct(program, action);
    add_example(program, action);
    add_validate(program, action);
    add_info(program, action);
    add_plot(program, action);
    add_report(program, action);
    add_compare(program, action);
    add_scenario(program, action);
    add_export(program, action);
    add_doctor(program, action);
    add_bench(program, action);
    add_completion(program, action);
    add_version(program);

    try {
        if (!line.parse(argc, argv)) return 0;
    } catch (const UsageError& error) {
        const std::span<char* const> words(argv, static_cast<size_t>(argc));
        if (const std::string wrong = wrong_command(program, words.subspan(1)); !wrong.empty())
            return refuse(wrong);
        if (const std::string wrong = wrong_option(program, words.subspan(1)); !wrong.empty())
            return refuse(wrong);
        return refuse(
            fmt::format("{}\nRun 'helioray --help', or '--help' after a command, for its options.",
                        error.what()));
    }
    if (const std::string wrong = empty_value(program); !wrong.empty()) return refuse(wrong);
    return action;
}

}  // namespace helioray::app
