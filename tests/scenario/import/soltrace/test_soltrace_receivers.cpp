// SPDX-License-Identifier: MIT
// SolTrace projects: receivers of several elements, their shapes and lit faces.
#include "scenario/types/receivers.h"
#include "scenario/types/vector_math.h"
#include "tests/scenario/import/soltrace/soltrace_support.h"
#include "tests/scenario/temporary_folder.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>

using namespace helioray;
using namespace helioray::test;

namespace {

/// Places of a receiver 60 m high whose front faces the mirror of kMirror in the north.
const std::string kNorth = "0\t0\t60\t0\t10\t60\t0";

/// Optics whose back or front reflects.
std::string one_sided_optics(double front, double back) {
    return fmt::format(
        "OPTICS LIST COUNT\t2\n"
        "OPTICAL PAIR\tMirror\n"
        "OPTICAL\tg\t3\t1\t4\t0.9\t1\t1.5\t0.25\t1\t0\t0\t0\t0\t0\n"
        "OPTICAL\tg\t3\t1\t4\t0\t1\t1\t1\t1\t0\t0\t0\t0\t0\n"
        "OPTICAL PAIR\tAbsorber\n"
        "OPTICAL\tg\t3\t1\t4\t{}\t1\t1\t1\t1\t0\t0\t0\t0\t0\n"
        "OPTICAL\tg\t3\t1\t4\t{}\t1\t1\t1\t1\t0\t0\t0\t0\t0\n",
        front,
        back);
}

Target only_target(const std::string& receiver, const std::string& optics = kOptics) {
    const st::Import made =
        import(project({stage("Field", {kMirror}), stage("Receiver", {receiver})}, kSun, optics));
    REQUIRE(made.scenario.targets.size() == 1);
    CHECK(made.scenario.receivers.empty());
    return made.scenario.targets[0];
}

Target flat_target(const std::string& aperture, const std::string& place = kNorth) {
    return only_target(element(place, aperture, kFlat, "Absorber"));
}

std::string part_of_cylinder(double from, double to) {
    return fmt::format("l\t{}\t{}\t6\t0\t0\t0\t0\t0", from, to);
}

/// Returns the corners of a target's outline in the world.
std::vector<Vec3> outline_corners(const Target& target) {
    const auto& plane = std::get<PlanarTarget>(target.geometry);
    const auto axes = flat_axes(plane.normal);
    std::vector<Vec3> corners;
    for (const auto& [right, up] : target.outline)
        corners.push_back(add(plane.center, add(scaled(right, axes[0]), scaled(up, axes[1]))));
    return corners;
}

}  // namespace

TEST_CASE("soltrace: flat receivers are polygons and discs") {
    struct Case {
        std::string aperture;
        std::vector<std::array<double, 2>> corners;
        double area;
    };
    const double s = std::sqrt(3.0);
    const std::vector<Case> cases{
        {"h\t4\t0\t0\t0\t0\t0\t0\t0",
         {{2, 0}, {1, s}, {-1, s}, {-2, 0}, {-1, -s}, {1, -s}},
         6.0 * s},
        {"t\t4\t0\t0\t0\t0\t0\t0\t0", {{0, 2}, {s, -1}, {-s, -1}}, 3.0 * s},
        {"i\t1\t1\t5\t1\t1\t4\t0\t0", {{1, 1}, {5, 1}, {1, 4}}, 6.0},
        {"q\t0\t0\t0\t2\t3\t2\t4\t0", {{0, 0}, {0, 2}, {3, 2}, {4, 0}}, 7.0},
    };
    for (const Case& item : cases) {
        for (const std::string place :
             {"0\t0\t60\t0\t10\t60\t0", "0\t0\t60\t1\t10\t50\t25", "0\t0\t60\t0\t-10\t60\t10"}) {
            INFO(item.aperture << " at " << place);
            const Target target = flat_target(item.aperture, place);
            CHECK(surface_area(target) == Approx(item.area).epsilon(1e-6));
            CHECK(outline_area(target.outline) > 0.0);
            // The front faces the mirror in the north, also where that of the element does not.
            CHECK(std::get<PlanarTarget>(target.geometry).normal[1] > 0.5);
            const bool is_first = place.ends_with("60\t0");
            const st::Frame frame = is_first ? st::make_frame({0, 0, 60}, {0, 10, 60}, 0)
                                    : place.ends_with("25")
                                        ? st::make_frame({0, 0, 60}, {1, 10, 50}, 25)
                                        : st::make_frame({0, 0, 60}, {0, -10, 60}, 10);
            const auto found = outline_corners(target);
            REQUIRE(found.size() == item.corners.size());
            for (const auto& [x, y] : item.corners)
                CHECK(has_corner(found, frame.point({x, y, 0})));
        }
    }
    const Target turned = flat_target(rectangle(8, 6), "0\t0\t60\t0\t10\t60\t5");
    CHECK(turned.outline.size() == 4);
    CHECK(surface_area(turned) == Approx(48.0).epsilon(1e-6));
    CHECK(std::get<DiscTarget>(flat_target("c\t4\t0\t0\t0\t0\t0\t0\t0").geometry).radius == 2.0);
    CHECK(std::get<DiscTarget>(flat_target("a\t0\t3\t360\t0\t0\t0\t0\t0").geometry).radius == 3.0);
    // A section of a plane lies beside its origin; the element's x axis points to the west.
    const auto section = std::get<PlanarTarget>(flat_target(part_of_cylinder(1, 5)).geometry);
    const st::Frame frame = st::make_frame({0, 0, 60}, {0, 10, 60}, 0);
    CHECK(norm(subtract(section.center, frame.point({3, 0, 0}))) < 1e-9);
    CHECK(section.width == 4.0);
    CHECK(section.height == 6.0);
}

TEST_CASE("soltrace: a receiver that faces straight down has up along north") {
    // The frame of such an element is vertical only but for rounding.
    const auto plane =
        std::get<PlanarTarget>(flat_target(rectangle(8, 6), "0\t0\t60\t0\t0\t10\t0").geometry);
    CHECK(plane.normal == Vec3{0, 0, -1});
    CHECK(plane.width == 8.0);
    CHECK(plane.height == 6.0);
}

TEST_CASE("soltrace: parts of cylinders are lit from the side that absorbs") {
    // The z axis of a cylinder's element points from its surface to its axis.
    const auto part = [&](double front, double back, double from = -1, double to = 1) {
        return std::get<CylindricalTarget>(
            only_target(element(kNorth, part_of_cylinder(from, to), curved('s', 0.5), "Absorber"),
                        one_sided_optics(front, back))
                .geometry);
    };
    const CylindricalTarget cavity = part(0.05, 0.9);
    CHECK(cavity.side == CylindricalTarget::Side::inner);
    CHECK(cavity.radius == 2.0);
    CHECK(cavity.height == 6.0);
    CHECK(cavity.center[1] == Approx(2.0));
    CHECK(cavity.opening_angle == Approx(std::numbers::pi / 3.0));
    CHECK(cavity.normal[1] == Approx(-1.0));
    CHECK(cavity.axis[2] == Approx(1.0));
    // From behind, mirrors see the outside.
    CHECK(std::get<CylindricalTarget>(only_target(element("0\t0\t60\t0\t-10\t60\t0",
                                                          part_of_cylinder(-1, 1),
                                                          curved('s', 0.5),
                                                          "Absorber"),
                                                  one_sided_optics(0.9, 0.05))
                                          .geometry)
              .side == CylindricalTarget::Side::outer);
    // If both sides absorb, mirrors in the north see the inside.
    CHECK(part(0.05, 0.05).side == CylindricalTarget::Side::inner);
    // From the middle to the edge; the middle of this part is at 15 degrees.
    const CylindricalTarget half = part(0.05, 0.05, 0, 1);
    CHECK(half.opening_angle == Approx(std::numbers::pi / 6.0));
    const st::Frame frame = st::make_frame({0, 0, 60}, {0, 10, 60}, 0);
    const Vec3 middle = frame.direction(
        {std::sin(std::numbers::pi / 12.0), 0.0, -std::cos(std::numbers::pi / 12.0)});
    CHECK(norm(subtract(half.normal, middle)) < 1e-9);
    CHECK(part(0.05, 0.05, -2, 2).opening_angle == Approx(std::numbers::pi));
    const auto tube = [&](double front, double back) {
        return std::get<CylindricalTarget>(
                   only_target(
                       element(kNorth, part_of_cylinder(0, 0), curved('t', 0.5), "Absorber"),
                       one_sided_optics(front, back))
                       .geometry)
            .side;
    };
    CHECK(tube(0.05, 0.05) == CylindricalTarget::Side::outer);
    CHECK(tube(0.9, 0.05) == CylindricalTarget::Side::outer);
}

TEST_CASE("soltrace: several elements become the surfaces of one receiver") {
    // A square of panels 4 m wide, fronts inwards as written, with mirrors all around.
    std::vector<std::string> panels, mirrors;
    for (int i = 0; i < 4; ++i) {
        const double a = 0.5 * std::numbers::pi * i, x = std::sin(a), y = std::cos(a);
        panels.push_back(element(fmt::format("{:.6f}\t{:.6f}\t60\t0\t0\t60\t0", 2 * x, 2 * y),
                                 rectangle(4, 6),
                                 kFlat,
                                 "Absorber",
                                 i == 0 ? "north" : ""));
        for (const double distance : {60.0, 100.0, 140.0})
            mirrors.push_back(
                element(fmt::format("{:.6f}\t{:.6f}\t3\t0\t0\t90\t0", distance * x, distance * y),
                        rectangle(4, 3),
                        curved('p', 0.005),
                        "Mirror"));
    }
    const st::Import made = import(project({stage("Field", mirrors), stage("Square", panels)}));
    REQUIRE(made.scenario.receivers.size() == 1);
    CHECK(made.scenario.receivers[0].name == "Square");
    CHECK(made.run.aim.target == "Square");
    REQUIRE(made.scenario.targets.size() == 4);
    for (const Target& target : made.scenario.targets) {
        CHECK(target.receiver == "Square");
        CHECK(target.use == SurfaceUse::absorber);
        const auto& plane = std::get<PlanarTarget>(target.geometry);
        CHECK(dot(plane.normal, {plane.center[0], plane.center[1], 0.0}) == Approx(2.0));
    }
    CHECK(contains(report(made), "receiver 'Square' of 4 surfaces"));
    CHECK(made.scenario.find_target("Square_2"));
    st::Options options;
    options.target = "north";
    CHECK(import(project({stage("Field", mirrors), stage("Square", panels)}), options)
              .run.aim.target == "north");

    // Two of the panels alone: mirrors see the other face of each past the open sides.
    const st::Import open =
        import(project({stage("Field", mirrors), stage("Two", {panels[0], panels[1]})}));
    CHECK(contains(report(open), "of the other face, where SolTrace counts light, too"));

    // A virtual stage only counts: its planes do not hide each other.
    const st::Import counted = import(project(
        {stage("Field", mirrors), stage("Counts", panels, "0\t0\t0\tAIM\t0\t0\t1\tZROT\t0", 1)}));
    CHECK(counted.scenario.receivers.empty());
    CHECK(contains(report(counted), "the first of 4 receivers"));

    const std::string twice =
        problems(project({stage("Field", mirrors), stage("Same", {panels[0], panels[0]})}));
    CHECK(contains(twice, "is the same surface as"));
}

TEST_CASE("soltrace: a full annulus is a surface of a receiver") {
    const std::string ring = element(kNorth, "a\t1\t3\t360\t0\t0\t0\t0\t0", kFlat, "Absorber");
    const st::Import made = import(tower(kMirror, ring));
    REQUIRE(made.scenario.receivers.size() == 1);
    REQUIRE(made.scenario.targets.size() == 1);
    const auto& annulus = std::get<AnnularTarget>(made.scenario.targets[0].geometry);
    CHECK(annulus.inner_radius == 1.0);
    CHECK(annulus.radius == 3.0);
    CHECK(annulus.opening_angle == Approx(2.0 * std::numbers::pi));
    CHECK(std::abs(dot(annulus.normal, annulus.middle)) < 1e-12);
    CHECK(
        contains(problems(project({stage("Field", {kMirror}),
                                   stage("Counts", {ring}, "0\t0\t0\tAIM\t0\t0\t1\tZROT\t0", 1)})),
                 "virtual stage"));
}

TEST_CASE("soltrace: receivers that cannot be represented are named") {
    const auto with = [&](const std::string& aperture, const std::string& surface) {
        return problems(tower(kMirror, element(kNorth, aperture, surface, "Absorber")));
    };
    CHECK(contains(with("a\t3\t3\t360\t0\t0\t0\t0\t0", kFlat), "the radii 3 and 3 m"));
    CHECK(contains(with("a\t0\t3\t90\t0\t0\t0\t0\t0", kFlat), "the radii 0 and 3 m over 90"));
    CHECK(contains(with("q\t0\t0\t4\t0\t1\t1\t0\t4", kFlat), "the outline is not convex"));
    CHECK(contains(with("c\t4\t0\t0\t0\t0\t0\t0\t0", curved('c', 90)),
                   "a cone with a half angle of 90 degrees"));
    CHECK(contains(with("h\t4\t0\t0\t0\t0\t0\t0\t0", curved('s', 0.1)),
                   "curved receivers are round"));
    CHECK(contains(with("a\t0\t0\t360\t0\t0\t0\t0\t0", curved('d', 3)), "its surface is a torus"));
    CHECK(contains(with(part_of_cylinder(-1, 1), curved('t', 0.1)),
                   "a part of a cylinder has surface s"));
    CHECK(contains(with(part_of_cylinder(0, 0), curved('s', 0.1)),
                   "has aperture l with limits along x"));
    CHECK(contains(with(part_of_cylinder(-3, 1), curved('s', 0.5)),
                   "a part from -3 to 1 m of a cylinder of radius 2 m"));
    CHECK(contains(with("c\t0\t0\t0\t0\t0\t0\t0\t0", kFlat), "a circle of radius 0 m"));
    std::string glass = kReceiver;
    glass.replace(glass.find("\t2\t"), 3, "\t1\t");
    CHECK(contains(problems(tower(kMirror, glass)), "it refracts light"));
}

TEST_CASE("soltrace: elements that reflect in later stages are secondary mirrors") {
    // A hyperboloid over the field sends the light down to a disc, as in beam-down plants.
    const std::string mirror = element("0\t0\t82\t0\t0\t182\t0",
                                       "c\t40\t0\t0\t0\t0\t0\t0\t0",
                                       "o\t0.020833333\t-0.5625\t0\t0\t0\t0\t0\t0",
                                       "Mirror",
                                       "hyperboloid");
    const std::string disc =
        element("0\t0\t10\t0\t0\t20\t0", "c\t6\t0\t0\t0\t0\t0\t0\t0", kFlat, "Absorber", "focus");
    const std::string optics = one_sided_optics(0.05, 0.05);
    const std::string text = project(
        {stage("Field", {kMirror}), stage("Top", {mirror}), stage("Ground", {disc})}, kSun, optics);
    const auto check = [&](const st::Import& made, double reflectivity) {
        REQUIRE(made.scenario.receivers.size() == 1);
        CHECK(made.scenario.receivers[0].name == "Ground");
        const Target& top = made.scenario.targets[*made.scenario.find_target("hyperboloid")];
        CHECK(top.use == SurfaceUse::mirror);
        CHECK(top.receiver == "Ground");
        const auto& quadric = std::get<QuadricTarget>(top.geometry);
        CHECK(quadric.center == Vec3{0, 0, 82});
        CHECK(quadric.curvature_radius == Approx(48.0));
        CHECK(quadric.conic_constant == Approx(-1.5625));
        CHECK(quadric.radius == 20.0);
        REQUIRE(top.absorption);
        CHECK(top.absorption->absorptance == Approx(1.0 - reflectivity));
        CHECK(top.absorption->slope_error == Approx(1e-3 * std::hypot(1.5, 0.125)));
        const Target& focus = made.scenario.targets[*made.scenario.find_target("focus")];
        CHECK(focus.use == SurfaceUse::absorber);
        // Mirrors on the ground see the disc from below, but its light comes from above.
        CHECK(std::get<DiscTarget>(focus.geometry).normal[2] == Approx(1.0));
        CHECK(contains(report(made), "meets the nearest surface of all later stages"));
        return quadric;
    };
    // Its front looks up, away from the field, and its back absorbs: the front alone reflects.
    std::string down = text;
    const std::string both = "OPTICAL\tg\t3\t1\t4\t0\t1\t1\t1\t1\t0\t0\t0\t0\t0\n";
    down.replace(
        down.find(both), both.size(), "OPTICAL\tg\t3\t1\t4\t0.8\t1\t1.5\t0.25\t1\t0\t0\t0\t0\t0\n");
    CHECK(check(import(down), 0.8).side == QuadricTarget::Side::outer);
    CHECK(contains(problems(project(
                       {stage("Field", {kMirror}), stage("Top", {mirror})},
                       kSun,
                       down.substr(down.find("OPTICS"), down.find("STAGE") - down.find("OPTICS")))),
                   "no element absorbs light"));
}

TEST_CASE("soltrace: the other sheet of hyperboloids in SolTrace is reported") {
    const std::string disc =
        element("0\t0\t10\t0\t0\t20\t0", "c\t6\t0\t0\t0\t0\t0\t0\t0", kFlat, "Absorber", "focus");
    // Both faces reflect. The mirror hangs over the field and is convex below, or above if its
    // normal points down.
    const auto report_of = [&](double kappa, const std::string& aim, const std::string& hits) {
        const std::string top = element("0\t0\t82\t" + aim + "\t0",
                                        "c\t40\t0\t0\t0\t0\t0\t0\t0",
                                        fmt::format("o\t0.02\t{}\t0\t0\t0\t0\t0\t0", kappa),
                                        "Mirror");
        std::string optics = one_sided_optics(0.05, 0.05);
        optics.replace(optics.find("4\t0\t1"), 5, "4\t0.9\t1");
        std::string over = stage("Top", {top});
        over.replace(over.find("MULTIHIT\t1"), 10, "MULTIHIT\t" + hits);
        return report(
            import(project({stage("Field", {kMirror}), over, stage("End", {disc})}, kSun, optics)));
    };
    const std::string remark = "meets the hyperboloid's other sheet";
    CHECK(contains(report_of(-0.5, "0\t0\t182", "1"), remark));
    CHECK_FALSE(contains(report_of(-0.5, "0\t0\t182", "0"), remark));
    CHECK_FALSE(contains(report_of(-0.5, "0\t0\t-18", "1"), remark));
    CHECK_FALSE(contains(report_of(0.0, "0\t0\t182", "1"), remark));
    CHECK_FALSE(contains(report_of(0.5, "0\t0\t182", "1"), remark));
}

TEST_CASE("soltrace: secondary mirrors may be polygons of spheres and other conics") {
    struct Case {
        std::string aperture;
        std::vector<std::array<double, 2>> corners;
        double radius;
    };
    const double s = std::sqrt(3.0);
    const std::string absorber =
        element("0\t30\t60\t0\t0\t60\t0", "c\t1\t0\t0\t0\t0\t0\t0\t0", kFlat, "Absorber", "focus");
    for (const Case& item :
         {Case{"h\t4\t0\t0\t0\t0\t0\t0\t0",
               {{2, 0}, {1, s}, {-1, s}, {-2, 0}, {-1, -s}, {1, -s}},
               2.0},
          Case{"r\t6\t8\t0\t0\t0\t0\t0\t0", {{3, 4}, {-3, 4}, {-3, -4}, {3, -4}}, 5.0},
          Case{"i\t1\t1\t5\t1\t1\t4\t0\t0", {{1, 1}, {5, 1}, {1, 4}}, std::sqrt(26.0)}}) {
        for (const double curvature : {0.05, -0.05}) {
            INFO(item.aperture << " of curvature " << curvature);
            const std::string facet = element("0\t0\t60\t1\t10\t55\t25",
                                              item.aperture,
                                              curved('s', curvature),
                                              "Mirror",
                                              "facet");
            const st::Import made = import(project(
                {stage("Field", {kMirror}), stage("Facets", {facet}), stage("End", {absorber})},
                kSun,
                one_sided_optics(0.05, 0.05)));
            const Target& target = made.scenario.targets.at(*made.scenario.find_target("facet"));
            CHECK(target.use == SurfaceUse::mirror);
            const auto& quadric = std::get<QuadricTarget>(target.geometry);
            CHECK(quadric.radius == Approx(item.radius));
            CHECK(quadric.conic_constant == 0.0);
            CHECK(outline_area(target.outline) > 0.0);
            const st::Frame frame = st::make_frame({0, 0, 60}, {1, 10, 55}, 25);
            // Right and up for an observer of the lit face.
            const auto axes = flat_axes(lit_normal(quadric, quadric.center));
            REQUIRE(target.outline.size() == item.corners.size());
            std::vector<Vec3> found;
            for (const auto& [right, up] : target.outline)
                found.push_back(
                    add(quadric.center, add(scaled(right, axes[0]), scaled(up, axes[1]))));
            for (const auto& [x, y] : item.corners)
                CHECK(has_corner(found, frame.point({x, y, 0})));
        }
    }
    const std::string bad =
        element(kNorth, "q\t0\t0\t4\t0\t1\t1\t0\t4", curved('s', 0.1), "Mirror", "facet");
    CHECK(contains(problems(project({stage("Field", {kMirror}), stage("Top", {bad, absorber})})),
                   "the outline is not convex"));
}

TEST_CASE("soltrace: round conics, cones and splines of concentrators are surfaces of receivers") {
    const auto made = [&](const std::string& aperture, const std::string& surface) {
        const st::Import import_ =
            import(tower(kMirror, element(kNorth, aperture, surface, "Absorber")));
        REQUIRE(import_.scenario.receivers.size() == 1);
        return import_.scenario.targets.at(0);
    };
    const auto ball =
        std::get<QuadricTarget>(made("a\t1\t4\t360\t0\t0\t0\t0\t0", curved('s', 0.1)).geometry);
    CHECK(ball.curvature_radius == Approx(10.0));
    CHECK(ball.conic_constant == Approx(0.0));
    CHECK(ball.inner_radius == 1.0);
    CHECK(ball.side == QuadricTarget::Side::inner);
    // z = r / tan 30 degrees from the rim of the hole on.
    const auto cone =
        std::get<ConicalTarget>(made("a\t1\t4\t360\t0\t0\t0\t0\t0", curved('c', 30)).geometry);
    CHECK(cone.height == Approx(3.0 * std::sqrt(3.0)));
    CHECK(cone.center[1] == Approx(2.5 * std::sqrt(3.0)));
    CHECK(cone.bottom_radius == 1.0);
    CHECK(cone.top_radius == 4.0);
    const auto sector = std::get<AnnularTarget>(made("a\t1\t4\t90\t0\t0\t0\t0\t0", kFlat).geometry);
    CHECK(sector.opening_angle == Approx(0.5 * std::numbers::pi));
    CHECK(std::abs(sector.middle[0]) == Approx(1.0));

    const TemporaryFolder folder;
    ConcentratorTarget wall;
    wall.half_angle = 20.0 * std::numbers::pi / 180.0;
    wall.exit_radius = 1.0;
    const auto convert = [&](const std::string& aperture, double bump) {
        std::string text = "12\n";
        for (int i = 0; i < 12; ++i) {
            const double height = 8.0 * i / 11.0;
            text += fmt::format(
                "{:.6f}\t{:.6f}\n", wall_radius(wall, height) + (i == 5 ? bump : 0.0), height);
        }
        std::ofstream(folder.path() / "wall.csi") << text << "1.4\t10\n";
        const std::string cpc = "1\t0\t0\t30\t0\t0\t40\t0\t" + aperture +
                                "\ti\t0\t0\t0\t0\t0\t0\t0\t0\twall.csi\tMirror\t2\tcpc\n";
        const std::string exit = element(
            "0\t0\t30\t0\t0\t40\t0", "c\t2\t0\t0\t0\t0\t0\t0\t0", kFlat, "Absorber", "exit");
        return st::convert(
            st::parse_project(project({stage("Field", {kMirror}), stage("Cpc", {cpc, exit})}),
                              (folder.path() / "p.stinput").string()),
            {});
    };
    for (const std::string aperture :
         {"a\t1\t3\t360\t0\t0\t0\t0\t0", "l\t1\t3\t6\t0\t0\t0\t0\t0"}) {
        const st::Import import_ = convert(aperture, 0.0);
        const Target& cpc = import_.scenario.targets[*import_.scenario.find_target("cpc")];
        CHECK(cpc.use == SurfaceUse::mirror);
        const auto& found = std::get<ConcentratorTarget>(cpc.geometry);
        CHECK(found.half_angle == Approx(wall.half_angle).epsilon(1e-4));
        CHECK(found.exit_radius == 1.0);
        CHECK(found.length == Approx(8.0));
        CHECK(found.opening_angle ==
              Approx(aperture[0] == 'a' ? 2.0 * std::numbers::pi : 0.5 * std::numbers::pi));
        CHECK(norm(subtract(found.center, {0, 0, 30})) < 1e-9);
    }
    CHECK(contains(test::message_of([&] { convert("a\t1\t3\t360\t0\t0\t0\t0\t0", 0.05); }),
                   "points are not those of a compound parabolic concentrator"));
}
