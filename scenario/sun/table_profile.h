// SPDX-License-Identifier: MIT
// The radial profile of a measured sun shape.
#pragma once

#include "scenario/sun/radial_profile.h"

#include <memory>

namespace helioray {

/// Radiance linear between the rows of a table, 0 beyond the last one.
/// Throws InputError, with all problems found, unless angles ascend strictly from 0 to at most 0.1
/// rad and radiances are not negative, with some power between them.
std::unique_ptr<const RadialProfile> table_profile(const TableShape& shape);

}  // namespace helioray
