// SPDX-License-Identifier: MIT
// Hits of rays on meshes: equal to those of all triangles, none lost at edges and corners, and
// converging to the surface in which the triangles are inscribed.
#include "kernels/mesh/build_mesh.h"
#include "kernels/mesh/meet_mesh.h"
#include "tests/kernels/mesh/closed_meshes.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

using namespace helioray::kernels;
using namespace helioray::test;

namespace {

std::vector<MeshCorners> soup(int count, double size, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> even(-1.0, 1.0);
    std::vector<MeshCorners> triangles;
    for (int i = 0; i < count; ++i) {
        const Point middle{4.0 * even(random), 4.0 * even(random), 4.0 * even(random)};
        const auto corner = [&] {
            return Point{middle[0] + size * even(random),
                         middle[1] + size * even(random),
                         middle[2] + size * even(random)};
        };
        const Point a = corner(), b = corner(), c = corner();
        triangles.push_back(triangle(a, b, c));
    }
    return triangles;
}

/// Adds nodes over groups [first, last), all of whose boxes contain everything.
void add_nodes(MeshTree& tree, size_t node, size_t first, size_t last) {
    const auto width = static_cast<size_t>(kMeshWidth);
    const size_t part = (last - first + width - 1) / width;
    for (size_t i = 0; i < width; ++i) {
        const size_t begin = std::min(last, first + i * part), end = std::min(last, begin + part);
        for (size_t k = 0; k < 3; ++k) {
            tree.nodes[node].low[k][i] = begin < end ? -1e4f : 1e30f;
            tree.nodes[node].high[k][i] = begin < end ? 1e4f : -1e30f;
        }
        if (begin >= end) continue;
        if (end - begin == 1) {
            tree.nodes[node].content[i] = -1 - static_cast<int32_t>(begin);
            continue;
        }
        tree.nodes[node].content[i] = static_cast<int32_t>(tree.nodes.size());
        tree.nodes.emplace_back();
        add_nodes(tree, tree.nodes.size() - 1, begin, end);
    }
}

/// Returns a tree in which every ray tests all triangles.
MeshTree without_tree(const std::vector<MeshCorners>& triangles) {
    MeshTree tree;
    // No corners are shared.
    const auto size = static_cast<size_t>(kMeshWidth / 3);
    const size_t groups = (triangles.size() + size - 1) / size;
    tree.groups.resize(groups);
    for (size_t g = 0; g < groups; ++g) {
        MeshGroup& group = tree.groups[g];
        group = {};
        for (int32_t& number : group.triangle) number = -1;
        for (size_t lane = 0; lane < size && g * size + lane < triangles.size(); ++lane) {
            const size_t i = g * size + lane;
            group.triangle[lane] = static_cast<int32_t>(i);
            for (size_t corner = 0; corner < 3; ++corner) {
                const size_t point = 3 * lane + corner;
                group.corners[corner][lane] = static_cast<uint8_t>(point);
                for (size_t k = 0; k < 3; ++k) group.points[k][point] = triangles[i][corner][k];
            }
        }
    }
    tree.nodes.emplace_back();
    add_nodes(tree, 0, 0, groups);
    return tree;
}

MeshHit meet(const MeshTree& tree, const Ray& ray) {
    SearchedRay search(ray.from, ray.along);
    return MeshSearch<float>(tree.view()).run(search);
}

MeshHit walk(const MeshTree& tree, const Ray& ray) {
    SearchedRay search(ray.from, ray.along);
    return MeshWalk(tree.view()).run(search);
}

/// Returns the most nodes on the way from a node to a group.
int count_levels(const MeshTree& tree, size_t node) {
    int below = 0;
    for (size_t i = 0; i < static_cast<size_t>(kMeshWidth); ++i) {
        const bool is_empty = tree.nodes[node].low[0][i] > tree.nodes[node].high[0][i];
        const int32_t content = tree.nodes[node].content[i];
        if (!is_empty && content >= 0)
            below = std::max(below, count_levels(tree, static_cast<size_t>(content)));
    }
    return below + 1;
}

}  // namespace

TEST_CASE("hits on a mesh are those among all its triangles") {
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> even(-1.0, 1.0);
    struct Case {
        std::vector<MeshCorners> triangles;
        int rays;
    };
    // The last one takes the time of 5e8 triangles in portable lanes.
    for (const Case& item : {Case{soup(10, 2.0, 1), 50'000},
                             Case{soup(1'000, 0.5, 2), 50'000},
                             Case{sphere(40, 3.0), 50'000},
                             Case{soup(100'000, 0.1, 3), 2'000}}) {
        const MeshTree tree = build_mesh(item.triangles);
        const MeshTree all = without_tree(item.triangles);
        int met = 0;
        std::vector<Ray> rays;
        for (int i = 0; i < item.rays; ++i) {
            const double distance = i % 3 == 0 ? 500.0 : i % 3 == 1 ? 10.0 : 1.0;
            const Point to{4.0 * even(random), 4.0 * even(random), 4.0 * even(random)};
            Point from{even(random), even(random), even(random)};
            for (double& x : from) x *= distance;
            // Some rays are parallel to an axis.
            if (i % 7 == 0) from = {to[0], to[1], to[2] + distance};
            rays.push_back(ray_to(from, to));
        }
        const std::vector<MeshHit> together = helioray::test::meet_together<float, 7>(tree, rays);
        for (size_t i = 0; i < rays.size(); ++i) {
            const MeshHit expected = meet(all, rays[i]);
            for (const MeshHit& hit : {meet(tree, rays[i]), walk(tree, rays[i]), together[i]}) {
                REQUIRE(hit.triangle == expected.triangle);
                if (hit.triangle < 0) continue;
                ++met;
                REQUIRE(hit.distance == expected.distance);
                REQUIRE(hit.front == expected.front);
            }
        }
        CHECK(met > item.rays / 10);
    }
}

TEST_CASE("no ray at edges and corners of a closed mesh is lost") {
    struct Body {
        Triangles triangles;
        const char* name;
    };
    // helioray_study_mesh runs the same with more rays.
    constexpr int64_t kRays = 200'000;
    for (const Body& body : {Body{sphere(64, 3.0), "sphere"},
                             Body{box(1, 3.0), "box of 12 triangles"},
                             Body{box(16, 3.0), "box of 3,072 triangles"},
                             Body{cylinder(64, 3.0, 3.0), "cylinder"}}) {
        INFO(body.name);
        const MeshTree tree = build_mesh(body.triangles);
        EdgeRays rays(body.triangles, 5);
        int64_t lost = 0, backs = 0;
        for (int64_t i = 0; i < kRays; ++i) {
            const MeshHit hit = meet(tree, rays.next());
            lost += hit.triangle < 0 ? 1 : 0;
            // From inside every ray sees a back.
            backs += hit.triangle >= 0 && rays.is_inside() && hit.front ? 1 : 0;
        }
        CHECK(lost == 0);
        CHECK(backs == 0);
        // A hole of one triangle, away from the poles, is noticed.
        Triangles open = body.triangles;
        open.erase(open.begin() + std::ssize(open) / 3);
        const MeshTree with_hole = build_mesh(open);
        EdgeRays again(body.triangles, 5);
        int64_t passed = 0;
        for (int64_t i = 0; i < kRays; ++i) passed += meet(with_hole, again.next()).triangle < 0;
        CHECK(passed > 0);
    }
}

TEST_CASE("inscribed meshes converge to their surface") {
    // Share of parallel light in a square of 6.4 m that a body of radius 3 m stops.
    const auto share = [](const MeshTree& tree, const Point& way) {
        constexpr int kSteps = 1'500;
        int64_t met = 0;
        const Ray axes = ray_to({0, 0, 0}, way);
        const MeshRays<float> frame({0, 0, 0}, axes.along);
        for (int i = 0; i < kSteps; ++i) {
            for (int j = 0; j < kSteps; ++j) {
                const auto u = single(6.4 * ((i + 0.5) / kSteps - 0.5));
                const auto v = single(6.4 * ((j + 0.5) / kSteps - 0.5));
                Vec<float> from = add_scaled(scaled(u, frame.right), v, frame.up);
                from = add_scaled(from, -100.0f, axes.along);
                met += meet(tree, {from, axes.along}).triangle >= 0;
            }
        }
        return static_cast<double>(met) / (static_cast<double>(kSteps) * kSteps);
    };
    const double disc = std::numbers::pi * 9.0 / (6.4 * 6.4);
    std::vector<double> errors;
    for (const int n : {12, 24, 48})
        errors.push_back(disc - share(build_mesh(sphere(n, 3.0)), {0.3, 0.5, 0.8}));
    for (const double error : errors) CHECK(error > 0.0);
    // Four times the triangles, a quarter of the error.
    CHECK(errors[0] / errors[1] == Approx(4.0).epsilon(0.2));
    CHECK(errors[1] / errors[2] == Approx(4.0).epsilon(0.3));
}

TEST_CASE("hits at the same distance are those of the lower index, and empty meshes have none") {
    const MeshCorners one = triangle({-1, -1, 0}, {1, -1, 0}, {0, 1, 0});
    const MeshCorners line = triangle({-1, -1, 0}, {1, 1, 0}, {0, 0, 0});
    const Ray down = ray_to({0, 0, 5}, {0, 0, 0});
    const MeshHit hit = meet(build_mesh(std::vector<MeshCorners>{line, one, one}), down);
    CHECK(hit.triangle == 1);
    CHECK(hit.front);
    CHECK(hit.distance == 5.0f);
    const Ray up = ray_to({0, 0, -5}, {0, 0, 0});
    CHECK_FALSE(meet(build_mesh(std::vector<MeshCorners>{one}), up).front);
    // It lies behind the ray.
    CHECK(meet(build_mesh(std::vector<MeshCorners>{one}), ray_to({0, 0, 5}, {0, 0, 6})).triangle ==
          -1);
    CHECK(meet(build_mesh(std::vector<MeshCorners>{line}), down).triangle == -1);
    CHECK(meet(build_mesh({}), down).triangle == -1);
    // Many equal triangles cannot be divided.
    const std::vector<MeshCorners> equal(100, one);
    CHECK(meet(build_mesh(equal), down).triangle == 0);
    CHECK(walk(build_mesh(equal), down).triangle == 0);
    CHECK(walk(build_mesh({}), down).triangle == -1);
}

TEST_CASE("searches hold the boxes of the deepest trees") {
    // Triangles of which each is 64 times the size of the one before, so that the heuristic cuts
    // off one after the other.
    std::vector<MeshCorners> growing;
    for (int i = -20; i <= 20; ++i) {
        const double size = std::exp2(6.0 * i);
        growing.push_back(triangle({size, 0, 0}, {2 * size, 0, 0}, {size, size, 0}));
    }
    const int levels = count_levels(build_mesh(growing), 0);
    CHECK(levels > 1);
    CHECK(levels <= kMeshLevels);

    // A tree of as many levels as there may be. All boxes contain the ray, and each node has a
    // group that the ray meets only at the first level, which is the farthest one.
    const auto size = static_cast<size_t>(kMeshLevels);
    std::vector<MeshCorners> triangles;
    for (size_t i = 0; i < size; ++i) {
        const double beside = i == 0 ? 0.0 : 3.0, z = static_cast<double>(size - i);
        triangles.push_back(triangle({beside - 1, -1, z}, {beside + 1, -1, z}, {beside, 1, z}));
    }
    MeshTree chain;
    for (size_t i = 0; i < size; ++i) {
        chain.groups.push_back(without_tree({triangles[i]}).groups[0]);
        chain.groups.back().triangle[0] = static_cast<int32_t>(i);
        MeshNode node{};
        for (size_t k = 0; k < 3; ++k) {
            for (size_t box = 0; box < static_cast<size_t>(kMeshWidth); ++box) {
                const bool is_used = box > 0 || i + 1 < size;
                node.low[k][box] = is_used ? -1e3f : 1e30f;
                node.high[k][box] = is_used ? 1e3f : -1e30f;
            }
        }
        // The next node begins before the groups.
        node.low[2][0] = -2e3f;
        for (int32_t& content : node.content) content = -1 - static_cast<int32_t>(i);
        if (i + 1 < size) node.content[0] = static_cast<int32_t>(i + 1);
        chain.nodes.push_back(node);
    }
    CHECK(count_levels(chain, 0) == kMeshLevels);
    const Ray up = ray_to({0, 0, -2}, {0, 0, 0});
    for (const MeshHit& hit : {meet(chain, up), walk(chain, up)}) {
        CHECK(hit.triangle == 0);
        CHECK(hit.distance == static_cast<float>(size) + 2.0f);
        CHECK_FALSE(hit.front);
    }
}

TEST_CASE("rays that descend together start where they are and stop at their limits") {
    const Triangles body = sphere(40, 3.0);
    const MeshTree tree = build_mesh(body);
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> even(-1.0, 1.0);
    int met = 0;
    for (int turn = 0; turn < 2'000; ++turn) {
        constexpr int kRays = 5;
        SearchedRay together[kRays], alone[kRays];
        for (int i = 0; i < kRays; ++i) {
            // Rays from a triangle into the sphere, or from outside, some of which end before it.
            const auto start = static_cast<size_t>(random() % body.size());
            const Point to{even(random), even(random), even(random)};
            Point from{};
            for (size_t k = 0; k < 3; ++k) {
                for (const auto& corner : body[start])
                    from[k] += static_cast<double>(corner[k]) / 3;
                if (i % 2 == 0) from[k] *= 2.0;
            }
            const Ray ray = ray_to(from, to);
            MeshLimits limits;
            if (i % 2 == 0) limits.distance = helioray::test::single(5.0 * std::abs(even(random)));
            if (i % 2 == 1) limits = {3e37f, static_cast<int32_t>(start), 1e-3f, true};
            together[i] = alone[i] = SearchedRay(MeshRays<float>(ray.from, ray.along), limits);
        }
        MeshDescent<float, kRays>(tree.view()).run(together, kRays);
        for (int i = 0; i < kRays; ++i) {
            SearchedRay walking = alone[i];
            const MeshHit expected = MeshSearch<float>(tree.view()).run(alone[i]);
            for (const MeshHit& hit : {together[i].hit(), MeshWalk(tree.view()).run(walking)}) {
                REQUIRE(hit.triangle == expected.triangle);
                if (i % 2 == 1) REQUIRE(hit.triangle >= 0);
                if (hit.triangle < 0) continue;
                ++met;
                REQUIRE(hit.distance == expected.distance);
                REQUIRE(hit.front == expected.front);
                REQUIRE(hit.triangle != alone[i].limits.start);
            }
        }
    }
    CHECK(met > 8'000);
    CHECK(met < 20'000);
}

TEST_CASE("groups contain every triangle once, with its corners") {
    for (const std::vector<MeshCorners>& triangles :
         {soup(1'000, 0.5, 2), std::vector<MeshCorners>(sphere(40, 3.0)), soup(3, 1.0, 4)}) {
        const MeshTree tree = build_mesh(triangles);
        std::vector<int> counts(triangles.size());
        for (const MeshGroup& group : tree.groups) {
            for (size_t lane = 0; lane < static_cast<size_t>(kMeshWidth); ++lane) {
                if (group.triangle[lane] < 0) {
                    for (const auto& corners : group.corners) REQUIRE(corners[lane] == 0);
                    continue;
                }
                const auto triangle = static_cast<size_t>(group.triangle[lane]);
                ++counts[triangle];
                for (size_t corner = 0; corner < 3; ++corner)
                    for (size_t k = 0; k < 3; ++k)
                        REQUIRE(group.points[k][group.corners[corner][lane]] ==
                                triangles[triangle][corner][k]);
            }
        }
        // Only triangles at the poles of spheres have no area.
        for (size_t i = 0; i < triangles.size(); ++i) {
            const auto& [a, b, c] = triangles[i];
            CHECK(counts[i] == (a == b || b == c || c == a ? 0 : 1));
        }
    }
}

TEST_CASE("boxes of the groups of a flat surface do not overlap") {
    // Its squares are equal, and most bins of the heuristic are empty in small parts of it.
    constexpr int kSquares = 50;
    const Triangles flat = grid(kSquares, kSquares, [](int i, int j) {
        return Point{static_cast<double>(i), static_cast<double>(j), 0.0};
    });
    const MeshTree tree = build_mesh(flat);
    double area = 0.0;
    for (const MeshNode& node : tree.nodes) {
        for (size_t i = 0; i < static_cast<size_t>(kMeshWidth); ++i) {
            const bool is_empty = node.low[0][i] > node.high[0][i];
            if (is_empty || node.content[i] >= 0) continue;
            const auto side = [&](size_t k) {
                return static_cast<double>(node.high[k][i]) - static_cast<double>(node.low[k][i]);
            };
            area += side(0) * side(1);
        }
    }
    CHECK(area == Approx(kSquares * kSquares).epsilon(0.01));
    // Few nodes suffice for as many groups if most of their boxes are used.
    CHECK(tree.nodes.size() < tree.groups.size() / 6);
}
