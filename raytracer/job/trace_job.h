// SPDX-License-Identifier: MIT
// The interface of both models to the run engine: work units, integer sums, a result.
#pragma once

#include "kernels/core/device_integers.h"
#include "raytracer/job/result.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace helioray {

/// Device, threads and observers of a trace.
struct TraceControl {
    int num_threads = 1;                        ///< on the CPU, this one among them
    bool use_cuda = false;                      ///< on the current CUDA device
    std::atomic<int64_t>* rays_done = nullptr;  ///< counts rays for progress displays
    const std::atomic<bool>* cancel = nullptr;  ///< when it becomes true, trace() returns early
};

/// Adds up integers of all parts of a run, in place: what a job of one part gets of the others.
/// Every part makes the same calls, with as many integers each.
struct PartSum {
    std::function<void(std::span<int64_t>)> on_host;  ///< for integers in the memory of the CPU
    /// Empty where nothing is added up on devices. Where it is set, every part has its own device.
    std::function<void(const kernels::DeviceIntegers&)> on_device;
};

/// A prepared run of one model: everything is checked and planned; only rays are missing.
///
/// The job knows nothing of ranks: with several processes the engine traces a part of the units on
/// each and adds the sums.
class TraceJob {
  public:
    virtual ~TraceJob() = default;

    /// The same run with the sun elsewhere, and empty sums: everything that depends on the sun is
    /// recomputed, on num_threads threads at most. direction: unit vector to the sun, ENU; dni:
    /// W/m2. Throws InputError for runs that cannot be traced. Returns false where a new job has to
    /// be made instead.
    virtual bool set_sun(const Vec3& /*direction*/, double /*dni*/, int /*num_threads*/) {
        return false;
    }

    /// Units of work; any subset in any order may be traced anywhere.
    virtual int64_t num_units() const = 0;
    /// Rays of a unit, for balancing and progress.
    virtual int64_t rays_of_unit(int64_t unit) const = 0;
    /// Rays of all units.
    virtual int64_t num_rays() const = 0;

    /// Number of units up to the end of each round, ascending; the last one is num_units(). Rounds
    /// are traced one after the other, and after each of them but the last the job may be accurate
    /// enough: then its result is good without the rest. Most jobs have one round.
    virtual std::vector<int64_t> round_ends() const { return {num_units()}; }
    /// Copy of the part of the sums that decides; small.
    virtual std::vector<int64_t> interim_sums() const { return {}; }
    /// Whether the rounds so far are enough; `interim_sums` are those of all parts together. A
    /// function of these integers, so that all processes decide alike.
    virtual bool is_accurate_enough(std::span<const int64_t> /*interim_sums*/) const {
        return false;
    }

    /// Traces units [begin, end) and adds to the sums. Returns how many it has traced: the first
    /// ones, fewer than all where it is cancelled. The sums are those of whole units, unless it
    /// throws.
    virtual int64_t trace(int64_t begin, int64_t end, const TraceControl& control) = 0;

    /// The sums so far, one dense vector. Adding the vectors of all parts gives the whole.
    virtual std::span<int64_t> sums() = 0;

    /// The sums that every run of the same field and rays has, whatever else is to be stored: those
    /// without maps of single heliostats. The fingerprint of a run is their hash.
    virtual std::span<const int64_t> fingerprinted_sums() { return sums(); }

    /// Makes the sums those of all parts, in the memory where they lie.
    virtual void add_parts(const PartSum& add) { add.on_host(sums()); }
    /// interim_sums() of all parts together; the sums themselves stay those of this part.
    virtual std::vector<int64_t> interim_sums_of_parts(const PartSum& add) {
        std::vector<int64_t> interim = interim_sums();
        add.on_host(interim);
        return interim;
    }

    /// Turns the sums of all units of the first rounds (one at least) into flux maps and energy
    /// terms. Provenance is filled as far as the job knows it; its rays are those that were traced.
    virtual RunResult result() const = 0;

    /// As result(), and gives up the maps of single heliostats among the sums one by one, so that
    /// they are not in memory twice: the sums hold zeros there from now on.
    virtual RunResult take_result() { return result(); }

    /// Warnings for users about this job before it runs (motor limits, ...).
    const std::vector<std::string>& warnings() const { return warnings_; }

  protected:
    std::vector<std::string> warnings_;  ///< filled while the job is prepared
};

/// Hash of the exact integer sums: equal for every number of ranks and threads.
std::string fingerprint(std::span<const int64_t> sums);

}  // namespace helioray
