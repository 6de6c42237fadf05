// SPDX-License-Identifier: MIT
// Binary heliostat files of STRAL, and scenarios made of them.
#pragma once

#include "scenario/reader/measured_surface.h"
#include "scenario/types.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace helioray {

/// One facet of a STRAL file; everything in the mirror frame, in float32 as in the file.
struct StralFacet {
    int32_t id = 0;               ///< STRAL's number; without influence
    Vec3 translation{};           ///< metres, facet centre
    Vec3 canting_e{};             ///< metres, half-extent vector along the facet's e edge
    Vec3 canting_n{};             ///< metres, half-extent vector along the facet's n edge
    std::vector<Vec3> points;     ///< metres, canting and translation contained
    std::vector<Vec3> normals;    ///< as many; unit vectors, as measured_surface() checks
    std::vector<double> weights;  ///< as many: STRAL's power coefficients, square metres; ignored
                                  ///< when a scenario is made
    bool operator==(const StralFacet&) const = default;
};

/// Content of a STRAL file, little-endian whatever the machine.
struct StralFile {
    Vec3 position{};                           ///< metres, ENU; the file holds (north, west, up)
    double width = 0.0;                        ///< metres, of the whole mirror, along e
    double height = 0.0;                       ///< metres, of the whole mirror, along n
    std::array<uint32_t, 2> facet_grid{0, 0};  ///< facets in x and in y; their product is all
    double axis_offset = 0.0;        ///< metres; ignored with a remark when a scenario is made
    double mirror_offset = 0.0;      ///< metres, from the axis to the mirror
    std::vector<StralFacet> facets;  ///< in the order of the file
    size_t num_trailing_bytes = 0;   ///< after the last facet; skipped
    bool operator==(const StralFile&) const = default;
};

/// Reads a file. Sizes are compared with the file's before anything is allocated for them. Throws
/// InputError naming the byte where it ends too early, when it states no facets or more than it
/// can hold, or holds numbers that are not finite where that would be noticed late (header).
StralFile read_stral(const std::filesystem::path& path);
/// The same for bytes; `name` stands for the file name in messages.
StralFile parse_stral(std::span<const std::byte> bytes, const std::string& name);

/// The bytes of a file, with the trailer that STRAL's own exporters write. Numbers are rounded to
/// float32.
std::vector<std::byte> stral_bytes(const StralFile& file);

/// The settings for a scenario from a STRAL file.
struct StralInputs {
    std::string name = "heliostat_1";  ///< of the heliostat; the files hold none
    std::string file;                  ///< where the content came from, for messages
    std::filesystem::path tower;       ///< PAINT's tower-measurements.json; empty: assumed targets
    std::optional<Vec3> position;      ///< metres, ENU; nothing: the file's
};

/// Samples of a STRAL file, checked. Throws InputError with all problems: facets without points,
/// numbers that are not finite, normals that are not unit vectors or point down, canting vectors
/// that are zero or parallel.
MeasuredSurface measured_surface(const StralFile& file, const std::string& name);

/// Facets of a STRAL file without control points: names, translations and canting vectors.
Surface stral_facets(const StralFile& file);

/// A scenario with one heliostat of this surface. STRAL's files hold no kinematics, drives, targets
/// or sun; assumed are a rigid body with ideal drives that turn freely and the file's mirror
/// offset, and without a tower file a plane and a cylinder ("planar", "cylinder"). `report`, when
/// given, gets one line for everything that was read, ignored or assumed.
Scenario scenario_from_stral(const StralFile& file,
                             std::shared_ptr<const Surface> surface,
                             const StralInputs& inputs,
                             std::vector<std::string>* report = nullptr);

}  // namespace helioray
