// SPDX-License-Identifier: MIT
// The meshes of a field in the memory of a CUDA device.
#pragma once

#include "kernels/cuda/device_array.h"
#include "kernels/mesh/mesh_types.h"

#include <cstdint>
#include <vector>

namespace helioray::kernels {

/// Meshes in the memory of the current device, with the trees, groups and planes of all of them one
/// after the other.
class DeviceMeshes {
  public:
    explicit DeviceMeshes(cudaStream_t stream)
        : stream_(stream), nodes_(stream), groups_(stream), planes_(stream), records_(stream) {}

    /// Copies meshes of the host.
    void assign(const MeshRecord* host, int64_t count) {
        int64_t num_nodes = 0, num_groups = 0, num_planes = 0;
        for (int64_t i = 0; i < count; ++i) {
            num_nodes += host[i].tree.num_nodes;
            num_groups += host[i].tree.num_groups;
            num_planes += kPlane * host[i].num_triangles;
        }
        nodes_.reserve(num_nodes);
        groups_.reserve(num_groups);
        planes_.reserve(num_planes);
        std::vector<MeshRecord> records(host, host + count);
        num_nodes = num_groups = num_planes = 0;
        for (MeshRecord& record : records) {
            const MeshRecord from = record;
            record.tree.nodes = nodes_.get() + num_nodes;
            record.tree.groups = groups_.get() + num_groups;
            record.planes = planes_.get() + num_planes;
            nodes_.write(num_nodes, from.tree.num_nodes, from.tree.nodes);
            groups_.write(num_groups, from.tree.num_groups, from.tree.groups);
            planes_.write(num_planes, kPlane * from.num_triangles, from.planes);
            num_nodes += from.tree.num_nodes;
            num_groups += from.tree.num_groups;
            num_planes += kPlane * from.num_triangles;
        }
        records_.assign(records.data(), count);
        check(cudaStreamSynchronize(stream_), "upload");
    }

    /// Returns the records, whose pointers are those of the device.
    const MeshRecord* records() const { return records_.get(); }

  private:
    static constexpr int64_t kPlane = 4;  ///< number of floats of MeshRecord::planes per triangle

    cudaStream_t stream_;
    DeviceArray<MeshNode> nodes_;
    DeviceArray<MeshGroup> groups_;
    DeviceArray<float> planes_;
    DeviceArray<MeshRecord> records_;
};

}  // namespace helioray::kernels
