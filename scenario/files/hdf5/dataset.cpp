// SPDX-License-Identifier: MIT
// Reads and writes the elements of datasets.
#include "scenario/files/hdf5/element_types.h"
#include "scenario/files/hdf5/file.h"

#include <fmt/format.h>
#include <hdf5_hl.h>
#include <unistd.h>

#include <algorithm>
namespace helioray::hdf5 {

Dataset::Dataset(Handle handle, std::string file, std::string path)
    : Object(std::move(handle), std::move(file), std::move(path)) {
    const auto place = [this] { return where(); };
    const Handle space = checked(H5Dget_space(id()), place, "has no readable shape");
    const Handle type = checked(H5Dget_type(id()), place, "has no readable type");
    shape_ = read_shape(space.get(), place);
    kind_ = element_kind(type.get());
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

// Returns the file space with `count` rows from `first` selected, checked against the shape.
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

/// Returns the shape of some rows of a dataset, with the dataset's number of axes. With another
/// number of axes HDF5 maps the elements of a selection to chunks one by one, which took a third of
/// the time for compressing them.
Shape rows_shape(Shape shape, std::size_t rows) {
    shape[0] = rows;
    return shape;
}

/// Returns the size of the file that holds the dataset in bytes. HDF5 1.10 needs the identifier of
/// the file itself.
hsize_t read_file_size(const Dataset& dataset) {
    const auto place = [&] { return dataset.where(); };
    const Handle file = checked(H5Iget_file_id(dataset.id()), place, "has no file");
    hsize_t size = 0;
    check(H5Fget_filesize(file.get(), &size), place, "the size of its file is unknown");
    return size;
}

/// Returns the number of bytes that may be filled with zeros without checking that the file
/// contains them: a sixteenth of the machine's memory, which takes a second or two.
std::size_t harmless_sparse_bytes() {
    return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
           static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE)) / 16;
}

/// Throws InputError if `elements` elements of `width` bytes cannot be in the file. With damaged
/// extents HDF5 would fill memory for minutes before it notices that the elements are missing.
void require_stored(const Dataset& dataset, std::size_t elements, std::size_t width) {
    constexpr std::size_t kHarmless = std::size_t{1} << 23;
    // Deflate compresses by a factor of at most 1,032.
    constexpr std::size_t kMostPerByte = 1100;
    width = std::max<std::size_t>(1, width);
    if (elements <= kHarmless / width) return;

    const Handle properties = checked(
        H5Dget_create_plist(dataset.id()),
        [&] { return dataset.where(); },
        "has no readable storage");
    const H5D_layout_t layout = H5Pget_layout(properties.get());
    // Virtual and external datasets store their elements in other files.
    if (layout == H5D_VIRTUAL || H5Pget_external_count(properties.get()) > 0) return;
    const hsize_t stored = H5Dget_storage_size(dataset.id());
    if (stored <= read_file_size(dataset)) {
        if (elements / kMostPerByte <= stored / width) return;
        // Empty chunks are not stored, and other filters compress better than deflate.
        if (layout == H5D_CHUNKED && stored > 0 && elements <= harmless_sparse_bytes() / width)
            return;
    }
    fail(dataset.where(),
         fmt::format("has shape {} and elements of {} bytes, more than its file holds",
                     to_string(dataset.shape()),
                     width),
         "the file may be damaged");
}

}  // namespace

template <typename T>
std::vector<T> Dataset::read() const {
    require_numeric(*this);
    require_stored(*this, size(), sizeof(T));
    std::vector<T> values = allocate<T>(size(), [this] { return where(); });
    if (values.empty()) return values;
    check(
        H5Dread(id(),
                native_type<T>(),
                H5S_ALL,
                H5S_ALL,
                transfer_properties(size() * sizeof(T)),
                values.data()),
        [this] { return where(); },
        "cannot be read");
    return values;
}

template <typename T>
std::vector<T> Dataset::read_rows(std::size_t first, std::size_t count) const {
    require_numeric(*this);
    const Handle file_space = select_rows(*this, first, count);
    if (count == 0 || size() == 0) return {};
    const std::size_t elements = count * (size() / shape_[0]);
    require_stored(*this, elements, sizeof(T));
    std::vector<T> values = allocate<T>(elements, [this] { return where(); });
    const Handle memory_space = make_space(rows_shape(shape_, count), [this] { return where(); });
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
        H5Dread(
            id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, transfer_properties(sizeof(value)), &value),
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
        H5Dread(
            id(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, transfer_properties(sizeof(value)), &value),
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
    require_stored(*this, size(), H5Tget_size(type.get()));
    const Handle space = checked(H5Dget_space(id()), where(), "has no readable shape");
    const auto read = [this](hid_t memory_type, void* buffer) {
        const std::size_t bytes = size() * H5Tget_size(memory_type);
        return H5Dread(id(), memory_type, H5S_ALL, H5S_ALL, transfer_properties(bytes), buffer);
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
    const Handle memory_space =
        make_space(rows_shape(shape_, values.size() / row), [this] { return where(); });
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

namespace {

/// Returns the extents of the chunks.
std::vector<hsize_t> read_chunk_extents(const Dataset& dataset) {
    const auto place = [&] { return dataset.where(); };
    const Handle properties =
        checked(H5Dget_create_plist(dataset.id()), place, "has no readable storage");
    std::vector<hsize_t> chunk(dataset.shape().size());
    check(H5Pget_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data()),
          place,
          "has no chunks");
    return chunk;
}

/// Moves `at` to the next chunk; the last axis changes fastest. Returns false after the last chunk.
bool advance(std::vector<hsize_t>& at, const std::vector<hsize_t>& chunk, const Shape& shape) {
    for (std::size_t axis = at.size(); axis-- > 0;) {
        at[axis] += chunk[axis];
        if (at[axis] < shape[axis]) return true;
        at[axis] = 0;
    }
    return false;
}

}  // namespace

void Dataset::copy_chunks_to_row(std::size_t row, const Dataset& from) {
    if (from.size() == 0) return;
    const auto place = [this] { return where(); };
    const auto place_from = [&from] { return from.where(); };
    std::vector<hsize_t> chunk = read_chunk_extents(from);
    std::vector<hsize_t> row_of_chunk{1};
    row_of_chunk.insert(row_of_chunk.end(), chunk.begin(), chunk.end());
    if (read_chunk_extents(*this) != row_of_chunk)
        fail(where(), "has other chunks than " + from.where());
    std::vector<hsize_t> at(chunk.size(), 0);
    std::vector<std::byte> bytes;
    do {
        std::uint32_t filters = 0;
        haddr_t address = HADDR_UNDEF;
        hsize_t size = 0;
        check(H5Dget_chunk_info_by_coord(from.id(), at.data(), &filters, &address, &size),
              place_from,
              "cannot be read");
        if (address == HADDR_UNDEF || size == 0) continue;
        bytes.resize(size);
        check(H5Dread_chunk(from.id(), H5P_DEFAULT, at.data(), &filters, bytes.data()),
              place_from,
              "cannot be read");
        std::vector<hsize_t> to{row};
        to.insert(to.end(), at.begin(), at.end());
        check(H5Dwrite_chunk(id(), H5P_DEFAULT, filters, to.data(), bytes.size(), bytes.data()),
              place,
              "cannot be written");
    } while (advance(at, chunk, from.shape()));
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
