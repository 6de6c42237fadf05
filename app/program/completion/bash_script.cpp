// SPDX-License-Identifier: MIT
// Generates completion for bash: tables of the program's words, and the function that searches
// them.
#include "app/program/completion/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace helioray::app {

namespace {

constexpr const char* kLookUp = R"bash(
# Adds files that end in one of the extensions, and folders; all files where there is none of these.
_helioray_files() {
    local extension name
    compopt -o filenames 2>/dev/null
    if [ $# -gt 0 ]; then
        while IFS= read -r name; do
            for extension; do
                if [[ $name == *."$extension" && ! -d $name ]]; then COMPREPLY+=("$name"); fi
            done
        done < <(compgen -f -- "$current")
        while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen -d -- "$current")
    fi
    if [ ${#COMPREPLY[@]} -eq 0 ]; then
        while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen -f -- "$current")
    fi
}

# Adds what a place takes: "words a b", "file yaml", "folder" or "text".
_helioray_place() {
    local type=$1 name
    shift
    case $type in
        words) while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen -W "$*" -- "$current") ;;
        file) _helioray_files "$@" ;;
        folder)
            compopt -o filenames 2>/dev/null
            while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen -d -- "$current")
            ;;
    esac
}

_helioray() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local path="" operands=0 i word takes
    COMPREPLY=()
    # bash takes "--option=value" for three words.
    if [ "$current" = "=" ]; then
        current=""
    elif [ "$previous" = "=" ] && [ "$COMP_CWORD" -gt 2 ]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $word == -* ]]; then
            takes=$(_helioray_value "$path" "$word")
            if [ -n "$takes" ]; then
                if [ "${COMP_WORDS[i + 1]}" = "=" ]; then i=$((i + 1)); fi
                i=$((i + 1))
            fi
        elif [[ " $(_helioray_commands "$path") " == *" $word "* ]]; then
            path="$path $word"
        else
            operands=$((operands + 1))
        fi
    done
    takes=$(_helioray_value "$path" "$previous")
    if [[ $previous == -* && -n $takes ]]; then
        _helioray_place $takes
    elif [[ $current == -* ]]; then
        _helioray_place words $(_helioray_options "$path")
    elif [ -n "$(_helioray_commands "$path")" ]; then
        _helioray_place words $(_helioray_commands "$path")
    else
        _helioray_place $(_helioray_operand "$path" "$operands")
    fi
}
complete -F _helioray helioray
)bash";

/// Returns the key of a command in the script: its words, each after a space.
std::string key(const CommandEntry& command) {
    return command.path.empty() ? "" : " " + command.path;
}

std::string place(const ValueKind& value) {
    const std::string words = fmt::format("{}", fmt::join(value.words, " "));
    switch (value.type) {
        case ValueKind::Type::none:
            return "";
        case ValueKind::Type::text:
            return "text";
        case ValueKind::Type::words:
            return "words " + words;
        case ValueKind::Type::file:
            return words.empty() ? "file" : "file " + words;
        case ValueKind::Type::folder:
            return "folder";
    }
    return "";
}

std::string table(const std::string& name, const std::string& argument, const std::string& cases) {
    return fmt::format("{}() {{\n    case \"{}\" in\n{}    esac\n}}\n", name, argument, cases);
}

std::string row(const std::string& pattern, const std::string& words) {
    return fmt::format("        {}) echo \"{}\" ;;\n", pattern, words);
}

}  // namespace

std::string bash_completion(const CommandEntry& program) {
    std::string commands, options, values, operands;
    for (const CommandEntry* command : all_commands(program)) {
        std::vector<std::string> below, names;
        for (const CommandEntry& c : command->commands) below.push_back(c.name);
        if (!below.empty()) {
            commands +=
                row(fmt::format("\"{}\"", key(*command)), fmt::format("{}", fmt::join(below, " ")));
        }
        for (const OptionEntry& option : command->options) {
            std::vector<std::string> patterns;
            for (const std::string& name : option.names) {
                names.push_back(name);
                patterns.push_back(fmt::format("\"{} {}\"", key(*command), name));
            }
            if (option.value.type == ValueKind::Type::none) continue;
            values += row(fmt::format("{}", fmt::join(patterns, " | ")), place(option.value));
        }
        options +=
            row(fmt::format("\"{}\"", key(*command)), fmt::format("{}", fmt::join(names, " ")));
        // The last operand also describes all further ones, since it may be repeatable.
        for (std::size_t i = 0; i < command->operands.size(); ++i) {
            const bool last = i + 1 == command->operands.size();
            operands += row(last ? fmt::format("\"{} \"*", key(*command))
                                 : fmt::format("\"{} {}\"", key(*command), i),
                            place(command->operands[i]));
        }
    }
    return "# bash completion for helioray (written by 'helioray completion bash')\n\n" +
           table("_helioray_commands", "$1", commands) + table("_helioray_options", "$1", options) +
           table("_helioray_value", "$1 $2", values) +
           table("_helioray_operand", "$1 $2", operands) + kLookUp;
}

}  // namespace helioray::app
