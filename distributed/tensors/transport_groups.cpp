// SPDX-License-Identifier: MIT
// Creates Gloo groups, and NCCL groups with the module helioray_nccl.
#include "distributed/tensors/transport_backend.h"
#include "kernels/host/module.h"

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include <algorithm>
#include <cstdlib>

namespace helioray::detail {

namespace {

using std::chrono::milliseconds;

/// Returns Gloo's time-out for connecting. Gloo waits five times as long for a connection as for
/// other operations.
milliseconds compute_connect_timeout(milliseconds timeout) {
    return std::max(timeout / 5, std::min(timeout / 3, milliseconds(1000)));
}

/// Turns off Gloo's connection retries, each of which prints a message at every log level. Ranks
/// listen before they publish their address, so a retry cannot succeed.
void disable_connection_retries() {
    [[maybe_unused]] static const int done =
        ::setenv("GLOO_DISABLE_CONNECTION_RETRIES", "1", /*overwrite=*/0);
}

c10::intrusive_ptr<c10d::Backend> connect_gloo(const Store& store,
                                               const GroupOptions& group,
                                               const std::string& address) {
    disable_connection_retries();
    const milliseconds timeout = compute_connect_timeout(group.timeout);
    c10::intrusive_ptr<c10d::ProcessGroupGloo::Options> options;
    if (address.empty()) {
        options = c10d::ProcessGroupGloo::Options::create_default(timeout);
    } else {
        options = c10d::ProcessGroupGloo::Options::create(timeout);
        options->devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname(address));
    }
    options->global_ranks_in_group = as_unsigned(group.ranks);
    options->group_name = "helioray_host_" + group.name;
    auto backend = c10::make_intrusive<c10d::ProcessGroupGloo>(
        make_c10d_store(store), group.rank, static_cast<int>(group.ranks.size()), options);
    backend->setTimeout(group.timeout);
    return backend;
}

/// Returns the reason in "Gloo connectFullMesh failed with [file:line] reason".
std::string extract_reason(const std::string& text) {
    const auto place = text.find("failed with [");
    const auto end = place == std::string::npos ? place : text.find("] ", place);
    return end == std::string::npos ? text : text.substr(end + 2);
}

}  // namespace

std::unique_ptr<Group> Group::gloo(const Store& store,
                                   const GroupOptions& group,
                                   const std::string& address) {
    // Gloo only calls back while it uses the store, so connect on another thread.
    const auto deadline = std::chrono::steady_clock::now() + 2 * group.timeout;
    try {
        auto backend = call_within(deadline, group.wait_callback, [store, group, address] {
            return translate_errors([&] { return connect_gloo(store, group, address); });
        });
        if (!backend)
            throw TransportError("connecting took longer than " +
                                 std::to_string(2 * group.timeout.count()) + " ms");
        return std::make_unique<BackendGroup>(*std::move(backend));
    } catch (const RunFailed&) {
        throw;
    } catch (const TransportError& error) {
        throw TransportError(
            "the ranks cannot reach each other" +
            (address.empty() ? std::string() : ", this one from " + address) + ": " +
            extract_reason(error.what()) +
            "; where machines have several networks, GLOO_SOCKET_IFNAME names the interface that "
            "the ranks share, and a firewall must let them connect to any port");
    }
}

std::unique_ptr<Group> Group::nccl(const Store& store,
                                   const GroupOptions& group,
                                   int cuda_index,
                                   const WaitCallback& wait_callback) {
    using Entry = Group* (*)(const GroupOptions&, int, const BroadcastText&, const WaitCallback&);
    load_nccl();
    static const auto entry =
        reinterpret_cast<Entry>(module_function("helioray_nccl", "helioray_nccl_group"));
    const auto broadcast_text = [&](const std::string& mine) {
        Store identity_store = store;
        if (group.rank == 0) identity_store.set("identity", mine);
        identity_store.client().wait({identity_store.name("identity")}, group.timeout);
        return identity_store.get("identity").value_or("");
    };
    return std::unique_ptr<Group>(entry(group, cuda_index, broadcast_text, wait_callback));
}

void Group::load_nccl() {
    try {
        module_function("helioray_nccl", "helioray_nccl_group");
    } catch (const ModuleError& error) {
        throw TransportError(std::string(error.what()) + ", or choose distributed.backend: gloo");
    }
}

}  // namespace helioray::detail
