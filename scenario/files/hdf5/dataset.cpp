// SPDX-License-Identifier: MIT
// Reading and writing the elements of datasets.
#include "scenario/files/hdf5/element_types.h"
#include "scenario/files/hdf5/file.h"

#include <fmt/format.h>
#include <hdf5_hl.h>

#include <algorithm>
namespace helioray::hdf5 {

Dataset::Dataset(Handle handle, std::string file, std::string path)
    : Object(std::move(handle), std::move(file), std::move(path)) {
    const auto place = [this] { return where(); };
    const Handle space = checked(H5Dget_space(id()), place, "has no readable shape");
    const Handle type = checked(H5Dget_type(id()), place, "has no readable type");
    shape_ = shape_of(space.get(), place);
    kind_ = kind_of(type.get());
}

Dataset::Dataset(Handle handle, std::string file, std::string path, Shape shape, ElementKind kind)
    : Object(std::move(handle), std::move(file), std::move(path)),
      shape_(std::move(shape)),
      kind_(kind) {}

namespace {

void require_numeric(const Dataset& dataset) {
    require_numeric(dataset.kind(), [&] { return dataset.where(); });
}

void require_single(const Dataset& dataset) {
    if (dataset.size() != 1) {
        hdf5::require_single(dataset.size(), dataset.shape(), dataset.where());
    }
}

// File space with `count` rows from `first` selected, checked against the shape.
Handle select_rows(const Dataset& dataset, std::size_t first, std::size_t count) {
    const Shape& shape = dataset.shape();
    if (shape.empty() || first > shape[0] || count > shape[0] - first) {
        fail(dataset.where(),
             fmt::format("has shape {}, rows {} to {} are not in it",
                         to_string(shape),
                         first,
                         first + count));
    }
    const Handle space = make_space(shape, dataset.where());
    std::vector<hsize_t> start(shape.size(), 0);
    std::vector<hsize_t> extent(shape.begin(), shape.end());
    start[0] = first;
    extent[0] = count;
    check(H5Sselect_hyperslab(
              space.get(), H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr),
          dataset.where(),
          "cannot select rows");
    return space;
}

// Damaged extents would take minutes of filling memory before HDF5 misses the elements. Each has
// `width` bytes in the file.
void require_stored(const Dataset& dataset, std::size_t width) {
    constexpr std::size_t kHarmless = std::size_t{1} << 23;
    // Deflate makes no less than a byte of 1,032.
    constexpr std::size_t kMostPerByte = 1100;
    const std::size_t harmless = kHarmless / std::max<std::size_t>(1, width);
    if (dataset.size() <= harmless) return;
    const hsize_t stored = H5Dget_storage_size(dataset.id());
    hsize_t file = 0;
    H5Fget_filesize(dataset.id(), &file);
    if (stored > file || dataset.size() / kMostPerByte > stored / width) {
        fail(dataset.where(),
             fmt::format("has shape {} and elements of {} bytes, more than its file holds",
                         to_string(dataset.shape()),
                         width),
             "the file may be damaged");
    }
}

}  // namespace

template <typename T>
std::vector<T> Dataset::read() const {
    require_numeric(*this);
    require_stored(*this, sizeof(T));
    std::vector<T> values = allocate<T>(size(), [this] { return where(); });
    if (values.empty()) return values;
    check(
        H5Dread(id(), native_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
        [this] { return where(); },
        "cannot be read");
    return values;
}

template <typename T>
std::vector<T> Dataset::read_rows(std::size_t first, std::size_t count) const {
    require_numeric(*this);
    const Handle file_space = select_rows(*this, first, count);
    if (count == 0 || size() == 0) return {};
    require_stored(*this, sizeof(T));
    std::vector<T> values = allocate<T>(count * (size() / shape_[0]), [this] { return where(); });
    const Handle memory_space = make_space({values.size()}, [this] { return where(); });
    check(
        H5Dread(id(),
                native_type<T>(),
                memory_space.get(),
                file_space.get(),
                H5P_DEFAULT,
                values.data()),
        [this] { return where(); },
        "cannot be read");
    return values;
}

double Dataset::read_number() const {
    require_numeric(*this);
    require_single(*this);
    double value = 0.0;
    check(
        H5Dread(id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value),
        [this] { return where(); },
        "cannot be read");
    return value;
}

std::int64_t Dataset::read_integer() const {
    if (kind_ == ElementKind::floating) return integral(read_number(), where());
    require_numeric(*this);
    require_single(*this);
    std::int64_t value = 0;
    check(
        H5Dread(id(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value),
        [this] { return where(); },
        "cannot be read");
    return value;
}

bool Dataset::read_boolean() const {
    return read_number() != 0.0;
}

std::string Dataset::read_string() const {
    if (kind_ == ElementKind::string) require_single(*this);
    return read_strings()[0];
}

std::vector<std::string> Dataset::read_strings() const {
    const Handle type = checked(H5Dget_type(id()), where(), "has no readable type");
    require_stored(*this, H5Tget_size(type.get()));
    const Handle space = checked(H5Dget_space(id()), where(), "has no readable shape");
    const auto read = [this](hid_t memory_type, void* buffer) {
        return H5Dread(id(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer);
    };
    return read_string_elements(id(), type.get(), space.get(), read, where());
}

template <typename T>
void Dataset::write(std::span<const T> values) {
    if (values.size() != size()) {
        fail(where(),
             fmt::format(
                 "has shape {}, {} values do not fill it", to_string(shape_), values.size()));
    }
    if (values.empty()) return;
    check(
        H5Dwrite(id(), native_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
        [this] { return where(); },
        "cannot be written");
}

template <typename T>
void Dataset::write_rows(std::size_t first, std::span<const T> values) {
    const std::size_t row = shape_.empty() || shape_[0] == 0 ? 0 : size() / shape_[0];
    if (row == 0 || values.size() % row != 0) {
        fail(where(),
             fmt::format("has shape {}, {} values are no whole rows of it",
                         to_string(shape_),
                         values.size()));
    }
    const Handle file_space = select_rows(*this, first, values.size() / row);
    if (values.empty()) return;
    const Handle memory_space = make_space({values.size()}, [this] { return where(); });
    check(
        H5Dwrite(id(),
                 native_type<T>(),
                 memory_space.get(),
                 file_space.get(),
                 H5P_DEFAULT,
                 values.data()),
        [this] { return where(); },
        "cannot be written");
}

void Dataset::become_scale(const std::string& name) {
    check(
        H5DSset_scale(id(), name.c_str()),
        [this] { return where(); },
        "cannot become a dimension scale");
}

void Dataset::attach_scale(std::size_t axis, const Dataset& scale) {
    check(
        H5DSattach_scale(id(), scale.id(), static_cast<unsigned>(axis)),
        [this] { return where(); },
        "cannot refer to a dimension scale");
}

#define HELIORAY_INSTANTIATE(T)                                                    \
    template std::vector<T> Dataset::read<T>() const;                              \
    template std::vector<T> Dataset::read_rows<T>(std::size_t, std::size_t) const; \
    template void Dataset::write<T>(std::span<const T>);                           \
    template void Dataset::write_rows<T>(std::size_t, std::span<const T>);
HELIORAY_INSTANTIATE(double)
HELIORAY_INSTANTIATE(float)
HELIORAY_INSTANTIATE(std::int64_t)
HELIORAY_INSTANTIATE(std::int32_t)
HELIORAY_INSTANTIATE(std::uint8_t)
#undef HELIORAY_INSTANTIATE

}  // namespace helioray::hdf5
