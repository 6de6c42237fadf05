// SPDX-License-Identifier: MIT
// Reads the section layout of a field template.
#include "scenario/files/units.h"
#include "scenario/import/field/template_reader.h"

#include <cmath>

namespace helioray {

void TemplateReader::read_layout(FieldTemplate& field) {
    LayoutTemplate& layout = field.layout;
    const Section section = root_.section("layout");
    const auto type =
        section.required_choice("type", kLayoutTypes, "it says how positions are found");
    if (!type) return;
    layout.type = *type;
    layout.min_distance = section.number("min_distance_m");
    if (*type == LayoutType::positions) return read_positions(section, layout);

    const std::vector<std::string> bounds{"heliostats",
                                          "min_radius_m",
                                          "max_radius_m",
                                          "azimuth_from_deg",
                                          "azimuth_to_deg",
                                          "min_distance_m"};
    std::vector<std::string> taken = bounds;
    if (*type == LayoutType::radial_stagger) {
        taken.insert(taken.end(), {"radial_spacing", "azimuthal_spacing", "spacing_reset"});
        section.refuse_other_keys("type", taken);
        read_rings(section, layout);
    } else {
        taken.insert(taken.end(), {"spacing_x_m", "spacing_y_m"});
        section.refuse_other_keys("type", taken);
        layout.spacing_x = section.number("spacing_x_m");
        layout.spacing_y = section.number("spacing_y_m");
    }
    read_bounds(section, layout, field.tower);
    if (field.towers.size() > 1 && !section.has("max_radius_m"))
        section.fail("max_radius_m",
                     "is missing",
                     "fields of several towers end there or where another tower is nearer",
                     "give the largest distance of a heliostat from its tower");
}

void TemplateReader::read_rings(const Section& section, LayoutTemplate& layout) {
    if (!section.has("radial_spacing"))
        assume("layout.radial_spacing is not given: no_blocking assumed");
    assign(layout.radial_spacing, section.choice("radial_spacing", kRadialSpacings));
    if (layout.radial_spacing == RadialSpacing::delsol) {
        if (section.has("azimuthal_spacing")) {
            section.fail("azimuthal_spacing",
                         "is given with radial_spacing delsol",
                         "its correlation gives the distance",
                         "remove it");
        }
    } else {
        layout.azimuthal_spacing = optional(section, "azimuthal_spacing", layout.azimuthal_spacing);
    }
    layout.spacing_reset = optional(section, "spacing_reset", layout.spacing_reset);
}

void TemplateReader::read_bounds(const Section& section,
                                 LayoutTemplate& layout,
                                 const TowerTemplate& tower) {
    layout.heliostats = section.integer("heliostats");
    layout.min_radius = optional(section, "min_radius_m", 0.75 * tower.optical_height);
    assign(layout.max_radius, section.number("max_radius_m"));
    if (!section.has("heliostats") && !section.has("max_radius_m")) {
        section.fail("heliostats",
                     "is missing, and max_radius_m too",
                     "the field would have no end",
                     "give one of them");
    }
    if (layout.max_radius <= *layout.min_radius) {
        section.fail("max_radius_m",
                     fmt::format("is not above the smallest radius, {} m", *layout.min_radius),
                     "no heliostat fits between them",
                     "give min_radius_m below max_radius_m");
    }
    if (section.has("azimuth_from_deg") != section.has("azimuth_to_deg")) {
        section.fail(section.has("azimuth_from_deg") ? "azimuth_to_deg" : "azimuth_from_deg",
                     "is missing",
                     "a sector needs both ends",
                     "give both or none");
    }
    assign(layout.azimuth_from, section.si_number("azimuth_from_deg"));
    assign(layout.azimuth_to, section.si_number("azimuth_to_deg"));
    const double width = layout.azimuth_to - layout.azimuth_from;
    if (width <= 0.0 || width > 2.0 * std::numbers::pi * (1.0 + 1e-12)) {
        section.fail("azimuth_to_deg",
                     fmt::format("the sector is {:g} degrees wide", width / kRadiansPerDegree),
                     "",
                     "let it exceed azimuth_from_deg by at most 360; across north: from -70 to 70");
    }
}

void TemplateReader::read_positions(const Section& section, LayoutTemplate& layout) {
    section.refuse_other_keys("type", {"file", "min_distance_m"});
    if (!section.has("file")) {
        section.fail("file", "is missing", "it holds the positions", "add file: positions.csv");
        return;
    }
    const auto text = section.text("file");
    if (!text) return;
    const bool from_command_line = section.find("file")->at.source.starts_with("--");
    layout.file = from_command_line ? std::filesystem::path(*text) : section.resolve_input(*text);
    std::error_code error;
    if (!std::filesystem::is_regular_file(layout.file, error)) {
        section.fail("file",
                     fmt::format("there is no file '{}'", layout.file.string()),
                     "it holds the positions",
                     "paths in a template are relative to its folder");
    }
}

}  // namespace helioray
