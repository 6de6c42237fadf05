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

/// Has `prepare` called with the file of each module before that is loaded, by the thread that
/// needs it first: for what has to be there by then, such as the LibTorch of a Python interpreter.
/// It may throw ModuleError. There is one; set it before the first module is used.
void before_loading(void (*prepare)(const std::string& file));

/// The file of a module in one of these folders, for those who load it themselves. Throws
/// ModuleError where there is none.
std::string module_file(const std::string& name);

/// Why a module cannot be loaded; empty when it can (it is loaded then).
std::string module_problem(const std::string& name);

}  // namespace helioray
