// SPDX-License-Identifier: MIT
// DistributedEnvironment: checks of arguments, the serial case, and the scope rules.
#include "distributed/environment.h"

#include "distributed/device.h"
#include "distributed/world.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <helioray/version.h>

#include <exception>
#include <iostream>
#include <map>

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
    if (options.backend != Backend::nccl) return;
    if (!options.use_cuda)
        throw std::invalid_argument(
            "backend nccl needs CUDA devices; choose gloo or auto for the CPU");
    if (!detail::Group::has_nccl())
        throw std::invalid_argument(
            "backend nccl is not part of this program, which was built without CUDA");
}

}  // namespace

struct DistributedEnvironment::Implementation {
    DistributedOptions options;
    detail::CudaDevice device;
    int exceptions_at_start = std::uncaught_exceptions();
    std::unique_ptr<detail::World> world;  // none at world size 1
    std::map<std::string, std::int64_t> counters;

    void check_tensor(const at::Tensor& tensor,
                      const std::string& operation,
                      bool bytes_allowed) const {
        const auto refuse = [&](const std::string& reason) {
            throw std::invalid_argument(operation + ": the tensor " + reason);
        };
        if (!tensor.defined()) refuse("is undefined");
        if (tensor.layout() != at::kStrided) refuse("is not dense");
        if (!tensor.is_contiguous()) refuse("is not contiguous");
        const auto type = tensor.scalar_type();
        const bool allowed = type == at::kLong || type == at::kInt || type == at::kDouble ||
                             type == at::kFloat || (bytes_allowed && type == at::kByte);
        if (!allowed)
            refuse(std::string("has the type ") + c10::toString(type) +
                   "; int64, int32, float64, float32 can be sent");
        const bool on_device =
            options.use_cuda && tensor.is_cuda() && tensor.get_device() == device.index;
        if (!tensor.is_cpu() && !on_device)
            refuse("is on " + tensor.device().str() + ", not on this rank's device or the CPU");
        if (tensor.requires_grad() && at::GradMode::is_enabled())
            refuse("requires a gradient, which this operation would lose; detach it first");
    }
};

DistributedEnvironment::DistributedEnvironment(DistributedOptions options)
    : implementation_(std::make_unique<Implementation>()) {
    check_options(options);
    auto& self = *implementation_;
    self.options = std::move(options);
    const auto& launch = self.options.launch;
    if (self.options.use_cuda)
        self.device = detail::select_cuda_device(self.options.cuda_index, launch.local_rank);
    if (launch.world_size == 1) return;

    detail::Hello hello;
    hello.world_size = launch.world_size;
    hello.version = std::string(kVersion) + " " + kGitCommit;
    hello.configuration_hash = self.options.configuration_hash;
    hello.backend = backend_text(self.options.backend);
    hello.device = self.options.use_cuda ? "cuda" : "cpu";
    hello.gpu = self.device.identity;
    detail::fill_in_process(hello);
    self.world = std::make_unique<detail::World>(self.options, std::move(hello), self.device.index);
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

void DistributedEnvironment::all_reduce_sum(at::Tensor& tensor) {
    implementation_->check_tensor(tensor, "all_reduce_sum", false);
    if (implementation_->world) implementation_->world->all_reduce_sum(tensor);
}

void DistributedEnvironment::broadcast(at::Tensor& tensor, int root) {
    implementation_->check_tensor(tensor, "broadcast", true);
    if (root < 0 || root >= world_size())
        throw std::invalid_argument("broadcast: rank " + std::to_string(root) + " does not exist");
    if (implementation_->world) implementation_->world->broadcast(tensor, root);
}

std::vector<std::string> DistributedEnvironment::all_gather_strings(const std::string& mine) {
    return implementation_->world ? implementation_->world->all_gather_strings(mine)
                                  : std::vector<std::string>{mine};
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
