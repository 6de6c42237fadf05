// SPDX-License-Identifier: MIT
// Checked reading of numbers, vectors and words.
#include "scenario/reader/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace helioray {

namespace {

// Removes leading extents of 1.
hdf5::Shape without_leading_ones(const hdf5::Shape& shape, std::size_t rank) {
    std::size_t skip = 0;
    while (shape.size() - skip > rank && shape[skip] == 1) ++skip;
    return {shape.begin() + static_cast<std::ptrdiff_t>(skip), shape.end()};
}

}  // namespace

void Fields::note(const std::string& name) const {
    const std::string first = name.substr(0, name.find('/'));
    if (std::ranges::find(known_, first) == known_.end()) known_.push_back(first);
}

hdf5::Dataset Fields::dataset(const std::string& name) const {
    note(name);
    return group_.dataset(name);
}

void Fields::warn_of_unread(const std::vector<std::string>& others) const {
    for (const std::string& name : group_.names()) {
        const bool is_known = std::ranges::find(known_, name) != known_.end() ||
                              std::ranges::find(others, name) != others.end();
        if (!is_known)
            log_.warn(where(name), fmt::format("'{}' is unknown here and not used", name));
    }
}

std::optional<Fields::Array> Fields::read(const std::string& name) const {
    std::optional<Array> result;
    log_.attempt([&] {
        const hdf5::Dataset dataset = this->dataset(name);
        result = Array{dataset.shape(), dataset.read<double>()};
    });
    if (!result) return result;
    for (const double value : result->values) {
        if (std::isfinite(value)) continue;
        log_.problem(where(name), fmt::format("contains {}", value), "it must be finite");
        return std::nullopt;
    }
    return result;
}

std::optional<double> Fields::number(const std::string& name) const {
    std::optional<double> value;
    log_.attempt([&] { value = dataset(name).read_number(); });
    if (value && !std::isfinite(*value)) {
        log_.problem(where(name), fmt::format("is {}", *value), "it must be finite");
        return std::nullopt;
    }
    return value;
}

std::optional<double> Fields::positive(const std::string& name) const {
    std::optional<double> value = number(name);
    if (value && *value <= 0.0) {
        log_.problem(where(name), fmt::format("is {}", *value), "it must be greater than 0");
        value.reset();
    }
    return value;
}

double Fields::number_or_zero(const std::string& name, bool warn) const {
    if (contains(name)) return number(name).value_or(0.0);
    if (warn) log_.warn(where(name), "missing parameters are taken as 0");
    return 0.0;
}

std::optional<std::int64_t> Fields::integer(const std::string& name) const {
    std::optional<std::int64_t> value;
    log_.attempt([&] { value = dataset(name).read_integer(); });
    return value;
}

std::optional<bool> Fields::boolean(const std::string& name) const {
    std::optional<bool> value;
    log_.attempt([&] { value = dataset(name).read_boolean(); });
    return value;
}

std::optional<std::string> Fields::text(const std::string& name) const {
    std::optional<std::string> value;
    log_.attempt([&] { value = dataset(name).read_string(); });
    return value;
}

void Fields::unknown(const std::string& name,
                     const std::string& word,
                     const std::string& known) const {
    log_.problem(where(name), fmt::format("'{}' is unknown", word), "", "use " + known);
}

std::optional<std::vector<double>> Fields::numbers(const std::string& name,
                                                   const hdf5::Shape& shape) const {
    std::optional<Array> array = read(name);
    if (!array) return std::nullopt;
    if (without_leading_ones(array->shape, shape.size()) != shape) {
        log_.problem(where(name),
                     fmt::format("has shape {}, expected {}",
                                 hdf5::to_string(array->shape),
                                 hdf5::to_string(shape)));
        return std::nullopt;
    }
    return std::move(array->values);
}

std::optional<Fields::Array> Fields::array(const std::string& name, std::size_t rank) const {
    std::optional<Array> array = read(name);
    if (!array) return std::nullopt;
    const hdf5::Shape shape = without_leading_ones(array->shape, rank);
    if (shape.size() != rank || array->values.empty()) {
        log_.problem(where(name),
                     fmt::format("has shape {}, expected an array with {} axes",
                                 hdf5::to_string(array->shape),
                                 rank));
        return std::nullopt;
    }
    array->shape = shape;
    return array;
}

std::optional<Vec3> Fields::vector(const std::string& name) const {
    const std::optional<Array> array = read(name);
    if (!array) return std::nullopt;
    const hdf5::Shape shape = without_leading_ones(array->shape, 1);
    if (shape != hdf5::Shape{3} && shape != hdf5::Shape{4}) {
        log_.problem(
            where(name),
            fmt::format("has shape {}, expected (3,) or (4,)", hdf5::to_string(array->shape)));
        return std::nullopt;
    }
    return Vec3{array->values[0], array->values[1], array->values[2]};
}

std::optional<Vec3> Fields::unit_vector(const std::string& name) const {
    std::optional<Vec3> vector = this->vector(name);
    if (!vector) return vector;
    Vec3& v = *vector;
    const double length = std::hypot(v[0], v[1], v[2]);
    if (length < 1e-12) {
        log_.problem(where(name), "is the zero vector", "it must be a direction");
        return std::nullopt;
    }
    // Unit vectors remain unchanged, bit by bit.
    if (std::abs(length - 1.0) < 1e-15) return vector;
    if (std::abs(length - 1.0) > 1e-5) {
        log_.warn(where(name), "directions that are no unit vectors are normalised");
    }
    for (double& component : v) component /= length;
    return vector;
}

}  // namespace helioray
