// SPDX-License-Identifier: MIT
// DistributedEnvironment: checks of arguments, the serial case, and the scope rules.
#include "distributed/environment.h"

#include "distributed/group_layout.h"
#include "distributed/group_state.h"
#include "distributed/ranks_module.h"
#include "kernels/cuda_devices.h"

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

std::string backend_text(Backend backend) {
    return backend == Backend::nccl ? "nccl" : backend == Backend::gloo ? "gloo" : "auto";
}

void check_options(const DistributedOptions& options) {
    const auto& launch = options.launch;
    if (options.timeout <= std::chrono::milliseconds(0))
        throw std::invalid_argument("the time-out of distributed runs must be positive");
    if (launch.world_size < 1 || launch.rank < 0 || launch.rank >= launch.world_size)
        throw std::invalid_argument("rank " + std::to_string(launch.rank) + " of " +
                                    std::to_string(launch.world_size) + " ranks is impossible");
    if (launch.world_size > 1 && launch.store_file.empty() &&
        (launch.master_addr.empty() || launch.master_port < 1 || launch.master_port > 65535))
        throw std::invalid_argument("several ranks need the address and port of their store");
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
            if (!seen.insert(rank).second) throw std::invalid_argument(member + " is in it twice");
        }
    }
}

/// A rank's CUDA device.
struct CudaDevice {
    int index = 0;  ///< among those this process sees, from 0
    std::string
        identity;  ///< the same text for the same GPU (or MIG instance), wherever it is seen from
};

/// Chooses `wanted`, or local_rank modulo the number of visible devices, and makes it the thread's
/// current device. Throws std::invalid_argument without a device or when `wanted` does not exist,
/// ModuleError where the CUDA module is missing.
CudaDevice select_cuda_device(std::optional<int> wanted, int local_rank) {
    const kernels::CudaDevices& devices = kernels::cuda_devices();
    int count = 0;
    try {
        count = devices.count();
    } catch (const std::exception& error) {
        throw std::invalid_argument(std::string("a CUDA device is wanted, but none can be used: ") +
                                    error.what());
    }
    if (count == 0) throw std::invalid_argument("a CUDA device is wanted, but none is visible");
    if (wanted && (*wanted < 0 || *wanted >= count))
        throw std::invalid_argument("CUDA device " + std::to_string(*wanted) + " does not exist; " +
                                    std::to_string(count) + " visible, counted from 0");
    CudaDevice device;
    device.index = wanted.value_or(local_rank % count);
    try {
        devices.use(device.index);
        device.identity = devices.identity(device.index);
    } catch (const std::exception& error) {
        throw std::invalid_argument("CUDA device " + std::to_string(device.index) +
                                    " cannot be used: " + error.what());
    }
    return device;
}

}  // namespace

struct DistributedEnvironment::Implementation {
    DistributedOptions options;
    CudaDevice device;
    int exceptions_at_start = std::uncaught_exceptions();
    std::unique_ptr<detail::ConnectedRanks> world;  // none at world size 1
    std::map<std::string, std::int64_t> counters;

    ProcessGroup world_group;
    std::set<std::string> group_names{"world"};

    ProcessGroup group_of(const std::string& name,
                          const std::vector<int>& ranks,
                          const std::shared_ptr<detail::Channel>& channel) const {
        auto state = std::make_shared<detail::GroupState>();
        state->name = name;
        state->ranks = ranks;
        state->rank = static_cast<int>(std::find(ranks.begin(), ranks.end(), options.launch.rank) -
                                       ranks.begin());
        if (options.use_cuda) state->cuda_index = device.index;
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
    if (self.options.use_cuda)
        self.device = select_cuda_device(self.options.cuda_index, launch.local_rank);
    if (launch.world_size == 1) {
        self.world_group = self.group_of("world", {0}, nullptr);
        return;
    }

    detail::Hello hello;
    hello.world_size = launch.world_size;
    hello.version = std::string(kVersion) + " " + kGitCommit;
    hello.configuration_hash = self.options.configuration_hash;
    hello.backend = backend_text(self.options.backend);
    hello.device = self.options.use_cuda ? "cuda" : "cpu";
    hello.gpu = self.device.identity;
    detail::fill_in_process(hello);
    self.world = detail::ranks_module().connect(self.options, std::move(hello), self.device.index);
    self.world_group =
        self.group_of("world", all_ranks(launch.world_size), self.world->world_channel());
}

DistributedEnvironment::~DistributedEnvironment() {
    auto& world = implementation_->world;
    if (!world) return;
    const bool unwinding = std::uncaught_exceptions() > implementation_->exceptions_at_start;
    if (unwinding || !world->usable()) {
        world->abandon();
        return;
    }
    try {
        world->close();
    } catch (const std::exception& error) {
        std::cerr << "rank " << rank() << ": " << error.what() << std::endl;
        world->abandon();
    }
}

int DistributedEnvironment::rank() const noexcept {
    return implementation_->options.launch.rank;
}
int DistributedEnvironment::world_size() const noexcept {
    return implementation_->options.launch.world_size;
}
int DistributedEnvironment::local_rank() const noexcept {
    return implementation_->options.launch.local_rank;
}
const LaunchInfo& DistributedEnvironment::launch() const noexcept {
    return implementation_->options.launch;
}

std::string DistributedEnvironment::backend_name() const {
    return implementation_->world ? implementation_->world->backend() : "none";
}

std::string DistributedEnvironment::device_name() const {
    return implementation_->options.use_cuda
               ? "cuda:" + std::to_string(implementation_->device.index)
               : "cpu";
}

const ProcessGroup& DistributedEnvironment::world() const noexcept {
    return implementation_->world_group;
}

std::optional<ProcessGroup> DistributedEnvironment::split(
    const std::string& name, const std::vector<std::vector<int>>& groups) {
    auto& self = *implementation_;
    check_groups(name, groups, world_size());
    if (!self.group_names.insert(name).second)
        throw std::invalid_argument("this run has a group '" + name + "' already");
    std::shared_ptr<detail::Channel> channel;
    if (self.world) {
        std::string text = "connection of groups '" + name + "'";
        for (const auto& ranks : groups) {
            text += " [";
            for (const int member : ranks) text += " " + std::to_string(member);
            text += " ]";
        }
        channel = self.world->split(name, text, groups);
    }
    for (const auto& ranks : groups)
        if (std::count(ranks.begin(), ranks.end(), rank()) != 0)
            return self.group_of(name, ranks, channel);
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
        throw std::logic_error("sums on devices are added up by backend nccl alone; this run has " +
                               backend_name());
    implementation_->world->all_reduce_sum(values);
}

std::vector<std::string> DistributedEnvironment::all_gather_strings(const std::string& mine) {
    if (implementation_->world) return implementation_->world->all_gather_strings(mine);
    return {mine};
}

void DistributedEnvironment::barrier() {
    if (implementation_->world) implementation_->world->barrier();
}

void DistributedEnvironment::check_peers() {
    if (implementation_->world) implementation_->world->check_peers();
}

std::int64_t DistributedEnvironment::fetch_add(const std::string& counter, std::int64_t amount) {
    if (implementation_->world) return implementation_->world->fetch_add(counter, amount);
    auto& value = implementation_->counters[counter];
    value += amount;
    return value - amount;
}

void DistributedEnvironment::report_failure(const std::string& message) noexcept {
    if (implementation_->world) implementation_->world->report_failure(message);
}

void DistributedEnvironment::close() {
    if (implementation_->world) implementation_->world->close();
}

}  // namespace helioray
