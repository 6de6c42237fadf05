// SPDX-License-Identifier: MIT
// The columns of results and series, each declared once: files, CSV, JSON and Python follow.
#pragma once

#include "raytracer/results/mirror_pose.h"
#include "raytracer/results/series/series.h"
#include "raytracer/tracing/job/result.h"
#include "scenario/files/columns.h"

namespace helioray {

/// Returns the columns of heliostats except their maps: names, energy terms in W, and those of
/// mirror_columns(). Numbers of one value in W or "1" are also quantities, see
/// heliostat_quantities().
const Columns<HeliostatResult>& heliostat_columns();

/// Returns the columns of a result, with the unit of its energy terms: heliostat_columns() without
/// terms that its plant does not have.
Columns<HeliostatResult> heliostat_columns(const RunResult& result);

/// Returns the columns that place the mirrors: matrices, aim points and outlines.
const Columns<HeliostatResult>& mirror_columns();

/// Returns the columns that series have instead of matrices.
const Columns<MirrorPose>& pose_columns();

/// Returns the light on a target: attributes of its group in a run.
const Columns<TargetResult>& target_columns();

/// Reads receiver, use, absorption and outline of a target from the attributes of its group.
void read_role(const hdf5::Group& group, Target& target);

/// Returns the light on a receiver of several surfaces: attributes of its group in a run.
const Columns<ReceiverResult>& receiver_columns();

/// Returns the light on a target in all steps of a series: datasets with the names and units of
/// target_columns(), in the same order.
const Columns<SeriesTarget>& series_target_columns();

/// Returns the columns of the light on a target in files of versions up to 0.4. They have only the
/// largest pixel, under the name of the peak.
template <typename Row>
Columns<Row> columns_without_peak(Columns<Row> columns) {
    std::erase_if(columns, [](const auto& column) {
        return column.name.starts_with("peak_") && column.name != "peak_flux_w_m2";
    });
    return columns;
}

/// Appends the light on a target as the next step.
void append_step(SeriesTarget& series, const TargetResult& step);

/// Returns the columns of steps about their time and sun.
const Columns<SeriesStep>& sun_columns();

/// Returns the columns of steps of series: sun_columns() and those about the run.
const Columns<SeriesStep>& step_columns();

}  // namespace helioray
