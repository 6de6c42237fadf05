// SPDX-License-Identifier: MIT
// DistributedEnvironment: checks of the options, the case of one rank, close and abort.
#include "distributed/ranks/environment.h"

#include "distributed/ranks/discovery/rank_discovery.h"
#include "distributed/ranks/group_layout.h"
#include "distributed/ranks/group_state.h"
#include "distributed/ranks/ranks_module.h"
#include "kernels/cuda_devices.h"
#include "kernels/host/processor_cores.h"

#include <helioray/version.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>

namespace helioray {
namespace {

using Backend = DistributedOptions::Backend;

std::string format_backend(Backend backend) {
    return backend == Backend::nccl ? "nccl" : backend == Backend::gloo ? "gloo" : "auto";
}

void check_options(const DistributedOptions& options) {
    const auto& launch = options.launch;
    if (options.timeout <= std::chrono::milliseconds(0))
        throw std::invalid_argument(
            "the time-out of distributed runs is not positive; set distributed.timeout_s");
    if (launch.world_size < 1 || launch.rank < 0 || launch.rank >= launch.world_size)
        throw std::invalid_argument("rank " + std::to_string(launch.rank) + " of " +
                                    std::to_string(launch.world_size) + " ranks is impossible");
    // Rank 0 serves the store itself, so it does not need the address.
    if (launch.world_size > 1 && launch.store_file.empty() && launch.pmi_socket < 0 &&
        ((launch.master_addr.empty() && launch.rank != 0) || launch.master_port < 1 ||
         launch.master_port > 65535))
        throw std::invalid_argument(
            "the address or port of the store is missing; set MASTER_ADDR and MASTER_PORT");
    if (options.backend == Backend::nccl && !options.use_cuda)
        throw std::invalid_argument(
            "backend nccl needs CUDA devices; choose gloo or auto for the CPU");
}

void check_groups(const std::string& name,
                  const std::vector<std::vector<int>>& groups,
                  int world_size) {
    std::set<int> seen;
    for (const auto& ranks : groups) {
        if (ranks.empty()) throw std::invalid_argument("a group of '" + name + "' has no ranks");
        for (const int rank : ranks) {
            const std::string member = "rank " + std::to_string(rank) + " of group '" + name + "'";
            if (rank < 0 || rank >= world_size)
                throw std::invalid_argument(member + " does not exist in a run of " +
                                            std::to_string(world_size));
            if (!seen.insert(rank).second)
                throw std::invalid_argument(
                    member + " is in two of its groups, or twice in one; list every rank once");
        }
    }
}

/// Returns the identities of the CUDA devices that this process sees. Throws std::invalid_argument
/// if there are none or a requested one does not exist, ModuleError if the CUDA module is missing.
std::vector<std::string> find_visible_gpus(const std::vector<int>& requested) {
    const kernels::CudaDevices& devices = kernels::cuda_devices();
    std::vector<std::string> gpus;
    try {
        for (int index = 0; index < devices.count(); ++index)
            gpus.push_back(devices.identity(index));
    } catch (const std::exception& error) {
        throw std::invalid_argument(
            std::string("a CUDA device is requested, but none can be used: ") + error.what());
    }
    if (gpus.empty())
        throw std::invalid_argument("a CUDA device is requested, but none is visible");
    for (const int index : requested) {
        if (index >= 0 && index < std::ssize(gpus)) continue;
        throw std::invalid_argument("CUDA device " + std::to_string(index) +
                                    " does not exist; this process sees " +
                                    std::to_string(gpus.size()) + ", counted from 0");
    }
    return gpus;
}

}  // namespace

void detail::use_gpu(int index) {
    try {
        kernels::cuda_devices().use(index);
    } catch (const std::exception& error) {
        throw std::invalid_argument("CUDA device " + std::to_string(index) +
                                    " cannot be used: " + error.what());
    }
}

RanksNotReady::RanksNotReady(std::vector<std::string> problems)
    : DistributedError([&] {
          std::string text;
          for (std::size_t rank = 0; rank < problems.size(); ++rank)
              if (!problems[rank].empty())
                  text += (text.empty() ? "rank " : "; rank ") + std::to_string(rank) +
                          " cannot begin: " + problems[rank];
          return text;
      }()),
      problems_(std::move(problems)) {}

struct DistributedEnvironment::Implementation {
    DistributedOptions options;
    detail::RankResources resources;
    std::vector<int> cuda_devices;  // devices of this rank
    int exceptions_at_start = std::uncaught_exceptions();
    std::unique_ptr<detail::ConnectedRanks> world;  // null for one rank
    std::map<std::string, std::int64_t> counters;

    ProcessGroup world_group;
    std::set<std::string> group_names{"world"};

    ProcessGroup make_group(const std::string& name,
                            const std::vector<int>& ranks,
                            const std::shared_ptr<detail::Channel>& channel) const {
        auto state = std::make_shared<detail::GroupState>();
        state->name = name;
        state->ranks = ranks;
        state->rank = static_cast<int>(std::find(ranks.begin(), ranks.end(), options.launch.rank) -
                                       ranks.begin());
        if (options.use_cuda) state->cuda_index = resources.cuda_index;
        state->channel = channel;
        return ProcessGroup(std::move(state));
    }
};

DistributedEnvironment::DistributedEnvironment(DistributedOptions options)
    : implementation_(std::make_unique<Implementation>()) {
    check_options(options);
    auto& self = *implementation_;
    self.options = std::move(options);
    const auto& launch = self.options.launch;
    detail::RankInfo info;
    if (self.options.use_cuda) info.gpus = find_visible_gpus(self.options.cuda_devices);
    if (launch.world_size == 1) {
        if (!self.options.problem.empty()) throw RanksNotReady({self.options.problem});
        self.resources.threads = kernels::usable_cores();
        if (self.options.use_cuda) {
            self.cuda_devices = self.options.cuda_devices;
            if (self.cuda_devices.empty())
                self.cuda_devices = all_ranks(static_cast<int>(info.gpus.size()));
            self.resources.cuda_index = self.cuda_devices.front();
            detail::use_gpu(self.resources.cuda_index);
        }
        self.world_group = self.make_group("world", {0}, nullptr);
        return;
    }

    info.version = std::string(kVersion) + " " + kGitCommit;
    info.configuration = detail::hash_configuration(self.options.configuration);
    info.problem = self.options.problem;
    info.backend = format_backend(self.options.backend);
    info.device = self.options.use_cuda ? "cuda" : "cpu";
    info.requested_gpus = self.options.cuda_devices;
    detail::fill_in_process(info);
    self.world = detail::ranks_module().connect(self.options, std::move(info));
    self.resources = self.world->resources();
    if (self.options.use_cuda) self.cuda_devices = {self.resources.cuda_index};
    self.world_group =
        self.make_group("world", all_ranks(launch.world_size), self.world->world_channel());
}

DistributedEnvironment::~DistributedEnvironment() {
    auto& world = implementation_->world;
    if (!world) return;
    const bool unwinding = std::uncaught_exceptions() > implementation_->exceptions_at_start;
    if (unwinding || !world->usable()) {
        world->abort();
        return;
    }
    try {
        world->close({});
    } catch (const std::exception& error) {
        std::cerr << "rank " << rank() << ": " << error.what() << std::endl;
        world->abort();
    }
}

int DistributedEnvironment::rank() const noexcept {
    return implementation_->options.launch.rank;
}
int DistributedEnvironment::world_size() const noexcept {
    return implementation_->options.launch.world_size;
}
int DistributedEnvironment::local_rank() const noexcept {
    return implementation_->resources.local_rank;
}
int DistributedEnvironment::local_size() const noexcept {
    return implementation_->resources.local_size;
}
int DistributedEnvironment::threads() const noexcept {
    return implementation_->resources.threads;
}
const LaunchInfo& DistributedEnvironment::launch() const noexcept {
    return implementation_->options.launch;
}

std::string DistributedEnvironment::backend_name() const {
    return implementation_->world ? implementation_->world->backend() : "none";
}

std::string DistributedEnvironment::device_name() const {
    return kernels::device_names(implementation_->cuda_devices);
}

std::vector<int> DistributedEnvironment::cuda_devices() const {
    return implementation_->cuda_devices;
}

const ProcessGroup& DistributedEnvironment::world() const noexcept {
    return implementation_->world_group;
}

std::optional<ProcessGroup> DistributedEnvironment::split(
    const std::string& name, const std::vector<std::vector<int>>& groups) {
    auto& self = *implementation_;
    check_groups(name, groups, world_size());
    if (!self.group_names.insert(name).second)
        throw std::invalid_argument("group '" + name + "' exists already; choose another name");
    std::shared_ptr<detail::Channel> channel;
    if (self.world) {
        std::string text = "connection of groups '" + name + "'";
        for (const auto& ranks : groups) {
            text += " [";
            for (const int member : ranks) text.append(1, ' ').append(std::to_string(member));
            text += " ]";
        }
        channel = self.world->split(name, text, groups);
    }
    for (const auto& ranks : groups)
        if (std::count(ranks.begin(), ranks.end(), rank()) != 0)
            return self.make_group(name, ranks, channel);
    return std::nullopt;
}

void DistributedEnvironment::all_reduce_sum(std::span<std::int64_t> values) {
    if (implementation_->world) implementation_->world->all_reduce_sum(values);
}

void DistributedEnvironment::all_reduce_sum(std::span<double> values) {
    if (implementation_->world) implementation_->world->all_reduce_sum(values);
}

bool DistributedEnvironment::reduces_on_device() const noexcept {
    return implementation_->world && implementation_->world->backend() == "nccl";
}

void DistributedEnvironment::all_reduce_sum(const kernels::DeviceIntegers& values) {
    if (!reduces_on_device())
        throw std::logic_error("sums on CUDA devices need backend nccl; this run has " +
                               backend_name());
    implementation_->world->all_reduce_sum(values);
}

std::vector<std::string> DistributedEnvironment::all_gather_strings(const std::string& mine) {
    if (implementation_->world) return implementation_->world->all_gather_strings(mine);
    return {mine};
}

void DistributedEnvironment::wait_for_all(const std::string& name,
                                          const std::function<void()>& meanwhile,
                                          std::span<std::int64_t> values) {
    if (implementation_->world) implementation_->world->wait_for_all(name, meanwhile, values);
}

std::string DistributedEnvironment::wait_for_root(const std::string& name,
                                                  const std::string& mine) {
    return implementation_->world ? implementation_->world->wait_for_root(name, mine) : mine;
}

void DistributedEnvironment::barrier() {
    if (implementation_->world) implementation_->world->barrier();
}

void DistributedEnvironment::check_peers() {
    if (implementation_->world) implementation_->world->check_peers();
}

std::shared_ptr<const void> DistributedEnvironment::watch_progress(WatchedWork work) {
    if (implementation_->world) return implementation_->world->watch_progress(std::move(work));
    return nullptr;
}

bool DistributedEnvironment::usable() const noexcept {
    return !implementation_->world || implementation_->world->usable();
}

std::optional<std::string> DistributedEnvironment::await_failure(
    std::chrono::milliseconds timeout) {
    if (implementation_->world) return implementation_->world->await_failure(timeout);
    return std::nullopt;
}

std::int64_t DistributedEnvironment::fetch_add(const std::string& counter, std::int64_t amount) {
    if (implementation_->world) return implementation_->world->fetch_add(counter, amount);
    auto& value = implementation_->counters[counter];
    value += amount;
    return value - amount;
}

void DistributedEnvironment::remove_counter(const std::string& counter) {
    if (implementation_->world) return implementation_->world->remove_counter(counter);
    implementation_->counters.erase(counter);
}

void DistributedEnvironment::report_failure(const std::string& message) noexcept {
    if (implementation_->world) implementation_->world->report_failure(message);
}

void DistributedEnvironment::close(std::optional<std::chrono::milliseconds> timeout) {
    if (implementation_->world) implementation_->world->close(timeout);
}

}  // namespace helioray
