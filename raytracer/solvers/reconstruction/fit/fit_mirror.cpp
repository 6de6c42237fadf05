// SPDX-License-Identifier: MIT
// Fits several maxima, estimates the noise and the scales of errors for each, and averages them.
#include "raytracer/solvers/reconstruction/fit/fit_mirror.h"

#include "raytracer/solvers/reconstruction/fit/maxima.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace helioray::reconstruction {

namespace {

constexpr PixelNoise kUsualNoise{0.3, 0.3};
constexpr double kLeastNoise = 0.002;
// Factor on the noise of the residuals. With 1 the images of AA39 that were not fitted are 0.002
// better and its slopes 0.1 mrad worse.
constexpr double kNoiseOfResidual = 1.25;
// Settle the noise first, then noise and scales of the errors.
constexpr int kNoisePasses = 5;
constexpr int kScalePasses = 3;
constexpr double kSameScale = 0.1;  // tolerance of its logarithm
// Root mean square of a scale whose logarithm is 0 +- 0.6, the prior of all scales
// (log_expectation()): exp(0.6^2).
constexpr double kUncertainScale = 1.43;
constexpr int kMostSteps = 30;
// Errors that exceed the expectation by this factor may have another explanation: search again with
// that expectation, and search for facets that have exchanged their errors.
constexpr double kLargeErrors = 1.5;
// More facets have more ways to exchange errors than images can distinguish: for a simulated mirror
// of 30 facets, four images explained by the wrong exchange increase the error from 1.6 to 2.3
// mrad.
constexpr size_t kMostFacetsToSearch = 16;
constexpr int kExchangePasses = 4;
constexpr size_t kFewImages = 3;
// Fraction of correlated residuals below which a shape is accepted. At the right shape, images
// without errors of their own leave residuals that are not correlated between neighbouring pixels:
// a fraction of 0 to 0.01 in simulated images, 0.5 and more for wrong shapes. Real images leave
// more noise than the fraction kCleanNoise of the usual noise.
constexpr double kAlike = 0.25;
constexpr double kCleanNoise = 1.0 / 3.0;
constexpr int kEscapes = 4;

// Slopes beyond polynomials of the fourth order, radians: deflectometry of the 16 facets of AA28,
// AA31, AA39 and AC43 (Juelich).
constexpr double kBeyondPolynomials = 0.48e-3;
// Fraction of the misfit of expected errors of single facets that such slopes show: simulated waves
// of 0.5 mrad.
constexpr double kShownBeyond = 0.08;

/// A maximum of the posterior density.
struct Maximum {
    FitState state;
    Curvature curvature;
    double log_evidence = 0.0;  ///< Logarithm of the evidence about it.
};

/// Weights of the images.
struct Weighing {
    PixelNoise noise;
    SmoothMisfit smooth;
    /// Variance of the images' errors relative to the weighted variance: independent noise counts
    /// with its weight, the mirror's own shapes count as the residuals show them and separately in
    /// every image.
    double misfit = 1.0;
};

/// Sets all blurs to 0.
void remove_blurs(FitState& state) {
    for (ImageNuisances& own : state.own) own.blur = 0.0;
}

/// Repeats the descent until noise and scales settle: images that the model explains better than
/// real ones get a larger weight, and errors are expected as large as images show them. Each
/// estimate shows more of the other.
Weighing settle(
    Posterior& posterior, FitState& state, PixelNoise noise, double doubt, size_t num_images) {
    Weighing result{noise, {}, 1.0};
    bool judged = !posterior.has_blurs();
    for (int pass = 0; pass < kNoisePasses + kScalePasses; ++pass) {
        PixelNoise next = posterior.residual_noise(state, posterior.curvature(state).covariance);
        const double shown = doubt * next.scale;
        next.scale =
            doubt * std::clamp(kNoiseOfResidual * next.scale, kLeastNoise, kUsualNoise.scale);
        const bool less = next.scale <= 0.9 * result.noise.scale;
        if (less) {
            result.noise = next;
            posterior.set_noise(next);
        }
        result.smooth = posterior.smooth_misfit(state);
        const double share = result.smooth.share;
        result.misfit =
            1.0 - share +
            share * static_cast<double>(num_images) * std::pow(shown / result.noise.scale, 2);
        if (!less && !judged) {
            judged = true;
            if (!posterior.shows_blurs(state, result.misfit / (doubt * doubt))) {
                // Without blurs more noise remains, so it has to settle again.
                result.noise = noise;
                posterior.set_noise(noise);
                posterior.leave_out_blurs();
                remove_blurs(state);
                posterior.descend(state, kMostSteps);
                pass = -1;
                continue;
            }
        }
        bool other = false;
        if (!less || pass >= kNoisePasses)
            other = posterior.fit_scales(state, result.misfit / (doubt * doubt)) > kSameScale;
        if (!less && !other) break;
        posterior.descend(state, kMostSteps);
    }
    return result;
}

/// Searches with the errors of `best` as the expected errors. A state that explains the images
/// clearly better replaces `best`; the others are appended to `others`.
void search_again(const MirrorShape& shape,
                  std::span<const FitImage> images,
                  const PixelNoise& usual,
                  double doubt,
                  Posterior& posterior,
                  FitState& best,
                  Weighing& weighing,
                  std::vector<FitState>& others,
                  const StopCheck& stop) {
    const ErrorScales expected = posterior.scales();
    ErrorScales of_best = expected;
    posterior.set_noise(usual);
    for (FitState& state : search(shape, images, usual, posterior, stop)) {
        posterior.set_scales(expected);
        posterior.set_noise(weighing.noise);
        posterior.descend(state, kMostSteps);
        if (is_among(state, {best}, posterior.curvature(state).covariance)) continue;
        const Weighing other = settle(posterior, state, weighing.noise, doubt, images.size());
        if (other.noise.scale < weighing.noise.scale) {
            std::swap(state, best);
            weighing = other;
            of_best = posterior.scales();
        }
        others.push_back(std::move(state));
    }
    posterior.set_noise(weighing.noise);
    posterior.set_scales(of_best);
}

/// Descends to the best state: searches again if errors are large, exchanges the errors of facets
/// and escapes from wrong shapes. `others` are the states to start from and those that were left.
FitState find_best(const MirrorShape& shape,
                   std::span<const FitImage> images,
                   const PixelNoise& usual,
                   double doubt,
                   bool few_facets,
                   Posterior& posterior,
                   Weighing& weighing,
                   std::vector<FitState>& others,
                   const StopCheck& stop) {
    FitState best = others.front();
    others.erase(others.begin());
    weighing = settle(posterior, best, usual, doubt, images.size());
    const ErrorScales& scales = posterior.scales();
    if (few_facets && *std::max_element(scales.begin(), scales.end()) > kLargeErrors)
        search_again(shape, images, usual, doubt, posterior, best, weighing, others, stop);
    // Few images do not determine which facet has which error, even if errors are not large.
    const bool few_images = images.size() <= kFewImages;
    for (int pass = 0; pass < kExchangePasses; ++pass) {
        if (!few_facets || !(few_images || scales[own_canting] >= kLargeErrors) ||
            !exchange_facets(shape, posterior, weighing.misfit, best, others))
            break;
        weighing = settle(posterior, best, weighing.noise, doubt, images.size());
    }
    for (int round = 0; round < kEscapes; ++round) {
        if (weighing.smooth.share < kAlike || weighing.noise.scale > kCleanNoise * usual.scale)
            break;
        PixelNoise rough = weighing.noise;
        rough.scale = std::sqrt(weighing.noise.scale * usual.scale);
        if (!escape(shape, rough, weighing.noise, posterior, best)) break;
        weighing = settle(posterior, best, weighing.noise, doubt, images.size());
    }
    return best;
}

/// Collects the maxima near the best state and near the other ones. Estimates the scale of errors
/// for each of them separately.
class Maxima {
  public:
    /// is_widened: their curvatures are those of uncertain scales and the usual noise.
    Maxima(Posterior& posterior, const PixelNoise& usual, const Weighing& weighing, bool is_widened)
        : posterior_(posterior), usual_(usual), weighing_(weighing), is_widened_(is_widened) {}

    std::vector<Maximum> find(const FitState& best, std::vector<FitState>& others, double doubt) {
        add(best);
        posterior_.set_scales(kUsualErrors);
        const double least = posterior_.cost(best);
        for (FitState& state : others) {
            posterior_.set_scales(kUsualErrors);
            if (!posterior_.has_blurs()) {
                remove_blurs(state);
                posterior_.descend(state, kMostSteps);
            }
            if (posterior_.cost(state) > least + kRough * weighing_.misfit) continue;
            posterior_.descend(state, kMostSteps);
            for (int pass = 0; pass < kScalePasses; ++pass) {
                if (posterior_.fit_scales(state, weighing_.misfit / (doubt * doubt)) < kSameScale)
                    break;
                posterior_.descend(state, kMostSteps);
            }
            add(state);
        }
        return std::move(maxima_);
    }

  private:
    Curvature widened_curvature(const FitState& state) {
        const ErrorScales found = posterior_.scales();
        ErrorScales wide = found;
        for (double& scale : wide) scale *= kUncertainScale;
        posterior_.set_noise(usual_);
        posterior_.set_scales(wide);
        Curvature curvature = posterior_.curvature(state);
        posterior_.set_noise(weighing_.noise);
        posterior_.set_scales(found);
        return curvature;
    }

    void add(const FitState& state) {
        Curvature curvature = posterior_.curvature(state);
        for (const Maximum& other : maxima_)
            if (is_among(state, {other.state}, curvature.covariance)) return;
        maxima_.push_back({state,
                           is_widened_ ? widened_curvature(state) : std::move(curvature),
                           posterior_.log_evidence(state, weighing_.misfit)});
    }

    Posterior& posterior_;
    const PixelNoise& usual_;
    const Weighing& weighing_;
    bool is_widened_;
    std::vector<Maximum> maxima_;
};

/// Stores the mean over all maxima, which has the least expected error independent of the true one,
/// and its covariance. `misfit` is the variance of the images' errors relative to the weighted one.
void store_mean(const std::vector<Maximum>& maxima,
                double misfit,
                size_t count,
                size_t num_images,
                MirrorFit& result) {
    double most = -std::numeric_limits<double>::infinity();
    for (const Maximum& maximum : maxima) most = std::max(most, maximum.log_evidence);
    result.unknowns.assign(count, 0.0);
    result.covariance.assign(count * count, 0.0);
    result.optics = {0.0, 0.0};
    result.own.resize(num_images);
    double sum = 0.0;
    for (const Maximum& maximum : maxima) sum += std::exp(maximum.log_evidence - most);
    for (const Maximum& maximum : maxima) {
        const double weight = std::exp(maximum.log_evidence - most) / sum;
        const FitState& state = maximum.state;
        for (size_t i = 0; i < count; ++i) result.unknowns[i] += weight * state.unknowns[i];
        result.optics.circumsolar_ratio += weight * state.optics.circumsolar_ratio;
        result.optics.slope_error += weight * state.optics.slope_error;
        for (size_t i = 0; i < num_images; ++i) {
            for (size_t axis = 0; axis < 2; ++axis)
                result.own[i].shift[axis] += weight * state.own[i].shift[axis];
            result.own[i].blur += weight * state.own[i].blur;
        }
    }
    for (const Maximum& maximum : maxima) {
        const double weight = std::exp(maximum.log_evidence - most) / sum;
        std::vector<double> off;
        for (size_t i = 0; i < count; ++i)
            off.push_back(maximum.state.unknowns[i] - result.unknowns[i]);
        for (size_t i = 0; i < count; ++i) {
            for (size_t j = 0; j < count; ++j) {
                const double all = maximum.curvature.covariance[i * count + j];
                const double of_prior = maximum.curvature.of_prior[i * count + j];
                result.covariance[i * count + j] +=
                    weight * (of_prior + misfit * (all - of_prior) + off[i] * off[j]);
            }
        }
    }
    result.maxima = maxima.size();
}

}  // namespace

MirrorFit fit_mirror(const MirrorShape& shape,
                     std::span<const FitImage> images,
                     double doubt,
                     const StopCheck& stop) {
    const PixelNoise usual{doubt * kUsualNoise.scale, kUsualNoise.power};
    const bool few_facets = shape.num_facets() <= kMostFacetsToSearch;
    Posterior posterior(shape, images, usual, stop);
    std::vector<FitState> others = search(shape, images, usual, posterior, stop);
    Weighing weighing;
    const FitState best =
        find_best(shape, images, usual, doubt, few_facets, posterior, weighing, others, stop);
    MirrorFit result;
    result.noise = weighing.noise.scale;
    result.noise_power = weighing.noise.power;
    result.scales = posterior.scales();
    result.unresolved =
        kBeyondPolynomials *
        std::sqrt(weighing.smooth.share *
                  std::min(1.0, weighing.smooth.in_errors / (kShownBeyond * kShownBeyond)));

    // Wrong shapes of few facets explain one image as well as the right one. Therefore a small
    // residual shows neither how certain they are nor how large errors are. With one image many
    // facets stay near their prior, and their reported deviations were measured to hold.
    const bool one_image = images.size() == 1 && few_facets;
    const double misfit =
        one_image ? std::max(1.0, weighing.misfit * std::pow(weighing.noise.scale / usual.scale, 2))
                  : weighing.misfit;
    store_mean(Maxima(posterior, usual, weighing, one_image).find(best, others, doubt),
               misfit,
               shape.num_unknowns(),
               images.size(),
               result);
    const FitState mean{result.unknowns, result.optics, result.own};
    for (size_t i = 0; i < images.size(); ++i) result.models.push_back(posterior.model(i, mean));
    return result;
}

}  // namespace helioray::reconstruction
