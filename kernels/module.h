// SPDX-License-Identifier: MIT
// Parts of HelioRay that are loaded on demand because they need LibTorch, CUDA or NCCL.
#pragma once

#include <stdexcept>
#include <string>

namespace helioray {

/// A module that cannot be used: what() names the file, the reason and what to do.
class ModuleError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Address of an exported function of the module lib<name>.so, which is loaded at its first use and
/// stays. It is searched in HELIORAY_MODULES (a folder), beside the program or library that this
/// code is part of, in its ../lib and in the installed folder of modules, then by the system's
/// rules. Safe from several threads. Throws ModuleError where module or function is missing.
void* module_function(const std::string& name, const char* function);

/// Why a module cannot be loaded; empty when it can (it is loaded then).
std::string module_problem(const std::string& name);

}  // namespace helioray
