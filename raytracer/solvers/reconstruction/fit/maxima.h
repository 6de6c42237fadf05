// SPDX-License-Identifier: MIT
// Searches for the most probable shape among several maxima, because images have several
// explanations. Internal to this folder.
#pragma once

#include "raytracer/solvers/reconstruction/fit/posterior.h"

#include <span>
#include <vector>

namespace helioray::reconstruction {

/// Limits of twice the logarithm of the probability relative to the best state, before and after a
/// state's descent.
inline constexpr double kRough = 25.0, kFine = 12.0;

/// Returns true if a state differs from one of the others by less than a quarter of the standard
/// deviations of its unknowns.
bool is_among(const FitState& state,
              const std::vector<FitState>& others,
              const std::vector<double>& covariance);

/// Returns the maxima that are reached from starts on either side of the nominal canting and are
/// probable enough to count, best first. `noise` is that of `posterior`.
std::vector<FitState> search(const MirrorShape& shape,
                             std::span<const FitImage> images,
                             const PixelNoise& noise,
                             const Posterior& posterior,
                             const StopCheck& stop);

/// Exchanges the errors of pairs of facets while that leads to a more probable state than `best`,
/// and returns true if it did. Facets that exchange their errors produce nearly the same light, so
/// that a fit may find the right errors on the wrong facets. States that are nearly as probable are
/// appended to `others`. `misfit` is described in Posterior::likelihood().
bool exchange_facets(const MirrorShape& shape,
                     const Posterior& posterior,
                     double misfit,
                     FitState& best,
                     std::vector<FitState>& others);

/// Descends from shapes drawn about `best` with errors from the prior, first with the noise `rough`
/// and then with `noise`, that of `posterior`. Returns true if a state is clearly more probable
/// than `best`, and replaces `best` by it.
bool escape(const MirrorShape& shape,
            const PixelNoise& rough,
            const PixelNoise& noise,
            Posterior& posterior,
            FitState& best);

}  // namespace helioray::reconstruction
