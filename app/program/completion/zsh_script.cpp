// SPDX-License-Identifier: MIT
// Generates completion for zsh: one function for each command, which describes its arguments to
// _arguments.
#include "app/program/completion/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace helioray::app {

namespace {

/// Returns the text in single quotes, with a backslash before the `special` characters of
/// _arguments.
std::string escaped(const std::string& text, const std::string& special) {
    std::string out;
    for (const char c : text) {
        if (c == '\'') {
            out += "'\\''";
            continue;
        }
        if (c == '\\' || special.find(c) != std::string::npos) out += '\\';
        out += c;
    }
    return out;
}

std::string action(const ValueKind& value) {
    switch (value.type) {
        case ValueKind::Type::none:
            return "";
        case ValueKind::Type::text:
            return ":value: ";
        case ValueKind::Type::words:
            return fmt::format(":value:({})", fmt::join(value.words, " "));
        case ValueKind::Type::file:
            if (value.words.empty()) return ":file:_files";
            // "(h5)" alone at the end would be a glob qualifier.
            if (value.words.size() == 1) return ":file:_files -g \"*." + value.words[0] + "\"";
            return fmt::format(":file:_files -g \"*.({})\"", fmt::join(value.words, "|"));
        case ValueKind::Type::folder:
            return ":folder:_files -/";
    }
    return "";
}

std::string function_name(const CommandEntry& command) {
    std::string name = command.path.empty() ? "_helioray" : "_helioray_" + command.path;
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
}

std::string option_line(const OptionEntry& option) {
    const std::string description = escaped(option.description, "[]:");
    std::string line;
    for (const std::string& name : option.names) {
        const std::string exclusive = fmt::format("({})", fmt::join(option.names, " "));
        line += fmt::format(" \\\n        '{}{}[{}]{}'",
                            option.repeatable ? "*" : exclusive,
                            name,
                            description,
                            action(option.value));
    }
    return line;
}

}  // namespace

std::string zsh_completion(const CommandEntry& program) {
    std::string out =
        "#compdef helioray\n# zsh completion for helioray (written by 'helioray completion zsh')\n";
    for (const CommandEntry* command : all_commands(program)) {
        std::string arguments, choose;
        for (const OptionEntry& option : command->options) arguments += option_line(option);
        for (std::size_t i = 0; i < command->operands.size(); ++i) {
            const bool last = i + 1 == command->operands.size();
            arguments += fmt::format(" \\\n        '{}{}'",
                                     last ? "*" : std::to_string(i + 1),
                                     action(command->operands[i]));
        }
        if (!command->commands.empty()) {
            std::string names, cases;
            for (const CommandEntry& below : command->commands) {
                names +=
                    fmt::format("\n        '{}:{}'", below.name, escaped(below.description, ":"));
                cases += fmt::format("\n        {}) {} ;;", below.name, function_name(below));
            }
            arguments += " \\\n        '1:command:->command' \\\n        '*::argument:->arguments'";
            choose = fmt::format(
                "    local -a commands=({}\n    )\n    case $state in\n        command) _describe "
                "command commands "
                ";;\n        arguments)\n        case $words[1] in{}\n        esac ;;\n    esac\n",
                names,
                cases);
        }
        out += fmt::format(
            "\n{}() {{\n    local context state line\n    typeset -A opt_args\n    "
            "_arguments{}{}\n{}}}\n",
            function_name(*command),
            command->commands.empty() ? "" : " -C",
            arguments,
            choose);
    }
    return out +
           "\nif [ \"$funcstack[1]\" = \"_helioray\" ]; then _helioray \"$@\"; else compdef "
           "_helioray helioray; fi\n";
}

}  // namespace helioray::app
