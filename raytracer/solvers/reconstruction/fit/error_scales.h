// SPDX-License-Identifier: MIT
// Estimates the scales of one mirror's errors, by kind, from its images. Internal to this folder.
#pragma once

#include "raytracer/solvers/reconstruction/images/mirror_shape.h"

#include <vector>

namespace helioray::reconstruction {

/// Linearised likelihood of the images as a function of a mirror's unknowns x: twice its logarithm
/// is right x - x matrix x. It includes the prior of the unknowns that are not errors of the
/// mirror.
struct LinearLikelihood {
    std::vector<double> matrix;  ///< Matrix [size, size].
    /// Vector [size]; the unknowns of the shape come first, the others have the same prior for all
    /// mirrors.
    std::vector<double> right;
};

/// Returns the most probable scales for these images by maximum evidence: the probability of the
/// images with all unknowns integrated out (empirical Bayes; MacKay, Neural Computation 4, 1992).
/// The prior standard deviation of a scale's logarithm is 0.6. Images without visible errors yield
/// small scales, so that their noise does not become errors; images with large errors yield large
/// scales. `start` holds the initial scales.
ErrorScales likely_scales(const MirrorShape& shape,
                          const LinearLikelihood& images,
                          const ErrorScales& start);

/// Returns the logarithm of the prior density of the scales, up to a constant.
double log_expectation(const ErrorScales& scales);

}  // namespace helioray::reconstruction
