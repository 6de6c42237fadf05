// SPDX-License-Identifier: MIT
// Static and dynamic division of work units between ranks.
#include "raytracer/run/work_share.h"

#include "distributed/work_queue.h"
#include "kernels/partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>

namespace helioray::run {

namespace {

// At most this share of a round is timed before the rest is divided, in at most so many samples.
constexpr int64_t kShareToMeasure = 16;
constexpr int64_t kMostSamples = 64;
// A time that differs more from the median was disturbed, or says nothing about its neighbours.
constexpr double kMostDeviation = 4.0;

/// Times within a factor of kMostDeviation of their median.
void tame(std::vector<double>& times) {
    std::vector<double> sorted = times;
    std::nth_element(sorted.begin(), sorted.begin() + std::ssize(sorted) / 2, sorted.end());
    const double median = sorted[sorted.size() / 2];
    for (double& time : times)
        time = std::clamp(time, median / kMostDeviation, median * kMostDeviation);
}

}  // namespace

WorkShare::WorkShare(const TraceJob& job,
                     DistributedEnvironment& environment,
                     WorkShareOptions options,
                     std::function<void()> wait_for_all)
    : job_(job),
      environment_(environment),
      options_(std::move(options)),
      wait_for_all_(std::move(wait_for_all)) {
    // One rank has nobody to share with.
    if (environment.world_size() == 1) {
        options_.schedule = Schedule::static_;
        options_.measure = false;
    }
    int64_t& lanes = options_.lanes;
    for (const std::string& of_rank : environment.all_gather_strings(std::to_string(lanes)))
        lanes = std::max<int64_t>(lanes, std::stoll(of_rank));
}

std::vector<double> WorkShare::costs(int64_t begin, int64_t end) const {
    std::vector<double> costs;
    costs.reserve(static_cast<size_t>(end - begin));
    const auto samples = std::ssize(seconds_per_ray_);
    for (int64_t unit = begin; unit < end; ++unit) {
        const auto rays = static_cast<double>(job_.rays_of_unit(unit));
        // All rounds go through the heliostats in the same order.
        const int64_t sample = (unit - begin) * samples / (end - begin);
        costs.push_back(samples == 0 ? rays : rays * seconds_per_ray_[static_cast<size_t>(sample)]);
    }
    return costs;
}

double WorkShare::seconds_of_ray(int64_t first, int64_t last, const TraceUnits& trace) const {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    trace(first, last);
    const std::chrono::duration<double> time = Clock::now() - start;
    int64_t rays = 0;
    for (int64_t unit = first; unit < last; ++unit) rays += job_.rays_of_unit(unit);
    return std::max(time.count(), 1e-9) / static_cast<double>(std::max<int64_t>(rays, 1));
}

/// Returns the samples of all ranks: units that have been traced.
WorkShare::Ranges WorkShare::measure(int64_t begin, int64_t end, const TraceUnits& trace) {
    const int64_t units = end - begin;
    const int64_t count = std::min(kMostSamples, units / (kShareToMeasure * options_.lanes));
    // Fewer would say little about the rest.
    if (count < int64_t{2} * environment_.world_size()) return {};

    Ranges samples;
    for (int64_t i = 0; i < count; ++i) {
        const int64_t first = begin + (2 * i + 1) * units / (2 * count) - options_.lanes / 2;
        samples.emplace_back(first, first + options_.lanes);
    }
    std::vector<double> times(samples.size(), 0.0);
    for (const int64_t i :
         partition_in_turn(count, environment_.rank(), environment_.world_size())) {
        const auto [first, last] = samples[static_cast<size_t>(i)];
        times[static_cast<size_t>(i)] = seconds_of_ray(first, last, trace);
    }
    wait_for_all_();
    // Each number comes from one rank, so that all get the same bits.
    environment_.all_reduce_sum(std::span(times));
    seconds_per_ray_ = std::move(times);
    tame(seconds_per_ray_);
    write(options_.log,
          LogLevel::debug,
          fmt::format("timed {} samples of {} units to balance the ranks", count, options_.lanes));
    return samples;
}

/// This rank's units of a static schedule, without those that are done.
WorkShare::Ranges WorkShare::own_ranges(int64_t begin, int64_t end, const Ranges& done) const {
    std::vector<double> left = costs(begin, end);
    for (const auto& [first, last] : done)
        std::fill(left.begin() + (first - begin), left.begin() + (last - begin), 0.0);
    const auto parts = partition_by_cost(left, environment_.world_size());
    const auto [first, last] = parts[static_cast<size_t>(environment_.rank())];
    return range_without({begin + first, begin + last}, done);
}

void WorkShare::draw(int64_t begin,
                     int64_t end,
                     const TraceUnits& trace,
                     const std::function<bool()>& cancelled) {
    WorkQueue queue(environment_,
                    options_.name + " round " + std::to_string(rounds_),
                    costs(begin, end),
                    options_.lanes);
    int64_t chunks = 0, units = 0;
    while (!cancelled()) {
        const auto chunk = queue.next();
        if (!chunk) break;
        trace(begin + chunk->first, begin + chunk->second);
        ++chunks;
        units += chunk->second - chunk->first;
    }
    write(options_.log,
          LogLevel::debug,
          fmt::format("drew {} of {} units in {} chunks", units, end - begin, chunks));
}

void WorkShare::run(int64_t begin,
                    int64_t end,
                    const TraceUnits& trace,
                    const std::function<bool()>& cancelled) {
    ++rounds_;
    if (options_.schedule == Schedule::dynamic) return draw(begin, end, trace, cancelled);

    Ranges done;
    if (options_.measure && seconds_per_ray_.empty()) done = measure(begin, end, trace);
    for (const auto& [first, last] : own_ranges(begin, end, done)) {
        if (cancelled()) return;
        trace(first, last);
    }
}

}  // namespace helioray::run
