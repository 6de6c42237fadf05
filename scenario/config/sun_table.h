// SPDX-License-Identifier: MIT
// Reads a tabulated sun shape from CSV.
#pragma once

#include "scenario/types.h"

#include <filesystem>

namespace helioray {

/// Reads rows "angle in mrad, relative radiance"; one header line, empty lines and comments from
/// '#' on are skipped. Angles must start at 0, ascend and stay below 500; radiances must be finite,
/// not negative and not all zero; at least two rows. Throws InputError with every problem; places
/// are "file:line".
TableShape read_sun_table(const std::filesystem::path& file);

}  // namespace helioray
