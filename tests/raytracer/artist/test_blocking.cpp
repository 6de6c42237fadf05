// SPDX-License-Identifier: MIT
// Morton codes, radix tree, box filter and soft mask of blocking against ARTIST's numbers.
#include "raytracer/artist/blocking.h"
#include "scenario/files/error.h"
#include "tests/raytracer/artist/artist_support.h"

#include <ATen/ops/full.h>
#include <ATen/ops/stack.h>

#include <algorithm>

using namespace helioray;
using namespace helioray::test;

namespace {

std::vector<int64_t> marked_by(const artist::Lbvh& tree,
                               const Json& origins,
                               const Json& directions,
                               double distance,
                               int64_t own,
                               size_t num_rectangles) {
    const at::Tensor o = to_tensor(origins);
    std::vector<bool> marked(num_rectangles, false);
    artist::mark_rectangles(tree,
                            artist::split(o),
                            artist::split(to_tensor(directions)),
                            at::full({o.size(0)}, distance, at::kFloat),
                            own,
                            marked);
    std::vector<int64_t> indices;
    for (size_t k = 0; k < marked.size(); ++k) {
        if (marked[k]) indices.push_back(static_cast<int64_t>(k));
    }
    return indices;
}

// Unit squares in the e-n plane with their lower left corners at the given east coordinates.
at::Tensor squares(const std::vector<float>& east) {
    std::vector<at::Tensor> corners;
    for (const float e : east) {
        corners.push_back(at::tensor({e, 0.F, 0.F, e, 1.F, 0.F, e + 1, 1.F, 0.F, e + 1, 0.F, 0.F})
                              .reshape({4, 3}));
    }
    return at::stack(corners);
}

}  // namespace

TEST_CASE("artist blocking: bit expansion and Morton codes") {
    const Json v = load_vectors("blocking.json");
    const Json& bits = v["expand_bits"];
    for (size_t k = 0; k < bits["input"].size(); ++k) {
        CHECK(artist::expand_bits(bits["input"][k].get<uint32_t>()) ==
              bits["output"][k].get<uint32_t>());
    }
    CHECK(artist::morton_codes(to_tensor(v["morton"]["centroids"])) ==
          v["morton"]["codes"].get<std::vector<uint32_t>>());
}

TEST_CASE("artist blocking: radix tree and boxes") {
    const Json v = load_vectors("blocking.json")["lbvh"];
    const artist::Lbvh tree = artist::build_lbvh(to_tensor(v["primitive_corners"]));
    CHECK(tree.left == v["left"].get<std::vector<int64_t>>());
    CHECK(tree.right == v["right"].get<std::vector<int64_t>>());
    CHECK(tree.rectangle == v["primitive_index"].get<std::vector<int64_t>>());
    for (size_t node = 0; node < tree.box.size(); ++node) {
        for (size_t k = 0; k < 3; ++k) {
            CHECK(tree.box[node].min[k] == v["aabb_min"][node][k].get<float>());
            CHECK(tree.box[node].max[k] == v["aabb_max"][node][k].get<float>());
        }
    }
}

TEST_CASE("artist blocking: slab test") {
    const Json v = load_vectors("blocking.json")["slab"];
    artist::Box box;
    for (size_t k = 0; k < 3; ++k) {
        box.min[k] = v["aabb"][0][k].get<float>();
        box.max[k] = v["aabb"][1][k].get<float>();
    }
    const artist::Slab slab =
        artist::slab_test(artist::split(to_tensor(v["origins"])),
                          artist::inverse_directions(artist::split(to_tensor(v["directions"]))),
                          box);
    CHECK(max_difference(slab.entry, v["entry"]) < 1e-6);
    CHECK(max_difference(slab.exit, v["exit"]) < 1e-6);
}

TEST_CASE("artist blocking: soft mask") {
    const Json v = load_vectors("blocking.json")["soft_mask"];
    const artist::Rectangles rectangles = artist::make_rectangles(to_tensor(v["corners"]));
    for (int64_t k = 0; k < 2; ++k) {
        const auto i = static_cast<size_t>(k);
        CHECK(max_difference(rectangles.span_u.select(0, k), v["spans"][i][0]) < 1e-6);
        CHECK(max_difference(rectangles.span_v.select(0, k), v["spans"][i][1]) < 1e-6);
        CHECK(max_difference(rectangles.normals.select(0, k), v["normals"][i]) < 1e-6);
    }
    const artist::Components origins = artist::split(to_tensor(v["ray_origins"]));
    const artist::Components directions = artist::split(to_tensor(v["ray_directions"]));
    const at::Tensor both = artist::blocked_share(rectangles, {0, 1}, origins, directions);
    const at::Tensor first = artist::blocked_share(rectangles, {0}, origins, directions);
    CHECK(max_difference(both, v["blocked_both_primitives"]) < 2e-4);
    CHECK(max_difference(first, v["blocked_first_primitive_only"]) < 2e-4);
}

TEST_CASE("artist blocking: filter by target distance and own heliostat") {
    const Json v = load_vectors("blocking.json");
    const Json& mask = v["soft_mask"];
    const artist::Lbvh tree = artist::build_lbvh(to_tensor(mask["corners"]));
    const auto marked = [&](double distance, int64_t own) {
        return marked_by(tree, mask["ray_origins"], mask["ray_directions"], distance, own, 2);
    };
    const Json& f = v["lbvh_filter"];
    CHECK(marked(100, -1) == f["target_distance_100"].get<std::vector<int64_t>>());
    CHECK(marked(12, -1) == f["target_distance_12"].get<std::vector<int64_t>>());
    CHECK(marked(0, -1) == f["target_distance_0"].get<std::vector<int64_t>>());
    CHECK(marked(100, 0) ==
          f["rays_owned_by_primitive_0_target_distance_100"].get<std::vector<int64_t>>());
}

TEST_CASE("artist blocking: the tree marks what testing every box marks") {
    std::vector<float> east;
    for (int k = 0; k < 40; ++k) east.push_back(static_cast<float>((k * 37) % 101) * 1.7F);
    const at::Tensor corners = squares(east);
    const artist::Lbvh tree = artist::build_lbvh(corners);
    Json origins = Json::array(), directions = Json::array();
    for (int k = 0; k < 60; ++k) {
        origins.push_back({k * 2.9, 0.5, 30.0});
        directions.push_back({-0.3 + 0.007 * k, 0.01, -1.0});
    }
    const artist::Components o = artist::split(to_tensor(origins));
    const artist::Components inverse =
        artist::inverse_directions(artist::split(to_tensor(directions)));
    std::vector<int64_t> expected;
    for (int64_t k = 0; k < 40; ++k) {
        const size_t leaf = static_cast<size_t>(
            std::find(tree.rectangle.begin(), tree.rectangle.end(), k) - tree.rectangle.begin());
        const artist::Slab slab = artist::slab_test(o, inverse, tree.box[leaf]);
        if (slab.exit.ge(slab.entry).any().item<bool>() && k != 3) expected.push_back(k);
    }
    REQUIRE(expected.size() > 5);
    REQUIRE(expected.size() < 40);
    CHECK(marked_by(tree, origins, directions, 1000.0, 3, 40) == expected);
}

TEST_CASE("artist blocking: equal Morton codes") {
    CHECK_NOTHROW(artist::build_lbvh(squares({0, 100, 100, 300})));
    CHECK_NOTHROW(artist::build_lbvh(squares({5})));
    CHECK_THROWS_AS(artist::build_lbvh(squares({0, 100, 100, 100, 300})), InputError);
    CHECK_THROWS_WITH(artist::build_lbvh(squares({0, 0, 0, 0, 0, 300})),
                      ContainsSubstring("5 mirrors lie in one cell"));
}

TEST_CASE("artist blocking: corner points of four facets") {
    const at::Tensor index = artist::corner_indices(10000);
    CHECK(max_difference(index, Json{5000, 49, 4999, 9950}) == 0.0);
}
