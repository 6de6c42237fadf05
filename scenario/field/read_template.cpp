// SPDX-License-Identifier: MIT
// Reads a field template: YAML and settings to checked values in SI units.
#include "scenario/config/overrides.h"
#include "scenario/csv.h"
#include "scenario/field/template_reader.h"

#include <cmath>

namespace helioray {

FieldTemplate TemplateReader::read() {
    FieldTemplate field;
    read_site(field);
    read_tower(field.tower);
    read_receiver(field.receiver);
    read_heliostat(field.heliostat);
    if (use_ == FieldUse::generate) {
        read_layout(field.layout, field.tower);
    } else {
        field.layout.type = LayoutType::positions;
        const Section section = root_.section("layout");
        field.layout.min_distance = section.number("min_distance_m", {0.0, 1e3, false, false, ""});
        for (const std::string& key : section.keys()) {
            if (key != "min_distance_m")
                assume(section.path_of(key) + " is ignored, positions come from the table");
        }
    }
    return field;
}

double TemplateReader::required(const Section& section,
                                const std::string& key,
                                const Range& range) {
    if (!section.has(key)) {
        const KeyInfo* info = find_key(section.path_of(key));
        section.fail(key,
                     "is missing",
                     info ? info->meaning : "",
                     fmt::format("add for example {}: {}", key, info ? info->example : "1"));
        return range.high;
    }
    return section.number(key, range).value_or(range.high);
}

double TemplateReader::optional(const Section& section,
                                const std::string& key,
                                const Range& range,
                                double value) {
    if (section.has(key)) return section.number(key, range).value_or(value);
    const KeyInfo* info = find_key(section.path_of(key));
    assume(fmt::format("{} is not given: {} assumed",
                       section.path_of(key),
                       info ? info->default_value : fmt::format("{}", value)));
    return value;
}

const KeyInfo* TemplateReader::find_key(const std::string& path) {
    for (const KeyInfo& info : field_keys()) {
        if (info.path == path) return &info;
    }
    return nullptr;
}

void TemplateReader::read_site(FieldTemplate& field) {
    const Section section = root_.section("site");
    GeodeticPosition site;
    assign(site.latitude_deg, section.number("latitude_deg", {-90, 90, false, false, ""}));
    assign(site.longitude_deg, section.number("longitude_deg", {-180, 180, false, false, ""}));
    assign(site.altitude_m, section.number("altitude_m", {-500, 9000, false, false, ""}));
    if (section.has("latitude_deg") && section.has("longitude_deg")) {
        field.site = site;
    } else if (section.has("latitude_deg") || section.has("longitude_deg")) {
        section.fail(section.has("latitude_deg") ? "longitude_deg" : "latitude_deg",
                     "is missing",
                     "a place needs latitude and longitude",
                     "give both");
    } else {
        assume("site is not given: latitude 0, longitude 0 assumed; it matters for sun.time only");
    }
}

void TemplateReader::read_tower(TowerTemplate& tower) {
    const Section section = root_.section("tower");
    if (const auto at = section.numbers("position", 2)) tower.position = {(*at)[0], (*at)[1]};
    tower.optical_height =
        required(section, "optical_height_m", {0.0, 2000.0, true, false, "it is a height"});
    tower.height = section.number("height_m", {0.0, 2000.0, true, false, "it is a height"});
    tower.radius = section.number("radius_m", {0.0, 200.0, true, false, "it is a radius"});
    if (tower.height.has_value() != tower.radius.has_value()) {
        section.fail(tower.height ? "radius_m" : "height_m",
                     "is missing",
                     "the tower's body needs height and radius",
                     "give both or none");
    }
}

void TemplateReader::read_receiver(ReceiverTemplate& receiver) {
    const Section section = root_.section("receiver");
    assign(receiver.name, section.text("name"));
    if (receiver.name.find('/') != std::string::npos || receiver.name == ".") {
        section.fail("name",
                     fmt::format("'{}' cannot be a name in a scenario file", receiver.name),
                     "names are HDF5 links",
                     "use a name without '/'");
    }
    const Range length{0.0, 1000.0, true, false, "it is a length in metres"};
    using Type = ReceiverTemplate::Type;
    if (!section.has("type")) {
        section.fail(
            "type", "is missing", "it is the shape of the receiver", "choose plane or cylinder");
        return;
    }
    const auto type =
        section.choice<Type>("type", {{"plane", Type::plane}, {"cylinder", Type::cylinder}});
    if (!type) return;
    receiver.type = *type;
    if (*type == Type::plane) {
        refuse_other_keys(section,
                          "type",
                          "plane",
                          {"name", "width_m", "height_m", "azimuth_deg", "tilt_deg", "offset_m"},
                          field_keys());
        receiver.width = required(section, "width_m", length);
        receiver.tilt =
            kDegree * optional(section, "tilt_deg", {-90.0, 90.0, false, false, ""}, 0.0);
        assign(receiver.offset, section.number("offset_m", {-1000.0, 1000.0, false, false, ""}));
    } else {
        refuse_other_keys(section,
                          "type",
                          "cylinder",
                          {"name", "radius_m", "height_m", "azimuth_deg"},
                          field_keys());
        receiver.radius = required(section, "radius_m", length);
    }
    receiver.height = required(section, "height_m", length);
    receiver.azimuth = kDegree * optional(section,
                                          "azimuth_deg",
                                          {-360.0, 360.0, false, false, "it is a compass bearing"},
                                          0.0);
}

FieldTemplate read_field_template(const std::optional<std::filesystem::path>& file,
                                  const std::vector<std::string>& settings,
                                  FieldUse use,
                                  std::vector<std::string>& report) {
    YamlNode root;
    root.at.source = file ? file->string() : "field template";
    std::filesystem::path base_dir;
    if (file) {
        root =
            parse_yaml(read_text_file(*file, "it holds the template of the field"), file->string());
        base_dir = file->parent_path();
        if (root.kind != YamlNode::Kind::map && root.kind != YamlNode::Kind::null) {
            throw InputError(Problem{where(root.at, ""),
                                     "is not a map of keys",
                                     "",
                                     "begin with 'tower:' at the left margin"});
        }
    }
    std::vector<Problem> problems;
    Overrides overrides;
    overrides.set = settings;
    apply_overrides(root, overrides, base_dir, problems);
    check_keys(root, problems, field_keys());
    const Section top(&root, "", root.at, problems);
    FieldTemplate field = TemplateReader(top, base_dir, use, report).read();
    if (!problems.empty()) throw InputError(std::move(problems));
    return field;
}

double turning_diameter(const HeliostatTemplate& heliostat) {
    // The farthest corner from the pivot sweeps a sphere.
    return 2.0 * std::hypot(0.5 * heliostat.width, 0.5 * heliostat.height, heliostat.mirror_offset);
}

}  // namespace helioray
