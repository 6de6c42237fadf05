// SPDX-License-Identifier: MIT
// Mirrors from flux images: fitted, checked by rays, and compared with images that were not fitted.
#pragma once

#include "raytracer/reconstruction/fit_mirror.h"
#include "raytracer/reconstruction/flux_records.h"
#include "raytracer/reconstruction/flux_window.h"
#include "scenario/types.h"

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace helioray::reconstruction {

/// How well the traced light of a mirror agrees with an image, see flux_accuracy().
struct ImageAccuracy {
    std::string record;   ///< its id
    double before = 0.0;  ///< start surface, usual sun and slope error (ImageOptics)
    double after = 0.0;   ///< fitted surface, sun and slope error
};

/// An image beside what the fit makes of it, windows of kImagePixels.
struct ComparedImage {
    std::string record;         ///< its id
    FluxWindow measured;        ///< brightness, 0 to 1
    std::vector<double> model;  ///< in the same units
    double slope_error = 0.0;   ///< radians, fitted: the mirror's and the blur of this image
};

/// Places of the sun, 10 degrees from each other, that determine a shape.
inline constexpr size_t kFewestSunGroups = 3;

/// The mirror of one heliostat.
struct Reconstruction {
    size_t heliostat = 0;  ///< index in Scenario::heliostats
    /// Fitted, with slope_deviation; the start's where it is not `improved`.
    std::shared_ptr<const Surface> surface;
    /// Whether the images that were fitted are more probable with the fitted surface, traced, than
    /// with the start's: see misfit_of_traced().
    bool improved = false;
    ImageOptics optics;            ///< fitted
    double slope_deviation = 0.0;  ///< radians, see MirrorShape::slope_deviation()
    double noise = 0.0;            ///< of brightness, see fit_mirror()
    /// Whether motor positions show the tilt that all facets have in common: see the README.
    bool tilt_shown = false;
    size_t maxima = 1;      ///< shapes that this is the mean of, see MirrorFit
    size_t sun_groups = 0;  ///< of suns that are more than 10 degrees from each other
    std::vector<ImageAccuracy> fitted, test;
    std::vector<ComparedImage> images;     ///< as in `fitted`
    std::vector<RejectedRecord> rejected;  ///< images that contradict the others
};

/// Fits one heliostat's mirror. fitted, test: records of that heliostat; one at least is fitted.
/// Images of one or two places of the sun say little about the shape: the fit stays nearer to the
/// start. Images that no mirror explains which explains the others are rejected. num_threads:
/// for tracing; no result depends on it. stop: asked several times per second. Throws InputError
/// for mirrors and suns that cannot be traced.
Reconstruction reconstruct_mirror(const Scenario& scenario,
                                  std::span<const FluxRecord> fitted,
                                  std::span<const FluxRecord> test,
                                  int num_threads = 1,
                                  const StopCheck& stop = {});

/// Flux of one heliostat with this surface on the plane of a record's target, traced: 9 x 9 m about
/// the spot, 96 x 96 pixels, without shading and blocking.
FluxMap traced_map(const Scenario& scenario,
                   const FluxRecord& record,
                   std::shared_ptr<const Surface> surface,
                   const ImageOptics& optics,
                   int num_threads = 1);

}  // namespace helioray::reconstruction
