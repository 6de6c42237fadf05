// SPDX-License-Identifier: MIT
// Ready-made receivers: vertices, perimeters, normals, areas and names follow from closed forms.
#include "scenario/receivers/shapes.h"
#include "scenario/types/receivers.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace helioray;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;
using Type = ReceiverConfig::Type;

namespace {

ReceiverConfig config_of(Type type) {
    ReceiverConfig config;
    config.type = type;
    config.center = {10, -5, 60};
    config.azimuth = 0.3;
    config.radius = 4.0;
    config.height = 8.0;
    return config;
}

const PlanarTarget& plane_of(const Target& target) {
    return std::get<PlanarTarget>(target.geometry);
}

/// Returns a point of a plane, metres to the right and up from its centre.
Vec3 point_of(const Target& target, double right, double up) {
    const PlanarTarget& plane = plane_of(target);
    const auto axes = flat_axes(plane.normal);
    return add_scaled(add_scaled(plane.center, right, axes[0]), up, axes[1]);
}
Vec3 left_edge(const Target& target) {
    return point_of(target, -0.5 * plane_of(target).width, 0.0);
}
Vec3 right_edge(const Target& target) {
    return point_of(target, 0.5 * plane_of(target).width, 0.0);
}

double distance(const Vec3& a, const Vec3& b) {
    return norm(subtract(a, b));
}

std::vector<Target> with_use(const ReceiverSurfaces& made, SurfaceUse use) {
    std::vector<Target> found;
    for (const Target& target : made.targets)
        if (target.use == use) found.push_back(target);
    return found;
}

const Target& named(const ReceiverSurfaces& made, const std::string& name) {
    const auto found = std::find_if(
        made.targets.begin(), made.targets.end(), [&](const Target& t) { return t.name == name; });
    REQUIRE(found != made.targets.end());
    return *found;
}

/// Checks the rules of check_receivers().
void check_rules(const ReceiverSurfaces& made) {
    std::vector<Target> targets = made.targets;
    const auto problems = check_receivers(
        targets,
        {{"r", made.aim_point}},
        {[](const Target& target, const std::string& member) { return target.name + member; },
         [](const Receiver& receiver, const std::string&) { return receiver.name; }});
    for (const Problem& problem : problems) FAIL_CHECK(to_string(problem));
    CHECK(targets == made.targets);
}

}  // namespace

TEST_CASE("shapes: a closed polygon's vertices coincide on its radius and it faces outwards") {
    for (const int64_t panels : {3, 12, 24, 100}) {
        ReceiverConfig config = config_of(Type::polygon);
        config.panels = panels;
        const ReceiverSurfaces made = make_receiver("r", config);
        check_rules(made);
        REQUIRE(made.targets.size() == static_cast<size_t>(panels));
        CHECK_FALSE(made.aim_point.has_value());
        double perimeter = 0.0;
        for (size_t i = 0; i < made.targets.size(); ++i) {
            const Target& panel = made.targets[i];
            const Target& next = made.targets[(i + 1) % made.targets.size()];
            CHECK_THAT(distance(right_edge(panel), left_edge(next)), WithinAbs(0.0, 1e-12));
            CHECK_THAT(distance(left_edge(panel), config.center), WithinRel(4.0, 1e-12));
            const Vec3 outward = subtract(plane_of(panel).center, config.center);
            CHECK_THAT(dot(normalized(outward), plane_of(panel).normal), WithinRel(1.0, 1e-12));
            perimeter += plane_of(panel).width;
        }
        const double n = static_cast<double>(panels);
        CHECK_THAT(perimeter, WithinRel(2.0 * n * 4.0 * std::sin(std::numbers::pi / n), 1e-12));
    }
}

TEST_CASE("shapes: the midpoints of a polygon's panels can be on its radius") {
    ReceiverConfig config = config_of(Type::polygon);
    config.panels = 24;
    const double inscribed = plane_of(make_receiver("r", config).targets[0]).width;
    config.radius_of = ReceiverConfig::RadiusOf::midpoints;
    const ReceiverSurfaces made = make_receiver("r", config);
    for (const Target& panel : made.targets)
        CHECK_THAT(distance(plane_of(panel).center, config.center), WithinRel(4.0, 1e-12));
    const double width = plane_of(made.targets[0]).width;
    CHECK_THAT(width, WithinRel(8.0 * std::tan(std::numbers::pi / 24.0), 1e-12));
    CHECK_THAT(width / inscribed - 1.0, WithinAbs(0.0086, 5e-5));
}

TEST_CASE("shapes: the middle of an open polygon faces its azimuth, from left to right") {
    ReceiverConfig config = config_of(Type::polygon);
    config.panels = 5;
    config.azimuth = 0.0;
    config.arc = std::numbers::pi;
    const ReceiverSurfaces made = make_receiver("r", config);
    check_rules(made);
    CHECK_THAT(plane_of(made.targets[2]).normal[1], WithinRel(1.0, 1e-12));
    // An observer in the north who looks south sees east on the left.
    CHECK_THAT(distance(left_edge(made.targets[0]), {14, -5, 60}), WithinAbs(0.0, 1e-12));
    CHECK_THAT(distance(right_edge(made.targets[4]), {6, -5, 60}), WithinAbs(0.0, 1e-12));
    CHECK_THAT(plane_of(made.targets[0]).width,
               WithinRel(8.0 * std::sin(std::numbers::pi / 10.0), 1e-12));
}

TEST_CASE("shapes: shields continue a polygon's panels above and below") {
    ReceiverConfig config = config_of(Type::polygon);
    config.panels = 12;
    config.shield_height = 1.5;
    const ReceiverSurfaces made = make_receiver("r", config);
    check_rules(made);
    CHECK(with_use(made, SurfaceUse::absorber).size() == 12);
    CHECK(with_use(made, SurfaceUse::shield).size() == 24);
    for (const char* number : {"01", "07", "12"}) {
        const Target& panel = named(made, std::string("r_panel_") + number);
        const Target& top = named(made, std::string("r_shield_top_") + number);
        const Target& bottom = named(made, std::string("r_shield_bottom_") + number);
        CHECK_THAT(distance(point_of(panel, 0, 4), point_of(top, 0, -0.75)), WithinAbs(0, 1e-12));
        CHECK_THAT(distance(point_of(panel, 0, -4), point_of(bottom, 0, 0.75)),
                   WithinAbs(0, 1e-12));
    }
}

TEST_CASE("shapes: the panels of a billboard tile it row by row, and shields frame it") {
    ReceiverConfig config = config_of(Type::billboard);
    config.width = 10.0;
    config.columns = 4;
    config.rows = 3;
    config.tilt = 0.2;
    config.shield_width = 1.0;
    const ReceiverSurfaces made = make_receiver("r", config);
    check_rules(made);
    REQUIRE(made.aim_point.has_value());
    CHECK(distance(*made.aim_point, config.center) == 0.0);
    const auto panels = with_use(made, SurfaceUse::absorber);
    REQUIRE(panels.size() == 12);
    double area = 0.0;
    for (const Target& panel : panels) area += surface_area(panel);
    CHECK_THAT(area, WithinRel(80.0, 1e-12));
    const Vec3 normal = plane_of(panels[0]).normal;
    CHECK_THAT(normal[2], WithinRel(-std::sin(0.2), 1e-12));
    for (const Target& target : made.targets)
        CHECK_THAT(dot(subtract(plane_of(target).center, config.center), normal),
                   WithinAbs(0.0, 1e-12));
    CHECK_THAT(distance(right_edge(panels[0]), left_edge(panels[1])), WithinAbs(0.0, 1e-12));
    const double lower = -plane_of(panels[0]).height;
    CHECK_THAT(distance(point_of(panels[0], 0, lower), plane_of(panels[4]).center),
               WithinAbs(0.0, 1e-12));
    double border = 0.0;
    for (const Target& shield : with_use(made, SurfaceUse::shield)) border += surface_area(shield);
    CHECK_THAT(border, WithinRel(12.0 * 10.0 - 80.0, 1e-12));
    CHECK_THAT(distance(right_edge(named(made, "r_shield_left")),
                        point_of(panels[4], -0.5 * plane_of(panels[4]).width, 0.0)),
               WithinAbs(0.0, 1e-12));
}

TEST_CASE("shapes: a star closes, with tips and inner edges on their radii") {
    ReceiverConfig config = config_of(Type::star);
    config.arms = 5;
    config.inner_radius = 2.0;
    const ReceiverSurfaces made = make_receiver("r", config);
    check_rules(made);
    REQUIRE(made.targets.size() == 10);
    const double width = std::sqrt(16.0 + 4.0 - 16.0 * std::cos(std::numbers::pi / 5.0));
    double solid = 0.0;
    for (size_t i = 0; i < 10; ++i) {
        const Target& panel = made.targets[i];
        CHECK_THAT(plane_of(panel).width, WithinRel(width, 1e-12));
        CHECK_THAT(distance(right_edge(panel), left_edge(made.targets[(i + 1) % 10])),
                   WithinAbs(0.0, 1e-12));
        const Vec3 outward = subtract(plane_of(panel).center, config.center);
        CHECK(dot(outward, plane_of(panel).normal) > 0.0);
        solid += 0.5 * width * dot(outward, plane_of(panel).normal);
    }
    // Area of a star polygon: 2 N triangles of R r sin(pi / N) / 2.
    CHECK_THAT(solid, WithinRel(5.0 * 8.0 * std::sin(std::numbers::pi / 5.0), 1e-12));
    const Vec3 tip = add_scaled(config.center, 4.0, {std::sin(0.3), std::cos(0.3), 0.0});
    CHECK_THAT(distance(right_edge(made.targets[4]), tip), WithinAbs(0.0, 1e-12));
}

TEST_CASE("shapes: the surfaces of a cavity close it behind its aperture") {
    for (const double arc : {0.6 * std::numbers::pi, std::numbers::pi, 1.4 * std::numbers::pi}) {
        ReceiverConfig config = config_of(Type::cavity);
        config.panels = 8;
        config.arc = arc;
        config.aperture_width = 2.0;
        config.lip_top = 1.0;
        config.lip_bottom = 2.0;
        REQUIRE_FALSE(find_size_fault(config).has_value());
        const ReceiverSurfaces made = make_receiver("r", config);
        check_rules(made);
        REQUIRE(made.aim_point.has_value());
        CHECK(*made.aim_point == config.center);
        const Vec3 facing{std::sin(0.3), std::cos(0.3), 0.0};
        // Of a closed body, the area vectors sum to zero: here with the aperture, seen from inside.
        Vec3 sum = scaled(-2.0 * 5.0, facing);
        for (const Target& target : made.targets) {
            const double sign = target.use == SurfaceUse::shield ? -1.0 : 1.0;
            sum = add_scaled(sum, sign * surface_area(target), plane_of(target).normal);
            if (target.use == SurfaceUse::shield)
                CHECK_THAT(dot(plane_of(target).normal, facing), WithinRel(1.0, 1e-12));
        }
        CHECK_THAT(norm(sum), WithinAbs(0.0, 1e-9));
        const double floor = 0.5 * 16.0 * (8.0 * std::sin(arc / 8.0) - std::sin(arc));
        CHECK_THAT(surface_area(named(made, "r_floor")), WithinRel(floor, 1e-9));
        CHECK_THAT(surface_area(named(made, "r_ceiling")), WithinRel(floor, 1e-9));
        // The aperture is 5 m high with its centre at 60 m.
        CHECK_THAT(plane_of(named(made, "r_floor")).center[2], WithinRel(55.5, 1e-12));
        CHECK_THAT(plane_of(named(made, "r_ceiling")).center[2], WithinRel(63.5, 1e-12));
        for (int i = 1; i < 8; ++i) {
            const Target& wall = made.targets[static_cast<size_t>(i)];
            CHECK_THAT(
                distance(left_edge(wall), right_edge(made.targets[static_cast<size_t>(i - 1)])),
                WithinAbs(0.0, 1e-12));
            CHECK(dot(plane_of(wall).normal, subtract(config.center, plane_of(wall).center)) > 0.0);
        }
        // Vertices of the floor are below those of the wall.
        const Target& bottom = named(made, "r_floor");
        for (const auto& [right, up] : bottom.outline) {
            const Vec3 corner = point_of(bottom, right, up);
            const bool is_known = std::any_of(
                made.targets.begin(), made.targets.begin() + 8, [&](const Target& wall) {
                    const Vec3 low = point_of(wall, -0.5 * plane_of(wall).width, -4.0);
                    const Vec3 end = point_of(wall, 0.5 * plane_of(wall).width, -4.0);
                    return distance(low, corner) < 1e-9 || distance(end, corner) < 1e-9;
                });
            CHECK(is_known);
        }
    }
}

TEST_CASE("shapes: a cavity without lips is open over its whole front") {
    ReceiverConfig config = config_of(Type::cavity);
    config.panels = 4;
    const ReceiverSurfaces made = make_receiver("r", config);
    CHECK(made.targets.size() == 6);
    CHECK(with_use(made, SurfaceUse::shield).empty());
}

TEST_CASE("shapes: sectors of a cylinder go round it, with shields above and below") {
    ReceiverConfig config = config_of(Type::cylinder);
    config.shield_height = 2.0;
    ReceiverSurfaces made = make_receiver("r", config);
    check_rules(made);
    REQUIRE(made.targets.size() == 3);
    CHECK_THAT(surface_area(made.targets[0]), WithinRel(2.0 * std::numbers::pi * 4.0 * 8.0, 1e-12));
    const auto& top = std::get<CylindricalTarget>(named(made, "r_shield_top").geometry);
    CHECK_THAT(top.center[2] - 0.5 * top.height, WithinRel(64.0, 1e-12));
    const auto& low = std::get<CylindricalTarget>(named(made, "r_shield_bottom").geometry);
    CHECK_THAT(low.center[2] + 0.5 * low.height, WithinRel(56.0, 1e-12));

    config.panels = 6;
    made = make_receiver("r", config);
    check_rules(made);
    double area = 0.0;
    for (const Target& sector : with_use(made, SurfaceUse::absorber)) area += surface_area(sector);
    CHECK_THAT(area, WithinRel(2.0 * std::numbers::pi * 4.0 * 8.0, 1e-12));
    // The first two sectors meet at a bearing of the azimuth + 120 degrees.
    const auto first = std::get<CylindricalTarget>(made.targets[0].geometry);
    CHECK_THAT(std::atan2(first.normal[0], first.normal[1]),
               WithinRel(0.3 + std::numbers::pi - std::numbers::pi / 6.0, 1e-12));
}

TEST_CASE("shapes: names have as many digits as the number of panels") {
    ReceiverConfig config = config_of(Type::polygon);
    config.panels = 100;
    const ReceiverSurfaces made = make_receiver("r", config);
    CHECK(made.targets.front().name == "r_panel_001");
    CHECK(made.targets.back().name == "r_panel_100");
    CHECK(std::is_sorted(made.targets.begin(),
                         made.targets.end(),
                         [](const auto& a, const auto& b) { return a.name < b.name; }));
}

TEST_CASE("shapes: sizes that contradict each other are found") {
    const auto fault = [](ReceiverConfig config) {
        const auto found = find_size_fault(config);
        return found ? found->key : "";
    };
    ReceiverConfig polygon = config_of(Type::polygon);
    polygon.panels = 2;
    CHECK(fault(polygon) == "panels");
    polygon.panels = 3;
    CHECK(fault(polygon).empty());
    ReceiverConfig star = config_of(Type::star);
    star.inner_radius = 4.0;
    CHECK(fault(star) == "inner_radius_m");
    ReceiverConfig cavity = config_of(Type::cavity);
    cavity.panels = 8;
    CHECK(fault(cavity).empty());
    cavity.aperture_width = 8.5;
    CHECK(fault(cavity) == "aperture_width_m");
    cavity.lip_top = cavity.lip_bottom = 4.0;
    CHECK(fault(cavity) == "height_m");
    cavity.arc = 1.9 * std::numbers::pi;
    CHECK(fault(cavity) == "arc_deg");
}
