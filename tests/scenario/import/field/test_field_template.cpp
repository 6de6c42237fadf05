// SPDX-License-Identifier: MIT
// Field templates: every key documented and accepted, every mistake reported with its place.
#include "scenario/import/field/field_template.h"
#include "scenario/import/field/template_reader.h"
#include "tests/scenario/import/field/field_support.h"
#include "tests/scenario/temporary_folder.h"

#include <algorithm>
#include <fstream>
#include <iterator>

using namespace helioray;
using namespace helioray::test;

namespace {

std::string problems_of(const std::string& yaml) {
    const TemporaryFolder folder;
    std::ofstream(folder / "field.yaml") << yaml;
    return test::message_of([&] {
        std::vector<std::string> report;
        read_field_template(folder / "field.yaml", {}, FieldUse::generate, report);
    });
}

const std::string kGood = R"(tower: {optical_height_m: 60}
receiver: {type: cylinder, radius_m: 3, height_m: 7}
heliostat: {width_m: 6, height_m: 5, pivot_height_m: 3}
layout: {type: radial_stagger, heliostats: 10}
)";

std::string with(const std::string& from, const std::string& to) {
    std::string text = kGood;
    const size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

/// Receivers of several surfaces, with keys that belong to them.
const std::vector<std::pair<std::string, std::vector<std::string>>> kSeveral{
    {"{type: polygon, panels: 12, radius_m: 4, height_m: 8}",
     {"panels", "arc_deg", "radius_of", "shield_height_m", "absorptance_table"}},
    {"{type: polygon, panels: 9, radius_m: 4, height_m: 8, absorptance: 0.9, absorptance_law: "
     "martin_ruiz}",
     {"absorptance", "absorptance_law", "martin_ruiz_coefficient", "specular_fraction", "bounces"}},
    {"{type: billboard, width_m: 9, height_m: 8}", {"columns", "rows", "shield_width_m"}},
    {"{type: star, arms: 5, radius_m: 4, inner_radius_m: 1, height_m: 8}",
     {"arms", "inner_radius_m"}},
    {"{type: cavity, panels: 8, radius_m: 4, height_m: 8}",
     {"aperture_width_m", "lip_top_m", "lip_bottom_m", "azimuths_deg"}},
    {"{type: beam_down, foci_distance_m: 50, vertex_distance_m: 10, radius_m: 9, half_angle_deg: "
     "25, exit_radius_m: 1, reflectivity: 0.9}",
     {"secondary",
      "foci_distance_m",
      "vertex_distance_m",
      "exit_radius_m",
      "half_angle_deg",
      "length_m",
      "sides",
      "reflectivity",
      "slope_error_mrad"}}};

}  // namespace

TEST_CASE("scenario/import/README.md has the row of every key of a template") {
    std::ifstream stream(source_dir() + "/scenario/import/README.md");
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    REQUIRE_FALSE(text.empty());
    // Types have the keys of the section heliostat, towers those of the section tower.
    const auto original_of = [](const std::string& path) -> std::string {
        const std::string types = "heliostat_types.<name>.", towers = "towers.<name>.";
        if (path.starts_with(types) && !path.ends_with("max_radius_m"))
            return "heliostat." + path.substr(types.size());
        return path.starts_with(towers) ? "tower." + path.substr(towers.size()) : "";
    };
    for (const KeyInfo& key : field_keys()) {
        if (const std::string original = original_of(key.path); !original.empty()) {
            CHECK(find_declaration(original, field_keys()).meaning == key.meaning);
            continue;
        }
        const std::string row = "| `" + key.path + "` | " + key.meaning + " | " + key.unit + " | " +
                                key.range + " | " + key.default_value + " | `" + key.example +
                                "` |\n";
        INFO(row);
        CHECK(contains(text, row));
    }
}

TEST_CASE("field template: the example of every key is accepted") {
    const TemporaryFolder folder;
    std::ofstream(folder / "positions.csv") << "x,y\n1,2\n";
    std::ofstream(folder / "ground.csv") << "x,y,z\n-9,-9,5\n-9,6e6,5\n4e5,-9,5\n4e5,6e6,5\n";
    const std::string ground = "site.terrain.file=" + (folder / "ground.csv").string();
    for (const KeyInfo& key : field_keys()) {
        INFO(key.path);
        const std::string types = "heliostat_types.<name>";
        const bool is_type = key.path.starts_with(types);
        const std::string section = is_type ? "heliostat_types.one" : "heliostat";
        const std::string rest =
            key.path.starts_with("heliostat") ? key.path.substr(is_type ? types.size() : 9) : "";
        std::vector<std::string> more{(rest.empty() ? key.path : section + rest) + "=" +
                                      key.example};
        for (const auto& [list, value] :
             {std::pair<std::string, std::string>{".by_elevation", "elevation_deg"},
              {".by_temperature", "temperature_c"}}) {
            if (!rest.starts_with(list + "[].")) continue;
            const std::string entry = rest.substr(list.size() + 3) + ": " + key.example;
            const std::string first = entry.starts_with(value) ? "" : value + ": 0, ";
            more = {section + list + "=[{" + first + entry + "}, {" + value + ": 60}]",
                    section + ".canting=on_axis"};
        }
        // Companions that a key needs.
        if (rest == ".facet_hole_m") more.push_back(section + ".facet_outline=round");
        if (rest == ".facet_corners_m") more.push_back(section + ".facet_outline=polygon");
        if (key.path == "site.latitude_deg") more.push_back("site.longitude_deg=0");
        if (key.path == "site.longitude_deg") more.push_back("site.latitude_deg=0");
        if (key.path == "site.terrain.file") more = {ground};
        if (key.path == "site.terrain.origin_m") more.push_back(ground);
        const std::string towers = "towers.<name>";
        const bool is_towers = key.path.starts_with(towers);
        if (is_towers) {
            more = {"tower=null",
                    "towers.one.optical_height_m=60",
                    "towers.one" + key.path.substr(towers.size()) + "=" + key.example};
        }
        const std::string of_tower = key.path.substr(key.path.rfind('.') + 1);
        if (is_towers || key.path.starts_with("tower.")) {
            const std::string tower = is_towers ? "towers.one." : "tower.";
            if (of_tower == "height_m") more.push_back(tower + "radius_m=2");
            if (of_tower == "top_radius_m") more.push_back(tower + "radius_m=2");
            if (of_tower == "radius_m" || of_tower == "top_radius_m" || of_tower == "section_m" ||
                of_tower == "section_azimuth_deg")
                more.push_back(tower + "height_m=50");
            if (of_tower == "section_azimuth_deg") more.push_back(tower + "section_m=[8, 6]");
        }
        if (key.path == "receiver.type" || key.path == "receiver.radius_m")
            more.insert(more.end(),
                        {"receiver.type=cylinder", "receiver.width_m=null", "receiver.radius_m=3"});
        if (is_type) {
            more.insert(
                more.begin(),
                {"heliostat=null", section + "={width_m: 6, height_m: 5, pivot_height_m: 3}"});
        }
        if (rest.starts_with(".canting_sun") || rest == ".canting_time")
            more.push_back(section + ".canting=off_axis");
        if (rest == ".canting_sun.azimuth_deg")
            more.push_back(section + ".canting_sun.elevation_deg=30");
        if (rest == ".canting_sun.elevation_deg")
            more.push_back(section + ".canting_sun.azimuth_deg=30");
        if (rest == ".canting_time")
            more.insert(more.end(), {"site.latitude_deg=0", "site.longitude_deg=0"});
        if (rest == ".canting_point_m") more.push_back(section + ".canting=point");
        // Sizes of receivers of several surfaces.
        for (const auto& [type, keys] : kSeveral)
            if (std::ranges::count(keys, key.path.substr(key.path.find('.') + 1)) > 0)
                more.insert(more.begin(), "receiver=" + type);
        if (key.path == "layout.azimuth_from_deg") more.push_back("layout.azimuth_to_deg=70");
        if (key.path == "layout.azimuth_to_deg") more.push_back("layout.azimuth_from_deg=-70");
        if (key.path == "layout.spacing_x_m" || key.path == "layout.spacing_y_m")
            more.push_back("layout.type=rows");
        if (key.path == "layout.file") {
            more = {"layout={type: positions, file: " + (folder / "positions.csv").string() + "}"};
        }
        CHECK(test::message_of([&] { field(more); }) == "");
    }
}

TEST_CASE("field template: keys of receivers name the types that have or require them") {
    for (const std::string& type : list_words(kReceiverTypes)) {
        const std::string missing =
            problems_of(with("{type: cylinder, radius_m: 3, height_m: 7}", "{type: " + type + "}"));
        for (const KeyInfo& key : field_keys()) {
            if (!key.path.starts_with("receiver.")) continue;
            INFO(key.path << ": " << key.meaning << "; " << key.default_value << "; " << missing);
            if (key.default_value.starts_with("required ")) {
                const bool except = key.default_value.starts_with("required except for ");
                CHECK((contains(key.default_value, "`" + type + "`") != except) ==
                      contains(missing, key.path + ": is missing"));
            }
            const std::string name = key.path.substr(std::string("receiver.").size());
            if (name != "azimuths_deg" && name != "tilt_deg" && name != "offset_m") continue;
            const std::string refused =
                problems_of(with("{type: cylinder, radius_m: 3, height_m: 7}",
                                 "{type: " + type + ", " + name + ": " + key.example + "}"));
            CHECK(contains(key.meaning, "`" + type + "`") ==
                  !contains(refused, key.path + ": does not belong to type " + type));
        }
    }
}

TEST_CASE("field template: values arrive in SI units") {
    const FieldTemplate made = field({"receiver.tilt_deg=30",
                                      "layout.azimuth_from_deg=-90",
                                      "layout.azimuth_to_deg=45",
                                      "site.latitude_deg=37",
                                      "site.longitude_deg=-6",
                                      "site.altitude_m=20"});
    CHECK(made.receiver.tilt == Approx(std::numbers::pi / 6.0));
    CHECK(made.layout.azimuth_from == Approx(-0.5 * std::numbers::pi));
    CHECK(made.layout.azimuth_to == Approx(0.25 * std::numbers::pi));
    CHECK(made.site == GeodeticPosition{37, -6, 20});
    CHECK(field({"layout.min_radius_m=null"}).layout.min_radius == Approx(45.0));
    // The farthest corner from a pivot that lies behind the mirror.
    CHECK(turning_diameter(field({"heliostat.mirror_offset_m=1"}).heliostat) ==
          Approx(2.0 * std::sqrt(9.0 + 6.25 + 1.0)));
}

TEST_CASE("field template: assumptions are reported") {
    std::vector<std::string> report;
    read_field_template(std::nullopt, settings(), FieldUse::generate, report);
    const std::string text = fmt::format("{}", fmt::join(report, "\n"));
    for (const char* part : {"site is not given",
                             "heliostat.facet_shape is not given",
                             "slant range assumed",
                             "layout.radial_spacing is not given",
                             "receiver.azimuth_deg is not given: 0 assumed"}) {
        INFO(part);
        CHECK(contains(text, part));
    }
    CHECK_FALSE(contains(text, "layout.min_radius_m"));
}

TEST_CASE("field template: mistakes are found where they stand, all at once") {
    CHECK(problems_of(kGood) == "");
    CHECK(contains(
        problems_of(with("width_m", "widht_m")),
        "field.yaml:3:13: heliostat.widht_m: unknown key 'widht_m'; did you mean 'width_m'?"));
    CHECK(contains(problems_of(with("optical_height_m", "optical_height")),
                   "units are part of the key"));
    CHECK(contains(problems_of(with("type: cylinder", "type: cilinder")),
                   "did you mean 'cylinder'?"));
    CHECK(contains(problems_of(with("radius_m: 3", "width_m: 3")), "receiver.width_m"));
    CHECK(contains(problems_of(with("type: cylinder", "type: disc")), "receiver.height_m"));
    CHECK(contains(problems_of(with("type: cylinder, radius_m: 3, height_m: 7", "type: disc")),
                   "receiver.radius_m: is missing"));
    CHECK(contains(problems_of(with("type: radial_stagger, heliostats: 10", "type: rows")),
                   "the field would have no end"));
    CHECK(contains(problems_of(with("heliostats: 10", "heliostats: 10, spacing_x_m: 3")),
                   "layout.spacing_x_m"));
    CHECK(contains(problems_of(with("heliostats: 10", "heliostats: 10, max_radius_m: 20")),
                   "is not above the smallest radius"));
    CHECK(contains(problems_of(with("heliostats: 10",
                                    "heliostats: 10, azimuth_from_deg: 10, azimuth_to_deg: -10")),
                   "the sector is -20 degrees wide"));
    CHECK(
        contains(problems_of(with("heliostats: 10",
                                  "heliostats: 10, radial_spacing: delsol, azimuthal_spacing: 2")),
                 "is given with radial_spacing delsol"));
    CHECK(contains(
        problems_of(with("height_m: 5", "height_m: 5, facets: [1, 3], facet_gap_m: [0, 2.5]")),
        "2.5 does not fit"));
    CHECK(contains(problems_of(with("height_m: 5", "height_m: 5, focal_length_m: far")),
                   "'far' is neither a length nor slant_range"));
    CHECK(contains(
        problems_of(with("height_m: 5", "height_m: 5, focal_length_m: 9, facet_shape: flat")),
        "is given for flat facets"));
    const auto mirror = [&](const std::string& more) {
        return problems_of(with("height_m: 5", "height_m: 5, " + more));
    };
    CHECK(mirror("focal_length_m: [90, 110]") == "");
    CHECK_THAT(mirror("focal_length_m: [90, 110, 3]"), ContainsSubstring("has 3 lengths"));
    CHECK_THAT(mirror("focal_length_m: [90, far]"),
               ContainsSubstring("focal_length_m[1]: 'far' is neither a length"));
    CHECK_THAT(mirror("focal_length_m: [-1, 9]"), ContainsSubstring("focal_length_m[0]: '-1'"));
    CHECK_THAT(mirror("focal_length_m: [90, 110], facet_shape: sphere"),
               ContainsSubstring("a sphere has one focal length"));
    CHECK_THAT(mirror("canting: off_axis"), ContainsSubstring("canting_sun: is missing"));
    CHECK_THAT(mirror("canting: off_axis, canting_time: 2026-03-20T12:00:00Z"),
               ContainsSubstring("canting_time: is given without a site"));
    CHECK_THAT(mirror("canting: off_axis, canting_sun: {azimuth_deg: 180}"),
               ContainsSubstring("canting_sun.elevation_deg: is missing"));
    CHECK_THAT(mirror("canting: off_axis, canting_sun: {azimuth_deg: 180, elevation_deg: 0}"),
               ContainsSubstring("the sun is above the horizon"));
    CHECK_THAT(mirror("canting: off_axis, canting_time: 2026-03-20T12:00:00Z, canting_sun: "
                      "{azimuth_deg: 180, elevation_deg: 40}"),
               ContainsSubstring("canting_time: is given beside canting_sun"));
    CHECK_THAT(mirror("canting: off_axis, canting_distance_m: 90"),
               ContainsSubstring("canting_distance_m: is given for canting off_axis"));
    CHECK_THAT(mirror("canting_sun: {azimuth_deg: 180, elevation_deg: 40}"),
               ContainsSubstring("remove it or choose canting: off_axis"));
    CHECK_THAT(mirror("canting: point"), ContainsSubstring("canting_point_m: is missing"));
    CHECK_THAT(mirror("canting: point, canting_point_m: [0, 0, 1]"),
               ContainsSubstring("lies 1 m in front of the mirror"));
    const auto at_time = [](const std::string& time) {
        return problems_of(
            "site: {latitude_deg: 37, longitude_deg: -6}\n" +
            with("height_m: 5", "height_m: 5, canting: off_axis, canting_time: " + time));
    };
    CHECK(at_time("2026-03-20T12:00:00Z") == "");
    CHECK_THAT(at_time("2026-03-20T23:00:00Z"), ContainsSubstring("degrees below the horizon"));
    CHECK_THAT(at_time("2026-03-20T12:00:00"), ContainsSubstring("has no offset from UTC"));
    CHECK_THAT(at_time("1700-03-20T12:00:00Z"), ContainsSubstring("canting_time: "));
    CHECK(contains(problems_of(with("optical_height_m: 60", "optical_height_m: 60, height_m: 50")),
                   "the tower's body needs height and radius"));
    CHECK(contains(problems_of("layout: {type: positions, file: nowhere.csv}\n"), "nowhere.csv"));
    const std::string many =
        problems_of("tower: {}\nreceiver: {type: plane}\nheliostat: {}\nlayout: {}\n");
    for (const char* part : {"tower.optical_height_m: is missing",
                             "receiver.width_m: is missing",
                             "receiver.height_m: is missing",
                             "heliostat.width_m: is missing",
                             "heliostat.pivot_height_m: is missing",
                             "layout.type: is missing"}) {
        INFO(part);
        CHECK(contains(many, part));
    }
    CHECK(contains(problems_of("- 1\n"), "is not a map of keys"));
}
