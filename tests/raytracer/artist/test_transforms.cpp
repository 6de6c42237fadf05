// SPDX-License-Identifier: MIT
// Elementary transforms, canting and ray distortions against ARTIST's numbers.
#include "raytracer/artist/surface.h"
#include "raytracer/artist/transforms.h"
#include "tests/raytracer/artist/artist_support.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/stack.h>

using namespace helioray;
using namespace helioray::test;

TEST_CASE("artist transforms: rotations and translation") {
    const Json v = load_vectors("transforms.json");
    const at::Tensor angles = to_tensor(v["angles"]);
    CHECK(max_difference(artist::rotate_e(angles), v["rotate_e"]) < 1e-7);
    CHECK(max_difference(artist::rotate_n(angles), v["rotate_n"]) < 1e-7);
    CHECK(max_difference(artist::rotate_u(angles), v["rotate_u"]) < 1e-7);
    const Json& t = v["translate"];
    const at::Tensor matrix =
        artist::translate(to_tensor(t["e"]), to_tensor(t["n"]), to_tensor(t["u"]));
    CHECK(max_difference(matrix, t["matrix"]) == 0.0);
}

TEST_CASE("artist transforms: ray distortions") {
    const Json v = load_vectors("transforms.json")["rotate_distortions"];
    const at::Tensor e = to_tensor(v["e"]), u = to_tensor(v["u"]);
    CHECK(max_difference(artist::rotate_e(e).matmul(artist::rotate_u(u)), v["matrices"]) < 1e-7);

    const at::Tensor south = at::tensor({0.0F, -1.0F, 0.0F});
    const artist::Components turned = artist::distort(artist::split(south), e, u);
    const at::Tensor expected = to_tensor(v["applied_to_0_m1_0"]);
    for (size_t k = 0; k < 3; ++k) {
        CHECK(max_difference(turned[k], expected.select(-1, static_cast<int64_t>(k))) < 1e-7);
    }
}

TEST_CASE("artist transforms: canting") {
    const Json v = load_vectors("transforms.json")["perform_canting"];
    for (size_t facet = 0; facet < 2; ++facet) {
        const Json& canting = v["canting_facets_e_n"][facet];
        const at::Tensor rotation =
            artist::canting_rotation(to_vec3(canting[0]), to_vec3(canting[1]));
        const at::Tensor data = to_tensor(v["data_per_facet"][facet]).narrow(1, 0, 3);
        const at::Tensor canted = to_tensor(v["canted"][facet]).narrow(1, 0, 3);
        const at::Tensor decanted = to_tensor(v["decanted"][facet]).narrow(1, 0, 3);
        CHECK(max_difference(data.matmul(rotation.t()), canted) < 1e-6);
        CHECK(max_difference(canted.matmul(rotation), decanted) < 1e-6);
    }
}
