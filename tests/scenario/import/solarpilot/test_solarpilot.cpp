// SPDX-License-Identifier: MIT
// SolarPILOT projects: heliostats, sun and optics; the reader of the file, and what is refused.
#include "scenario/files/error.h"
#include "scenario/sun/solar_position.h"
#include "scenario/types/vector_math.h"
#include "tests/scenario/import/field/field_support.h"
#include "tests/scenario/import/solarpilot/solarpilot_support.h"

#include <cmath>
#include <numbers>

using namespace helioray;
using namespace helioray::test;
namespace sp = helioray::solarpilot;

namespace {

std::string problems_of(const Values& changes) {
    return test::message_of([&] { convert_with(changes); });
}

std::string problems_of_text(const std::string& text) {
    return test::message_of([&] { sp::convert(sp::parse_project(text, "p.spt")); });
}

}  // namespace

TEST_CASE("solarpilot: heliostats of the layout with their sizes and focal lengths") {
    const MadeField made = convert_with({});
    REQUIRE(made.scenario.heliostats.size() == 2);
    const Heliostat& first = made.scenario.heliostats[0];
    CHECK(first.position == Vec3{-10.5, 80, 0.5});
    const auto& facets = first.surface->facets;
    REQUIRE(facets.size() == 2);
    CHECK(norm(facets[0].canting_e) == Approx(1.5));
    CHECK(norm(facets[0].canting_n) == Approx(2.0));
    // Slant range to the plate's centre, in steps of 0.1 m; on-axis canting turns a normal by
    // x / 2 f.
    const Vec3 plate{1, 2, 97};
    const double slant = std::round(10.0 * norm(subtract(plate, first.position))) / 10.0;
    CHECK(facets[0].focal_length == Approx(slant));
    const Vec3 normal = normalized(cross(facets[0].canting_e, facets[0].canting_n));
    CHECK(std::abs(normal[0]) == Approx(1.5 / (2.0 * slant)).epsilon(1e-4));
    CHECK(made.scenario.position == GeodeticPosition{37.5, -6.25, 20});
    CHECK(made.run.aim.target == "Receiver 1");
    CHECK_FALSE(made.run.aim.active);
}

TEST_CASE("solarpilot: sun, optics and attenuation") {
    const MadeField made = convert_with({});
    const OpticsConfig& optics = made.run.optics;
    CHECK(optics.reflectivity == Approx(0.95 * 0.9 * 0.8));
    // The mean of the variances along x and y.
    CHECK(std::get<GaussianShape>(optics.slope_error).sigma == Approx(0.005 / std::numbers::sqrt2));
    CHECK(std::get<GaussianShape>(optics.specularity_error).sigma == Approx(0.001));
    CHECK(made.run.sun.dni == 900.0);
    CHECK(std::get<SunTime>(made.run.sun.position).iso8601 == "2011-03-20T12:30:00+01:00");
    CHECK(std::get<PillboxShape>(made.scenario.light_sources.at(0).shape).half_angle ==
          Approx(4.65e-3));
    // SolarPILOT's attenuation at 1 km.
    REQUIRE(optics.attenuation.model == AttenuationConfig::Model::polynomial);
    double transmittance = 0.0;
    for (const double coefficient : optics.attenuation.coefficients) transmittance += coefficient;
    CHECK(transmittance == Approx(1.0 - (0.006789 + 0.1046 - 0.0170 + 0.002845)));
    CHECK(made.run.aiming.flux_limit == 800e3);

    const auto shape = [](const Values& changes) {
        return convert_with(changes).scenario.light_sources.at(0).shape;
    };
    CHECK(std::get<GaussianShape>(
              shape({{"ambient.0.sun_type", "Gaussian sun"}, {"ambient.0.sun_rad_limit", "2.73"}}))
              .sigma == Approx(2.73e-3));
    CHECK(std::holds_alternative<LimbDarkenedShape>(
        shape({{"ambient.0.sun_type", "Limb-darkened sun"}})));
    CHECK(std::get<BuieShape>(
              shape({{"ambient.0.sun_type", "Buie CSR"}, {"ambient.0.sun_csr", "0.05"}}))
              .csr == 0.05);
    const auto table = std::get<TableShape>(
        shape({{"ambient.0.sun_type", "User sun"}, {"ambient.0.user_sun", "0,1;4,0.5;5,0;"}}));
    CHECK(table.angle == std::vector{0.0, 4e-3, 5e-3});
    const MadeField by_angles = convert_with({{"fluxsim.0.flux_time_type", "Sun position"},
                                              {"fluxsim.0.flux_solar_az_in", "170"},
                                              {"fluxsim.0.flux_solar_el_in", "60"}});
    CHECK(std::get<SunAngles>(by_angles.run.sun.position).elevation ==
          Approx(std::numbers::pi / 3.0));
}

TEST_CASE("solarpilot: canting at a day and hour points facets as off-axis canting does") {
    const MadeField made = convert_with({{"heliostat.0.cant_method", "Off-axis, day and hour"},
                                         {"heliostat.0.cant_day", "79"},
                                         {"heliostat.0.cant_hour", "-1.5"}});
    // While the mirror tracks this sun, light of its centre goes from a facet's centre to the aim.
    const SolarPosition sun =
        solar_position("2011-03-20T10:30:00+01:00", GeodeticPosition{37.5, -6.25, 20});
    const Vec3 to_sun{std::cos(sun.elevation) * std::sin(sun.azimuth),
                      std::cos(sun.elevation) * std::cos(sun.azimuth),
                      std::sin(sun.elevation)};
    const Heliostat& heliostat = made.scenario.heliostats[0];
    const Vec3 aim{1, 2, 97};
    const Vec3 up = normalized(add(to_sun, normalized(subtract(aim, heliostat.position))));
    const double azimuth = std::atan2(up[0], up[1]);
    const Vec3 e{-std::cos(azimuth), std::sin(azimuth), 0.0};
    const Vec3 n = cross(up, e);
    const auto world = [&](const Vec3& v) {
        return add(add(scaled(v[0], e), scaled(v[1], n)), scaled(v[2], up));
    };
    for (const Facet& facet : heliostat.surface->facets) {
        const Vec3 normal = world(normalized(cross(facet.canting_e, facet.canting_n)));
        const Vec3 center = add(heliostat.position, world(facet.translation));
        const Vec3 reflected = subtract(scaled(2.0 * dot(normal, to_sun), normal), to_sun);
        const Vec3 wanted = normalized(subtract(aim, center));
        CHECK(norm(subtract(reflected, wanted)) < 1e-9);
    }
}

TEST_CASE("solarpilot: templates become types, with the reflectivity of each") {
    Values changes{{"solarfield.0.layout_data",
                    "0,1,1,-10,80,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL\n"
                    "3,0,1,30,-90,0,77,88,NULL,NULL,NULL,NULL,NULL,NULL\n"
                    "3,1,0,60,-90,0,77,88,NULL,NULL,NULL,NULL,NULL,NULL\n"}};
    for (const auto& [key, value] : small_project())
        if (key.starts_with("heliostat.0."))
            changes["heliostat.3." + key.substr(std::string("heliostat.0.").size())] = value;
    changes["heliostat.3.width"] = "10";
    changes["heliostat.3.soiling"] = "0.8";
    const MadeField made = convert_with(changes);
    REQUIRE(made.scenario.heliostats.size() == 2);
    const Heliostat& second = made.scenario.heliostats[1];
    CHECK(norm(second.surface->facets.at(0).canting_e) == Approx(2.5));
    // Two focal lengths are a B-spline.
    CHECK(second.surface->facets.at(0).shape == FacetShape::bspline);
    CHECK(made.run.aim.active == std::vector<std::string>{"H1"});
    CHECK_THAT(made.states, ContainsSubstring("\"H2\",0.608"));
}

TEST_CASE("solarpilot: lines of the layout in every form") {
    const auto places = [](const std::string& layout) {
        std::vector<Vec3> found;
        for (const Heliostat& heliostat :
             convert_with({{"solarfield.0.layout_data", layout}}).scenario.heliostats)
            found.push_back(heliostat.position);
        return found;
    };
    const std::vector<Vec3> wanted{{-10, 80, 1}, {30, -90, 2}};
    CHECK(places("0,1,1,-10,80,1;0,1,1,30,-90,2;") == wanted);
    CHECK(places("0 1 1 -10 80 1\n0 1 1 30 -90 2") == wanted);
    // Older versions have no switches.
    CHECK(places("0,-10,80,1,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL\n"
                 "0,30,-90,2,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL\n") == wanted);
    // Aim points count if SolarPILOT keeps them.
    const std::string aims = "0,1,1,-10,80,1,NULL,NULL,NULL,NULL,NULL,0,0,95";
    CHECK(convert_with({{"solarfield.0.layout_data", aims}}).run.aim.heliostats.empty());
    CHECK(convert_with(
              {{"solarfield.0.layout_data", aims}, {"fluxsim.0.aim_method", "Keep existing"}})
              .run.aim.heliostats.at("H1")
              .point == Vec3{0, 0, 95});
}

TEST_CASE("solarpilot: the reader accepts comments, entities and character data") {
    const sp::Project project = sp::parse_project(
        "\xEF\xBB\xBF<?xml version=\"1.0\"?>\n<!-- <data> -->\n<data>\n<version/>\n"
        "<variable><component>receiver</component><instance>2</instance>\n"
        "<varname>rec_name</varname><units/><value><![CDATA[a<b]]> &lt;&#65;&#x42;&gt;</value>\n"
        "</variable>\n<parametric><par_variable><varname>x</varname></par_variable></parametric>\n"
        "</data>",
        "p.spt");
    REQUIRE(project.find("receiver", 2, "rec_name"));
    CHECK(project.find("receiver", 2, "rec_name")->value == "a<b <AB>");
    CHECK(project.find("receiver", 2, "rec_name")->line == 5);
    CHECK(project.instances("receiver") == std::vector{2});
    CHECK(project.version.empty());
}

TEST_CASE("solarpilot: files that are not projects are refused with their line") {
    const std::string text = project_text(small_project());
    CHECK(contains(problems_of_text("<html>\n</html>"), "p.spt:1: is not a project of SolarPILOT"));
    CHECK(contains(problems_of_text(text.substr(0, text.size() / 2)), "the file is cut off"));
    CHECK(contains(problems_of_text("<data><variable><component>a</instance>"),
                   "has </instance> in <component>"));
    CHECK(contains(problems_of_text("<data><variable>\n<component>a</component></variable></data>"),
                   "p.spt:1: a variable has no <instance>"));
    CHECK(contains(problems_of_text("<data><variable><component>a</component><instance>x</instance>"
                                    "<varname>b</varname><value>1</value></variable></data>"),
                   "instance 'x' is not a number"));
    CHECK(contains(problems_of_text("<data>&nbsp;</data>"), "has text between elements"));
    CHECK(contains(problems_of_text("<data><version>&nbsp;</version></data>"),
                   "has the entity '&nbsp;'"));
    const std::string twice =
        "<variable><component>a</component><instance>0</instance><varname>b</varname>"
        "<value>1</value></variable>";
    CHECK(contains(problems_of_text("<data>" + twice + twice + "</data>"), "a.0.b is given twice"));
}

TEST_CASE("solarpilot: values that cannot be represented are refused by name") {
    CHECK(contains(problems_of({{"heliostat.0.focus_method", "Group average"}}),
                   "heliostat.0.focus_method: 'Group average'"));
    CHECK(contains(problems_of({{"heliostat.0.width", "wide"}}), "'wide' is not a finite number"));
    CHECK(contains(problems_of({{"heliostat.0.width", "-2"}}), "-2 is out of range"));
    CHECK(contains(problems_of({{"heliostat.0.n_cant_x", "1.5"}}), "is not a whole number from 1"));
    CHECK(contains(problems_of({{"heliostat.0.x_gap", "6"}}), "gaps that take the whole mirror"));
    CHECK(contains(problems_of({{"heliostat.0.cant_method", "On axis"}}), "'On axis'"));
    CHECK(contains(problems_of({{"heliostat.0.cant_method", "Off-axis, day and hour"},
                                {"heliostat.0.cant_hour", "11"}}),
                   "degrees below the horizon"));
    CHECK(contains(problems_of({{"solarfield.0.layout_data", ""}}), "has no layout"));
    CHECK(contains(problems_of({{"solarfield.0.layout_data", "0,1,1,5"}}), "a line of 4 cells"));
    CHECK(contains(problems_of({{"solarfield.0.layout_data", "7,1,1,5,90,0"}}),
                   "there is no heliostat template 7"));
    CHECK(contains(problems_of({{"solarfield.0.layout_data", "0,1,1,far,90,0"}}),
                   "'far' is not a finite number"));
    CHECK(contains(problems_of({{"fluxsim.0.flux_hour", "2"}}), "the sun is below the horizon"));
    CHECK(contains(problems_of({{"fluxsim.0.flux_day", "31"}, {"fluxsim.0.flux_month", "4"}}),
                   "day 31 of month 4"));
    CHECK(contains(problems_of({{"ambient.0.sun_type", "User sun"}, {"ambient.0.user_sun", "1,1"}}),
                   "a table that does not describe a sun"));
    CHECK(contains(
        problems_of({{"ambient.0.sun_type", "User sun"}, {"ambient.0.user_sun", "0,1;4,0.5;2,0"}}),
        "a table whose angles do not ascend"));
    // All problems at once.
    const std::string both =
        problems_of({{"heliostat.0.width", "-2"}, {"receiver.0.rec_width", "-2"}});
    CHECK(contains(both, "receiver.0.rec_width"));
}

TEST_CASE("solarpilot: every default is reported") {
    Values values = small_project();
    values.erase("receiver.0.rec_width");
    const MadeField made = sp::convert(sp::parse_project(project_text(values), "p.spt"));
    CHECK(std::ranges::any_of(made.report, [](const std::string& line) {
        return contains(line, "receiver.0.rec_width is not in the file: SolarPILOT's default 17");
    }));
}
