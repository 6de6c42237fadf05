// SPDX-License-Identifier: MIT
// Binary heliostat files of STRAL, and scenarios built from them.
#pragma once

#include "scenario/reader/measured_surface.h"
#include "scenario/types/types.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace helioray {

/// One facet of a STRAL file; all data is in the mirror frame, in float32 as in the file.
struct StralFacet {
    int32_t id = 0;             ///< STRAL's number; not used
    Vec3 translation{};         ///< facet centre, metres
    Vec3 canting_e{};           ///< half-extent vector along the facet's e edge, metres
    Vec3 canting_n{};           ///< half-extent vector along the facet's n edge, metres
    std::vector<Vec3> points;   ///< points, metres, including canting and translation
    std::vector<Vec3> normals;  ///< one unit vector per point, checked by measured_surface()
    /// STRAL's power coefficients, one per point, m2; not used for scenarios
    std::vector<double> weights;
    bool operator==(const StralFacet&) const = default;
};

/// Content of a STRAL file, which is little-endian on all machines.
struct StralFile {
    Vec3 position{};      ///< position, metres, ENU; stored as (north, west, up)
    double width = 0.0;   ///< width of the whole mirror along e, metres
    double height = 0.0;  ///< height of the whole mirror along n, metres
    std::array<uint32_t, 2> facet_grid{0, 0};  ///< number of facets in x and in y
    /// Offset of the axis, metres; not used for scenarios, with a remark.
    double axis_offset = 0.0;
    double mirror_offset = 0.0;      ///< distance from the axis to the mirror, metres
    std::vector<StralFacet> facets;  ///< facets in the order of the file
    size_t num_trailing_bytes = 0;   ///< number of bytes after the last facet, which are skipped
    bool operator==(const StralFile&) const = default;
};

/// Reads a file. Sizes are compared with that of the file before memory is allocated for them.
/// Throws InputError naming the byte position if the file ends too early, if it has no facets or
/// more than it can hold, and if numbers of the header are not finite.
StralFile read_stral(const std::filesystem::path& path);
/// Reads a file from bytes; `name` replaces the file name in messages.
StralFile parse_stral(std::span<const std::byte> bytes, const std::string& name);

/// Returns the bytes of a file, with the trailer that STRAL's own exporters write. Numbers are
/// rounded to float32.
std::vector<std::byte> stral_bytes(const StralFile& file);

/// Settings for a scenario from a STRAL file.
struct StralInputs {
    std::string name = "heliostat_1";  ///< name of the heliostat, which the files do not contain
    std::string file;                  ///< source of the content, for messages
    std::filesystem::path tower;       ///< PAINT's tower-measurements.json; empty: default targets
    std::optional<Vec3> position;      ///< position, metres, ENU; not set: that of the file
};

/// Returns the checked samples of a STRAL file. Throws InputError with all problems: facets without
/// points, numbers that are not finite, normals that are not unit vectors or point down, canting
/// vectors that are zero or parallel.
MeasuredSurface measured_surface(const StralFile& file, const std::string& name);

/// Returns the facets of a STRAL file without control points: names, translations and canting
/// vectors.
Surface stral_facets(const StralFile& file);

/// Returns a scenario with one heliostat of this surface. STRAL's files contain no kinematics,
/// drives, targets or sun. The scenario assumes a rigid body with ideal drives that turn freely and
/// the file's mirror offset, and without a tower file a plane and a cylinder ("planar",
/// "cylinder"). `report`, if given, receives one line for every item that was read, ignored or
/// assumed.
Scenario scenario_from_stral(const StralFile& file,
                             std::shared_ptr<const Surface> surface,
                             const StralInputs& inputs,
                             std::vector<std::string>* report = nullptr);

}  // namespace helioray
