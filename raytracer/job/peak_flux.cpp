// SPDX-License-Identifier: MIT
// Peak of a noisy map: a scale by Lepski's method, then a place and a value with separate noise.
//
// The noise of the map is split as in data fission: with g drawn from the noise of the map, map +
// sqrt(s) g and map - g / sqrt(s) are independent. The first chooses a place, the second measures
// it, so that the value is that of the true map at the chosen place. It lies below the peak by a
// loss that grows with the noise 1 + s of the choice; two values of s extrapolate it to none.
// raytracer/job/peak_study.py compares the constants with replicated runs.
#include "raytracer/job/peak_flux.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <random>
#include <vector>

namespace helioray {

namespace {

using std::int64_t;

// Largest bias by averaging, in standard errors of the mean.
constexpr double kMostBias = 0.2;
// Largest excess of the peak over that of four times the area, in standard errors: 1 by selection.
constexpr double kMostExcess = 1.8;
// A smaller area overrules a larger one if its peak stands out by this many standard errors beyond
// the expected largest of its independent places.
constexpr double kOutstanding = 1.5;
// Areas with a larger relative error are not considered: about 50 rays.
constexpr double kFewestErrors = 7.0;
// An area whose relative error is this small is not enlarged: averaging takes something from every
// peak, which counts more than noise of 1 %.
constexpr double kEnoughErrors = 100.0;
// Places that are further below the peak than this many standard errors are not compared.
constexpr double kNearPeak = 5.0;
// Places that are compared, and pairs of noise that are drawn for them.
constexpr size_t kMostPlaces = 100;
constexpr int kDraws = 64;
// Added noise of the choice, as a share of the variance of the map.
constexpr std::array kAddedNoise{1.0, 3.0};
// The loss by wrong places grows with this power of the variance: means over rectangles vary like
// the square root of a displacement, a peak like its square.
constexpr double kLossPower = 2.0 / 3.0;

/// A rectangle of pixels.
struct Box {
    int64_t row = 0;
    int64_t column = 0;
    int64_t height = 1;
    int64_t width = 1;

    double pixels() const { return static_cast<double>(height * width); }
};

/// Sums over rectangles at the cost of four numbers.
class BoxSums {
  public:
    template <typename Value>
    BoxSums(int64_t width, int64_t height, Value value)
        : stride_(width + 1), sums_(static_cast<size_t>((width + 1) * (height + 1)), 0.0) {
        for (int64_t row = 0; row < height; ++row) {
            double of_row = 0.0;
            for (int64_t column = 0; column < width; ++column) {
                of_row += value(static_cast<size_t>(row * width + column));
                at(row + 1, column + 1) = at(row, column + 1) + of_row;
            }
        }
    }

    double sum(const Box& box) const {
        const int64_t below = box.row + box.height;
        const int64_t right = box.column + box.width;
        return at(below, right) - at(box.row, right) - at(below, box.column) +
               at(box.row, box.column);
    }
    double mean(const Box& box) const { return sum(box) / box.pixels(); }

  private:
    double at(int64_t row, int64_t column) const {
        return sums_[static_cast<size_t>(row * stride_ + column)];
    }
    double& at(int64_t row, int64_t column) {
        return sums_[static_cast<size_t>(row * stride_ + column)];
    }

    int64_t stride_;
    std::vector<double> sums_;
};

/// A place with the mean over the box that finds it and over the box that is measured.
struct Place {
    Box finder;
    Box measured;
    double found = 0.0;
    double value = 0.0;
};

class PeakSearch {
  public:
    explicit PeakSearch(const NoisyMap& map)
        : map_(map),
          flux_(map.width, map.height, [&](size_t p) { return map.flux[p]; }),
          variance_(map.width, map.height, [&](size_t p) {
              return map.std_error[p] * map.std_error[p];
          }) {}

    PeakFlux estimate() const {
        const Box size = choose_size();
        const std::vector<Place> places = find_places(size);
        PeakFlux peak = measure(places);
        peak.area_m2 = size.pixels() * map_.pixel_width_m * map_.pixel_height_m;
        return peak;
    }

  private:
    /// Factor of the variance of a mean because pixels share rays: along an axis, triangles of a
    /// width of two pixels become trapezes over `pixels`.
    double spread(const Box& box) const {
        if (!map_.shared.bilinear) return 1.0;
        return (1.5 - 0.5 / static_cast<double>(box.width)) *
               (1.5 - 0.5 / static_cast<double>(box.height));
    }

    /// Factor of the variance of a mean because pixels share rays and noise.
    double growth(const Box& box) const {
        const double area = box.pixels() * map_.pixel_width_m * map_.pixel_height_m;
        return spread(box) * (1.0 - map_.shared.excess * std::expm1(-area / map_.shared.area_m2));
    }

    double std_error(const Box& box) const {
        return std::sqrt(std::max(0.0, variance_.sum(box)) * growth(box)) / box.pixels();
    }

    /// The part of it by which pixels differ from each other. It chooses the area: shared noise
    /// looks like flux at any scale.
    double own_error(const Box& box) const {
        return std::sqrt(std::max(0.0, variance_.sum(box)) * spread(box)) / box.pixels();
    }

    /// Calls `visit` with all boxes of a size on a grid of steps.
    template <typename Visit>
    void for_boxes(Box box, int64_t steps, Visit visit) const {
        const int64_t down = std::max<int64_t>(1, box.height / steps);
        const int64_t across = std::max<int64_t>(1, box.width / steps);
        for (box.row = 0; box.row + box.height <= map_.height; box.row += down)
            for (box.column = 0; box.column + box.width <= map_.width; box.column += across)
                visit(box);
    }

    /// The box of this size with the largest mean, on a grid of an eighth of its sides.
    Box find_best(const Box& size) const {
        Box best = size;
        double most = -1.0;
        for_boxes(size, 8, [&](const Box& box) {
            const double sum = flux_.sum(box);
            if (sum <= most) return;
            most = sum;
            best = box;
        });
        return best;
    }

    /// One size and the peak of the map's means over it.
    struct Level {
        Box best;
        double mean = 0.0;
        double std_error = 0.0;
    };

    /// Squares with areas that double, from one pixel to half of the map.
    std::vector<Level> levels() const {
        std::vector<Level> found;
        const double smallest = std::max(map_.pixel_width_m, map_.pixel_height_m);
        const auto pixels = [](double side, double pixel, int64_t most) {
            return std::clamp<int64_t>(std::llround(side / pixel), 1, most);
        };
        for (double side = smallest;; side *= std::numbers::sqrt2) {
            Box size;
            size.width = pixels(side, map_.pixel_width_m, map_.width);
            size.height = pixels(side, map_.pixel_height_m, map_.height);
            const bool is_first = found.empty();
            if (!is_first && 2 * size.width > map_.width && 2 * size.height > map_.height) break;
            if (!is_first && found.back().best.width == size.width &&
                found.back().best.height == size.height)
                continue;
            const Box best = find_best(size);
            found.push_back({best, flux_.mean(best), own_error(best)});
        }
        return found;
    }

    /// Whether the map is flat over this level's box, to within the noise of its mean.
    bool is_flat(const Level& level) const {
        Box wide = level.best;
        wide.width = std::min(map_.width, 2 * wide.width);
        wide.height = std::min(map_.height, 2 * wide.height);
        wide = find_best(wide);
        const double mean = flux_.mean(wide);
        const Box& size = level.best;
        const Box middle{wide.row + (wide.height - size.height) / 2,
                         wide.column + (wide.width - size.width) / 2,
                         size.height,
                         size.width};
        const double error = own_error(wide) * std::sqrt(wide.pixels() / size.pixels());
        // Where the flux is a parabola, twice the side lowers the mean by four times as much.
        return (flux_.mean(middle) - mean) / 3.0 <= kMostBias * error &&
               level.mean - mean <= kMostExcess * error;
    }

    /// Whether a smaller box shows a peak that noise does not explain.
    bool stands_out(const Level& small, const Level& level) const {
        const double total = flux_.sum({0, 0, map_.height, map_.width});
        const double independent = std::max(2.0, total / (level.mean * small.best.pixels()));
        const double error = level.std_error * std::sqrt(level.best.pixels() / small.best.pixels());
        const double expected = kOutstanding + std::sqrt(2.0 * std::log(independent));
        // Few rays are distributed with a longer tail to the right.
        const double tail = 1.0 + expected * error / (6.0 * level.mean);
        const bool has_rays = error < level.mean;
        return has_rays && small.mean - level.mean > expected * tail * error;
    }

    Box choose_size() const {
        const std::vector<Level> all = levels();
        size_t smallest = 0;
        while (smallest + 1 < all.size() &&
               all[smallest].mean < kFewestErrors * all[smallest].std_error)
            ++smallest;
        size_t largest = smallest;
        while (largest + 1 < all.size() &&
               all[largest].mean < kEnoughErrors * all[largest].std_error)
            ++largest;
        for (size_t k = largest; k > smallest; --k) {
            const bool is_alone = std::none_of(
                all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k), [&](const Level& small) {
                    return stands_out(small, all[k]);
                });
            if (is_alone && is_flat(all[k])) return all[k].best;
        }
        return all[smallest].best;
    }

    /// Places near the peak. Boxes of twice the side find them, as their noise is smaller.
    std::vector<Place> find_places(const Box& size) const {
        const int64_t across = std::min((size.width + 1) / 2, (map_.width - size.width) / 2);
        const int64_t down = std::min((size.height + 1) / 2, (map_.height - size.height) / 2);
        const Box finder{0, 0, size.height + 2 * down, size.width + 2 * across};
        std::vector<Place> places;
        // The grid must not depend on the noise, or its places would be chosen by it.
        for (int64_t steps = 6; steps > 0; --steps) {
            Box best = finder;
            double most = -1.0;
            for_boxes(finder, steps, [&](const Box& box) {
                const double mean = flux_.mean(box);
                if (mean <= most) return;
                most = mean;
                best = box;
            });
            const double least = most - kNearPeak * std_error(best);
            places.clear();
            for_boxes(finder, steps, [&](const Box& box) {
                const double mean = flux_.mean(box);
                if (mean < least) return;
                const Box measured{box.row + down, box.column + across, size.height, size.width};
                places.push_back({box, measured, mean, flux_.mean(measured)});
            });
            if (places.size() <= kMostPlaces) break;
        }
        std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
            return a.found > b.found;
        });
        if (places.size() > kMostPlaces) places.resize(kMostPlaces);
        return places;
    }

    double covariance(const Box& a, const Box& b) const {
        Box both;
        both.row = std::max(a.row, b.row);
        both.column = std::max(a.column, b.column);
        both.height = std::min(a.row + a.height, b.row + b.height) - both.row;
        both.width = std::min(a.column + a.width, b.column + b.width) - both.column;
        if (both.height <= 0 || both.width <= 0) return 0.0;
        return std::max(0.0, variance_.sum(both)) * std::sqrt(growth(a) * growth(b)) /
               (a.pixels() * b.pixels());
    }

    /// Lower triangle L of the covariance L L^T: first of the finders, then of the measured boxes.
    std::vector<double> noise_factor(const std::vector<Place>& places) const {
        const size_t count = places.size();
        const size_t size = 2 * count;
        const auto box = [&](size_t i) -> const Box& {
            return i < count ? places[i].finder : places[i - count].measured;
        };
        std::vector<double> factor(size * size, 0.0);
        for (size_t i = 0; i < size; ++i) {
            const double own = covariance(box(i), box(i));
            for (size_t j = 0; j <= i; ++j) {
                double rest = covariance(box(i), box(j));
                for (size_t k = 0; k < j; ++k) rest -= factor[i * size + k] * factor[j * size + k];
                // Overlapping boxes are nearly dependent: rounding must not make roots imaginary.
                factor[i * size + j] = i == j ? std::sqrt(std::max(rest, 1e-9 * own + 1e-300))
                                              : rest / factor[j * size + j];
            }
        }
        return factor;
    }

    PeakFlux measure(const std::vector<Place>& places) const {
        const size_t count = places.size();
        const size_t size = 2 * count;
        const std::vector<double> factor = noise_factor(places);
        std::vector<double> normal(size), noise(size);
        // Equal maps have equal peaks.
        std::mt19937_64 random(1);  // NOLINT(bugprone-random-generator-seed)
        const auto uniform = [&] { return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53; };
        std::array<double, kAddedNoise.size()> value{};
        double variance = 0.0;
        double drop = 0.0;
        for (int draw = 0; draw < kDraws; ++draw) {
            for (size_t i = 0; i < size; i += 2) {
                const double radius = std::sqrt(-2.0 * std::log(uniform()));
                const double angle = 2.0 * std::numbers::pi * uniform();
                normal[i] = radius * std::cos(angle);
                normal[i + 1] = radius * std::sin(angle);
            }
            for (size_t i = 0; i < size; ++i) {
                noise[i] = 0.0;
                for (size_t j = 0; j <= i; ++j) noise[i] += factor[i * size + j] * normal[j];
            }
            for (size_t level = 0; level < kAddedNoise.size(); ++level) {
                for (const double sign : {-1.0, 1.0}) {
                    const double added = sign * std::sqrt(kAddedNoise[level]);
                    const size_t chosen = choose(places, noise, added);
                    // The noise of the first place has a mean of 0 and is like that of the chosen.
                    value[level] +=
                        places[chosen].value - (noise[count + chosen] - noise[count]) / added;
                    if (level > 0) continue;
                    drop += places[chosen].value - places[chosen].found;
                    const double error = std_error(places[chosen].measured);
                    variance += error * error;
                }
            }
        }
        for (double& mean : value) mean /= 2.0 * kDraws;
        const double growth =
            std::pow((1.0 + kAddedNoise[1]) / (1.0 + kAddedNoise[0]), kLossPower) - 1.0;
        PeakFlux peak;
        peak.flux = std::max(0.0, value[0] + (value[0] - value[1]) / growth);
        // Where the flux is a parabola, this is what averaging over the area takes from the peak.
        const double smoothing = drop / (2.0 * kDraws) / 3.0;
        peak.std_error = std::sqrt(variance / (2.0 * kDraws) + smoothing * smoothing);
        return peak;
    }

    static size_t choose(const std::vector<Place>& places,
                         const std::vector<double>& noise,
                         double added) {
        size_t chosen = 0;
        double most = places[0].found + added * noise[0];
        for (size_t i = 1; i < places.size(); ++i) {
            const double found = places[i].found + added * noise[i];
            if (found <= most) continue;
            most = found;
            chosen = i;
        }
        return chosen;
    }

    const NoisyMap& map_;
    BoxSums flux_;
    BoxSums variance_;
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
