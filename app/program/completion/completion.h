// SPDX-License-Identifier: MIT
// Generates completion scripts for shells and the manual page from the tree of commands.
#pragma once

#include "app/program/common/command.h"

#include <string>
#include <vector>

namespace helioray::app {

/// The values that are allowed at one place of a command line.
struct ValueKind {
    enum class Type {
        none,   ///< no value: a flag
        text,   ///< any text
        words,  ///< one of `words`
        file,   ///< a file with one of the extensions `words`; any file if there are none
        folder
    };
    Type type = Type::none;
    std::vector<std::string> words;  ///< choices, or extensions without their dots
};

/// An option with its names, including dashes ("-o", "--output").
struct OptionEntry {
    std::vector<std::string> names;
    std::string description;
    ValueKind value;
    bool repeatable = false;
};

/// A command with its subcommands. `path` is empty for the program, and "scenario paint" for
/// helioray scenario paint.
struct CommandEntry {
    std::string path;
    std::string name;
    std::string description;
    std::vector<OptionEntry> options;
    std::vector<ValueKind> operands;  ///< one per positional argument
    std::vector<CommandEntry> commands;
};

/// Reads the tree from the command line's description. The values of an option follow from its
/// placeholder in the help: FILE, CONFIG, RESULT, SCENARIO, PICTURE, PAGE and PNG are files (with
/// their usual extensions), DIR and FOLDER folders. Lower-case words between bars ("linear|log")
/// and sets of a check ("{points,normals}") are choices. All other placeholders are text.
CommandEntry describe_commands(Command program);

/// Returns the command and all commands below it, parents first.
std::vector<const CommandEntry*> all_commands(const CommandEntry& program);

/// Returns a script for bash, which needs only bash itself.
std::string bash_completion(const CommandEntry& program);

/// Returns a script for fish.
std::string fish_completion(const CommandEntry& program);

/// Returns a script for zsh's completion system (a file "_helioray" in a folder of fpath).
std::string zsh_completion(const CommandEntry& program);

/// Returns the list of all commands with their options for the manual page, in roff.
std::string manual_section(const CommandEntry& program);

}  // namespace helioray::app
