// SPDX-License-Identifier: MIT
// Attributes of groups and datasets.
#include "scenario/hdf5/object.h"

#include "scenario/hdf5/element_types.h"

#include <fmt/format.h>

namespace helioray::hdf5 {

std::string to_string(const Shape& shape) {
    if (shape.size() == 1) return fmt::format("({},)", shape[0]);
    return fmt::format("({})", fmt::join(shape, ", "));
}

std::size_t num_elements(const Shape& shape) {
    std::size_t product = 1;
    for (const std::size_t extent : shape) product *= extent;
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
        shape = shape_of(space.get(), where);
    }

    std::vector<double> numbers() const {
        require_numeric(kind_of(type.get()), where);
        std::vector<double> values(num_elements(shape));
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

// Creates the attribute anew and writes its elements.
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
    const ElementKind kind = kind_of(attribute.type.get());
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
    return read_string_elements(
        attribute.type.get(), attribute.space.get(), read, attribute.where)[0];
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
