// SPDX-License-Identifier: MIT
// Where a fit has to look for the most probable shape, as images have several explanations.
// Internal to this folder.
#pragma once

#include "raytracer/reconstruction/posterior.h"

#include <span>
#include <vector>

namespace helioray::reconstruction {

/// Twice the logarithm of how much less probable a state may be than the best, before and after its
/// descent.
inline constexpr double kRough = 25.0, kFine = 12.0;

/// Whether a state differs from one of the others by less than a quarter of the standard deviations
/// of its unknowns.
bool is_among(const FitState& state,
              const std::vector<FitState>& others,
              const std::vector<double>& covariance);

/// The maxima that starts on either side of the nominal canting lead to and that are probable
/// enough to count, the best first. noise: of `posterior`.
std::vector<FitState> search(const MirrorShape& shape,
                             std::span<const FitImage> images,
                             const PixelNoise& noise,
                             const Posterior& posterior,
                             const StopCheck& stop);

/// Facets throw nearly the same light if they exchange their errors, so that a fit may find the
/// right errors on the wrong facets. Exchanges pairs as long as that leads to a more probable
/// state than `best`, and returns whether it did. others: states nearly as probable are appended.
/// misfit: as for Posterior::likelihood().
bool exchange_facets(const MirrorShape& shape,
                     const Posterior& posterior,
                     double misfit,
                     FitState& best,
                     std::vector<FitState>& others);

/// Descends from shapes drawn about `best` as the prior expects errors, with the noise `rough`
/// first and then with that of `posterior`, `noise`. Returns whether one is clearly more probable
/// than `best`, and replaces it then.
bool escape(const MirrorShape& shape,
            const PixelNoise& rough,
            const PixelNoise& noise,
            Posterior& posterior,
            FitState& best);

}  // namespace helioray::reconstruction
