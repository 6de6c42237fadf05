// SPDX-License-Identifier: MIT
// PLY: vertices and polygons as text or binary of either byte order.
#include "scenario/mesh/bytes.h"
#include "scenario/mesh/mesh_file.h"
#include "scenario/mesh/mesh_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

namespace helioray {

namespace {

/// Types of numbers; each has two names.
enum class Type { int8, uint8, int16, uint16, int32, uint32, float32, float64 };
constexpr std::array<std::array<std::string_view, 2>, 8> kTypeNames{{{"char", "int8"},
                                                                     {"uchar", "uint8"},
                                                                     {"short", "int16"},
                                                                     {"ushort", "uint16"},
                                                                     {"int", "int32"},
                                                                     {"uint", "uint32"},
                                                                     {"float", "float32"},
                                                                     {"double", "float64"}}};

std::optional<Type> find_type(std::string_view word) {
    for (std::size_t i = 0; i < kTypeNames.size(); ++i)
        if (word == kTypeNames[i][0] || word == kTypeNames[i][1]) return static_cast<Type>(i);
    return std::nullopt;
}

struct Property {
    std::string name;
    Type type = Type::float32;
    std::optional<Type> count;  ///< type of the length of a list
};

struct Element {
    std::string name;
    std::int64_t count = 0;
    std::vector<Property> properties;
};

enum class Format { text, little, big };

struct Header {
    Format format = Format::text;
    std::vector<Element> elements;
    std::size_t end = 0;    ///< first byte after the header
    std::size_t lines = 0;  ///< number of its lines
};

Header read_header(const std::string& content, const std::string& name) {
    Header header;
    mesh::Lines lines(content, name);
    if (!lines.next() || lines.words()[0] != "ply")
        mesh::fail_at_line(name, 1, "is not 'ply'", "export the file again");
    bool has_format = false;
    for (;;) {
        if (!lines.next()) lines.fail("the file ends before 'end_header'", "export the file again");
        const auto& words = lines.words();
        const auto need = [&](std::size_t count) {
            if (words.size() < count)
                lines.fail(fmt::format("'{}' ends early", words[0]), "export the file again");
        };
        if (words[0] == "end_header") break;
        if (words[0] == "format") {
            need(2);
            has_format = true;
            if (words[1] == "ascii")
                header.format = Format::text;
            else if (words[1] == "binary_little_endian")
                header.format = Format::little;
            else if (words[1] == "binary_big_endian")
                header.format = Format::big;
            else
                lines.fail(fmt::format("'{}' is not a format", words[1]),
                           "valid: ascii, binary_little_endian, binary_big_endian");
        } else if (words[0] == "element") {
            need(3);
            header.elements.push_back({std::string(words[1]), lines.whole(words[2]), {}});
            if (header.elements.back().count < 0)
                lines.fail(fmt::format("'{}' is not a number of elements", words[2]), "");
        } else if (words[0] == "property") {
            need(3);
            if (header.elements.empty()) lines.fail("the property belongs to no element");
            const bool is_list = words[1] == "list";
            need(is_list ? 5 : 3);
            Property property{std::string(words[is_list ? 4 : 2]), Type::float32, std::nullopt};
            const auto type = find_type(words[is_list ? 3 : 1]);
            if (is_list) property.count = find_type(words[2]);
            if (!type || (is_list && !property.count))
                lines.fail(fmt::format("'{}' is not a type of numbers",
                                       !type ? words[is_list ? 3 : 1] : words[2]));
            property.type = *type;
            header.elements.back().properties.push_back(property);
        }
    }
    if (!has_format) lines.fail("the header has no 'format'", "export the file again");
    header.end = lines.end();
    header.lines = lines.number();
    return header;
}

/// Numbers of a text after the header.
class TextNumbers {
  public:
    TextNumbers(const std::string& content, const Header& header, const std::string& name)
        : text_(content.substr(header.end)),
          name_(name),
          lines_(text_, name_),
          skipped_(header.lines) {}

    double next(Type) {
        while (word_ == lines_.words().size()) {
            if (!lines_.next()) fail("the file ends early");
            word_ = 0;
        }
        try {
            return lines_.real(word_++);
        } catch (const std::exception&) {
            fail(fmt::format("'{}' is not a finite number", lines_.words()[word_ - 1]));
        }
    }
    [[noreturn]] void fail(const std::string& what,
                           const std::string& advice = "export the file again") const {
        mesh::fail_at_line(name_, skipped_ + lines_.number(), what, advice);
    }

  private:
    std::string text_;
    std::string name_;
    mesh::Lines lines_;
    std::size_t skipped_;
    std::size_t word_ = 0;
};

/// Numbers of binary content after the header.
class BinaryNumbers {
  public:
    BinaryNumbers(const std::string& content, const Header& header, const std::string& name)
        : content_(content),
          name_(name),
          order_(header.format == Format::big ? std::endian::big : std::endian::little),
          byte_(header.end) {}

    double next(Type type) {
        switch (type) {
            case Type::int8:
                return take<std::int8_t>();
            case Type::uint8:
                return take<std::uint8_t>();
            case Type::int16:
                return take<std::int16_t>();
            case Type::uint16:
                return take<std::uint16_t>();
            case Type::int32:
                return take<std::int32_t>();
            case Type::uint32:
                return take<std::uint32_t>();
            case Type::float32:
                return static_cast<double>(take<float>());
            case Type::float64:
                return take<double>();
        }
        return 0.0;
    }
    [[noreturn]] void fail(const std::string& what,
                           const std::string& advice = "export the file again") const {
        mesh::fail_at_byte(name_, byte_, what, advice);
    }

  private:
    template <typename Number>
    Number take() {
        if (content_.size() - byte_ < sizeof(Number)) fail("the file ends early");
        const auto number = mesh::number_at<Number>(content_, byte_, order_);
        byte_ += sizeof(Number);
        return number;
    }

    const std::string& content_;
    const std::string& name_;
    std::endian order_;
    std::size_t byte_;
};

template <typename Numbers>
std::vector<MeshTriangle> read_elements(const Header& header, Numbers numbers) {
    std::vector<Vec3> vertices;
    std::vector<MeshTriangle> triangles;
    std::vector<std::int64_t> corners;
    for (const Element& element : header.elements) {
        const bool is_vertex = element.name == "vertex";
        const bool is_face = element.name == "face";
        for (std::int64_t i = 0; i < element.count; ++i) {
            Vec3 point{};
            int coordinates = 0;
            bool has_corners = false;
            for (const Property& property : element.properties) {
                if (!property.count) {
                    const double number = numbers.next(property.type);
                    for (std::size_t k = 0; k < 3; ++k) {
                        if (!is_vertex || property.name != std::array{"x", "y", "z"}.at(k))
                            continue;
                        if (!std::isfinite(number))
                            numbers.fail(fmt::format("a coordinate of vertex {} is {}", i, number));
                        point[k] = number;
                        ++coordinates;
                    }
                    continue;
                }
                const double length = numbers.next(*property.count);
                const bool is_polygon = is_face && (property.name == "vertex_indices" ||
                                                    property.name == "vertex_index");
                if (!(length >= 0.0)) numbers.fail(fmt::format("a list has length {}", length));
                corners.clear();
                // Longer lists end with the file.
                const auto entries = static_cast<std::int64_t>(std::ceil(std::min(length, 1e18)));
                for (std::int64_t at = 0; at < entries; ++at) {
                    const double index = numbers.next(property.type);
                    if (!is_polygon) continue;
                    if (!(index >= 0.0 && index < static_cast<double>(vertices.size())))
                        numbers.fail(
                            fmt::format("face {} has vertex {} of {}", i, index, vertices.size()));
                    corners.push_back(static_cast<std::int64_t>(index));
                }
                if (!is_polygon) continue;
                has_corners = true;
                const mesh::Fan fan = mesh::append_fan(corners, vertices, triangles);
                if (fan == mesh::Fan::no_polygon)
                    numbers.fail(fmt::format("face {} has {} corners", i, corners.size()));
                if (fan == mesh::Fan::not_possible)
                    numbers.fail(fmt::format("face {} {}", i, mesh::kNoFan), mesh::kNoFanAdvice);
            }
            if (is_vertex && coordinates != 3) numbers.fail("vertices have no x, y and z");
            if (is_face && !has_corners) numbers.fail("faces have no list 'vertex_indices'");
            if (is_vertex) vertices.push_back(point);
        }
    }
    return triangles;
}

}  // namespace

std::vector<MeshTriangle> parse_ply(const std::string& content, const std::string& name) {
    const Header header = read_header(content, name);
    if (header.format == Format::text)
        return read_elements(header, TextNumbers(content, header, name));
    return read_elements(header, BinaryNumbers(content, header, name));
}

}  // namespace helioray
