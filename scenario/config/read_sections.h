// SPDX-License-Identifier: MIT
// One function for each section of the configuration. Each reads below the top level section and
// fills its part.
#pragma once

#include "scenario/config/key_table.h"
#include "scenario/config/section.h"
#include "scenario/run_config.h"

#include <filesystem>

namespace helioray {

/// Input path relative to the configuration's folder.
std::filesystem::path resolve_input(const std::filesystem::path& base_dir, const std::string& text);

/// Sections sun (with its table file), aim, optics. A sun without a position is for
/// check_sun_position() to refuse.
void read_sun(const Section& root, const std::filesystem::path& base_dir, SunConfig& sun);
void check_sun_position(const Section& root, const SunConfig& sun);
/// Reads rows "angle in mrad, relative radiance"; one header line, empty lines and comments from
/// '#' on are skipped. Angles must start at 0, ascend and stay within kSunWidths; radiances
/// must be finite, not negative and not all zero; at least two rows. Throws InputError with every
/// problem; places are "file:line".
TableShape read_sun_table(const std::filesystem::path& file);
void read_aim(const Section& root, AimConfig& aim);
void read_optics(const Section& root, OpticsConfig& optics);

/// Sections targets and obstacles.
void read_targets(const Section& root, std::map<std::string, TargetConfig>& targets);
void read_obstacles(const Section& root, std::vector<ObstacleConfig>& obstacles);

/// Sections tracing, artist, bitmap.
void read_tracing(const Section& root, RunConfig& config);

/// Sections output and distributed, and device.
void read_output(const Section& root, RunConfig& config);

/// The width of a distribution whose type is known, in radians; a problem where it is absent.
double read_width(const Section& section, const std::string& key);

}  // namespace helioray
