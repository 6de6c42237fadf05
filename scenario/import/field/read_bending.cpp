// SPDX-License-Identifier: MIT
// Reads the shapes by elevation or temperature of a field template's heliostats.
#include "scenario/import/field/template_reader.h"
#include "scenario/types/bent_surface.h"
#include "scenario/types/type_names.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

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

/// A list of shapes, and the key of their value on the axis.
struct BendingKeys {
    BendingAxis axis;
    std::string list;
    std::string value;
    std::string example;  ///< for messages
};

const std::array<BendingKeys, kBendingAxes.size()> kKeys{
    BendingKeys{BendingAxis::elevation, "by_elevation", "elevation_deg", "0 and 90 degrees"},
    BendingKeys{BendingAxis::temperature, "by_temperature", "temperature_c", "0 and 40 °C"}};

void check_rows(const Section& section,
                const BendingKeys& keys,
                const std::vector<BentTemplate>& rows) {
    if (rows.size() < 2) {
        section.fail(keys.list,
                     "has fewer than two entries",
                     fmt::format("shapes are interpolated between {}s", to_string(keys.axis)),
                     "give at least two, such as " + keys.example);
        return;
    }
    for (size_t i = 1; i < rows.size(); ++i) {
        if (rows[i].at > rows[i - 1].at) continue;
        section.fail_item(keys.list,
                          i,
                          fmt::format("its {} is not above that of the entry before", keys.value),
                          fmt::format("{}s ascend", to_string(keys.axis)),
                          "sort the entries");
    }
}

}  // namespace

void TemplateReader::read_bending(const Section& section, HeliostatTemplate& heliostat) {
    const BendingKeys* given = nullptr;
    for (const BendingKeys& keys : kKeys) {
        if (!section.has(keys.list)) continue;
        if (given != nullptr) {
            section.fail(keys.list,
                         "is given beside " + given->list,
                         "the shape of a mirror changes with one quantity",
                         "remove one of them");
            return;
        }
        given = &keys;
    }
    if (given == nullptr) return;
    heliostat.bending_axis = given->axis;
    for (const Section& entry : section.sections(given->list)) {
        BentTemplate& row = heliostat.bent.emplace_back();
        entry.require(given->value, "the mirror has this shape there");
        row.at = entry.si_number(given->value).value_or(0.0);
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
    check_rows(section, *given, heliostat.bent);
}

}  // namespace helioray
