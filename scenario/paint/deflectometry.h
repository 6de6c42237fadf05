// SPDX-License-Identifier: MIT
// Deflectometry of the PAINT database: measured points and normals of a heliostat's facets.
#pragma once

#include "scenario/measured_surface.h"

#include <filesystem>

namespace helioray {

/// Reads a `<heliostat>-[filled-]<time>-deflectometry.h5`: groups facet1, facet2, ... with
/// `surface_points` and `surface_normals` [M, 3], metres in the mirror's frame; M may differ
/// between facets. Throws InputError with all problems of all facets: missing groups or datasets,
/// other shapes, samples that are not finite, normals that are no unit vectors or point down.
MeasuredSurface read_deflectometry(const std::filesystem::path& path);

}  // namespace helioray
