// SPDX-License-Identifier: MIT
// Flux images with the records of how they were taken, from files of the PAINT database.
#pragma once

#include "raytracer/reconstruction/flux_window.h"
#include "raytracer/reconstruction/image_model.h"
#include "scenario/paint/splits.h"
#include "scenario/types.h"

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace helioray::reconstruction {

/// Which picture of a record is taken: 6 x 6 m about the spot, or the whole target.
enum class ImageKind { flux_centered, flux };

/// Ending of the picture's name: "flux-centered" or "flux".
const char* to_string(ImageKind kind);

/// An image of one heliostat's light on a flat target.
struct FluxRecord {
    std::string id;              ///< of the record
    std::filesystem::path file;  ///< the record's
    size_t heliostat = 0;        ///< index in Scenario::heliostats
    std::string target;          ///< name
    FluxMap map;                 ///< the picture
    ImageGeometry geometry;      ///< of the mirror, aimed at the picture's centre of light
    /// Mirror frame to ENU as the recorded motor positions turn the mirror, 4 x 4 row-major.
    /// Nothing where drives do not count steps or cannot stand there.
    std::optional<std::array<double, 16>> by_motors;
    bool predicted = false;  ///< it is not to be fitted
};

/// A record that cannot be used.
struct RejectedRecord {
    std::string heliostat;  ///< its name
    std::string record;     ///< its id
    std::string reason;     ///< a sentence without its end
};

/// Records of some files.
struct FluxRecords {
    std::vector<FluxRecord> records;       ///< by heliostat, then by the record's name
    std::vector<RejectedRecord> rejected;  ///< in the order of the paths
    size_t elsewhere = 0;                  ///< records of heliostats that the scenario lacks
};

/// Reads records and pictures. paths: `<id>-calibration-properties.json`, the picture of such a
/// record, or a folder that holds records anywhere below it, also one of PAINT's benchmark
/// (PaintSplits::records()). names: heliostats whose records are read; none: all of the scenario.
/// Records of other heliostats are left out. splits: which records are only predicted; use: of all
/// of them, whatever splits say, unless it is open.
///
/// A background is taken away, and the noise of the camera is estimated (subtract_background()).
///
/// Mirrors are aimed at the measured spot ("UTIS" where there are several methods), and not turned
/// by the recorded motor positions: nominal kinematics may miss it by metres. FluxRecord::by_motors
/// is the mirror as they turn it. Pictures of the whole
/// target show the spot themselves.
///
/// Rejected: records without picture, spot or light, with a target that is unknown or curved, with
/// a spot that the heliostat cannot aim at, or that the split of their heliostat does not list.
/// Throws InputError with all problems of all files that
/// cannot be read, and where there is no record at all.
FluxRecords read_flux_records(const Scenario& scenario,
                              std::span<const std::string> paths,
                              ImageKind kind,
                              std::span<const std::string> names,
                              const PaintSplits& splits,
                              PaintUse use = PaintUse::open);

}  // namespace helioray::reconstruction
