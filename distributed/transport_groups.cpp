// SPDX-License-Identifier: MIT
// Gloo groups, and NCCL groups by the module that links NCCL.
#include "distributed/transport_backend.h"
#include "kernels/module.h"

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

namespace helioray::detail {

std::unique_ptr<Group> Group::gloo(const Store& store,
                                   const GroupOptions& group,
                                   const std::string& address) {
    return translated([&]() -> std::unique_ptr<Group> {
        c10::intrusive_ptr<c10d::ProcessGroupGloo::Options> options;
        if (address.empty()) {
            options = c10d::ProcessGroupGloo::Options::create_default(group.timeout);
        } else {
            options = c10d::ProcessGroupGloo::Options::create(group.timeout);
            options->devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname(address));
        }
        options->global_ranks_in_group = as_unsigned(group.ranks);
        options->group_name = "helioray_host_" + group.name;
        return std::make_unique<BackendGroup>(c10::make_intrusive<c10d::ProcessGroupGloo>(
            store_of_group(store), group.rank, static_cast<int>(group.ranks.size()), options));
    });
}

std::unique_ptr<Group> Group::nccl(const Store& store, const GroupOptions& group, int cuda_index) {
    using Entry = Group* (*)(const c10::intrusive_ptr<c10d::Store>&, const GroupOptions&, int);
    load_nccl();
    static const auto entry =
        reinterpret_cast<Entry>(module_function("helioray_nccl", "helioray_nccl_group"));
    return std::unique_ptr<Group>(entry(store_of_group(store), group, cuda_index));
}

void Group::load_nccl() {
    try {
        module_function("helioray_nccl", "helioray_nccl_group");
    } catch (const ModuleError& error) {
        throw TransportError(std::string(error.what()) + ", or choose distributed.backend: gloo");
    }
}

}  // namespace helioray::detail
