// SPDX-License-Identifier: MIT
// What the modules helioray_cuda and helioray_nccl call of CUDA's runtime, on the memory of the
// host: stands for CUDA's header of this name where they are compiled for tests.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

/// Only NCCL's operations are not over when a call returns; the default stream is null.
struct EmulatedStream {
    std::atomic<int> under_way{0};
};
using cudaStream_t = EmulatedStream*;
struct EmulatedEvent {
    cudaStream_t stream = nullptr;
};
using cudaEvent_t = EmulatedEvent*;

/// Operations of NCCL that use memory of a device.
inline std::atomic<int>& emulated_operations() {
    static auto* const operations = new std::atomic<int>(0);
    return *operations;
}

/// Streams and events that were created and not destroyed yet.
class EmulatedObjects {
  public:
    void add(const void* object) {
        const std::lock_guard lock(mutex_);
        objects_.insert(object);
    }
    void remove(const void* object) {
        const std::lock_guard lock(mutex_);
        objects_.erase(object);
    }
    size_t count() {
        const std::lock_guard lock(mutex_);
        return objects_.size();
    }

  private:
    std::mutex mutex_;
    std::set<const void*> objects_;
};
/// Of the whole process, until its end: those of a communicator that cannot be ended stay.
inline EmulatedObjects& emulated_objects() {
    static auto* const objects = new EmulatedObjects;
    return *objects;
}
enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidDevice = 101,
    cudaErrorNotReady = 600
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
inline constexpr unsigned cudaStreamNonBlocking = 1, cudaEventDefault = 0,
                          cudaEventDisableTiming = 2;
struct cudaUUID_t {
    char bytes[16];
};
struct cudaDeviceProp {
    char name[16] = "emulated";
    cudaUUID_t uuid;
};

inline int& emulated_device() {
    static thread_local int device = 0;
    return device;
}

/// True if HELIORAY_EMULATED_FAULT is "KIND:INDEX" for the current device, which then fails:
/// "memory" has no memory left, and "launch" runs no kernel.
inline bool emulated_fault(const char* kind) {
    const char* fault = std::getenv("HELIORAY_EMULATED_FAULT");
    return fault != nullptr && fault == std::string(kind) + ":" + std::to_string(emulated_device());
}

/// The memory of devices. The default stream is that of the current device and orders nothing on
/// another one.
class EmulatedMemory {
  public:
    void add(const void* memory, size_t bytes) {
        const std::lock_guard lock(mutex_);
        parts_[static_cast<const char*>(memory)] = {bytes, emulated_device()};
    }
    void remove(const void* memory) {
        const std::lock_guard lock(mutex_);
        parts_.erase(static_cast<const char*>(memory));
    }
    size_t count() {
        const std::lock_guard lock(mutex_);
        return parts_.size();
    }
    /// False for memory of another device than the current one, in the default stream.
    bool can_use(const void* address, cudaStream_t stream) {
        const std::lock_guard lock(mutex_);
        const auto* const byte = static_cast<const char*>(address);
        auto part = parts_.upper_bound(byte);
        if (stream != nullptr || part == parts_.begin()) return true;
        --part;
        const bool inside = byte < part->first + part->second.bytes;
        return !inside || part->second.device == emulated_device();
    }

  private:
    struct Part {
        size_t bytes;
        int device;
    };
    std::mutex mutex_;
    std::map<const char*, Part> parts_;
};
inline EmulatedMemory& emulated_memory() {
    static auto* const memory = new EmulatedMemory;
    return *memory;
}

inline const char* cudaGetErrorString(cudaError_t error) {
    if (error == cudaErrorInvalidDevice) return "the memory of another device";
    return error == cudaSuccess ? "no error" : "out of memory";
}
inline cudaError_t cudaMallocAsync(void** memory, size_t bytes, cudaStream_t) {
    // Memory of devices is aligned for every type.
    constexpr size_t kAlignment = 256;
    const size_t whole = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    *memory = emulated_fault("memory") ? nullptr : std::aligned_alloc(kAlignment, whole);
    if (*memory == nullptr) return cudaErrorMemoryAllocation;
    // New memory holds anything.
    std::memset(*memory, 0xA5, bytes);
    emulated_memory().add(*memory, bytes);
    return cudaSuccess;
}
/// Does not free memory of another device, which then stays in emulated_memory().
inline cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
    if (!emulated_memory().can_use(memory, stream)) return cudaErrorInvalidDevice;
    emulated_memory().remove(memory);
    std::free(memory);
    return cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(
    void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
    if (!emulated_memory().can_use(to, stream) || !emulated_memory().can_use(from, stream))
        return cudaErrorInvalidDevice;
    if (bytes > 0) std::memcpy(to, from, bytes);
    return cudaSuccess;
}
inline cudaError_t cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t stream) {
    if (!emulated_memory().can_use(memory, stream)) return cudaErrorInvalidDevice;
    if (bytes > 0) std::memset(memory, value, bytes);
    return cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t) {
    return cudaSuccess;
}
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
    *stream = new EmulatedStream;
    emulated_objects().add(*stream);
    return cudaSuccess;
}
/// An operation that was aborted may still look at its stream: it stays.
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    static std::mutex mutex;
    static std::vector<std::unique_ptr<EmulatedStream>> ended;
    const std::lock_guard lock(mutex);
    ended.emplace_back(stream);
    emulated_objects().remove(stream);
    return cudaSuccess;
}
inline cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) {
    return cudaSuccess;
}
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
    *event = new EmulatedEvent;
    emulated_objects().add(*event);
    return cudaSuccess;
}
inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
    emulated_objects().remove(event);
    delete event;
    return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    event->stream = stream;
    return cudaSuccess;
}
inline cudaError_t cudaEventQuery(cudaEvent_t event) {
    const bool busy = event->stream != nullptr && event->stream->under_way > 0;
    return busy ? cudaErrorNotReady : cudaSuccess;
}
/// HELIORAY_EMULATED_DEVICES of them; one where it is not set.
/// Work is done when a call returns, so that no time is known.
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) {
    *milliseconds = 1.0f;
    return cudaSuccess;
}

inline cudaError_t cudaGetDeviceCount(int* count) {
    const char* wanted = std::getenv("HELIORAY_EMULATED_DEVICES");
    *count = wanted != nullptr ? std::atoi(wanted) : 1;
    return cudaSuccess;
}
inline cudaError_t cudaSetDevice(int device) {
    emulated_device() = device;
    return cudaSuccess;
}
inline cudaError_t cudaGetDevice(int* device) {
    *device = emulated_device();
    return cudaSuccess;
}
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int index) {
    *properties = {};
    properties->uuid.bytes[0] = static_cast<char>(index);
    return cudaSuccess;
}
