// SPDX-License-Identifier: MIT
// Client of PMI version 1, the key-value store of the launchers of MPICH and Intel MPI (hydra).
// Ranks on several machines use it to find the store of their run.
#pragma once

#include "distributed/store/open_store.h"

#include <chrono>

namespace helioray::detail {

/// Returns calls to the launcher's PMI server over the socket that the process inherited as PMI_FD.
/// One rank must call set() for a key and all others get(). The socket stays open until the process
/// ends. Throws TransportError.
LauncherStore make_pmi_store(int socket,
                             std::chrono::milliseconds timeout,
                             const WaitCallback& wait_callback);

}  // namespace helioray::detail
