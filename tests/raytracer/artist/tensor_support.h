// SPDX-License-Identifier: MIT
// Tensors in tests: from JSON, compared, and gradients against central differences.
#pragma once

#include "tests/raytracer/published_vectors.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace helioray::test {

/// Nested lists of numbers as a float64 tensor of the same shape.
inline at::Tensor json_tensor(const nlohmann::json& json) {
    std::vector<int64_t> shape;
    for (const nlohmann::json* level = &json; level->is_array(); level = &level->front()) {
        shape.push_back(static_cast<int64_t>(level->size()));
    }
    std::vector<double> numbers;
    const std::function<void(const nlohmann::json&)> collect = [&](const nlohmann::json& item) {
        if (!item.is_array()) return numbers.push_back(item.get<double>());
        for (const nlohmann::json& child : item) collect(child);
    };
    collect(json);
    return at::tensor(numbers, at::kDouble).reshape(shape);
}

inline at::Tensor tensor_of(std::vector<double> numbers, at::IntArrayRef shape) {
    return at::tensor(numbers, at::kDouble).reshape(shape);
}

/// Uniform numbers in [low, high) that are the same in every run.
inline at::Tensor uniform(at::IntArrayRef shape, double low, double high, uint64_t seed) {
    // splitmix64, so that tests do not depend on a global generator.
    at::Tensor result = at::empty(shape, at::kDouble);
    double* values = result.data_ptr<double>();
    for (int64_t i = 0; i < result.numel(); ++i) {
        uint64_t z = (seed += 0x9e3779b97f4a7c15ULL);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        values[i] = low + (high - low) * static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
    }
    return result;
}

inline double largest(const at::Tensor& tensor) {
    return tensor.abs().max().item<double>();
}

/// Largest difference, after checking that the shapes agree; NaN counts as infinite.
inline double largest_difference(const at::Tensor& a, const at::Tensor& b) {
    INFO("shapes " << a.sizes() << " and " << b.sizes());
    REQUIRE(a.sizes() == b.sizes());
    const at::Tensor difference = (a - b).detach().abs();
    if (difference.numel() == 0) return 0.0;
    if (difference.isnan().any().item<bool>()) return INFINITY;
    return difference.max().item<double>();
}

/// Checks d(sum of weights * f) of every element of `inputs[which]` against central differences.
inline void check_gradient(const std::function<at::Tensor(const std::vector<at::Tensor>&)>& f,
                           const std::vector<at::Tensor>& inputs,
                           size_t which,
                           double tolerance = 1e-6,
                           double relative_step = 1e-5) {
    const at::Tensor weights = uniform(f(inputs).sizes(), -1, 1, 99);
    const auto loss = [&](const std::vector<at::Tensor>& arguments) {
        return (f(arguments) * weights).sum();
    };

    std::vector<at::Tensor> leaves = inputs;
    leaves[which] = inputs[which].clone().set_requires_grad(true);
    loss(leaves).backward();
    REQUIRE(leaves[which].grad().defined());
    const at::Tensor gradient = leaves[which].grad().contiguous().flatten();

    at::Tensor expected = at::zeros_like(gradient);
    for (int64_t i = 0; i < expected.numel(); ++i) {
        const double value = inputs[which].flatten()[i].item<double>();
        const double step = relative_step * std::max(1.0, std::abs(value));
        std::vector<at::Tensor> moved = inputs;
        moved[which] = inputs[which].clone();
        moved[which].view(-1)[i] += step;
        const double above = loss(moved).item<double>();
        moved[which].view(-1)[i] -= 2 * step;
        const double below = loss(moved).item<double>();
        expected[i] = (above - below) / (2 * step);
    }
    // Relative to the largest element, because tiny ones drown in the rounding of the differences.
    const double scale = largest(expected);
    INFO("input " << which << ", expected gradient up to " << scale);
    REQUIRE(scale > 0);
    CHECK(largest_difference(gradient, expected) <= tolerance * scale);
}

}  // namespace helioray::test
