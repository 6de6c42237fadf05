// SPDX-License-Identifier: MIT
// HDF5 files: opening to read, creating, and writing a complete file or none; groups, datasets and
// attributes in them.
//
// A small layer over HDF5's C interface (1.10 and later). Identifiers are owned by handles, so
// nothing stays open after its last user; HDF5's own error printing is switched off for the process
// with the first file; every failure is an InputError that names file and path and carries HDF5's
// innermost reason. Not for use from several threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace helioray::hdf5 {

/// HDF5's hid_t, so that no header of ours needs HDF5's.
using Id = std::int64_t;

/// Owns an identifier of any kind (file, group, dataset, type, space, property list, attribute) and
/// closes it with the last owner: copying counts a reference up, the destructor counts it down.
class Handle {
  public:
    Handle() = default;
    /// Takes ownership of an identifier without another owner; a negative one owns nothing.
    explicit Handle(Id id) : id_(id) {}
    Handle(const Handle& other);
    Handle(Handle&& other) noexcept;
    Handle& operator=(Handle other) noexcept;
    ~Handle();

    Id get() const { return id_; }           ///< for calls of HDF5; the ownership stays
    bool valid() const { return id_ >= 0; }  ///< owns an identifier
    /// Gives the ownership up: the caller has to close it.
    Id release();

  private:
    Id id_ = -1;
};

/// Throws InputError{where, what, HDF5's own innermost reason, advice} and clears HDF5's error
/// stack.
[[noreturn]] void fail(const std::string& where,
                       const std::string& what,
                       const std::string& advice = {});

/// Text for a message: as it is, or made only now that it is needed.
template <typename Where>
decltype(auto) place(const Where& where) {
    if constexpr (std::is_invocable_v<Where>) {
        return where();
    } else {
        return (where);
    }
}

/// The identifier as a Handle; fails when it is negative. `where` is a text, or a function that
/// makes one: with many small objects texts nobody reads would cost more than the objects.
template <typename Where>
Handle checked(Id id, const Where& where, const char* what) {
    if (id < 0) fail(place(where), what);
    return Handle(id);
}

/// Fails when an HDF5 status is negative; `where` as above.
template <typename Where>
void check(std::int64_t status, const Where& where, const char* what) {
    if (status < 0) fail(place(where), what);
}

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

    /// Whether there is an attribute of that name, of any type.
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

/// What the elements are. Booleans are h5py's enums; they count as numbers too.
enum class ElementKind { integer, floating, boolean, string, other };

/// How a dataset lies in the file.
struct Storage {
    Shape chunk;      ///< extents of a chunk, same rank as the dataset; empty: contiguous
    int deflate = 0;  ///< zlib level 1-9, 0: uncompressed; needs chunks
    /// Bytes of equal weight lie together before they are compressed: of numbers that differ in
    /// all their digits a sixth less remains, in half of the time.
    bool shuffle = false;
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
    /// Makes all of `from` the row `row`, chunk by chunk as they are compressed; chunks without
    /// contents stay without. Both have the same elements and filters, and a chunk here is one row
    /// of the chunks there.
    void copy_chunks_to_row(std::size_t row, const Dataset& from);

    /// Makes a dataset of one axis the coordinates of others' axes: an HDF5 dimension scale of this
    /// name, as netCDF and xarray look for it.
    void become_scale(const std::string& name);
    /// Says that a scale holds the coordinates along an axis of this dataset.
    void attach_scale(std::size_t axis, const Dataset& scale);

  private:
    Shape shape_;
    ElementKind kind_ = ElementKind::other;
};

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
    /// True when there is a link of that name (along the whole path), regardless of its target.
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
    /// Takes a name away; what it leads to is gone with its last name, and its room is used for
    /// what is written while the file stays open. Fails where there is no such name.
    void remove(const std::string& name);
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
    /// The same with strings of one length, padded with zeros: HDF5 uses their room anew after
    /// remove(), which it does not for those of variable length.
    Dataset write_padded_strings(const std::string& name,
                                 const std::vector<std::string>& values,
                                 const Storage& storage = {});
};

/// An open file.
class File {
  public:
    /// Opens read-only. Says in plain words when the file is missing, not HDF5, or cut off. A child
    /// process reads the file first, once for each state of it, since some damage crashes HDF5.
    static File open(const std::filesystem::path& path);
    /// Opens to read and write; the file must be one that open() accepts.
    static File open_to_change(const std::filesystem::path& path);
    /// Creates a file readable by HDF5 1.8 and later; replaces one that exists.
    static File create(const std::filesystem::path& path);

    Group root() const;                               ///< the group "/"
    const Handle& handle() const { return handle_; }  ///< for calls of HDF5; copies keep it open
    const std::filesystem::path& path() const { return path_; }  ///< as it was given

    /// Flushes and closes; fails when the data cannot be stored (disk full). The destructor closes
    /// too, but silently. Groups and datasets of the file must be gone before.
    void close();

  private:
    File(Handle handle, std::filesystem::path path);

    Handle handle_;
    std::filesystem::path path_;
    std::shared_ptr<const void> mark_;  ///< keeps file_being_read() while any owner lives
};

/// Path of the file that is open for reading, or null once no File owns it any more. For messages
/// after a crash: HDF5's library does not survive every damaged file. Safe in a signal handler.
const char* file_being_read() noexcept;

/// Lets `fill` write into a temporary file beside `path` and renames it when it is complete and
/// closed: `path` is then either the whole new file or untouched, also when `fill` throws.
/// The folder of `path` must exist.
void write_file(const std::filesystem::path& path, const std::function<void(Group root)>& fill);

/// The same, beginning with a copy of the file `from`, which may be `path` itself.
void change_file(const std::filesystem::path& from,
                 const std::filesystem::path& path,
                 const std::function<void(Group root)>& change);

}  // namespace helioray::hdf5
