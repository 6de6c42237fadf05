// SPDX-License-Identifier: MIT
// NCCL through a file in memory that the ranks of a group share: every rank writes what it sends
// into its own slot, all wait for each other, every rank reads what it needs.
#include "nccl.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr size_t kSlot = size_t{1} << 26;  // pages that nobody writes take no memory
constexpr int kMostRanks = 16;

struct Shared {
    std::atomic<int64_t> arrived;
    int64_t offsets[kMostRanks][kMostRanks];  // in the slot of a rank, of what it sends to another
};

bool goes_wrong(const char* what) {
    const char* wanted = std::getenv("HELIORAY_EMULATED_NCCL");
    return wanted != nullptr && std::strcmp(wanted, what) == 0;
}

void short_pause() {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
}

/// As long as tests last.
void hang() {
    std::this_thread::sleep_for(std::chrono::minutes(5));
}

void note(const std::string& line) {
    if (const char* file = std::getenv("HELIORAY_EMULATED_NCCL_LOG"))
        std::ofstream(file, std::ios::app) << line + "\n";
}

/// Used by the threads of its operations, too, which may outlive it.
struct Link {
    Shared* shared = nullptr;
    int rank = 0, ranks = 0;
    int64_t meetings = 0;
    std::atomic<bool> aborted{false};
    std::atomic<ncclResult_t> state{ncclInProgress};

    char* slot(int of) const {
        return reinterpret_cast<char*>(shared) + kSlot * static_cast<size_t>(of + 1);
    }
    /// False where the group was aborted meanwhile.
    bool meet() {
        const int64_t wanted = ++meetings * ranks;
        shared->arrived.fetch_add(1);
        while (shared->arrived < wanted && !aborted) short_pause();
        return !aborted;
    }
};

size_t size_of(ncclDataType_t type) {
    switch (type) {
        case ncclUint8:
            return 1;
        case ncclInt32:
        case ncclFloat32:
            return 4;
        case ncclInt64:
        case ncclFloat64:
            return 8;
    }
    return 0;
}

template <typename T>
void combine(T* to, const T* from, size_t count, ncclRedOp_t operation) {
    for (size_t i = 0; i < count; ++i) {
        if (operation == ncclSum) to[i] += from[i];
        if (operation == ncclMax) to[i] = std::max(to[i], from[i]);
        if (operation == ncclMin) to[i] = std::min(to[i], from[i]);
    }
}

void combine(void* to, const void* from, size_t count, ncclDataType_t type, ncclRedOp_t operation) {
    const auto as = [&](auto zero) {
        using T = decltype(zero);
        combine(static_cast<T*>(to), static_cast<const T*>(from), count, operation);
    };
    switch (type) {
        case ncclUint8:
            return as(uint8_t{});
        case ncclInt32:
            return as(int32_t{});
        case ncclInt64:
            return as(int64_t{});
        case ncclFloat32:
            return as(float{});
        case ncclFloat64:
            return as(double{});
    }
}

struct Part {
    const void* from;
    void* to;
    size_t bytes;
    int peer;
};
thread_local std::vector<Part> group_parts;
thread_local std::pair<ncclComm_t, cudaStream_t> group_of{};

}  // namespace

struct EmulatedCommunicator {
    std::shared_ptr<Link> link = std::make_shared<Link>();
};

namespace {

/// Runs `exchange` on a thread of its own, as a device would: between its two meetings all slots
/// are written.
ncclResult_t begin(ncclComm_t communicator,
                   cudaStream_t stream,
                   const std::string& name,
                   std::function<void(Link&)> write,
                   std::function<void(Link&)> read) {
    if (goes_wrong("fail_call")) return ncclSystemError;
    note(name);
    ++stream->under_way;
    ++emulated_operations();
    std::thread([link = communicator->link, stream, write, read] {
        const auto wait_for_abort = [&] {
            while (!link->aborted) short_pause();
        };
        const bool is_slow = goes_wrong("slow_abort");
        if (goes_wrong("fail_later")) {
            link->state = ncclRemoteError;
            wait_for_abort();
        }
        if (is_slow || goes_wrong("hang_call")) wait_for_abort();
        if (is_slow) std::this_thread::sleep_for(std::chrono::milliseconds(300));
        if (!link->aborted) write(*link);
        if (link->meet()) read(*link);
        link->meet();
        --emulated_operations();
        --stream->under_way;
    }).detach();
    return ncclInProgress;
}

ncclResult_t reduce_to(const void* from,
                       void* to,
                       size_t count,
                       ncclDataType_t type,
                       ncclRedOp_t operation,
                       const std::string& name,
                       int root,
                       ncclComm_t communicator,
                       cudaStream_t stream) {
    const size_t bytes = count * size_of(type);
    return begin(
        communicator,
        stream,
        name + " of " + std::to_string(bytes) + " bytes",
        [=](Link& link) { std::memcpy(link.slot(link.rank), from, bytes); },
        [=](Link& link) {
            if (root >= 0 && link.rank != root) return;
            std::memcpy(to, link.slot(0), bytes);
            for (int rank = 1; rank < link.ranks; ++rank)
                combine(to, link.slot(rank), count, type, operation);
        });
}

}  // namespace

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
    if (goes_wrong("hang_id")) hang();
    static std::atomic<int> number{0};
    const std::string name =
        "/helioray_nccl_" + std::to_string(::getpid()) + "_" + std::to_string(number++);
    *id = {};
    std::memcpy(id->internal, name.c_str(), name.size());
    return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(
    ncclComm_t* communicator, int ranks, ncclUniqueId id, int rank, ncclConfig_t* config) {
    if (goes_wrong("hang_in_start")) hang();
    if (config->blocking != 0 || ranks > kMostRanks) return ncclSystemError;
    const int file = ::shm_open(id.internal, O_RDWR | O_CREAT, 0600);
    const size_t bytes = kSlot * static_cast<size_t>(ranks + 1);
    if (file < 0 || ::ftruncate(file, static_cast<off_t>(bytes)) != 0) return ncclSystemError;
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    if (memory == MAP_FAILED) return ncclSystemError;
    *communicator = new EmulatedCommunicator;
    const auto link = (*communicator)->link;
    link->shared = static_cast<Shared*>(memory);
    link->rank = rank;
    link->ranks = ranks;
    std::thread([link, name = std::string(id.internal)] {
        if (goes_wrong("fail_start")) link->state = ncclSystemError;
        const bool hangs = goes_wrong("hang_start");
        if (link->state == ncclInProgress && !hangs && link->meet()) link->state = ncclSuccess;
        while (hangs && !link->aborted) short_pause();
        ::shm_unlink(name.c_str());
    }).detach();
    return ncclInProgress;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t communicator, ncclResult_t* state) {
    *state = communicator->link->state;
    return ncclSuccess;
}

ncclResult_t ncclCommFinalize(ncclComm_t communicator) {
    if (!goes_wrong("hang_end")) return ncclSuccess;
    communicator->link->state = ncclInProgress;
    return ncclInProgress;
}

ncclResult_t ncclCommDestroy(ncclComm_t communicator) {
    delete communicator;
    return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t communicator) {
    if (goes_wrong("hang_abort")) hang();
    note("abort");
    communicator->link->aborted = true;
    delete communicator;
    return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t result) {
    switch (result) {
        case ncclSuccess:
            return "no error";
        case ncclSystemError:
            return "unhandled system error";
        case ncclRemoteError:
            return "remote process exited or there was a network error";
        case ncclInProgress:
            return "NCCL operation in progress";
    }
    return "unknown";
}

const char* ncclGetLastError(ncclComm_t) {
    return "";
}

ncclResult_t ncclAllReduce(const void* from,
                           void* to,
                           size_t count,
                           ncclDataType_t type,
                           ncclRedOp_t operation,
                           ncclComm_t communicator,
                           cudaStream_t stream) {
    return reduce_to(from, to, count, type, operation, "all_reduce", -1, communicator, stream);
}

ncclResult_t ncclReduce(const void* from,
                        void* to,
                        size_t count,
                        ncclDataType_t type,
                        ncclRedOp_t operation,
                        int root,
                        ncclComm_t communicator,
                        cudaStream_t stream) {
    return reduce_to(from, to, count, type, operation, "reduce", root, communicator, stream);
}

ncclResult_t ncclBroadcast(const void* from,
                           void* to,
                           size_t count,
                           ncclDataType_t type,
                           int root,
                           ncclComm_t communicator,
                           cudaStream_t stream) {
    const size_t bytes = count * size_of(type);
    return begin(
        communicator,
        stream,
        "broadcast",
        [=](Link& link) {
            if (link.rank == root) std::memcpy(link.slot(root), from, bytes);
        },
        [=](Link& link) { std::memcpy(to, link.slot(root), bytes); });
}

ncclResult_t ncclAllGather(const void* from,
                           void* to,
                           size_t count,
                           ncclDataType_t type,
                           ncclComm_t communicator,
                           cudaStream_t stream) {
    const size_t bytes = count * size_of(type);
    return begin(
        communicator,
        stream,
        "all_gather",
        [=](Link& link) { std::memcpy(link.slot(link.rank), from, bytes); },
        [=](Link& link) {
            for (int rank = 0; rank < link.ranks; ++rank)
                std::memcpy(static_cast<char*>(to) + static_cast<size_t>(rank) * bytes,
                            link.slot(rank),
                            bytes);
        });
}

ncclResult_t ncclSend(const void* from,
                      size_t count,
                      ncclDataType_t type,
                      int peer,
                      ncclComm_t communicator,
                      cudaStream_t stream) {
    group_parts.push_back({from, nullptr, count * size_of(type), peer});
    group_of = {communicator, stream};
    return ncclSuccess;
}

ncclResult_t ncclRecv(void* to,
                      size_t count,
                      ncclDataType_t type,
                      int peer,
                      ncclComm_t communicator,
                      cudaStream_t stream) {
    group_parts.push_back({nullptr, to, count * size_of(type), peer});
    group_of = {communicator, stream};
    return ncclSuccess;
}

ncclResult_t ncclGroupStart() {
    group_parts.clear();
    return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
    if (group_parts.empty()) return ncclSuccess;
    return begin(
        group_of.first,
        group_of.second,
        "group",
        [parts = group_parts](Link& link) {
            int64_t offset = 0;
            for (const Part& part : parts) {
                if (part.from == nullptr) continue;
                std::memcpy(link.slot(link.rank) + offset, part.from, part.bytes);
                link.shared->offsets[link.rank][part.peer] = offset;
                offset += static_cast<int64_t>(part.bytes);
            }
        },
        [parts = group_parts](Link& link) {
            for (const Part& part : parts)
                if (part.to != nullptr)
                    std::memcpy(part.to,
                                link.slot(part.peer) + link.shared->offsets[part.peer][link.rank],
                                part.bytes);
        });
}
