// SPDX-License-Identifier: MIT
// Datasets of an HDF5 file: tolerant typed reads, writes of whole arrays or of rows.
#pragma once

#include "scenario/hdf5/object.h"

#include <span>

namespace helioray::hdf5 {

/// What the elements are. Booleans are h5py's enums; they count as numbers too.
enum class ElementKind { integer, floating, boolean, string, other };

/// How a dataset lies in the file.
struct Storage {
    Shape chunk;      ///< extents of a chunk, same rank as the dataset; empty: contiguous
    int deflate = 0;  ///< zlib level 1-9, 0: uncompressed; needs chunks
};

/// An open dataset. `T` of the templates is one of double, float, int64_t, int32_t, uint8_t.
class Dataset : public Object {
  public:
    /// Takes over an open dataset; asks for its shape and type. For use by Group.
    Dataset(Handle handle, std::string file, std::string path);
    /// The same for one whose shape and kind are known.
    Dataset(Handle handle, std::string file, std::string path, Shape shape, ElementKind kind);

    const Shape& shape() const { return shape_; }              ///< extents in the file
    std::size_t size() const { return num_elements(shape_); }  ///< number of elements
    ElementKind kind() const { return kind_; }                 ///< of the elements in the file
    /// True where read() works: numbers and booleans.
    bool is_numeric() const { return kind_ != ElementKind::string && kind_ != ElementKind::other; }

    /// All elements, row-major, converted to T from any numeric or boolean type.
    /// Fails for strings and compounds. Floating-point values read as integers are truncated.
    template <typename T>
    std::vector<T> read() const;
    /// Same, for `count` rows (along the first axis) from row `first` on.
    template <typename T>
    std::vector<T> read_rows(std::size_t first, std::size_t count) const;

    /// One element: shape (), (1,), (1, 1), ...; anything else fails.
    double read_number() const;
    std::int64_t read_integer() const;  ///< also from a floating-point value that is integral
    bool read_boolean() const;          ///< any number: not zero
    std::string read_string() const;    ///< variable or fixed length, ASCII or UTF-8

    /// String elements, row-major.
    std::vector<std::string> read_strings() const;

    /// Overwrites all elements; the span has size() of them.
    template <typename T>
    void write(std::span<const T> values);
    /// Overwrites `values.size() / (elements per row)` rows from row `first` on.
    template <typename T>
    void write_rows(std::size_t first, std::span<const T> values);

  private:
    Shape shape_;
    ElementKind kind_ = ElementKind::other;
};

}  // namespace helioray::hdf5
