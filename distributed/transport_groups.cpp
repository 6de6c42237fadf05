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

std::unique_ptr<Group> Group::nccl(const Store& store,
                                   const GroupOptions& group,
                                   int cuda_index,
                                   const WhileWaiting& while_waiting) {
    using Entry = Group* (*)(const GroupOptions&, int, const ShareText&, const WhileWaiting&);
    load_nccl();
    static const auto entry =
        reinterpret_cast<Entry>(module_function("helioray_nccl", "helioray_nccl_group"));
    const auto share = [&](const std::string& mine) {
        Store identity = store;
        if (group.rank == 0) identity.set("identity", mine);
        identity.client().wait({identity.name("identity")}, group.timeout);
        return identity.get("identity").value_or("");
    };
    return std::unique_ptr<Group>(entry(group, cuda_index, share, while_waiting));
}

void Group::load_nccl() {
    try {
        module_function("helioray_nccl", "helioray_nccl_group");
    } catch (const ModuleError& error) {
        throw TransportError(std::string(error.what()) + ", or choose distributed.backend: gloo");
    }
}

}  // namespace helioray::detail
