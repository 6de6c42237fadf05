// SPDX-License-Identifier: MIT
// Tables of heliostats: names of columns, units, and what is wrong with lines.
#include "scenario/files/csv.h"
#include "scenario/import/field/build_field.h"
#include "tests/scenario/import/field/field_support.h"
#include "tests/scenario/temporary_folder.h"
#include "tests/support/table_dialects.h"

#include <fstream>

using namespace helioray;
using namespace helioray::test;

namespace {

std::vector<HeliostatPlace> places(const std::string& text,
                                   TableHeight height = TableHeight::pivot,
                                   std::string* remarks = nullptr) {
    ReadLog log;
    auto all = read_layout_table(parse_csv(text, "t.csv"), field(), height, log);
    log.throw_if_any();
    if (remarks) *remarks = fmt::format("{}", fmt::join(log.warnings(), "\n"));
    return all;
}

std::string problems(const std::string& text) {
    return test::message_of([&] { places(text); });
}

}  // namespace

TEST_CASE("layout table: the smallest table") {
    const auto all = places("x,y\n10,20\n-5,1e2\n");
    REQUIRE(all.size() == 2);
    CHECK(all[0].name == "H1");
    CHECK(all[0].pivot == Vec3{10, 20, 3});
    CHECK(all[1].pivot == Vec3{-5, 100, 3});
    CHECK_FALSE(all[0].aim);
}

TEST_CASE("layout table: columns are known by many names, in any order and case") {
    for (const std::string header : {"Name;North [m];East [m];Up (m)",
                                     "heliostat;Y;X;Z",
                                     "NAME;loc_y;loc_x;z location",
                                     "name;y_m;x_m;z_m",
                                     "name;Position N;position_e;pos-u"}) {
        INFO(header);
        const auto all = places(header + "\nA 7;20;10;4.5\n");
        REQUIRE(all.size() == 1);
        CHECK(all[0].name == "A 7");
        CHECK(all[0].pivot == Vec3{10, 20, 4.5});
    }
}

TEST_CASE("layout table: units of length are converted") {
    const auto all =
        places("x [mm],y (ft),z_km,aim_x [cm],aim_y,aim_z [m]\n2500,10,0.001,50,2,3\n");
    CHECK(all[0].pivot[0] == Approx(2.5));
    CHECK(all[0].pivot[1] == Approx(3.048));
    CHECK(all[0].pivot[2] == Approx(1.0));
    CHECK((*all[0].aim)[0] == Approx(0.5));
    CHECK(contains(problems("x [miles],y\n1,2\n"),
                   "t.csv:1:1: x [miles]: 'miles' is no known unit of length"));
}

TEST_CASE("layout table: aim points, focal lengths, canting, flags") {
    std::string remarks;
    const auto all = places(
        "id,x,y,z,aim_e,aim_n,aim_u,focal_length,canting_distance,enabled,soiling\n"
        "7,1,2,3,0,0,60,100,120,1,0.9\n"
        "12,50,2,3,,,,,,0,0.9\n",
        TableHeight::ground,
        &remarks);
    REQUIRE(all.size() == 2);
    CHECK(all[0].name == "H7");
    CHECK(all[0].pivot == Vec3{1, 2, 6});
    CHECK(all[0].aim == Vec3{0, 0, 60});
    CHECK(all[0].focal_lengths == std::array{100.0, 100.0});
    CHECK(all[0].canting_distance == 120.0);
    CHECK_FALSE(all[1].aim);
    CHECK_FALSE(all[1].focal_lengths);
    CHECK_FALSE(all[1].enabled);
    CHECK(contains(remarks, "column 'soiling' (0.9 for all) ignored"));
    CHECK(contains(remarks, "z taken as the ground"));
}

TEST_CASE("layout table: reflectivity and SolarPILOT's soiling of single heliostats") {
    std::string remarks;
    const auto all = places("x,y,Reflectivity,Soiling\n1,2,0.9,1\n30,40,0.8,0.95\n50,60,,0.5\n",
                            TableHeight::pivot,
                            &remarks);
    REQUIRE(all.size() == 3);
    CHECK(all[1].reflectivity == 0.8);
    CHECK(all[1].clean_share == 0.95);
    CHECK_FALSE(all[2].reflectivity);
    CHECK(contains(remarks, "Soiling taken as SolarPILOT's: the share that is left"));
    CHECK(contains(problems("x,y,reflectivity\n1,2,0.9\n30,40,90\n"), "not a number from 0 to 1"));
    CHECK(contains(problems("x,y,soiling\n1,2,0.9\n30,40,low\n"), "'low'"));
}

TEST_CASE("layout table: SolarPILOT's exported layout") {
    // Header, line of units and trailing delimiters as it writes them.
    std::string remarks;
    const auto all = places(
        "Template,In layout,Enabled,Loc. X,Loc. Y,Loc. Z,X focus,Y focus,Cant vect.,Cant "
        "vect.,Cant vect.,Aim pt. X,Aim pt. Y,Aim pt. Z,\n"
        ",,,[m],[m],[m],[m],[m],<i>,<j>,<k>,[m],[m],[m],\n"
        "0,1,1,10.5,-20.25,0,150,150,0,0,1,1,2,100\n"
        "0,1,0,30,40,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL\n"
        "0,0,1,50,60,0,1,1,0,0,1,1,2,100\n",
        TableHeight::pivot,
        &remarks);
    REQUIRE(all.size() == 2);
    CHECK(all[0].pivot == Vec3{10.5, -20.25, 0});
    CHECK(all[0].focal_lengths == std::array{150.0, 150.0});
    CHECK(all[0].aim == Vec3{1, 2, 100});
    CHECK(all[1].pivot == Vec3{30, 40, 0});
    CHECK_FALSE(all[1].aim);
    CHECK_FALSE(all[1].enabled);
    CHECK(contains(remarks, "column 'Cant vect.' ignored (and 2 more)"));
    CHECK(contains(remarks, "not in the layout, left out"));
    // Its Python interface names columns like this.
    CHECK(
        places(
            "id,location-x,location-y,location-z,aimpoint-x,aimpoint-y,aimpoint-z\n3,1,2,3,4,5,6\n")
            [0]
                .aim == Vec3{4, 5, 6});
}

TEST_CASE("layout table: every wrong line is reported with line and column") {
    const std::string text = problems(
        "name,x,y,focal_x,focal_y\n"
        "A,1,zwei,,\n"
        "A,nan,4,,\n"
        "B,,4,,\n"
        "C,1,2,-5,\n"
        "E/F,1,2,,\n"
        "G,1,2,,,9\n"
        "H,1e9,2,,\n");
    for (const char* part : {"t.csv:2:5: y: 'zwei' is not a finite number",
                             "t.csv:3:3: x is missing",
                             "t.csv:3:1: heliostat 'A' is given twice (first in line 2)",
                             "t.csv:4:3: x is missing",
                             "t.csv:5:7: focal_x: -5 is not above 0",
                             "t.csv:6:1: 'E/F' cannot be a name",
                             "t.csv:7: has 6 cells, the header 5",
                             "t.csv:8:3: x: 1e9 is too large"}) {
        INFO(part);
        CHECK(contains(text, part));
    }
    CHECK(places("x;y\n1,5;2\n")[0].pivot[0] == 1.5);
    CHECK(contains(problems("x;y;z\n1,500;2;1.5\n"), "write a decimal point, not a comma"));
    CHECK(contains(problems("1,2\n3,4\n"), "the first line has numbers only"));
    CHECK(contains(problems("a,b\n3,4\n"), "there is no column 'x'"));
    CHECK(contains(problems("x,y,aim_x\n3,4,5\n"), "an aim point has three columns"));
    CHECK(contains(problems("x,y,east\n3,4,5\n"), "column 'east' says the same as column 'x'"));
    CHECK(contains(problems("x,y\n"), "has no heliostat"));
    CHECK(contains(problems(""), "is empty"));
}

TEST_CASE("layout table: coordinates of a country's map are lengths") {
    const Vec3 pivot = places("x,y\n-999999,999999\n")[0].pivot;
    CHECK((pivot[0] == -999999 && pivot[1] == 999999));
}

TEST_CASE("field from a table: lengths and aim points of the table win") {
    const TemporaryFolder folder;
    std::ofstream(folder / "t.csv") << "name,x,y,z,aim_x,aim_y,aim_z,focal_length\nB,0,100,3,,,,"
                                       "\nA,50,100,3,1,0,61,80\nC,90,100,3,,,,\n";
    const FieldTemplate made_for =
        field({"heliostat.slant_step_m=0.001"}, FieldUse::positions_given);
    const MadeField made =
        field_from_table(made_for, read_csv(folder / "t.csv"), TableHeight::pivot, {});
    REQUIRE(made.scenario.heliostats.size() == 3);
    CHECK(made.scenario.heliostats[0].name == "A");
    CHECK(made.scenario.heliostats[0].surface->facets[0].focal_length == 80.0);
    CHECK(made.scenario.heliostats[1].surface->facets[0].focal_length ==
          Approx(std::hypot(100.0, 57.0)).margin(0.001));
    CHECK(made.run.aim.heliostats.size() == 1);
    CHECK(made.run.aim.heliostats.at("A").point == Vec3{1, 0, 61});

    // Inactive heliostats stay in the plant; the run lists the others.
    std::ofstream(folder / "off.csv") << "name,x,y,enabled\nA,0,100,1\nB,40,100,0\n";
    const MadeField off =
        field_from_table(made_for, read_csv(folder / "off.csv"), TableHeight::pivot, {});
    CHECK(off.scenario.heliostats.size() == 2);
    CHECK(off.run.aim.active == std::vector<std::string>{"A"});
    CHECK_FALSE(made.run.aim.active);

    // Mirrors of 6 m x 5 m: 4 m apart is impossible, 7 m only a remark.
    std::ofstream(folder / "close.csv") << "x,y\n0,100\n0,104\n40,100\n47,100\n";
    const std::string text = test::message_of([&] {
        field_from_table(made_for, read_csv(folder / "close.csv"), TableHeight::pivot, {});
    });
    CHECK(contains(text, "close.csv:3: heliostat H2 stands 4.000 m from H1"));
    CHECK_FALSE(contains(text, "H4"));
}

TEST_CASE("layout table: every dialect is read, damaged tables are refused") {
    const std::vector<DialectColumn> columns{{"name", "", {"A1", "B2"}, true},
                                             {"x", "m", {"10.5", "-20"}},
                                             {"y", "m", {"100.25", "120"}},
                                             {"z", "m", {"4", "4.5"}},
                                             {"focal_length", "m", {"110", "130.5"}},
                                             {"enabled", "", {"True", "no"}, true}};
    for (const TableDialect& dialect : table_dialects()) {
        const std::string text = table_text(dialect, columns);
        INFO(dialect.name << ":\n" << text);
        std::vector<HeliostatPlace> all;
        CHECK(test::message_of([&] { all = places(text); }) == "");
        REQUIRE(all.size() == 2);
        CHECK(all[0].name == "A1");
        CHECK(all[0].pivot == Vec3{10.5, 100.25, 4});
        CHECK(all[1].pivot == Vec3{-20, 120, 4.5});
        CHECK(all[1].focal_lengths == std::array{130.5, 130.5});
        CHECK(all[0].enabled);
        CHECK_FALSE(all[1].enabled);
    }
    for (const RefusedDialect& damage : refused_dialects(columns)) {
        INFO(damage.name << ":\n" << damage.text);
        CHECK(contains(problems(damage.text), damage.message));
        CHECK(problems(damage.text) != "");
    }
}

TEST_CASE("layout table: heights of surveyors, and columns that would decide the field") {
    for (const char* name : {"Elevation", "Altitude", "Height [m]", "Z(Zenith)"}) {
        const auto all =
            places(fmt::format("Easting,Northing,{}\n10.5,100.25,14\n-20,120,24\n", name));
        REQUIRE(all.size() == 2);
        CHECK(all[0].pivot == Vec3{10.5, 100.25, 14});
    }
    CHECK(places("X(East),Y(North),Z(Zenith)\n1,2,3\n")[0].pivot == Vec3{1, 2, 3});
    CHECK(
        contains(problems("Template,x,y\n1,10,20\n2,30,40\n"), "'Template' has different values"));
    CHECK(contains(problems("width,x,y\n12,10,20\n6,30,40\n"), "'width' has different values"));
    std::string remarks;
    places("Template,x,y\n1,10,20\n1,30,40\n", TableHeight::pivot, &remarks);
    CHECK(contains(remarks, "column 'Template' (1 for all) ignored"));
    CHECK(contains(problems("Template,Loc. X,Loc. Y,Loc. Z,X focus,Y focus\n,[m],[m],[m],[m],[m]\n"
                            "-30,100,4,110,110\n"),
                   "has 5 cells, the header 6"));
}

TEST_CASE("layout table: heights that are all 0 are flat ground, and the pivots stay above it") {
    std::string remarks;
    const auto flat = places("x,y,z\n10,20,0\n30,20,0.0\n", TableHeight::pivot, &remarks);
    CHECK(flat[1].pivot == Vec3{30, 20, 3});
    CHECK_THAT(remarks, ContainsSubstring("z is 0 in all rows: taken as the ground"));
    const auto sloped = places("x,y,z\n10,20,0\n30,20,0.5\n", TableHeight::pivot, &remarks);
    CHECK(sloped[0].pivot == Vec3{10, 20, 0});
    CHECK_THAT(remarks, ContainsSubstring("z taken as the height of the pivots"));
    // Heights of aim points have the same origin as those of the pivots.
    const auto aimed = places("x,y,z,aim_x,aim_y,aim_z\n10,20,0,0,0,50\n");
    CHECK(aimed[0].pivot == Vec3{10, 20, 0});
}
