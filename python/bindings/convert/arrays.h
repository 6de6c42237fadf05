// SPDX-License-Identifier: MIT
// NumPy arrays that own their numbers, and columns of tables.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace helioray::python {

/// Returns an array of this shape that owns its numbers.
template <typename T>
nanobind::object make_array(std::vector<T> numbers, const std::vector<std::size_t>& shape) {
    auto* data = new std::vector<T>(std::move(numbers));
    const nanobind::capsule owner(data,
                                  [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nanobind::cast(
        nanobind::ndarray<nanobind::numpy, T>(data->data(), shape.size(), shape.data(), owner));
}

/// Returns one number of each row, as an array.
template <typename Rows, typename Get>
nanobind::object collect_numbers(const Rows& rows, const Get& get) {
    std::vector<double> numbers;
    for (const auto& row : rows) numbers.push_back(get(row));
    const std::size_t count = numbers.size();
    return make_array(std::move(numbers), {count});
}

/// Returns one value of each row, as a list.
template <typename Rows, typename Get>
nanobind::list collect_values(const Rows& rows, const Get& get) {
    nanobind::list values;
    for (const auto& row : rows) values.append(get(row));
    return values;
}

}  // namespace helioray::python
