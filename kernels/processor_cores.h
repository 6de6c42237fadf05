// SPDX-License-Identifier: MIT
// Processor cores that a process may use.
#pragma once

#include <string>
#include <vector>

namespace helioray::kernels {

/// What the operating system grants this process.
struct ProcessorCores {
    /// Numbers of the cores that it may run on, ascending: its affinity, as taskset, a cpuset or a
    /// launcher's binding set it. Not empty.
    std::vector<int> allowed;
    /// Processor time that control groups (of containers and batch systems) grant, in cores; 0: no
    /// limit.
    double quota = 0.0;
    /// The same text for processes that share this quota; empty where there is none.
    std::string quota_group;
};

/// The cores of this process. The files that describe control groups, of versions 1 and 2, are read
/// below `root`.
ProcessorCores processor_cores(const std::string& root = {});

/// Threads that keep these cores busy: the cores allowed or the whole cores of the quota, whichever
/// are fewer, at least 1.
int usable_cores(const ProcessorCores& cores = processor_cores());

/// "2 (0, 3)", "8 (0-7)", with ", 1.5 by control group" where there is a quota.
std::string to_string(const ProcessorCores& cores);

}  // namespace helioray::kernels
