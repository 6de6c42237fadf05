// SPDX-License-Identifier: MIT
// Writes texts of a run configuration: those that importers of other formats write beside the
// plant, and the part that determines the flux.
#pragma once

#include "scenario/types/run_config.h"

#include <map>
#include <string>

namespace helioray {

struct YamlNode;

/// Returns YAML text that the reader of run configurations accepts. It contains scenario (the path
/// as given), sun with its shape (except a table, which would need a separate file), aim, aiming,
/// reflectivity, slope and specularity errors, obstacles, rays per heliostat, and output. Other
/// settings keep their defaults. `comment` contains the lines for the head of the file, without
/// '#'.
std::string run_config_text(const RunConfig& config, const std::string& comment);

/// Returns the part of a configuration that determines the flux. It excludes output files, device,
/// processes and section aiming, and has the contents of input files (a tabulated sun shape, aim
/// points) instead of their names. The scenario and the positions of a series are also excluded;
/// callers have to compare them separately. `written` is the parsed text of the configuration.
std::string determining_text(const RunConfig& config, YamlNode written);

/// Returns every value of the parsed text of a configuration, by its dotted key ("sun.shape.type",
/// entries of lists "obstacles[0].width"), so that two configurations can be compared key by key.
std::map<std::string, std::string> written_values(const YamlNode& written);

}  // namespace helioray
