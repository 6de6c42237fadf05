// SPDX-License-Identifier: MIT
// Reads flux images and their records from files of the PAINT database.
#pragma once

#include "raytracer/solvers/reconstruction/images/flux_window.h"
#include "raytracer/solvers/reconstruction/images/image_model.h"
#include "scenario/import/paint/splits.h"
#include "scenario/types/choices.h"
#include "scenario/types/types.h"

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace helioray::reconstruction {

/// Kind of picture: 6 x 6 m about the spot, or the whole target.
enum class ImageKind { flux_centered, flux };
/// Suffixes of the pictures' names for each kind.
inline const Choices<ImageKind> kImageKinds{{"flux-centered", ImageKind::flux_centered},
                                            {"flux", ImageKind::flux}};

/// Returns the suffix of the picture's name: "flux-centered" or "flux".
std::string to_string(ImageKind kind);

/// An image of one heliostat's light on a flat target.
struct FluxRecord {
    std::string id;              ///< Id of the record.
    std::filesystem::path file;  ///< File of the record.
    size_t heliostat = 0;        ///< Index in Scenario::heliostats.
    std::string target;          ///< Name of the target.
    FluxMap map;                 ///< The picture.
    ImageGeometry geometry;  ///< Geometry with the mirror aimed at the picture's centre of light.
    /// Transform from the mirror frame to ENU for the recorded motor positions, 4 x 4 row-major.
    /// Empty if the drives do not count steps or cannot reach the position.
    std::optional<std::array<double, 16>> by_motors;
    bool predicted = false;  ///< The image is predicted but not fitted.
};

/// A record that cannot be used.
struct RejectedRecord {
    std::string heliostat;  ///< Name of the heliostat.
    std::string record;     ///< Id of the record.
    std::string reason;     ///< Reason, a sentence without its final full stop.
};

/// Records of some files.
struct FluxRecords {
    std::vector<FluxRecord> records;       ///< Records, sorted by heliostat and name.
    std::vector<RejectedRecord> rejected;  ///< Rejected records, in the order of the paths.
    size_t elsewhere = 0;  ///< Number of records of heliostats that the scenario lacks.
};

/// Reads records and pictures. `paths` lists `<id>-calibration-properties.json` files, pictures of
/// such records, and folders that hold records at any depth, including folders of PAINT's benchmark
/// (PaintSplits::records()). `names` selects the heliostats whose records are read; if it is empty,
/// all of the scenario are read. Records of other heliostats are left out. `splits` marks records
/// that are only predicted; `use`, unless it is open, applies to all records instead.
///
/// The background is subtracted, and the noise of the camera is estimated (subtract_background()).
///
/// Mirrors are aimed at the measured spot ("UTIS" if there are several methods) instead of being
/// turned by the recorded motor positions, because nominal kinematics may miss the spot by metres.
/// FluxRecord::by_motors is the mirror as the motors turn it. Pictures of the whole target show the
/// spot themselves.
///
/// Rejects records without picture, spot or light, with an unknown or curved target, with a spot
/// that the heliostat cannot aim at, and records that the split of their heliostat does not list.
/// Throws InputError with all problems of all files that cannot be read, and if there is no record
/// at all.
FluxRecords read_flux_records(const Scenario& scenario,
                              std::span<const std::string> paths,
                              ImageKind kind,
                              std::span<const std::string> names,
                              const PaintSplits& splits,
                              PaintUse use = PaintUse::open);

}  // namespace helioray::reconstruction
