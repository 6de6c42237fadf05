// SPDX-License-Identifier: MIT
// Stores the traced work of ranks in checkpoints and restores it.
#include "raytracer/run/ranks/checkpoint.h"

#include "distributed/ranks/environment.h"
#include "raytracer/run/stored/stored_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <sstream>
#include <system_error>
#include <thread>

namespace helioray::run {

namespace {

using Seconds = std::chrono::duration<double>;
using namespace std::chrono_literals;

// Tracing a shorter run again is cheaper than removing its files later.
constexpr Seconds kWorthKeeping = 60s;
// Storing takes at most 1 / kRunTimePerStoring of a run's time.
constexpr double kRunTimePerStoring = 200.0;
// A process that was asked to end has a few seconds. If writing takes longer than this, the last
// checkpoint remains.
constexpr Seconds kLongestLastWrite = 3s;
// Other ranks wait this long for rank 0, which creates the folder.
constexpr Seconds kBehindRoot = 2s;

}  // namespace

Checkpoint::Checkpoint(const PreparedRun& run,
                       std::size_t step,
                       DistributedEnvironment& environment,
                       const Log& log)
    : parts_(run.parts.get()),
      step_(step),
      environment_(environment),
      log_(log),
      to_be_removed_(run.restart),
      interval_(
          std::chrono::duration<double, std::ratio<60>>(run.config.output.checkpoint_minutes)) {
    Seconds first = interval_;
    if (!environment.is_root()) first += std::min(interval_, kBehindRoot);
    next_ = start_ + std::chrono::duration_cast<Clock::duration>(first);
}

double Checkpoint::seconds() const {
    return seconds_before_ + Seconds(Clock::now() - start_).count();
}

/// Returns the units that were added.
UnitSet Checkpoint::add_files(TraceJob& job) {
    UnitSet units;
    std::error_code error;
    if (!std::filesystem::exists(parts_->folder(), error)) return units;
    if (!parts_->is_open()) parts_->open(to_be_removed_);
    const auto files = parts_->works(step_);
    for (const RunParts::Work& file : files) {
        try {
            const StoredWork work = add_stored_work(
                file.path, parts_->identity_hash(), job.num_units(), units, job.sums());
            for (const UnitSet::Range& range : work.units.ranges()) units.add(range);
            seconds_before_ = std::max(seconds_before_, work.seconds);
        } catch (const std::exception& problem) {
            run::write(log_,
                       LogLevel::warning,
                       fmt::format("{}; what it holds is traced again", problem.what()));
        }
    }
    number_ = files.empty() ? 0 : files.front().start + 1;
    return units;
}

void Checkpoint::restore(TraceJob& job) {
    if (parts_ == nullptr) return;
    // Only rank 0's folder is used: all ranks restore the files that rank 0 finds.
    std::string mine;
    if (environment_.is_root()) {
        const UnitSet units = add_files(job);
        mine = fmt::format("{} {}", number_, seconds_before_);
        for (const auto& [first, last] : units.ranges()) mine += fmt::format(" {} {}", first, last);
    }
    std::istringstream stream(environment_.wait_for_root("restored work", mine));
    stream >> number_ >> seconds_before_;
    for (UnitSet::Range range; stream >> range.first >> range.second;) {
        restored_.add(range);
        for (int64_t unit = range.first; unit < range.second; ++unit)
            restored_rays_ += job.rays_of_unit(unit);
    }
    start_ = Clock::now();
    if (restored_rays_ == 0) return;
    run::write(log_,
               LogLevel::info,
               fmt::format("continues: {:.1f} % of {} rays are traced already",
                           100.0 * static_cast<double>(restored_rays_) /
                               static_cast<double>(job.num_rays()),
                           job.num_rays()));
}

bool Checkpoint::due() const {
    return parts_ != nullptr && interval_.count() > 0.0 && Clock::now() >= next_.load();
}

/// Creates the folder on rank 0; other ranks write only if they see it.
bool Checkpoint::make_folder(std::chrono::milliseconds patience) {
    if (environment_.is_root()) {
        if (!parts_->is_open()) parts_->open(to_be_removed_);
        return true;
    }
    const auto end = Clock::now() + patience;
    while (!parts_->exists()) {
        if (Clock::now() >= end) return false;
        std::this_thread::sleep_for(10ms);
    }
    return true;
}

bool Checkpoint::write(const UnitSet& units,
                       std::span<const int64_t> sums,
                       std::chrono::milliseconds patience) {
    const auto begin = Clock::now();
    try {
        if (!make_folder(patience)) return false;
        const auto file = parts_->work(step_, number_, environment_.rank());
        write_stored_work(file, parts_->identity_hash(), {units, seconds()}, sums);
        // This file contains all work of earlier starts.
        if (environment_.is_root() && !stored_) {
            std::error_code ignored;
            for (const RunParts::Work& work : parts_->works(step_)) {
                if (work.start < number_) std::filesystem::remove(work.path, ignored);
            }
        }
        stored_ = true;
    } catch (const std::exception& problem) {
        if (!std::exchange(warned_, true)) {
            run::write(log_,
                       LogLevel::warning,
                       fmt::format("{}; the run goes on, but an interruption may cost what is "
                                   "traced from now on",
                                   problem.what()));
        }
        return false;
    }
    last_write_ = Clock::now() - begin;
    run::write(log_,
               LogLevel::debug,
               fmt::format("kept what is traced in {:.1f} ms", 1e3 * last_write_.count()));
    return true;
}

void Checkpoint::store(const UnitSet& units, std::span<const int64_t> sums) {
    const auto begin = Clock::now();
    write(units, sums, 0ms);
    const Seconds took = Clock::now() - begin;
    next_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                               std::max(interval_, kRunTimePerStoring * took));
}

void Checkpoint::store_unfinished(const UnitSet& units, std::span<const int64_t> sums) {
    if (parts_ == nullptr || interval_.count() == 0.0 || units.ranges().empty()) return;
    const bool worth = stored_ || !restored_.ranges().empty() ||
                       seconds() >= std::min(interval_, kWorthKeeping).count();
    if (!worth) return;
    if (last_write_ <= kLongestLastWrite) write(units, sums, 1s);
}

void Checkpoint::remove() {
    if (parts_ == nullptr || !parts_->is_open()) return;
    std::error_code ignored;
    for (const RunParts::Work& work : parts_->works(step_))
        std::filesystem::remove(work.path, ignored);
}

}  // namespace helioray::run
