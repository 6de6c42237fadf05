// SPDX-License-Identifier: MIT
// Estimates the peak of a noisy map: Lepski's method chooses a scale, data fission separates the
// noise that chooses the place from the noise of the value, and a parametric bootstrap gives the
// error.
//
// Means over squares are corrected for the curvature of the flux with a concentric square of three
// times the side. The largest square whose corrected means agree with those of all smaller squares
// shows how smooth the map is. The value is measured over a square of a third of its side, where
// the bias from averaging is small compared with the noise.
//
// The noise is split as in data fission: with g drawn from the noise of the map, map + sqrt(s) g
// and map - g / sqrt(s) are independent. The first map chooses a place, and the second map measures
// the value there, so the value is an unbiased estimate of the true map at the chosen place. It is
// below the peak by a loss that grows with the variance 1 + s of the choice; results for two values
// of s are extrapolated to zero noise. If g has more noise than the map, the two maps are
// negatively correlated and the value is too low. So the variance of g is measured: it is that of
// means of the noise map near the peak. The noise map differs from the map in the sign with which
// it adds the second halves of the work units, so both have the same covariance.
//
// The error is the spread of the same estimate over replicates: the smooth map at the places near
// the peak plus drawn noise. scripts/studies/peak_flux.py compares it with replicated runs.
#include "raytracer/tracing/job/peak_flux.h"

#include "raytracer/linear/cholesky.h"
#include "raytracer/tracing/job/box_sums.h"
#include "raytracer/tracing/job/noise_model.h"
#include "raytracer/tracing/job/normal_deviates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace helioray {

namespace {

using std::int64_t;

// Largest difference between two scales that count as equal, in standard errors.
constexpr double kMostDifference = 2.0;
// The value is measured kFinerScales below the smooth scale, and its place is found kFinderScales
// above that. Each scale has half of the next scale's area.
constexpr size_t kFinerScales = 3;
constexpr size_t kFinderScales = 2;
// A smaller area is preferred to a larger one if its peak exceeds the expected maximum over its
// independent places by this many standard errors.
constexpr double kOutstanding = 1.5;
// Scales whose relative error is larger than 1 / kFewestErrors are skipped; this corresponds to
// about 16 rays.
constexpr double kFewestErrors = 4.0;
// Places whose value is further below the peak than this many standard errors are not compared.
constexpr double kNearPeak = 5.0;
constexpr size_t kMostPlaces = 100;
// Noise is measured where the flux is at least this fraction of the peak. The model of the noise
// counts as much as kModelWeight independent squares.
constexpr double kMeasuredNoise = 0.6;
constexpr double kModelWeight = 8.0;
// kDraws is the number of noise pairs that choose and measure; kReplicates is the number of
// replicates that give the error.
constexpr size_t kDraws = 32;
constexpr size_t kReplicates = 60;
// Variance of the noise added for the choice, as a fraction of the variance of the map. Less noise
// displaces the place less, so that the extrapolation to no noise has less bias where the flux is
// no parabola; but the noise of the value grows. With 1 and 3 the errors are a fifth smaller, and
// the bias is half as large again.
constexpr std::array kAddedNoise{0.5, 1.5};
// Share of the difference between both results that extrapolates to no noise. The map has noise of
// variance 1 itself.
constexpr double kExtrapolation = (1.0 + kAddedNoise[0]) / (kAddedNoise[1] - kAddedNoise[0]);

/// One scale: a box size and the box of this size with the largest corrected mean.
struct Scale {
    Box best;
    double mean = 0.0;      ///< corrected mean over the box
    double variance = 0.0;  ///< variance of a pixel in the box

    const BoxSize& size() const { return best.size; }
};

/// A place near the peak.
struct Place {
    Box finder;
    double found = 0.0;   ///< corrected mean over the finder box
    double value = 0.0;   ///< corrected mean over the measured box
    double smooth = 0.0;  ///< corrected mean at the smooth scale
};

class PeakSearch {
  public:
    explicit PeakSearch(const NoisyMap& map)
        : map_(map),
          noise_(map),
          flux_(map.width, map.height, [&](size_t p) { return map.flux[p]; }),
          variance_(map.width, map.height, [&](size_t p) {
              return map.std_error[p] * map.std_error[p];
          }) {
        if (!map.noise.empty())
            only_noise_.emplace(map.width, map.height, [&](size_t p) { return map.noise[p]; });
        find_scales();
    }

    PeakFlux estimate() const {
        const double area = measured().pixels() * map_.pixel_width_m * map_.pixel_height_m;
        const std::vector<Place> places = find_places();
        const Draws draws = draw_noise(places);
        std::vector<double> found, values;
        for (const Place& place : places) {
            found.push_back(place.found);
            values.push_back(place.value);
        }
        const double flux = measure(found, values, draws);
        return {std::max(0.0, flux), spread_of_replicates(places, draws), area};
    }

  private:
    /// Noise of the places, first for the finder boxes, then for the measured boxes.
    using Draws = std::vector<std::vector<double>>;

    static double corrected_mean(const BoxSums& sums, const Box& box) {
        const double mean = sums.mean(box);
        const double weight = curvature_weight(box.size);
        if (weight == 0.0) return mean;
        return mean + weight * (mean - sums.mean(resized(box, three_times(box.size))));
    }
    double corrected_mean(const Box& box) const { return corrected_mean(flux_, box); }

    /// Returns the variance of a corrected mean at the peak by the model.
    double model_variance(const BoxSize& size) const {
        return scales_[smooth_].variance * noise_.corrected_covariance(size, size, 0.0, 0.0, true);
    }

    /// Returns the ratio of the variance of corrected means in the noise map to that of the model.
    double noise_ratio(const BoxSize& size) const {
        constexpr int64_t kSteps = 4;
        if (!only_noise_) return 1.0;
        double squares = 0.0;
        double count = 0.0;
        flux_.visit_boxes(size, kSteps, [&](const Box& box) {
            // The variance is proportional to the flux.
            const double flux = flux_.mean(resized(box, scales_[smooth_].size()));
            const double fraction = flux / scales_[smooth_].mean;
            if (fraction < kMeasuredNoise) return;
            const double noise = corrected_mean(*only_noise_, box);
            squares += noise * noise / fraction;
            ++count;
        });
        if (count == 0.0) return 1.0;
        const auto step = [](int64_t side) { return std::max<int64_t>(1, side / kSteps); };
        const double independent =
            count * static_cast<double>(step(size.width) * step(size.height)) / size.pixels();
        return (squares / (count * model_variance(size)) * independent + kModelWeight) /
               (independent + kModelWeight);
    }

    Scale make_scale(const BoxSize& size) const {
        Scale scale;
        scale.mean = -std::numeric_limits<double>::infinity();
        const double weight = curvature_weight(size);
        flux_.visit_boxes(size, 8, [&](const Box& box) {
            // The flux around the box is not negative, so most boxes are too dark in any case. This
            // test first: a map of 1024 x 1024 pixels takes 57 ms instead of 108 ms.
            const double inside = flux_.mean_inside(box);
            if (inside + weight * inside <= scale.mean) return;
            const double mean = corrected_mean(box);
            if (mean <= scale.mean) return;
            scale.mean = mean;
            scale.best = box;
        });
        // The variance is proportional to the flux. A wide box gives their ratio more precisely,
        // and independently of the noise at the peak.
        const Box wide = resized(scale.best, three_times(size));
        const double flux = flux_.mean(wide);
        if (flux > 0.0 && scale.mean > 0.0)
            scale.variance = variance_.mean(wide) * scale.mean / flux;
        return scale;
    }

    /// Collects squares with doubling areas, from one pixel to half of the map.
    void find_scales() {
        const auto pixels = [](double side, double pixel, int64_t most) {
            return std::clamp<int64_t>(std::llround(side / pixel), 1, most);
        };
        const double smallest = std::max(map_.pixel_width_m, map_.pixel_height_m);
        for (double side = smallest;; side *= std::numbers::sqrt2) {
            const BoxSize size{pixels(side, map_.pixel_width_m, map_.width),
                               pixels(side, map_.pixel_height_m, map_.height)};
            if (!scales_.empty()) {
                if (2 * size.width > map_.width && 2 * size.height > map_.height) break;
                if (scales_.back().size() == size) continue;
            }
            scales_.push_back(make_scale(size));
        }
        size_t first = 0;
        while (first + 1 < scales_.size() &&
               scales_[first].mean < kFewestErrors * own_error(scales_[first].size(), first))
            ++first;
        smooth_ = scales_.size() - 1;
        while (smooth_ > first && !is_smooth(smooth_, first)) --smooth_;
        finest_ = std::max(first + kFinerScales, smooth_) - kFinerScales;
        finder_ = std::min(smooth_, finest_ + kFinderScales);
    }

    /// Returns the standard error of a corrected mean over boxes of a size, near the peak of a
    /// scale.
    double own_error(const BoxSize& size, size_t scale) const {
        return std::sqrt(scales_[scale].variance *
                         noise_.corrected_covariance(size, size, 0.0, 0.0, false));
    }

    /// Returns true if all smaller scales from `first` on agree with this one. Shared noise does
    /// not count here, because it looks like flux at any scale.
    bool is_smooth(size_t scale, size_t first) const {
        const Scale& large = scales_[scale];
        const double mean = corrected_mean(large.best);
        for (size_t k = first; k < scale; ++k) {
            const BoxSize& size = scales_[k].size();
            const double small_mean = corrected_mean(resized(large.best, size));
            const auto covariance = [&](const BoxSize& a, const BoxSize& b) {
                return noise_.corrected_covariance(a, b, 0.0, 0.0, false);
            };
            const double variance =
                large.variance * (covariance(size, size) + covariance(large.size(), large.size()) -
                                  2.0 * covariance(size, large.size()));
            const double difference = std::abs(small_mean - mean);
            if (difference > kMostDifference * std::sqrt(std::max(0.0, variance))) return false;
            if (stands_out(scales_[k], scale)) return false;
        }
        return true;
    }

    /// Returns true if a smaller box anywhere shows a peak that noise does not explain.
    bool stands_out(const Scale& small, size_t scale) const {
        const double mean = scales_[scale].mean;
        const double independent = std::max(2.0, flux_.total() / (mean * small.size().pixels()));
        const double error = own_error(small.size(), scale);
        const double expected = kOutstanding + std::sqrt(2.0 * std::log(independent));
        // The Poisson distribution of few rays has a longer tail to the right.
        const double tail = 1.0 + expected * error / (6.0 * mean);
        return error < mean && small.mean - mean > expected * tail * error;
    }

    const BoxSize& measured() const { return scales_[finest_].size(); }

    /// Returns the size of the boxes that find places. They are centred on the same pixels as the
    /// measured boxes.
    BoxSize finder_size() const {
        const auto same_parity = [](int64_t length, int64_t other, int64_t most) {
            const int64_t longer = length + (length - other) % 2;
            return longer <= most ? longer : longer - 2;
        };
        const BoxSize& size = scales_[finder_].size();
        return {same_parity(size.width, measured().width, map_.width),
                same_parity(size.height, measured().height, map_.height)};
    }

    std::vector<Place> find_places() const {
        const BoxSize size = finder_size();
        const double error = std::sqrt(model_variance(size));
        std::vector<Place> places;
        // The grid must not depend on the noise, because then the noise would choose its places.
        std::array<int64_t, 2> last_grid{-1, -1};
        for (int64_t steps = 8; steps > 0; --steps) {
            const std::array grid{size.width / steps, size.height / steps};
            if (grid == last_grid) continue;
            last_grid = grid;
            double most = -std::numeric_limits<double>::infinity();
            flux_.visit_boxes(
                size, steps, [&](const Box& box) { most = std::max(most, corrected_mean(box)); });
            places.clear();
            flux_.visit_boxes(size, steps, [&](const Box& box) {
                const double found = corrected_mean(box);
                if (found >= most - kNearPeak * error) places.push_back({box, found});
            });
            if (places.size() <= kMostPlaces) break;
        }
        std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
            return a.found > b.found;
        });
        if (places.size() > kMostPlaces) places.resize(kMostPlaces);
        for (Place& place : places) {
            place.value = corrected_mean(resized(place.finder, measured()));
            place.smooth = corrected_mean(resized(place.finder, scales_[smooth_].size()));
        }
        return places;
    }

    /// Draws noise with the covariance of the corrected means over finders and measured boxes.
    Draws draw_noise(const std::vector<Place>& places) const {
        const size_t count = places.size();
        const size_t size = 2 * count;
        const double variance = scales_[smooth_].variance;
        const BoxSize finder = finder_size();
        std::unordered_map<int64_t, std::array<double, 3>> known;
        const auto covariance = [&](size_t i, size_t j) {
            const Box& a = places[i % count].finder;
            const Box& b = places[j % count].finder;
            const int64_t across = std::abs(a.column - b.column);
            const int64_t down = std::abs(a.row - b.row);
            const auto [entry, is_new] = known.try_emplace(down * map_.width + across);
            if (is_new) {
                const auto scaled_covariance = [&](const BoxSize& first, const BoxSize& second) {
                    return variance * noise_.corrected_covariance(first,
                                                                  second,
                                                                  static_cast<double>(across),
                                                                  static_cast<double>(down),
                                                                  true);
                };
                entry->second = {scaled_covariance(finder, finder),
                                 scaled_covariance(finder, measured()),
                                 scaled_covariance(measured(), measured())};
            }
            return entry->second[(i < count ? 0 : 1) + (j < count ? 0 : 1)];
        };
        SquareMatrix matrix(size);
        for (size_t i = 0; i < size; ++i)
            for (size_t j = 0; j <= i; ++j) matrix(i, j) = covariance(i, j);
        // Overlapping boxes are nearly dependent, so rounding could make a pivot negative. A map
        // without noise has a covariance of 0.
        for (size_t i = 0; i < size; ++i) matrix(i, i) += 1e-300;
        const Cholesky factors(std::move(matrix), 1e-9);
        const double finder_factor = std::sqrt(noise_ratio(finder));
        const double measured_factor = std::sqrt(noise_ratio(measured()));
        // A fixed seed gives equal maps equal peaks.
        NormalDeviates deviates(1);
        Draws draws(kDraws + kReplicates, std::vector<double>(size, 0.0));
        std::vector<double> normal(size);
        for (std::vector<double>& draw : draws) {
            for (size_t i = 0; i < size; i += 2)
                std::tie(normal[i], normal[i + 1]) = deviates.next_pair();
            for (size_t i = 0; i < size; ++i)
                for (size_t j = 0; j <= i; ++j) draw[i] += factors.factor()(i, j) * normal[j];
            for (size_t i = 0; i < size; ++i)
                draw[i] *= i < count ? finder_factor : measured_factor;
        }
        return draws;
    }

    /// Returns the peak by data fission, from the values of the finder boxes and measured boxes at
    /// the places.
    static double measure(const std::vector<double>& found,
                          const std::vector<double>& values,
                          const Draws& draws) {
        const size_t count = found.size();
        std::array<double, kAddedNoise.size()> mean{};
        for (size_t level = 0; level < kAddedNoise.size(); ++level) {
            for (size_t draw = 0; draw < kDraws; ++draw) {
                const std::vector<double>& noise = draws[draw];
                for (const double sign : {-1.0, 1.0}) {
                    const double added = sign * std::sqrt(kAddedNoise[level]);
                    size_t chosen = 0;
                    for (size_t i = 1; i < count; ++i)
                        if (found[i] + added * noise[i] > found[chosen] + added * noise[chosen])
                            chosen = i;
                    // The noise of the first place has a mean of 0 and is strongly correlated with
                    // that of the chosen place, so it serves as a control variate.
                    mean[level] += values[chosen] - (noise[count + chosen] - noise[count]) / added;
                }
            }
            mean[level] /= 2.0 * kDraws;
        }
        // If the flux is a parabola, a place that noise displaces loses flux in proportion to the
        // variance of the choice.
        return mean[0] + kExtrapolation * (mean[0] - mean[1]);
    }

    /// Returns the standard deviation of the estimate over replicates of the smooth map.
    double spread_of_replicates(const std::vector<Place>& places, const Draws& draws) const {
        const size_t count = places.size();
        const auto top =
            std::max_element(places.begin(), places.end(), [](const Place& a, const Place& b) {
                return a.smooth < b.smooth;
            });
        // Noise makes the smooth map rougher than the flux, so differences are reduced by the part
        // that noise explains.
        const BoxSize& size = scales_[smooth_].size();
        const double own = noise_.corrected_covariance(size, size, 0.0, 0.0, true);
        double by_noise = 0.0, squares = 0.0;
        for (const Place& place : places) {
            const double shared = noise_.corrected_covariance(
                size,
                size,
                static_cast<double>(std::abs(place.finder.column - top->finder.column)),
                static_cast<double>(std::abs(place.finder.row - top->finder.row)),
                true);
            by_noise += 2.0 * scales_[smooth_].variance * (own - shared);
            squares += (place.smooth - top->smooth) * (place.smooth - top->smooth);
        }
        const double kept = squares > by_noise ? 1.0 - by_noise / squares : 0.0;
        std::vector<double> found(count), values(count);
        double mean = 0.0, mean_square = 0.0;
        for (size_t replicate = 0; replicate < kReplicates; ++replicate) {
            const std::vector<double>& noise = draws[kDraws + replicate];
            for (size_t i = 0; i < count; ++i) {
                const double below = kept * (places[i].smooth - top->smooth);
                found[i] = below + noise[i];
                values[i] = below + noise[count + i];
            }
            const double peak = measure(found, values, draws);
            mean += peak / kReplicates;
            mean_square += peak * peak / kReplicates;
        }
        return std::sqrt(std::max(0.0, mean_square - mean * mean));
    }

    const NoisyMap& map_;
    NoiseModel noise_;
    BoxSums flux_;
    BoxSums variance_;
    std::optional<BoxSums> only_noise_;
    std::vector<Scale> scales_;
    size_t smooth_ = 0;  ///< the largest scale that agrees with all smaller ones
    size_t finder_ = 0;  ///< the scale that finds the place
    size_t finest_ = 0;  ///< the scale that measures the value
};

}  // namespace

PeakFlux estimate_peak(const NoisyMap& map) {
    if (map.flux.empty()) return {};
    const double pixel_area = map.pixel_width_m * map.pixel_height_m;
    const double largest = *std::max_element(map.flux.begin(), map.flux.end());
    const bool has_errors = std::any_of(
        map.std_error.begin(), map.std_error.end(), [](double error) { return error > 0.0; });
    if (!(largest > 0.0)) return {0.0, 0.0, pixel_area};
    if (!has_errors) return {largest, 0.0, pixel_area};
    return PeakSearch(map).estimate();
}

}  // namespace helioray
