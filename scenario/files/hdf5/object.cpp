// SPDX-License-Identifier: MIT
// Identifiers, element types and attributes, which groups and datasets share.
#include "scenario/files/error.h"
#include "scenario/files/hdf5/element_types.h"
#include "scenario/files/hdf5/file.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace helioray::hdf5 {

static_assert(std::is_same_v<Id, hid_t> || sizeof(Id) == sizeof(hid_t), "hid_t has 64 bits");

Handle::Handle(const Handle& other) : id_(other.id_) {
    if (valid()) H5Iinc_ref(id_);
}

Handle::Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)) {}

Handle& Handle::operator=(Handle other) noexcept {
    std::swap(id_, other.id_);
    return *this;
}

Handle::~Handle() {
    if (valid()) H5Idec_ref(id_);
}

Id Handle::release() {
    return std::exchange(id_, -1);
}

namespace {

// Keeps the first entry: walking upwards, this is the innermost one.
herr_t keep_innermost(unsigned index, const H5E_error2_t* entry, void* text) {
    if (index == 0 && entry->desc) *static_cast<std::string*>(text) = entry->desc;
    return 0;
}

std::string innermost_reason() {
    std::string text;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, &text);
    H5Eclear2(H5E_DEFAULT);
    return text.empty() ? text : "HDF5: " + text;
}

}  // namespace

void fail(const std::string& where, const std::string& what, const std::string& advice) {
    throw InputError(Problem{where, what, innermost_reason(), advice});
}

Handle utf8_string_type() {
    Handle type(H5Tcopy(H5T_C_S1));
    H5Tset_size(type.get(), H5T_VARIABLE);
    H5Tset_cset(type.get(), H5T_CSET_UTF8);
    return type;
}

Handle boolean_type() {
    Handle type(H5Tenum_create(H5T_STD_I8LE));
    for (const std::int8_t value : {std::int8_t{0}, std::int8_t{1}}) {
        H5Tenum_insert(type.get(), value ? "TRUE" : "FALSE", &value);
    }
    return type;
}

ElementKind element_kind(hid_t type) {
    const H5T_class_t type_class = H5Tget_class(type);
    // A damaged file can claim numbers of gigabytes, for which HDF5 would allocate memory.
    constexpr std::size_t kLargestNumber = 16;
    if (type_class != H5T_STRING && H5Tget_size(type) > kLargestNumber) return ElementKind::other;
    switch (type_class) {
        case H5T_INTEGER:
            return ElementKind::integer;
        case H5T_FLOAT:
            return ElementKind::floating;
        case H5T_ENUM:
            return ElementKind::boolean;
        case H5T_STRING:
            return ElementKind::string;
        default:
            return ElementKind::other;
    }
}

const char* describe(ElementKind kind) {
    switch (kind) {
        case ElementKind::integer:
            return "integers";
        case ElementKind::floating:
            return "floating-point numbers";
        case ElementKind::boolean:
            return "booleans";
        case ElementKind::string:
            return "text";
        case ElementKind::other:
            break;
    }
    return "elements of an unsupported type";
}

namespace {

std::vector<std::string> read_variable_strings(hid_t type,
                                               hid_t space,
                                               std::size_t count,
                                               const std::function<herr_t(hid_t, void*)>& read,
                                               const std::string& where) {
    std::vector<char*> pointers = allocate<char*>(count, where);
    check(read(type, static_cast<void*>(pointers.data())), where, "cannot read the text");
    std::vector<std::string> strings;
    strings.reserve(count);
    for (const char* pointer : pointers) strings.emplace_back(pointer ? pointer : "");
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, static_cast<void*>(pointers.data()));
    return strings;
}

std::vector<std::string> read_fixed_strings(hid_t type,
                                            std::size_t count,
                                            const std::function<herr_t(hid_t, void*)>& read,
                                            const std::string& where) {
    const std::size_t width = H5Tget_size(type);
    std::size_t size = 0;
    if (__builtin_mul_overflow(width, count, &size)) fail_to_fit(count, where);
    std::vector<char> buffer = allocate<char>(size, where);
    check(read(type, buffer.data()), where, "cannot read the text");
    const bool space_padded = H5Tget_strpad(type) == H5T_STR_SPACEPAD;
    std::vector<std::string> strings;
    strings.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const char* begin = buffer.data() + i * width;
        std::string text(begin, strnlen(begin, width));
        if (space_padded) text.erase(text.find_last_not_of(' ') + 1);
        strings.push_back(std::move(text));
    }
    return strings;
}

}  // namespace

std::vector<std::string> read_string_elements(hid_t object,
                                              hid_t file_type,
                                              hid_t space,
                                              const std::function<herr_t(hid_t, void*)>& read,
                                              const std::string& where) {
    const ElementKind kind = element_kind(file_type);
    if (kind != ElementKind::string) fail(where, fmt::format("holds {}, not text", describe(kind)));
    const std::size_t count = num_elements(read_shape(space, where));
    if (count == 0) return {};
    // HDF5 does not convert between character sets, so the memory type is the file's own type.
    const Handle type = checked(H5Tcopy(file_type), where, "has no readable type");
    if (H5Tis_variable_str(type.get()) <= 0)
        return read_fixed_strings(type.get(), count, read, where);
    if (auto strings = read_heap_text(object, count, read, where)) return std::move(*strings);
    return read_variable_strings(type.get(), space, count, read, where);
}

hid_t transfer_properties(std::size_t bytes) {
    constexpr std::size_t kSmall = 4096;
    static const Id small = [] {
        const Id list = H5Pcreate(H5P_DATASET_XFER);
        H5Pset_buffer(list, kSmall, nullptr, nullptr);
        return list;
    }();
    return bytes <= kSmall ? small : H5P_DEFAULT;
}

void fail_to_fit(std::size_t count, const std::string& where) {
    fail(where,
         fmt::format("has {} elements, more than fit into memory", count),
         "the file may be damaged");
}

void require_single(std::size_t size, const Shape& shape, const std::string& where) {
    if (size == 1) return;
    fail(where, fmt::format("has shape {}, a single value was expected", to_string(shape)));
}

std::int64_t integral(double value, const std::string& where) {
    if (std::abs(value) <= 9e15 && value == std::round(value)) {
        return static_cast<std::int64_t>(value);
    }
    fail(where, fmt::format("{} is not an integer", value));
}

std::string to_string(const Shape& shape) {
    if (shape.size() == 1) return fmt::format("({},)", shape[0]);
    return fmt::format("({})", fmt::join(shape, ", "));
}

std::size_t num_elements(const Shape& shape) {
    // A damaged file can claim any extents.
    std::size_t product = 1;
    for (const std::size_t extent : shape) {
        if (__builtin_mul_overflow(product, extent, &product)) {
            return std::numeric_limits<std::size_t>::max();
        }
    }
    return product;
}

Object::Object(Handle handle, std::string file, std::string path)
    : handle_(std::move(handle)), file_(std::move(file)), path_(std::move(path)) {}

std::string Object::where() const {
    return file_ + ": " + path_;
}

bool Object::has_attribute(const std::string& name) const {
    return H5Aexists(id(), name.c_str()) > 0;
}

namespace {

// An attribute opened for reading.
struct OpenAttribute {
    OpenAttribute(const Object& object, const std::string& name)
        : where(object.where() + "@" + name) {
        if (!object.has_attribute(name)) fail(where, "is missing");
        handle =
            checked(H5Aopen(object.id(), name.c_str(), H5P_DEFAULT), where, "cannot be opened");
        type = checked(H5Aget_type(handle.get()), where, "has no readable type");
        space = checked(H5Aget_space(handle.get()), where, "has no readable shape");
        shape = read_shape(space.get(), where);
    }

    std::vector<double> numbers() const {
        require_numeric(element_kind(type.get()), where);
        std::vector<double> values = allocate<double>(num_elements(shape), where);
        if (values.empty()) return values;
        check(H5Aread(handle.get(), H5T_NATIVE_DOUBLE, values.data()), where, "cannot be read");
        return values;
    }

    std::string where;
    Handle handle;
    Handle type;
    Handle space;
    Shape shape;
};

// Replaces the attribute and writes its elements.
void write(const Object& object,
           const std::string& name,
           hid_t file_type,
           hid_t memory_type,
           const Shape& shape,
           const void* values) {
    const std::string where = object.where() + "@" + name;
    if (object.has_attribute(name)) {
        check(H5Adelete(object.id(), name.c_str()), where, "cannot be replaced");
    }
    const Handle space = make_space(shape, where);
    const Handle attribute = checked(
        H5Acreate2(object.id(), name.c_str(), file_type, space.get(), H5P_DEFAULT, H5P_DEFAULT),
        where,
        "cannot be created");
    check(H5Awrite(attribute.get(), memory_type, values), where, "cannot be written");
}

}  // namespace

double Object::read_attribute_number(const std::string& name) const {
    const OpenAttribute attribute(*this, name);
    const std::vector<double> values = attribute.numbers();
    require_single(values.size(), attribute.shape, attribute.where);
    return values[0];
}

std::int64_t Object::read_attribute_integer(const std::string& name) const {
    const OpenAttribute attribute(*this, name);
    const ElementKind kind = element_kind(attribute.type.get());
    require_numeric(kind, attribute.where);
    require_single(num_elements(attribute.shape), attribute.shape, attribute.where);
    if (kind == ElementKind::floating) return integral(attribute.numbers()[0], attribute.where);
    std::int64_t value = 0;
    check(H5Aread(attribute.handle.get(), H5T_NATIVE_INT64, &value),
          attribute.where,
          "cannot be read");
    return value;
}

std::vector<double> Object::read_attribute_numbers(const std::string& name) const {
    return OpenAttribute(*this, name).numbers();
}

std::string Object::read_attribute_string(const std::string& name) const {
    const OpenAttribute attribute(*this, name);
    require_single(num_elements(attribute.shape), attribute.shape, attribute.where);
    const auto read = [&](hid_t type, void* buffer) {
        return H5Aread(attribute.handle.get(), type, buffer);
    };
    return read_string_elements(attribute.handle.get(),
                                attribute.type.get(),
                                attribute.space.get(),
                                read,
                                attribute.where)[0];
}

void Object::write_attribute(const std::string& name, double value) {
    write(*this, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {}, &value);
}

void Object::write_attribute(const std::string& name, std::int64_t value) {
    write(*this, name, H5T_STD_I64LE, H5T_NATIVE_INT64, {}, &value);
}

void Object::write_attribute(const std::string& name, int value) {
    write_attribute(name, std::int64_t{value});
}

void Object::write_attribute(const std::string& name, bool value) {
    const Handle type = boolean_type();
    const signed char element = value ? 1 : 0;
    write(*this, name, type.get(), type.get(), {}, &element);
}

void Object::write_attribute(const std::string& name, const std::string& value) {
    const Handle type = utf8_string_type();
    const char* pointer = value.c_str();
    write(*this, name, type.get(), type.get(), {}, static_cast<const void*>(&pointer));
}

void Object::write_attribute(const std::string& name, const char* value) {
    write_attribute(name, std::string(value));
}

void Object::write_attribute(const std::string& name, const std::vector<double>& values) {
    write(*this, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {values.size()}, values.data());
}

void Object::write_attribute(const std::string& name, const std::vector<std::int64_t>& values) {
    write(*this, name, H5T_STD_I64LE, H5T_NATIVE_INT64, {values.size()}, values.data());
}

void Object::write_attribute(const std::string& name, const std::vector<std::string>& values) {
    const Handle type = utf8_string_type();
    std::vector<const char*> pointers;
    for (const std::string& value : values) pointers.push_back(value.c_str());
    write(*this,
          name,
          type.get(),
          type.get(),
          {values.size()},
          static_cast<const void*>(pointers.data()));
}

}  // namespace helioray::hdf5
