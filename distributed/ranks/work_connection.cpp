// SPDX-License-Identifier: MIT
// Joins a run whose rank 0 hands out work, and leaves it.
#include "distributed/ranks/work_connection.h"

#include "distributed/launch/message_text.h"
#include "distributed/ranks/discovery/rank_discovery.h"
#include "distributed/ranks/discovery/run_store.h"
#include "distributed/ranks/ranks_module.h"
#include "distributed/store/descriptor_limit.h"

#include <helioray/version.h>

#include <algorithm>
#include <utility>

namespace helioray::detail {
namespace {

using std::chrono::milliseconds;

RankInfo describe_this_rank(const DistributedOptions& options) {
    RankInfo info;
    info.version = std::string(kVersion) + " " + kGitCommit;
    info.configuration = hash_configuration(options.configuration);
    info.device = options.use_cuda ? "cuda" : "cpu";
    fill_in_process(info);
    return info;
}

/// torchrun's store needs LibTorch; no other launcher does.
LauncherStore make_launcher_store(const std::string& host,
                                  int port,
                                  milliseconds timeout,
                                  const WaitCallback& wait_callback) {
    return ranks_module().make_launcher_store(host, port, timeout, wait_callback);
}

}  // namespace

WorkConnection::WorkConnection(const DistributedOptions& options, WorkService* work)
    : options_(options) {
    try {
        join(work);
    } catch (const RunFailed& failure) {
        throw DistributedError(failure.what());
    } catch (const TransportError& error) {
        throw DistributedError("start-up failed: " + std::string(error.what()) +
                               "; rank 0 serves the store, and hangs or is gone");
    }
}

void WorkConnection::join(WorkService* work) {
    const LaunchInfo& launch = options_.launch;
    if (work != nullptr) {
        const std::string problem =
            raise_descriptor_limit(count_descriptors_of_rank(0, launch.world_size));
        if (!problem.empty()) throw DistributedError("rank 0 cannot connect: " + problem);
    }
    RankInfo mine = describe_this_rank(options_);
    name_ = describe_rank(launch.rank, mine);
    OpenStoreOptions opening;
    opening.generation = next_generation();
    opening.name = name_;
    opening.timeout = options_.timeout;
    opening.heartbeat_timeout = heartbeat_timeout(options_);
    opening.work = work;
    opened_ = open_run_store(launch, opening, make_launcher_store, options_.wait_callback);
    DiscoveryOptions discovery;
    discovery.rank = launch.rank;
    discovery.size = launch.world_size;
    discovery.timeout = options_.timeout;
    discovery.store = describe_store_address(launch);
    discovery.resource = launch.store_file.empty() ? "port" : "file";
    discovery.configuration = options_.configuration;
    const Store store(opened_.client);
    RankInfo root = mine;
    if (work != nullptr)
        publish_work_root(store, mine, discovery);
    else
        root = join_work_root(store, mine, discovery);
    MonitorOptions watch = monitor_options(options_);
    watch.store = opened_.client->options();
    watch.server = describe_rank(0, root);
    monitor_ = std::make_unique<PeerMonitor>(std::move(watch), options_.wait_callback);
}

WorkConnection::~WorkConnection() {
    if (!closed_) abort();
}

std::string WorkConnection::request(const std::string& request) {
    check_peers();
    try {
        std::string answer = opened_.client->request_work(request);
        monitor_->count_call();
        return answer;
    } catch (const RunFailed& failure) {
        throw DistributedError(failure.what());
    } catch (const TransportError& error) {
        // A broken connection usually follows from the failure of rank 0.
        if (const auto cause = monitor_->await_cause(milliseconds(2000)))
            throw DistributedError(*cause);
        throw DistributedError("a call to rank 0 failed: " + std::string(error.what()));
    }
}

void WorkConnection::check_peers() const {
    if (const auto cause = monitor_->cause()) throw DistributedError(*cause);
}

std::shared_ptr<const void> WorkConnection::watch_progress(WatchedWork work) {
    return monitor_->watch(std::move(work));
}

void WorkConnection::report_failure(const std::string& message) noexcept {
    try {
        monitor_->notice_failure();
        if (!closed_) monitor_->report(name_ + " failed: " + message, milliseconds(2000));
    } catch (...) {
        // The store cannot be reached any more. The other ranks notice when this process ends.
    }
}

void WorkConnection::close() {
    if (std::exchange(closed_, true)) return;
    monitor_->stop();
    if (opened_.server)
        opened_.server->wait_for_shutdown(
            std::min<milliseconds>(options_.timeout / 4, milliseconds(10'000)));
    opened_ = {};
}

void WorkConnection::abort() noexcept {
    try {
        closed_ = true;
        if (!monitor_) return;
        monitor_->notice_failure();
        if (!monitor_->cause()) monitor_->report(name_ + " failed", milliseconds(2000));
        // Keep the store open until every rank knows the cause.
        if (opened_.server)
            opened_.server->wait_for_shutdown(
                std::min<milliseconds>(options_.timeout / 4, milliseconds(3000)));
        monitor_->stop();
    } catch (...) {
        // The connections are given up in any case; there is nothing left to clean up.
    }
}

}  // namespace helioray::detail
