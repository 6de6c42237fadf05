// SPDX-License-Identifier: MIT
// Reads the sections of a field template. Internal to read_field_template and field_keys.
#pragma once

#include "scenario/config/section.h"
#include "scenario/files/units.h"
#include "scenario/import/field/field_template.h"
#include "scenario/types/choices.h"

#include <fmt/format.h>

namespace helioray {

/// Words for the template's choices.
inline const Choices<ReceiverTemplate::Type> kReceiverTypes{
    {"plane", ReceiverTemplate::Type::plane},
    {"cylinder", ReceiverTemplate::Type::cylinder},
    {"disc", ReceiverTemplate::Type::disc},
    {"polygon", ReceiverTemplate::Type::polygon},
    {"billboard", ReceiverTemplate::Type::billboard},
    {"star", ReceiverTemplate::Type::star},
    {"cavity", ReceiverTemplate::Type::cavity},
    {"beam_down", ReceiverTemplate::Type::beam_down},
    {"concentrator", ReceiverTemplate::Type::concentrator}};
inline const Choices<FacetShape> kTemplateFacetShapes{{"flat", FacetShape::flat},
                                                      {"paraboloid", FacetShape::paraboloid},
                                                      {"sphere", FacetShape::sphere}};
inline const Choices<FacetOutlineKind> kFacetOutlines{{"rectangle", FacetOutlineKind::rectangle},
                                                      {"round", FacetOutlineKind::round},
                                                      {"polygon", FacetOutlineKind::polygon}};
/// Words of the key canting; the alternatives of CantingChoice.
enum class CantingRule { on_axis, off_axis, point };
inline const Choices<CantingRule> kCantings{{"on_axis", CantingRule::on_axis},
                                            {"off_axis", CantingRule::off_axis},
                                            {"point", CantingRule::point}};
inline const Choices<LayoutType> kLayoutTypes{{"radial_stagger", LayoutType::radial_stagger},
                                              {"cornfield", LayoutType::cornfield},
                                              {"rows", LayoutType::rows},
                                              {"positions", LayoutType::positions}};
inline const Choices<RadialSpacing> kRadialSpacings{{"no_blocking", RadialSpacing::no_blocking},
                                                    {"delsol", RadialSpacing::delsol}};

/// Reads sections of one template and reports assumed values.
class TemplateReader {
  public:
    TemplateReader(const Section& root, FieldUse use, std::vector<std::string>& report)
        : root_(root), use_(use), report_(report) {}

    FieldTemplate read();

  private:
    void assume(const std::string& text) { report_.push_back(text); }
    /// Reads a required number.
    double required(const Section& section, const std::string& key);
    /// Reads a number in the key's unit; if it is missing, returns `value` and reports it.
    double optional(const Section& section, const std::string& key, double value);
    void read_site(FieldTemplate& field);
    void read_terrain(const Section& site, TerrainConfig& terrain);
    void read_tower(const Section& section, TowerTemplate& tower);
    /// Reads the section tower, or towers, and finds the ground below them.
    void read_towers(FieldTemplate& field);
    void read_receiver(ReceiverTemplate& receiver);
    /// Reads a length, or one of two words.
    std::optional<FocalChoice> focal_choice(const Section& section,
                                            const std::string& key,
                                            bool none_allowed);
    /// Reads one focal length for both axes, or one for each.
    std::array<FocalChoice, 2> focal_lengths(const Section& section);
    void read_shape(const Section& section, HeliostatTemplate& heliostat);
    /// Reads the outline of the facets, whose size is known.
    void read_outline(const Section& section, HeliostatTemplate& heliostat);
    /// Reads the offsets of the facets, whose number is known.
    void read_offsets(const Section& section, HeliostatTemplate& heliostat);
    void read_canting(const Section& section, HeliostatTemplate& heliostat);
    /// Reads the shapes of a mirror that gravity bends.
    void read_bending(const Section& section, HeliostatTemplate& heliostat);
    /// Reads the direction towards the sun of off-axis canting.
    Vec3 canting_sun(const Section& section);
    Vec3 canting_point(const Section& section, const HeliostatTemplate& heliostat);
    void read_heliostat(const Section& section, HeliostatTemplate& heliostat);
    /// Reads the section heliostat, or heliostat_types.
    void read_heliostats(FieldTemplate& field);
    void check_gaps(const Section& section, const HeliostatTemplate& heliostat);
    void read_layout(FieldTemplate& field);
    void read_rings(const Section& section, LayoutTemplate& layout);
    void read_bounds(const Section& section, LayoutTemplate& layout, const TowerTemplate& tower);
    void read_positions(const Section& section, LayoutTemplate& layout);

    const Section& root_;
    FieldUse use_;
    std::optional<GeodeticPosition> site_;
    std::vector<std::string>& report_;
};

}  // namespace helioray
