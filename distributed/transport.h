// SPDX-License-Identifier: MIT
// Key-value store and collective groups, without a header of LibTorch's c10d: those are for
// transport*.cpp alone.
#pragma once

#include "distributed/reduction.h"

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

/// A message between two ranks that is under way. It keeps its tensor alive; one that is not over
/// is given up when the handle goes.
class Message {
  public:
    virtual ~Message() = default;
    virtual bool is_over() = 0;
    /// Once it is over: throws TransportError where it failed.
    virtual void check() = 0;
};

/// Which ranks a group joins, and how.
struct GroupOptions {
    std::string name;
    int rank = 0;                          ///< of this process within the group
    std::vector<int> ranks;                ///< of the world, by rank within the group
    std::chrono::milliseconds timeout{0};  ///< of its start and of every call
};

/// Connected ranks. Every member is a collective over them unless it says otherwise, and waits in
/// place. Tensors are contiguous, of a device the group knows, not empty, and of the same type and
/// size on every rank where nothing else is said. A call that fails leaves the group unusable.
class Group {
  public:
    /// Collective over the group's ranks. `address`: the local address to talk from; empty: as
    /// GLOO_SOCKET_IFNAME or the host name says.
    static std::unique_ptr<Group> gloo(const Store& store,
                                       const GroupOptions& options,
                                       const std::string& address);

    /// Loads what NCCL groups need. Throws TransportError where the module helioray_nccl is
    /// missing. To be called before anything asks LibTorch for CUDA, which remembers the answer.
    static void load_nccl();

    /// Collective over the group's ranks; each has its own CUDA device. Throws TransportError.
    static std::unique_ptr<Group> nccl(const Store& store,
                                       const GroupOptions& options,
                                       int cuda_index);

    virtual ~Group() = default;

    /// sum, minimum or maximum, in place.
    virtual void all_reduce(at::Tensor& tensor, Reduction, const WhileWaiting&) = 0;
    /// The same, wanted on `root` only; the tensors of the other ranks are left in any state.
    virtual void reduce(at::Tensor& tensor, int root, Reduction, const WhileWaiting&) = 0;
    virtual void broadcast(at::Tensor& tensor, int root, const WhileWaiting&) = 0;
    /// One-dimensional: `all` holds the tensors `mine` of all ranks, one behind the other.
    virtual void all_gather(at::Tensor& all, const at::Tensor& mine, const WhileWaiting&) = 0;
    /// One-dimensional: `send` holds send_sizes[r] elements for each rank r, one part behind the
    /// other, `receive` gets receive_sizes[r] from each. Either may be empty.
    virtual void all_to_all(at::Tensor& receive,
                            const at::Tensor& send,
                            std::vector<std::int64_t> receive_sizes,
                            std::vector<std::int64_t> send_sizes,
                            const WhileWaiting&) = 0;

    /// Between two ranks, on the host; they find each other by `tag`, which is >= 0 and unique
    /// between them among the messages under way. Not collective, and returns at once.
    virtual std::unique_ptr<Message> send(const at::Tensor& tensor, int to, int tag) = 0;
    virtual std::unique_ptr<Message> receive(at::Tensor& tensor, int from, int tag) = 0;

    /// Ends the group; all ranks do.
    virtual void shutdown() = 0;
    /// Ends the group without the others.
    virtual void abort() = 0;
};

}  // namespace helioray::detail
