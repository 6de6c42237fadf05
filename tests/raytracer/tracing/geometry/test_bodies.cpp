// SPDX-License-Identifier: MIT
// Surfaces of bodies as polygons: closed, outward, and of the volume of the solid.
#include "raytracer/tracing/geometry/body_mesh.h"
#include "tests/support/catch2.h"

#include <cmath>
#include <map>
#include <numbers>
#include <utility>

using namespace helioray;

namespace {

/// Volume by the divergence theorem over fans of triangles; positive only if faces look outwards.
double volume(const std::vector<std::vector<Vec3>>& faces) {
    double sum = 0.0;
    for (const auto& face : faces)
        for (size_t k = 2; k < face.size(); ++k)
            sum += dot(face[0], cross(face[k - 1], face[k])) / 6.0;
    return sum;
}

/// Returns true if every edge belongs to two faces, in opposite directions.
bool is_closed(const std::vector<std::vector<Vec3>>& faces) {
    std::map<std::pair<Vec3, Vec3>, int> edges;
    for (const auto& face : faces)
        for (size_t k = 0; k < face.size(); ++k) ++edges[{face[k], face[(k + 1) % face.size()]}];
    for (const auto& [edge, count] : edges)
        if (count != 1 || edges.count({edge.second, edge.first}) != 1) return false;
    return true;
}

}  // namespace

TEST_CASE("the faces of bodies close and have the solid's volume") {
    // The area of a polygon of 48 corners on the unit circle.
    const double circle = 24.0 * std::sin(2.0 * std::numbers::pi / 48.0);
    const Vec3 leaning = normalized(Vec3{0.3, -0.2, 1.0});
    const std::pair<ObstacleConfig, double> bodies[] = {
        {{"box", BoxObstacle{{10, 20, 5}, {4, 2, 10}, 0.3}}, 80.0},
        {{"cylinder", CylinderObstacle{{1, 2, 3}, leaning, 2.0, 30.0}}, circle * 4.0 * 30.0},
        {{"shaft", ConeObstacle{{1, 2, 3}, leaning, 3.0, 1.5, 20.0}},
         circle * (9.0 + 4.5 + 2.25) / 3.0 * 20.0},
        {{"roof", ConeObstacle{{1, 2, 3}, {0, 0, 1}, 3.0, 0.0, 2.0}}, circle * 9.0 / 3.0 * 2.0}};
    for (const auto& [body, expected] : bodies) {
        CAPTURE(body.name);
        const auto faces = body_faces(body);
        CHECK(is_closed(faces));
        CHECK(volume(faces) == Approx(expected));
    }
}
