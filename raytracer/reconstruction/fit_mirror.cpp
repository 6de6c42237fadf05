// SPDX-License-Identifier: MIT
// Several starts, their noise, and the mean of what they lead to.
#include "raytracer/reconstruction/fit_mirror.h"

#include "raytracer/reconstruction/posterior.h"
#include "scenario/vector_math.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace helioray::reconstruction {

namespace {

constexpr PixelNoise kUsualNoise{0.3, 0.3};
constexpr double kLeastNoise = 0.002;
// With 1 the images of AA39 that were not fitted are 0.002 better and its slopes 0.1 mrad worse.
constexpr double kNoiseOfResidual = 1.25;
constexpr int kNoisePasses = 5;
constexpr int kScalePasses = 3;
constexpr int kMostSteps = 30;
// Of the search for other maxima than the one next to the start: of so many images, by facets'
// tilts and curvatures alone, with few steps until it shows where a state goes.
constexpr size_t kImagesToSearch = 3;
constexpr int kOrderToSearch = 2;
constexpr int kStepsToSearch = 12;
constexpr int kStepsToKnow = 4;
// Of facets' common cantings, in standard deviations: from where on others are tried, and which.
constexpr double kFarCanting = 1.5;
constexpr double kFarthestCanting = 3.0;
// Twice the logarithm of how much less probable a state may be before and after its descent.
constexpr double kRough = 25.0;
constexpr double kFine = 12.0;
// States are the same where their unknowns differ by less than this, in standard deviations.
constexpr double kSame = 0.25;

// What polynomials of the fourth order leave of slopes, radians: deflectometry of the 16 facets of
// AA28, AA31, AA39 and AC43 (Juelich).
constexpr double kBeyondPolynomials = 0.48e-3;

/// Root mean square of what two states differ by, in standard deviations.
double difference(const FitState& a, const FitState& b, const std::vector<double>& covariance) {
    const size_t count = a.unknowns.size();
    double sum = 0.0;
    for (size_t i = 0; i < count; ++i)
        sum += std::pow(a.unknowns[i] - b.unknowns[i], 2) / covariance[i * (count + 1)];
    return std::sqrt(sum / static_cast<double>(count));
}

bool is_among(const FitState& state,
              const std::vector<FitState>& others,
              const std::vector<double>& covariance) {
    return std::any_of(others.begin(), others.end(), [&](const FitState& other) {
        return difference(state, other, covariance) < kSame;
    });
}

/// The images whose suns are farthest from each other, beginning with the first.
std::vector<FitImage> images_to_search(std::span<const FitImage> images) {
    std::vector<FitImage> chosen{images.front()};
    while (chosen.size() < std::min(kImagesToSearch, images.size())) {
        const auto distance = [&](const FitImage& image) {
            double nearest = -1.0;
            for (const FitImage& other : chosen)
                nearest = std::max(nearest, dot(image.geometry.to_sun, other.geometry.to_sun));
            return -nearest;
        };
        chosen.push_back(*std::max_element(
            images.begin(), images.end(), [&](const FitImage& a, const FitImage& b) {
                return distance(a) < distance(b);
            }));
    }
    return chosen;
}

/// Where facets' tilts and curvatures end that begin at several cantings: unknowns of `shape`, the
/// most probable first.
std::vector<std::vector<double>> starts(const MirrorShape& shape,
                                        std::span<const FitImage> images,
                                        const PixelNoise& noise,
                                        const StopCheck& stop) {
    const MirrorShape coarse(shape.start(), kOrderToSearch);
    const std::vector<FitImage> few = images_to_search(images);
    const Posterior posterior(coarse, few, noise, stop);
    std::multimap<double, FitState> found;
    const auto begin_at = [&](std::vector<double> canting) {
        FitState state = posterior.start(std::move(canting));
        posterior.descend(state, kStepsToSearch);
        const double cost = posterior.cost(state);
        found.emplace(cost, std::move(state));
    };
    begin_at(std::vector<double>(coarse.num_unknowns(), 0.0));
    for (const std::vector<double>& canting : coarse.cantings_to_try(1.0)) begin_at(canting);
    // A mirror that is canted farther from its start than these may be farther still.
    if (coarse.canting_of(found.begin()->second.unknowns) > kFarCanting) {
        for (const std::vector<double>& canting : coarse.cantings_to_try(kFarthestCanting))
            begin_at(canting);
    }
    std::vector<FitState> different;
    std::vector<std::vector<double>> result;
    const size_t from = coarse.num_coefficients(), to = shape.num_coefficients();
    for (const auto& [cost, state] : found) {
        if (cost > found.begin()->first + kRough ||
            is_among(state, different, posterior.curvature(state).covariance))
            continue;
        different.push_back(state);
        std::vector<double>& unknowns = result.emplace_back(shape.num_unknowns(), 0.0);
        for (size_t i = 0; i < state.unknowns.size(); ++i)
            unknowns[i / from * to + i % from] = state.unknowns[i];
    }
    return result;
}

/// The maxima that these starts lead to and that are probable enough to count, the best first.
std::vector<FitState> search(const MirrorShape& shape,
                             std::span<const FitImage> images,
                             const PixelNoise& noise,
                             const Posterior& posterior,
                             const StopCheck& stop) {
    std::vector<FitState> found;
    double least = std::numeric_limits<double>::infinity();
    for (std::vector<double>& unknowns : starts(shape, images, noise, stop)) {
        FitState state = posterior.start(std::move(unknowns));
        posterior.descend(state, found.empty() ? kMostSteps : kStepsToKnow);
        if (!found.empty()) {
            if (posterior.cost(state) > least + kRough ||
                is_among(state, found, posterior.curvature(state).covariance))
                continue;
            posterior.descend(state, kMostSteps);
        }
        const double cost = posterior.cost(state);
        // Less noise only makes the differences larger.
        if (cost > least + kFine) continue;
        found.insert(cost < least ? found.begin() : found.end(), state);
        least = std::min(least, cost);
    }
    return found;
}

/// A maximum of the posterior density.
struct Maximum {
    FitState state;
    Curvature curvature;
    double log_evidence = 0.0;  ///< logarithm of the probability about it
};

}  // namespace

MirrorFit fit_mirror(const MirrorShape& shape,
                     std::span<const FitImage> images,
                     double doubt,
                     const StopCheck& stop) {
    PixelNoise noise{doubt * kUsualNoise.scale, kUsualNoise.power};
    MirrorFit result;
    Posterior posterior(shape, images, noise, stop);
    std::vector<FitState> states = search(shape, images, noise, posterior, stop);
    // Images that the model explains better than real ones count for more; the rest of the noise
    // shows once they do.
    FitState& best = states.front();
    double share = 0.0, misfit_factor = 1.0;
    for (int pass = 0; pass < kNoisePasses + kScalePasses; ++pass) {
        PixelNoise next = posterior.residual_noise(best, posterior.curvature(best).covariance);
        const double shown = doubt * next.scale;
        next.scale =
            doubt * std::clamp(kNoiseOfResidual * next.scale, kLeastNoise, kUsualNoise.scale);
        const bool less = next.scale <= 0.9 * noise.scale;
        if (less) {
            noise = next;
            posterior.set_noise(noise);
        }
        // Of the covariance that is due to the misfit: independent noise counts as it was weighted,
        // the mirror's own shapes count as the residuals show them and in every image anew.
        share = posterior.smooth_share(best);
        misfit_factor = 1.0 - share +
                        share * static_cast<double>(images.size()) *
                            std::pow(shown / noise.scale, 2);
        if (getenv("REC_DBG")) {
            fprintf(stderr, "pass %d noise %.4f shown %.4f power %.1f share %.2f factor %.2f cost %.1f scales", pass, noise.scale, shown, noise.power, share, misfit_factor, posterior.cost(best));
            for (double x : posterior.scales()) fprintf(stderr, " %.2f", x);
            fprintf(stderr, "\n");
        }
        bool other = false;
        if (!getenv("REC_OLD") && (!less || pass >= kNoisePasses)) {
            const ErrorScales before = posterior.scales();
            const char* tempered = getenv("REC_TEMPER");
            posterior.set_scales(likely_scales(
                shape, posterior.likelihood(best, tempered ? misfit_factor * atof(tempered) / doubt / doubt : misfit_factor), before));
            for (size_t kind = 0; kind < before.size(); ++kind)
                other = other || std::abs(std::log(posterior.scales()[kind] / before[kind])) > 0.1;
        }
        if (!less && !other) break;
        posterior.descend(best, kMostSteps);
    }
    result.noise = noise.scale;
    result.unresolved = kBeyondPolynomials * std::sqrt(share);
    result.scales = posterior.scales();

    std::vector<Maximum> maxima;
    double most = -std::numeric_limits<double>::infinity();
    const double least = posterior.cost(best);
    for (FitState& state : states) {
        if (&state != &best) {
            if (posterior.cost(state) > least + kFine) continue;
            posterior.descend(state, kMostSteps);
        }
        Maximum maximum{state, posterior.curvature(state), 0.0};
        const bool known = std::any_of(maxima.begin(), maxima.end(), [&](const Maximum& other) {
            return difference(state, other.state, other.curvature.covariance) < kSame;
        });
        if (known) continue;
        maximum.log_evidence = -0.5 * (posterior.cost(state) + maximum.curvature.log_determinant);
        most = std::max(most, maximum.log_evidence);
        maxima.push_back(std::move(maximum));
    }

    // The mean over all maxima has the least expected error, whichever is the true one.
    const size_t count = shape.num_unknowns();
    result.unknowns.assign(count, 0.0);
    result.covariance.assign(count * count, 0.0);
    result.optics = {0.0, 0.0};
    result.shifts.assign(images.size(), {0.0, 0.0});
    double sum = 0.0;
    for (const Maximum& maximum : maxima) sum += std::exp(maximum.log_evidence - most);
    for (const Maximum& maximum : maxima) {
        const double weight = std::exp(maximum.log_evidence - most) / sum;
        const FitState& state = maximum.state;
        for (size_t i = 0; i < count; ++i) result.unknowns[i] += weight * state.unknowns[i];
        result.optics.circumsolar_ratio += weight * state.optics.circumsolar_ratio;
        result.optics.slope_error += weight * state.optics.slope_error;
        for (size_t i = 0; i < images.size(); ++i)
            for (size_t axis = 0; axis < 2; ++axis)
                result.shifts[i][axis] += weight * state.shifts[i][axis];
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
                    weight * (of_prior + misfit_factor * (all - of_prior) + off[i] * off[j]);
            }
        }
    }
    result.maxima = maxima.size();
    const FitState mean{result.unknowns, result.optics, result.shifts};
    for (size_t i = 0; i < images.size(); ++i) result.models.push_back(posterior.model(i, mean));
    return result;
}

}  // namespace helioray::reconstruction
