// SPDX-License-Identifier: MIT
// Records of many surfaces at once against those of single ones.
#include "raytracer/tracing/physical/records/surface_records.h"
#include "scenario/files/error.h"
#include "scenario/types/vector_math.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

using namespace helioray;
using namespace helioray::physical;

namespace {

/// B-spline of 1.6 m x 1.2 m whose height follows sin(phase + x); flat where `height` is 0.
Facet spline(std::array<int64_t, 2> num,
             std::array<int64_t, 2> degrees,
             double height,
             double phase) {
    Facet facet;
    facet.num_control_points = num;
    facet.degrees = degrees;
    for (int64_t i = 0; i < num[0]; ++i) {
        for (int64_t j = 0; j < num[1]; ++j) {
            const double x = 1.6 * static_cast<double>(i) / static_cast<double>(num[0] - 1) - 0.8;
            const double y = 1.2 * static_cast<double>(j) / static_cast<double>(num[1] - 1) - 0.6;
            facet.control_points.insert(facet.control_points.end(),
                                        {x, y, height * std::sin(phase + x)});
        }
    }
    return facet;
}

Facet analytic(FacetShape shape, double focal_length) {
    Facet facet;
    facet.shape = shape;
    facet.focal_length = focal_length;
    return facet;
}

/// Mirrors of one to five facets: B-splines of several sizes and degrees, fitted and flat, alone
/// and beside analytic ones.
std::vector<std::unique_ptr<Surface>> mixed_mirrors() {
    std::vector<std::unique_ptr<Surface>> mirrors;
    for (int m = 0; m < 37; ++m) {
        auto surface = std::make_unique<Surface>();
        const double height = m % 5 == 0 ? 0.0 : 0.01;
        for (int f = 0; f < 1 + m % 5; ++f) {
            const double phase = 0.1 * m + f;
            const int kind = (m + f) % 7;
            Facet facet = kind < 3    ? spline({10, 10}, {3, 3}, height, phase)
                          : kind == 3 ? spline({5, 7}, {2, 3}, height, phase)
                          : kind == 4 ? spline({9, 4}, {7, 1}, height, phase)
                          : kind == 5 ? analytic(FacetShape::paraboloid, 50.0 + m)
                                      : analytic(FacetShape::flat, 0.0);
            facet.name = std::to_string(f);
            facet.canting_e = {0.8, 0.0, 0.01 * f};
            facet.canting_n = {0.0, 0.6, -0.02};
            facet.translation = {1.7 * f, 0.3, 0.05};
            surface->facets.push_back(facet);
        }
        mirrors.push_back(std::move(surface));
    }
    return mirrors;
}

std::vector<SurfaceRequest> requests_for(const std::vector<std::unique_ptr<Surface>>& mirrors) {
    std::vector<SurfaceRequest> requests;
    for (const auto& mirror : mirrors) requests.push_back({mirror.get(), true, true});
    return requests;
}

bool same_record(const kernels::FacetRecord& a, const kernels::FacetRecord& b) {
    return a.kind == b.kind && std::ranges::equal(a.num_control_points, b.num_control_points) &&
           std::ranges::equal(a.degrees, b.degrees) && a.control_points == b.control_points &&
           a.sampling_tables == b.sampling_tables &&
           std::ranges::equal(a.half_extent, b.half_extent) && a.focal_length == b.focal_length &&
           std::ranges::equal(a.rotation, b.rotation) &&
           std::ranges::equal(a.translation, b.translation) &&
           a.cumulative_area == b.cumulative_area && a.area == b.area;
}

bool same_facets(const FacetRecords& a, const FacetRecords& b) {
    return a.area == b.area && a.floats == b.floats &&
           std::ranges::equal(a.facets, b.facets, same_record);
}

bool same_patch(const FacetPatch& a, const FacetPatch& b) {
    return a.center == b.center && a.half_x == b.half_x && a.half_y == b.half_y &&
           a.bending == b.bending && a.radius == b.radius;
}

bool same_shape(const MirrorShape& a, const MirrorShape& b) {
    return a.center == b.center && a.radius == b.radius && a.mean_normal == b.mean_normal &&
           a.normal_spread == b.normal_spread && a.box_low == b.box_low &&
           a.box_high == b.box_high && std::ranges::equal(a.facets, b.facets, same_patch);
}

}  // namespace

TEST_CASE("Surfaces together have the records of each alone, on any number of threads") {
    const auto mirrors = mixed_mirrors();
    for (const int num_threads : {1, 2, 16, 64}) {
        KnownSurfaces known;
        add_surface_records(requests_for(mirrors), known, num_threads);
        REQUIRE(known.size() == mirrors.size());
        int different = 0;
        for (const auto& mirror : mirrors) {
            const SurfaceRecords& records = *known.at(mirror.get());
            REQUIRE(records.facets.has_value());
            REQUIRE(records.shape.has_value());
            different += !same_facets(*records.facets, facet_records(*mirror));
            different += !same_shape(*records.shape, mirror_shape(*mirror));
        }
        CHECK(different == 0);
    }
}

TEST_CASE("Only what is asked for of a surface is computed, and what is known stays") {
    const auto mirrors = mixed_mirrors();
    KnownSurfaces known;
    std::vector<SurfaceRequest> requests = requests_for(mirrors);
    for (size_t i = 0; i < requests.size(); ++i) {
        requests[i].facets = i % 3 != 0;
        requests[i].shape = i % 3 != 1;
    }
    add_surface_records(requests, known, 1);
    for (size_t i = 0; i < requests.size(); ++i) {
        const SurfaceRecords& records = *known.at(requests[i].surface);
        CHECK(records.facets.has_value() == requests[i].facets);
        CHECK(records.shape.has_value() == requests[i].shape);
    }
    add_surface_records(requests_for(mirrors), known, 1);
    for (const auto& mirror : mirrors) {
        const SurfaceRecords& records = *known.at(mirror.get());
        CHECK(same_facets(records.facets.value(), facet_records(*mirror)));
        CHECK(same_shape(records.shape.value(), mirror_shape(*mirror)));
    }
}

TEST_CASE("The angle of the steepest normal is inside a shape's spread of normals") {
    // Two flat facets tilted 0.1 rad apart: the mean normal is half way between them.
    Surface surface;
    for (const double tilt : {-0.05, 0.05}) {
        Facet facet = analytic(FacetShape::flat, 0.0);
        facet.canting_e = {0.8 * std::cos(tilt), 0.0, 0.8 * std::sin(tilt)};
        facet.canting_n = {0.0, 0.6, 0.0};
        surface.facets.push_back(facet);
    }
    const MirrorShape shape = mirror_shape(surface);
    CHECK(std::abs(shape.mean_normal[2] - 1.0) < 1e-12);
    CHECK(shape.normal_spread == Approx(1.25 * 0.05 + 1e-3).epsilon(1e-12));
}

TEST_CASE("Normals that turn away from the mean one count in the spread") {
    // A facet bent to more than a half circle.
    Surface surface;
    surface.facets.push_back(spline({20, 4}, {3, 3}, 0.0, 0.0));
    Facet& facet = surface.facets.front();
    for (size_t i = 0; i < 20; ++i) {
        const double angle = (static_cast<double>(i) / 19.0 - 0.5) * 3.6;
        for (size_t j = 0; j < 4; ++j) {
            facet.control_points[3 * (4 * i + j)] = std::sin(angle);
            facet.control_points[3 * (4 * i + j) + 2] = std::cos(angle);
        }
    }
    const double largest = (mirror_shape(surface).normal_spread - 1e-3) / 1.25;
    CHECK(largest > 1.7);
    CHECK(largest < 1.9);
}

TEST_CASE("A facet without area among many surfaces is named") {
    auto mirrors = mixed_mirrors();
    Facet& facet = mirrors[8]->facets.back();
    facet = spline({4, 4}, {3, 3}, 0.01, 0.0);
    std::fill(facet.control_points.begin(), facet.control_points.end(), 0.25);
    facet.name = "the flat line";
    for (const int num_threads : {1, 4}) {
        KnownSurfaces known;
        CHECK_THROWS_WITH(
            add_surface_records(requests_for(mirrors), known, num_threads),
            ContainsSubstring("the flat line") && ContainsSubstring("the facet has no area"));
    }
}
