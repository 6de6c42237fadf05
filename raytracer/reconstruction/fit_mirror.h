// SPDX-License-Identifier: MIT
// The most probable shape of a mirror for some images of it.
#pragma once

#include "raytracer/job/field_ranks.h"
#include "raytracer/reconstruction/image_model.h"
#include "raytracer/reconstruction/mirror_shape.h"

#include <array>
#include <span>
#include <vector>

namespace helioray::reconstruction {

/// A measured image about its own centre of light.
struct FitImage {
    ImageGeometry geometry;  ///< with the picture's centre of light as its centre
    /// [kImagePixels * kImagePixels] in rows from the top; 0 to 1 of the image's maximum.
    std::vector<double> brightness;
    std::vector<bool> seen;  ///< the same size; pixels that the picture shows
};

/// What a fit found.
struct MirrorFit {
    std::vector<double> unknowns;    ///< of the shape, radians
    std::vector<double> covariance;  ///< [unknowns, unknowns], rad^2
    /// Standard deviation of a normal's direction, radians, by what the polynomials do not
    /// describe.
    double unresolved = 0.0;
    ErrorScales scales{};                     ///< how large errors are, of the best maximum
    ImageOptics optics;                       ///< sun and slope error
    std::vector<ImageNuisances> own;          ///< of each image
    std::vector<std::vector<double>> models;  ///< of each image, scaled to its brightness
    double noise = 0.0;                       ///< of brightness, as weighted: see fit_mirror()
    double noise_power = 0.0;  ///< of brightness that the noise grows with, 0 for a camera's
    size_t maxima = 0;         ///< of the posterior, which this is the mean of
};

/// The maximum of the posterior, by Levenberg and Marquardt's method on exact derivatives.
///
/// Unknowns of the mirror have Gaussian priors about the start surface (MirrorShape), circumsolar
/// ratio and slope error about their usual values. Each image has a shift, a blur, a brightness and
/// a background of its own, which are eliminated; blurs only where images show them.
///
/// A pixel of brightness g counts with the standard deviation noise * max(g, 0.02)^0.3. The noise
/// of real images is not that of the camera but what the model does not know of air, sun and
/// camera, and alike in neighbouring pixels. So `noise` follows from the fit's own residuals in
/// blocks of half a metre: 0.2 to 0.3 for real images, which is also its upper bound; a few
/// thousandths for simulated ones. doubt: factor on the noise, for images that say little about
/// the shape. stop: asked before every step.
///
/// How large errors are to be expected follows from the images, too (likely_scales()): images of a
/// mirror that is nearly right leave it as it is, and one that is far off has larger errors than
/// others.
///
/// Misfit that neighbouring pixels have in common is the mirror's own: it has shapes that its
/// polynomials do not describe, and they bend the polynomials in every image alike. So the errors
/// by that share rho of the misfit do not average out over n images. In the covariance, the part
/// that is due to the misfit is larger by 1 - rho + rho n q, q the variance that residuals show
/// over the weighted one; of one image of up to 16 facets it is the covariance with the usual
/// noise and with scales as uncertain as without it, however well the fit explains it. With q = 1
/// this is the design effect of samples in clusters (Kish, Survey Sampling, 1965). The shapes
/// beyond the polynomials count besides, as `unresolved`.
MirrorFit fit_mirror(const MirrorShape& shape,
                     std::span<const FitImage> images,
                     double doubt = 1.0,
                     const StopCheck& stop = {});

}  // namespace helioray::reconstruction
