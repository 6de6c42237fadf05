// SPDX-License-Identifier: MIT
// Ready-made receivers by their parameters, from configurations and field templates.
#pragma once

#include "scenario/types/types.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// A receiver by its shape and sizes. Bearings are radians clockwise from north, lengths metres.
struct ReceiverConfig {
    /// Shapes; each is built by a function of its own in scenario/receivers.
    enum class Type {
        polygon,      ///< flat panels around an axis
        billboard,    ///< flat panels side by side
        star,         ///< panels that form a star
        cavity,       ///< panels behind an aperture
        cylinder,     ///< cylinder lit from outside
        surfaces,     ///< list of surfaces
        beam_down,    ///< secondary mirror above an absorber
        concentrator  ///< absorber behind a concentrator
    };
    /// Points of a polygon's panels that lie on its radius.
    enum class RadiusOf { vertices, midpoints };
    /// Shapes of the mirror of a beam-down plant.
    enum class Secondary { hyperboloid, ellipsoid };

    Type type = Type::surfaces;  ///< shape, which determines the valid members
    /// Centre of the receiver, of a billboard's plane, of a cavity's aperture, of the entry of a
    /// concentrator; upper focus of a beam-down plant, ENU.
    Vec3 center{};
    std::optional<Vec3> aim_point;  ///< aim point that replaces that of the shape, ENU
    /// Bearing that a billboard, a cavity's aperture or the middle of other shapes faces.
    double azimuth = 0.0;
    double tilt = 0.0;          ///< angle of a billboard's normal below the horizon, radians
    double width = 0.0;         ///< width of a billboard
    double height = 0.0;        ///< height of the absorbing surfaces
    double radius = 0.0;        ///< radius of polygon, cavity, cylinder; of the tips of a star
    double inner_radius = 0.0;  ///< radius of the inner edges of a star
    int64_t panels = 1;         ///< panels of polygon and cylinder, wall panels of a cavity
    int64_t columns = 1;        ///< columns of a billboard's panels
    int64_t rows = 1;           ///< rows of a billboard's panels
    int64_t arms = 1;           ///< tips of a star
    std::optional<double> arc;  ///< angle over which the panels go round the axis, radians
    RadiusOf radius_of = RadiusOf::vertices;  ///< meaning of a polygon's radius
    std::optional<double> shield_height;      ///< height of the shields above and below
    std::optional<double> shield_width;       ///< width of the shields around a billboard
    std::optional<double> aperture_width;     ///< width of a cavity's aperture; not set: no sides
    double lip_top = 0.0;                     ///< height of the wall above a cavity's aperture
    double lip_bottom = 0.0;                  ///< height of the wall below a cavity's aperture
    /// Surfaces of Type::surfaces, with centres relative to `center`, and names without that of the
    /// receiver.
    std::vector<Target> surfaces;
    /// @{
    /// Members of SurfaceAbsorption for all absorbing surfaces that have none of their own. Without
    /// an absorptance and a table, all light on them counts.
    std::optional<double> absorptance;
    AbsorptanceLaw absorptance_law = AbsorptanceLaw::constant;
    std::optional<double> martin_ruiz_coefficient;
    std::vector<std::array<double, 2>> absorptance_table;
    double specular_fraction = 0.0;
    int64_t bounces = 0;
    /// @}
    Secondary secondary = Secondary::hyperboloid;  ///< shape of the mirror of a beam-down plant
    double foci_distance = 0.0;        ///< from the upper to the lower focus of this mirror
    double vertex_distance = 0.0;      ///< from the upper focus to the vertex of this mirror
    double exit_radius = 0.0;          ///< radius of the exit of a concentrator, or of the absorber
    std::optional<double> half_angle;  ///< half angle of acceptance of a concentrator, radians
    std::optional<double> length;      ///< length of a truncated concentrator
    int64_t sides = 0;                 ///< flat sides of a concentrator; 0: round
    double reflectivity = 0.0;         ///< reflectivity of mirrors
    double slope_error = 0.0;          ///< SurfaceAbsorption::slope_error of mirrors
    bool operator==(const ReceiverConfig&) const = default;
};

}  // namespace helioray
