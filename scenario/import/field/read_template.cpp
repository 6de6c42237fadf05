// SPDX-License-Identifier: MIT
// Reads a field template: converts YAML and settings to checked values in SI units.
#include "scenario/config/bound_key.h"
#include "scenario/config/reader.h"
#include "scenario/files/text_file.h"
#include "scenario/files/units.h"
#include "scenario/import/field/template_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace helioray {

FieldTemplate TemplateReader::read() {
    FieldTemplate field;
    read_site(field);
    read_towers(field);
    read_receiver(field.receiver);
    read_heliostats(field);
    if (use_ == FieldUse::generate) {
        read_layout(field);
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
    if (section.has("terrain")) read_terrain(section, field.terrain);
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

void TemplateReader::read_terrain(const Section& site, TerrainConfig& terrain) {
    const Section section = site.section("terrain");
    terrain.file = existing_file(section, "file");
    if (const auto origin = section.numbers("origin_m", 3))
        std::ranges::copy(*origin, terrain.origin.begin());
    read_ground(section, terrain);
}

void TemplateReader::read_towers(FieldTemplate& field) {
    std::vector<Section> sections;
    if (!root_.has("towers")) {
        sections.push_back(root_.section("tower"));
        read_tower(sections.front(), field.tower);
    } else {
        if (root_.has("tower"))
            root_.fail("tower",
                       "is given beside towers",
                       "every tower has a name there",
                       "keep one of the two sections");
        const Section towers = root_.section("towers");
        for (const std::string& name : towers.keys()) {
            sections.push_back(towers.section(name));
            TowerTemplate& tower = field.towers.emplace_back();
            tower.name = name;
            read_tower(sections.back(), tower);
        }
        if (field.towers.empty()) {
            root_.fail(
                "towers", "has no towers", "", "add one: {north: {position: [0, 300], ...}}");
            return;
        }
    }
    for (size_t i = 0; i < sections.size(); ++i) {
        TowerTemplate& tower = field.towers.empty() ? field.tower : field.towers[i];
        const auto ground = ground_height(field, tower.position[0], tower.position[1]);
        if (!ground)
            sections[i].fail("position",
                             "is outside of the terrain",
                             "the tower stands on it",
                             "check site.terrain.origin_m, or extend the terrain");
        tower.ground = ground.value_or(0.0);
    }
    if (!field.towers.empty()) field.tower = field.towers.front();
}

void TemplateReader::read_tower(const Section& section, TowerTemplate& tower) {
    if (const auto at = section.numbers("position", 2)) tower.position = {(*at)[0], (*at)[1]};
    tower.optical_height = required(section, "optical_height_m");
    tower.height = section.number("height_m");
    tower.radius = section.number("radius_m");
    tower.top_radius = section.number("top_radius_m");
    if (const auto sides = section.numbers("section_m", 2)) {
        tower.section = {(*sides)[0], (*sides)[1]};
        const Range& limits = section.declaration("section_m").limits;
        for (size_t i = 0; i < 2; ++i)
            if (!limits.contains((*sides)[i]))
                section.fail_item("section_m",
                                  i,
                                  fmt::format("{} is outside of its range", (*sides)[i]),
                                  limits.why,
                                  fmt::format("give a value {}", limits.sentence()));
        if (section.has("radius_m"))
            section.fail("section_m",
                         "stands beside radius_m",
                         "the tower's body is round or rectangular",
                         "keep one of the two");
    }
    if (section.has("top_radius_m"))
        section.require("radius_m", "a body that tapers needs the radius of its foot");
    assign(tower.azimuth, section.si_number("section_azimuth_deg"));
    if (section.has("section_azimuth_deg") && !tower.section)
        section.require("section_m", "a round body has no direction");
    const bool has_section = tower.radius || tower.section;
    if (tower.height.has_value() != has_section) {
        section.fail(tower.height ? "radius_m" : "height_m",
                     "is missing",
                     "the tower's body needs height and radius_m or section_m",
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

/// Returns true if a receiver of this type faces one direction.
bool has_front(ReceiverTemplate::Type type) {
    using Type = ReceiverTemplate::Type;
    switch (type) {
        case Type::plane:
        case Type::disc:
        case Type::billboard:
        case Type::cavity:
        case Type::concentrator:
            return true;
        case Type::cylinder:
        case Type::polygon:
        case Type::star:
        case Type::beam_down:
            return false;
    }
    return false;
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
        const bool is_directed = has_front(*type);
        if (is_directed) {
            others.emplace_back("offset_m");
            others.emplace_back("azimuths_deg");
        }
        read_receiver_sizes(section, others, several);
        if (is_directed) assign(receiver.offset, section.number("offset_m"));
        receiver.azimuth = several.azimuth;
        if (!section.has("azimuths_deg") || !is_directed) return;
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

std::vector<TowerTemplate> all_towers(const FieldTemplate& field) {
    return field.towers.empty() ? std::vector{field.tower} : field.towers;
}

size_t nearest_tower(const FieldTemplate& field, double east, double north) {
    size_t nearest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < field.towers.size(); ++i) {
        const auto& [x, y] = field.towers[i].position;
        const double distance = std::hypot(east - x, north - y);
        if (distance >= least) continue;
        least = distance;
        nearest = i;
    }
    return nearest;
}

std::optional<double> ground_height(const FieldTemplate& field, double east, double north) {
    return field.terrain.ground ? field.terrain.ground->height_at(east, north) : 0.0;
}

double turning_diameter(const HeliostatTemplate& heliostat) {
    // The corner that is farthest from the pivot sweeps a sphere.
    return 2.0 * std::hypot(0.5 * heliostat.width, 0.5 * heliostat.height, heliostat.mirror_offset);
}

}  // namespace helioray
