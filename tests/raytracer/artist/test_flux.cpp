// SPDX-License-Identifier: MIT
// Deposits, centres of mass, crops and trapezoids against ARTIST's numbers.
#include "raytracer/artist/targets.h"
#include "tests/raytracer/artist/artist_measures.h"
#include "tests/raytracer/artist/artist_support.h"

#include <ATen/ops/zeros.h>

#include <cmath>

using namespace helioray;
using namespace helioray::test;

TEST_CASE("artist flux: bilinear deposit") {
    const Json v = load_vectors("raytracing_geometry.json")["bilinear_splat"];
    const double scale = artist::fixed_point_scale(100.0);
    const at::Tensor sums =
        artist::splat(to_tensor(v["e"]), to_tensor(v["u"]), to_tensor(v["intensity"]), 4, 3, scale);
    CHECK(sums.scalar_type() == at::kLong);
    CHECK(max_difference(sums.to(at::kDouble).div(scale), v["bitmap_rows_top_first"]) < 2e-6);
}

TEST_CASE("artist flux: fixed point never overflows and is a power of two") {
    for (const double total : {1e-3, 1.0, 4.7e5, 1e12, 3e18}) {
        const double scale = artist::fixed_point_scale(total);
        CHECK(total * scale <= 2305843009213693952.0);
        int exponent = 0;
        CHECK(std::frexp(scale, &exponent) == 0.5);
    }
    CHECK(artist::fixed_point_scale(1.0) == 17592186044416.0);
}

TEST_CASE("artist flux: centre of mass") {
    const Json v = load_vectors("flux.json");
    const at::Tensor centre = artist::centre_of_mass(to_tensor(v["bitmaps_h5_w6"]));
    CHECK(max_difference(centre, v["centre_of_mass_e_u"]) < 2e-6);
}

TEST_CASE("artist flux: crop around the centre") {
    const Json v = load_vectors("flux.json");
    const at::Tensor bitmaps = to_tensor(v["bitmaps_h5_w6"]);
    const Json& dims = v["crop_4x3m"]["target_dims"];
    const at::Tensor planar = to_tensor(dims["planar"]);
    const at::Tensor cylinder =
        at::tensor({dims["cylinder_width_is_radius_times_angle"].get<float>(),
                    dims["cylinder_height"].get<float>()});
    at::Tensor extents = at::zeros({3, 2});
    for (size_t k = 0; k < 3; ++k) {
        const bool is_planar = v["crop_4x3m"]["target_index"][k].get<int>() == 0;
        extents.select(0, static_cast<int64_t>(k)).copy_(is_planar ? planar : cylinder);
    }
    const at::Tensor small = artist::crop_around_centre(bitmaps, extents, 4.0, 3.0);
    CHECK(max_difference(small, v["crop_4x3m"]["result"]) < 1e-4);
    const at::Tensor usual = artist::crop_around_centre(bitmaps, extents);
    CHECK(max_difference(usual, v["crop_default_6x6m"]) < 1e-4);
}

TEST_CASE("artist flux: trapezoid") {
    const Json vectors = load_vectors("flux.json");
    for (const Json& v : vectors["trapezoid"]) {
        const at::Tensor values = artist::trapezoid(
            v["total"].get<int64_t>(), v["slope"].get<double>(), v["plateau"].get<double>());
        CHECK(max_difference(values, v["values"]) < 1e-6);
    }
}
