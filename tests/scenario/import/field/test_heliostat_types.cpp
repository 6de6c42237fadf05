// SPDX-License-Identifier: MIT
// Fields of several types of heliostats: by name in a table, by distance from the tower.
#include "scenario/files/csv.h"
#include "scenario/import/field/build_field.h"
#include "tests/scenario/import/field/field_support.h"
#include "tests/scenario/temporary_folder.h"

#include <fstream>
#include <map>

using namespace helioray;
using namespace helioray::test;

namespace {

const std::string kSmall =
    "heliostat_types.small={width_m: 2, height_m: 1.5, pivot_height_m: 1, facet_shape: flat";
const std::string kLarge =
    "heliostat_types.large={width_m: 6, height_m: 5, pivot_height_m: 3, facets: [2, 3], "
    "mirror_offset_m: 0.3";

/// A template whose types have further keys.
std::vector<std::string> mixture(const std::string& small, const std::string& large) {
    return {"heliostat=null", kSmall + small + "}", kLarge + large + "}"};
}

FieldTemplate mixed(const std::string& small,
                    const std::string& large,
                    FieldUse use = FieldUse::generate,
                    const std::vector<std::string>& more = {}) {
    std::vector<std::string> all = mixture(small, large);
    all.insert(all.end(), more.begin(), more.end());
    return field(all, use);
}

/// Outer width and height of a mirror, and its number of facets.
struct Mirror {
    double width = 0.0, height = 0.0;
    size_t facets = 0;
};

Mirror mirror_of(const Heliostat& heliostat) {
    Mirror mirror;
    mirror.facets = heliostat.surface->facets.size();
    for (const Facet& facet : heliostat.surface->facets) {
        mirror.width = std::max(mirror.width, 2.0 * (facet.translation[0] + norm(facet.canting_e)));
        mirror.height =
            std::max(mirror.height, 2.0 * (facet.translation[1] + norm(facet.canting_n)));
    }
    return mirror;
}

void check_small(const Heliostat& heliostat, double ground) {
    const Mirror mirror = mirror_of(heliostat);
    CHECK(mirror.width == Approx(2.0));
    CHECK(mirror.height == Approx(1.5));
    CHECK(mirror.facets == 1);
    CHECK(heliostat.surface->facets[0].shape == FacetShape::flat);
    CHECK(heliostat.position[2] == ground + 1.0);
    CHECK(heliostat.kinematics->deviations.concentrator_translation == Vec3{0, 0, 0});
}

void check_large(const Heliostat& heliostat, double ground) {
    const Mirror mirror = mirror_of(heliostat);
    CHECK(mirror.width == Approx(6.0).epsilon(1e-3));
    CHECK(mirror.height == Approx(5.0).epsilon(1e-3));
    CHECK(mirror.facets == 6);
    CHECK(heliostat.surface->facets[0].shape == FacetShape::paraboloid);
    CHECK(heliostat.position[2] == ground + 3.0);
    CHECK(heliostat.kinematics->deviations.concentrator_translation == Vec3{0, 0, 0.3});
}

}  // namespace

TEST_CASE("heliostat types: radii divide a generated field") {
    const MadeField made = generate_field(mixed(", max_radius_m: 60", ""), {});
    size_t small = 0, large = 0;
    for (const Heliostat& heliostat : made.scenario.heliostats) {
        const bool is_near = std::hypot(heliostat.position[0], heliostat.position[1]) <= 60.0;
        (is_near ? small : large) += 1;
        is_near ? check_small(heliostat, 0.0) : check_large(heliostat, 0.0);
    }
    CHECK(small > 10);
    CHECK(large > 10);
    const std::string report = fmt::format("{}", fmt::join(made.report, "\n"));
    CHECK_THAT(report,
               ContainsSubstring(fmt::format("type small: {} heliostats of 2 x 1.5 m", small)));
    CHECK_THAT(report,
               ContainsSubstring(fmt::format("type large: {} heliostats of 6 x 5 m", large)));
    CHECK_THAT(report,
               ContainsSubstring(fmt::format(
                   "outer dimensions cover {:.0f} m2 in all",
                   3.0 * static_cast<double>(small) + 30.0 * static_cast<double>(large))));
}

TEST_CASE("heliostat types: a table names them, as SolarPILOT does in its column Template") {
    const TemporaryFolder folder;
    for (const char* column : {"type", "Template", "heliostat_type"}) {
        std::ofstream(folder / "t.csv")
            << "name,x,y," << column << "\nA,0,100,small\nB,30,100,large\nC,60,100,small\n";
        const MadeField made = field_from_table(mixed("", "", FieldUse::positions_given),
                                                read_csv(folder / "t.csv"),
                                                TableHeight::pivot,
                                                {});
        REQUIRE(made.scenario.heliostats.size() == 3);
        check_small(made.scenario.heliostats[0], 0.0);
        check_large(made.scenario.heliostats[1], 0.0);
        check_small(made.scenario.heliostats[2], 0.0);
        CHECK(made.scenario.heliostats[0].kinematics == made.scenario.heliostats[2].kinematics);
    }
    // Heights are those of the ground; rows without a type follow the radii.
    std::ofstream(folder / "t.csv") << "name,x,y,z,type\nA,0,50,2,\nB,30,100,4,\nC,0,70,5,large\n";
    const MadeField made =
        field_from_table(mixed(", max_radius_m: 80", "", FieldUse::positions_given),
                         read_csv(folder / "t.csv"),
                         TableHeight::ground,
                         {});
    check_small(made.scenario.heliostats[0], 2.0);
    check_large(made.scenario.heliostats[1], 4.0);
    check_large(made.scenario.heliostats[2], 5.0);
}

TEST_CASE("heliostat types: small mirrors may stand closer than large ones") {
    const TemporaryFolder folder;
    const auto problems = [&](const std::string& rows) {
        std::ofstream(folder / "t.csv") << "name,x,y,type\n" << rows;
        return test::message_of([&] {
            field_from_table(mixed("", "", FieldUse::positions_given),
                             read_csv(folder / "t.csv"),
                             TableHeight::pivot,
                             {});
        });
    };
    CHECK(problems("A,0,100,small\nB,3,100,small\nC,40,100,large\n") == "");
    // 3.25 m is half of 1.5 m and 5 m together; the pivots' heights differ by 2 m.
    CHECK(problems("A,0,100,small\nB,2.6,100,large\nC,40,100,large\nD,60,100,large\n") == "");
    CHECK_THAT(problems("A,0,100,small\nB,2.4,100,large\nC,40,100,large\nD,60,100,large\n"),
               ContainsSubstring("t.csv:3: heliostat B stands 3.124 m from A"));
}

TEST_CASE("heliostat types: wrong templates and rows are reported") {
    const auto problems = [](const std::vector<std::string>& more) {
        return test::message_of([&] { generate_field(field(more), {}); });
    };
    CHECK_THAT(problems(mixture("", "")),
               ContainsSubstring("no type applies 40.0 m from the tower"));
    CHECK_THAT(problems(mixture(", max_radius_m: 50", ", max_radius_m: 60")),
               ContainsSubstring("give max_radius_m to all types except one"));
    CHECK_THAT(problems(mixture(", max_radius_m: 50", ", max_radius_m: 50")),
               ContainsSubstring("max_radius_m: is equal to that of type 'small'"));
    CHECK_THAT(problems({kSmall + "}"}), ContainsSubstring("is given beside heliostat_types"));
    CHECK_THAT(problems({"heliostat=null", "heliostat_types={}"}),
               ContainsSubstring("has no types"));
    CHECK_THAT(problems({"heliostat=null", "heliostat_types={a: {height_m: 2, widht_m: 2}}"}),
               ContainsSubstring("heliostat_types.a.widht_m: unknown key 'widht_m'; did you mean "
                                 "'width_m'?"));
    CHECK_THAT(problems({"heliostat=null", "heliostat_types={a: {height_m: 2}}"}),
               ContainsSubstring("heliostat_types.a.width_m: is missing"));

    const TemporaryFolder folder;
    std::ofstream(folder / "t.csv") << "x,y,type\n0,100,smal\n50,100,\n";
    const std::string text = test::message_of([&] {
        field_from_table(mixed("", "", FieldUse::positions_given),
                         read_csv(folder / "t.csv"),
                         TableHeight::pivot,
                         {});
    });
    CHECK_THAT(text, ContainsSubstring("t.csv:2:7: there is no heliostat type 'smal'"));
    CHECK_THAT(text, ContainsSubstring("did you mean 'small'?"));
    CHECK_THAT(text, ContainsSubstring("t.csv:3:8: the heliostat has no type"));
}

TEST_CASE("field from a table: lengths that contradict the template are reported") {
    const TemporaryFolder folder;
    const auto problems = [&](const std::string& columns, const std::vector<std::string>& more) {
        std::ofstream(folder / "t.csv") << columns;
        return test::message_of([&] {
            field_from_table(field(more, FieldUse::positions_given),
                             read_csv(folder / "t.csv"),
                             TableHeight::pivot,
                             {});
        });
    };
    const std::string focals = "x,y,focal_x,focal_y\n0,100,90,110\n";
    CHECK(problems(focals, {}) == "");
    CHECK_THAT(problems(focals, {"heliostat.facet_shape=sphere"}),
               ContainsSubstring("t.csv:2: focal lengths 90 and 110 m differ"));
    CHECK_THAT(problems("x,y,cant\n0,100,90\n",
                        {"heliostat.canting=point", "heliostat.canting_point_m=[0, 0, 200]"}),
               ContainsSubstring("t.csv:2: the row has a canting distance"));
}
