// SPDX-License-Identifier: MIT
// Modules of HelioRay that are loaded on demand because they need LibTorch, CUDA or NCCL.
#pragma once

#include <stdexcept>
#include <string>

namespace helioray {

/// A module cannot be used: what() names the file, the reason and the remedy.
class ModuleError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Returns the address of an exported function of the module lib<name>.so, which is loaded at its
/// first use and remains loaded. The module is searched in HELIORAY_MODULES (a folder), beside the
/// program or library that contains this code, in its ../lib and in the installed folder of
/// modules, then by the system's rules. Thread-safe. Throws ModuleError if module or function is
/// missing.
void* module_function(const std::string& name, const char* function);

/// Sets a function that is called with the file of each module before it is loaded, by the first
/// thread that needs it, for example to load the LibTorch of a Python interpreter. It may throw
/// ModuleError. There is only one such function; set it before the first module is used.
void before_loading(void (*prepare)(const std::string& file));

/// Returns the file of a module in one of these folders, for callers that load it themselves.
/// Throws ModuleError if there is none.
std::string module_file(const std::string& name);

/// Returns the reason why a module cannot be loaded; an empty text if it can (it is loaded then).
std::string module_problem(const std::string& name);

}  // namespace helioray
