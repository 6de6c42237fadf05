// SPDX-License-Identifier: MIT
// Writes the list of commands of the manual page.
#include "app/program/completion/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace helioray::app {

namespace {

/// Returns text in which roff sees no command.
std::string escape(const std::string& text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '\n' || c == '\t')
            escaped += ' ';
        else if (c == '\\')
            escaped += "\\e";
        else if (c == '-')
            escaped += "\\-";
        else
            escaped += c;
    }
    // A full stop or an apostrophe begins a command only at the start of a line.
    return escaped.starts_with('.') || escaped.starts_with('\'') ? "\\&" + escaped : escaped;
}

}  // namespace

std::string manual_section(const CommandEntry& program) {
    std::string section;
    for (const CommandEntry* command : all_commands(program)) {
        if (!command->commands.empty()) continue;
        section += fmt::format(
            ".TP\n.B helioray {}\n{}.\n.RS\n", command->path, escape(command->description));
        for (const OptionEntry& option : command->options)
            section += fmt::format(".TP\n.B {}\n{}.\n",
                                   escape(fmt::format("{}", fmt::join(option.names, ", "))),
                                   escape(option.description));
        section += ".RE\n";
    }
    return section;
}

}  // namespace helioray::app
