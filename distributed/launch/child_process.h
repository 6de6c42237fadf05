// SPDX-License-Identifier: MIT
// Child processes that run a program and are killed when their parent ends.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace helioray::detail {

/// Options of start_child().
struct ChildOptions {
    std::string program;                 ///< path of the file to execute
    std::vector<std::string> arguments;  ///< argv, the program name first
    std::map<std::string, std::string>
        environment;           ///< variables to set or replace in the parent's environment
    std::string output_file;   ///< file for stdout and stderr; if empty, they are inherited
    bool empty_input = false;  ///< if true, stdin is /dev/null
};

/// Starts the child and returns its process id. The kernel sends it SIGKILL when the calling thread
/// ends. Throws std::runtime_error if it cannot be started or the program cannot be executed.
pid_t start_child(const ChildOptions& options);

/// Returns the name of a signal, "SIGKILL" for 9; its number if the system has no name for it.
std::string signal_name(int signal);

}  // namespace helioray::detail
