// SPDX-License-Identifier: MIT
// Processor cores that a process may use.
#pragma once

#include <string>
#include <vector>

namespace helioray::kernels {

/// Processor resources that the operating system grants this process.
struct ProcessorCores {
    /// Numbers of the cores on which the process may run, ascending: its affinity, as set by
    /// taskset, a cpuset or a launcher's binding. Not empty.
    std::vector<int> allowed;
    /// Processor time that control groups (of containers and batch systems) grant, in cores; 0 for
    /// no limit.
    double quota = 0.0;
    /// Identifier that is equal for processes that share this quota; empty without a quota.
    std::string quota_group;
};

/// Returns the cores of this process. Files about control groups, of versions 1 and 2, are read
/// below `root`. The first call without `root` reads the quota; later calls return the same quota.
ProcessorCores processor_cores(const std::string& root = {});

/// Returns the number of threads that keep these cores busy: the number of allowed cores or of
/// whole cores of the quota, whichever is smaller, at least 1.
int usable_cores(const ProcessorCores& cores = processor_cores());

/// Formats the cores: "2 (0, 3)", "8 (0-7)", with ", 1.5 by control group" if there is a quota.
std::string to_string(const ProcessorCores& cores);

}  // namespace helioray::kernels
