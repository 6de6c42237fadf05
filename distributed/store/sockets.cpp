// SPDX-License-Identifier: MIT
// Listens, connects and waits.
#include "distributed/store/sockets.h"

#include "distributed/store/wire.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace helioray::detail {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// An address that drops packets must not use up the time for the next address.
constexpr auto kAttemptTimeout = milliseconds(3000);
// A thread that asked for a pause of kWaitCallbackInterval and got this one was suspended.
constexpr auto kSuspension = milliseconds(2000);

struct Address {
    sockaddr_storage bytes{};
    socklen_t length = 0;
    int family = 0;
};

struct Resolved {
    std::vector<Address> addresses;
    std::string error;  // reason if there are no addresses
};

Resolved resolve_now(const std::string& host, int port, int flags) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = flags;
    addrinfo* found = nullptr;
    Resolved resolved;
    const int status = ::getaddrinfo(
        host.empty() ? nullptr : host.c_str(), std::to_string(port).c_str(), &hints, &found);
    if (status != 0) {
        resolved.error = ::gai_strerror(status);
        return resolved;
    }
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
    for (const addrinfo* entry = found; entry; entry = entry->ai_next) {
        Address address;
        std::memcpy(&address.bytes, entry->ai_addr, entry->ai_addrlen);
        address.length = entry->ai_addrlen;
        address.family = entry->ai_family;
        resolved.addresses.push_back(address);
    }
    return resolved;
}

/// Resolves a name on a background thread, because getaddrinfo() has no deadline.
Resolved resolve(const std::string& host,
                 int port,
                 Deadline deadline,
                 const WaitCallback& wait_callback) {
    return call_within(deadline, wait_callback, [host, port] { return resolve_now(host, port, 0); })
        .value_or(Resolved{{}, "the name server does not answer"});
}

int open_socket(int family) {
    return ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/// Connects; returns 0 or the error number, ETIMEDOUT if it takes too long.
int try_to_connect(const Descriptor& socket,
                   const Address& address,
                   Deadline deadline,
                   const WaitCallback& wait_callback) {
    if (::connect(
            socket.get(), reinterpret_cast<const sockaddr*>(&address.bytes), address.length) == 0)
        return 0;
    if (errno != EINPROGRESS) return errno;
    if (!wait_for_socket(
            socket.get(), true, std::min(deadline, Clock::now() + kAttemptTimeout), wait_callback))
        return ETIMEDOUT;
    int error = 0;
    socklen_t length = sizeof(error);
    return ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno;
}

/// Returns true if both ends of a connection are the same socket. This happens if the kernel
/// chooses the destination port, on which no process listens, as the local port (TCP simultaneous
/// open).
bool is_connected_to_itself(int socket) {
    sockaddr_storage ends[2]{};
    socklen_t lengths[2] = {sizeof(sockaddr_storage), sizeof(sockaddr_storage)};
    return ::getsockname(socket, reinterpret_cast<sockaddr*>(&ends[0]), &lengths[0]) == 0 &&
           ::getpeername(socket, reinterpret_cast<sockaddr*>(&ends[1]), &lengths[1]) == 0 &&
           lengths[0] == lengths[1] && std::memcmp(&ends[0], &ends[1], lengths[0]) == 0;
}

std::string explain(int error) {
    switch (error) {
        case ECONNREFUSED:
            return "nothing listens at this port";
        case ETIMEDOUT:
            return "the machine does not answer at all (a firewall may drop the packets, or it is "
                   "off)";
        case EMFILE:
            return "too many open files in this process; raise the limit with ulimit -n";
        default:
            return std::strerror(error);
    }
}

}  // namespace

bool wait_for_socket(int socket,
                     bool to_write,
                     Deadline deadline,
                     const WaitCallback& wait_callback) {
    auto last = Clock::now();
    // Returns the time left. This process may have been suspended since the last call (SIGSTOP, a
    // suspended job or machine). Probably the others were, too, so that time does not count.
    const auto measure_left = [&] {
        const auto now = Clock::now();
        if (now - last > kSuspension) deadline += now - last;
        last = now;
        return std::chrono::ceil<milliseconds>(deadline - now);
    };
    while (true) {
        const auto pause =
            std::clamp(measure_left(), milliseconds(0), milliseconds(kWaitCallbackInterval));
        pollfd entry{socket, static_cast<short>(to_write ? POLLOUT : POLLIN), 0};
        if (::poll(&entry, 1, static_cast<int>(pause.count())) > 0) return true;
        if (wait_callback) wait_callback();
        if (measure_left() <= milliseconds(0)) return false;
    }
}

Listener listen_on(const std::string& host, int port) {
    // A name may resolve to an address of another machine, for example a gateway. Binding it fails;
    // then listen on all interfaces.
    int error = 0;
    for (const bool all_interfaces : {false, true}) {
        if (!all_interfaces && host.empty()) continue;
        Resolved resolved = resolve_now(all_interfaces ? std::string() : host, port, AI_PASSIVE);
        // A socket of IPv6 accepts connections of IPv4, too; machines may have IPv6 alone.
        std::ranges::stable_partition(resolved.addresses, [&](const Address& address) {
            return all_interfaces && address.family == AF_INET6;
        });
        for (const Address& address : resolved.addresses) {
            Descriptor socket(open_socket(address.family));
            if (socket.get() < 0) {
                error = errno;
                continue;
            }
            const int on = 1;
            ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
            const int only = all_interfaces ? 0 : 1;
            if (address.family == AF_INET6)
                ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof(only));
            if (::bind(socket.get(),
                       reinterpret_cast<const sockaddr*>(&address.bytes),
                       address.length) != 0 ||
                ::listen(socket.get(), SOMAXCONN) != 0) {
                error = errno;
                if (error == EADDRINUSE || error == EACCES)
                    throw TransportError(std::strerror(error));
                continue;
            }
            sockaddr_storage bound{};
            socklen_t length = sizeof(bound);
            ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&bound), &length);
            Listener listener;
            listener.port =
                ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(bound).sin6_port
                                                  : reinterpret_cast<sockaddr_in&>(bound).sin_port);
            if (!all_interfaces)
                listener.address = format_address(reinterpret_cast<sockaddr*>(&bound), length);
            listener.socket = std::move(socket);
            return listener;
        }
    }
    throw TransportError(error != 0 ? explain(error) : "this machine has no network address");
}

Descriptor connect_to(const std::string& host,
                      int port,
                      Deadline deadline,
                      const WaitCallback& wait_callback) {
    std::string reason;
    for (auto pause = milliseconds(20);; pause = std::min(2 * pause, milliseconds(500))) {
        const Resolved resolved = resolve(host, port, deadline, wait_callback);
        if (resolved.addresses.empty())
            reason = "the name '" + host + "' is unknown here (" + resolved.error + ")";
        for (const Address& address : resolved.addresses) {
            Descriptor socket(open_socket(address.family));
            if (socket.get() < 0) {
                reason = explain(errno);
                continue;
            }
            const int error = try_to_connect(socket, address, deadline, wait_callback);
            if (error == 0 && !is_connected_to_itself(socket.get())) {
                const int on = 1;
                ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
                return socket;
            }
            reason = explain(error == 0 ? ECONNREFUSED : error);
        }
        for (const auto until = std::min(deadline, Clock::now() + pause); Clock::now() < until;) {
            std::this_thread::sleep_for(
                std::min<Clock::duration>(kWaitCallbackInterval, until - Clock::now()));
            if (wait_callback) wait_callback();
        }
        if (Clock::now() >= deadline) throw TransportError(reason);
    }
}

bool is_loopback(const std::string& host) {
    return host == "localhost" || host == "::1" || host.rfind("127.", 0) == 0;
}

std::string format_address(const sockaddr* address, socklen_t length) {
    std::array<char, NI_MAXHOST> text{};
    const int status =
        ::getnameinfo(address, length, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
    return status == 0 ? text.data() : std::string();
}

std::string resolve_address(const std::string& host) {
    const Resolved resolved = resolve_now(host, 0, 0);
    if (resolved.addresses.empty()) return {};
    const Address& first = resolved.addresses.front();
    return format_address(reinterpret_cast<const sockaddr*>(&first.bytes), first.length);
}

std::string get_local_address(int socket) {
    sockaddr_storage address{};
    socklen_t length = sizeof(address);
    if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length) != 0) return {};
    return format_address(reinterpret_cast<sockaddr*>(&address), length);
}

std::string get_peer_address(int socket) {
    sockaddr_storage address{};
    socklen_t length = sizeof(address);
    if (::getpeername(socket, reinterpret_cast<sockaddr*>(&address), &length) != 0) return {};
    return format_address(reinterpret_cast<sockaddr*>(&address), length);
}

}  // namespace helioray::detail
