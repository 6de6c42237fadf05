// SPDX-License-Identifier: MIT
// Angular distributions as the kernels sample them.
#pragma once

#include "kernels/core/trace_types.h"
#include "scenario/run_config.h"

#include <vector>

namespace helioray::physical {

/// The sun's distribution; tables are appended to floats. Throws InputError for shapes outside of
/// their range.
kernels::AngularShape sun_record(const SunShape& shape, std::vector<float>& floats);

/// The distribution of a slope or specularity error.
kernels::AngularShape error_record(const ErrorShape& shape);

/// Largest angle that the kernels can draw, radians.
double largest_angle(const kernels::AngularShape& shape);

}  // namespace helioray::physical
