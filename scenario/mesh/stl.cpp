// SPDX-License-Identifier: MIT
// STL: triangles as text or binary.
#include "scenario/mesh/bytes.h"
#include "scenario/mesh/mesh_file.h"
#include "scenario/mesh/mesh_text.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

namespace helioray {

namespace {

constexpr std::size_t kHeader = 84;    // a comment of 80 bytes, then the number of triangles
constexpr std::size_t kTriangle = 50;  // normal, three corners, two bytes of attributes

std::vector<MeshTriangle> parse_binary(const std::string& content,
                                       std::size_t count,
                                       const std::string& name) {
    std::vector<MeshTriangle> triangles(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t begin = kHeader + kTriangle * i + 3 * sizeof(float);
        for (std::size_t corner = 0; corner < 3; ++corner) {
            for (std::size_t k = 0; k < 3; ++k) {
                const std::size_t byte = begin + (3 * corner + k) * sizeof(float);
                const auto x = mesh::number_at<float>(content, byte, std::endian::little);
                if (!std::isfinite(x))
                    mesh::fail_at_byte(name,
                                       byte,
                                       fmt::format("a coordinate of triangle {} is {}", i, x),
                                       "export the file again");
                triangles[i][corner][k] = static_cast<double>(x);
            }
        }
    }
    return triangles;
}

std::vector<MeshTriangle> parse_text(const std::string& content, const std::string& name) {
    mesh::Lines lines(content, name);
    const auto expect = [&](const char* first, const char* second) {
        if (!lines.next())
            lines.fail(fmt::format("the file ends before '{}'", first), "export the file again");
        const auto& words = lines.words();
        const bool is_it =
            mesh::equal_words(words[0], first) &&
            (second[0] == 0 || (words.size() > 1 && mesh::equal_words(words[1], second)));
        if (!is_it)
            lines.fail(
                fmt::format(
                    "'{}' is not '{}{}{}'", words[0], first, second[0] == 0 ? "" : " ", second),
                "export the file again");
    };
    std::vector<MeshTriangle> triangles;
    while (lines.next()) {
        const auto& words = lines.words();
        if (mesh::equal_words(words[0], "solid") || mesh::equal_words(words[0], "endsolid"))
            continue;
        if (!mesh::equal_words(words[0], "facet"))
            lines.fail(fmt::format("'{}' is not 'facet'", words[0]), "export the file again");
        expect("outer", "loop");
        MeshTriangle triangle;
        for (Vec3& corner : triangle) {
            expect("vertex", "");
            corner = lines.point(1);
        }
        expect("endloop", "");
        expect("endfacet", "");
        triangles.push_back(triangle);
    }
    return triangles;
}

}  // namespace

std::vector<MeshTriangle> parse_stl(const std::string& content, const std::string& name) {
    // The comment of binary files may begin with "solid", too, so their size decides.
    std::size_t count = 0;
    if (content.size() >= kHeader) {
        count = mesh::number_at<std::uint32_t>(content, kHeader - 4, std::endian::little);
        if (content.size() == kHeader + kTriangle * count)
            return parse_binary(content, count, name);
    }
    const std::size_t begin = content.find_first_not_of(" \t\r\n");
    const bool is_text = begin != std::string::npos && content.size() >= begin + 5 &&
                         mesh::equal_words(std::string_view(content).substr(begin, 5), "solid") &&
                         content.find('\0') == std::string::npos;
    if (is_text) return parse_text(content, name);
    if (content.size() < kHeader)
        mesh::fail_at_byte(name,
                           content.size(),
                           "the file ends before the number of triangles",
                           "export the file again");
    mesh::fail_at_byte(name,
                       content.size(),
                       fmt::format("the file has {} bytes, {} triangles need {}",
                                   content.size(),
                                   count,
                                   kHeader + kTriangle * count),
                       "export the file again");
}

}  // namespace helioray
