// SPDX-License-Identifier: MIT
// Positions of the sun from the columns of a frame, and weather from a frame.
#pragma once

#include "scenario/types/run_config.h"

#include <nanobind/nanobind.h>

#include <string>

namespace helioray::python {

/// Positions of the sun from a frame.
struct FrameSuns {
    SunSeries series;       ///< the positions
    std::string time_zone;  ///< name of the times' zone ("Europe/Berlin"), or empty
};

/// Adds the bindings of Suns and Weather, and the functions that make them.
void bind_suns(nanobind::module_& m);

}  // namespace helioray::python
