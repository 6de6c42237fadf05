// SPDX-License-Identifier: MIT
// Completion scripts for shells, from the tree of commands.
#pragma once

#include "app/completion/command_tree.h"

#include <string>

namespace helioray::app {

/// For bash; needs nothing but bash itself.
std::string bash_completion(const CommandEntry& program);

/// For fish.
std::string fish_completion(const CommandEntry& program);

/// For zsh's completion system (a file "_helioray" in a folder of fpath).
std::string zsh_completion(const CommandEntry& program);

}  // namespace helioray::app
