// SPDX-License-Identifier: MIT
// Reads the shapes by elevation of a field template's heliostats.
#include "scenario/import/field/template_reader.h"

#include <algorithm>

namespace helioray {

namespace {

/// Reads one focal length, or one along width and height.
std::optional<std::array<double, 2>> read_lengths(const Section& section) {
    const std::string key = "focal_length_m";
    if (!section.has(key)) return std::nullopt;
    if (section.find(key)->kind != YamlNode::Kind::sequence) {
        const auto both = section.number(key);
        if (!both) return std::nullopt;
        return std::array{*both, *both};
    }
    const auto lengths = section.numbers(key, 2);
    if (!lengths) return std::nullopt;
    return std::array{(*lengths)[0], (*lengths)[1]};
}

}  // namespace

void TemplateReader::read_bending(const Section& section, HeliostatTemplate& heliostat) {
    const std::string key = "by_elevation";
    for (const Section& entry : section.sections(key)) {
        BentTemplate& row = heliostat.by_elevation.emplace_back();
        entry.require("elevation_deg", "the mirror has this shape there");
        row.elevation = entry.si_number("elevation_deg").value_or(0.0);
        row.focal_lengths = read_lengths(entry);
        row.canting_distance = entry.number("canting_distance_m");
        row.tilt = entry.si_number("tilt_mrad").value_or(0.0);
        const bool differ = row.focal_lengths && (*row.focal_lengths)[0] != (*row.focal_lengths)[1];
        if (row.focal_lengths && heliostat.facet_shape == FacetShape::flat) {
            entry.fail("focal_length_m",
                       "is given for flat facets",
                       "they have none",
                       "remove it or choose another facet_shape");
        } else if (differ && heliostat.facet_shape == FacetShape::sphere) {
            entry.fail("focal_length_m",
                       "differs by axis",
                       "a sphere has one focal length",
                       "give one length, or choose facet_shape paraboloid");
        }
        const bool is_on_axis =
            heliostat.canting && std::holds_alternative<OnAxisCanting>(*heliostat.canting);
        if (row.canting_distance && !is_on_axis) {
            entry.fail("canting_distance_m",
                       "is given for a mirror that is not canted on its axis",
                       "",
                       "remove it, or give the mirror a canting_distance_m");
        }
    }
    if (!section.has(key)) return;
    const auto& rows = heliostat.by_elevation;
    if (rows.size() < 2) {
        section.fail(key,
                     "has fewer than two entries",
                     "shapes are interpolated between elevations",
                     "give at least two, such as 0 and 90 degrees");
        return;
    }
    for (size_t i = 1; i < rows.size(); ++i) {
        if (rows[i].elevation > rows[i - 1].elevation) continue;
        section.fail_item(key,
                          i,
                          "its elevation_deg is not above that of the entry before",
                          "elevations ascend",
                          "sort the entries");
    }
}

}  // namespace helioray
