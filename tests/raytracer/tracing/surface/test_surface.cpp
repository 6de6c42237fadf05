// SPDX-License-Identifier: MIT
// Canting and facets: ARTIST's numbers, the ideal and fitted conventions, analytic shapes.
#include "raytracer/tracing/geometry/frames.h"
#include "raytracer/tracing/physical/occlusion/mirror_shape.h"
#include "raytracer/tracing/physical/records/surface_records.h"
#include "raytracer/tracing/surface/surface.h"
#include "scenario/files/error.h"
#include "tests/raytracer/published_vectors.h"
#include "tests/raytracer/tracing/surface/surface_support.h"

#include <stdexcept>

using namespace helioray;
using namespace helioray::test;

namespace {

// The facet of nurbs.json with control points [nu, nv, 3].
Facet vector_facet(const nlohmann::json& vectors, const nlohmann::json& control_points) {
    Facet facet;
    facet.name = "facet_1";
    facet.num_control_points = {static_cast<int64_t>(control_points.size()),
                                static_cast<int64_t>(control_points[0].size())};
    facet.degrees = {3, 2};
    for (const nlohmann::json& row : control_points)
        for (const Vec3& p : vec3_rows(row))
            facet.control_points.insert(facet.control_points.end(), p.begin(), p.end());
    facet.translation = vec3_of(vectors["translation"]);
    facet.canting_e = vec3_of(vectors["canting"][0]);
    facet.canting_n = vec3_of(vectors["canting"][1]);
    return facet;
}

Facet shaped_facet(FacetShape shape) {
    Facet facet;
    facet.shape = shape;
    facet.focal_length = 20;
    facet.canting_e = {0.8, 0, 0};
    facet.canting_n = {0, 0.6, 0};
    facet.translation = {1, 2, 3};
    return facet;
}

}  // namespace

TEST_CASE("Canting equals ARTIST's") {
    const nlohmann::json vectors = read_vectors("transforms.json")["perform_canting"];
    for (size_t i = 0; i < 2; ++i) {
        Facet facet;
        facet.canting_e = vec3_of(vectors["canting_facets_e_n"][i][0]);
        facet.canting_n = vec3_of(vectors["canting_facets_e_n"][i][1]);
        const std::array<Vec3, 3> axes = canting_axes(facet);
        for (size_t j = 0; j < 3; ++j) {
            for (size_t k = 0; k < 3; ++k)
                CHECK(std::abs(dot(axes[j], axes[k]) - (j == k ? 1.0 : 0.0)) < 1e-15);
        }
        std::vector<Vec3> canted;
        for (const Vec3& v : vec3_rows(vectors["data_per_facet"][i]))
            canted.push_back(along_axes({}, axes, v));
        CHECK(largest_difference(canted, vec3_rows(vectors["canted"][i])) < 1e-6);
    }
}

TEST_CASE("Facets in their own frame are canted and translated, fitted ones taken as they are") {
    const nlohmann::json vectors = read_vectors("nurbs.json");
    const Facet facet = vector_facet(vectors, vectors["bumped_control_points_4x5"]);
    const std::vector<FacetParameters> uv = parameters_of(vectors["evaluation_points_uv"]);

    const auto own = evaluate_facet(facet, ControlPointFrame::facet, uv);
    CHECK(largest_difference(each(own, &FacetPoint::point),
                             vec3_rows(vectors["points_canted_translated"])) < 1e-6);
    CHECK(largest_difference(each(own, &FacetPoint::normal), vec3_rows(vectors["normals_canted"])) <
          1e-5);
    CHECK(largest_difference_of_normals(own) < 1e-14);

    const auto mirror = evaluate_facet(facet, ControlPointFrame::mirror, uv);
    CHECK(largest_difference(each(mirror, &FacetPoint::point),
                             vec3_rows(vectors["points_uncanted"])) < 1e-6);
    CHECK(largest_difference(each(mirror, &FacetPoint::normal),
                             vec3_rows(vectors["normals_uncanted"])) < 1e-5);
}

TEST_CASE("One height different from zero makes a whole surface fitted") {
    const nlohmann::json vectors = read_vectors("nurbs.json");
    const nlohmann::json& flat = vectors["planar_control_points_4x5"];
    const Facet ideal = vector_facet(vectors, flat);
    Surface surface;
    surface.facets = {ideal, ideal};
    CHECK(control_point_frame(surface) == ControlPointFrame::facet);
    // The middle of a grid with odd sizes is the facet's centre.
    CHECK(largest_difference(sample_surface(surface, 3, 3)[4].point,
                             vec3_of(vectors["translation"])) < 1e-9);

    surface.facets[1] = vector_facet(vectors, vectors["bumped_control_points_4x5"]);
    CHECK(control_point_frame(surface) == ControlPointFrame::mirror);
    const std::vector<FacetPoint> fitted = sample_surface(surface, 2, 2);
    CHECK(largest_difference(fitted[0].point, vec3_of(flat[0][0])) < 1e-15);
    CHECK(largest_difference(fitted[3].point, vec3_of(flat[3][4])) < 1e-15);
    CHECK(largest_difference(fitted[0].normal, Vec3{0, 0, 1}) < 1e-15);
}

TEST_CASE("Flat facets equal flat B-splines") {
    const nlohmann::json vectors = read_vectors("nurbs.json");
    Facet spline = vector_facet(vectors, vectors["planar_control_points_4x5"]);
    // Control points over the whole facet at equal distances, 4 x 3 of them.
    const double half_e = norm(spline.canting_e), half_n = norm(spline.canting_n);
    spline.num_control_points = {4, 3};
    spline.control_points.clear();
    for (const double x : {-1.0, -1.0 / 3, 1.0 / 3, 1.0}) {
        for (const double y : {-1.0, 0.0, 1.0}) {
            const Vec3 point{x * half_e, y * half_n, 0.0};
            spline.control_points.insert(spline.control_points.end(), point.begin(), point.end());
        }
    }
    const std::vector<FacetParameters> uv = evaluation_grid(5, 4);
    const auto expected = evaluate_facet(spline, ControlPointFrame::facet, uv);
    Facet flat = spline;
    flat.shape = FacetShape::flat;
    const auto points = evaluate_facet(flat, ControlPointFrame::facet, uv);
    const auto difference = [&](Vec3 FacetPoint::*member) {
        return largest_difference(each(points, member), each(expected, member));
    };
    CHECK(difference(&FacetPoint::point) < 1e-15);
    CHECK(difference(&FacetPoint::normal) < 1e-15);
    CHECK(difference(&FacetPoint::tangent_u) < 1e-14);
    CHECK(difference(&FacetPoint::tangent_v) < 1e-14);
    // An analytic facet is canted whatever the other facets' control points contain.
    const auto mixed = evaluate_facet(flat, ControlPointFrame::mirror, uv);
    CHECK(largest_difference(each(mixed, &FacetPoint::point), each(points, &FacetPoint::point)) ==
          0);
}

TEST_CASE("A paraboloid reflects axial light to its focus") {
    const Facet facet = shaped_facet(FacetShape::paraboloid);
    const auto points = evaluate_facet(facet, ControlPointFrame::facet, evaluation_grid(5, 5));
    REQUIRE(points.size() == 25);
    const Vec3 incident{0, 0, -1};
    for (const FacetPoint& s : points) {
        const Vec3 reflected = add_scaled(incident, -2 * dot(incident, s.normal), s.normal);
        const Vec3 to_focus = subtract({1, 2, 3 + 20}, s.point);
        CHECK(largest_difference(cross(reflected, to_focus), Vec3{}) < 1e-12);
        CHECK(dot(reflected, to_focus) > 0);
    }
    // Corner: (0.8^2 + 0.6^2) / 80 high.
    CHECK(points[0].point[2] == Approx(3 + 1.0 / 80).epsilon(1e-14));
}

TEST_CASE("Normals of a sphere meet at its centre") {
    const Facet facet = shaped_facet(FacetShape::sphere);
    const auto points = evaluate_facet(facet, ControlPointFrame::facet, evaluation_grid(5, 5));
    REQUIRE(points.size() == 25);
    for (const FacetPoint& s : points)
        CHECK(largest_difference(add_scaled(s.point, 40, s.normal), Vec3{1, 2, 3 + 40}) < 1e-12);
    CHECK(largest_difference(points[12].point, Vec3{1, 2, 3}) < 1e-15);
}

TEST_CASE("Tangents of analytic facets are derivatives of their points") {
    for (const FacetShape shape : {FacetShape::flat, FacetShape::paraboloid, FacetShape::sphere}) {
        Facet facet = shaped_facet(shape);
        facet.canting_e = {0.8, 0.01, -0.02};
        Uniform uniform(3);
        std::vector<FacetParameters> uv(6);
        for (FacetParameters& one : uv) one = {uniform(0.1, 0.9), uniform(0.1, 0.9)};
        const auto points = evaluate_facet(facet, ControlPointFrame::facet, uv);
        const double step = 1e-5;
        for (const size_t k : {0U, 1U}) {
            std::vector<FacetParameters> above = uv, below = uv;
            for (FacetParameters& one : above) one[k] += step;
            for (FacetParameters& one : below) one[k] -= step;
            const auto high = evaluate_facet(facet, ControlPointFrame::facet, above);
            const auto low = evaluate_facet(facet, ControlPointFrame::facet, below);
            for (size_t i = 0; i < uv.size(); ++i) {
                const Vec3 slope = scaled(1 / (2 * step), subtract(high[i].point, low[i].point));
                CHECK(largest_difference(k == 0 ? points[i].tangent_u : points[i].tangent_v,
                                         slope) < 1e-9);
            }
        }
        CHECK(largest_difference_of_normals(points) < 1e-14);
    }
}

TEST_CASE("Facets that do not exist are refused") {
    const std::vector<FacetParameters> uv = evaluation_grid(2, 2);
    Facet facet = shaped_facet(FacetShape::sphere);
    facet.focal_length = 0.4;
    CHECK_THROWS_AS(evaluate_facet(facet, ControlPointFrame::facet, uv), InputError);
    facet.shape = FacetShape::paraboloid;
    facet.focal_length = 0;
    CHECK_THROWS_AS(evaluate_facet(facet, ControlPointFrame::facet, uv), InputError);
    facet.shape = FacetShape::bspline;
    CHECK_THROWS_AS(evaluate_facet(facet, ControlPointFrame::facet, uv), std::invalid_argument);
    facet.degrees = {3, 8};
    CHECK_THROWS_AS(evaluate_facet(facet, ControlPointFrame::facet, uv), InputError);
    Surface surface;
    surface.facets = {facet};
    CHECK_THROWS_WITH(physical::facet_records(surface), ContainsSubstring("has degree 8"));
    CHECK_THROWS_WITH(physical::mirror_shape(surface), ContainsSubstring("has degree 8"));
}
