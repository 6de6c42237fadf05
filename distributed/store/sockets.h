// SPDX-License-Identifier: MIT
// TCP sockets. Every wait has a deadline and can be cancelled.
#pragma once

#include "distributed/launch/descriptor.h"
#include "distributed/store/background_thread.h"

#include <sys/socket.h>

#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <utility>

namespace helioray::detail {

/// Time at which a wait ends at the latest.
using Deadline = std::chrono::steady_clock::time_point;
/// Called about twenty times a second during a wait; cancels the wait by throwing.
using WaitCallback = std::function<void()>;
inline constexpr auto kWaitCallbackInterval = std::chrono::milliseconds(50);

/// A socket that accepts connections.
struct Listener {
    Descriptor socket;    ///< non-blocking
    int port = 0;         ///< port on which it listens
    std::string address;  ///< numeric address; empty if it listens on all interfaces
};

/// Listens on `port` (0 for a free one) of the interface with the address `host`. If `host` is
/// empty or not an address of this machine, listens on all interfaces. Throws TransportError.
Listener listen_on(const std::string& host, int port);

/// Returns a non-blocking connection to host:port. Tries again until the deadline, because rank 0
/// may start later. Throws TransportError with the reason of the last failure: unknown name, closed
/// port or no answer.
Descriptor connect_to(const std::string& host,
                      int port,
                      Deadline deadline,
                      const WaitCallback& wait_callback);

/// Waits until the socket is readable (or writable if `to_write`); returns false at the deadline.
bool wait_for_socket(int socket,
                     bool to_write,
                     Deadline deadline,
                     const WaitCallback& wait_callback);

/// Runs a call that does not support deadlines on a background thread. Returns nothing if the
/// deadline passes first; the thread is then abandoned. Throws the exception of `call`. Signals are
/// blocked in the thread and in those it starts: otherwise SIGPIPE in a thread of Gloo could end
/// the process when another rank has failed.
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

/// Returns true for names and numeric addresses of the loopback interface.
bool is_loopback(const std::string& host);

/// Returns the numeric form of an address, "192.0.2.1"; empty if it has none.
std::string format_address(const sockaddr* address, socklen_t length);
/// Resolves a name and returns its first numeric address; empty if it is unknown. May wait for a
/// name server.
std::string resolve_address(const std::string& host);

/// Returns the numeric local address of a connection.
std::string get_local_address(int socket);
/// Returns the numeric address of the other end of a connection.
std::string get_peer_address(int socket);

}  // namespace helioray::detail
