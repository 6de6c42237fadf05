// SPDX-License-Identifier: MIT
// Groups of an HDF5 file: listing, opening and creating what is below them.
#pragma once

#include "scenario/hdf5/dataset.h"

#include <optional>

namespace helioray::hdf5 {

/// A name in a group.
struct Link {
    std::string name;  ///< in its group
    /// Where the object's header lies in the file, equal for all links to one object; 0 for soft
    /// and external links.
    std::uint64_t address = 0;
};

/// An open group. Names may be relative paths with '/'; missing groups on the way are created when
/// writing. `T` of the templates is one of double, float, int64_t, int32_t, uint8_t.
class Group : public Object {
  public:
    using Object::Object;

    // Reading

    /// Names of the links in this group, sorted byte by byte (h5py's and ARTIST's order).
    std::vector<std::string> names() const;
    /// The links themselves, in the same order.
    std::vector<Link> links() const;
    /// True when there is a link of that name (along the whole path), whatever it leads to.
    bool contains(const std::string& name) const;
    /// Opens; fails naming the path when it is missing or something else.
    Group group(const std::string& name) const;
    /// The same for a dataset.
    Dataset dataset(const std::string& name) const;

    /// Shorthands for dataset(name).read_...(), with its conversions and errors.
    double read_number(const std::string& name) const;
    std::int64_t read_integer(const std::string& name) const;
    bool read_boolean(const std::string& name) const;
    std::string read_string(const std::string& name) const;
    std::vector<std::string> read_strings(const std::string& name) const;
    std::vector<double> read_numbers(const std::string& name) const;  ///< any shape, row-major

    /// Where this group's header lies in the file: another place for every group, whatever link
    /// led to it.
    std::uint64_t address() const;

    /// Absolute path in the file of something below this group.
    std::string path_of(const std::string& name) const;
    /// "FILE: /path/name", for messages about something below this group.
    std::string where_of(const std::string& name) const;

    // Writing; a name that exists already fails

    /// Opens the group or creates it.
    Group create_group(const std::string& name);
    /// The same; nothing where the name is taken.
    std::optional<Group> create_new_group(const std::string& name);
    /// Gives an object of the file a second name here (hard link): readers see the same contents.
    void link(const std::string& name, const Object& existing);
    /// Creates a dataset and leaves its elements 0, to be written by rows.
    template <typename T>
    Dataset create_dataset(const std::string& name,
                           const Shape& shape,
                           const Storage& storage = {});
    /// Creates a dataset and writes it; `values` are row-major and fill the shape.
    template <typename T>
    Dataset write_array(const std::string& name,
                        std::span<const T> values,
                        const Shape& shape,
                        const Storage& storage = {});
    /// The same for a vector.
    template <typename T>
    Dataset write_array(const std::string& name,
                        const std::vector<T>& values,
                        const Shape& shape,
                        const Storage& storage = {}) {
        return write_array<T>(name, std::span<const T>(values), shape, storage);
    }

    /// Scalars. Booleans are h5py's enum {FALSE, TRUE}; strings are variable-length UTF-8.
    Dataset write_number(const std::string& name, double value);
    Dataset write_integer(const std::string& name, std::int64_t value);
    Dataset write_boolean(const std::string& name, bool value);
    Dataset write_string(const std::string& name, const std::string& value);
    /// One-dimensional array of strings.
    Dataset write_strings(const std::string& name, const std::vector<std::string>& values);
};

}  // namespace helioray::hdf5
