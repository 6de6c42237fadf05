// SPDX-License-Identifier: MIT
// Reads a field template: converts YAML and settings to checked values in SI units.
#include "scenario/config/bound_key.h"
#include "scenario/config/reader.h"
#include "scenario/files/text_file.h"
#include "scenario/files/units.h"
#include "scenario/import/field/template_reader.h"

#include <algorithm>
#include <cmath>

namespace helioray {

FieldTemplate TemplateReader::read() {
    FieldTemplate field;
    read_site(field);
    read_tower(field.tower);
    read_receiver(field.receiver);
    read_heliostats(field);
    if (use_ == FieldUse::generate) {
        read_layout(field.layout, field.tower);
    } else {
        field.layout.type = LayoutType::positions;
        const Section section = root_.section("layout");
        field.layout.min_distance = section.number("min_distance_m");
        for (const std::string& key : section.keys()) {
            if (key != "min_distance_m")
                assume(section.key_path(key) + " is ignored, positions come from the table");
        }
    }
    return field;
}

double TemplateReader::required(const Section& section, const std::string& key) {
    const KeyInfo& info = section.declaration(key);
    if (!section.require(key, info.meaning)) return info.limits.high;
    return section.number(key).value_or(info.limits.high);
}

double TemplateReader::optional(const Section& section, const std::string& key, double value) {
    if (section.has(key)) return section.number(key).value_or(value);
    assume(fmt::format("{} is not given: {} assumed",
                       section.key_path(key),
                       section.declaration(key).default_value));
    return value;
}

void TemplateReader::read_site(FieldTemplate& field) {
    const Section section = root_.section("site");
    GeodeticPosition site;
    assign(site.latitude_deg, section.number("latitude_deg"));
    assign(site.longitude_deg, section.number("longitude_deg"));
    assign(site.altitude_m, section.number("altitude_m"));
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
    tower.optical_height = required(section, "optical_height_m");
    tower.height = section.number("height_m");
    tower.radius = section.number("radius_m");
    if (tower.height.has_value() != tower.radius.has_value()) {
        section.fail(tower.height ? "radius_m" : "height_m",
                     "is missing",
                     "the tower's body needs height and radius",
                     "give both or none");
    }
}

namespace {

/// Returns true if the receiver has several surfaces: the types that always have them, and a
/// cylinder with sectors, shields or an absorptance.
bool has_several_surfaces(const Section& section, ReceiverTemplate::Type type) {
    using Type = ReceiverTemplate::Type;
    if (type == Type::cylinder) {
        std::vector<std::string> keys = absorption_keys();
        keys.insert(keys.end(), {"panels", "arc_deg", "shield_height_m"});
        return std::ranges::any_of(keys, [&](const auto& key) { return section.has(key); });
    }
    return type != Type::plane && type != Type::disc;
}

/// Returns the value of a word; nothing if there is none.
template <typename T>
std::optional<T> from_word(const Choices<T>& choices, const std::string& word) {
    for (const auto& [known, value] : choices)
        if (known == word) return value;
    return std::nullopt;
}

}  // namespace

void TemplateReader::read_receiver(ReceiverTemplate& receiver) {
    const Section section = root_.section("receiver");
    assign(receiver.name, section.text("name"));
    if (receiver.name.find('/') != std::string::npos || receiver.name == ".") {
        section.fail("name",
                     fmt::format("'{}' cannot be a name in a scenario file", receiver.name),
                     "names are HDF5 links",
                     "use a name without '/'");
    }
    const auto type =
        section.required_choice("type", kReceiverTypes, "it is the shape of the receiver");
    if (!type) return;
    receiver.type = *type;
    if (has_several_surfaces(section, *type)) {
        ReceiverConfig& several = receiver.several.emplace();
        several.type = *from_word(kReceiverShapes, find_word(kReceiverTypes, *type));
        std::vector<std::string> others{"name"};
        const bool has_front = several.type == ReceiverConfig::Type::billboard ||
                               several.type == ReceiverConfig::Type::cavity ||
                               several.type == ReceiverConfig::Type::concentrator;
        if (has_front) {
            others.emplace_back("offset_m");
            others.emplace_back("azimuths_deg");
        }
        read_receiver_sizes(section, others, several);
        if (has_front) assign(receiver.offset, section.number("offset_m"));
        receiver.azimuth = several.azimuth;
        if (!section.has("azimuths_deg") || !has_front) return;
        if (section.has("azimuth_deg"))
            section.fail("azimuths_deg",
                         "stands beside azimuth_deg",
                         "both say where receivers face",
                         "keep one of the two");
        constexpr size_t kMost = 36;
        const auto azimuths = section.numbers_up_to("azimuths_deg", kMost);
        for (const double azimuth : azimuths.value_or(std::vector<double>{}))
            receiver.azimuths.push_back(kRadiansPerDegree * azimuth);
        return;
    }
    switch (*type) {
        case ReceiverTemplate::Type::plane:
            section.refuse_other_keys(
                "type", {"name", "width_m", "height_m", "azimuth_deg", "tilt_deg", "offset_m"});
            receiver.width = required(section, "width_m");
            receiver.height = required(section, "height_m");
            break;
        case ReceiverTemplate::Type::cylinder:
            section.refuse_other_keys("type", {"name", "radius_m", "height_m", "azimuth_deg"});
            receiver.radius = required(section, "radius_m");
            receiver.height = required(section, "height_m");
            break;
        case ReceiverTemplate::Type::disc:
            section.refuse_other_keys("type",
                                      {"name", "radius_m", "azimuth_deg", "tilt_deg", "offset_m"});
            receiver.radius = required(section, "radius_m");
            break;
        default:
            break;
    }
    receiver.azimuth = kRadiansPerDegree * optional(section, "azimuth_deg", 0.0);
    if (*type == ReceiverTemplate::Type::cylinder) return;
    receiver.tilt = kRadiansPerDegree * optional(section, "tilt_deg", 0.0);
    assign(receiver.offset, section.number("offset_m"));
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
    const Section top(root, problems, field_keys(), nullptr, &base_dir);
    FieldTemplate field = TemplateReader(top, use, report).read();
    if (!problems.empty()) throw InputError(std::move(problems));
    return field;
}

double turning_diameter(const HeliostatTemplate& heliostat) {
    // The corner that is farthest from the pivot sweeps a sphere.
    return 2.0 * std::hypot(0.5 * heliostat.width, 0.5 * heliostat.height, heliostat.mirror_offset);
}

}  // namespace helioray
