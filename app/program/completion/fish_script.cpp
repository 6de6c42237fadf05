// SPDX-License-Identifier: MIT
// Generates completion for fish: one line for each command and option.
#include "app/program/completion/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace helioray::app {

namespace {

/// Returns the text in single quotes.
std::string quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') out += '\\';
        out += c;
    }
    return out + "'";
}

/// Returns the condition that the line contains the command's words and none of its subcommands.
std::string condition(const CommandEntry& command) {
    std::vector<std::string> below;
    for (const CommandEntry& c : command.commands) below.push_back(c.name);
    std::string tests = command.path.empty() ? "true" : "";
    std::size_t begin = 0;
    while (begin < command.path.size()) {
        const std::size_t end = std::min(command.path.find(' ', begin), command.path.size());
        tests += fmt::format("{}__fish_seen_subcommand_from {}",
                             tests.empty() ? "" : "; and ",
                             command.path.substr(begin, end - begin));
        begin = end + 1;
    }
    if (!below.empty()) {
        tests += fmt::format("; and not __fish_seen_subcommand_from {}", fmt::join(below, " "));
    }
    return tests;
}

std::string value_arguments(const ValueKind& value) {
    switch (value.type) {
        case ValueKind::Type::none:
            return "";
        case ValueKind::Type::text:
            return " -x";
        case ValueKind::Type::words:
            return " -x -a " + quoted(fmt::format("{}", fmt::join(value.words, " ")));
        case ValueKind::Type::file:
            return " -r -F";
        case ValueKind::Type::folder:
            return " -x -a '(__fish_complete_directories)'";
    }
    return "";
}

}  // namespace

std::string fish_completion(const CommandEntry& program) {
    std::string out = "# fish completion for helioray (written by 'helioray completion fish')\n";
    out += "complete -c helioray -f\n";
    for (const CommandEntry* command : all_commands(program)) {
        const std::string start = "complete -c helioray -n " + quoted(condition(*command));
        for (const CommandEntry& below : command->commands) {
            out += fmt::format("{} -a {} -d {}\n", start, below.name, quoted(below.description));
        }
        for (const ValueKind& operand : command->operands) {
            if (operand.type == ValueKind::Type::words) {
                out += fmt::format(
                    "{} -a {}\n", start, quoted(fmt::format("{}", fmt::join(operand.words, " "))));
            } else if (operand.type == ValueKind::Type::file) {
                out += start + " -F\n";
            }
        }
        for (const OptionEntry& option : command->options) {
            out += start;
            for (const std::string& name : option.names) {
                const bool is_long = name.starts_with("--");
                out += fmt::format(" -{} {}", is_long ? "l" : "s", name.substr(is_long ? 2 : 1));
            }
            out += value_arguments(option.value) + " -d " + quoted(option.description) + "\n";
        }
    }
    return out;
}

}  // namespace helioray::app
