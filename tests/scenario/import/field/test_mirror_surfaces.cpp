// SPDX-License-Identifier: MIT
// Mirrors of a template: sizes add up, canting sends light to one point, curvature differs by axis.
#include "scenario/import/field/build_field.h"
#include "scenario/import/field/heliostat_surfaces.h"
#include "scenario/sun/solar_position.h"
#include "scenario/types/bent_surface.h"
#include "scenario/types/vector_math.h"
#include "tests/scenario/import/field/field_support.h"

#include <cmath>
#include <set>

using namespace helioray;
using namespace helioray::test;

namespace {

/// A heliostat's pivot and aim point, and heliostats whose mirrors lie off their pivots.
constexpr Vec3 kPivot{-35, 80, 3};
constexpr Vec3 kAim{0.5, -1, 60};
const std::string kOffset = "heliostat.mirror_offset_m=0.4";

/// Shape for a heliostat at a slant range.
MirrorShape shape_at(const HeliostatTemplate& heliostat, double slant_range) {
    return mirror_shape(heliostat, {0, 0, 0}, {slant_range, 0, 0});
}

/// Unit vector towards a sun.
Vec3 sun_at(double azimuth_deg, double elevation_deg) {
    const double a = azimuth_deg * std::numbers::pi / 180.0;
    const double h = elevation_deg * std::numbers::pi / 180.0;
    return {std::cos(h) * std::sin(a), std::cos(h) * std::cos(a), std::sin(h)};
}

Vec3 facet_normal(const Facet& facet) {
    return normalized(cross(facet.canting_e, facet.canting_n));
}

/// Largest distance (m) from the aim point of the rays that leave the facets' centres while the
/// heliostat tracks `sun`, in the plane through the aim point perpendicular to each ray.
double largest_miss(const Surface& surface, double mirror_offset, const Vec3& sun) {
    // The angles of the mount follow from the bisector by steps of its own.
    Vec3 normal = normalized(add(sun, normalized(subtract(kAim, kPivot))));
    for (int i = 0; i < 100; ++i)
        normal = normalized(
            add(sun, normalized(subtract(kAim, add_scaled(kPivot, mirror_offset, normal)))));
    const double a = std::atan2(normal[0], normal[1]), h = std::asin(normal[2]);
    const Vec3 e{-std::cos(a), std::sin(a), 0.0};
    const Vec3 n{-std::sin(h) * std::sin(a), -std::sin(h) * std::cos(a), std::cos(h)};
    const auto to_world = [&](const Vec3& v) {
        return add(add(scaled(v[0], e), scaled(v[1], n)), scaled(v[2], normal));
    };
    double largest = 0.0;
    for (const Facet& facet : surface.facets) {
        const Vec3 centre =
            add(add_scaled(kPivot, mirror_offset, normal), to_world(facet.translation));
        const Vec3 m = to_world(facet_normal(facet));
        const Vec3 ray = subtract(scaled(2.0 * dot(m, sun), m), sun);
        largest = std::max(largest, norm(cross(subtract(kAim, centre), ray)));
    }
    return largest;
}

}  // namespace

TEST_CASE("mirror: facets and gaps fill the template's size") {
    const HeliostatTemplate heliostat = field({"heliostat.facets=[3, 2]",
                                               "heliostat.facet_gap_m=[0.3, 0.1]",
                                               "heliostat.canting_distance_m=none"})
                                            .heliostat;
    const Surface surface = mirror_surface(heliostat, shape_at(heliostat, 100.0));
    REQUIRE(surface.facets.size() == 6);
    double west = 0, east = 0, south = 0, north = 0, area = 0;
    for (const Facet& facet : surface.facets) {
        west = std::min(west, facet.translation[0] - facet.canting_e[0]);
        east = std::max(east, facet.translation[0] + facet.canting_e[0]);
        south = std::min(south, facet.translation[1] - facet.canting_n[1]);
        north = std::max(north, facet.translation[1] + facet.canting_n[1]);
        area += 4.0 * norm(facet.canting_e) * norm(facet.canting_n);
        CHECK(facet.canting_e[2] == 0.0);
    }
    CHECK(east - west == Approx(6.0));
    CHECK(north - south == Approx(5.0));
    CHECK(area == Approx((6.0 - 0.6) * (5.0 - 0.1)));
    CHECK(surface.facets[1].translation[0] - surface.facets[0].translation[0] == Approx(1.8 + 0.3));
    CHECK(surface.facets[0].name == "facet_1");
}

TEST_CASE("mirror: facets have the offsets of the template") {
    const FieldTemplate made =
        field({"heliostat.facets=[2, 2]", "heliostat.facet_offsets_m=[0, 0.1, 0.2, -0.3]"});
    const Surface surface =
        mirror_surface(made.heliostat, mirror_shape(made.heliostat, {0, 100, 3}, {0, 0, 60}));
    REQUIRE(surface.facets.size() == 4);
    CHECK(surface.facets[1].translation[2] == 0.1);
    CHECK(surface.facets[1].translation[0] > 0.0);
    CHECK(surface.facets[3].translation[2] == -0.3);
    CHECK(contains(test::message_of([] {
                       field({"heliostat.facets=[2, 2]", "heliostat.facet_offsets_m=[0, 0.1]"});
                   }),
                   "facet_offsets_m"));
    CHECK(contains(test::message_of([] { field({"heliostat.facet_offsets_m=[50]"}); }),
                   "outside of its range"));
}

TEST_CASE("mirror: on-axis canting reflects axial light to the canting point") {
    const HeliostatTemplate heliostat =
        field({"heliostat.facets=[4, 5]", "heliostat.canting_distance_m=37"}).heliostat;
    const Surface surface = mirror_surface(heliostat, shape_at(heliostat, 100.0));
    for (const Facet& facet : surface.facets) {
        // Edges stay perpendicular and keep their length.
        CHECK(dot(facet.canting_e, facet.canting_n) == Approx(0.0).margin(1e-12));
        CHECK(norm(facet.canting_e) == Approx(0.75));
        CHECK(norm(facet.canting_n) == Approx(0.5));
        // Light that comes down the axis meets (0, 0, 37).
        const Vec3 normal = normalized(cross(facet.canting_e, facet.canting_n));
        const Vec3 reflected = subtract(scaled(2.0 * normal[2], normal), {0, 0, 1});
        const Vec3 wanted = normalized(subtract({0, 0, 37}, facet.translation));
        for (size_t i = 0; i < 3; ++i) CHECK(reflected[i] == Approx(wanted[i]).margin(1e-12));
    }
}

TEST_CASE("mirror: off-axis canting sends the rays of all facets' centres to the aim point") {
    const HeliostatTemplate heliostat = field({"heliostat.facets=[4, 5]",
                                               kOffset,
                                               "heliostat.canting=off_axis",
                                               "heliostat.canting_sun={azimuth_deg: 250, "
                                               "elevation_deg: 30}"})
                                            .heliostat;
    const Surface surface = mirror_surface(heliostat, mirror_shape(heliostat, kPivot, kAim));
    CHECK(largest_miss(surface, 0.4, sun_at(250, 30)) < 1e-9);
    CHECK(largest_miss(surface, 0.4, sun_at(110, 60)) > 0.1);
    for (const Facet& facet : surface.facets) {
        CHECK(dot(facet.canting_e, facet.canting_n) == Approx(0.0).margin(1e-12));
        CHECK(norm(facet.canting_e) == Approx(0.75));
        CHECK(norm(facet.canting_n) == Approx(0.5));
    }
    // On-axis canting misses by the astigmatism of oblique incidence, and is exact for a sun behind
    // the aim point.
    const HeliostatTemplate on_axis =
        field({"heliostat.facets=[4, 5]", "heliostat.slant_step_m=1e-9"}).heliostat;
    const Surface axial = mirror_surface(on_axis, mirror_shape(on_axis, kPivot, kAim));
    CHECK(largest_miss(axial, 0.0, sun_at(250, 30)) > 0.1);
    CHECK(largest_miss(axial, 0.0, normalized(subtract(kAim, kPivot))) < 1e-7);
}

TEST_CASE("mirror: a canting time is the sun of the site at that time") {
    const std::vector<std::string> site{"site.latitude_deg=37.4",
                                        "site.longitude_deg=-6.25",
                                        "heliostat.facets=[2, 2]",
                                        "heliostat.canting=off_axis",
                                        "heliostat.canting_time=2026-03-20T14:00:00+01:00"};
    const HeliostatTemplate heliostat = field(site).heliostat;
    const Vec3 sun = std::get<OffAxisCanting>(*heliostat.canting).sun;
    const GeodeticPosition plant{37.4, -6.25, 0.0};
    CHECK(sun == direction_to_sun(solar_position("2026-03-20T13:00:00Z", plant)));
    const Surface surface = mirror_surface(heliostat, mirror_shape(heliostat, kPivot, kAim));
    CHECK(largest_miss(surface, 0.0, sun) < 1e-9);
}

TEST_CASE("mirror: canting to a point makes all facets face it") {
    const HeliostatTemplate heliostat = field({"heliostat.facets=[3, 3]",
                                               "heliostat.canting=point",
                                               "heliostat.canting_point_m=[4, -7, 200]"})
                                            .heliostat;
    const Surface surface = mirror_surface(heliostat, mirror_shape(heliostat, kPivot, kAim));
    for (const Facet& facet : surface.facets) {
        const Vec3 wanted = normalized(subtract({4, -7, 200}, facet.translation));
        for (size_t i = 0; i < 3; ++i)
            CHECK(facet_normal(facet)[i] == Approx(wanted[i]).margin(1e-12));
    }
    // The point at 2 f on the normal is on-axis canting at f, up to third order in size / f.
    const HeliostatTemplate same =
        field({"heliostat.facets=[3, 3]", "heliostat.canting_distance_m=100"}).heliostat;
    const HeliostatTemplate centre = field({"heliostat.facets=[3, 3]",
                                            "heliostat.canting=point",
                                            "heliostat.canting_point_m=[0, 0, 200]"})
                                         .heliostat;
    const Surface a = mirror_surface(same, shape_at(same, 90.0));
    const Surface b = mirror_surface(centre, shape_at(centre, 90.0));
    for (size_t i = 0; i < a.facets.size(); ++i)
        CHECK(norm(subtract(facet_normal(a.facets[i]), facet_normal(b.facets[i]))) < 1e-5);
}

TEST_CASE("mirror: focal lengths by axis are exact paraboloids") {
    const HeliostatTemplate heliostat = field({"heliostat.facets=[2, 2]",
                                               "heliostat.focal_length_m=[80, slant_range]",
                                               "heliostat.canting_distance_m=90"})
                                            .heliostat;
    const Surface surface = mirror_surface(heliostat, shape_at(heliostat, 120.0));
    REQUIRE(surface.facets.size() == 4);
    CHECK(surface.is_fitted());
    for (const Facet& facet : surface.facets) {
        REQUIRE(facet.shape == FacetShape::bspline);
        REQUIRE(facet.degrees == std::array<int64_t, 2>{3, 3});
        REQUIRE(facet.num_control_points == std::array<int64_t, 2>{4, 4});
        const Vec3 normal = facet_normal(facet);
        const Vec3 e = normalized(facet.canting_e), n = normalized(facet.canting_n);
        for (const double u : {0.0, 0.2, 0.5, 0.9, 1.0}) {
            for (const double v : {0.0, 0.35, 0.5, 1.0}) {
                const auto bernstein = [](double t) {
                    const double r = 1.0 - t;
                    return std::array{r * r * r, 3 * r * r * t, 3 * r * t * t, t * t * t};
                };
                const auto bu = bernstein(u), bv = bernstein(v);
                Vec3 point{};
                for (size_t i = 0; i < 4; ++i)
                    for (size_t k = 0; k < 4; ++k)
                        for (size_t c = 0; c < 3; ++c)
                            point[c] += bu[i] * bv[k] * facet.control_points[3 * (4 * i + k) + c];
                const Vec3 local = subtract(point, facet.translation);
                const double x = (2.0 * u - 1.0) * 1.5, y = (2.0 * v - 1.0) * 1.25;
                CHECK(dot(local, e) == Approx(x).margin(1e-12));
                CHECK(dot(local, n) == Approx(y).margin(1e-12));
                CHECK(dot(local, normal) ==
                      Approx(x * x / (4.0 * 80.0) + y * y / (4.0 * 120.0)).margin(1e-14));
            }
        }
    }
    // Equal lengths are a paraboloid of revolution.
    const HeliostatTemplate round = field({"heliostat.focal_length_m=[80, 80]"}).heliostat;
    const Facet facet = mirror_surface(round, shape_at(round, 120.0)).facets.front();
    CHECK(facet.shape == FacetShape::paraboloid);
    CHECK(facet.focal_length == 80.0);
}

TEST_CASE("mirror: lengths follow the slant range in steps, or are given") {
    const auto both = [](double length) { return std::array{length, length}; };
    const HeliostatTemplate own =
        field({"heliostat.slant_step_m=2", "heliostat.facets=[2, 1]"}).heliostat;
    CHECK(shape_at(own, 101.2) == MirrorShape{both(102.0), on_axis_canting(102.0)});
    CHECK(shape_at(own, 100.9) == MirrorShape{both(100.0), on_axis_canting(100.0)});
    CHECK(shape_at(own, 0.1).focal_lengths == both(2.0));
    const HeliostatTemplate fixed =
        field({"heliostat.focal_length_m=250", "heliostat.canting_distance_m=none"}).heliostat;
    CHECK(shape_at(fixed, 101.2) == MirrorShape{both(250.0), std::nullopt});
    const HeliostatTemplate flat = field({"heliostat.facet_shape=flat"}).heliostat;
    CHECK(shape_at(flat, 101.2) == MirrorShape{std::nullopt, std::nullopt});

    SurfaceStore store(own);
    CHECK(store.get(shape_at(own, 101.2)) == store.get(shape_at(own, 102.3)));
    CHECK(store.get(shape_at(own, 104.0)) != store.get(shape_at(own, 102.3)));
    CHECK(store.size() == 2);
}

TEST_CASE("mirror: heliostats with off-axis canting have individual surfaces") {
    const MadeField made = generate_field(field({"heliostat.facets=[2, 2]",
                                                 "heliostat.slant_step_m=100",
                                                 "heliostat.canting=off_axis",
                                                 "heliostat.canting_sun={azimuth_deg: 180, "
                                                 "elevation_deg: 50}",
                                                 "layout.heliostats=30"}),
                                          {});
    std::set<const Surface*> surfaces;
    for (const Heliostat& heliostat : made.scenario.heliostats)
        surfaces.insert(heliostat.surface.get());
    CHECK(surfaces.size() == 30);
}

TEST_CASE("mirror: facets have the outline of the template") {
    const HeliostatTemplate heliostat = field({"heliostat.facets=[2, 1]",
                                               "heliostat.facet_outline=round",
                                               "heliostat.facet_hole_m=0.6"})
                                            .heliostat;
    const Surface surface = mirror_surface(heliostat, shape_at(heliostat, 100.0));
    REQUIRE(surface.facets.size() == 2);
    CHECK(surface.facets[1].outline.kind == FacetOutlineKind::round);
    CHECK(surface.facets[1].outline.hole == Approx(0.2));
    const FacetOutline polygon =
        field({"heliostat.facet_outline=polygon",
               "heliostat.facet_corners_m=[[0, 2], [3, -2.5], [-3, -2.5]]"})
            .heliostat.outline;
    CHECK(polygon.corners.size() == 3);
    CHECK(outline_fraction(polygon) == Approx(0.5 * 6.0 * 4.5 / 30.0));
    const auto message = [](const std::vector<std::string>& more) {
        return test::message_of([&] { field(more); });
    };
    CHECK(contains(message({"heliostat.facet_hole_m=0.6"}),
                   "heliostat.facet_hole_m: is given for facets of outline rectangle"));
    CHECK(contains(message({"heliostat.facet_outline=round", "heliostat.facet_hole_m=6"}),
                   "is not less than the facet's width, 6 m"));
    CHECK(contains(message({"heliostat.facet_outline=polygon"}), "facet_corners_m"));
    CHECK(contains(message({"heliostat.facet_outline=polygon",
                            "heliostat.facet_corners_m=[[0, 2], [3.5, -2.5], [-3, -2.5]]"}),
                   "is outside the facet of 6 x 5 m"));
    CHECK(contains(message({"heliostat.facet_outline=polygon",
                            "heliostat.facet_corners_m=[[0, 2], [0, 1], [3, -2], [-3, -2]]"}),
                   "is not convex"));
}

TEST_CASE("mirror: a template's shapes by elevation are interpolated in curvature and tilt") {
    const HeliostatTemplate heliostat = field({"heliostat.by_elevation=[{elevation_deg: 0, "
                                               "focal_length_m: [100, 80], tilt_mrad: -2}, "
                                               "{elevation_deg: 60, focal_length_m: 200}]"})
                                            .heliostat;
    const Surface surface = mirror_surface(heliostat, shape_at(heliostat, 100.0));
    REQUIRE(surface.bent.size() == 2);
    CHECK(find_bending_problem(surface).empty());
    const auto rise = [](const Facet& facet, size_t i, size_t k) {
        // A corner of a cubic patch is a control point; height is along the facet's normal.
        const double* p = facet.control_points.data() + 3 * (4 * i + k);
        return dot(Vec3{p[0], p[1], p[2]}, facet_normal(facet));
    };
    for (const double degrees : {-20.0, 0.0, 30.0, 60.0, 90.0}) {
        const double t = std::clamp(degrees / 60.0, 0.0, 1.0);
        const double along = (1.0 - t) / 100.0 + t / 200.0, across = (1.0 - t) / 80.0 + t / 200.0;
        const Surface bent = surface_at(surface, degrees * std::numbers::pi / 180.0);
        const Facet& facet = bent.facets.at(0);
        CAPTURE(degrees);
        CHECK(rise(facet, 0, 0) == Approx(0.25 * (9.0 * along + 6.25 * across)).epsilon(1e-5));
        // Negative tilts turn the normal downwards.
        CHECK(facet_normal(facet)[1] == Approx(-2e-3 * (1.0 - t)).margin(1e-8));
        CHECK(norm(facet.canting_n) == Approx(2.5).epsilon(1e-12));
    }
    const auto message = [](const std::string& rows,
                            const std::string& more = "heliostat.width_m=6") {
        return test::message_of([&] { field({"heliostat.by_elevation=" + rows, more}); });
    };
    CHECK(contains(message("[{elevation_deg: 0}]"), "has fewer than two entries"));
    CHECK(contains(message("[{elevation_deg: 0}, {tilt_mrad: 1}]"), "elevation_deg"));
    CHECK(contains(message("[{elevation_deg: 50}, {elevation_deg: 10}]"),
                   "is not above that of the entry"));
    CHECK(contains(message("[{elevation_deg: 0, focal_length_m: 9}, {elevation_deg: 10}]",
                           "heliostat.facet_shape=flat"),
                   "is given for flat facets"));
    CHECK(contains(message("[{elevation_deg: 0, focal_length_m: [9, 8]}, {elevation_deg: 10}]",
                           "heliostat.facet_shape=sphere"),
                   "differs by axis"));
    CHECK(contains(message("[{elevation_deg: 0, canting_distance_m: 9}, {elevation_deg: 10}]",
                           "heliostat.canting_distance_m=none"),
                   "is not canted on its axis"));
}

TEST_CASE("mirror: a template's shapes by temperature are interpolated like those by elevation") {
    const std::string rows =
        "focal_length_m: [100, 80], tilt_mrad: -2}, {UPPER, focal_length_m: 200}]";
    const auto surface = [&](const std::string& key, const std::string& low, std::string text) {
        text.replace(text.find("UPPER"), 5, key);
        const HeliostatTemplate heliostat = field({low + text}).heliostat;
        return mirror_surface(heliostat, shape_at(heliostat, 100.0));
    };
    const Surface warm =
        surface("temperature_c: 40", "heliostat.by_temperature=[{temperature_c: -20, ", rows);
    const Surface raised =
        surface("elevation_deg: 60", "heliostat.by_elevation=[{elevation_deg: 0, ", rows);
    REQUIRE(warm.is_bent_by(BendingAxis::temperature));
    REQUIRE_FALSE(raised.is_bent_by(BendingAxis::temperature));
    CHECK(find_bending_problem(warm).empty());
    for (const double temperature : {-40.0, -20.0, 10.0, 25.0, 40.0, 55.0}) {
        CAPTURE(temperature);
        const double elevation = (temperature + 20.0) * std::numbers::pi / 180.0;
        const Facet cold = surface_at(warm, temperature).facets.at(0);
        const Facet steep = surface_at(raised, elevation).facets.at(0);
        for (size_t i = 0; i < cold.control_points.size(); ++i)
            CHECK(cold.control_points[i] == Approx(steep.control_points[i]).margin(1e-12));
        for (size_t i = 0; i < 3; ++i)
            CHECK(cold.canting_n[i] == Approx(steep.canting_n[i]).margin(1e-12));
    }
    const auto message = [](const std::vector<std::string>& settings) {
        return test::message_of([&] { field(settings); });
    };
    const std::string two = "heliostat.by_temperature=[{temperature_c: 0}, {temperature_c: 40}]";
    CHECK(contains(message({"heliostat.by_temperature=[{temperature_c: 0}]"}),
                   "give at least two, such as 0 and 40"));
    CHECK(contains(message({"heliostat.by_temperature=[{temperature_c: 9}, {temperature_c: 3}]"}),
                   "its temperature_c is not above that of the entry before"));
    CHECK(contains(message({"heliostat.by_temperature=[{temperature_c: 0}, {temperature_c: 293}]"}),
                   "it is a temperature of the air in degrees Celsius"));
    CHECK(
        contains(message({two, "heliostat.by_elevation=[{elevation_deg: 0}, {elevation_deg: 9}]"}),
                 "is given beside by_elevation"));
}
