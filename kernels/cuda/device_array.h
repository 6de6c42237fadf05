// SPDX-License-Identifier: MIT
// Arrays in the memory of a CUDA device.
#pragma once

#include "kernels/cuda/check.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace helioray::kernels {

/// Memory of the current device for elements of one type, freed in the order of the stream. Other
/// threads free it, too; everything else needs the same current device.
template <typename T>
class DeviceArray {
  public:
    explicit DeviceArray(cudaStream_t stream) : device_(current_device()), stream_(stream) {
        static_assert(std::is_trivially_copyable_v<T>);
    }
    DeviceArray(const T* host, int64_t count, cudaStream_t stream) : DeviceArray(stream) {
        assign(host, count);
    }
    ~DeviceArray() {
        const DeviceScope here(device_);
        cudaFreeAsync(data_, stream_);
    }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;

    /// Makes room for elements without a value; reuses memory that is large enough.
    void reserve(int64_t count) {
        count_ = count;
        if (count <= capacity_ && data_ != nullptr) return;
        if (data_ != nullptr) check(cudaFreeAsync(data_, stream_), "device memory");
        data_ = nullptr;
        check(cudaMallocAsync(&data_, std::max<size_t>(bytes(count), 1), stream_), "device memory");
        capacity_ = count;
    }
    /// Copies elements of the host.
    void assign(const T* host, int64_t count) {
        reserve(count);
        if (count > 0)
            check(cudaMemcpyAsync(data_, host, bytes(count), cudaMemcpyHostToDevice, stream_),
                  "upload");
    }
    /// Sets elements to zero.
    void assign_zeros(int64_t count) {
        reserve(count);
        check(cudaMemsetAsync(data_, 0, bytes(count), stream_), "clearing device memory");
    }
    /// Copies elements of the device.
    void assign_from_device(const T* device, int64_t count) {
        reserve(count);
        check(cudaMemcpyAsync(data_, device, bytes(count), cudaMemcpyDeviceToDevice, stream_),
              "copy on the device");
        check(cudaStreamSynchronize(stream_), "copy on the device");
    }
    void write(int64_t first, int64_t count, const T* host) {
        check(cudaMemcpyAsync(get() + first, host, bytes(count), cudaMemcpyHostToDevice, stream_),
              "upload");
        check(cudaStreamSynchronize(stream_), "upload");
    }
    void download(int64_t first, int64_t count, T* host) const {
        check(cudaMemcpyAsync(host, get() + first, bytes(count), cudaMemcpyDeviceToHost, stream_),
              "download");
        check(cudaStreamSynchronize(stream_), "download");
    }

    T* get() const { return static_cast<T*>(data_); }
    int64_t count() const { return count_; }

  private:
    static size_t bytes(int64_t count) { return static_cast<size_t>(count) * sizeof(T); }

    void* data_ = nullptr;
    int64_t count_ = 0;
    int64_t capacity_ = 0;
    int device_;
    cudaStream_t stream_;
};

}  // namespace helioray::kernels
