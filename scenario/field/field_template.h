// SPDX-License-Identifier: MIT
// The template of a field: tower, receiver, one kind of heliostat, and the layout of positions.
#pragma once

#include "scenario/config/key_table.h"
#include "scenario/types.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace helioray {

/// The tower that the field surrounds.
struct TowerTemplate {
    std::array<double, 2> position{};  ///< metres, east and north, of the tower's axis
    double optical_height = 0.0;       ///< metres above ground: centre of the receiver
    std::optional<double> height;      ///< metres, of the tower's body; nothing: it is left out
    std::optional<double> radius;      ///< metres, of the tower's body
};

/// The receiver at the top of the tower.
struct ReceiverTemplate {
    /// plane: a rectangle, billboard or aperture of a cavity; cylinder: a full one, upright and lit
    /// from outside; disc: a round billboard or aperture.
    enum class Type { plane, cylinder, disc };
    std::string name = "receiver";  ///< of the target in the scenario
    Type type = Type::plane;        ///< which of the sizes below count
    double width = 0.0;             ///< metres; plane
    double height = 0.0;            ///< metres; plane, along its own axis; cylinder
    double radius = 0.0;            ///< metres; cylinder, disc
    double azimuth = 0.0;  ///< radians clockwise from north: where a plane or disc faces, or the
                           ///< middle of the unrolled cylinder
    double tilt = 0.0;     ///< radians; plane, disc: how far the normal points below the horizon
    double offset = 0.0;   ///< metres; plane, disc: from the tower's axis to the centre, along the
                           ///< azimuth
};

/// A length that is each heliostat's slant range, from pivot to aim point.
struct SlantRange {};
/// Slant range of each heliostat, or one length in metres for all.
using FocalChoice = std::variant<SlantRange, double>;

/// The heliostat that all of the field are copies of.
struct HeliostatTemplate {
    double width = 0.0;                     ///< metres, over all facets, along the horizontal
    double height = 0.0;                    ///< metres, over all facets
    std::array<int64_t, 2> facets{1, 1};    ///< columns, rows
    std::array<double, 2> facet_gap{0, 0};  ///< metres between columns, between rows
    FacetShape facet_shape = FacetShape::paraboloid;  ///< flat, paraboloid or sphere
    FocalChoice focal_length = SlantRange{};          ///< of the facets; metres
    /// Facets are turned towards a point on the axis of the mirror at this distance; nothing: flat.
    std::optional<FocalChoice> canting = SlantRange{};
    double pivot_height = 0.0;   ///< metres above ground
    double mirror_offset = 0.0;  ///< metres from the pivot to the mirror, along its normal
    double slant_step = 0.1;     ///< metres; slant ranges are rounded to multiples of it
};

/// How positions are found.
enum class LayoutType {
    radial_stagger,  ///< rings about the tower, each turned by half a slot against the one before
    cornfield,       ///< rows from west to east, every other one shifted by half a spacing
    rows,            ///< rows from west to east, a rectangular grid
    positions,       ///< from a table
};
/// The rule for the distances of the rings of a radial stagger.
enum class RadialSpacing {
    no_blocking,  ///< each ring sees the receiver's centre above the mirrors in front of it
    delsol,       ///< correlations of DELSOL3 (B. L. Kistler, SAND86-8018, 1986)
};

/// Positions of heliostats. Radii and azimuths limit computed layouts, not those of a table.
struct LayoutTemplate {
    LayoutType type = LayoutType::radial_stagger;  ///< which of the members below count
    std::filesystem::path file;                    ///< positions: the table
    RadialSpacing radial_spacing = RadialSpacing::no_blocking;  ///< radial_stagger
    double azimuthal_spacing = 2.0;  ///< no_blocking: widths between neighbours of a ring
                                     ///< where a zone begins
    double spacing_reset = 1.33;     ///< radial_stagger: a new zone begins after this growth of it
    std::optional<int64_t> heliostats;  ///< empty: as many as fit within max_radius
    std::optional<double> min_radius;   ///< metres from the axis; nothing: 0.75 optical heights
    double max_radius = std::numeric_limits<double>::infinity();  ///< metres from the tower's axis
    double azimuth_from = -std::numbers::pi;                      ///< radians clockwise from north
    double azimuth_to = std::numbers::pi;  ///< radians, from azimuth_from on clockwise
    std::optional<double> min_distance;    ///< metres between pivots; nothing: turning_diameter()
    /// Metres; grids: between neighbours of a row. Nothing: min_distance.
    std::optional<double> spacing_x;
    /// Metres; grids: between rows. Nothing: the smallest without collisions.
    std::optional<double> spacing_y;
};

/// Everything that a field is generated from.
struct FieldTemplate {
    std::optional<GeodeticPosition> site;  ///< of the plant; nothing: latitude and longitude 0

    /// The template's sections of these names.
    TowerTemplate tower;
    ReceiverTemplate receiver;
    HeliostatTemplate heliostat;
    LayoutTemplate layout;
};

/// Every key of a field template with its meaning: what the reader accepts and scenario/IMPORT.md
/// documents.
const std::vector<KeyInfo>& field_keys();

/// The purpose of a template: with its own layout, or with positions from elsewhere.
enum class FieldUse { generate, positions_given };

/// Reads a template and applies settings "dotted.key=value" to it; without a file the settings are
/// the whole template. `report` gets one line for every default that was assumed. The path of
/// a table of positions is relative to the template; in a setting, to the working directory.
/// Throws InputError with every problem found.
FieldTemplate read_field_template(const std::optional<std::filesystem::path>& file,
                                  const std::vector<std::string>& settings,
                                  FieldUse use,
                                  std::vector<std::string>& report);

/// The distance that keeps two heliostats apart however they turn: the diagonal of their mirror,
/// seen from the pivot.
double turning_diameter(const HeliostatTemplate& heliostat);

}  // namespace helioray
