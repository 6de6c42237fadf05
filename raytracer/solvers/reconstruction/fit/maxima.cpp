// SPDX-License-Identifier: MIT
// Starts at several cantings, and exchanges the errors of facets.
#include "raytracer/solvers/reconstruction/fit/maxima.h"

#include "scenario/types/vector_math.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <utility>

namespace helioray::reconstruction {

namespace {

constexpr int kMostSearchSteps = 30;
// Number of images for the search for further maxima. The search varies only facets' tilts and
// curvatures, with few steps until it shows where a state converges.
constexpr size_t kImagesToSearch = 3;
constexpr int kOrderToSearch = 2;
constexpr int kStepsToSearch = 12;
constexpr int kStepsToKnow = 4;
// Limit of the facets' common canting above which larger cantings are tried, and their size, in
// standard deviations.
constexpr double kFarCanting = 1.5;
constexpr double kFarthestCanting = 3.0;
// Difference of unknowns below which states are the same, in standard deviations.
constexpr double kSame = 0.25;
// Exchanges of facets: number of rounds, and number of exchanges per round that are followed.
constexpr int kExchangeRounds = 6;
constexpr size_t kExchangesToFollow = 8;
// Minimum relative reduction of the cost for a state to replace the best one.
constexpr double kGain = 0.02;
// Number of shapes drawn about a maximum that is not the right one, and their deviation in expected
// standard deviations. For five simulated mirrors with such a maximum, all are right after one to
// three draws.
constexpr int kDraws = 8;
constexpr double kDrawSize = 1.5;

/// Returns the root mean square of the differences between two states, in standard deviations.
double difference(const FitState& a, const FitState& b, const std::vector<double>& covariance) {
    const size_t count = a.unknowns.size();
    double sum = 0.0;
    for (size_t i = 0; i < count; ++i)
        sum += std::pow(a.unknowns[i] - b.unknowns[i], 2) / covariance[i * (count + 1)];
    return std::sqrt(sum / static_cast<double>(count));
}

}  // namespace

bool is_among(const FitState& state,
              const std::vector<FitState>& others,
              const std::vector<double>& covariance) {
    return std::any_of(others.begin(), others.end(), [&](const FitState& other) {
        return difference(state, other, covariance) < kSame;
    });
}

namespace {

/// Returns the images whose suns are farthest from each other, beginning with the first.
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

/// Returns the end states of facets' tilts and curvatures from several initial cantings, as
/// unknowns of `shape`, the most probable first.
std::vector<std::vector<double>> starts(const MirrorShape& shape,
                                        std::span<const FitImage> images,
                                        const PixelNoise& noise,
                                        const ErrorScales& scales,
                                        const StopCheck& stop) {
    const MirrorShape coarse(shape.start(), kOrderToSearch);
    const std::vector<FitImage> few = images_to_search(images);
    Posterior posterior(coarse, few, noise, stop);
    posterior.set_scales(scales);
    std::multimap<double, FitState> found;
    const auto begin_at = [&](std::vector<double> canting) {
        FitState state = posterior.start(std::move(canting));
        posterior.descend(state, kStepsToSearch);
        const double cost = posterior.cost(state);
        found.emplace(cost, std::move(state));
    };
    begin_at(std::vector<double>(coarse.num_unknowns(), 0.0));
    for (const std::vector<double>& canting : coarse.cantings_to_try(1.0)) begin_at(canting);
    // If a mirror is canted farther from its start than these, larger cantings are possible.
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

}  // namespace

std::vector<FitState> search(const MirrorShape& shape,
                             std::span<const FitImage> images,
                             const PixelNoise& noise,
                             const Posterior& posterior,
                             const StopCheck& stop) {
    std::vector<FitState> found;
    double least = std::numeric_limits<double>::infinity();
    for (std::vector<double>& unknowns : starts(shape, images, noise, posterior.scales(), stop)) {
        FitState state = posterior.start(std::move(unknowns));
        posterior.descend(state, found.empty() ? kMostSearchSteps : kStepsToKnow);
        if (!found.empty()) {
            if (posterior.cost(state) > least + kRough ||
                is_among(state, found, posterior.curvature(state).covariance))
                continue;
            posterior.descend(state, kMostSearchSteps);
        }
        const double cost = posterior.cost(state);
        // Less noise only increases the differences.
        if (cost > least + kFine) continue;
        found.insert(cost < least ? found.begin() : found.end(), state);
        least = std::min(least, cost);
    }
    return found;
}

bool exchange_facets(const MirrorShape& shape,
                     const Posterior& posterior,
                     double misfit,
                     FitState& best,
                     std::vector<FitState>& others) {
    const size_t facets = shape.num_facets(), count = shape.num_coefficients();
    const auto exchanged = [&](size_t a, size_t b) {
        FitState state = best;
        for (size_t k = 0; k < count; ++k)
            std::swap(state.unknowns[a * count + k], state.unknowns[b * count + k]);
        return state;
    };
    double least = posterior.cost(best);
    std::multimap<double, FitState> found;
    bool ever = false, better = true;
    for (int round = 0; round < kExchangeRounds && better; ++round) {
        better = false;
        std::multimap<double, std::array<size_t, 2>> pairs;
        for (size_t a = 0; a < facets; ++a)
            for (size_t b = 0; b < a; ++b)
                pairs.emplace(posterior.cost(exchanged(a, b)), std::array{a, b});
        size_t followed = 0;
        for (const auto& [cost, pair] : pairs) {
            if (++followed > kExchangesToFollow) break;
            FitState state = exchanged(pair[0], pair[1]);
            posterior.descend(state, kStepsToSearch);
            const double now = posterior.cost(state);
            if (now < (1.0 - kGain) * least) {
                best = state;
                least = now;
                better = ever = true;
            }
            found.emplace(now, std::move(state));
        }
    }
    for (const auto& [cost, state] : found) {
        if (cost > least + kFine * misfit) break;
        if (!is_among(state, {best}, posterior.curvature(state).covariance) &&
            !is_among(state, others, posterior.curvature(state).covariance))
            others.push_back(state);
    }
    return ever;
}

bool escape(const MirrorShape& shape,
            const PixelNoise& rough,
            const PixelNoise& noise,
            Posterior& posterior,
            FitState& best) {
    const std::vector<double> covariance = shape.expected_covariance();
    const size_t count = best.unknowns.size();
    // Use a fixed seed, so that every run draws the same shapes.
    std::mt19937_64 random;  // NOLINT(bugprone-random-generator-seed)
    std::normal_distribution<double> normal;
    const double least = posterior.cost(best);
    bool better = false;
    for (int draw = 0; draw < kDraws && !better; ++draw) {
        FitState state = best;
        for (size_t i = 0; i < count; ++i)
            state.unknowns[i] +=
                kDrawSize * normal(random) * std::sqrt(covariance[i * (count + 1)]);
        posterior.set_noise(rough);
        posterior.descend(state, kStepsToSearch);
        posterior.set_noise(noise);
        posterior.descend(state, kMostSearchSteps);
        better = posterior.cost(state) < (1.0 - kGain) * least;
        if (better) best = std::move(state);
    }
    return better;
}

}  // namespace helioray::reconstruction
