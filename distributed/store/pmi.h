// SPDX-License-Identifier: MIT
// The key-value space of launchers with PMI version 1 (hydra of MPICH and Intel MPI), through which
// ranks on several machines find the store of their run.
#pragma once

#include "distributed/store/open_store.h"

#include <chrono>

namespace helioray::detail {

/// One rank calls set() of a key, all others get(). Speaks to the launcher over the socket that the
/// process inherited as PMI_FD, which stays open until the process ends. Throws TransportError.
LauncherStore pmi_store(int socket, std::chrono::milliseconds timeout, const WaitCallback& wait_callback);

}  // namespace helioray::detail
