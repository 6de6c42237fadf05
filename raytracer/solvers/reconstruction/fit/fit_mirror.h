// SPDX-License-Identifier: MIT
// Fits the most probable shape of a mirror to some images of it.
#pragma once

#include "raytracer/solvers/reconstruction/images/image_model.h"
#include "raytracer/solvers/reconstruction/images/mirror_shape.h"
#include "raytracer/tracing/job/field_ranks.h"

#include <array>
#include <span>
#include <vector>

namespace helioray::reconstruction {

/// A measured image about its own centre of light.
struct FitImage {
    ImageGeometry geometry;  ///< Geometry with the picture's centre of light as the image's centre.
    /// Brightness [kImagePixels * kImagePixels] in rows from the top, as a fraction of the image's
    /// maximum.
    std::vector<double> brightness;
    std::vector<bool> seen;  ///< Pixels that the picture shows, in the same order.
};

/// Result of a fit.
struct MirrorFit {
    std::vector<double> unknowns;    ///< Unknowns of the shape, radians.
    std::vector<double> covariance;  ///< Covariance [unknowns, unknowns], rad^2.
    /// Standard deviation of a normal's direction that is due to shapes beyond the polynomials,
    /// radians.
    double unresolved = 0.0;
    ErrorScales scales{};                     ///< Scales of the errors at the best maximum.
    ImageOptics optics;                       ///< Sun and slope error.
    std::vector<ImageNuisances> own;          ///< Nuisance parameters of each image.
    std::vector<std::vector<double>> models;  ///< Model of each image, scaled to its brightness.
    double noise = 0.0;        ///< Weighted noise of the brightness, see fit_mirror().
    double noise_power = 0.0;  ///< Power of the brightness in the noise, 0 for a camera.
    size_t maxima = 0;         ///< Number of maxima of the posterior that were averaged.
};

/// Finds the maximum of the posterior by the Levenberg-Marquardt method with exact derivatives.
///
/// Unknowns of the mirror have Gaussian priors about the start surface (MirrorShape), circumsolar
/// ratio and slope error about their usual values. Each image has a separate shift, blur,
/// brightness and background, which are eliminated; blurs are used only if the images show them.
///
/// A pixel of brightness g has the standard deviation noise * max(g, 0.02)^0.3. The noise of real
/// images does not come from the camera but from unmodelled effects of air, sun and camera, and is
/// correlated between neighbouring pixels. Therefore `noise` is estimated from the fit's own
/// residuals in blocks of half a metre: 0.2 to 0.3 for real images, which is also its upper bound;
/// a few thousandths for simulated ones. `doubt` is a factor on the noise for images with little
/// information about the shape. `stop` is polled before every step.
///
/// The expected size of errors is also estimated from the images (likely_scales()): images of a
/// mirror that is nearly right leave it unchanged, and a mirror that is far off has larger errors
/// than others.
///
/// Misfit that neighbouring pixels share is due to the mirror: it has shapes that its polynomials
/// do not describe, and they bend the polynomials in every image alike. So the errors due to that
/// fraction rho of the misfit do not average out over n images. In the covariance, the part that is
/// due to the misfit is multiplied by 1 - rho + rho n q, where q is the ratio of the variance of
/// the residuals to the weighted variance. For one image of up to 16 facets the covariance is that
/// with the usual noise and with scales as uncertain as without the image, however well the fit
/// explains it. With q = 1 this is the design effect of samples in clusters (Kish, Survey Sampling,
/// 1965). The shapes beyond the polynomials are added as `unresolved`.
MirrorFit fit_mirror(const MirrorShape& shape,
                     std::span<const FitImage> images,
                     double doubt = 1.0,
                     const StopCheck& stop = {});

}  // namespace helioray::reconstruction
