// SPDX-License-Identifier: MIT
// Annuli, cones and spheres: areas, unrolled points, normals, aim points, files and broken rules.
#include "scenario/files/error.h"
#include "scenario/reader/scenario_reader.h"
#include "scenario/types/describe.h"
#include "scenario/types/receivers.h"
#include "scenario/types/vector_math.h"
#include "scenario/writer/scenario_writer.h"
#include "tests/scenario/sample_scenario.h"
#include "tests/scenario/temporary_folder.h"
#include "tests/support/catch2.h"

#include <numbers>

using namespace helioray;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

using Side = CylindricalTarget::Side;

// Axes that are not those of the world, of unit length and perpendicular.
const Vec3 kAxis{0.36, 0.48, 0.8};
const Vec3 kNormal{0.8, -0.6, 0.0};

const AnnularTarget kRing{{1, 2, 30}, kAxis, kNormal, 3.0, 1.25, 1.5};
const ConicalTarget kFunnel{{1, 2, 30}, kAxis, kNormal, 3.0, 1.0, 2.5, 1.5, Side::inner};
const ConicalTarget kTip{
    {1, 2, 30}, kAxis, kNormal, 0.0, 2.0, 2.5, 2.0 * std::numbers::pi, Side::outer};
const SphericalTarget kZone{{1, 2, 30}, kAxis, kNormal, 3.0, -0.4, 0.9, 1.5, Side::inner};
const SphericalTarget kBall{{1, 2, 30},
                            kAxis,
                            kNormal,
                            3.0,
                            -std::numbers::pi / 2,
                            std::numbers::pi / 2,
                            2 * std::numbers::pi,
                            {}};

template <typename Check>
void for_each_shape(const Check& check) {
    check(kRing);
    check(kFunnel);
    check(kTip);
    check(kZone);
    check(kBall);
}

/// Returns the area of a piece of the unrolled surface from its points in space.
template <typename Shape>
double area_in_space(const Shape& shape, double left, double bottom, double right, double top) {
    constexpr int kSteps = 40;
    const auto at = [&](int i, int j) {
        return point_in_frame(
            shape, left + (right - left) * i / kSteps, bottom + (top - bottom) * j / kSteps);
    };
    double area = 0.0;
    for (int i = 0; i < kSteps; ++i)
        for (int j = 0; j < kSteps; ++j)
            area += 0.5 * norm(cross(subtract(at(i + 1, j + 1), at(i, j)),
                                     subtract(at(i, j + 1), at(i + 1, j))));
    return area;
}

Scenario with(const std::vector<Target>& surfaces) {
    Scenario scenario = test::plain_scenario();
    scenario.targets.insert(scenario.targets.end(), surfaces.begin(), surfaces.end());
    scenario.receivers = {{"r", std::nullopt}};
    return scenario;
}

}  // namespace

TEST_CASE("round targets: areas are those of closed forms") {
    const auto area = [](const TargetShape& shape) { return surface_area({"", shape, "r"}); };
    CHECK_THAT(area(kRing), WithinRel(0.75 * (9.0 - 1.5625), 1e-12));
    // Half the sum of the radii, the angle and the length of the shell.
    CHECK_THAT(area(kFunnel), WithinRel(2.0 * 1.5 * std::hypot(2.5, 2.0), 1e-12));
    CHECK_THAT(area(kTip), WithinRel(std::numbers::pi * 2.0 * std::hypot(2.5, 2.0), 1e-12));
    CHECK_THAT(area(kZone), WithinRel(9.0 * 1.5 * (std::sin(0.9) + std::sin(0.4)), 1e-12));
    CHECK_THAT(area(kBall), WithinRel(36.0 * std::numbers::pi, 1e-12));
    // A cone with equal radii is a cylinder.
    ConicalTarget pipe = kTip;
    pipe.bottom_radius = 2.0;
    CHECK_THAT(area(pipe), WithinRel(2.0 * std::numbers::pi * 2.0 * 2.5, 1e-12));
    CHECK_THAT(point_in_frame(pipe, 0.0, 1.0)[2], WithinAbs(1.0, 1e-12));
}

TEST_CASE("round targets: all pixels of the unrolled surface have the same area") {
    for_each_shape([](const auto& shape) {
        INFO(shape.kKind);
        const auto [width, height] = shape_extent(shape);
        constexpr int kRows = 5;
        for (int row = 0; row < kRows; ++row) {
            const double bottom = height * (static_cast<double>(row) / kRows - 0.5);
            const double area =
                area_in_space(shape, -0.1 * width, bottom, 0.15 * width, bottom + height / kRows);
            // At an apex and at poles the quadrilaterals are a little smaller than the surface.
            CHECK_THAT(area, WithinRel(0.25 * width * height / kRows, 5e-3));
        }
    });
}

TEST_CASE("round targets: points go to their place on the map") {
    for_each_shape([](const auto& shape) {
        INFO(shape.kKind);
        const auto [width, height] = shape_extent(shape);
        for (const double u : {-0.45, -0.1, 0.3}) {
            for (const double v : {-0.4, 0.0, 0.49}) {
                const Vec3 point = point_in_frame(shape, u * width, v * height);
                const auto [x, y] = place_on_map(shape, point);
                CHECK_THAT(x, WithinAbs(u * width, 1e-9));
                CHECK_THAT(y, WithinAbs(v * height, 1e-9));
            }
        }
    });
}

TEST_CASE("round targets: an observer who faces the lit side sees the map upright") {
    for_each_shape([](const auto& shape) {
        INFO(shape.kKind);
        const auto axes = compute_axes(shape);
        const auto in_world = [&](double x, double y) {
            const Vec3 p = point_in_frame(shape, x, y);
            Vec3 world = shape.center;
            for (size_t i = 0; i < 3; ++i) world = add_scaled(world, p[i], axes[i]);
            return world;
        };
        const auto [width, height] = shape_extent(shape);
        for (const double v : {-0.3, 0.2}) {
            const Vec3 here = in_world(0.05 * width, v * height);
            const Vec3 right = subtract(in_world(0.051 * width, v * height), here);
            const Vec3 up = subtract(in_world(0.05 * width, (v + 1e-3) * height), here);
            const Vec3 normal = normalized(cross(right, up));
            CHECK(dot(normal, lit_normal(shape, here)) > 0.999);
        }
    });
}

TEST_CASE("round targets: heliostats aim at the side that faces them") {
    const Vec3 from{40, -80, 1};
    // Whole surfaces turn their aim point, sectors and inner sides have one.
    for (const Target& target : {Target{"a", kTip, "r"}, Target{"b", kBall, "r"}}) {
        const Vec3 point = default_aim_point(target, from);
        CHECK(norm(subtract(from, point)) < norm(subtract(from, default_aim_point(target))));
    }
    CHECK(norm(subtract(default_aim_point({"", kBall, "r"}, from), kBall.center)) ==
          Approx(kBall.radius));
    const Vec3 way = normalized(subtract(from, kBall.center));
    CHECK(dot(way, subtract(default_aim_point({"", kBall, "r"}, from), kBall.center)) ==
          Approx(kBall.radius));
    for (const TargetShape& shape : {TargetShape{kRing}, TargetShape{kFunnel}, TargetShape{kZone}})
        CHECK(default_aim_point({"", shape, "r"}, from) == default_aim_point({"", shape, "r"}));
    // Heliostats aim at the ball that shows them its lit side.
    SphericalTarget hollow = kBall;
    hollow.side = Side::inner;
    const std::vector<Target> both{{"in", hollow, "r"}, {"out", kBall, "r"}};
    CHECK(facing_surface(both, {0, 1}, from) == 1);
}

TEST_CASE("round targets: files come back equal, and info describes them") {
    const test::TemporaryFolder folder;
    const Scenario scenario = with({{"ring", kRing, "r"},
                                    {"funnel", kFunnel, "r"},
                                    {"tip", kTip, "r", SurfaceUse::shield},
                                    {"ball", kBall, "r"},
                                    {"zone", kZone, "r"}});
    write_scenario(scenario, folder / "a.h5");
    const Scenario back = read_scenario(folder / "a.h5");
    CHECK(back.warnings.empty());
    REQUIRE(back.targets.size() == scenario.targets.size());
    for (const Target& target : scenario.targets) {
        INFO(target.name);
        CHECK(back.targets[*back.find_target(target.name)] == target);
    }
    const std::string text = format_tables(describe(back));
    for (const char* words : {"annulus",
                              "radii 1.250 to 3.000, 85.9 deg",
                              "cone, inner side",
                              "radii 0.000 to 2.000, height 2.500, 360.0 deg",
                              "sphere, inner side",
                              "radius 3.000, latitudes -90.0 to 90.0 deg, 360.0 deg"})
        CHECK_THAT(text, ContainsSubstring(words));
}

TEST_CASE("round targets: contradictions in files are reported with their place") {
    struct Case {
        TargetShape shape;
        const char* what;
    };
    const auto changed = [](auto shape, const auto& change) {
        change(shape);
        return TargetShape{shape};
    };
    const std::vector<Case> cases{
        {changed(kRing, [](AnnularTarget& s) { s.inner_radius = 3.0; }),
         "target_areas_annular/x/inner_radius: is 3, not below the outer radius 3"},
        {changed(kRing, [](AnnularTarget& s) { s.inner_radius = -1.0; }),
         "target_areas_annular/x/inner_radius: is -1"},
        {changed(kRing, [](AnnularTarget& s) { s.middle = s.normal; }),
         "target_areas_annular/x/middle: is not perpendicular"},
        {changed(kTip, [](ConicalTarget& s) { s.top_radius = 0.0; }),
         "target_areas_conical/x/top_radius: is 0"},
        {changed(kTip, [](ConicalTarget& s) { s.height = 0.0; }),
         "target_areas_conical/x/height: is 0"},
        {changed(kTip, [](ConicalTarget& s) { s.normal = s.axis; }),
         "target_areas_conical/x/normal: is not perpendicular"},
        {changed(kZone, [](SphericalTarget& s) { s.top_latitude = -0.4; }),
         "target_areas_spherical/x/top_latitude: is not above the lower rim"},
        {changed(kZone, [](SphericalTarget& s) { s.top_latitude = 2.0; }),
         "target_areas_spherical/x/top_latitude: is 2"},
        {changed(kZone, [](SphericalTarget& s) { s.opening_angle = 400.0; }),
         "target_areas_spherical/x/opening_angle: is 400, more than a full turn"}};
    for (const Case& item : cases) {
        INFO(item.what);
        const test::TemporaryFolder folder;
        write_scenario(with({{"x", item.shape, "r"}, {"y", kRing, "r"}}), folder / "a.h5");
        CHECK_THROWS_WITH(read_scenario(folder / "a.h5"), ContainsSubstring(item.what));
    }
    const test::TemporaryFolder folder;
    Scenario alone = with({{"x", kBall}});
    alone.receivers.clear();
    write_scenario(alone, folder / "a.h5");
    CHECK_THROWS_WITH(read_scenario(folder / "a.h5"),
                      ContainsSubstring("spherical targets are surfaces of receivers"));
}
