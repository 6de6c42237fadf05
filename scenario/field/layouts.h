// SPDX-License-Identifier: MIT
// Where heliostats stand: rings and grids about the tower, and what stands too close.
#pragma once

#include "scenario/field/field_template.h"

#include <cstddef>
#include <string>
#include <vector>

namespace helioray {

/// East and north in metres, from the tower's axis.
using PlanPosition = std::array<double, 2>;

/// Positions of a layout other than `positions`, from the inside out. `aim_height`: metres of the
/// receiver's centre above the pivots. `report` gets what users should know, such as the number of
/// zones. Throws InputError when the number asked for does not fit into the bounds, or nothing
/// does.
std::vector<PlanPosition> make_layout(const FieldTemplate& field, std::vector<std::string>& report);

/// Smallest distance between pivots that a template asks for.
double min_distance(const FieldTemplate& field);

/// Two heliostats that stand too close.
struct TooClose {
    size_t first = 0;  ///< index; below second
    size_t second = 0;
    double distance = 0.0;  ///< metres, in space
};

/// All pairs closer than `distance` metres, by index.
std::vector<TooClose> too_close(const std::vector<Vec3>& positions, double distance);

}  // namespace helioray
