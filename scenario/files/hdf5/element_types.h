// SPDX-License-Identifier: MIT
// HDF5 element types, shared by datasets and attributes. Internal: this is the only header that
// includes HDF5's headers.
#pragma once

#include "scenario/files/hdf5/file.h"

#include <hdf5.h>

#include <array>
#include <functional>
#include <new>
#include <optional>
#include <stdexcept>

namespace helioray::hdf5 {

/// Returns HDF5's predefined type of a C++ number. Callers must not close it.
template <typename T>
hid_t native_type();
template <>
inline hid_t native_type<double>() {
    return H5T_NATIVE_DOUBLE;
}
template <>
inline hid_t native_type<float>() {
    return H5T_NATIVE_FLOAT;
}
template <>
inline hid_t native_type<std::int64_t>() {
    return H5T_NATIVE_INT64;
}
template <>
inline hid_t native_type<std::int32_t>() {
    return H5T_NATIVE_INT32;
}
template <>
inline hid_t native_type<std::uint8_t>() {
    return H5T_NATIVE_UINT8;
}

/// Creates a type for variable-length, null-terminated UTF-8 strings.
Handle utf8_string_type();
/// Creates h5py's boolean type, an enum {FALSE = 0, TRUE = 1} over int8.
Handle boolean_type();

ElementKind element_kind(hid_t type);
/// Returns a word for messages: "integers", "text", ...
const char* describe(ElementKind kind);

/// Returns the extents of a dataspace; the shape of an empty (null) dataspace is (0).
template <typename Where>
Shape read_shape(hid_t space, const Where& where) {
    const H5S_class_t space_class = H5Sget_simple_extent_type(space);
    if (space_class == H5S_SCALAR) return {};
    if (space_class == H5S_NULL) return {0};
    std::array<hsize_t, H5S_MAX_RANK> extents;
    const int rank = H5Sget_simple_extent_dims(space, extents.data(), nullptr);
    check(rank, where, "has no readable shape");
    return {extents.begin(), extents.begin() + rank};
}
/// Creates a dataspace; an empty shape gives a scalar one.
template <typename Where>
Handle make_space(const Shape& shape, const Where& where) {
    if (shape.empty()) return checked(H5Screate(H5S_SCALAR), where, "cannot create a dataspace");
    const std::vector<hsize_t> extents(shape.begin(), shape.end());
    return checked(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr),
                   where,
                   "cannot create a dataspace");
}

/// Returns the strings of `space`. `read(memory type, buffer)` wraps H5Dread or H5Aread of the
/// object, a dataset or attribute.
std::vector<std::string> read_string_elements(
    hid_t object,
    hid_t file_type,
    hid_t space,
    const std::function<herr_t(hid_t type, void* buffer)>& read,
    const std::string& where);

/// Returns `count` strings of variable length, read from the file directly instead of through HDF5.
/// Returns nothing if the file is open for writing or is not on a disk.
std::optional<std::vector<std::string>> read_heap_text(
    hid_t object,
    std::size_t count,
    const std::function<herr_t(hid_t type, void* buffer)>& read,
    const std::string& where);

/// Throws InputError for an array that does not fit into memory, since a damaged file can claim any
/// number of elements.
[[noreturn]] void fail_to_fit(std::size_t count, const std::string& where);
/// Returns a vector of `count` zeros; `where` as for checked().
template <typename T, typename Where>
std::vector<T> allocate(std::size_t count, const Where& where) {
    try {
        return std::vector<T>(count);
    } catch (const std::bad_alloc&) {
    } catch (const std::length_error&) {
    }
    fail_to_fit(count, place(where));
}

/// Returns transfer properties for a number of bytes. To convert elements, including text of
/// variable length, HDF5 clears a buffer for every transfer, by default of 1 MiB: 35 us for a
/// single word, instead of 4 us with a buffer of 4 KiB.
hid_t transfer_properties(std::size_t bytes);

/// Throws InputError unless `size` is 1.
void require_single(std::size_t size, const Shape& shape, const std::string& where);
/// Throws InputError for text and other elements that are not numbers; `where` as for checked().
template <typename Where>
void require_numeric(ElementKind kind, const Where& where) {
    if (kind != ElementKind::string && kind != ElementKind::other) return;
    fail(place(where), std::string("holds ") + describe(kind) + ", not numbers");
}
/// Returns the value as an integer; throws InputError if it is not integral or too large.
std::int64_t integral(double value, const std::string& where);

}  // namespace helioray::hdf5
