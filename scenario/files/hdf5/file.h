// SPDX-License-Identifier: MIT
// Opens, creates and writes HDF5 files, with their groups, datasets and attributes. A written file
// is complete or does not exist.
//
// This is a small layer over HDF5's C interface (1.10 and later). Handles own the identifiers, so
// nothing stays open after its last user. Opening the first file switches off HDF5's own error
// printing for the process. Every failure is an InputError that names file and path and contains
// HDF5's innermost reason. The classes are not thread-safe.
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

/// Same type as HDF5's hid_t, so that no header of ours needs HDF5's.
using Id = std::int64_t;

/// Owns an identifier of any kind (file, group, dataset, type, space, property list, attribute) and
/// closes it with the last owner. Copies share the identifier through HDF5's reference count.
class Handle {
  public:
    Handle() = default;
    /// Takes ownership of an identifier that has no other owner. A negative identifier gives an
    /// empty handle.
    explicit Handle(Id id) : id_(id) {}
    Handle(const Handle& other);               ///< Adds an owner
    Handle(Handle&& other) noexcept;           ///< Leaves the other empty
    Handle& operator=(Handle other) noexcept;  ///< Replaces the identifier
    ~Handle();

    /// Identifier for calls of HDF5; the handle keeps the ownership.
    Id get() const { return id_; }
    bool valid() const { return id_ >= 0; }  ///< returns true if the handle owns an identifier
    /// Releases the ownership; the caller has to close the identifier.
    Id release();

  private:
    Id id_ = -1;
};

/// Throws InputError{where, what, HDF5's own innermost reason, advice} and clears HDF5's error
/// stack.
[[noreturn]] void fail(const std::string& where,
                       const std::string& what,
                       const std::string& advice = {});

/// Returns the text of `where` for a message; a function is called only when the text is needed.
template <typename Where>
decltype(auto) place(const Where& where) {
    if constexpr (std::is_invocable_v<Where>) {
        return where();
    } else {
        return (where);
    }
}

/// Returns the identifier as a Handle; throws InputError if it is negative. `where` is a text or a
/// function that returns one: with many small objects, texts that are never read would cost more
/// than the objects.
template <typename Where>
Handle checked(Id id, const Where& where, const char* what) {
    if (id < 0) fail(place(where), what);
    return Handle(id);
}

/// Throws InputError if an HDF5 status is negative; `where` as for checked().
template <typename Where>
void check(std::int64_t status, const Where& where, const char* what) {
    if (status < 0) fail(place(where), what);
}

/// Extents of an array; empty for a scalar.
using Shape = std::vector<std::size_t>;

/// Returns text such as "(2, 4)"; "()" for a scalar.
std::string to_string(const Shape& shape);

/// Returns the product of the extents; 1 for a scalar.
std::size_t num_elements(const Shape& shape);

/// A group or dataset. Copies are cheap: they share the identifier, and keep the file open. Every
/// failure is an InputError whose `where` is "FILE: /path" or "FILE: /path@attribute".
class Object {
  public:
    /// Takes over an open object; `file` and `path` are for messages. For use by File and Group.
    Object(Handle handle, std::string file, std::string path);

    Id id() const { return handle_.get(); }            ///< identifier for calls of HDF5
    const std::string& file() const { return file_; }  ///< file name as the caller wrote it
    const std::string& path() const {
        return path_;
    }                           ///< absolute path in the file; "/" for the root
    std::string where() const;  ///< "FILE: /path"

    /// Returns true if there is an attribute of that name, of any type.
    bool has_attribute(const std::string& name) const;

    /// Reads a numeric attribute of any numeric type or boolean, scalar or with one element.
    double read_attribute_number(const std::string& name) const;
    /// Reads an integer attribute; accepts a floating-point one if its value is integral.
    std::int64_t read_attribute_integer(const std::string& name) const;
    /// Reads a numeric attribute of any shape, row-major.
    std::vector<double> read_attribute_numbers(const std::string& name) const;
    /// Reads a string attribute, variable or fixed length, ASCII or UTF-8.
    std::string read_attribute_string(const std::string& name) const;

    /// @{
    /// Writes an attribute, and replaces one of the same name. Integers are int64, floating-point
    /// numbers float64, booleans h5py's enum {FALSE, TRUE}, strings variable-length UTF-8; vectors
    /// become one-dimensional attributes.
    void write_attribute(const std::string& name, double value);
    void write_attribute(const std::string& name, std::int64_t value);
    void write_attribute(const std::string& name, int value);
    void write_attribute(const std::string& name, bool value);
    void write_attribute(const std::string& name, const std::string& value);
    void write_attribute(const std::string& name, const char* value);
    void write_attribute(const std::string& name, const std::vector<double>& values);
    void write_attribute(const std::string& name, const std::vector<std::int64_t>& values);
    void write_attribute(const std::string& name, const std::vector<std::string>& values);
    /// @}

  private:
    Handle handle_;
    std::string file_;
    std::string path_;
};

/// Kind of the elements. Booleans are h5py's enums; they count as numbers too.
enum class ElementKind { integer, floating, boolean, string, other };

/// Storage layout of a dataset in the file.
struct Storage {
    Shape chunk;      ///< extents of a chunk, with the rank of the dataset; empty: contiguous
    int deflate = 0;  ///< zlib level 1-9, 0: uncompressed; needs chunks
    /// Groups bytes of equal significance before compression. Numbers that differ in all their
    /// digits become a sixth smaller and compress in half of the time.
    bool shuffle = false;
};

/// An open dataset. `T` of the templates is one of double, float, int64_t, int32_t, uint8_t.
class Dataset : public Object {
  public:
    /// Takes over an open dataset and reads its shape and type. For use by Group.
    Dataset(Handle handle, std::string file, std::string path);
    /// Takes over an open dataset whose shape and kind are known.
    Dataset(Handle handle, std::string file, std::string path, Shape shape, ElementKind kind);

    const Shape& shape() const { return shape_; }              ///< extents in the file
    std::size_t size() const { return num_elements(shape_); }  ///< number of elements
    ElementKind kind() const { return kind_; }                 ///< kind of the elements in the file

    /// Returns all elements, row-major, converted to T from any numeric or boolean type. Throws
    /// InputError for strings and compounds. Floating-point values read as integers are truncated.
    template <typename T>
    std::vector<T> read() const;
    /// Reads `count` rows (along the first axis) from row `first` on.
    template <typename T>
    std::vector<T> read_rows(std::size_t first, std::size_t count) const;

    /// Reads one element of a dataset with shape (), (1,), (1, 1), ...; throws InputError for other
    /// shapes.
    double read_number() const;
    std::int64_t read_integer() const;  ///< accepts a floating-point value if it is integral
    bool read_boolean() const;          ///< true for any number but zero
    std::string read_string() const;    ///< variable or fixed length, ASCII or UTF-8

    /// Returns string elements, row-major.
    std::vector<std::string> read_strings() const;

    /// Overwrites all elements; the span has size() of them.
    template <typename T>
    void write(std::span<const T> values);
    /// Overwrites `values.size() / (elements per row)` rows, starting with row `first`.
    template <typename T>
    void write_rows(std::size_t first, std::span<const T> values);
    /// Copies the whole dataset `from` into row `row`, chunk by chunk without decompressing them.
    /// Empty chunks stay empty. Both datasets have the same elements and filters, and a chunk of
    /// this dataset is one row of the chunks of `from`.
    void copy_chunks_to_row(std::size_t row, const Dataset& from);

    /// Makes this dataset of one axis the coordinates of other datasets: an HDF5 dimension scale of
    /// this name, which netCDF and xarray recognise.
    void become_scale(const std::string& name);
    /// Attaches a scale, which holds the coordinates along an axis of this dataset.
    void attach_scale(std::size_t axis, const Dataset& scale);

  private:
    Shape shape_;
    ElementKind kind_ = ElementKind::other;
};

/// A named link in a group.
struct Link {
    std::string name;  ///< name in its group
    /// Address of the object's header in the file, equal for all links to one object; 0 for soft
    /// and external links.
    std::uint64_t address = 0;
};

/// An open group. Names may be relative paths with '/'. Writing creates missing groups on the way.
/// `T` of the templates is one of double, float, int64_t, int32_t, uint8_t.
class Group : public Object {
  public:
    using Object::Object;

    // Reading

    /// Returns the names of the links in this group, sorted byte by byte (the order of h5py and
    /// ARTIST).
    std::vector<std::string> names() const;
    /// Returns the links, in the order of names().
    std::vector<Link> links() const;
    /// Returns true if there is a link of that name along the whole path, regardless of its target.
    bool contains(const std::string& name) const;
    /// Opens a group; throws InputError with the path if it is missing or not a group.
    Group group(const std::string& name) const;
    /// Opens a dataset; throws InputError with the path if it is missing or not a dataset.
    Dataset dataset(const std::string& name) const;

    /// @{
    /// Shorthands for dataset(name).read_...(), with the same conversions and errors.
    double read_number(const std::string& name) const;
    std::int64_t read_integer(const std::string& name) const;
    bool read_boolean(const std::string& name) const;
    std::string read_string(const std::string& name) const;
    std::vector<std::string> read_strings(const std::string& name) const;
    /// @}
    std::vector<double> read_numbers(const std::string& name) const;  ///< any shape, row-major

    /// Returns the address of this group's header in the file. It is unique for each group,
    /// regardless of the link that led to it.
    std::uint64_t address() const;

    /// Returns the absolute path in the file of an object below this group.
    std::string absolute_path(const std::string& name) const;
    /// Returns "FILE: /path/name", for messages about an object below this group.
    std::string where_of(const std::string& name) const;

    // Writing; throws InputError if the name exists already

    /// Opens the group, or creates it if it is missing.
    Group create_group(const std::string& name);
    /// Creates a group; returns nothing if the name is taken.
    std::optional<Group> create_new_group(const std::string& name);
    /// Removes a name. HDF5 deletes the object with its last name, and reuses the space for what is
    /// written while the file stays open. Throws InputError if there is no such name.
    void remove(const std::string& name);
    /// Gives an object of the file a second name in this group (hard link).
    void link(const std::string& name, const Object& existing);
    /// Creates a dataset of zeros, to be written by rows.
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
    /// Creates a one-dimensional dataset from a vector.
    template <typename T>
    Dataset write_array(const std::string& name,
                        const std::vector<T>& values,
                        const Shape& shape,
                        const Storage& storage = {}) {
        return write_array<T>(name, std::span<const T>(values), shape, storage);
    }

    /// @{
    /// Creates scalar datasets. Booleans are h5py's enum {FALSE, TRUE}; strings are variable-length
    /// UTF-8.
    Dataset write_number(const std::string& name, double value);
    Dataset write_integer(const std::string& name, std::int64_t value);
    Dataset write_boolean(const std::string& name, bool value);
    Dataset write_string(const std::string& name, const std::string& value);
    /// @}
    /// Creates a one-dimensional array of strings.
    Dataset write_strings(const std::string& name, const std::vector<std::string>& values);
    /// Creates a one-dimensional array of strings of equal length, padded with zeros. HDF5 reuses
    /// their space after remove(), unlike that of variable-length strings.
    Dataset write_padded_strings(const std::string& name,
                                 const std::vector<std::string>& values,
                                 const Storage& storage = {});
};

/// An open file.
class File {
  public:
    /// Opens a file read-only. Throws InputError if the file is missing, not HDF5, or cut off.
    /// After try_files_first() a child process reads each version of the file first, since some
    /// damage crashes HDF5.
    static File open(const std::filesystem::path& path);
    /// Opens a file to read and write; it must be one that open() accepts.
    static File open_to_change(const std::filesystem::path& path);
    /// Creates a file that HDF5 1.8 and later can read; replaces an existing one.
    static File create(const std::filesystem::path& path);

    Group root() const;  ///< returns the group "/"
    /// Handle for calls of HDF5; copies keep the file open.
    const Handle& handle() const { return handle_; }
    const std::filesystem::path& path() const { return path_; }  ///< path as the caller wrote it

    /// Flushes and closes; throws InputError if the data cannot be stored (disk full). The
    /// destructor closes too, but silently. All groups and datasets of the file must be closed
    /// first.
    void close();

  private:
    File(Handle handle, std::filesystem::path path);

    Handle handle_;
    std::filesystem::path path_;
    std::shared_ptr<const void> mark_;  ///< keeps file_being_read() set while any owner lives
};

/// Returns the path of the file that is open for reading, or null if no File owns it any more.
/// Signal handlers may call it: they name the file after a crash, since HDF5's library does not
/// survive every damaged file.
const char* file_being_read() noexcept;

/// Lets `fill` write into a temporary file beside `path` and renames it when it is complete and
/// closed: `path` is then either the whole new file or untouched, also when `fill` throws.
/// The folder of `path` must exist.
void write_file(const std::filesystem::path& path, const std::function<void(Group root)>& fill);

/// Writes a changed copy of the file `from`, which may be `path` itself, in the same way as
/// write_file().
void change_file(const std::filesystem::path& from,
                 const std::filesystem::path& path,
                 const std::function<void(Group root)>& change);

}  // namespace helioray::hdf5
