// SPDX-License-Identifier: MIT
// Parts of the PAINT conversion, one per subject. Internal to scenario_from_paint.
//
// Remarks for the report go to the log as warnings; problems are thrown or put into the log.
#pragma once

#include "scenario/paint/json_fields.h"
#include "scenario/reader/read_log.h"
#include "scenario/types.h"

#include <functional>
#include <vector>

namespace helioray::paint {

/// WGS84 to the plant's east-north-up frame.
using ToLocal = std::function<Vec3(const GeodeticPosition&)>;

/// All target areas of a tower file: planes by name, then cylinders by name.
std::vector<Target> convert_targets(const JsonField& tower, const ToLocal& to_local, ReadLog& log);

/// One heliostat; name and id are the caller's.
Heliostat convert_heliostat(const JsonField& properties,
                            const ToLocal& to_local,
                            const std::array<int64_t, 2>& control_points,
                            ReadLog& log);

/// Control points of a flat facet: a regular grid over -|canting| to +|canting| along both axes,
/// height 0.
std::vector<double> flat_control_points(const Vec3& canting_e,
                                        const Vec3& canting_n,
                                        const std::array<int64_t, 2>& count);

}  // namespace helioray::paint
