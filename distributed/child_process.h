// SPDX-License-Identifier: MIT
// One executed child process that dies with its parent.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace helioray::detail {

/// What a child is made from.
struct ChildOptions {
    std::string program;                 ///< file to execute
    std::vector<std::string> arguments;  ///< argv
    std::map<std::string, std::string>
        environment;           ///< variables set or replaced in the parent's environment
    std::string output_file;   ///< stdout and stderr go there; empty: inherited
    bool empty_input = false;  ///< stdin is /dev/null
};

/// Starts the child. SIGKILL reaches it when the calling thread ends.
/// Throws std::runtime_error when it cannot be started, also when the program cannot be executed.
pid_t start_child(const ChildOptions& options);

/// "SIGKILL" for 9; the number for signals without a name here.
std::string signal_name(int signal);

}  // namespace helioray::detail
