// SPDX-License-Identifier: MIT
// What groups and datasets of an HDF5 file have in common: a place in the file and attributes.
#pragma once

#include "scenario/hdf5/handle.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace helioray::hdf5 {

/// Extents of an array; empty for a scalar.
using Shape = std::vector<std::size_t>;

/// "(2, 4)"; "()" for a scalar.
std::string to_string(const Shape& shape);

/// Product of the extents; 1 for a scalar.
std::size_t num_elements(const Shape& shape);

/// A group or dataset. Cheap to copy (copies share the identifier); keeps its file open.
/// Every failure is an InputError whose `where` is "FILE: /path" or "FILE: /path@attribute".
class Object {
  public:
    /// Takes over an open object; file and path are for messages. For use by File and Group.
    Object(Handle handle, std::string file, std::string path);

    Id id() const { return handle_.get(); }            ///< for calls of HDF5
    const std::string& file() const { return file_; }  ///< file name as it was given
    const std::string& path() const {
        return path_;
    }                           ///< absolute path in the file; "/" for the root
    std::string where() const;  ///< "FILE: /path"

    /// Whether there is an attribute of that name, of whatever type.
    bool has_attribute(const std::string& name) const;

    /// Numeric attribute of any numeric type or boolean, scalar or with one element.
    double read_attribute_number(const std::string& name) const;
    /// Integer attribute; a floating-point one is accepted when its value is integral.
    std::int64_t read_attribute_integer(const std::string& name) const;
    /// Numeric attribute of any shape, row-major.
    std::vector<double> read_attribute_numbers(const std::string& name) const;
    /// String attribute, variable or fixed length, ASCII or UTF-8.
    std::string read_attribute_string(const std::string& name) const;

    /// Writing replaces an attribute of the same name. Integers are int64, floating-point numbers
    /// float64, booleans h5py's enum {FALSE, TRUE}, strings variable-length UTF-8; vectors give
    /// one-dimensional attributes.
    void write_attribute(const std::string& name, double value);
    void write_attribute(const std::string& name, std::int64_t value);
    void write_attribute(const std::string& name, int value);
    void write_attribute(const std::string& name, bool value);
    void write_attribute(const std::string& name, const std::string& value);
    void write_attribute(const std::string& name, const char* value);
    void write_attribute(const std::string& name, const std::vector<double>& values);
    void write_attribute(const std::string& name, const std::vector<std::int64_t>& values);
    void write_attribute(const std::string& name, const std::vector<std::string>& values);

  private:
    Handle handle_;
    std::string file_;
    std::string path_;
};

}  // namespace helioray::hdf5
