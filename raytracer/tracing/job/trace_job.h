// SPDX-License-Identifier: MIT
// Interface between the models and the run engine: work units, integer sums, a result.
#pragma once

#include "kernels/core/device_integers.h"
#include "raytracer/tracing/job/result.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace helioray {

/// Devices, threads and observers of a trace.
struct TraceControl {
    int num_threads = 1;                        ///< threads of the CPU, including the calling one
    std::vector<int> cuda_devices;              ///< CUDA devices that trace; empty: the CPU
    std::atomic<int64_t>* rays_done = nullptr;  ///< counts rays for progress displays
    const std::atomic<bool>* cancel = nullptr;  ///< when it becomes true, trace() returns early

    bool use_cuda() const { return !cuda_devices.empty(); }  ///< false: the CPU traces
};

/// Adds up integers of all parts of a run, in place. A job that traces one part uses it to get the
/// sums of all parts. Every part makes the same calls with the same number of integers.
struct PartSum {
    std::function<void(std::span<int64_t>)> on_host;  ///< adds integers in the memory of the CPU
    /// Adds integers in the memory of the device; empty if nothing is summed on devices. If it is
    /// set, every part has its own device.
    std::function<void(const kernels::DeviceIntegers&)> on_device;
    int cuda_device = 0;  ///< device of this part, if on_device is set
};

/// A checked and planned run of one model, ready to trace its rays.
///
/// The job is independent of ranks: with several processes the engine traces a part of the units on
/// each process and adds the sums.
class TraceJob {
  public:
    virtual ~TraceJob() = default;

    /// Moves the sun of the same run and clears the sums. Everything that depends on the sun is
    /// recomputed on at most num_threads threads. `direction` is the unit vector to the sun, ENU;
    /// `dni` is in W/m2, `temperature` that of the air in °C. Throws InputError for runs that
    /// cannot be traced. Returns false if the job cannot be changed and the caller has to make a
    /// new one.
    virtual bool set_sun(const Vec3& /*direction*/,
                         double /*dni*/,
                         std::optional<double> /*temperature*/,
                         int /*num_threads*/) {
        return false;
    }

    /// Returns the number of work units. Any subset may be traced anywhere, in any order.
    virtual int64_t num_units() const = 0;
    /// Returns the number of rays of a unit, for balancing and progress.
    virtual int64_t rays_of_unit(int64_t unit) const = 0;
    /// Returns the number of rays of all units.
    virtual int64_t num_rays() const = 0;

    /// Returns the number of units up to the end of each round, ascending; the last entry is
    /// num_units(). Rounds are traced one after the other. After each round but the last the job
    /// may be accurate enough, so that its result is valid without the remaining rounds. Most jobs
    /// have one round.
    virtual std::vector<int64_t> round_ends() const { return {num_units()}; }
    /// Returns a small copy of the sums that decide whether the job is accurate enough.
    virtual std::vector<int64_t> interim_sums() const { return {}; }
    /// Returns true if the rounds so far are enough. `interim_sums` are those of all parts
    /// together. The answer depends on these integers only, so that all processes decide alike.
    virtual bool is_accurate_enough(std::span<const int64_t> /*interim_sums*/) const {
        return false;
    }

    /// Traces units [begin, end) and adds to the sums. Returns the number of units traced, counted
    /// from `begin`; it is smaller than requested if the call is cancelled. Unless the call throws,
    /// the sums contain whole units only.
    virtual int64_t trace(int64_t begin, int64_t end, const TraceControl& control) = 0;

    /// Returns the sums so far as one dense vector. Adding the vectors of all parts gives the
    /// total.
    virtual std::span<int64_t> sums() = 0;

    /// Returns the sums that every run of the same field and rays has, regardless of its outputs:
    /// those without maps of single heliostats. The fingerprint of a run is their hash.
    virtual std::span<const int64_t> fingerprinted_sums() { return sums(); }

    /// Replaces the sums by those of all parts, in the memory that holds them.
    virtual void add_parts(const PartSum& add) { add.on_host(sums()); }
    /// Returns interim_sums() of all parts together. The sums of this part stay unchanged.
    virtual std::vector<int64_t> interim_sums_of_parts(const PartSum& add) {
        std::vector<int64_t> interim = interim_sums();
        add.on_host(interim);
        return interim;
    }

    /// Converts the sums of all units of the first rounds (at least one) into flux maps and energy
    /// terms. Provenance contains the entries that the job knows; its rays are those that were
    /// traced.
    virtual RunResult result() const = 0;

    /// Returns the same as result(), and clears the maps of single heliostats in the sums one by
    /// one, so that they are never in memory twice.
    virtual RunResult take_result() { return result(); }

    /// Returns warnings for users about this job before it runs (motor limits, ...).
    const std::vector<std::string>& warnings() const { return warnings_; }

  protected:
    std::vector<std::string> warnings_;  ///< filled while the job is prepared
};

/// Returns the hash of the exact integer sums. It is equal for every number of ranks and threads.
std::string fingerprint(std::span<const int64_t> sums);

}  // namespace helioray
