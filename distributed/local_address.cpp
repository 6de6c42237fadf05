// SPDX-License-Identifier: MIT
// Local address of a route, asked of the kernel through an unused datagram socket.
#include "distributed/local_address.h"

#include "distributed/descriptor.h"

#include <netdb.h>
#include <sys/socket.h>

#include <array>
#include <memory>

namespace helioray::detail {

std::string local_address_towards(const std::string& host, int port) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_DGRAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return {};
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(found, &::freeaddrinfo);
    for (const addrinfo* entry = found; entry; entry = entry->ai_next) {
        const Descriptor socket(::socket(entry->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
        if (socket.get() < 0) continue;
        sockaddr_storage local{};
        socklen_t length = sizeof(local);
        std::array<char, 256> text{};
        const bool known =
            ::connect(socket.get(), entry->ai_addr, entry->ai_addrlen) == 0 &&
            ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&local), &length) == 0 &&
            ::getnameinfo(reinterpret_cast<sockaddr*>(&local),
                          length,
                          text.data(),
                          text.size(),
                          nullptr,
                          0,
                          NI_NUMERICHOST) == 0;
        const std::string address = text.data();
        if (known && address.rfind("127.", 0) != 0 && address != "::1") return address;
    }
    return {};
}

}  // namespace helioray::detail
