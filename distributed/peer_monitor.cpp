// SPDX-License-Identifier: MIT
// The thread that gives signs of life.
#include "distributed/peer_monitor.h"

#include "distributed/hello.h"
#include "distributed/quiet_thread.h"

#include <utility>

namespace helioray::detail {
namespace {

using std::chrono::milliseconds;

/// Leaves a call because nobody waits for its answer any more.
struct Hurry {};

StoreClientOptions watching(StoreClientOptions store) {
    store.watches = true;
    return store;
}

}  // namespace

PeerMonitor::PeerMonitor(MonitorOptions options, const Look& look)
    : options_(std::move(options)), client_(watching(options_.store), look) {
    client_.set_look([this] {
        if (hurry_) throw Hurry();
    });
    thread_ = quiet_thread([this] { run(); });
}

PeerMonitor::~PeerMonitor() {
    stop();
}

void PeerMonitor::learn(const std::string& cause) {
    const std::lock_guard lock(mutex_);
    if (!cause_) cause_ = cause;
    changed_.notify_all();
}

void PeerMonitor::run() {
    std::unique_lock lock(mutex_);
    while (true) {
        const std::optional<std::string> report = to_report_;
        const bool leave = stopping_ && !cause_ && !report;
        const bool over = stopping_ && !report;
        lock.unlock();
        try {
            if (report) client_.fail(*report, options_.silence_limit);
            if (leave) client_.leave();
            if (!over) {
                if (const auto cause = client_.beat(options_.silence_limit)) learn(*cause);
            }
        } catch (const Hurry&) {
            // Nobody waits any more.
        } catch (const Unanswered&) {
            learn(options_.server + " hangs: its store no longer answers, for " +
                  seconds_text(options_.silence_limit) +
                  " (it was stopped, or its machine or network fails)");
        } catch (const TransportError& error) {
            learn(options_.server +
                  " is gone: its process ended without a word (killed, crashed, or out of memory), "
                  "or its connection broke: " +
                  error.what());
        }
        lock.lock();
        if (report) {
            to_report_.reset();
            changed_.notify_all();
        }
        if (over) break;
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
        if (!changed_.wait_for(lock, milliseconds(2000), [this] { return ended_; })) hurry_ = true;
    }
    if (thread_.joinable()) thread_.join();
}

}  // namespace helioray::detail
