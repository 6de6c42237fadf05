// SPDX-License-Identifier: MIT
// HDF5 element types: classification, text and shapes.
#include "scenario/hdf5/element_types.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstring>

namespace helioray::hdf5 {

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

ElementKind kind_of(hid_t type) {
    switch (H5Tget_class(type)) {
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
    std::vector<char*> pointers(count, nullptr);
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
    std::vector<char> buffer(width * count);
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

std::vector<std::string> read_string_elements(hid_t file_type,
                                              hid_t space,
                                              const std::function<herr_t(hid_t, void*)>& read,
                                              const std::string& where) {
    const ElementKind kind = kind_of(file_type);
    if (kind != ElementKind::string) fail(where, fmt::format("holds {}, not text", describe(kind)));
    const std::size_t count = num_elements(shape_of(space, where));
    if (count == 0) return {};
    // HDF5 refuses to convert between character sets, so memory takes the file's own type.
    const Handle type = checked(H5Tcopy(file_type), where, "has no readable type");
    return H5Tis_variable_str(type.get()) > 0
               ? read_variable_strings(type.get(), space, count, read, where)
               : read_fixed_strings(type.get(), count, read, where);
}

void require_single(std::size_t size, const Shape& shape, const std::string& where) {
    if (size == 1) return;
    fail(where, fmt::format("has shape {}, a single value was expected", to_string(shape)));
}

void require_numeric(ElementKind kind, const std::string& where) {
    if (kind != ElementKind::string && kind != ElementKind::other) return;
    fail(where, fmt::format("holds {}, not numbers", describe(kind)));
}

std::int64_t integral(double value, const std::string& where) {
    if (std::abs(value) <= 9e15 && value == std::round(value)) {
        return static_cast<std::int64_t>(value);
    }
    fail(where, fmt::format("{} is not an integer", value));
}

}  // namespace helioray::hdf5
