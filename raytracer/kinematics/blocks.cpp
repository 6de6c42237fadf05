// SPDX-License-Identifier: MIT
// Runs an alignment in blocks of rows, so that a heliostat's numbers depend on nothing but its own
// data.
#include "raytracer/kinematics/blocks.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cstdint>

namespace helioray {

namespace {

// The most rows for which ATen multiplies 4 x 4 matrices on one thread.
constexpr size_t kRowsPerBlock = 512;
// Two AVX-512 vectors, as far as ATen unrolls.
constexpr size_t kRowsPerVector = 16;

using Rows = std::vector<int64_t>;

// Rows of each type of kinematics, cut into blocks.
std::vector<Rows> cut(const at::Tensor& types) {
    const at::Tensor host = types.cpu().contiguous();
    const int64_t* type = host.data_ptr<int64_t>();
    std::vector<Rows> blocks;
    for (const auto wanted : {KinematicsType::rigid_body, KinematicsType::azimuth_elevation}) {
        Rows block;
        for (int64_t row = 0; row < host.numel(); ++row) {
            if (type[row] != static_cast<int64_t>(wanted)) continue;
            block.push_back(row);
            if (block.size() < kRowsPerBlock) continue;
            blocks.push_back(std::move(block));
            block.clear();
        }
        if (!block.empty()) blocks.push_back(std::move(block));
    }
    if (blocks.empty()) blocks.emplace_back();
    return blocks;
}

// The same rows, the last one repeated until the number of rows fills whole vectors.
Rows filled(Rows rows) {
    while (rows.size() % kRowsPerVector != 0) rows.push_back(rows.back());
    return rows;
}

at::Tensor to_tensor(const Rows& rows, const at::Tensor& like) {
    return at::tensor(rows, at::kLong).to(like.device());
}

}  // namespace

Alignment align_in_blocks(const KinematicsParameters& parameters,
                          const std::vector<at::Tensor>& inputs,
                          const BlockAlignment& align) {
    const auto members = [](Alignment& alignment) {
        return std::vector<at::Tensor*>{&alignment.orientation,
                                        &alignment.joint_angles,
                                        &alignment.motor_positions,
                                        &alignment.within_limits,
                                        &alignment.converged};
    };

    // Align block by block, dropping what was filled up.
    Alignment result;
    Rows order;
    std::vector<std::vector<at::Tensor>> parts(members(result).size());
    for (const Rows& rows : cut(parameters.types)) {
        const at::Tensor indices = to_tensor(filled(rows), parameters.positions);
        std::vector<at::Tensor> block_inputs;
        for (const at::Tensor& input : inputs) {
            block_inputs.push_back(input.index_select(0, indices));
        }
        Alignment block = align(select(parameters, indices), block_inputs);
        const std::vector<at::Tensor*> tensors = members(block);
        for (size_t i = 0; i < tensors.size(); ++i) {
            if (!tensors[i]->defined()) continue;
            parts[i].push_back(tensors[i]->narrow(0, 0, static_cast<int64_t>(rows.size())));
        }
        for (AlignmentIssue& issue : block.issues) {
            if (issue.heliostat >= rows.size()) continue;
            issue.heliostat = static_cast<size_t>(rows[issue.heliostat]);
            result.issues.push_back(std::move(issue));
        }
        order.insert(order.end(), rows.begin(), rows.end());
    }

    // Back to the order of the rows.
    const at::Tensor back = to_tensor(order, parameters.positions).argsort();
    const std::vector<at::Tensor*> tensors = members(result);
    for (size_t i = 0; i < tensors.size(); ++i) {
        if (!parts[i].empty()) *tensors[i] = at::cat(parts[i]).index_select(0, back);
    }
    std::stable_sort(result.issues.begin(), result.issues.end(), [](const auto& a, const auto& b) {
        return a.heliostat < b.heliostat;
    });
    return result;
}

}  // namespace helioray
