// SPDX-License-Identifier: MIT
// What both models offer to whoever runs them: work units, integer sums, a result.
#pragma once

#include "raytracer/result.h"

#include <ATen/core/Tensor.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace helioray {

/// Where and under whose eyes units are traced.
struct TraceControl {
    int num_threads = 1;
    bool use_cuda = false;                      ///< on the current CUDA device
    std::atomic<int64_t>* rays_done = nullptr;  ///< counts rays for progress displays
    const std::atomic<bool>* cancel = nullptr;  ///< when it becomes true, trace() returns early
};

/// A prepared run of one model: everything is checked and planned; only rays are missing.
///
/// The job knows nothing of ranks: whoever owns several processes traces a part of the units on
/// each and adds the sums.
class TraceJob {
  public:
    virtual ~TraceJob() = default;

    /// Units of work; any subset in any order may be traced anywhere.
    virtual int64_t num_units() const = 0;
    /// Rays of a unit, for balancing and progress.
    virtual int64_t rays_of_unit(int64_t unit) const = 0;
    /// All rays of the job.
    virtual int64_t num_rays() const = 0;

    /// Traces units [begin, end) and adds to the sums.
    virtual void trace(int64_t begin, int64_t end, const TraceControl& control) = 0;

    /// The sums so far: int64 on the CPU, one dense vector. Adding the vectors of all parts gives
    /// the whole.
    virtual at::Tensor& sums() = 0;

    /// Turns complete sums into flux maps and energy terms. Provenance is filled as far as the job
    /// knows it.
    virtual RunResult result() const = 0;

    /// What users should know about this job before it runs (motor limits, ...).
    const std::vector<std::string>& warnings() const { return warnings_; }

  protected:
    std::vector<std::string> warnings_;
};

/// Hash of the exact integer sums: equal for every number of ranks and threads.
std::string fingerprint(const at::Tensor& sums);

}  // namespace helioray
