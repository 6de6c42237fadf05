// SPDX-License-Identifier: MIT
// Template of a field: tower, receiver, types of heliostats, and the layout of positions.
#pragma once

#include "scenario/config/key_table.h"
#include "scenario/types/receiver_config.h"
#include "scenario/types/terrain.h"
#include "scenario/types/types.h"

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

/// A tower that the field surrounds.
struct TowerTemplate {
    std::string name;                  ///< name of one of several towers; empty: the only one
    std::array<double, 2> position{};  ///< position of the tower's axis, east and north, metres
    double ground = 0.0;               ///< height of the ground at the tower, metres
    double optical_height = 0.0;       ///< height of the receiver's centre above ground, metres
    std::optional<double> height;      ///< height of the tower's body, metres; not set: no body
    std::optional<double> radius;      ///< radius of the tower's round body, metres
    /// Radius of the upper end of a round body that tapers, metres; not set: as below.
    std::optional<double> top_radius = {};
    /// Width and depth of the tower's body with a rectangular section, metres; replaces the radius.
    std::optional<std::array<double, 2>> section = {};
    double azimuth = 0.0;  ///< turn of a rectangular body clockwise from north, radians
};

/// The receiver at the top of the tower.
struct ReceiverTemplate {
    /// Plane: a rectangle, billboard or aperture of a cavity; cylinder: a full, upright cylinder
    /// lit from outside; disc: a round billboard or aperture; the others have several surfaces.
    enum class Type {
        plane,        ///< rectangle with or without an outline
        cylinder,     ///< cylinder lit from outside
        disc,         ///< disc
        polygon,      ///< flat panels around an axis
        billboard,    ///< flat panels side by side
        star,         ///< panels that form a star
        cavity,       ///< panels behind an aperture
        beam_down,    ///< secondary mirror above an absorber
        concentrator  ///< absorber behind a concentrator
    };
    std::string name = "receiver";  ///< name of the target in the scenario
    Type type = Type::plane;        ///< type, which determines the valid sizes
    double width = 0.0;             ///< width of a plane, metres
    double height = 0.0;            ///< height of a plane or cylinder along its axis, metres
    double radius = 0.0;            ///< radius of a cylinder or disc, metres
    /// Direction that a plane or disc faces, or of the middle of the unrolled cylinder, radians
    /// clockwise from north.
    double azimuth = 0.0;
    double tilt = 0.0;  ///< angle of the normal of a plane or disc below the horizon, radians
    /// Distance of the centre of a plane or disc from the tower's axis along the azimuth, metres.
    double offset = 0.0;
    /// Receiver of several surfaces, which replaces the sizes above; its centre follows from the
    /// tower and the offset.
    std::optional<ReceiverConfig> several = {};
    /// Directions of receivers of this shape around the tower, radians; empty: there is one. They
    /// are named after `name` with _1, _2, ..., and a heliostat aims at the one whose direction is
    /// nearest to its own.
    std::vector<double> azimuths = {};
};

/// A receiver with a place of its own, from a project of another program.
struct GivenReceiver {
    std::string name;         ///< name of the receiver in the scenario
    ReceiverConfig receiver;  ///< shape, sizes and centre
    bool is_flat = false;     ///< true: it is lit from one side, which faces its azimuth
};

/// Indicates that a length is equal to each heliostat's slant range, from pivot to aim point.
struct SlantRange {};
/// The slant range of each heliostat, or one length in metres for all.
using FocalChoice = std::variant<SlantRange, double>;

/// Facets reflect light along the mirror's normal to a point on the normal at this distance.
struct OnAxisCanting {
    FocalChoice distance = SlantRange{};  ///< distance of the point
};
/// Facets reflect the sun's centre from their centres to the aim point while the heliostat tracks
/// this sun.
struct OffAxisCanting {
    Vec3 sun{};  ///< unit vector towards the sun, ENU
};
/// The normals at the centres of all facets meet at a fixed point.
struct PointCanting {
    Vec3 point{};  ///< point in the mirror frame, metres; its third coordinate is positive
};
/// Rule by which facets are tilted.
using CantingChoice = std::variant<OnAxisCanting, OffAxisCanting, PointCanting>;

/// Shape of a mirror at one value of its bending axis, where it differs from the rigid mirror.
struct BentTemplate {
    double at = 0.0;  ///< elevation of the mirror's normal, radians, or temperature of the air, °C
    /// Focal lengths of the facets along width and height, metres.
    std::optional<std::array<double, 2>> focal_lengths = {};
    /// Distance of on-axis canting, metres.
    std::optional<double> canting_distance = {};
    /// Turn of all facets' normals towards the mirror's upper edge, radians.
    double tilt = 0.0;
};

/// A type of heliostat in the field.
struct HeliostatTemplate {
    double width = 0.0;                     ///< width over all facets, along the horizontal, metres
    double height = 0.0;                    ///< height over all facets, metres
    std::array<int64_t, 2> facets{1, 1};    ///< number of columns and rows
    std::array<double, 2> facet_gap{0, 0};  ///< gap between columns and between rows, metres
    /// Offsets of the facets along the mirror's normal, row by row from the lower left for an
    /// observer in front, metres; empty: their centres lie in one plane.
    std::vector<double> facet_offsets = {};
    /// Shape of facets: flat, paraboloid or sphere.
    FacetShape facet_shape = FacetShape::paraboloid;
    /// Focal lengths of the facets in the planes of their width and height.
    std::array<FocalChoice, 2> focal_lengths{SlantRange{}, SlantRange{}};
    /// Rule by which facets are tilted; not set: all facets lie in one plane.
    std::optional<CantingChoice> canting = OnAxisCanting{};
    FacetOutline outline = {};                          ///< outline of every facet
    std::vector<BentTemplate> bent = {};                ///< shapes of a mirror that bends
    BendingAxis bending_axis = BendingAxis::elevation;  ///< axis of `bent`
    double pivot_height = 0.0;   ///< height of the pivot above ground, metres
    double mirror_offset = 0.0;  ///< distance of the mirror from the pivot along its normal, metres
    double slant_step = 0.1;     ///< slant ranges are rounded to multiples of this step, metres
};

/// Returns width and height of each facet, metres.
std::array<double, 2> facet_size(const HeliostatTemplate& heliostat);

/// Methods to compute positions.
enum class LayoutType {
    radial_stagger,  ///< rings about the tower, each turned by half a slot against the previous one
    cornfield,       ///< rows from west to east, every other one shifted by half a spacing
    rows,            ///< rows from west to east, a rectangular grid
    positions,       ///< positions from a table
};
/// Rule for the distances of the rings of a radial stagger.
enum class RadialSpacing {
    /// Heliostats of each ring see the receiver's centre above the mirrors in front of them.
    no_blocking,
    delsol,  ///< correlations of DELSOL3 (B. L. Kistler, SAND86-8018, 1986)
};

/// Layout of heliostats. Radii and azimuths limit computed layouts, not those of a table.
struct LayoutTemplate {
    LayoutType type = LayoutType::radial_stagger;  ///< type, which determines the valid members
    std::filesystem::path file;                    ///< table of positions, for `positions`
    RadialSpacing radial_spacing = RadialSpacing::no_blocking;  ///< rule for `radial_stagger`
    /// Distance of neighbours of a ring at the start of a zone, in heliostat widths, for
    /// `no_blocking`.
    double azimuthal_spacing = 2.0;
    /// Growth of that distance after which a new zone starts, for `radial_stagger`.
    double spacing_reset = 1.33;
    /// Number of heliostats; not set: as many as fit within max_radius.
    std::optional<int64_t> heliostats;
    /// Smallest distance from the axis, metres; not set: 0.75 optical heights.
    std::optional<double> min_radius;
    /// Largest distance from the tower's axis, metres.
    double max_radius = std::numeric_limits<double>::infinity();
    double azimuth_from = -std::numbers::pi;  ///< start of the sector, radians clockwise from north
    /// End of the sector, radians, clockwise from azimuth_from.
    double azimuth_to = std::numbers::pi;
    /// Distance between pivots, metres; not set: turning_diameter().
    std::optional<double> min_distance;
    /// Distance between neighbours of a row in grids, metres; not set: min_distance.
    std::optional<double> spacing_x;
    /// Distance between rows in grids, metres; not set: the smallest without collisions.
    std::optional<double> spacing_y;
};

/// One of several types of heliostats in a field.
struct HeliostatType {
    std::string name;                  ///< unique name, which a table of positions refers to
    HeliostatTemplate heliostat;       ///< the heliostat
    std::optional<double> max_radius;  ///< largest distance from the tower's axis, metres
};

/// Complete input of a generated field.
struct FieldTemplate {
    /// Position of the plant; not set: latitude and longitude 0.
    std::optional<GeodeticPosition> site;
    /// Ground on which heliostats and towers stand; without heights it is flat, at height 0.
    TerrainConfig terrain;

    /// @{
    /// The following members are the template's sections of these names.
    TowerTemplate tower;  ///< the first of several
    ReceiverTemplate receiver;
    /// With several types, their largest sizes, so that layouts have space for any of them.
    HeliostatTemplate heliostat;
    LayoutTemplate layout;
    /// @}

    /// Towers of a field with several, each with its own receiver; empty: there is one.
    std::vector<TowerTemplate> towers;
    /// Receivers of the only tower, which replace `receiver`; empty: `receiver` counts.
    std::vector<GivenReceiver> receivers;
    std::optional<SunShape> sun;  ///< light source; not set: a pillbox of 4.65 mrad
    /// Types of a field with several, by max_radius; those without are last. Empty: all heliostats
    /// are `heliostat`.
    std::vector<HeliostatType> types;
};

/// Returns the type for a heliostat at `radius` metres from the tower's axis: the first one whose
/// max_radius is not smaller, otherwise the only one without max_radius; no value if there is none.
std::optional<size_t> find_type(const FieldTemplate& field, double radius);

/// Returns the towers of the field, at least one.
std::vector<TowerTemplate> all_towers(const FieldTemplate& field);

/// Returns the index in all_towers() of the tower whose axis is nearest to a place, metres east and
/// north.
size_t nearest_tower(const FieldTemplate& field, double east, double north);

/// Returns the height of the ground at a place of the field, metres; no value outside the terrain.
std::optional<double> ground_height(const FieldTemplate& field, double east, double north);

/// Returns every key of a field template with its meaning, as the reader accepts it and
/// scenario/import/README.md documents it.
const std::vector<KeyInfo>& field_keys();

/// Purpose of a template: with its own layout, or with separately given positions.
enum class FieldUse { generate, positions_given };

/// Reads a template and applies settings "dotted.key=value" to it; without a file, the settings are
/// the whole template. `report` receives one line for every default. The path of a table of
/// positions is relative to the template; in a setting, to the working directory. Throws InputError
/// with every problem found.
FieldTemplate read_field_template(const std::optional<std::filesystem::path>& file,
                                  const std::vector<std::string>& settings,
                                  FieldUse use,
                                  std::vector<std::string>& report);

/// Returns the distance that separates two heliostats in any orientation: the diagonal of their
/// mirror, seen from the pivot.
double turning_diameter(const HeliostatTemplate& heliostat);

}  // namespace helioray
