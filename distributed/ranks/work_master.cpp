// SPDX-License-Identifier: MIT
// Serves the requests of workers from the pool of work units.
#include "distributed/ranks/work_master.h"

#include "distributed/ranks/work_connection.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>

namespace helioray {

namespace {

using std::chrono::milliseconds;

std::string encode(detail::WorkAnswer answer) {
    return {static_cast<char>(answer)};
}

}  // namespace

class WorkMaster::Implementation final : public detail::WorkService {
  public:
    explicit Implementation(const DistributedOptions& options)
        : pool(options.launch.world_size), connection(options, this) {}

    std::string serve(int rank, std::string_view request) override {
        const std::lock_guard lock(mutex);
        detail::FrameReader frame(request);
        switch (static_cast<detail::WorkRequest>(frame.u8())) {
            case detail::WorkRequest::draw:
                return draw(rank, frame);
            case detail::WorkRequest::deliver:
                return receive(rank, frame);
        }
        throw detail::TransportError("the request is unknown");
    }

    void lose(int rank, const std::string& cause) override {
        const std::lock_guard lock(mutex);
        const std::int64_t units = pool.lose(rank);
        absent.insert(rank);
        losses.push_back(cause + "; the run continues without it" +
                         (units > 0 ? ", and its " + std::to_string(units) +
                                          " unfinished work units go to other ranks"
                                    : ""));
        changed.notify_all();
    }

    mutable std::mutex mutex;
    std::condition_variable changed;
    // Guarded by mutex:
    WorkPool pool;
    std::vector<std::string> losses;
    std::set<int> absent;   // ranks that know that the run is over, or are lost
    bool finished = false;  // the run is over

    detail::WorkConnection connection;  // last member: its threads use the others

  private:
    std::string draw(int rank, detail::FrameReader& frame) {
        const auto wanted = static_cast<double>(frame.u64());
        const auto smallest =
            static_cast<std::int64_t>(std::min<std::uint64_t>(frame.u64(), 1u << 20));
        if (finished) {
            absent.insert(rank);
            changed.notify_all();
            return encode(detail::WorkAnswer::done);
        }
        absent.erase(rank);
        const auto units = pool.draw(rank, wanted, smallest);
        if (!units) return encode(detail::WorkAnswer::wait);
        return encode(detail::WorkAnswer::units) +
               detail::FrameWriter()
                   .u64(static_cast<std::uint64_t>(pool.task()))
                   .text(pool.text())
                   .u64(static_cast<std::uint64_t>(units->first))
                   .u64(static_cast<std::uint64_t>(units->second))
                   .body();
    }

    std::string receive(int rank, detail::FrameReader& frame) {
        const auto task = static_cast<std::int64_t>(frame.u64());
        const std::uint64_t total = frame.u64(), offset = frame.u64();
        try {
            if (!pool.receive(rank, task, total, offset, frame.rest()))
                return encode(detail::WorkAnswer::wait);
        } catch (const std::invalid_argument& error) {
            throw detail::TransportError(error.what());
        }
        if (pool.has_portions()) changed.notify_all();
        return encode(detail::WorkAnswer::done);
    }
};

WorkMaster::WorkMaster(const DistributedOptions& options)
    : implementation_(std::make_unique<Implementation>(options)) {}

WorkMaster::~WorkMaster() = default;

void WorkMaster::open(std::string text,
                      const std::vector<WorkRange>& units,
                      std::function<double(std::int64_t)> cost) {
    const std::lock_guard lock(implementation_->mutex);
    implementation_->pool.open(std::move(text), units, std::move(cost));
}

void WorkMaster::abandon() {
    const std::lock_guard lock(implementation_->mutex);
    implementation_->pool.abandon();
}

bool WorkMaster::is_complete() const {
    const std::lock_guard lock(implementation_->mutex);
    return implementation_->pool.is_complete();
}

std::optional<WorkRange> WorkMaster::draw(double wanted, std::int64_t smallest) {
    const std::lock_guard lock(implementation_->mutex);
    return implementation_->pool.draw(0, wanted, smallest);
}

void WorkMaster::complete(WorkRange units) {
    const std::lock_guard lock(implementation_->mutex);
    implementation_->pool.complete(units);
}

void WorkMaster::wait(milliseconds timeout) {
    std::unique_lock lock(implementation_->mutex);
    implementation_->connection.count_wait();
    if (implementation_->pool.has_portions() || !implementation_->losses.empty()) return;
    implementation_->changed.wait_for(lock, timeout);
}

bool WorkMaster::has_portions() const {
    const std::lock_guard lock(implementation_->mutex);
    return implementation_->pool.has_portions();
}

std::vector<WorkPortion> WorkMaster::take_portions() {
    const std::lock_guard lock(implementation_->mutex);
    return implementation_->pool.take_portions();
}

void WorkMaster::accept(const WorkPortion& portion) {
    const std::lock_guard lock(implementation_->mutex);
    implementation_->pool.accept(portion);
}

void WorkMaster::reject(const WorkPortion& portion) {
    const std::lock_guard lock(implementation_->mutex);
    implementation_->pool.reject(portion);
}

std::vector<std::string> WorkMaster::take_losses() {
    const std::lock_guard lock(implementation_->mutex);
    return std::exchange(implementation_->losses, {});
}

void WorkMaster::check_peers() const {
    implementation_->connection.check_peers();
}

std::shared_ptr<const void> WorkMaster::watch_progress(WatchedWork work) {
    return implementation_->connection.watch_progress(std::move(work));
}

void WorkMaster::report_failure(const std::string& message) noexcept {
    implementation_->connection.report_failure(message);
}

void WorkMaster::close() {
    auto& self = *implementation_;
    const DistributedOptions& options = self.connection.options();
    {
        std::unique_lock lock(self.mutex);
        self.finished = true;
        // --ranks ends ranks that have not joined; otherwise they would wait for a store that is
        // gone.
        const auto patience =
            options.launch.launcher == Launcher::local
                ? milliseconds(0)
                : std::min<milliseconds>(options.timeout / 4, milliseconds(10'000));
        const auto deadline = std::chrono::steady_clock::now() + patience;
        while (std::ssize(self.absent) < options.launch.world_size - 1 &&
               std::chrono::steady_clock::now() < deadline) {
            self.changed.wait_for(lock, milliseconds(50));
            self.connection.count_wait();
            lock.unlock();
            if (options.wait_callback) options.wait_callback();
            lock.lock();
        }
    }
    self.connection.close();
}

}  // namespace helioray
