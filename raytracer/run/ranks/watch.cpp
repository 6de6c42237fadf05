// SPDX-License-Identifier: MIT
// Thread that monitors a running trace, and calls of the program's progress display.
#include "raytracer/run/ranks/watch.h"

#include "raytracer/run/options.h"

#include <chrono>
#include <utility>

namespace helioray::run {

ProgressReport::ProgressReport(const Options& options, std::int64_t expected, std::int64_t steps)
    : options_(options), expected_(expected), steps_(steps) {
    report();
}

ProgressReport::~ProgressReport() {
    finish();
}

void ProgressReport::report() {
    notify(false);
}

void ProgressReport::finish() {
    notify(true);
}

void ProgressReport::notify(bool finished) {
    if (!options_.progress) return;
    const std::lock_guard lock(mutex_);
    if (finished_) return;
    finished_ = finished;
    options_.progress({rays_, expected_, finished, steps_});
}

namespace {

constexpr auto kPollInterval = std::chrono::milliseconds(50);
constexpr int kPollsPerPeerCheck = 20;
// Time for the calling thread to return by itself, for example from a collective that waits for
// other ranks.
constexpr auto kGrace = std::chrono::seconds(8);

std::string stop_reason(const Options& options) {
    return options.stop ? options.stop() : std::string();
}

}  // namespace

void check_stop(const Options& options) {
    if (const std::string reason = stop_reason(options); !reason.empty()) throw Stopped(reason);
}

Watch::Watch(const Options& options, std::function<void()> check_peers, std::function<void()> tick)
    : options_(options),
      check_peers_(std::move(check_peers)),
      tick_(std::move(tick)),
      thread_([this] { loop(); }) {}

Watch::~Watch() {
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }
    wake_.notify_all();
    thread_.join();
}

void Watch::loop() {
    using Clock = std::chrono::steady_clock;
    std::optional<Clock::time_point> cancelled;
    bool told = false;
    const auto ended = [&] {
        std::unique_lock lock(mutex_);
        return wake_.wait_for(lock, kPollInterval, [this] { return ended_; });
    };
    for (int poll = 0; !ended(); ++poll) {
        if (tick_) tick_();
        if (!cancelled) poll_program(poll % kPollsPerPeerCheck == 0);
        if (cancel_ && !cancelled) cancelled = Clock::now();
        if (!cancelled || told || Clock::now() - *cancelled <= kGrace) continue;
        told = true;
        if (options_.stuck) options_.stuck(reason_);
    }
}

void Watch::poll_program(bool at_peers) {
    reason_ = stop_reason(options_);
    if (!reason_.empty()) {
        cancel_ = true;
    } else if (at_peers) {
        try {
            check_peers_();
        } catch (const std::exception& error) {
            reason_ = error.what();
            const std::lock_guard lock(mutex_);
            failure_ = std::current_exception();
            cancel_ = true;
        }
    }
}

void Watch::rethrow() {
    check_stop(options_);
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
}

}  // namespace helioray::run
