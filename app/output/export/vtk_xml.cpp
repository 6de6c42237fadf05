// SPDX-License-Identifier: MIT
// Writes the syntax of VTK's XML files.
#include "app/output/export/vtk_xml.h"

#include "scenario/files/text_encoding.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace helioray {

namespace {

// The XML is written by hand: a document library would store every array once more as text, and
// would only save the escaping of names.

static_assert(std::endian::native == std::endian::little, "the files say LittleEndian");

// Returns the number of bytes and the bytes, together as base64.
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
    std::string array = fmt::format(
        "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"binary\">",
        type,
        markup_text(name),
        components);
    array += inline_data(values);
    return array += "</DataArray>\n";
}

}  // namespace

// Large texts are joined without fmt, whose buffer would contain them once more.
std::string vtk_file(const std::string& type, const std::string& content) {
    std::string file = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<VTKFile type=\"{0}\" version=\"1.0\" byte_order=\"LittleEndian\" "
        "header_type=\"UInt64\">\n",
        type);
    const std::string end = "</VTKFile>\n";
    file.reserve(file.size() + content.size() + end.size());
    file += content;
    return file += end;
}

std::string data_array(const std::string& name, const std::vector<double>& values, int components) {
    return number_array("Float64", name, values, components);
}

std::string data_array(const std::string& name, const std::vector<std::int64_t>& values) {
    return number_array("Int64", name, values, 1);
}

std::string data_array(const std::string& name, const std::vector<std::string>& values) {
    // VTK stores strings as character codes, with a 0 after each string.
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

std::string poly_data_file(const PolyData& data,
                           const std::string& kind,
                           const std::string& scalars,
                           const std::string& cell_data) {
    std::string content =
        fmt::format("<PolyData>\n<Piece NumberOfPoints=\"{}\"", data.points.size() / 3);
    for (const char* other : {"Verts", "Lines", "Strips", "Polys"})
        content +=
            fmt::format(" NumberOf{}=\"{}\"", other, kind == other ? data.offsets.size() : 0);
    content += fmt::format(">\n<CellData Scalars=\"{}\">\n", scalars);
    content += cell_data;
    content += "</CellData>\n<Points>\n";
    content += data_array("points", data.points, 3);
    content += "</Points>\n<" + kind + ">\n";
    content += data_array("connectivity", data.connectivity);
    content += data_array("offsets", data.offsets);
    content += "</" + kind + ">\n</Piece>\n</PolyData>\n";
    return vtk_file("PolyData", content);
}

}  // namespace helioray
