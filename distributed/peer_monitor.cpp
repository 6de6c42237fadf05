// SPDX-License-Identifier: MIT
// Watch over the other ranks.
#include "distributed/peer_monitor.h"

#include "distributed/descriptor.h"
#include "distributed/hello.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace helioray::detail {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr const char* kFailedKey = "failed";

std::string heard_key(int rank) {
    return "heard/" + std::to_string(rank);
}
std::string beat_key(int rank) {
    return "beat/" + std::to_string(rank);
}

/// A file that becomes readable when the process ends; -1 where the kernel has none to give.
int open_process(int pid) {
#ifdef SYS_pidfd_open
    return pid > 0 ? static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)) : -1;
#else
    return -1;
#endif
}

/// What is known about one other rank.
struct Watched {
    Descriptor process;         // open while the kernel watches it
    bool by_heartbeat = false;  // this monitor counts its heartbeats
    bool gone = false;          // found dead, or left in good order
    std::string last_beat;
    Clock::time_point last_heard;
};

}  // namespace

/// Shared with the thread, so that a thread stuck in a network call can be left behind.
struct PeerMonitor::State {
    State(Store connection, MonitorOptions given)
        : store(std::move(connection)), options(std::move(given)) {}

    // Thread side: one round looks at processes, reports, heartbeats and the verdict.
    void run();
    void round();
    void look_at_processes();
    void look_at_heartbeats();
    void look_at_verdict();
    void publish(const std::string& text);
    void learn(const std::string& text, bool from_store);
    void wait_for_others(Clock::time_point deadline);
    void mark_gone(int rank);

    /// What to say where the thread itself hangs in one call for longer than `limit`: the store's
    /// process was stopped, or its machine is gone.
    std::optional<std::string> hanging_call(milliseconds limit) const;

    Store store;
    const MonitorOptions options;
    std::vector<Watched> watched;
    Descriptor wake{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    Clock::time_point last_round, last_beat_sent, last_beat_read;
    std::int64_t beats = 0;
    bool store_lost = false;
    bool confirmed = false;

    // Shared side.
    mutable std::mutex mutex;
    mutable std::condition_variable changed;
    std::optional<std::string> cause;
    std::optional<std::string> to_report;
    bool report_done = false;
    bool stopping = false;
    bool ended = false;
    Clock::time_point stop_deadline;
    std::atomic<std::int64_t> call_since_ms{0};  // when the store call in progress began; 0: none
};

void PeerMonitor::State::learn(const std::string& text, bool from_store) {
    {
        const std::lock_guard lock(mutex);
        if (!cause) cause = text;
        changed.notify_all();
    }
    // Rank 0 must not take the store away before everybody has read the cause.
    if (from_store && !confirmed) {
        confirmed = true;
        store.set(heard_key(options.rank), "1");
    }
}

std::optional<std::string> PeerMonitor::State::hanging_call(milliseconds limit) const {
    const auto since = call_since_ms.load();
    const auto now =
        std::chrono::duration_cast<milliseconds>(Clock::now().time_since_epoch()).count();
    if (since == 0 || now - since <= limit.count()) return std::nullopt;
    return options.store_name + " no longer answers";
}

void PeerMonitor::State::publish(const std::string& text) {
    learn(store.set_if_absent(kFailedKey, text), true);
}

void PeerMonitor::State::mark_gone(int rank) {
    watched[rank].gone = true;
    watched[rank].process.reset();
}

void PeerMonitor::State::look_at_processes() {
    for (int rank = 0; rank < static_cast<int>(watched.size()); ++rank) {
        pollfd entry{watched[rank].process.get(), POLLIN, 0};
        if (entry.fd < 0 || ::poll(&entry, 1, 0) <= 0) continue;
        mark_gone(rank);
        // A rank that said why, or that said goodbye, is not a new failure.
        if (!store.has(kFailedKey) && !store.has(bye_key(rank)))
            publish(
                options.peers[rank].name +
                " is gone: the process ended without a word (killed, crashed, or out of memory)");
    }
}

void PeerMonitor::State::look_at_heartbeats() {
    const auto now = Clock::now();
    const auto period = std::min<milliseconds>(milliseconds(2000), options.silence_limit / 5);
    // A process that was stopped itself cannot tell who was silent meanwhile.
    if (now - last_round > options.silence_limit / 2)
        for (auto& peer : watched) peer.last_heard = now;
    if (now - last_beat_sent >= period) {
        store.set(beat_key(options.rank), std::to_string(++beats));
        last_beat_sent = now;
    }
    if (now - last_beat_read < period) return;
    last_beat_read = now;
    for (int rank = 0; rank < static_cast<int>(watched.size()); ++rank) {
        Watched& peer = watched[rank];
        if (!peer.by_heartbeat || peer.gone) continue;
        if (store.has(beat_key(rank))) {
            const auto beat = store.get(beat_key(rank));
            if (beat != peer.last_beat) peer.last_heard = now;
            peer.last_beat = beat;
        }
        if (now - peer.last_heard <= options.silence_limit) continue;
        const bool exists = peer.process.get() >= 0;
        mark_gone(rank);
        if (!store.has(bye_key(rank)))
            publish(options.peers[rank].name +
                    (exists ? " hangs: its process exists, but nothing was heard of it for "
                            : " is gone: nothing was heard of it for ") +
                    seconds_text(options.silence_limit));
    }
}

void PeerMonitor::State::look_at_verdict() {
    if (!confirmed && store.has(kFailedKey)) learn(store.get(kFailedKey), true);
}

void PeerMonitor::State::round() {
    call_since_ms =
        std::chrono::duration_cast<milliseconds>(Clock::now().time_since_epoch()).count();
    std::optional<std::string> report;
    {
        const std::lock_guard lock(mutex);
        report.swap(to_report);
    }
    if (report) publish(*report);
    look_at_verdict();
    look_at_processes();
    look_at_heartbeats();
    last_round = Clock::now();
    call_since_ms = 0;
    if (report) {
        const std::lock_guard lock(mutex);
        report_done = true;
        changed.notify_all();
    }
}

void PeerMonitor::State::wait_for_others(Clock::time_point deadline) {
    while (Clock::now() < deadline) {
        look_at_processes();
        bool all = true;
        for (int rank = 0; rank < static_cast<int>(watched.size()) && all; ++rank)
            all = rank == options.rank || watched[rank].gone || store.has(heard_key(rank));
        if (all) return;
        std::this_thread::sleep_for(milliseconds(20));
    }
}

void PeerMonitor::State::run() {
    last_round = Clock::now();
    for (auto& peer : watched) peer.last_heard = last_round;
    while (true) {
        bool stop = false;
        {
            const std::lock_guard lock(mutex);
            stop = stopping && !to_report;
        }
        try {
            if (!stop && !store_lost) round();
            if (stop && !store_lost && options.serves_store && confirmed)
                wait_for_others(stop_deadline);
        } catch (const std::exception& error) {
            store_lost = true;
            const std::string reason =
                options.store_name + " no longer answers (" + error.what() + ")";
            learn(options.rank_zero_serves ? options.peers[0].name + " is gone: " + reason : reason,
                  false);
        }
        if (stop) break;
        if (store_lost) {
            const std::lock_guard lock(mutex);
            to_report.reset();
            report_done = true;
            changed.notify_all();
        }

        // Sleep until something is asked, a watched process ends, or the next look is due.
        std::vector<pollfd> entries{{wake.get(), POLLIN, 0}};
        if (!store_lost)
            for (const auto& peer : watched)
                if (peer.process.get() >= 0) entries.push_back({peer.process.get(), POLLIN, 0});
        ::poll(entries.data(), entries.size(), static_cast<int>(options.interval.count()));
        std::uint64_t count = 0;
        [[maybe_unused]] const auto drained = ::read(wake.get(), &count, sizeof(count));
    }
    const std::lock_guard lock(mutex);
    ended = true;
    changed.notify_all();
}

PeerMonitor::PeerMonitor(Store connection, MonitorOptions options)
    : state_(std::make_shared<State>(std::move(connection), std::move(options))) {
    auto& state = *state_;
    state.watched.resize(state.options.peers.size());
    for (int rank = 0; rank < static_cast<int>(state.watched.size()); ++rank) {
        if (rank == state.options.rank) continue;
        state.watched[rank].process = Descriptor(open_process(state.options.peers[rank].watch_pid));
        // The kernel tells of a process that ends, not of one that was stopped.
        state.watched[rank].by_heartbeat = state.options.rank == 0 || rank == 0;
    }
    thread_ = std::thread([shared = state_] { shared->run(); });
}

PeerMonitor::~PeerMonitor() {
    stop(milliseconds(0));
}

std::optional<std::string> PeerMonitor::cause() const {
    const std::lock_guard lock(state_->mutex);
    if (state_->cause) return state_->cause;
    return state_->hanging_call(2 * state_->options.silence_limit);
}

std::optional<std::string> PeerMonitor::await_cause(milliseconds patience) const {
    std::unique_lock lock(state_->mutex);
    state_->changed.wait_for(
        lock, patience, [&] { return state_->cause.has_value() || state_->ended; });
    if (state_->cause) return state_->cause;
    // Something has failed already: a call that did not come back meanwhile is the cause.
    return state_->hanging_call(patience);
}

void PeerMonitor::report(const std::string& cause, milliseconds patience) {
    std::unique_lock lock(state_->mutex);
    if (state_->ended || state_->stopping) return;
    state_->to_report = cause;
    state_->report_done = false;
    ::eventfd_write(state_->wake.get(), 1);
    state_->changed.wait_for(lock, patience, [&] { return state_->report_done || state_->ended; });
}

void PeerMonitor::stop(milliseconds patience) {
    std::unique_lock lock(state_->mutex);
    if (!state_->stopping) {
        state_->stopping = true;
        state_->stop_deadline = Clock::now() + patience;
        ::eventfd_write(state_->wake.get(), 1);
    }
    state_->changed.wait_for(lock, patience + milliseconds(1000), [&] { return state_->ended; });
    const bool ended = state_->ended;
    lock.unlock();
    // A thread that hangs in a call to a machine that is gone is left behind; it shares the state
    // only.
    if (thread_.joinable()) ended ? thread_.join() : thread_.detach();
}

}  // namespace helioray::detail
