// SPDX-License-Identifier: MIT
// The thread that sends heartbeats.
#include "distributed/ranks/peer_monitor.h"

#include "distributed/launch/message_text.h"
#include "distributed/ranks/discovery/rank_info.h"
#include "distributed/store/background_clock.h"
#include "distributed/store/background_thread.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

namespace helioray::detail {
namespace {

using std::chrono::milliseconds;

/// Thrown from the wait callback to cancel a pending call to the store.
struct Cancelled {};

// A disk or a network file system may take so many time-outs for one operation.
constexpr int kDiskPatience = 5;

/// Returns true if a thread of this process is in an uninterruptible sleep of the kernel.
bool waits_for_a_disk() {
    std::error_code unknown;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", unknown)) {
        std::ifstream file(thread.path() / "stat");
        std::string stat;
        std::getline(file, stat);
        // "pid (name) state ...", where the name may contain anything.
        const auto name_end = stat.rfind(") ");
        if (name_end != std::string::npos && stat.compare(name_end + 2, 1, "D") == 0) return true;
    }
    return false;
}

StoreClientOptions with_heartbeats(StoreClientOptions store) {
    store.sends_heartbeats = true;
    return store;
}

}  // namespace

milliseconds heartbeat_timeout(const DistributedOptions& options) {
    return std::min(options.heartbeat_timeout, options.timeout);
}

MonitorOptions monitor_options(const DistributedOptions& options) {
    MonitorOptions watch;
    watch.heartbeat_timeout = heartbeat_timeout(options);
    watch.interval = std::min(watch.interval, watch.heartbeat_timeout / 4);
    // A busy machine may leave a process without processor time for a second or two.
    constexpr std::chrono::seconds kLeastProgressTimeout{4};
    watch.progress_timeout = std::max<milliseconds>(options.timeout, kLeastProgressTimeout);
    watch.stuck = options.stuck;
    watch.grace = std::min(watch.grace, options.timeout / 2);
    return watch;
}

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

std::shared_ptr<const void> PeerMonitor::watch(WatchedWork work) {
    const std::lock_guard lock(work_mutex_);
    work_.push_back(std::move(work));
    const auto place = std::prev(work_.end());
    return std::shared_ptr<const void>(this, [this, place](const void*) {
        const std::lock_guard lock_at_end(work_mutex_);
        work_.erase(place);
    });
}

ReportedProgress PeerMonitor::measure_progress() {
    const std::lock_guard lock(work_mutex_);
    if (work_.empty()) return {};
    const WatchedWork& work = work_.back();
    ReportedProgress reported{work.phase, calls_, options_.progress_timeout};
    if (work.progress) reported.value += work.progress();
    // A rank that computes uses more than this fraction of a core, also on a busy machine.
    constexpr int kLeastFraction = 50;
    if (work.counts_processor_time)
        reported.value += static_cast<std::uint64_t>(
            measure_foreground_time() /
            (std::chrono::nanoseconds(options_.progress_timeout) / kLeastFraction));
    if (reported.value == last_value_ && waits_for_a_disk()) reported.patience *= kDiskPatience;
    last_value_ = reported.value;
    return reported;
}

void PeerMonitor::notice_failure() {
    const std::lock_guard lock(mutex_);
    noticed_ = true;
    changed_.notify_all();
}

void PeerMonitor::run() {
    const BackgroundClock clock;
    std::unique_lock lock(mutex_);
    while (true) {
        const std::optional<std::string> report = to_report_;
        const bool close = stopping_ && !cause_ && !report;
        const bool done = stopping_ && !report;
        lock.unlock();
        try {
            if (report) client_.report_failure(*report, options_.heartbeat_timeout);
            if (close) client_.close();
            if (!done) {
                if (const auto cause =
                        client_.send_heartbeat(measure_progress(), options_.heartbeat_timeout))
                    set_cause(*cause);
            }
        } catch (const Cancelled&) {
            // stop() no longer waits for the answer.
        } catch (const TimeoutError&) {
            set_cause(options_.server + " hangs: its store has not answered for " +
                      format_seconds(options_.heartbeat_timeout) +
                      " (it was stopped, or its machine or network fails)");
        } catch (const TransportError& error) {
            set_cause(
                options_.server +
                " is gone: its process ended unexpectedly (killed, crashed, or out of memory), "
                "or its connection broke: " +
                error.what());
        }
        lock.lock();
        if (report) {
            to_report_.reset();
            changed_.notify_all();
        }
        if (done) break;
        // A failure is final, so send no more heartbeats after one.
        const auto due = [this] { return stopping_ || to_report_; };
        if (cause_) {
            const auto known = [&] { return noticed_ || due(); };
            if (options_.stuck && !changed_.wait_for(lock, options_.grace, known)) {
                const std::string cause = *cause_;
                lock.unlock();
                options_.stuck(cause);
                lock.lock();
            }
            changed_.wait(lock, due);
        } else {
            changed_.wait_for(lock, options_.interval, due);
        }
    }
    ended_ = true;
    changed_.notify_all();
}

std::optional<std::string> PeerMonitor::cause() const {
    const std::lock_guard lock(mutex_);
    return cause_;
}

std::optional<std::string> PeerMonitor::await_cause(milliseconds timeout) const {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, timeout, [this] { return cause_.has_value(); });
    return cause_;
}

void PeerMonitor::report(const std::string& cause, milliseconds timeout) {
    std::unique_lock lock(mutex_);
    if (stopping_ || cause_) return;
    to_report_ = cause;
    changed_.notify_all();
    changed_.wait_for(lock, timeout, [this] { return !to_report_; });
}

void PeerMonitor::stop() {
    {
        std::unique_lock lock(mutex_);
        stopping_ = true;
        changed_.notify_all();
        // Cancel the pending call if the store does not answer in time.
        if (!changed_.wait_for(lock, milliseconds(2000), [this] { return ended_; }))
            cancelled_ = true;
    }
    if (thread_.joinable()) thread_.join();
}

}  // namespace helioray::detail
