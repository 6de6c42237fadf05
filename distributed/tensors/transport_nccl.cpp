// SPDX-License-Identifier: MIT
// The module helioray_nccl: groups that call NCCL directly. They do not use LibTorch's NCCL
// backend, whose watchdog ends the process after an error under the settings of torchrun. The
// communicators are non-blocking, and every wait has a deadline and can be cancelled.
#include "distributed/store/sockets.h"
#include "distributed/tensors/transport.h"

#include <ATen/core/Tensor.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <cuda_runtime.h>
#include <nccl.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace helioray::detail {
namespace {

using Clock = std::chrono::steady_clock;

/// Longest time for NCCL to abort a communicator; usually it takes some milliseconds.
constexpr auto kAbortTime = std::chrono::seconds(2);

void require_cuda(cudaError_t error, const char* what) {
    if (error != cudaSuccess)
        throw TransportError(std::string("CUDA: ") + what + ": " + cudaGetErrorString(error));
}

ncclDataType_t to_nccl_type(const at::Tensor& tensor) {
    switch (tensor.scalar_type()) {
        case at::kByte:
            return ncclUint8;
        case at::kInt:
            return ncclInt32;
        case at::kLong:
            return ncclInt64;
        case at::kFloat:
            return ncclFloat32;
        case at::kDouble:
            return ncclFloat64;
        default:
            throw TransportError(std::string("NCCL groups do not carry ") +
                                 c10::toString(tensor.scalar_type()));
    }
}

ncclRedOp_t to_nccl_operation(Reduction reduction) {
    switch (reduction) {
        case Reduction::minimum:
            return ncclMin;
        case Reduction::maximum:
            return ncclMax;
        case Reduction::sum:
            return ncclSum;
        case Reduction::mean:
            break;
    }
    throw TransportError("NCCL groups do not compute means; divide a sum by the number of ranks");
}

std::size_t element_count(const at::Tensor& tensor) {
    return static_cast<std::size_t>(tensor.numel());
}

/// Makes a device current in the calling thread; the destructor restores the previous one.
class DeviceScope {
  public:
    explicit DeviceScope(int device) {
        require_cuda(cudaGetDevice(&before_), "the current device");
        require_cuda(cudaSetDevice(device), "choice of the device");
    }
    ~DeviceScope() { cudaSetDevice(before_); }
    DeviceScope(const DeviceScope&) = delete;
    DeviceScope& operator=(const DeviceScope&) = delete;

  private:
    int before_ = 0;
};

class NcclGroup final : public Group {
  public:
    NcclGroup(const GroupOptions& group,
              int device,
              const BroadcastText& broadcast_text,
              const WaitCallback& wait_callback)
        : device_(device), timeout_(group.timeout) {
        const DeviceScope here(device_);
        try {
            require_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
            require_cuda(cudaEventCreateWithFlags(&inputs_, cudaEventDisableTiming), "event");
            require_cuda(cudaEventCreateWithFlags(&done_, cudaEventDisableTiming), "event");
            connect(group, broadcast_text, wait_callback);
        } catch (...) {
            end();
            throw;
        }
    }

    ~NcclGroup() override { end(); }
    NcclGroup(const NcclGroup&) = delete;
    NcclGroup& operator=(const NcclGroup&) = delete;

    void all_reduce(at::Tensor& tensor, Reduction reduction, const WaitCallback& wait) override {
        finish("all_reduce", wait, [&] {
            return ncclAllReduce(tensor.data_ptr(),
                                 tensor.data_ptr(),
                                 element_count(tensor),
                                 to_nccl_type(tensor),
                                 to_nccl_operation(reduction),
                                 communicator_,
                                 stream_);
        });
    }

    void reduce(at::Tensor& tensor,
                int root,
                Reduction reduction,
                const WaitCallback& wait) override {
        finish("reduce", wait, [&] {
            return ncclReduce(tensor.data_ptr(),
                              tensor.data_ptr(),
                              element_count(tensor),
                              to_nccl_type(tensor),
                              to_nccl_operation(reduction),
                              root,
                              communicator_,
                              stream_);
        });
    }

    void broadcast(at::Tensor& tensor, int root, const WaitCallback& wait) override {
        finish("broadcast", wait, [&] {
            return ncclBroadcast(tensor.data_ptr(),
                                 tensor.data_ptr(),
                                 element_count(tensor),
                                 to_nccl_type(tensor),
                                 root,
                                 communicator_,
                                 stream_);
        });
    }

    void all_gather(at::Tensor& all, const at::Tensor& mine, const WaitCallback& wait) override {
        finish("all_gather", wait, [&] {
            return ncclAllGather(mine.data_ptr(),
                                 all.data_ptr(),
                                 element_count(mine),
                                 to_nccl_type(mine),
                                 communicator_,
                                 stream_);
        });
    }

    void all_to_all(at::Tensor& receive,
                    const at::Tensor& send,
                    std::vector<std::int64_t> receive_sizes,
                    std::vector<std::int64_t> send_sizes,
                    const WaitCallback& wait) override {
        finish("all_to_all", wait, [&] {
            const std::size_t item = receive.element_size();
            const auto type = to_nccl_type(receive);
            auto* to = static_cast<char*>(receive.data_ptr());
            const auto* from = static_cast<const char*>(send.data_ptr());
            ncclResult_t worst = ncclGroupStart();
            const auto record_error = [&](ncclResult_t result) {
                if (worst == ncclSuccess && result != ncclInProgress) worst = result;
            };
            for (std::size_t rank = 0; rank < send_sizes.size(); ++rank) {
                const auto sent = static_cast<std::size_t>(send_sizes[rank]);
                const auto received = static_cast<std::size_t>(receive_sizes[rank]);
                const int peer = static_cast<int>(rank);
                if (sent > 0)
                    record_error(ncclSend(from, sent, type, peer, communicator_, stream_));
                if (received > 0)
                    record_error(ncclRecv(to, received, type, peer, communicator_, stream_));
                from += sent * item;
                to += received * item;
            }
            const ncclResult_t ended = ncclGroupEnd();
            return worst == ncclSuccess ? ended : worst;
        });
    }

    // Channels send messages with Gloo.
    std::unique_ptr<Message> send(const at::Tensor&, int, int) override { refuse_messages(); }
    std::unique_ptr<Message> receive(at::Tensor&, int, int) override { refuse_messages(); }

    void shutdown() override {
        if (communicator_ == nullptr) return;
        const Deadline deadline = Clock::now() + timeout_;
        try {
            ncclComm_t ending = communicator_;
            settle("closing the group",
                   run_on_thread("closing the group",
                                 deadline,
                                 {},
                                 [ending] { return ncclCommFinalize(ending); }),
                   deadline,
                   {});
            const ncclResult_t destroyed = run_on_thread(
                "closing the group", deadline, {}, [ending] { return ncclCommDestroy(ending); });
            communicator_ = nullptr;
            require(destroyed, "closing the group");
        } catch (...) {
            abort();
            throw;
        }
    }

    void abort() override {
        ncclComm_t ending = std::exchange(communicator_, nullptr);
        if (ending == nullptr) return;
        const Deadline deadline = Clock::now() + kAbortTime;
        try {
            run_on_thread("abort", deadline, {}, [ending] { return ncclCommAbort(ending); });
            // A communicator that does not block may return while its kernels use the tensors.
            const DeviceScope here(device_);
            require_cuda(cudaEventRecord(done_, stream_), "abort");
            poll_until(
                [&] {
                    const cudaError_t on_device = cudaEventQuery(done_);
                    if (on_device == cudaErrorNotReady && Clock::now() > deadline)
                        fail_timeout("abort");
                    return on_device != cudaErrorNotReady;
                },
                {});
        } catch (const std::exception&) {
            lost_ = true;
        }
    }

  private:
    void end() {
        abort();
        // A communicator that could not be aborted may still use these objects.
        if (lost_) return;
        if (done_ != nullptr) cudaEventDestroy(done_);
        if (inputs_ != nullptr) cudaEventDestroy(inputs_);
        if (stream_ != nullptr) cudaStreamDestroy(stream_);
    }

    [[noreturn]] static void refuse_messages() {
        throw TransportError("NCCL groups do not send messages; send them through the host group");
    }

    void require(ncclResult_t result, const char* what) const {
        if (result == ncclSuccess) return;
        std::string text = std::string("NCCL: ") + what + ": " + ncclGetErrorString(result);
        // ncclGetLastError() returns the last error of any thread.
        const char* detail = ncclGetLastError(communicator_);
        if (detail != nullptr && *detail != '\0') text += std::string(" (") + detail + ")";
        throw TransportError(text);
    }

    [[noreturn]] void fail_timeout(const char* what) const {
        throw TransportError(std::string("NCCL: ") + what + " did not end within " +
                             std::to_string(std::chrono::duration<double>(timeout_).count()) +
                             " s; another rank hangs, or the GPUs cannot reach each other "
                             "(NCCL_DEBUG=INFO prints NCCL's own messages)");
    }

    /// Runs a call of NCCL that may block in spite of the settings on another thread. If the
    /// deadline passes, the thread is abandoned.
    template <typename Call>
    std::invoke_result_t<Call> run_on_thread(const char* what,
                                             Deadline deadline,
                                             const WaitCallback& wait,
                                             Call call) const {
        const auto result = call_within(deadline, wait, [device = device_, call] {
            cudaSetDevice(device);
            return call();
        });
        if (!result) fail_timeout(what);
        return *result;
    }

    /// Waits until the communicator has accepted an operation that returned ncclInProgress.
    void settle(const char* what,
                ncclResult_t result,
                Deadline deadline,
                const WaitCallback& wait) const {
        if (result == ncclInProgress) {
            poll_until(
                [&] {
                    require(ncclCommGetAsyncError(communicator_, &result), what);
                    if (result == ncclInProgress && Clock::now() > deadline) fail_timeout(what);
                    return result != ncclInProgress;
                },
                wait);
        }
        require(result, what);
    }

    /// Throws if the environment or a file of NCCL overrides the setting of communicators.
    static void refuse_blocking() {
        const char* blocking = std::getenv("NCCL_COMM_BLOCKING");
        if (blocking == nullptr || *blocking == '\0' || std::strcmp(blocking, "0") == 0) return;
        throw TransportError(std::string("NCCL: NCCL_COMM_BLOCKING=") + blocking +
                             " makes calls wait without a time-out for ranks that are lost; unset "
                             "it or set it to 0");
    }

    void connect(const GroupOptions& group,
                 const BroadcastText& broadcast_text,
                 const WaitCallback& wait) {
        refuse_blocking();
        const Deadline deadline = Clock::now() + timeout_;
        constexpr const char* kWhat = "connecting the group";
        ncclUniqueId id{};
        if (group.rank == 0) {
            const auto [result, made] = run_on_thread(kWhat, deadline, wait, [] {
                std::pair<ncclResult_t, ncclUniqueId> made_id{};
                made_id.first = ncclGetUniqueId(&made_id.second);
                return made_id;
            });
            require(result, kWhat);
            id = made;
        }
        const std::string shared = broadcast_text(std::string(id.internal, sizeof(id.internal)));
        if (shared.size() != sizeof(id.internal))
            throw TransportError(
                "NCCL: the first rank of the group has not published its identity");
        std::memcpy(id.internal, shared.data(), sizeof(id.internal));

        const int ranks = static_cast<int>(group.ranks.size());
        const auto [result,
                    made] = run_on_thread(kWhat, deadline, wait, [id, ranks, rank = group.rank] {
            ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
            config.blocking = 0;
            std::pair<ncclResult_t, ncclComm_t> made_group{};
            made_group.first = ncclCommInitRankConfig(&made_group.second, ranks, id, rank, &config);
            return made_group;
        });
        communicator_ = made;
        settle(kWhat, result, deadline, wait);
        // NCCL has set the variables of its files by now.
        refuse_blocking();
    }

    /// Returns the stream on which tensors are written: LibTorch's current stream if its CUDA
    /// library is loaded, else the default stream.
    cudaStream_t get_tensor_stream() const {
        if (!c10::impl::hasDeviceGuardImpl(at::kCUDA)) return nullptr;
        const c10::impl::VirtualGuardImpl guard(at::kCUDA);
        const at::Device device(at::kCUDA, static_cast<at::DeviceIndex>(device_));
        return static_cast<cudaStream_t>(guard.getStream(device).native_handle());
    }

    /// Starts an operation and waits until the device has completed it.
    template <typename Start>
    void finish(const char* what, const WaitCallback& wait, Start&& start) {
        const Deadline deadline = Clock::now() + timeout_;
        try {
            if (communicator_ == nullptr) throw TransportError("NCCL: the group is closed");
            const DeviceScope here(device_);
            require_cuda(cudaEventRecord(inputs_, get_tensor_stream()), what);
            require_cuda(cudaStreamWaitEvent(stream_, inputs_, 0), what);
            settle(what, start(), deadline, wait);
            require_cuda(cudaEventRecord(done_, stream_), what);
            poll_until([&] { return is_done(what, deadline); }, wait);
        } catch (...) {
            // The device must stop using the tensors before their owner frees them.
            abort();
            throw;
        }
    }

    bool is_done(const char* what, Deadline deadline) const {
        const cudaError_t on_device = cudaEventQuery(done_);
        if (on_device != cudaErrorNotReady) {
            require_cuda(on_device, what);
            return true;
        }
        ncclResult_t state = ncclSuccess;
        require(ncclCommGetAsyncError(communicator_, &state), what);
        if (state != ncclInProgress) require(state, what);
        if (Clock::now() > deadline) fail_timeout(what);
        return false;
    }

    const int device_;
    const std::chrono::milliseconds timeout_;
    ncclComm_t communicator_ = nullptr;
    cudaStream_t stream_ = nullptr;
    cudaEvent_t inputs_ = nullptr;  // recorded after the tensors are written
    cudaEvent_t done_ = nullptr;    // recorded after the operation
    bool lost_ = false;             // a communicator could not be aborted
};

}  // namespace
}  // namespace helioray::detail

/// Connects an NCCL group, which the caller owns. Collective over its ranks. Throws TransportError.
extern "C" helioray::detail::Group* helioray_nccl_group(
    const helioray::detail::GroupOptions& group,
    int cuda_index,
    const helioray::detail::BroadcastText& broadcast_text,
    const helioray::detail::WaitCallback& wait_callback) {
    return new helioray::detail::NcclGroup(group, cuda_index, broadcast_text, wait_callback);
}
