// SPDX-License-Identifier: MIT
// The thread that gives signs of life.
#include "distributed/peer_monitor.h"

#include "distributed/rank_info.h"
#include "distributed/background_thread.h"

#include <utility>

namespace helioray::detail {
namespace {

using std::chrono::milliseconds;

/// Leaves a call because nobody waits for its answer any more.
struct Cancelled {};

StoreClientOptions with_heartbeats(StoreClientOptions store) {
    store.sends_heartbeats = true;
    return store;
}

}  // namespace

PeerMonitor::PeerMonitor(MonitorOptions options, const WaitCallback& wait_callback)
    : options_(std::move(options)), client_(with_heartbeats(options_.store), wait_callback) {
    client_.set_wait_callback([this] {
        if (cancelled_) throw Cancelled();
    });
    thread_ = start_background_thread([this] { run(); });
}

PeerMonitor::~PeerMonitor() {
    stop();
}

void PeerMonitor::set_cause(const std::string& cause) {
    const std::lock_guard lock(mutex_);
    if (!cause_) cause_ = cause;
    changed_.notify_all();
}

void PeerMonitor::run() {
    std::unique_lock lock(mutex_);
    while (true) {
        const std::optional<std::string> report = to_report_;
        const bool close = stopping_ && !cause_ && !report;
        const bool done = stopping_ && !report;
        lock.unlock();
        try {
            if (report) client_.fail(*report, options_.heartbeat_timeout);
            if (close) client_.close();
            if (!done) {
                if (const auto cause = client_.send_heartbeat(options_.heartbeat_timeout)) set_cause(*cause);
            }
        } catch (const Cancelled&) {
            // Nobody waits any more.
        } catch (const TimeoutError&) {
            set_cause(options_.server + " hangs: its store no longer answers, for " +
                  format_seconds(options_.heartbeat_timeout) +
                  " (it was stopped, or its machine or network fails)");
        } catch (const TransportError& error) {
            set_cause(options_.server +
                  " is gone: its process ended without a word (killed, crashed, or out of memory), "
                  "or its connection broke: " +
                  error.what());
        }
        lock.lock();
        if (report) {
            to_report_.reset();
            changed_.notify_all();
        }
        if (done) break;
        // A failure is final: then only the end is waited for.
        const auto due = [this] { return stopping_ || to_report_; };
        if (cause_)
            changed_.wait(lock, due);
        else
            changed_.wait_for(lock, options_.interval, due);
    }
    ended_ = true;
    changed_.notify_all();
}

std::optional<std::string> PeerMonitor::cause() const {
    const std::lock_guard lock(mutex_);
    return cause_;
}

std::optional<std::string> PeerMonitor::await_cause(milliseconds patience) const {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience, [this] { return cause_.has_value(); });
    return cause_;
}

void PeerMonitor::report(const std::string& cause, milliseconds patience) {
    std::unique_lock lock(mutex_);
    if (stopping_ || cause_) return;
    to_report_ = cause;
    changed_.notify_all();
    changed_.wait_for(lock, patience, [this] { return !to_report_; });
}

void PeerMonitor::stop() {
    {
        std::unique_lock lock(mutex_);
        stopping_ = true;
        changed_.notify_all();
        // A call that hangs is left within a moment.
        if (!changed_.wait_for(lock, milliseconds(2000), [this] { return ended_; })) cancelled_ = true;
    }
    if (thread_.joinable()) thread_.join();
}

}  // namespace helioray::detail
