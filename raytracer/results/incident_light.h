// SPDX-License-Identifier: MIT
// Absorption of surfaces of receivers in result files, and the light on them before it is absorbed.
#pragma once

#include "raytracer/results/result_layout.h"
#include "raytracer/tracing/job/result.h"
#include "scenario/files/columns.h"

namespace helioray {

/// Returns the incident light on a surface that absorbs a part of it: attributes of its group.
const Columns<IncidentLight>& incident_columns();

/// Returns the incident light on a receiver whose surfaces absorb a part of it, besides
/// receiver_columns().
const Columns<ReceiverResult>& incident_receiver_columns();

/// Writes the absorption of a surface into the attributes of its group.
void write_absorption(hdf5::Group& group, const SurfaceAbsorption& surface);

/// Returns the absorption in the attributes of a group; no value if there is none.
std::optional<SurfaceAbsorption> read_absorption(const hdf5::Group& group);

/// Writes the maps of incident light beside those of a target.
void write_incident(hdf5::Group& group, const TargetResult& target);

/// Reads what write_incident() wrote; nothing if the group has no such map. In a joined series the
/// power follows from the map, and the peak and the standard errors of both are NaN.
void read_incident(const hdf5::Group& group, const StepRows& rows, TargetResult& target);

}  // namespace helioray
