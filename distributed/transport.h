// SPDX-License-Identifier: MIT
// Key-value store and collective groups, without a header of LibTorch's c10d: that is
// transport.cpp's business.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace at {
class Tensor;
}

namespace helioray::detail {

/// Failure of a store or group call; the message has no stack trace.
class TransportError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Handle of a key-value store that all ranks share. Cheap to copy; copies share one connection,
/// which serves one call at a time. Every member throws TransportError when the store does not
/// answer.
class Store {
  public:
    /// Store of this process at host:port, made at the first call and kept until the process ends:
    /// a second server or client on the same port would race with the first one. `serve` opens the
    /// port in this process.
    static Store root(const std::string& host,
                      int port,
                      bool serve,
                      std::chrono::milliseconds timeout);

    /// Store in a file on a file system that all `processes` share; a new one for every group of
    /// processes. The last process that lets go of its handles removes the file.
    static Store in_file(const std::string& path, int processes, std::chrono::milliseconds timeout);

    /// Server on 127.0.0.1 at a free port, for processes of this machine. Lives as long as the
    /// handle.
    static Store serve_local();

    /// Store inside this process, for tests.
    static Store in_memory();

    /// Same keys, all with "prefix/" before them.
    Store with_prefix(const std::string& prefix) const;

    /// Same keys over a connection of its own, for use by another thread.
    Store new_connection() const;

    /// TCP port of a store made by root() or serve_local().
    int port() const;

    void set(const std::string& key, const std::string& value);
    /// Value of a key that is known to exist; waits for it otherwise.
    std::string get(const std::string& key);
    std::vector<std::string> get_all(const std::vector<std::string>& keys);
    bool has(const std::string& key);
    bool has_all(const std::vector<std::string>& keys);
    /// Writes the value if the key has none; returns the value that is there now.
    std::string set_if_absent(const std::string& key, const std::string& value);
    /// Adds to an integer that starts at 0; returns the sum.
    std::int64_t add(const std::string& key, std::int64_t amount);
    void erase(const std::string& key);

  private:
    friend class Group;
    struct Handle;
    explicit Store(std::shared_ptr<Handle> handle) : handle_(std::move(handle)) {}
    std::shared_ptr<Handle> handle_;
};

/// Called again and again while a collective is under way; leaves the wait by throwing.
using WhileWaiting = std::function<void()>;

/// Connected group of all ranks. A call that fails leaves the group unusable.
class Group {
  public:
    /// Collective over all ranks. `address`: the local address to talk from; empty: as
    /// GLOO_SOCKET_IFNAME or the host name says.
    static std::unique_ptr<Group> gloo(const Store& store,
                                       int rank,
                                       int size,
                                       const std::string& address,
                                       std::chrono::milliseconds timeout);

    /// True when this build can make NCCL groups.
    static bool has_nccl();

    /// Collective over all ranks; each has its own CUDA device. Throws TransportError in builds
    /// without CUDA.
    static std::unique_ptr<Group> nccl(
        const Store& store, int rank, int size, int cuda_index, std::chrono::milliseconds timeout);

    virtual ~Group() = default;

    /// In place. The tensor has the same type and size on every rank, is contiguous, and of a
    /// device the group knows.
    virtual void all_reduce_sum(at::Tensor& tensor, const WhileWaiting& while_waiting) = 0;
    virtual void broadcast(at::Tensor& tensor, int root, const WhileWaiting& while_waiting) = 0;

    /// Ends the group; all ranks do.
    virtual void shutdown() = 0;
    /// Ends the group without the others.
    virtual void abort() = 0;
};

}  // namespace helioray::detail
