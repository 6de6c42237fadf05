// SPDX-License-Identifier: MIT
// Texts of a run configuration: what importers of other formats write beside the plant, and the
// part that decides which numbers come out.
#pragma once

#include "scenario/run_config.h"

#include <map>
#include <string>

namespace helioray {

struct YamlNode;

/// YAML text that the reader of run configurations takes back: scenario (the path as it stands),
/// sun with its shape (but for a table, which would need a file of its own), aim, aiming,
/// reflectivity, slope and specularity errors, obstacles, rays per heliostat, and output. Other
/// settings are left to their defaults. `comment`: lines for the head of the file, without '#'.
std::string run_config_text(const RunConfig& config, const std::string& comment);

/// The part of a configuration that decides the flux: without output files, device, processes and
/// how `helioray aim` chooses aim points, and with the contents of input files (a tabulated sun
/// shape, aim points) instead of their names. The scenario and the positions of a series are left
/// out: callers that compare configurations compare these as well. written: the parsed text of the
/// configuration.
std::string determining_text(const RunConfig& config, YamlNode written);

/// Every value that the parsed text of a configuration gives, by its dotted key ("sun.shape.type",
/// entries of lists "obstacles[0].width"), so that two configurations can be compared key by key.
std::map<std::string, std::string> written_values(const YamlNode& written);

}  // namespace helioray
