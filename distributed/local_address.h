// SPDX-License-Identifier: MIT
// The address that this machine uses towards another one.
#pragma once

#include <string>

namespace helioray::detail {

/// Local address of the route to host:port, as text; empty when it cannot be told or is a loopback
/// address. Sends nothing.
std::string local_address_towards(const std::string& host, int port);

}  // namespace helioray::detail
