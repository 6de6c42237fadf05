// SPDX-License-Identifier: MIT
// Looks after a running trace.
#include "raytracer/run/run_watch.h"

#include "app/failure.h"
#include "app/interrupt.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <utility>

namespace helioray::app {

namespace {

constexpr auto kPollInterval = std::chrono::milliseconds(50);
constexpr int kPollsPerPeerCheck = 20;
// Time for the main thread to leave by itself, for example out of a collective that waits for
// others.
constexpr auto kGrace = std::chrono::seconds(8);

}  // namespace

RunWatch::RunWatch(std::function<void()> check_peers)
    : check_peers_(std::move(check_peers)), thread_([this] { watch(); }) {}

RunWatch::~RunWatch() {
    stop_ = true;
    thread_.join();
}

void RunWatch::watch() {
    using Clock = std::chrono::steady_clock;
    Clock::time_point cancelled{};
    const auto cancel = [&] {
        if (!cancel_.exchange(true)) cancelled = Clock::now();
    };
    for (int poll = 0; !stop_; ++poll) {
        std::this_thread::sleep_for(kPollInterval);
        if (pending_signal() != 0) cancel();
        if (!cancel_ && poll % kPollsPerPeerCheck == 0) {
            try {
                check_peers_();
            } catch (const std::exception& error) {
                const std::lock_guard lock(mutex_);
                failure_ = std::current_exception();
                reason_ = error.what();
                cancel();
            }
        }
        // The main thread may hang in a call to a machine that no longer answers. Nothing
        // unfinished lies under a final name, so leaving hard loses nothing.
        if (!cancel_ || Clock::now() - cancelled <= kGrace) continue;
        if (pending_signal() != 0) _exit(128 + pending_signal());
        print_failure(reason_);
        _exit(1);
    }
}

void RunWatch::rethrow() {
    check_interrupt();
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
}

}  // namespace helioray::app
