// SPDX-License-Identifier: MIT
// Writes texts of a run configuration: those that importers of other formats write beside the
// plant, and the part that determines the flux.
#pragma once

#include "scenario/types/run_config.h"

#include <map>
#include <string>

namespace helioray {

struct YamlNode;

/// Returns YAML text from which the reader makes the same configuration. It has every key whose
/// value differs from its default, and few others that users often change. Angles have 12 digits.
/// A tabulated sun shape is written as the name of its file, or as its points if it has no file. A
/// series made by a program is written as a list of positions. Paths are written as given.
/// `comment` contains the lines for the head of the file, without '#'.
std::string run_config_text(const RunConfig& config, const std::string& comment);

/// Returns the sections sun, optics, targets, receivers, obstacles, terrain, tracing and bitmap of
/// the same text: the configuration of a field of tensors.
std::string field_config_text(const RunConfig& config);

/// Returns the part of a configuration that determines the flux, without the keys whose
/// KeyInfo::determines_flux is false. It has the contents of a tabulated sun shape and of aim
/// points instead of the names of their files. The scenario, the file of clouds and the positions
/// of a series are also excluded; callers have to compare them separately. `written` is the parsed
/// text of the configuration.
std::string determining_text(const RunConfig& config, YamlNode written);

/// Returns every value of the parsed text of a configuration, by its dotted key ("sun.shape.type",
/// entries of lists "obstacles[0].width"), so that two configurations can be compared key by key.
std::map<std::string, std::string> written_values(const YamlNode& written);

}  // namespace helioray
