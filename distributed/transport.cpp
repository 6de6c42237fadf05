// SPDX-License-Identifier: MIT
// Stores, over those of c10d.
#include "distributed/transport_calls.h"

#include <arpa/inet.h>
#include <c10/util/Logging.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <future>
#include <map>
#include <mutex>
#include <thread>

namespace helioray::detail {
namespace {

/// c10d prints stack traces of network errors although they reach us as exceptions: a user shall
/// see one message. TORCH_CPP_LOG_LEVEL, where set, keeps its meaning.
void quieten_log() {
    [[maybe_unused]] static const bool done = [] {
        if (!std::getenv("TORCH_CPP_LOG_LEVEL")) FLAGS_caffe2_log_level = c10::GLOG_FATAL;
        return true;
    }();
}

std::vector<std::uint8_t> to_bytes(const std::string& text) {
    return {text.begin(), text.end()};
}
std::string to_text(const std::vector<std::uint8_t>& bytes) {
    return {bytes.begin(), bytes.end()};
}

/// Listening socket on 127.0.0.1, so that a store for local ranks is not open to the network.
int listen_on_loopback() {
    const int socket_fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (socket_fd < 0 ||
        ::bind(socket_fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0 ||
        ::listen(socket_fd, SOMAXCONN) != 0) {
        const std::string reason = std::strerror(errno);
        if (socket_fd >= 0) ::close(socket_fd);
        throw TransportError("no port of 127.0.0.1 can be opened: " + reason);
    }
    return socket_fd;
}

int port_of_socket(int socket_fd) {
    sockaddr_in address{};
    socklen_t length = sizeof(address);
    if (::getsockname(socket_fd, reinterpret_cast<sockaddr*>(&address), &length) != 0)
        throw TransportError(std::string("the store's port is unknown: ") + std::strerror(errno));
    return ntohs(address.sin_port);
}

/// A store's connection within the time-out. c10d bounds connecting, but not the wait for the first
/// answer: something else may listen at the port. A thread that waits for it is left behind.
c10::intrusive_ptr<c10d::Store> connect_within(const std::string& host,
                                               const c10d::TCPStoreOptions& options,
                                               std::chrono::milliseconds timeout) {
    std::promise<c10::intrusive_ptr<c10d::Store>> promise;
    auto connected = promise.get_future();
    std::thread([host, options, promise = std::move(promise)]() mutable {
        try {
            promise.set_value(c10::make_intrusive<c10d::TCPStore>(host, options));
        } catch (...) {
            promise.set_exception(std::current_exception());
        }
    }).detach();
    if (connected.wait_for(timeout + std::chrono::seconds(1)) != std::future_status::ready)
        throw TransportError("something listens there, but does not answer as a store");
    return connected.get();
}

}  // namespace

Store Store::root(const std::string& host,
                  int port,
                  bool serve,
                  std::chrono::milliseconds timeout) {
    // Never destroyed: the server thread must outlive every group and every static object.
    quieten_log();
    static auto& mutex = *new std::mutex;
    static auto& stores = *new std::map<std::pair<std::string, int>, Store>;
    const std::lock_guard lock(mutex);
    const auto found = stores.find({host, port});
    if (found != stores.end()) return found->second;

    c10d::TCPStoreOptions options;
    options.port = static_cast<std::uint16_t>(port);
    options.isServer = serve;
    options.waitWorkers = false;
    options.timeout = timeout;
    return translated([&] {
        auto handle = std::make_shared<Handle>();
        handle->store = connect_within(host, options, timeout);
        handle->port = port;
        return stores.emplace(std::pair{host, port}, Store(std::move(handle))).first->second;
    });
}

Store Store::in_file(const std::string& path, int processes, std::chrono::milliseconds timeout) {
    quieten_log();
    return translated([&] {
        // c10d would create the file only later, and say less when it cannot.
        const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0) throw TransportError(path + ": " + std::strerror(errno));
        ::close(fd);
        auto handle = std::make_shared<Handle>();
        handle->store = c10::make_intrusive<c10d::FileStore>(path, processes);
        handle->store->setTimeout(timeout);
        return Store(std::move(handle));
    });
}

Store Store::serve_local() {
    quieten_log();
    const int socket_fd = listen_on_loopback();
    c10d::TCPStoreOptions options;
    options.port = static_cast<std::uint16_t>(port_of_socket(socket_fd));
    options.isServer = true;
    options.waitWorkers = false;
    options.masterListenFd = socket_fd;
    return translated([&] {
        auto handle = std::make_shared<Handle>();
        handle->store = c10::make_intrusive<c10d::TCPStore>("127.0.0.1", options);
        handle->port = options.port;
        return Store(std::move(handle));
    });
}

Store Store::in_memory() {
    return Store(std::make_shared<Handle>(Handle{c10::make_intrusive<c10d::HashStore>(), 0}));
}

Store Store::with_prefix(const std::string& prefix) const {
    return Store(std::make_shared<Handle>(
        Handle{c10::make_intrusive<c10d::PrefixStore>(prefix, handle_->store), handle_->port}));
}

Store Store::new_connection() const {
    return translated([&] {
        return Store(std::make_shared<Handle>(Handle{handle_->store->clone(), handle_->port}));
    });
}

int Store::port() const {
    return handle_->port;
}

void Store::set(const std::string& key, const std::string& value) {
    translated([&] { handle_->store->set(key, to_bytes(value)); });
}

std::string Store::get(const std::string& key) {
    return translated([&] { return to_text(handle_->store->get(key)); });
}

std::vector<std::string> Store::get_all(const std::vector<std::string>& keys) {
    return translated([&] {
        std::vector<std::string> values;
        if (handle_->store->hasExtendedApi()) {
            for (const auto& bytes : handle_->store->multiGet(keys))
                values.push_back(to_text(bytes));
        } else {
            for (const auto& key : keys) values.push_back(to_text(handle_->store->get(key)));
        }
        return values;
    });
}

bool Store::has(const std::string& key) {
    return has_all({key});
}

bool Store::has_all(const std::vector<std::string>& keys) {
    return translated([&] { return handle_->store->check(keys); });
}

std::string Store::set_if_absent(const std::string& key, const std::string& value) {
    return translated(
        [&] { return to_text(handle_->store->compareSet(key, {}, to_bytes(value))); });
}

std::int64_t Store::add(const std::string& key, std::int64_t amount) {
    return translated([&] { return handle_->store->add(key, amount); });
}

void Store::erase(const std::string& key) {
    translated([&] { handle_->store->deleteKey(key); });
}

}  // namespace helioray::detail
