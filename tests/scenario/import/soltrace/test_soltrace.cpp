// SPDX-License-Identifier: MIT
// SolTrace projects: frames, mirrors, receivers, sun, optics, and what is refused.
#include "scenario/import/soltrace/soltrace.h"
#include "scenario/types/vector_math.h"
#include "tests/scenario/import/soltrace/soltrace_support.h"
#include "tests/scenario/temporary_folder.h"
#include "tests/support/golden_messages.h"

#include <algorithm>
#include <cmath>
#include <fstream>

using namespace helioray;
using namespace helioray::test;

namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

/// Corners of the single facet in east-north-up as azimuth-elevation kinematics holds it (contract:
/// e axis
/// (-cos a, sin a, 0), n axis normal x e).
std::vector<Vec3> corners(const Heliostat& heliostat, const std::array<double, 2>& motors) {
    const double a = motors[0], h = motors[1];
    const Vec3 e{-std::cos(a), std::sin(a), 0.0};
    const Vec3 u{std::cos(h) * std::sin(a), std::cos(h) * std::cos(a), std::sin(h)};
    const Vec3 n = cross(u, e);
    const auto world = [&](const Vec3& v) {
        return add(add(scaled(v[0], e), scaled(v[1], n)), scaled(v[2], u));
    };
    const Facet& facet = heliostat.surface->facets.at(0);
    std::vector<Vec3> all;
    for (const auto& [x, y] : {std::pair{1, 1}, {-1, 1}, {-1, -1}, {1, -1}}) {
        all.push_back(add(heliostat.position,
                          world(add(scaled(x, facet.canting_e), scaled(y, facet.canting_n)))));
    }
    return all;
}

}  // namespace

TEST_CASE("soltrace: frames are Euler's rotations after one another") {
    // Reference to local: turn by alpha about y, then beta about x, then gamma about z (passive,
    // Spencer and Murty); each written out here as a matrix of its own.
    const Vec3 origin{1, 2, 3}, aim{4, -5, 9};
    const double gamma = 33.0;
    const st::Frame frame = st::make_frame(origin, aim, gamma);
    const Vec3 d = normalized(subtract(aim, origin));
    const double al = std::atan2(d[0], d[2]), be = std::asin(d[1]), ga = gamma * kDegree;
    const auto about_y = [&](const Vec3& v) {
        return Vec3{std::cos(al) * v[0] - std::sin(al) * v[2],
                    v[1],
                    std::sin(al) * v[0] + std::cos(al) * v[2]};
    };
    const auto about_x = [&](const Vec3& v) {
        return Vec3{v[0],
                    std::cos(be) * v[1] - std::sin(be) * v[2],
                    std::sin(be) * v[1] + std::cos(be) * v[2]};
    };
    const auto about_z = [&](const Vec3& v) {
        return Vec3{std::cos(ga) * v[0] - std::sin(ga) * v[1],
                    std::sin(ga) * v[0] + std::cos(ga) * v[1],
                    v[2]};
    };
    for (const Vec3& v : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0.3, -0.2, 0.9}}) {
        const Vec3 local = about_z(about_x(about_y(v)));
        for (size_t i = 0; i < 3; ++i)
            CHECK(dot(frame.axes[i], v) == Approx(local[i]).margin(1e-12));
    }
    for (size_t i = 0; i < 3; ++i) CHECK(frame.axes[2][i] == Approx(d[i]).margin(1e-12));
    // Axes are right handed, and an inner frame lands where its parent puts it.
    CHECK(dot(cross(frame.axes[0], frame.axes[1]), frame.axes[2]) == Approx(1.0));
    const st::Frame inner = frame.compose(st::make_frame({0, 0, 7}, {0, 0, 8}, 0));
    for (size_t i = 0; i < 3; ++i) CHECK(inner.origin[i] == Approx(origin[i] + 7.0 * d[i]));
}

TEST_CASE("soltrace: sun from latitude, day and hour") {
    st::SunBlock sun;
    sun.from_time = true;
    sun.latitude = 40.0;
    sun.day = 173.0;  // declination asin 0.39795
    sun.hour = 12.0;
    const double declination = std::asin(0.39795);
    Vec3 s = st::sun_direction(sun);
    // Noon: due south, x west, y up, z north.
    CHECK(s[0] == Approx(0.0).margin(1e-6));
    CHECK(s[1] == Approx(std::cos(40.0 * kDegree - declination)));
    CHECK(s[2] == Approx(-std::sin(40.0 * kDegree - declination)));
    sun.hour = 9.0;
    s = st::sun_direction(sun);
    CHECK(s[0] < 0.0);  // in the east
    CHECK(norm(s) == Approx(1.0));
    const Vec3 east_north_up = st::world_frame(st::UpAxis::y).direction(s);
    CHECK(east_north_up[0] == Approx(-s[0]));
    CHECK(east_north_up[1] == Approx(s[2]));
    CHECK(east_north_up[2] == Approx(s[1]));
}

TEST_CASE("soltrace: a mirror stands where its element stands, turned as it is") {
    // Also rotated about its normal by any angle, and in a stage that is turned itself.
    for (const double z_rotation : {0.0, 17.0, 90.0, -140.0}) {
        for (const std::string place :
             {"0\t0\t0\tAIM\t0\t0\t1\tZROT\t0", "5\t-6\t2\tAIM\t6\t-4\t12\tZROT\t25"}) {
            INFO(z_rotation << " " << place);
            const std::string mirror = element(fmt::format("10\t100\t3\t5\t50\t90\t{}", z_rotation),
                                               rectangle(4, 3),
                                               curved('p', 0.005),
                                               "Mirror");
            const st::Import made =
                import(project({stage("Field", {mirror}, place), stage("Receiver", {kReceiver})}));
            REQUIRE(made.scenario.heliostats.size() == 1);
            const Heliostat& heliostat = made.scenario.heliostats[0];
            const st::Frame outer =
                place[0] == '5' ? st::make_frame({5, -6, 2}, {6, -4, 12}, 25) : st::Frame{};
            const st::Frame frame =
                outer.compose(st::make_frame({10, 100, 3}, {5, 50, 90}, z_rotation));
            for (size_t i = 0; i < 3; ++i)
                CHECK(heliostat.position[i] == Approx(frame.origin[i]).margin(1e-9));
            const auto all = corners(heliostat, *made.run.aim.heliostats.at("H1").motor_positions);
            for (const auto& [x, y] : {std::pair{2.0, 1.5}, {-2.0, 1.5}, {-2.0, -1.5}, {2.0, -1.5}})
                CHECK(has_corner(all, frame.point({x, y, 0.0})));
            CHECK(heliostat.surface->facets[0].focal_length == Approx(100.0));
        }
    }
}

TEST_CASE("soltrace: mirrors that look straight up, flat and spherical ones") {
    const std::string up =
        element("0\t50\t0\t0\t50\t10\t20", rectangle(4, 3), curved('s', 0.01), "Mirror");
    const std::string flat = element("0\t80\t0\t0\t80\t10\t0", rectangle(4, 3), kFlat, "Mirror");
    const std::string no_curvature =
        element("0\t90\t0\t0\t80\t10\t0", rectangle(4, 3), curved('p', 0.0), "Mirror");
    const st::Import made =
        import(project({stage("Field", {up, flat, no_curvature}), stage("Receiver", {kReceiver})}));
    REQUIRE(made.scenario.heliostats.size() == 3);
    const Facet& sphere = made.scenario.heliostats[0].surface->facets[0];
    CHECK(sphere.shape == FacetShape::sphere);
    CHECK(sphere.focal_length == Approx(50.0));  // radius 100
    const st::Frame frame = st::make_frame({0, 50, 0}, {0, 50, 10}, 20);
    CHECK(has_corner(
        corners(made.scenario.heliostats[0], *made.run.aim.heliostats.at("H1").motor_positions),
        frame.point({2, 1.5, 0})));
    CHECK(made.scenario.heliostats[1].surface->facets[0].shape == FacetShape::flat);
    CHECK(made.scenario.heliostats[2].surface == made.scenario.heliostats[1].surface);
    CHECK(contains(report(made), "turned about its normal"));
}

TEST_CASE("soltrace: receivers become targets") {
    // A billboard that faces away from the field is lit from its front all the same; one on its
    // side swaps its edges.
    const std::string back =
        element("0\t0\t60\t0\t-10\t60\t90", rectangle(8, 6), kFlat, "Absorber", "back/side");
    const std::string tube = element("0\t-7.75\t180\t0\t992.25\t180\t0",
                                     "l\t0\t0\t22\t0\t0\t0\t0\t0",
                                     "t\t0.129032\t0\t0\t0\t0\t0\t0\t0",
                                     "absorber");
    const st::Import made =
        import(project({stage("Field", {kMirror}), stage("Tower", {kReceiver, back, tube})}));
    REQUIRE(made.scenario.targets.size() == 3);
    CHECK(made.scenario.targets[2].name == "Tower_3");
    const auto& first = std::get<PlanarTarget>(
        made.scenario.targets[*made.scenario.find_target("billboard")].geometry);
    CHECK(first.normal[1] == Approx(1.0));
    CHECK(first.width == 8.0);
    CHECK(first.height == 6.0);
    const auto& second = std::get<PlanarTarget>(
        made.scenario.targets[*made.scenario.find_target("back_side")].geometry);
    CHECK(second.normal[1] == Approx(1.0));
    CHECK(second.width == 6.0);
    const auto& cylinder = std::get<CylindricalTarget>(made.scenario.targets[2].geometry);
    CHECK(cylinder.radius == Approx(7.75).epsilon(1e-5));
    CHECK(cylinder.center[1] == Approx(0.0).margin(1e-4));
    CHECK(cylinder.center[2] == 180.0);
    CHECK(cylinder.height == 22.0);
    CHECK(cylinder.axis[2] == Approx(1.0));
    CHECK(cylinder.opening_angle == Approx(2.0 * std::numbers::pi));
    CHECK(made.run.aim.target == "Tower");
    CHECK(contains(report(made), "normal reversed"));
    st::Options options;
    options.target = "Tower_3";
    std::string second_billboard = kReceiver;
    second_billboard.replace(second_billboard.find("60"), 2, "70");
    second_billboard.replace(second_billboard.rfind("60"), 2, "70");
    CHECK(
        import(project({stage("Field", {kMirror}), stage("Tower", {kReceiver, second_billboard})}))
            .scenario.find_target("billboard_2"));
    CHECK(import(project({stage("Field", {kMirror}), stage("Tower", {kReceiver, back, tube})}),
                 options)
              .run.aim.target == "Tower_3");
    options.target = "bilboard";
    CHECK(contains(problems(tower(), options), "did you mean 'billboard'?"));
}

TEST_CASE("soltrace: sun and optics") {
    const st::Import made = import(tower());
    const Vec3& incident = std::get<SunIncidentDirection>(made.run.sun.position).direction;
    CHECK(incident[1] == Approx(0.6));
    CHECK(incident[2] == Approx(-0.8));
    CHECK(std::get<PillboxShape>(made.scenario.light_sources[0].shape).half_angle ==
          Approx(4.65e-3));
    CHECK(made.run.optics.reflectivity == 0.9);
    CHECK(std::get<GaussianShape>(made.run.optics.slope_error).sigma == Approx(1.5e-3));
    CHECK(std::get<GaussianShape>(made.run.optics.specularity_error).sigma == Approx(0.25e-3));

    std::string sun = kSun;
    sun.replace(sun.find("SHAPE\tp"), 7, "SHAPE\tg");
    CHECK(std::get<GaussianShape>(
              import(project({stage("F", {kMirror}), stage("R", {kReceiver})}, sun))
                  .scenario.light_sources[0]
                  .shape)
              .sigma == Approx(2.73e-3));
    sun.replace(sun.find("SHAPE\tg"), 7, "SHAPE\td");
    sun.replace(sun.find("DATA\t0"), 6, "DATA\t3\n1\t1\n4\t0.5\n5\t0");
    const TableShape table =
        std::get<TableShape>(import(project({stage("F", {kMirror}), stage("R", {kReceiver})}, sun))
                                 .scenario.light_sources[0]
                                 .shape);
    CHECK(table.angle == std::vector<double>{0.0, 1e-3, 4e-3, 5e-3});
    CHECK(table.radiance == std::vector<double>{1.0, 1.0, 0.5, 0.0});

    // The optics of most mirrors win, the others are named.
    std::string optics = kOptics;
    optics.replace(optics.find("COUNT\t2"), 7, "COUNT\t3");
    optics +=
        "OPTICAL PAIR\tOther\nOPTICAL\tp\t3\t1\t4\t0.6\t1\t1\t1\t1\t0\t0\t0\t0\t0\n"
        "OPTICAL\tg\t3\t1\t4\t0\t1\t1\t1\t1\t0\t0\t0\t0\t0\n";
    const std::string other = element("50\t100\t3\t5\t50\t90\t0", rectangle(4, 3), kFlat, "Other");
    const st::Import mixed = import(
        project({stage("F", {kMirror, other, other}), stage("R", {kReceiver})}, kSun, optics));
    CHECK(mixed.run.optics.reflectivity == 0.6);
    CHECK(std::holds_alternative<PillboxShape>(mixed.run.optics.slope_error));
    CHECK(contains(report(mixed), "1 mirrors have other optics"));
    test::check_message("soltrace",
                        "optics of other mirrors",
                        report(mixed),
                        {"'Mirror'", "0.9", "1.5 mrad", "0.25 mrad", "Gaussian"});
}

TEST_CASE("soltrace: one stage is sorted by reflectivity; disabled elements are named") {
    std::string off = kMirror;
    off[0] = '0';
    const st::Import made = import(project({stage("All", {kMirror, off, kReceiver})}));
    CHECK(made.scenario.heliostats.size() == 1);
    CHECK(made.scenario.targets.size() == 1);
    CHECK(contains(report(made), "p.stinput:16: element is not enabled, left out"));
    CHECK(contains(report(made), "one stage: elements that reflect half"));
}

TEST_CASE("soltrace: what cannot be represented is refused, or left out by name") {
    const auto with_mirror = [&](const std::string& aperture, const std::string& surface) {
        return project(
            {stage("Field",
                   {kMirror, element("50\t100\t3\t5\t50\t90\t0", aperture, surface, "Mirror")}),
             stage("Receiver", {kReceiver})});
    };
    struct Case {
        std::string text, part;
    };
    const std::vector<Case> cases{
        {with_mirror(rectangle(4, 3), "v\t0\t0\t0\t0\t0\t0\t0\t0"), "its surface is VSHOT data"},
        {with_mirror("l\t0\t0\t4\t0\t0\t0\t0\t0", curved('t', 0.5)),
         "its aperture is a section of single-axis curvature"},
        {with_mirror(rectangle(4, 3), curved('s', 0.5)), "its sphere is smaller than its aperture"},
        {with_mirror(rectangle(4, 0), kFlat), "its aperture is a rectangle of 4 x 0 m"},
    };
    for (const Case& item : cases) {
        INFO(item.part);
        const std::string text = problems(item.text);
        CHECK(contains(text, "p.stinput:16: element 2: " + item.part));
        CHECK(contains(text, "--skip-unsupported"));
        const st::Import made = import(item.text, skipping());
        CHECK(made.scenario.heliostats.size() == 1);
        CHECK(contains(report(made), item.part));
    }
    CHECK(import(project({stage("A", {kMirror}),
                          stage("B", {kReceiver}, "0\t0\t0\tAIM\t0\t0\t1\tZROT\t0", 1),
                          stage("C", {kReceiver})}))
              .scenario.targets.size() == 1);
    CHECK(contains(
        problems(tower(element("10\t100\t3\t5\t50\t90\t0", rectangle(4, 3), kFlat, "Glass"))),
        "there are no optical properties 'Glass'"));
}

TEST_CASE("soltrace: suns that cannot shine") {
    const auto with_sun = [](const std::string& from, const std::string& to) {
        std::string sun = kSun;
        sun.replace(sun.find(from), from.size(), to);
        return project({stage("F", {kMirror}), stage("R", {kReceiver})}, sun);
    };
    CHECK(contains(problems(with_sun("PTSRC\t0", "PTSRC\t1")), "the sun is a point source"));
    CHECK(contains(problems(with_sun("-60\t80", "80\t-60")), "give --up y"));
    CHECK(
        contains(problems(with_sun("0\t-60\t80", "0\t0\t0")), "the sun's position is the origin"));
    CHECK(contains(problems(with_sun("SHAPE\tp", "SHAPE\td")), "the sun's table of 0 rows"));
    CHECK(std::holds_alternative<CollimatedShape>(
        import(with_sun("HALFWIDTH\t4.65", "HALFWIDTH\t0")).scenario.light_sources[0].shape));
}

TEST_CASE("soltrace: damaged files end at the line where they are damaged") {
    const std::string good = tower();
    CHECK(problems(good) == "");
    CHECK(contains(problems("hello\n"), "p.stinput:1: this is not a SolTrace input file"));
    CHECK(contains(problems(""), "ends after 0 lines"));
    size_t cut = 0;
    // Every shorter file is refused, none crashes.
    for (size_t end = good.find('\n') + 1; end + 1 < good.size(); end = good.find('\n', end) + 1) {
        CHECK(problems(good.substr(0, end)) != "");
        ++cut;
    }
    CHECK(cut > 10);
    std::string text = good;
    text.replace(text.find("10\t100\t3"), 8, "ten\t100\t3");
    CHECK(contains(problems(text), "p.stinput:15: position: 'ten' is not a finite number"));
    text = good;
    text.replace(text.find("ELEMENTS\t1"), 10, "ELEMENTS\t3");
    CHECK(contains(problems(text), "in the line of an element"));
    CHECK(contains(report(import(good + "NOTES\tx\n")), "'NOTES' ignored"));
    // Windows line ends.
    std::string windows;
    for (const char c : good) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
    CHECK(import(windows).scenario.targets[0].name == "billboard");
}

namespace {

bool is_same(const st::Import& a, const st::Import& b) {
    const auto half_angle = [](const st::Import& made) {
        return std::get<PillboxShape>(made.scenario.light_sources.at(0).shape).half_angle;
    };
    return a.scenario.heliostats.size() == b.scenario.heliostats.size() &&
           a.scenario.heliostats.at(0).position == b.scenario.heliostats.at(0).position &&
           a.scenario.targets.size() == b.scenario.targets.size() &&
           a.scenario.targets.at(0).name == b.scenario.targets.at(0).name &&
           a.run.optics.reflectivity == b.run.optics.reflectivity && half_angle(a) == half_angle(b);
}

}  // namespace

TEST_CASE("soltrace: projects as other programs write them") {
    const std::string good = tower();
    const std::string bare = good.substr(good.find('\n') + 1);
    CHECK(is_same(import(bare), import(good)));
    CHECK(contains(report(import(bare)), "without the line of the version"));
    CHECK(is_same(import("\xEF\xBB\xBF" + bare), import(good)));
    CHECK(is_same(import("# by hand\n" + bare), import(good)));
    std::string old = good;
    std::ranges::replace(old, '\n', '\r');
    CHECK(is_same(import(old), import(good)));
    // SolarPILOT leaves out the line about a table that there is not.
    std::string pilot = good;
    pilot.erase(pilot.find("USER SHAPE DATA\t0\n"), 18);
    CHECK(is_same(import(pilot), import(good)));
}

TEST_CASE("soltrace: the settings of the trace are applied or named") {
    const std::string good = tower();
    const std::string trace = "TRACE\tNRAY\t10000\tNSUN\t1000000\tCPU\t4\tSEED\t123\t";
    const st::Import usual = import(good + trace + "SUNSHAPE\t1\tERRORS\t1\tPTFOCUS\t0\n");
    CHECK(is_same(usual, import(good)));
    test::check_message("soltrace",
                        "settings of the trace",
                        report(usual),
                        {"NRAY 10000", "SEED 123, PTFOCUS 0", "tracing.rays_per_heliostat"});
    CHECK(std::get<GaussianShape>(usual.run.optics.slope_error).sigma == Approx(1.5e-3));
    const st::Import plain = import(good + trace + "SUNSHAPE\t0\tERRORS\t0\tPTFOCUS\t0\n");
    CHECK(std::holds_alternative<CollimatedShape>(plain.scenario.light_sources[0].shape));
    CHECK_FALSE(std::holds_alternative<GaussianShape>(plain.run.optics.slope_error));
    CHECK_FALSE(std::holds_alternative<GaussianShape>(plain.run.optics.specularity_error));
    CHECK(contains(report(plain), "SUNSHAPE 0: the sun's light is parallel"));
    CHECK(contains(report(plain), "ERRORS 0: mirrors have no slope"));

    std::string single = good;
    single.replace(single.find("MULTIHIT\t1"), 10, "MULTIHIT\t0");
    single.replace(single.find("TRACETHROUGH\t0"), 14, "TRACETHROUGH\t1");
    CHECK(contains(report(import(single)), "MULTIHIT 0"));
    CHECK(contains(report(import(single)), "TRACETHROUGH 1"));
    CHECK_FALSE(contains(report(import(good)), "MULTIHIT"));
}

TEST_CASE("soltrace: files of other formats are named") {
    const TemporaryFolder folder;
    const auto refused = [&](const std::string& name, const std::string& bytes) {
        std::ofstream(folder / name, std::ios::binary) << bytes;
        try {
            st::read_project(folder / name);
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    std::string wide = "\xFF\xFE";
    for (const char c : tower()) wide += std::string{c, '\0'};
    CHECK(contains(refused("a.stinput", wide), "a text in UTF-16"));
    CHECK(contains(refused("a.spt", "old"), "a project of SolTrace before 2012 (.spt)"));
    CHECK(contains(refused("a.stinput", "{\"sun\": 1}"), "is JSON"));
    CHECK(refused("b.stinput", tower()).empty());
}
