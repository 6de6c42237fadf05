// SPDX-License-Identifier: MIT
// Reads the section heliostat of a field template.
#include "scenario/import/field/template_reader.h"

#include <cmath>

namespace helioray {

std::optional<FocalChoice> TemplateReader::focal_choice(const Section& section,
                                                        const std::string& key,
                                                        bool none_allowed) {
    const YamlNode* node = section.find(key);
    if (node->kind == YamlNode::Kind::scalar) {
        if (node->text == "slant_range") return SlantRange{};
        if (none_allowed && node->text == "none") return std::nullopt;
        if (!parse_number(node->text)) {
            section.fail(
                key,
                fmt::format("'{}' is neither a length nor slant_range{}",
                            node->text,
                            none_allowed ? " nor none" : ""),
                "",
                "give metres, or slant_range for each heliostat's distance to its aim point");
            return SlantRange{};
        }
    }
    const auto value = section.number(key);
    if (!value) return SlantRange{};
    return *value;
}

void TemplateReader::read_heliostat(HeliostatTemplate& heliostat) {
    const Section section = root_.section("heliostat");
    const size_t before = section.problems().size();
    heliostat.width = required(section, "width_m");
    heliostat.height = required(section, "height_m");
    if (const auto n = section.integers("facets", 2)) heliostat.facets = {(*n)[0], (*n)[1]};
    if (const auto gap = section.numbers("facet_gap_m", 2))
        heliostat.facet_gap = {(*gap)[0], (*gap)[1]};
    if (section.problems().size() == before) check_gaps(section, heliostat);
    if (!section.has("facet_shape"))
        assume("heliostat.facet_shape is not given: paraboloid assumed");
    assign(heliostat.facet_shape, section.choice("facet_shape", kTemplateFacetShapes));
    if (section.has("focal_length_m")) {
        heliostat.focal_length = *focal_choice(section, "focal_length_m", false);
        if (heliostat.facet_shape == FacetShape::flat) {
            section.fail("focal_length_m",
                         "is given for flat facets",
                         "they have none",
                         "remove it or choose another facet_shape");
        }
    } else if (heliostat.facet_shape != FacetShape::flat) {
        assume("heliostat.focal_length_m is not given: each heliostat's slant range assumed");
    }
    if (section.has("canting_distance_m")) {
        heliostat.canting = focal_choice(section, "canting_distance_m", true);
    } else if (heliostat.facets[0] * heliostat.facets[1] == 1) {
        heliostat.canting = std::nullopt;
    } else {
        assume("heliostat.canting_distance_m is not given: each heliostat's slant range assumed");
    }
    heliostat.pivot_height = required(section, "pivot_height_m");
    assign(heliostat.mirror_offset, section.number("mirror_offset_m"));
    assign(heliostat.slant_step, section.number("slant_step_m"));
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

}  // namespace helioray
