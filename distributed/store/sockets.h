// SPDX-License-Identifier: MIT
// TCP sockets whose every wait has an end.
#pragma once

#include "distributed/descriptor.h"
#include "distributed/background_thread.h"

#include <sys/socket.h>

#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <utility>

namespace helioray::detail {

/// When a wait ends at the latest.
using Deadline = std::chrono::steady_clock::time_point;
/// Called about twenty times a second during a wait; leaves it by throwing.
using WaitCallback = std::function<void()>;
inline constexpr auto kWaitCallbackInterval = std::chrono::milliseconds(50);

/// A socket that accepts connections.
struct Listener {
    Descriptor socket;    ///< non-blocking
    int port = 0;         ///< where it listens
    std::string address;  ///< numeric; empty: on all interfaces
};

/// Listens at `port` (0: a free one) of the interface that `host` names, where that is an address
/// of this machine, else of all interfaces, as for an empty host. Throws TransportError.
Listener listen_on(const std::string& host, int port);

/// A non-blocking connection to host:port. What refuses is asked again until the deadline: rank 0
/// may start later. Throws TransportError that says what was found there: an unknown name, a port
/// that nothing listens at, no answer at all.
Descriptor connect_to(const std::string& host, int port, Deadline deadline, const WaitCallback& wait_callback);

/// Waits until the socket can be read (or written); false at the deadline.
bool wait_for_socket(int socket, bool to_write, Deadline deadline, const WaitCallback& wait_callback);

/// Runs `call` on a thread of its own, for calls that know no deadline; nothing where the deadline
/// passes first: the thread is left behind then. Throws what `call` throws. The thread, and those
/// that `call` starts, receive no signal: Gloo's would end the process by SIGPIPE where another
/// rank is gone, before anybody could say so.
template <typename Call>
auto call_within(Deadline deadline, const WaitCallback& wait_callback, Call call) {
    using Result = decltype(call());
    std::promise<Result> promise;
    auto result = promise.get_future();
    start_background_thread([call = std::move(call), promise = std::move(promise)]() mutable {
        try {
            promise.set_value(call());
        } catch (...) {
            promise.set_exception(std::current_exception());
        }
    }).detach();
    while (result.wait_for(kWaitCallbackInterval) != std::future_status::ready) {
        if (wait_callback) wait_callback();
        if (std::chrono::steady_clock::now() >= deadline) return std::optional<Result>();
    }
    return std::optional<Result>(result.get());
}

/// Whether a name or numeric address means this machine alone.
bool is_loopback(const std::string& host);

/// "192.0.2.1"; empty where the address cannot be written so.
std::string format_address(const sockaddr* address, socklen_t length);
/// The first address that a name has here, numeric; empty where it has none. May wait for a name
/// server.
std::string resolve_address(const std::string& host);

/// Numeric address of this end of a connection.
std::string get_local_address(int socket);
/// Of the other end.
std::string get_peer_address(int socket);

}  // namespace helioray::detail
