// SPDX-License-Identifier: MIT
// One function for each section of the configuration. Each reads below the top level section and
// fills its part.
#pragma once

#include "scenario/config/key_table.h"
#include "scenario/config/section.h"
#include "scenario/run_config.h"

#include <filesystem>

namespace helioray {

/// Upper limit of all angular widths: wider ones are mistakes of unit.
inline constexpr double kWidestAngleMrad = 500.0;

/// Input path relative to the configuration's folder.
std::filesystem::path resolve_input(const std::filesystem::path& base_dir, const std::string& text);

/// Sections sun (with its table file), aim, optics. A sun without a position is for
/// check_sun_position() to refuse.
void read_sun(const Section& root, const std::filesystem::path& base_dir, SunConfig& sun);
void check_sun_position(const Section& root, const SunConfig& sun);
/// The parts of section sun: a position by azimuth and elevation; several positions, each with the
/// irradiance of `config` unless it has its own.
void read_sun_angles(const Section& sun, SunConfig& config);
void read_sun_series(const Section& sun, const std::filesystem::path& base_dir, SunConfig& config);
void read_aim(const Section& root, AimConfig& aim);
void read_optics(const Section& root, OpticsConfig& optics);

/// Sections targets and obstacles.
void read_targets(const Section& root, std::map<std::string, TargetConfig>& targets);
void read_obstacles(const Section& root, std::vector<ObstacleConfig>& obstacles);

/// Sections tracing, artist, bitmap.
void read_tracing(const Section& root, RunConfig& config);

/// Sections output and distributed, and device.
void read_output(const Section& root, RunConfig& config);

/// The width of a distribution in radians; a problem where it is absent. `owner` names the
/// distribution in messages.
double read_width(const Section& section, const std::string& key, const std::string& owner);

/// Upper limit of all lengths in metres: longer ones are mistakes of unit.
inline constexpr double kLongestLength = 1e6;

/// A point; a problem where it is absent.
Vec3 read_point(const Section& section, const std::string& key, const std::string& owner);
/// A unit vector from one of any length; a problem where it is absent.
Vec3 read_direction(const Section& section, const std::string& key, const std::string& owner);
/// A length above 0 in metres; a problem where it is absent.
double read_length(const Section& section, const std::string& key, const std::string& owner);

/// Refuses keys that the chosen kind of a section ("type: gaussian") does not take; unknown ones
/// are left to check_keys().
void refuse_other_keys(const Section& section,
                       const std::string& kind_key,
                       const std::string& kind,
                       const std::vector<std::string>& taken,
                       const std::vector<KeyInfo>& table = known_keys());

}  // namespace helioray
