// SPDX-License-Identifier: MIT
// How large the errors of one mirror are, by kind, as its images show them. Internal to this
// folder.
#pragma once

#include "raytracer/reconstruction/mirror_shape.h"

#include <vector>

namespace helioray::reconstruction {

/// What images say about a mirror's unknowns x, linearised: twice the logarithm of their
/// probability is right x - x matrix x, and that of the unknowns that are no errors of the
/// mirror is part of it.
struct LinearLikelihood {
    std::vector<double> matrix;  ///< [size, size]
    /// [size]: unknowns of the shape first; others have one expectation for all mirrors.
    std::vector<double> right;
};

/// The most probable scales for these images, by maximum of the evidence: the probability of the
/// images with all unknowns integrated out (empirical Bayes; MacKay, Neural Computation 4, 1992).
/// Logarithms of scales are expected within 0.6 of 0. Images that show no errors make them small,
/// so that their noise does not become errors; images that show large ones make them large. start:
/// scales to begin at.
ErrorScales likely_scales(const MirrorShape& shape,
                          const LinearLikelihood& images,
                          const ErrorScales& start);

/// Logarithm of how probable scales are before any image is seen, but for a constant.
double log_expectation(const ErrorScales& scales);

}  // namespace helioray::reconstruction
