// SPDX-License-Identifier: MIT
// The module helioray_nccl: NCCL groups. Loading it loads LibTorch's CUDA libraries.
#include "distributed/transport_backend.h"

#include <c10/cuda/CUDAGuard.h>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include <cstdlib>

/// Collective over the group's ranks; throws TransportError. The caller owns the group.
extern "C" helioray::detail::Group* helioray_nccl_group(
    const c10::intrusive_ptr<c10d::Store>& store,
    const helioray::detail::GroupOptions& group,
    int cuda_index) {
    using namespace helioray::detail;
    return translated([&]() -> Group* {
        // Errors reach us as exceptions of the call, not as a watchdog that ends the process.
        ::setenv("TORCH_NCCL_ASYNC_ERROR_HANDLING", "0", /*overwrite=*/0);
        const at::Device device(at::kCUDA, static_cast<at::DeviceIndex>(cuda_index));
        const c10::cuda::CUDAGuard guard(device);
        auto options = c10d::ProcessGroupNCCL::Options::create();
        options->timeout = group.timeout;
        options->global_ranks_in_group = as_unsigned(group.ranks);
        options->group_name = "helioray_data_" + group.name;
        auto backend = c10::make_intrusive<c10d::ProcessGroupNCCL>(
            store, group.rank, static_cast<int>(group.ranks.size()), options);
        backend->setBoundDeviceId(device);
        // Connect now: a communicator that cannot be made is an error of start-up.
        backend->eagerConnectSingleDevice(device);
        return new BackendGroup(std::move(backend));
    });
}
