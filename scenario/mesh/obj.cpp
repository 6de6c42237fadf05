// SPDX-License-Identifier: MIT
// OBJ: vertices and polygons as text. Normals, textures, materials and groups do not matter.
#include "scenario/mesh/mesh_file.h"
#include "scenario/mesh/mesh_text.h"

#include <fmt/format.h>

#include <cstdint>

namespace helioray {

std::vector<MeshTriangle> parse_obj(const std::string& content, const std::string& name) {
    mesh::Lines lines(content, name);
    std::vector<Vec3> vertices;
    std::vector<MeshTriangle> triangles;
    std::vector<std::int64_t> corners;
    while (lines.next(true)) {
        const auto& words = lines.words();
        if (words[0] == "v") vertices.push_back(lines.point(1));
        if (words[0] != "f") continue;
        if (words.size() < 4)
            lines.fail(fmt::format("the face has {} corners", words.size() - 1),
                       "a face needs 3 at least");
        corners.clear();
        for (std::size_t i = 1; i < words.size(); ++i) {
            // "7/2/1" is vertex 7 with a texture and a normal; negative ones count from the last.
            const std::int64_t index = lines.whole(words[i].substr(0, words[i].find('/')));
            const auto count = static_cast<std::int64_t>(vertices.size());
            corners.push_back(index > 0 ? index - 1 : count + index);
            if (index == 0 || corners.back() < 0 || corners.back() >= count)
                lines.fail(fmt::format("there is no vertex {}", index),
                           fmt::format("the lines before have {}", count));
        }
        if (mesh::append_fan(corners, vertices, triangles) == mesh::Fan::not_possible)
            lines.fail(fmt::format("the face {}", mesh::kNoFan), mesh::kNoFanAdvice);
    }
    return triangles;
}

}  // namespace helioray
