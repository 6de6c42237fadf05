// SPDX-License-Identifier: MIT
// Builds the surfaces of ready-made receivers. Panels are numbered from left to right for an
// observer who faces their lit side, like the columns of a flux map.
#pragma once

#include "scenario/files/error.h"
#include "scenario/types/receiver_config.h"
#include "scenario/types/types.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Surfaces of a receiver, named "<receiver>_panel_01", ..., and its aim point if it has one.
struct ReceiverSurfaces {
    std::vector<Target> targets;    ///< surfaces, in the order in which they are numbered
    std::optional<Vec3> aim_point;  ///< Receiver::aim_point
};

// The following functions build one shape each from a configuration that find_size_fault() accepts.

/// Flat vertical panels around an axis, each as wide as the chord between two vertices, with
/// optional shields above and below each of them.
ReceiverSurfaces make_polygon(const std::string& name, const ReceiverConfig& config);
/// Columns and rows of flat panels in one plane, with optional shields around it. Heliostats aim at
/// its centre.
ReceiverSurfaces make_billboard(const std::string& name, const ReceiverConfig& config);
/// Flat vertical panels between alternating tips and inner edges, one of the tips at the azimuth.
ReceiverSurfaces make_star(const std::string& name, const ReceiverConfig& config);
/// Flat wall panels behind an aperture, with floor and ceiling; the wall beside the aperture, its
/// lip, is a shield. Heliostats aim at the centre of the aperture.
ReceiverSurfaces make_cavity(const std::string& name, const ReceiverConfig& config);
/// An upright cylinder lit from outside, in one piece or in sectors, with optional shields above
/// and below.
ReceiverSurfaces make_cylinder(const std::string& name, const ReceiverConfig& config);
/// A mirror over the upper focus, at which heliostats aim, and at the lower focus a horizontal
/// absorber, or a concentrator with the absorber at its exit.
ReceiverSurfaces make_beam_down(const std::string& name, const ReceiverConfig& config);
/// A compound parabolic concentrator with an absorber at its exit. Heliostats aim at its entry.
ReceiverSurfaces make_concentrator(const std::string& name, const ReceiverConfig& config);
/// The listed surfaces.
ReceiverSurfaces make_surfaces(const std::string& name, const ReceiverConfig& config);

/// Returns the absorption of a configuration's surfaces; no value if all light on them counts.
std::optional<SurfaceAbsorption> make_absorption(const ReceiverConfig& config);

/// Builds the surfaces of any shape, with their absorption.
ReceiverSurfaces make_receiver(const std::string& name, const ReceiverConfig& config);

/// Returns the angle over which panels go round the axis: 180 degrees for a cavity and 360 degrees
/// for other shapes if the configuration has none.
double panel_arc(const ReceiverConfig& config);

/// Sizes that contradict each other.
struct SizeFault {
    std::string key;     ///< key of the wrong size
    std::string what;    ///< what is wrong
    std::string why;     ///< reason
    std::string advice;  ///< what to do
};
/// Returns the first fault of the absorption of a configuration: keys without an absorptance, keys
/// that exclude each other, and those of find_absorption_fault().
std::optional<SizeFault> find_absorption_fault(const ReceiverConfig& config);

/// Returns the first contradiction between the sizes of a mirror over two foci or a concentrator.
std::optional<SizeFault> find_concentration_fault(const ReceiverConfig& config);

/// Returns the first contradiction between the sizes of a receiver, or the first fault of its
/// absorption.
std::optional<SizeFault> find_size_fault(const ReceiverConfig& config);

}  // namespace helioray
