// SPDX-License-Identifier: MIT
// Reflection, hits on planes and cylinders, target coordinates against ARTIST's numbers.
#include "raytracer/artist/row_rays.h"
#include "raytracer/artist/targets.h"
#include "tests/raytracer/artist/artist_measures.h"
#include "tests/raytracer/artist/artist_support.h"

using namespace helioray;
using namespace helioray::test;

namespace {

// [N, 3] from a list of vectors or from one vector.
artist::Components rays(const Json& json) {
    const at::Tensor t = to_tensor(json);
    return artist::split(t.dim() == 1 ? t.unsqueeze(0) : t);
}

void check_hits(const artist::Hits& hits, const Json& v) {
    CHECK(max_difference(hits.e, v["e"]) < 2e-3);
    CHECK(max_difference(hits.u, v["u"]) < 2e-3);
    CHECK(max_difference(hits.distance, v["distance"]) < 1e-4);
    CHECK(max_difference(hits.intensity, v["intensity"]) < 1e-6);
}

void check_plane(
    const Json& v, const char* result, const char* dims, int64_t width, int64_t height) {
    const bool single = v.contains("origin");
    const PlanarTarget plane{to_vec3(v["centre"]),
                             to_vec3(v["normal"]),
                             v[dims][0].get<double>(),
                             v[dims][1].get<double>()};
    const artist::Hits hits = artist::intersect_plane(plane,
                                                      rays(v[single ? "origin" : "origins"]),
                                                      rays(v[single ? "direction" : "directions"]),
                                                      1.0,
                                                      width,
                                                      height);
    check_hits(hits, v[result]);
}

void check_cylinder(const Json& v, const char* result) {
    const bool single = v.contains("origin");
    CylindricalTarget cylinder;
    if (v.contains("centre")) cylinder.center = to_vec3(v["centre"]);
    cylinder.axis = to_vec3(v["axis"]);
    cylinder.normal = to_vec3(v["normal"]);
    cylinder.radius = v["radius"].get<double>();
    cylinder.height = v["height"].get<double>();
    cylinder.opening_angle = v["opening_angle"].get<double>();
    const artist::Hits hits =
        artist::intersect_cylinder(cylinder,
                                   rays(v[single ? "origin" : "origins"]),
                                   rays(v[single ? "direction" : "directions"]),
                                   1.0,
                                   256,
                                   256);
    check_hits(hits, v[result]);
}

Target planar(const Json& center, const Json& dims) {
    return {"plane",
            PlanarTarget{to_vec3(center), {0, 1, 0}, dims[0].get<double>(), dims[1].get<double>()}};
}

std::vector<Target> coordinate_targets(const Json& v) {
    const Json& c = v["cylinder"];
    CylindricalTarget cylinder;
    cylinder.center = to_vec3(c["centre"]);
    cylinder.axis = to_vec3(c["axis"]);
    cylinder.normal = to_vec3(c["normal"]);
    cylinder.radius = c["radius"].get<double>();
    cylinder.height = c["height"].get<double>();
    cylinder.opening_angle = c["opening_angle"].get<double>();
    return {planar(v["planar_centres"][0], v["planar_dims"][0]),
            planar(v["planar_centres"][1], v["planar_dims"][1]),
            {"cylinder", cylinder}};
}

}  // namespace

TEST_CASE("artist geometry: reflection") {
    const Json v = load_vectors("raytracing_geometry.json")["reflect"];
    const at::Tensor reflected = artist::reflect(to_tensor(v["incident"]), to_tensor(v["normals"]));
    CHECK(max_difference(reflected, v["reflected"]) < 1e-6);
}

TEST_CASE("artist geometry: planes") {
    const Json v = load_vectors("raytracing_geometry.json");
    check_plane(v["plane"], "result_256x256", "dims_w_h", 256, 256);
    check_plane(v["plane"], "result_w128_h64", "dims_w_h", 128, 64);
    check_plane(v["plane_tilted"], "result_256x256", "dims", 256, 256);
    check_plane(v["plane_origin_behind"], "result_256x256", "dims", 256, 256);
}

TEST_CASE("artist geometry: cylinders") {
    const Json v = load_vectors("raytracing_geometry.json");
    check_cylinder(v["cylinder"], "result_256x256");
    for (const char* name : {"cylinder_unit_north",
                             "cylinder_unit_south",
                             "cylinder_unit_east",
                             "cylinder_unit_normal_rotated_0p3rad_towards_west",
                             "cylinder_full_circle"}) {
        INFO(name);
        check_cylinder(v[name], "result");
    }
}

TEST_CASE("artist geometry: magnitude scales the intensity only") {
    const Json v = load_vectors("raytracing_geometry.json")["plane_tilted"];
    const PlanarTarget plane{to_vec3(v["centre"]), to_vec3(v["normal"]), 3.0, 3.0};
    const auto hit = [&](double magnitude) {
        return artist::intersect_plane(
            plane, rays(v["origin"]), rays(v["direction"]), magnitude, 256, 256);
    };
    CHECK(max_difference(hit(2.5).intensity, hit(1.0).intensity.mul(2.5)) < 1e-6);
    CHECK(max_difference(hit(2.5).e, hit(1.0).e) == 0.0);
}

TEST_CASE("artist geometry: pixels to world points") {
    const Json v = load_vectors("coordinates.json")["bitmap_to_target"];
    const std::vector<Target> targets = coordinate_targets(v["targets"]);
    for (size_t k = 0; k < v["world"].size(); ++k) {
        const at::Tensor pixel = to_tensor(v["pixels_e_u"][k]);
        const at::Tensor world =
            artist::bitmap_to_target(targets[v["global_target_index"][k].get<size_t>()],
                                     pixel.narrow(0, 0, 1),
                                     pixel.narrow(0, 1, 1),
                                     256,
                                     256);
        CHECK(max_difference(world.select(0, 0), v["world"][k]) < 2e-5);
    }
}

TEST_CASE("artist geometry: default aim points are ARTIST's target centres") {
    const Json v = load_vectors("coordinates.json");
    const std::vector<Target> targets = coordinate_targets(v["bitmap_to_target"]["targets"]);
    for (size_t k = 0; k < targets.size(); ++k) {
        const Vec3 center = default_aim_point(targets[k]);
        for (size_t axis = 0; axis < 3; ++axis) {
            CHECK(center[axis] ==
                  Approx(v["target_centres"]["centre"][k][axis].get<double>()).margin(1e-5));
        }
    }
}
