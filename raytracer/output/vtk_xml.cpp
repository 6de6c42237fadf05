// SPDX-License-Identifier: MIT
// The layout that VTK's file formats document prescribes for inline binary data.
#include "raytracer/output/vtk_xml.h"

#include "raytracer/output/text_encoding.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace helioray::vtk_xml {

namespace {

static_assert(std::endian::native == std::endian::little, "the files say LittleEndian");

// The number of bytes and the bytes, together as base64.
template <typename T>
std::string inline_data(const std::vector<T>& values) {
    const std::uint64_t size = values.size() * sizeof(T);
    std::string bytes(sizeof(size) + size, '\0');
    std::memcpy(bytes.data(), &size, sizeof(size));
    if (size > 0) std::memcpy(bytes.data() + sizeof(size), values.data(), size);
    return base64(bytes);
}

template <typename T>
std::string number_array(const char* type,
                         const std::string& name,
                         const std::vector<T>& values,
                         int components) {
    return fmt::format(
        "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"binary\">{}"
        "</DataArray>\n",
        type,
        markup_text(name),
        components,
        inline_data(values));
}

}  // namespace

std::string file(const std::string& type, const std::string& content) {
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<VTKFile type=\"{0}\" version=\"1.0\" byte_order=\"LittleEndian\" "
        "header_type=\"UInt64\">\n{1}</VTKFile>\n",
        type,
        content);
}

std::string array(const std::string& name, const std::vector<double>& values, int components) {
    return number_array("Float64", name, values, components);
}

std::string array(const std::string& name, const std::vector<std::int64_t>& values) {
    return number_array("Int64", name, values, 1);
}

std::string array(const std::string& name, const std::vector<std::string>& values) {
    // Codes of the characters, a 0 after each string.
    std::string codes;
    for (const std::string& value : values) {
        for (const char c : valid_utf8(value)) {
            codes += fmt::format("{} ", static_cast<int>(static_cast<unsigned char>(c)));
        }
        codes += "0\n";
    }
    return fmt::format(
        "<DataArray type=\"String\" Name=\"{}\" NumberOfComponents=\"1\" NumberOfTuples=\"{}\" "
        "format=\"ascii\">\n{}</DataArray>\n",
        markup_text(name),
        values.size(),
        codes);
}

}  // namespace helioray::vtk_xml
