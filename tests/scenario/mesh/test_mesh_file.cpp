// SPDX-License-Identifier: MIT
// Triangle meshes of STL, OBJ and PLY: the same body in every format, and damaged files.
#include "scenario/files/error.h"
#include "scenario/mesh/mesh_file.h"
#include "tests/scenario/temporary_folder.h"
#include "tests/support/catch2.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>

using namespace helioray;

namespace {

const std::vector<Vec3> kCorners{{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 4}};
const std::vector<std::array<size_t, 3>> kFaces{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

/// A tetrahedron.
std::vector<MeshTriangle> body() {
    std::vector<MeshTriangle> triangles;
    for (const auto& face : kFaces)
        triangles.push_back({kCorners[face[0]], kCorners[face[1]], kCorners[face[2]]});
    return triangles;
}

template <typename Number>
std::string bytes_of(Number number, std::endian order = std::endian::little) {
    std::string bytes(sizeof(Number), '\0');
    std::memcpy(bytes.data(), &number, sizeof(Number));
    if (order != std::endian::native) std::reverse(bytes.begin(), bytes.end());
    return bytes;
}

std::string binary_stl() {
    // The comment begins like a text file.
    std::string content = "solid";
    content.resize(80, ' ');
    content += bytes_of(static_cast<uint32_t>(kFaces.size()));
    for (const MeshTriangle& triangle : body()) {
        content += std::string(12, '\0');
        for (const Vec3& corner : triangle)
            for (const double x : corner) content += bytes_of(static_cast<float>(x));
        content += std::string(2, '\0');
    }
    return content;
}

std::string text_stl() {
    std::string content = "solid body\r\n";
    for (const MeshTriangle& triangle : body()) {
        content += "  facet normal 0 0 0\n    OUTER loop\n\n";
        for (const Vec3& corner : triangle)
            content += fmt::format("      vertex {} {:e} +{}\n", corner[0], corner[1], corner[2]);
        content += "    endloop\n  endfacet\n";
    }
    return content + "endsolid body\n";
}

std::string obj() {
    std::string content = "# body\nmtllib a.mtl\no body\n";
    for (const Vec3& corner : kCorners)
        content += fmt::format("v {} {} {} 1.0\n", corner[0], corner[1], corner[2]);
    content +=
        "vn 0 0 1\nf 1 3 2\nf 1/1 2/1 4/1\ns off\nf -4//1 -1//1 \\\n -2//1\nf 2/1/1 3/1/1 4/1/1\n";
    return content;
}

std::string ply(const std::string& format) {
    std::string content = "ply\nformat " + format +
                          " 1.0\ncomment body\nelement vertex 4\nproperty double x\n"
                          "property uchar red\nproperty float y\nproperty float32 z\n"
                          "element face 4\nproperty list uchar int vertex_indices\n"
                          "property list uint8 short edges\nelement extra 1\nproperty int a\n"
                          "end_header\n";
    if (format == "ascii") {
        for (const Vec3& corner : kCorners)
            content += fmt::format("{} 255 {} {}\n", corner[0], corner[1], corner[2]);
        for (const auto& face : kFaces)
            content += fmt::format("3 {} {} {} 1 -7\n", face[0], face[1], face[2]);
        return content + "5\n";
    }
    const auto order = format == "binary_big_endian" ? std::endian::big : std::endian::little;
    for (const Vec3& corner : kCorners)
        content += bytes_of(corner[0], order) + "\xff" +
                   bytes_of(static_cast<float>(corner[1]), order) +
                   bytes_of(static_cast<float>(corner[2]), order);
    for (const auto& face : kFaces) {
        content += '\3';
        for (const size_t corner : face) content += bytes_of(static_cast<int32_t>(corner), order);
        content += '\1' + bytes_of(int16_t{-7}, order);
    }
    return content + bytes_of(int32_t{5}, order);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("mesh files: every format has the same triangles") {
    CHECK(parse_stl(binary_stl(), "a.stl") == body());
    CHECK(parse_stl(text_stl(), "a.stl") == body());
    CHECK(parse_obj(obj(), "a.obj") == body());
    for (const char* format : {"ascii", "binary_little_endian", "binary_big_endian"}) {
        INFO(format);
        CHECK(parse_ply(ply(format), "a.ply") == body());
    }
}

TEST_CASE("mesh files: polygons become fans, and units are converted") {
    const test::TemporaryFolder folder;
    std::ofstream(folder / "a.OBJ") << "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
    const std::vector<MeshTriangle> triangles = read_mesh(folder / "a.OBJ", 1e-3);
    REQUIRE(triangles.size() == 2);
    CHECK(triangles[1] == MeshTriangle{{{0, 0, 0}, {1e-3, 1e-3, 0}, {0, 1e-3, 0}}});
    std::ofstream(folder / "b.obj") << "v 0 0 0\n";
    CHECK_THROWS_WITH(read_mesh(folder / "b.obj", 1.0), ContainsSubstring("has no triangle"));
    CHECK_THROWS_WITH(read_mesh(folder / "c.obj", 1.0), ContainsSubstring("cannot be read"));
    CHECK_THROWS_WITH(read_mesh(folder / "a.step", 1.0), ContainsSubstring("is not a mesh"));
}

TEST_CASE("mesh files: concave polygons become triangles within them, or are refused") {
    // An arrowhead, whose fourth corner is the notch.
    const std::vector<MeshTriangle> arrow =
        parse_obj("v 0 0 0\nv 2 0 0\nv 2 2 0\nv 1 0.5 0\nv 0 2 0\nf 1 2 3 4 5\n", "a.obj");
    REQUIRE(arrow.size() == 3);
    double area = 0.0;
    for (const MeshTriangle& t : arrow) {
        const double turn =
            (t[1][0] - t[0][0]) * (t[2][1] - t[0][1]) - (t[1][1] - t[0][1]) * (t[2][0] - t[0][0]);
        CHECK(turn > 0.0);
        area += 0.5 * turn;
    }
    CHECK(area == Approx(2.5));
    // A comb of two notches has no corner that sees all of it.
    const std::string comb = "v 0 0 0\nv 4 0 0\nv 4 2 0\nv 3 0.1 0\nv 2 2 0\nv 1 0.1 0\nv 0 2 0\n";
    CHECK_THROWS_WITH(parse_obj(comb + "f 1 2 3 4 5 6 7\n", "a.obj"),
                      ContainsSubstring("a.obj:8: the face is too concave"));
    CHECK_THROWS_WITH(
        parse_ply("ply\nformat ascii 1.0\nelement vertex 7\nproperty float x\nproperty float y\n"
                  "property float z\nelement face 1\nproperty list uchar int vertex_indices\n"
                  "end_header\n0 0 0\n4 0 0\n4 2 0\n3 0.1 0\n2 2 0\n1 0.1 0\n0 2 0\n"
                  "7 0 1 2 3 4 5 6\n",
                  "a.ply"),
        ContainsSubstring("face 0 is too concave"));
    // Corners on one line and polygons without area stay.
    CHECK(parse_obj("v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nf 1 2 3 4\n", "a.obj").size() == 2);
    CHECK(parse_obj("v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nf 1 2 3 4\n", "a.obj").size() == 2);
}

TEST_CASE("mesh files: damage is reported with its place") {
    struct Case {
        std::function<std::vector<MeshTriangle>()> read;
        const char* what;
    };
    const auto stl = [](const std::string& content) {
        return [content] { return parse_stl(content, "a.stl"); };
    };
    const auto text = [](const std::string& content) {
        return [content] { return parse_obj(content, "a.obj"); };
    };
    const auto polygon = [](const std::string& content) {
        return [content] { return parse_ply(content, "a.ply"); };
    };
    const std::string short_stl = binary_stl().substr(0, 200);
    std::string wrong_stl = binary_stl();
    const float infinite = std::numeric_limits<float>::infinity();
    wrong_stl.replace(96, 4, bytes_of(infinite));
    const std::string binary = ply("binary_little_endian");
    const std::vector<Case> cases{
        {stl(short_stl), "a.stl: byte 200: the file has 200 bytes, 4 triangles need 284"},
        {stl("solid"), "a.stl:"},
        {stl(std::string("\0\1", 2)), "a.stl: byte 2: the file ends before the number"},
        {stl(wrong_stl), "a.stl: byte 96: a coordinate of triangle 0 is inf"},
        {stl(replaced(text_stl(), "vertex 0 0", "vertex 0 x")),
         "a.stl:5: 'x.000000e+00' is not a finite"},
        {stl(replaced(text_stl(), "endfacet", "endfact")), "'endfact' is not 'endfacet'"},
        {stl(text_stl().substr(0, 150)), "a.stl:"},
        {text("v 0 0 0\nv 1 0 0\nf 1 2 3\n"), "a.obj:3: there is no vertex 3"},
        {text("v 0 0 0\nv 1 0 0\nf 1 2\n"), "a.obj:3: the face has 2 corners"},
        {text("v 0 0 0\nf 0 1 1\n"), "a.obj:2: there is no vertex 0"},
        {text("v 0 0\n"), "a.obj:1: ends early"},
        {text("v 0 0 0\nf 1 1 1.5\n"), "a.obj:2: '1.5' is not a whole number"},
        {text("v 0 0 nan\n"), "a.obj:1: 'nan' is not a finite number"},
        {polygon("plx\n"), "a.ply:1: is not 'ply'"},
        {polygon("ply\nformat ascii 1.0\n"), "a.ply:2: the file ends before 'end_header'"},
        {polygon(replaced(ply("ascii"), "ascii", "binary")), "a.ply:2: 'binary' is not a format"},
        {polygon(replaced(ply("ascii"), "uchar red", "byte red")), "a.ply:6: 'byte' is not a type"},
        {polygon(replaced(ply("ascii"), "property float y\n", "")), "vertices have no x, y and z"},
        {polygon(replaced(ply("ascii"), "vertex_indices", "corners")), "faces have no list"},
        {polygon(replaced(ply("ascii"), "3 0 2 1", "3 0 2 9")), "a.ply:19: face 0 has vertex 9"},
        {polygon(replaced(ply("ascii"), "3 0 2 1", "2 0 2")), "a.ply:19: face 0 has 2 corners"},
        {polygon(replaced(ply("ascii"), "3 0 2 1", "3 0 2 x")), "a.ply:19: 'x' is not a finite"},
        {polygon(binary.substr(0, binary.size() - 1)), "the file ends early"},
    };
    for (const Case& item : cases) {
        INFO(item.what);
        bool has_thrown = false;
        try {
            const auto triangles = item.read();
            INFO(triangles.size());
        } catch (const InputError& error) {
            has_thrown = true;
            CHECK_THAT(error.what(), ContainsSubstring(item.what));
        }
        // An empty text is no damage; read_mesh() refuses it.
        CHECK((has_thrown || std::string(item.what) == "a.stl:"));
    }
}
