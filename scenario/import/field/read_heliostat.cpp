// SPDX-License-Identifier: MIT
// Reads the sections heliostat and heliostat_types of a field template.
#include "scenario/import/field/template_reader.h"
#include "scenario/sun/solar_position.h"
#include "scenario/types/utc_time.h"
#include "scenario/types/vector_math.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace helioray {

namespace {

constexpr const char* kSlantRangeAdvice =
    "give metres, or slant_range for each heliostat's distance to its aim point";

}  // namespace

std::optional<FocalChoice> TemplateReader::focal_choice(const Section& section,
                                                        const std::string& key,
                                                        bool none_allowed) {
    const YamlNode* node = section.find(key);
    if (node->kind == YamlNode::Kind::scalar) {
        if (node->text == "slant_range") return SlantRange{};
        if (none_allowed && node->text == "none") return std::nullopt;
        if (!parse_number(node->text)) {
            section.fail(key,
                         fmt::format("'{}' is neither a length nor slant_range{}",
                                     node->text,
                                     none_allowed ? " nor none" : ""),
                         "",
                         kSlantRangeAdvice);
            return SlantRange{};
        }
    }
    const auto value = section.number(key);
    if (!value) return SlantRange{};
    return *value;
}

std::array<FocalChoice, 2> TemplateReader::focal_lengths(const Section& section) {
    const std::string key = "focal_length_m";
    const YamlNode* node = section.find(key);
    if (node->kind != YamlNode::Kind::sequence) {
        const FocalChoice both = *focal_choice(section, key, false);
        return {both, both};
    }
    std::array<FocalChoice, 2> lengths;
    if (node->items.size() != lengths.size()) {
        section.fail(key,
                     fmt::format("has {} lengths", node->items.size()),
                     "facets have a focal length along their width and one along their height",
                     "give two, or one for both");
        return lengths;
    }
    const Range& limits = section.declaration(key).limits;
    for (size_t i = 0; i < lengths.size(); ++i) {
        const std::string& text = node->items[i].text;
        if (text == "slant_range") continue;
        const auto value = parse_number(text);
        if (value && limits.contains(*value)) {
            lengths[i] = *value;
        } else {
            section.fail_item(
                key,
                i,
                fmt::format("'{}' is neither a length {} nor slant_range", text, limits.sentence()),
                value ? limits.why : "",
                kSlantRangeAdvice);
        }
    }
    return lengths;
}

void TemplateReader::read_shape(const Section& section, HeliostatTemplate& heliostat) {
    if (!section.has("facet_shape"))
        assume(section.key_path("facet_shape") + " is not given: paraboloid assumed");
    assign(heliostat.facet_shape, section.choice("facet_shape", kTemplateFacetShapes));
    if (!section.has("focal_length_m")) {
        if (heliostat.facet_shape != FacetShape::flat)
            assume(section.key_path("focal_length_m") +
                   " is not given: each heliostat's slant range assumed");
        return;
    }
    heliostat.focal_lengths = focal_lengths(section);
    if (heliostat.facet_shape == FacetShape::flat) {
        section.fail("focal_length_m",
                     "is given for flat facets",
                     "they have none",
                     "remove it or choose another facet_shape");
    } else if (heliostat.facet_shape == FacetShape::sphere &&
               section.find("focal_length_m")->kind == YamlNode::Kind::sequence) {
        section.fail("focal_length_m",
                     "is given for each axis of a sphere",
                     "a sphere has one focal length",
                     "give one length, or choose facet_shape paraboloid");
    }
}

void TemplateReader::read_outline(const Section& section, HeliostatTemplate& heliostat) {
    FacetOutline& outline = heliostat.outline;
    assign(outline.kind, section.choice("facet_outline", kFacetOutlines));
    const auto refuse = [&](const char* key, FacetOutlineKind owner) {
        if (outline.kind == owner || !section.has(key)) return;
        section.fail(
            key,
            fmt::format("is given for facets of outline {}",
                        find_word(kFacetOutlines, outline.kind)),
            fmt::format("only {} facets have it", find_word(kFacetOutlines, owner)),
            fmt::format("remove it or choose facet_outline: {}", find_word(kFacetOutlines, owner)));
    };
    refuse("facet_hole_m", FacetOutlineKind::round);
    refuse("facet_corners_m", FacetOutlineKind::polygon);
    const std::array<double, 2> size = facet_size(heliostat);
    if (outline.kind == FacetOutlineKind::round) {
        const double hole = section.number("facet_hole_m").value_or(0.0);
        outline.hole = hole / size[0];
        if (outline.hole >= 1.0) {
            section.fail(
                "facet_hole_m",
                fmt::format("{} m is not less than the facet's width, {:.6g} m", hole, size[0]),
                "no mirror is left",
                "give a smaller hole");
        }
    }
    if (outline.kind != FacetOutlineKind::polygon) return;
    const std::string key = "facet_corners_m";
    if (!section.require(key, "a polygon has corners")) return;
    const auto corners = section.pairs(key);
    if (!corners) return;
    for (const auto& corner : *corners)
        outline.corners.push_back({2.0 * corner[0] / size[0], 2.0 * corner[1] / size[1]});
    const auto fault = make_valid(outline);
    if (!fault) return;
    const bool is_outside = fault->corner && fault->advice == "give -1 to 1";
    const std::string what =
        is_outside ? fmt::format("is outside the facet of {:.6g} x {:.6g} m", size[0], size[1])
                   : fault->what;
    const std::string why = is_outside ? "corners are metres from its centre" : fault->why;
    const std::string advice = is_outside ? "give corners within the facet" : fault->advice;
    if (fault->corner) {
        section.fail_item(key, *fault->corner, what, why, advice);
    } else {
        section.fail(key, what, why, advice);
    }
}

void TemplateReader::read_canting(const Section& section, HeliostatTemplate& heliostat) {
    const bool one_facet = heliostat.facets[0] * heliostat.facets[1] == 1;
    const auto rule = section.choice("canting", kCantings).value_or(CantingRule::on_axis);
    const auto refuse = [&](const std::string& key, CantingRule owner) {
        if (rule == owner || !section.has(key)) return;
        section.fail(key,
                     fmt::format("is given for canting {}", find_word(kCantings, rule)),
                     fmt::format("only canting {} uses it", find_word(kCantings, owner)),
                     fmt::format("remove it or choose canting: {}", find_word(kCantings, owner)));
    };
    refuse("canting_distance_m", CantingRule::on_axis);
    refuse("canting_sun", CantingRule::off_axis);
    refuse("canting_time", CantingRule::off_axis);
    refuse("canting_point_m", CantingRule::point);
    switch (rule) {
        case CantingRule::on_axis:
            if (section.has("canting_distance_m")) {
                const auto distance = focal_choice(section, "canting_distance_m", true);
                heliostat.canting = std::nullopt;
                if (distance) heliostat.canting = OnAxisCanting{*distance};
            } else if (one_facet && !section.has("canting")) {
                heliostat.canting = std::nullopt;
            } else {
                assume(section.key_path("canting_distance_m") +
                       " is not given: each heliostat's slant range assumed");
            }
            break;
        case CantingRule::off_axis:
            heliostat.canting = OffAxisCanting{canting_sun(section)};
            break;
        case CantingRule::point:
            heliostat.canting = PointCanting{canting_point(section, heliostat)};
            break;
    }
}

Vec3 TemplateReader::canting_sun(const Section& section) {
    constexpr Vec3 kUp{0.0, 0.0, 1.0};
    const bool has_sun = section.has("canting_sun");
    if (has_sun == section.has("canting_time")) {
        section.fail(has_sun ? "canting_time" : "canting_sun",
                     has_sun ? "is given beside canting_sun" : "is missing, and canting_time too",
                     "off-axis canting needs one position of the sun",
                     has_sun ? "keep one of them"
                             : "give canting_sun: {azimuth_deg: 180, elevation_deg: 45} or "
                               "canting_time");
        return kUp;
    }
    SolarPosition sun;
    if (has_sun) {
        const Section angles = section.section("canting_sun");
        for (const char* key : {"azimuth_deg", "elevation_deg"})
            angles.require(key, "it is an angle of the sun's position");
        sun.azimuth = angles.si_number("azimuth_deg").value_or(0.0);
        sun.elevation = angles.si_number("elevation_deg").value_or(1.0);
        return direction_to_sun(sun);
    }
    const auto text = section.text("canting_time");
    if (!text) return kUp;
    if (!site_) {
        section.fail("canting_time",
                     "is given without a site",
                     "the sun's position follows from the plant's",
                     "give site.latitude_deg and site.longitude_deg, or canting_sun");
        return kUp;
    }
    const IsoTime time = parse_iso_time(*text);
    if (!time.error.empty()) {
        section.fail("canting_time",
                     fmt::format("'{}' {}", *text, time.error),
                     "",
                     "write for example " + section.declaration("canting_time").example);
        return kUp;
    }
    try {
        sun = solar_position(time.normalised, *site_);
    } catch (const InputError& error) {
        for (const Problem& problem : error.problems())
            section.fail("canting_time", problem.what, problem.why, problem.advice);
        return kUp;
    }
    if (sun.elevation <= 0.0) {
        section.fail("canting_time",
                     fmt::format("the sun is {:.1f} degrees below the horizon",
                                 -sun.elevation / kRadiansPerDegree),
                     "heliostats do not track it then",
                     "give a time of day, with the plant's offset from UTC");
    }
    return direction_to_sun(sun);
}

Vec3 TemplateReader::canting_point(const Section& section, const HeliostatTemplate& heliostat) {
    constexpr Vec3 kFar{0.0, 0.0, 1.0};
    if (!section.require("canting_point_m", "the facets' normals meet there")) return kFar;
    const auto at = section.numbers("canting_point_m", 3);
    if (!at) return kFar;
    const double half_diagonal = 0.5 * std::hypot(heliostat.width, heliostat.height);
    if (!((*at)[2] > half_diagonal)) {
        section.fail(
            "canting_point_m",
            fmt::format("lies {} m in front of the mirror", (*at)[2]),
            fmt::format("that is no more than the mirror's half diagonal, {:.3g} m", half_diagonal),
            "give metres to the right, up and along the normal; [0, 0, 2 f] corresponds "
            "to on-axis canting at the distance f");
    }
    return {(*at)[0], (*at)[1], (*at)[2]};
}

void TemplateReader::read_offsets(const Section& section, HeliostatTemplate& heliostat) {
    const std::string key = "facet_offsets_m";
    if (!section.has(key)) return;
    const auto count = static_cast<size_t>(heliostat.facets[0] * heliostat.facets[1]);
    const auto offsets = section.numbers(key, count);
    if (!offsets) return;
    const Range& limits = section.declaration(key).limits;
    for (size_t i = 0; i < count; ++i)
        if (!limits.contains((*offsets)[i]))
            section.fail_item(key,
                              i,
                              fmt::format("{} is outside of its range", (*offsets)[i]),
                              "it is the offset of a facet in metres",
                              fmt::format("give a value {}", limits.sentence()));
    heliostat.facet_offsets = *offsets;
}

void TemplateReader::read_heliostat(const Section& section, HeliostatTemplate& heliostat) {
    const size_t before = section.problems().size();
    heliostat.width = required(section, "width_m");
    heliostat.height = required(section, "height_m");
    if (const auto n = section.integers("facets", 2)) heliostat.facets = {(*n)[0], (*n)[1]};
    if (const auto gap = section.numbers("facet_gap_m", 2))
        heliostat.facet_gap = {(*gap)[0], (*gap)[1]};
    if (section.problems().size() == before) check_gaps(section, heliostat);
    read_offsets(section, heliostat);
    if (section.problems().size() == before) read_outline(section, heliostat);
    read_shape(section, heliostat);
    read_canting(section, heliostat);
    read_bending(section, heliostat);
    heliostat.pivot_height = required(section, "pivot_height_m");
    assign(heliostat.mirror_offset, section.number("mirror_offset_m"));
    assign(heliostat.slant_step, section.number("slant_step_m"));
}

void TemplateReader::read_heliostats(FieldTemplate& field) {
    site_ = field.site;
    if (!root_.has("heliostat_types"))
        return read_heliostat(root_.section("heliostat"), field.heliostat);
    if (root_.has("heliostat")) {
        root_.fail("heliostat",
                   "is given beside heliostat_types",
                   "every heliostat has one of the types",
                   "keep one of the two sections");
    }
    const Section types = root_.section("heliostat_types");
    for (const std::string& name : types.keys()) {
        HeliostatType& type = field.types.emplace_back();
        type.name = name;
        const Section section = types.section(name);
        read_heliostat(section, type.heliostat);
        type.max_radius = section.number("max_radius_m");
    }
    if (field.types.empty()) {
        root_.fail("heliostat_types", "has no types", "", "add one: {large: {width_m: 12, ...}}");
        return;
    }
    std::ranges::stable_sort(field.types, {}, [](const HeliostatType& type) {
        return type.max_radius.value_or(std::numeric_limits<double>::infinity());
    });
    for (size_t i = 1; i < field.types.size(); ++i) {
        const auto& radius = field.types[i].max_radius;
        if (!radius || radius != field.types[i - 1].max_radius) continue;
        types.section(field.types[i].name)
            .fail("max_radius_m",
                  fmt::format("is equal to that of type '{}'", field.types[i - 1].name),
                  "radii separate the types",
                  "give different radii");
    }
    HeliostatTemplate& largest = field.heliostat;
    largest = field.types.front().heliostat;
    for (const HeliostatType& type : field.types) {
        const HeliostatTemplate& heliostat = type.heliostat;
        largest.width = std::max(largest.width, heliostat.width);
        largest.height = std::max(largest.height, heliostat.height);
        largest.pivot_height = std::max(largest.pivot_height, heliostat.pivot_height);
        largest.mirror_offset =
            std::max(std::abs(largest.mirror_offset), std::abs(heliostat.mirror_offset));
    }
}

void TemplateReader::check_gaps(const Section& section, const HeliostatTemplate& heliostat) {
    const std::array<double, 2> sizes{heliostat.width, heliostat.height};
    for (size_t i = 0; i < 2; ++i) {
        const double gaps = static_cast<double>(heliostat.facets[i] - 1) * heliostat.facet_gap[i];
        if (heliostat.facet_gap[i] >= 0.0 && gaps < sizes[i]) continue;
        section.fail_item("facet_gap_m",
                          i,
                          fmt::format("{} does not fit", heliostat.facet_gap[i]),
                          fmt::format("the gaps would take {} of {} m", gaps, sizes[i]),
                          "give 0 or more, less than the size divided by the number of gaps");
    }
}

std::optional<size_t> find_type(const FieldTemplate& field, double radius) {
    size_t without_radius = 0;
    std::optional<size_t> last;
    for (size_t i = 0; i < field.types.size(); ++i) {
        const auto& largest = field.types[i].max_radius;
        if (largest && radius <= *largest) return i;
        if (largest) continue;
        ++without_radius;
        last = i;
    }
    return without_radius == 1 ? last : std::nullopt;
}

}  // namespace helioray
