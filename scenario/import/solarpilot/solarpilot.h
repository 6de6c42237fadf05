// SPDX-License-Identifier: MIT
// Converts the projects of SolarPILOT to scenarios and run configurations.
#pragma once

#include "scenario/import/field/build_field.h"
#include "scenario/import/solarpilot/spt_file.h"

namespace helioray::solarpilot {

/// Converts a project with a layout: site, heliostat templates, the heliostats of its layout, the
/// enabled receivers, sun, optics and attenuation. Names and meanings are those of SolarPILOT's
/// source (NREL/ssc, solarpilot/definitions.cpp, Receiver.cpp, Heliostat.cpp, STObject.cpp).
///
/// Receivers: cylinders and polygons, closed or open, cavities of flat panels, and flat plates.
/// Throws InputError with all problems found: properties that cannot be represented, values out of
/// range, and projects without a layout.
MadeField convert(const Project& project);

}  // namespace helioray::solarpilot
