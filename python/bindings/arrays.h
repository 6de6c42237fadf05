// SPDX-License-Identifier: MIT
// NumPy arrays with numbers of their own.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace helioray::python {

/// An array of this shape that owns its numbers.
template <typename T>
nanobind::object array_of(std::vector<T> numbers, const std::vector<std::size_t>& shape) {
    auto* data = new std::vector<T>(std::move(numbers));
    const nanobind::capsule owner(data,
                                  [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nanobind::cast(
        nanobind::ndarray<nanobind::numpy, T>(data->data(), shape.size(), shape.data(), owner));
}

}  // namespace helioray::python
