// SPDX-License-Identifier: MIT
// NumPy arrays with numbers of their own, and columns of tables.
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

/// One number of each row, as an array.
template <typename Rows, typename Get>
nanobind::object numbers_of(const Rows& rows, const Get& get) {
    std::vector<double> numbers;
    for (const auto& row : rows) numbers.push_back(get(row));
    const std::size_t count = numbers.size();
    return array_of(std::move(numbers), {count});
}

/// One value of each row, as a list.
template <typename Rows, typename Get>
nanobind::list values_of(const Rows& rows, const Get& get) {
    nanobind::list values;
    for (const auto& row : rows) values.append(get(row));
    return values;
}

}  // namespace helioray::python
