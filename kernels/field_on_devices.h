// SPDX-License-Identifier: MIT
// A field in the memory of one or several CUDA devices of this process, which trace it together.
#pragma once

#include "kernels/cuda_devices.h"

#include <memory>
#include <vector>

namespace helioray::kernels {

/// Copies a field to each of the devices and returns an object that uses all of them.
///
/// `devices` contains at least one index, and each index once. Several devices divide the units of
/// a call: each has a thread of the host and draws the next units as soon as it is free, so that
/// fast and slow devices end together. All sums are those of a single device, because the sums of
/// the devices are integers. If a device fails, the others finish their present launch, and the
/// call throws std::runtime_error that names the device. stream: the stream of a single device, as
/// in CudaDevices::upload(); several devices use their default streams.
std::unique_ptr<DeviceField> upload_to_devices(const CudaDevices& cuda,
                                               const FieldView& field,
                                               const std::vector<int>& devices,
                                               void* stream = nullptr);

}  // namespace helioray::kernels
