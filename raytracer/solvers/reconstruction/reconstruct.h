// SPDX-License-Identifier: MIT
// Reconstructs mirrors from flux images: fits them, checks them by ray tracing, and compares them
// with images that were not fitted.
#pragma once

#include "raytracer/solvers/reconstruction/fit/fit_mirror.h"
#include "raytracer/solvers/reconstruction/images/flux_records.h"
#include "raytracer/solvers/reconstruction/images/flux_window.h"
#include "scenario/types/types.h"

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace helioray::reconstruction {

/// Agreement of the traced light of a mirror with an image, see flux_accuracy().
struct ImageAccuracy {
    std::string record;  ///< Id of the record.
    /// Accuracy of the start surface with the usual sun and slope error (ImageOptics).
    double before = 0.0;
    double after = 0.0;  ///< Accuracy of the fitted surface, sun and slope error.
};

/// An image and its model, windows of kImagePixels.
struct ComparedImage {
    std::string record;         ///< Id of the record.
    FluxWindow measured;        ///< Measured brightness, 0 to 1.
    std::vector<double> model;  ///< Brightness of the model, in the same units.
    /// Fitted slope error of the mirror including the blur of this image, radians.
    double slope_error = 0.0;
};

/// Number of sun positions, 10 degrees from each other, that determine a shape.
inline constexpr size_t kFewestSunGroups = 3;

/// Result for the mirror of one heliostat.
struct Reconstruction {
    size_t heliostat = 0;  ///< Index in Scenario::heliostats.
    /// Fitted surface with slope_deviation; that of the start if it is not `improved`.
    std::shared_ptr<const Surface> surface;
    /// True if the fitted images are more probable with the traced fitted surface than with the
    /// traced start surface, see misfit_of_traced().
    bool improved = false;
    ImageOptics optics;            ///< Fitted sun and slope error.
    double slope_deviation = 0.0;  ///< See MirrorShape::slope_deviation(), radians.
    double noise = 0.0;            ///< Noise of the brightness, see fit_mirror().
    /// True if motor positions show the common tilt of all facets; see the README.
    bool tilt_shown = false;
    size_t maxima = 1;  ///< Number of shapes that were averaged, see MirrorFit.
    /// Number of groups of suns that are more than 10 degrees from each other.
    size_t sun_groups = 0;
    /// @{
    /// Accuracy of the fitted images, and of those that were only predicted.
    std::vector<ImageAccuracy> fitted, test;
    /// @}
    std::vector<ComparedImage> images;     ///< Fitted images, in the order of `fitted`.
    std::vector<RejectedRecord> rejected;  ///< Images that contradict the others.
};

/// Fits one heliostat's mirror. `fitted` and `test` are records of that heliostat; at least one
/// must be fitted. Images of one or two sun positions have little information about the shape: the
/// fit stays nearer to the start. Images that contradict the mirror of the others are rejected.
/// `num_threads` is for ray tracing; no result depends on it. `stop` is polled several times per
/// second. Throws InputError for mirrors and suns that cannot be traced.
Reconstruction reconstruct_mirror(const Scenario& scenario,
                                  std::span<const FluxRecord> fitted,
                                  std::span<const FluxRecord> test,
                                  int num_threads = 1,
                                  const StopCheck& stop = {});

/// Traces the flux of one heliostat with this surface on the plane of a record's target: 9 x 9 m
/// about the spot, 96 x 96 pixels, without shading and blocking.
FluxMap traced_map(const Scenario& scenario,
                   const FluxRecord& record,
                   std::shared_ptr<const Surface> surface,
                   const ImageOptics& optics,
                   int num_threads = 1);

}  // namespace helioray::reconstruction
