// SPDX-License-Identifier: MIT
// Every declared key is read into the configuration and written back from it.
#include "scenario/config/key_table.h"
#include "scenario/config/write_run_config.h"
#include "scenario/config/yaml_tree.h"
#include "scenario/files/number_text.h"
#include "tests/scenario/config/support.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

using namespace helioray;
using namespace helioray::test;

namespace {

/// Values by key path.
using Settings = std::map<std::string, std::string>;

/// Values of keys whose example is their default.
const Settings kOtherValues{{"artist.batch_size", "50"},
                            {"artist.surface_points_per_facet", "[40, 30]"},
                            {"bitmap.height", "128"},
                            {"bitmap.width", "64"},
                            {"optics.specularity_error.type", "pillbox"},
                            {"tracing.blocking", "false"},
                            {"tracing.model", "artist"},
                            {"tracing.shading", "false"}};

/// Sizes of receivers.
const Settings kBillboard{{"receivers.<name>.height_m", "8"}};
const Settings kCavity{{"receivers.<name>.height_m", "8"},
                       {"receivers.<name>.panels", "8"},
                       {"receivers.<name>.radius_m", "4"}};
const Settings kStar{{"receivers.<name>.height_m", "8"}, {"receivers.<name>.radius_m", "4"}};

const Settings kDown{{"receivers.<name>.radius_m", "4"}};
const Settings kDownCone{{"receivers.<name>.radius_m", "4"},
                         {"receivers.<name>.half_angle_deg", "25"}};
const Settings kConic{{"receivers.<name>.surfaces[].radius_m", "2"}};
const Settings kFoci{{"receivers.<name>.surfaces[].radius_m", "2"},
                     {"receivers.<name>.surfaces[].center_m", "[0, 0, 0]"}};
const Settings kMirror{{"receivers.<name>.surfaces[].use", "mirror"},
                       {"receivers.<name>.surfaces[].reflectivity", "0.94"}};
const Settings kMesh{{"receivers.<name>.surfaces[].file", "mesh.obj"}};
const Settings kCone{{"receivers.<name>.surfaces[].bottom_radius_m", "2"},
                     {"receivers.<name>.surfaces[].top_radius_m", "1"},
                     {"receivers.<name>.surfaces[].height_m", "2"}};

/// Keys that need others which the table of keys does not name.
const std::map<std::string, Settings> kCompanions{
    {"aiming.objective.measure", {{"aiming.objective.target_map", "wanted.h5"}}},
    {"aiming.target_shares.<name>", {{"aiming.target_shares.south", "0.5"}}},
    {"output.per_heliostat", {{"output.file", "flux.h5"}}},
    {"receivers.<name>.absorptance_law", {{"receivers.<name>.absorptance", "0.9"}}},
    {"receivers.<name>.aperture_width_m", kCavity},
    {"receivers.<name>.arms", kStar},
    {"obstacles[].top_radius_m",
     {{"obstacles[].base", "[0.0, 0.0, 0.0]"},
      {"obstacles[].height_m", "60.0"},
      {"obstacles[].radius_m", "4.0"}}},
    {"receivers.<name>.bounces", {{"receivers.<name>.absorptance", "0.9"}}},
    {"receivers.<name>.columns", kBillboard},
    {"receivers.<name>.inner_radius_m", kStar},
    {"receivers.<name>.lip_bottom_m", kCavity},
    {"receivers.<name>.lip_top_m", kCavity},
    {"receivers.<name>.martin_ruiz_coefficient",
     {{"receivers.<name>.absorptance", "0.9"},
      {"receivers.<name>.absorptance_law", "martin_ruiz"}}},
    {"receivers.<name>.secondary", kDown},
    {"receivers.<name>.foci_distance_m", kDown},
    {"receivers.<name>.vertex_distance_m", kDown},
    {"receivers.<name>.exit_radius_m", kDown},
    {"receivers.<name>.half_angle_deg", kDown},
    {"receivers.<name>.length_m", kDownCone},
    {"receivers.<name>.sides", kDownCone},
    {"receivers.<name>.reflectivity", kDown},
    {"receivers.<name>.slope_error_mrad", kDown},
    {"receivers.<name>.surfaces[].curvature_radius_m", kConic},
    {"receivers.<name>.surfaces[].conic_constant", kConic},
    {"receivers.<name>.surfaces[].focal_length_m", kConic},
    {"receivers.<name>.surfaces[].near_focus_m", kFoci},
    {"receivers.<name>.surfaces[].far_focus_m", kFoci},
    {"receivers.<name>.surfaces[].reflectivity", kMirror},
    {"receivers.<name>.surfaces[].slope_error_mrad", kMirror},
    {"receivers.<name>.rows", kBillboard},
    {"receivers.<name>.shield_width_m", kBillboard},
    {"receivers.<name>.specular_fraction", {{"receivers.<name>.absorptance", "0.9"}}},
    {"receivers.<name>.tilt_deg", kBillboard},
    {"receivers.<name>.width_m", kBillboard},
    {"receivers.<name>.surfaces[].absorptance_law",
     {{"receivers.<name>.surfaces[].absorptance", "0.9"}}},
    {"receivers.<name>.surfaces[].bounces", {{"receivers.<name>.surfaces[].absorptance", "0.9"}}},
    {"receivers.<name>.surfaces[].martin_ruiz_coefficient",
     {{"receivers.<name>.surfaces[].absorptance", "0.9"},
      {"receivers.<name>.surfaces[].absorptance_law", "martin_ruiz"}}},
    {"receivers.<name>.surfaces[].specular_fraction",
     {{"receivers.<name>.surfaces[].absorptance", "0.9"}}},
    {"receivers.<name>.surfaces[].arc_deg",
     {{"receivers.<name>.surfaces[].radius_m", "2"},
      {"receivers.<name>.surfaces[].height_m", "2"}}},
    {"receivers.<name>.surfaces[].axis",
     {{"receivers.<name>.surfaces[].radius_m", "2"},
      {"receivers.<name>.surfaces[].height_m", "2"}}},
    {"receivers.<name>.surfaces[].side",
     {{"receivers.<name>.surfaces[].radius_m", "2"},
      {"receivers.<name>.surfaces[].height_m", "2"}}},
    {"receivers.<name>.surfaces[].inner_radius_m", {{"receivers.<name>.surfaces[].radius_m", "2"}}},
    {"receivers.<name>.surfaces[].middle",
     {{"receivers.<name>.surfaces[].radius_m", "2"},
      {"receivers.<name>.surfaces[].inner_radius_m", "1"},
      {"receivers.<name>.surfaces[].middle", "[1.0, 0.0, 0.0]"}}},
    {"receivers.<name>.surfaces[].unit_m", kMesh},
    {"receivers.<name>.surfaces[].turn_deg", kMesh},
    {"receivers.<name>.surfaces[].front", kMesh},
    {"receivers.<name>.surfaces[].bottom_radius_m", kCone},
    {"receivers.<name>.surfaces[].top_radius_m", kCone},
    {"receivers.<name>.surfaces[].bottom_deg", {{"receivers.<name>.surfaces[].radius_m", "2"}}},
    {"receivers.<name>.surfaces[].top_deg", {{"receivers.<name>.surfaces[].radius_m", "2"}}},
    {"sun.clouds.time",
     {{"sun.clouds.file", "clouds.csv"}, {"sun.clouds.velocity_m_s", "[8, -3]"}}},
    {"sun.clouds.velocity_m_s", {{"sun.clouds.file", "clouds.csv"}}},
    {"state.soiling.washing.every", {{"state.soiling.rate_per_day", "0.003"}}},
    {"state.soiling.washing.days", {{"state.soiling.rate_per_day", "0.003"}}},
    {"state.soiling.washing.share",
     {{"state.soiling.rate_per_day", "0.003"}, {"state.soiling.washing.days", "7"}}},
    {"state.soiling.washing.to",
     {{"state.soiling.rate_per_day", "0.003"}, {"state.soiling.washing.days", "7"}}},
    {"terrain.origin_m", {{"terrain.file", "ground.csv"}}},
    {"targets.<name>.aperture.center", {{"targets.<name>.aperture.radius_m", "2"}}},
    {"targets.<name>.aperture.height_m", {{"targets.<name>.aperture.width_m", "2"}}},
    {"targets.<name>.aperture.normal", {{"targets.<name>.aperture.radius_m", "2"}}},
    {"targets.<name>.aperture.width_m", {{"targets.<name>.aperture.height_m", "2"}}},
    {"tracing.relative_error_of", {{"tracing.relative_error", "0.1"}}}};

/// Keys whose value is written in another form: the default of its section, the short form of a
/// distribution, a vector of unit length, another time zone.
const std::map<std::string, Settings> kOtherForms{
    {"aiming.objective", {}},
    {"optics.slope_error.sigma_mrad", {{"optics.slope_error_mrad", "1.3"}}},
    {"optics.specularity_error.sigma_mrad", {{"optics.specularity_error_mrad", "0.5"}}},
    // Quadrics are written as conics.
    {"receivers.<name>.surfaces[].focal_length_m",
     {{"receivers.<name>.surfaces[].curvature_radius_m", "20"}}},
    {"receivers.<name>.surfaces[].near_focus_m",
     {{"receivers.<name>.surfaces[].curvature_radius_m", "48"}}},
    {"receivers.<name>.surfaces[].far_focus_m",
     {{"receivers.<name>.surfaces[].curvature_radius_m", "48"}}},
    {"sun.clouds.time", {{"sun.clouds.time", "2026-06-21T10:00:00+00:00"}}},
    {"sun.incident_direction",
     {{"sun.incident_direction", "[0, 0.7071067811865475, -0.7071067811865475]"}}}};

void write_inputs(const ConfigFolder& folder) {
    folder.write("aims.csv", "name,target,east,north,up\nA,receiver,1,2,3\n");
    folder.write("clouds.csv", "east_m,north_m,share\n0,0,1\n0,9,1\n9,0,0.5\n9,9,0.5\n");
    folder.write("csr5.csv", "0, 1\n5, 0\n");
    folder.write("ground.csv", "x,y,z\n0,0,1\n0,9,1\n9,0,2\n9,9,2\n");
    folder.write("limits.csv", "");
    folder.write("mesh.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.write("mirrors.csv", "name,soiling\nA,0.1\n");
    folder.write("suns.csv", "azimuth_deg,elevation_deg,dni_w_m2\n170,40,800\n180,45,850\n");
    folder.write("wanted.h5", "");
}

std::string section_of(const std::string& path) {
    return path.substr(0, std::max(path.rfind('.'), size_t{0}));
}

/// Returns the type to which the key belongs, "buie" for "`buie`: ..."; empty for other keys.
std::string type_of(const KeyInfo& key) {
    const size_t end = key.meaning.find("`: ");
    return key.meaning.starts_with('`') && end != std::string::npos ? key.meaning.substr(1, end - 1)
                                                                    : "";
}

std::string value_of(const KeyInfo& key) {
    const auto other = kOtherValues.find(key.path);
    return other != kOtherValues.end() ? other->second : key.example;
}

/// Adds the keys that the section of a key requires beside it.
void add_required(const KeyInfo& key, Settings& settings) {
    const std::string section = section_of(key.path);
    if (section == key.path) return;
    std::string type = type_of(key);
    for (const char* name : {".type", ".model"}) {
        const auto chosen = std::find_if(known_keys().begin(), known_keys().end(), [&](auto& info) {
            return info.path == section + name;
        });
        if (chosen == known_keys().end() || section == "tracing") continue;
        if (key.path == chosen->path) type = value_of(key);
        if (type.empty()) type = chosen->example;
        settings.emplace(chosen->path, type);
    }
    for (const KeyInfo& info : known_keys()) {
        const std::string& need = info.default_value;
        if (section_of(info.path) != section || !need.starts_with("required")) continue;
        if (need.starts_with("required except for")) {
            if (need.find("`" + type + "`") == std::string::npos)
                settings.emplace(info.path, value_of(info));
            continue;
        }
        const bool is_needed = need.find('`') == std::string::npos ||
                               need.ends_with("`" + type + "`") ||
                               need.ends_with("`" + section.substr(section.rfind('.') + 1) + "`") ||
                               need.ends_with("`" + key.path.substr(section.size() + 1) + "`");
        if (is_needed) settings.emplace(info.path, value_of(info));
    }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    if (const size_t at = text.find(from); at != std::string::npos)
        text.replace(at, from.size(), to);
    return text;
}

/// Returns the settings as overrides. Input files are those of the folder.
Overrides make_overrides(const KeyInfo& key, const Settings& settings, const ConfigFolder& folder) {
    Overrides overrides;
    if (key.is_position && key.path != "sun.azimuth_deg" && key.path != "sun.elevation_deg")
        overrides.set = {"sun.azimuth_deg=null", "sun.elevation_deg=null"};
    std::map<std::string, std::string> entries;  // of lists
    for (const auto& [path, value] : settings) {
        const bool is_file = find_declaration(replaced(path, ".south", ".<name>")).is_input_file;
        const std::string text = is_file ? (folder.path() / value).string() : value;
        const size_t list = path.find("[].");
        if (list == std::string::npos)
            overrides.set.push_back(replaced(path, "<name>", "AA39") + "=" + text);
        else
            entries[path.substr(0, list)] += path.substr(list + 3) + ": " + text + ", ";
    }
    for (const auto& [list, text] : entries) {
        // A list of a receiver belongs to a type without other sizes.
        if (list == "receivers.<name>.surfaces")
            overrides.set.push_back("receivers.AA39={type: surfaces, center_m: [0, 0, 9]}");
        overrides.set.push_back(replaced(list, "<name>", "AA39") + "=[{" + text + "}]");
    }
    return overrides;
}

bool is_same(const std::string& first, const std::string& second) {
    const auto a = parse_number(first), b = parse_number(second);
    return a && b ? *a == *b : first == second;
}

/// Checks that a written configuration has a value: a word, a number, a list or a file.
void check_written(const Settings& written, const std::string& path, const std::string& value) {
    const YamlNode node = parse_yaml("value: " + value, "value");
    const std::string place = replaced(replaced(path, "[]", "[0]"), "<name>", "AA39");
    for (const auto& [suffix, expected] : written_values(node)) {
        const std::string key = place + suffix.substr(std::string("value").size());
        const auto found = written.find(key);
        REQUIRE(found != written.end());
        CHECK((is_same(found->second, expected) || found->second.ends_with("/" + expected)));
    }
}

}  // namespace

TEST_CASE("every declared key is read into the configuration and written back") {
    const ConfigFolder folder;
    write_inputs(folder);
    for (const KeyInfo& key : known_keys()) {
        INFO(
            key.path << ": bind this key to a member in run_keys.cpp, or read it in a read_*.cpp "
                        "and write it in write_run_config.cpp. If its example is its default, give "
                        "another value in kOtherValues; if it needs other keys, in kCompanions");
        Settings settings{{key.path, value_of(key)}};
        if (const auto found = kCompanions.find(key.path); found != kCompanions.end())
            settings.insert(found->second.begin(), found->second.end());
        add_required(key, settings);
        const Overrides overrides = make_overrides(key, settings, folder);
        for (const std::string& setting : overrides.set) UNSCOPED_INFO(setting);
        const RunConfig config = parse_run_config(kSmallest, "run.yaml", folder.path(), overrides);
        const std::string text = run_config_text(config, "");
        UNSCOPED_INFO(text);
        const Settings written = written_values(parse_yaml(text, "text"));
        const auto form = kOtherForms.find(key.path);
        if (form == kOtherForms.end())
            check_written(written, key.path, value_of(key));
        else
            for (const auto& [path, value] : form->second) check_written(written, path, value);
        CHECK(run_config_text(parse_run_config(text, "run.yaml", folder.path()), "") == text);
    }
}

TEST_CASE("a configuration with aim.file is written without the rows of the file") {
    const ConfigFolder folder;
    folder.write("aims.csv",
                 "name,target,east,north,up,active\n"
                 "A,receiver,1,2,3,false\nB,receiver,1,2,3,true\n\"C.1\",receiver,1,2,3,false\n");
    const RunConfig config = parse_run_config(
        "scenario: plant.h5\n"
        "sun: {azimuth_deg: 180, elevation_deg: 45}\n"
        "aim:\n"
        "  file: aims.csv\n"
        "  heliostats: {A: {active: true}, C.1: {point: [4, 5, 6]}}\n",
        "run.yaml",
        folder.path());
    const std::string text = run_config_text(config, "");
    INFO(text);
    CHECK_FALSE(contains(text, "B:"));
    const RunConfig read = parse_run_config(text, "run.yaml", folder.path());
    REQUIRE(read.aim.heliostats.size() == 3);
    for (const auto& [name, aim] : config.aim.heliostats) {
        CHECK(read.aim.heliostats.at(name).target == aim.target);
        CHECK(read.aim.heliostats.at(name).point == aim.point);
        CHECK(read.aim.heliostats.at(name).active == aim.active);
    }
    CHECK(run_config_text(read, "") == text);
}
