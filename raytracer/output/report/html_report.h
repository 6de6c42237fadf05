// SPDX-License-Identifier: MIT
// A result as one web page that needs nothing but itself.
#pragma once

#include "raytracer/result.h"

#include <optional>
#include <string>

namespace helioray {

/// A complete HTML document without any reference to other files or the network: headline numbers,
/// flux maps with cuts, the energy from the sun to the targets, a field map and a table of
/// heliostats that answer to clicks, the configuration and how the result was made. Light and
/// dark after the reader's system, and printable. `title`: nothing: the scenario file's name.
/// About 400 bytes per heliostat besides the maps.
std::string html_report(const RunResult& result, const std::optional<std::string>& title = {});

}  // namespace helioray
