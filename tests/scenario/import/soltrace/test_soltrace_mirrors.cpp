// SPDX-License-Identifier: MIT
// SolTrace projects: mirrors of every aperture and surface.
#include "scenario/types/vector_math.h"
#include "tests/scenario/import/soltrace/soltrace_support.h"
#include "tests/scenario/temporary_folder.h"

#include <array>
#include <cmath>
#include <fstream>
#include <functional>
#include <numbers>

using namespace helioray;
using namespace helioray::test;

namespace {

/// Returns the point of a biquadratic Bezier facet at u, v from 0 to 1 (de Casteljau), in the
/// mirror's frame.
Vec3 facet_point(const Facet& facet, double u, double v) {
    const auto point = [&](size_t i, size_t j) {
        const double* p = facet.control_points.data() + 3 * (3 * i + j);
        return Vec3{p[0], p[1], p[2]};
    };
    const auto between = [](const Vec3& a, const Vec3& b, double t) {
        return add(scaled(1.0 - t, a), scaled(t, b));
    };
    std::array<Vec3, 3> row{};
    for (size_t i = 0; i < 3; ++i) {
        row[i] =
            between(between(point(i, 0), point(i, 1), v), between(point(i, 1), point(i, 2), v), v);
    }
    return between(between(row[0], row[1], u), between(row[1], row[2], u), u);
}

/// Returns the only mirror of a project whose element faces straight up, with its x axis along
/// east or turned by z_rotation.
Facet upward_mirror(const std::string& aperture,
                    const std::string& surface,
                    double z_rotation = 0.0) {
    const st::Import made = import(tower(
        element(fmt::format("0\t50\t0\t0\t50\t10\t{}", z_rotation), aperture, surface, "Mirror")));
    return made.scenario.heliostats.at(0).surface->facets.at(0);
}

}  // namespace

TEST_CASE("soltrace: reflectivity by angle of incidence") {
    const auto with = [](const std::string& rows) {
        std::string optics = kOptics;
        const std::string plain = "0.25\t1\t0\t0\t0\t0\t0\t0\t0\t0\t0\n";
        const size_t at = optics.find(plain);
        REQUIRE(at != std::string::npos);
        optics.replace(at, plain.size(), "0.25\t1\t0\t0\t0\t0\t0\t1\t3\t0\t0\n" + rows);
        return project({stage("Field", {kMirror}), stage("Receiver", {kReceiver})}, kSun, optics);
    };
    const st::Import made = import(with("0\t0.92\n1000\t0.9\n1500 0.46\n"));
    CHECK(made.run.optics.reflectivity == 0.92);
    const auto& table = made.run.optics.reflectivity_by_angle;
    REQUIRE(table.size() == 3);
    CHECK(table[1][0] == Approx(1.0));
    CHECK(table[2][1] == Approx(0.5));
    CHECK(contains(report(made), "reflectivity by angle of incidence in 3 rows"));
    CHECK(contains(problems(with("0\t0.92\n1000\t1.9\n1500 0.46\n")), "a reflectivity of 1.9"));
    CHECK(contains(problems(with("0\t0.92\n1000\t0.9\n500 0.46\n")), "at 500 mrad"));
    CHECK(contains(problems(with("0\t0\n1000\t0\n1500 0\n")), "by angle are 0"));
}

TEST_CASE("soltrace: parabolic mirrors with any curvatures are exact") {
    struct Case {
        std::string aperture;
        double along_x, along_y;
        std::array<double, 2> center, half_x, half_y;
    };
    const std::vector<Case> cases{
        // A trough, a saddle, a convex mirror, and sections away from the vertex.
        {rectangle(5.8, 10), 0.29, 0.0, {0, 0}, {2.9, 0}, {0, 5}},
        {rectangle(4, 3), 0.02, -0.01, {0, 0}, {2, 0}, {0, 1.5}},
        {rectangle(4, 3), -0.02, -0.02, {0, 0}, {2, 0}, {0, 1.5}},
        {"l\t1\t3\t4\t0\t0\t0\t0\t0", 0.05, 0.05, {2, 0}, {1, 0}, {0, 2}},
        {"q\t1\t0\t3\t2\t2\t3\t0\t1", 0.1, 0.05, {1.5, 1.5}, {1, 1}, {-0.5, 0.5}},
        {"q\t1\t0\t0\t1\t2\t3\t3\t2", 0.1, 0.05, {1.5, 1.5}, {-0.5, 0.5}, {-1, -1}},
    };
    for (const Case& item : cases) {
        for (const double turn : {0.0, 30.0, 200.0}) {
            INFO(item.aperture << " " << turn);
            const Facet facet = upward_mirror(
                item.aperture,
                fmt::format("p\t{}\t{}\t0\t0\t0\t0\t0\t0", item.along_x, item.along_y),
                turn);
            REQUIRE(facet.shape == FacetShape::bspline);
            CHECK(facet.degrees == std::array<int64_t, 2>{2, 2});
            // Straight up, the mirror's frame has its e axis along east (azimuth 180 degrees).
            const st::Frame frame = st::make_frame({}, {0, 0, 1}, turn);
            for (const double u : {0.0, 0.3, 1.0}) {
                for (const double v : {0.0, 0.6, 1.0}) {
                    const Vec3 found = facet_point(facet, u, v);
                    const double x = dot(found, frame.axes[0]), y = dot(found, frame.axes[1]);
                    CHECK(found[2] ==
                          Approx(0.5 * (item.along_x * x * x + item.along_y * y * y)).margin(1e-9));
                    const Vec3 from_center{x - item.center[0], y - item.center[1], 0.0};
                    const Vec3 half_x{item.half_x[0], item.half_x[1], 0.0};
                    const Vec3 half_y{item.half_y[0], item.half_y[1], 0.0};
                    // The patch covers the aperture; a mirror that is equal after half a turn may
                    // begin at either end.
                    const double along = dot(from_center, half_x) / dot(half_x, half_x);
                    const double across = dot(from_center, half_y) / dot(half_y, half_y);
                    CHECK(std::abs(along) == Approx(std::abs(2 * u - 1)).margin(1e-5));
                    CHECK(std::abs(across) == Approx(std::abs(2 * v - 1)).margin(1e-5));
                }
            }
        }
    }
    // Paraboloids of revolution about the middle of the mirror have a focal length.
    CHECK(upward_mirror(rectangle(4, 3), curved('p', 0.01)).focal_length == Approx(50.0));
    CHECK(upward_mirror("l\t-2\t2\t3\t0\t0\t0\t0\t0", curved('p', 0.01)).shape ==
          FacetShape::paraboloid);
}

TEST_CASE("soltrace: flat sections lie beside the element's origin") {
    const Facet facet = upward_mirror("l\t1\t3\t4\t0\t0\t0\t0\t0", kFlat, 90.0);
    const st::Frame frame = st::make_frame({}, {0, 0, 1}, 90.0);
    CHECK(facet.shape == FacetShape::flat);
    CHECK(norm(subtract(facet.translation, scaled(2.0, frame.axes[0]))) < 1e-6);
    CHECK(norm(facet.canting_e) == Approx(1.0));
    CHECK(norm(facet.canting_n) == Approx(2.0));
    CHECK(std::abs(dot(facet.canting_e, frame.axes[0])) == Approx(1.0));
}

TEST_CASE("soltrace: mirrors of every aperture have its outline and area") {
    struct Case {
        std::string aperture;
        double area;
        size_t corners;  ///< 0: round
    };
    const double root = std::sqrt(3.0);
    const std::vector<Case> cases{
        {"c\t4\t0\t0\t0\t0\t0\t0\t0", 4.0 * std::numbers::pi, 0},
        {"a\t1\t2\t360\t0\t0\t0\t0\t0", 3.0 * std::numbers::pi, 0},
        {"h\t4\t0\t0\t0\t0\t0\t0\t0", 6.0 * root, 6},
        {"t\t4\t0\t0\t0\t0\t0\t0\t0", 3.0 * root, 3},
        {"i\t0\t0\t3\t0\t1\t2\t0\t0", 3.0, 3},
        {"q\t0\t0\t2\t0\t2\t1\t0\t1.1", 2.1, 4},
    };
    for (const Case& item : cases) {
        for (const std::string& surface : {std::string(kFlat), curved('p', 0.01)}) {
            INFO(item.aperture << ", " << surface);
            const Facet facet = upward_mirror(item.aperture, surface);
            CHECK(facet.outline.corners.size() == item.corners);
            CHECK(facet.outline.kind ==
                  (item.corners == 0 ? FacetOutlineKind::round : FacetOutlineKind::polygon));
            CHECK(4.0 * norm(cross(facet.canting_e, facet.canting_n)) *
                      outline_fraction(facet.outline) ==
                  Approx(item.area));
        }
    }
    // A hexagon within its sphere, although the corners of the rectangle about it are not.
    CHECK(upward_mirror("h\t4\t0\t0\t0\t0\t0\t0\t0", curved('s', 0.45)).shape ==
          FacetShape::sphere);
    // A section about the vertex keeps the formula, one beside it becomes a B-spline.
    CHECK(upward_mirror("t\t4\t0\t0\t0\t0\t0\t0\t0", curved('s', 0.01)).shape ==
          FacetShape::sphere);
    CHECK(upward_mirror("i\t1\t1\t4\t1\t2\t3\t0\t0", curved('p', 0.01)).shape ==
          FacetShape::bspline);
}

TEST_CASE("soltrace: mirrors that cannot be represented are named with aperture and surface") {
    struct Case {
        std::string aperture, surface, part;
    };
    const std::vector<Case> cases{
        {"a\t2\t1\t90\t0\t0\t0\t0\t0", kFlat, "its aperture is an annulus, mirrors are"},
        {"a\t2\t2\t360\t0\t0\t0\t0\t0", kFlat, "its aperture is an annulus: the hole has 1 times"},
        {"i\t0\t0\t1\t1\t2\t2\t0\t0", kFlat, "its aperture is an irregular triangle: "},
        {"q\t0\t0\t2\t0\t0\t2\t2\t2",
         kFlat,
         "its aperture is an irregular quadrilateral: the outline is not convex"},
        {"l\t0\t0\t4\t0\t0\t0\t0\t0", kFlat, "its aperture is a section of single-axis curvature"},
        {"l\t2\t1\t4\t0\t0\t0\t0\t0", kFlat, "its aperture is a section from 2 to 1 m"},
        {"c\t4\t0\t0\t0\t0\t0\t0\t0",
         curved('c', 80),
         "its surface is a cone, from which a B-spline of 32 x 32 points deviates by"},
        {rectangle(4, 3), curved('c', 90), "its surface is a cone, with a half angle of 90"},
        {rectangle(4, 3),
         "o\t0.5\t2\t0\t0\t0\t0\t0\t0",
         "its surface is a hyperboloid or ellipsoid, which ends within its aperture"},
        {"l\t-1\t1\t4\t0\t0\t0\t0\t0",
         curved('t', 0.5),
         "its surface is a full cylinder, which closes on itself"},
        {rectangle(4, 3), curved('e', 0), "its surface is finite element data"},
    };
    for (const Case& item : cases) {
        INFO(item.part);
        const std::string text = problems(project(
            {stage("Field",
                   {kMirror,
                    element("50\t100\t3\t5\t50\t90\t0", item.aperture, item.surface, "Mirror")}),
             stage("Receiver", {kReceiver})}));
        CHECK(contains(text, "p.stinput:16: element 2: " + item.part));
    }
    std::string optics = kOptics;
    optics.replace(optics.find("0.05"), 4, "0");
    const std::string body =
        element("50\t100\t3\t5\t50\t90\t0", rectangle(4, 3), kFlat, "Absorber");
    CHECK(contains(
        problems(project({stage("F", {kMirror, body}), stage("R", {kReceiver})}, kSun, optics)),
        "element 2: its front reflects no light"));
}

TEST_CASE("soltrace: an aperture that is not convex becomes several facets of its area") {
    struct Case {
        std::string aperture;
        size_t facets;
        double area;
    };
    const std::vector<Case> cases{
        {"a\t1\t2\t90\t0\t0\t0\t0\t0", 18, 0.75 * std::numbers::pi},
        {"a\t0\t2\t30\t0\t0\t0\t0\t0", 6, std::numbers::pi / 3.0},
        {"q\t0\t0\t2\t0\t0.2\t0.2\t0\t2", 2, 0.4},
    };
    for (const Case& item : cases) {
        for (const std::string& surface : {std::string(kFlat), curved('p', 0.05)}) {
            INFO(item.aperture << ", " << surface);
            const st::Import made =
                import(tower(element("0\t50\t0\t0\t50\t10\t0", item.aperture, surface, "Mirror")));
            const auto& facets = made.scenario.heliostats.at(0).surface->facets;
            CHECK(facets.size() == item.facets);
            double area = 0.0;
            for (const Facet& facet : facets)
                area += 4.0 * norm(cross(facet.canting_e, facet.canting_n)) *
                        outline_fraction(facet.outline);
            CHECK(area == Approx(item.area));
            CHECK(contains(report(made), "facets with convex outlines and the same area"));
        }
    }
}

TEST_CASE("soltrace: conics, cones and sections become B-splines of their formula") {
    struct Case {
        std::string aperture, surface;
        std::function<double(double, double)> height;
    };
    const std::vector<Case> cases{
        // A hyperboloid, two ellipsoids and a general conic by SolTrace's formula.
        {rectangle(4, 3),
         "o\t0.05\t-2\t0\t0\t0\t0\t0\t0",
         [](double x, double y) {
             const double r2 = x * x + y * y;
             return 0.05 * r2 / (1.0 + std::sqrt(1.0 + 2.0 * 0.0025 * r2));
         }},
        {"c\t4\t0\t0\t0\t0\t0\t0\t0",
         "o\t0.05\t3\t0\t0\t0\t0\t0\t0",
         [](double x, double y) {
             const double r2 = x * x + y * y;
             return 0.05 * r2 / (1.0 + std::sqrt(1.0 - 3.0 * 0.0025 * r2));
         }},
        {rectangle(4, 3),
         "g\t0.05\t-0.02\t0.5\t0\t0\t0\t0\t0",
         [](double x, double y) {
             const double inside = 0.0025 * x * x + 0.0004 * y * y;
             return (0.05 * x * x - 0.02 * y * y) / (1.0 + std::sqrt(1.0 - 0.5 * inside));
         }},
        // A cylinder of radius 5 m, a convex sphere, a sphere and a cone beside their axes.
        {"l\t-1\t1\t3\t0\t0\t0\t0\t0",
         curved('s', 0.2),
         [](double x, double) { return 5.0 - std::sqrt(25.0 - x * x); }},
        {rectangle(2, 2),
         curved('s', -0.1),
         [](double x, double y) { return std::sqrt(100.0 - x * x - y * y) - 10.0; }},
        {"i\t1\t1\t3\t1\t2\t2\t0\t0",
         curved('s', 0.1),
         [](double x, double y) { return 10.0 - std::sqrt(100.0 - x * x - y * y); }},
        {"l\t1\t3\t2\t0\t0\t0\t0\t0",
         curved('c', 80),
         [](double x, double y) {
             return std::hypot(x, y) / std::tan(80.0 * std::numbers::pi / 180.0);
         }},
    };
    for (const Case& item : cases) {
        INFO(item.surface);
        const Facet facet = upward_mirror(item.aperture, item.surface);
        REQUIRE(facet.shape == FacetShape::bspline);
        CHECK(facet.degrees == std::array<int64_t, 2>{3, 3});
        // A clamped spline passes through its corner control points.
        const auto count = static_cast<size_t>(facet.num_control_points[0]);
        REQUIRE(facet.control_points.size() == 3 * count * count);
        for (const size_t corner : {size_t{0}, count - 1, count * (count - 1), count * count - 1}) {
            const double* point = facet.control_points.data() + 3 * corner;
            // Beyond a round aperture, the spline goes on along its tangent if it has to.
            CHECK(point[2] == Approx(item.height(point[0], point[1])).margin(1e-9));
        }
    }
}

TEST_CASE("soltrace: surfaces of files") {
    const TemporaryFolder folder;
    const auto convert = [&](const std::string& surface, const std::string& file) {
        const std::string mirror = "1\t0\t50\t0\t0\t50\t10\t0\t" + rectangle(2, 2) + "\t" +
                                   surface + "\t0\t0\t0\t0\t0\t0\t0\t0\t" + file +
                                   "\tMirror\t2\t\n";
        st::Project made = st::parse_project(tower(mirror), (folder.path() / "p.stinput").string());
        return st::convert(made, {});
    };
    const auto write = [&](const std::string& name, const std::string& text) {
        std::ofstream(folder.path() / name) << text;
    };
    const auto corner = [](const st::Import& made) {
        const Facet& facet = made.scenario.heliostats.at(0).surface->facets.at(0);
        REQUIRE(facet.shape == FacetShape::bspline);
        return Vec3{facet.control_points[0], facet.control_points[1], facet.control_points[2]};
    };
    // z = B00 + B10 y + B11 x + B20 y^2 + B21 x y + B22 x^2.
    write("a.mon", "2\n0.1\n0.01\n0.02\n0.03\n0.04\n0.05\n");
    const Vec3 zernike = corner(convert("m", "a.mon"));
    const double x = zernike[0], y = zernike[1];
    CHECK(zernike[2] ==
          Approx(0.1 + 0.01 * y + 0.02 * x + 0.03 * y * y + 0.04 * x * y + 0.05 * x * x));
    // z = 0.05 r^2 + 0.01 r^4.
    write("a.ply", "4\n0\n0\n0.05\n0\n0.01\n");
    CHECK(corner(convert("r", "a.ply"))[2] == Approx(0.05 * 2.0 + 0.01 * 4.0));
    // A cubic spline through points of r^2 / 20 with its slopes is this parabola.
    write("a.csi", "3\n0\t0\n1\t0.05\n2\t0.2\n0\t0.2\n");
    CHECK(corner(convert("i", "a.csi"))[2] == Approx(0.1));
    const auto message = [&](const std::string& surface, const std::string& file) {
        return test::message_of([&] { convert(surface, file); });
    };
    CHECK(contains(message("m", "none.mon"), "none.mon"));
    write("short.mon", "2\n0.1\n");
    CHECK(contains(message("m", "short.mon"), "ends before the coefficient B(1, 0)"));
    write("word.ply", "2\n0.1\nten\n");
    CHECK(contains(message("r", "word.ply"), "has 'ten' as the coefficient of r^1"));
    write("order.ply", "2.5\n");
    CHECK(contains(message("r", "order.ply"), "has 2.5 as the order"));
    write("back.csi", "3\n0\t0\n1\t0.05\n0.5\t0.2\n0\t0.2\n");
    CHECK(contains(message("i", "back.csi"), "has a radius of 0.5 after 1"));
}
