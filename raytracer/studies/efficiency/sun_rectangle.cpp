// SPDX-License-Identifier: MIT
// Interpolation on a rectangle of sun positions.
#include "raytracer/studies/efficiency/sun_rectangle.h"

#include "scenario/files/error.h"
#include "scenario/files/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace helioray {

namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;
// Tolerance for angles converted from decimal degrees, radians.
constexpr double kRounding = 1e-9;

void check_angles(const char* name,
                  const std::vector<double>& angles,
                  double low,
                  double high,
                  const char* range,
                  std::vector<Problem>& problems) {
    const auto refuse = [&](const std::string& what, const char* why) {
        problems.push_back({name, what, why, "give for example 0:330:12 or 10,20,40,60,90"});
    };
    if (angles.size() < 3) {
        refuse(fmt::format("{} of them are too few", angles.size()),
               "three are needed to estimate the error of the interpolation");
    }
    for (std::size_t i = 0; i < angles.size(); ++i) {
        const double angle = angles[i] / kRadiansPerDegree;
        if (!(angles[i] >= low - kRounding && angles[i] <= high + kRounding)) {
            refuse(fmt::format("{:g} degrees is out of range", angle), range);
            return;
        }
        if (i > 0 && !(angles[i] > angles[i - 1] + kRounding)) {
            refuse(
                fmt::format(
                    "{:g} degrees follows {:g} degrees", angle, angles[i - 1] / kRadiansPerDegree),
                "angles have to ascend");
            return;
        }
    }
}

/// Returns the azimuth in [0, 2 pi).
double in_one_turn(double azimuth) {
    return azimuth < 0.0 ? azimuth + kTurn : azimuth >= kTurn ? azimuth - kTurn : azimuth;
}

double longest_step(const std::vector<double>& angles) {
    double longest = 0.0;
    for (std::size_t i = 1; i < angles.size(); ++i)
        longest = std::max(longest, angles[i] - angles[i - 1]);
    return longest;
}

/// Neighbours of a number on an axis, and the weight of the upper one.
struct Neighbours {
    std::size_t below = 0, above = 0;
    double share = 0.0;
};

Neighbours neighbours(const std::vector<double>& axis, double value) {
    if (value <= axis.front()) return {0, 0, 0.0};
    if (value >= axis.back()) return {axis.size() - 1, axis.size() - 1, 0.0};
    const auto above =
        static_cast<std::size_t>(std::ranges::upper_bound(axis, value) - axis.begin());
    return {above - 1, above, (value - axis[above - 1]) / (axis[above] - axis[above - 1])};
}

/// Returns the neighbours on a circle, where the first azimuth follows the last one. An azimuth
/// outside the range is mapped to the nearer end.
Neighbours neighbours_of_azimuth(const std::vector<double>& axis, bool all_around, double value) {
    const double past_first = value - kTurn * std::floor((value - axis.front()) / kTurn);
    if (past_first < axis.back()) return neighbours(axis, past_first);
    const double gap = axis.front() + kTurn - axis.back();
    const double share = (past_first - axis.back()) / gap;
    if (all_around) return {axis.size() - 1, 0, share};
    return share < 0.5 ? Neighbours{axis.size() - 1, axis.size() - 1, 0.0} : Neighbours{0, 0, 0.0};
}

/// Angles of one direction of the rectangle, on a circle or between two ends.
class Axis {
  public:
    Axis(const std::vector<double>& angles, bool is_circle)
        : angles_(angles), is_circle_(is_circle) {}

    std::size_t size() const { return angles_.size(); }
    bool has_before(std::size_t i) const { return is_circle_ || i > 0; }
    bool has_after(std::size_t i) const { return is_circle_ || i + 1 < size(); }
    std::size_t before(std::size_t i) const { return i > 0 ? i - 1 : size() - 1; }
    std::size_t after(std::size_t i) const { return i + 1 < size() ? i + 1 : 0; }
    double step_after(std::size_t i) const {
        return i + 1 < size() ? angles_[i + 1] - angles_[i]
                              : angles_.front() + kTurn - angles_.back();
    }

  private:
    const std::vector<double>& angles_;
    bool is_circle_;
};

/// Returns the second derivatives at every point of a line of numbers; its ends use those of their
/// neighbours.
std::vector<double> second_derivatives(const Axis& axis, const std::vector<double>& values) {
    std::vector<double> second(axis.size());
    for (std::size_t i = 0; i < axis.size(); ++i) {
        if (!axis.has_before(i) || !axis.has_after(i)) continue;
        const double left = axis.step_after(axis.before(i)), right = axis.step_after(i);
        second[i] = 2.0 *
                    ((values[axis.after(i)] - values[i]) / right -
                     (values[i] - values[axis.before(i)]) / left) /
                    (left + right);
    }
    if (!axis.has_before(0)) {
        second.front() = second[1];
        second.back() = second[axis.size() - 2];
    }
    return second;
}

/// Returns the largest error of linear interpolation about every point for numbers on a parabola.
std::vector<double> parabola_errors(const Axis& axis, const std::vector<double>& second) {
    std::vector<double> errors(axis.size());
    for (std::size_t i = 0; i < axis.size(); ++i) {
        // A kink next to an entry also affects its cells.
        double largest = std::abs(second[i]), step = 0.0;
        if (axis.has_before(i)) {
            largest = std::max(largest, std::abs(second[axis.before(i)]));
            step = axis.step_after(axis.before(i));
        }
        if (axis.has_after(i)) {
            largest = std::max(largest, std::abs(second[axis.after(i)]));
            step = std::max(step, axis.step_after(i));
        }
        errors[i] = largest * step * step / 8.0;
    }
    return errors;
}

/// Lines of a rectangle in one direction.
struct Lines {
    std::size_t count = 0, from_line_to_line = 0, from_point_to_point = 0;
};

/// Applies a function of a line of numbers to every line.
template <typename Function>
std::vector<double> by_line(const Lines& lines,
                            const Axis& axis,
                            const std::vector<double>& values,
                            const Function& function) {
    std::vector<double> results(values.size()), line(axis.size());
    for (std::size_t k = 0; k < lines.count; ++k) {
        const auto place = [&](std::size_t i) {
            return k * lines.from_line_to_line + i * lines.from_point_to_point;
        };
        for (std::size_t i = 0; i < line.size(); ++i) line[i] = values[place(i)];
        const std::vector<double> found = function(axis, line);
        for (std::size_t i = 0; i < line.size(); ++i) results[place(i)] = found[i];
    }
    return results;
}

}  // namespace

SunRectangle::SunRectangle(std::vector<double> azimuths, std::vector<double> elevations)
    : azimuths_(std::move(azimuths)), elevations_(std::move(elevations)) {
    std::vector<Problem> problems;
    check_angles("azimuths",
                 azimuths_,
                 -kTurn,
                 2.0 * kTurn,
                 "they count clockwise from north, from -360 to 720",
                 problems);
    if (problems.empty() && azimuths_.back() - azimuths_.front() > kTurn - 2.0 * kRounding) {
        problems.push_back({"azimuths",
                            fmt::format("{:g} to {:g} degrees are a full turn or more",
                                        azimuths_.front() / kRadiansPerDegree,
                                        azimuths_.back() / kRadiansPerDegree),
                            "each azimuth counts once",
                            "end before the first one comes again, as in 0:345:24"});
    }
    check_angles("elevations",
                 elevations_,
                 0.01 * kRadiansPerDegree,
                 0.5 * std::numbers::pi,
                 "the sun stands above the horizon, up to 90 degrees",
                 problems);
    if (!problems.empty()) throw InputError(std::move(problems));
    // Normalise each range: it begins in [0, 2 pi), or crosses north.
    double shift = 0.0;
    while (azimuths_.back() + shift > kTurn - 2.0 * kRounding) shift -= kTurn;
    while (azimuths_.back() + shift < -kRounding) shift += kTurn;
    if (shift != 0.0) {
        for (double& azimuth : azimuths_) azimuth += shift;
    }
    all_around_ =
        azimuths_.front() + kTurn - azimuths_.back() <= longest_step(azimuths_) + kRounding;
}

SunRectangle::Sun SunRectangle::sun(std::size_t entry) const {
    return {in_one_turn(azimuths_[entry / elevations_.size()]),
            elevations_[entry % elevations_.size()]};
}

bool SunRectangle::contains(double azimuth, double elevation) const {
    if (elevation < elevations_.front() - kRounding || elevation > elevations_.back() + kRounding)
        return false;
    if (all_around_) return true;
    const double from_first = azimuth - azimuths_.front() + kRounding;
    const double past_first = from_first - kTurn * std::floor(from_first / kTurn);
    return past_first <= azimuths_.back() - azimuths_.front() + 2.0 * kRounding;
}

std::array<SunRectangle::Weight, 4> SunRectangle::interpolation(double azimuth,
                                                                double elevation) const {
    const Neighbours a = neighbours_of_azimuth(azimuths_, all_around_, azimuth);
    const Neighbours e = neighbours(elevations_, elevation);
    const auto entry = [&](std::size_t i, std::size_t k) { return i * elevations_.size() + k; };
    return {Weight{entry(a.below, e.below), (1.0 - a.share) * (1.0 - e.share)},
            Weight{entry(a.below, e.above), (1.0 - a.share) * e.share},
            Weight{entry(a.above, e.below), a.share * (1.0 - e.share)},
            Weight{entry(a.above, e.above), a.share * e.share}};
}

std::vector<SunRectangle::Sun> SunRectangle::middles() const {
    std::vector<Sun> suns;
    const std::size_t cells = all_around_ ? azimuths_.size() : azimuths_.size() - 1;
    for (std::size_t i = 0; i < cells; ++i) {
        const double next = i + 1 < azimuths_.size() ? azimuths_[i + 1] : azimuths_.front() + kTurn;
        const double azimuth = in_one_turn(0.5 * (azimuths_[i] + next));
        for (std::size_t k = 1; k < elevations_.size(); ++k)
            suns.push_back({azimuth, 0.5 * (elevations_[k - 1] + elevations_[k])});
    }
    return suns;
}

std::vector<double> SunRectangle::interpolation_error(const std::vector<double>& values,
                                                      const std::vector<double>& at_middles) const {
    const Axis azimuth(azimuths_, all_around_), elevation(elevations_, false);
    const Lines along_azimuth{elevation.size(), 1, elevation.size()};
    const Lines along_elevation{azimuth.size(), elevation.size(), 1};
    const auto by_azimuth = by_line(along_azimuth, azimuth, values, second_derivatives);
    const auto by_elevation = by_line(along_elevation, elevation, values, second_derivatives);
    std::vector<double> errors = by_line(along_azimuth, azimuth, by_azimuth, parabola_errors);
    const auto other = by_line(along_elevation, elevation, by_elevation, parabola_errors);
    for (std::size_t entry = 0; entry < size(); ++entry) errors[entry] += other[entry];
    if (at_middles.empty()) return errors;

    std::vector<double> surprises(size(), 0.0);
    const std::vector<Sun> suns = middles();
    for (std::size_t cell = 0; cell < suns.size(); ++cell) {
        const double step = azimuth.step_after(cell / (elevation.size() - 1));
        const double rise = elevation.step_after(cell % (elevation.size() - 1));
        const auto corners = interpolation(suns[cell].azimuth, suns[cell].elevation);
        double expected = 0.0;
        for (const auto& [entry, weight] : corners) {
            const double bend = step * step * by_azimuth[entry] + rise * rise * by_elevation[entry];
            expected += weight * (values[entry] - bend / 8.0);
        }
        const double surprise = std::abs(at_middles[cell] - expected);
        for (const auto& [entry, weight] : corners)
            surprises[entry] = std::max(surprises[entry], surprise);
    }
    for (std::size_t entry = 0; entry < size(); ++entry) errors[entry] += surprises[entry];
    return errors;
}

std::vector<double> continued_over_north(std::vector<double> degrees) {
    const auto descends = [](double before, double after) { return after < before; };
    const auto last = std::ranges::adjacent_find(degrees, descends);
    if (last == degrees.end()) return degrees;
    const auto north = last + 1;
    const bool begins_anew = *last >= 0.0 && *last < 360.0 && *north >= 0.0 &&
                             std::adjacent_find(north, degrees.end(), descends) == degrees.end() &&
                             degrees.back() < degrees.front();
    if (!begins_anew) return degrees;
    for (auto azimuth = north; azimuth != degrees.end(); ++azimuth) *azimuth += 360.0;
    return degrees;
}

double decimal_degrees(double radians) {
    // Two units in the last place of the largest angle, 720 degrees.
    constexpr double kRoundingDegrees = 3e-13;
    constexpr int kMostDigits = 12;
    const double degrees = radians / kRadiansPerDegree;
    double scale = 1.0;
    for (int digits = 0; digits <= kMostDigits; ++digits, scale *= 10.0) {
        const double decimal = std::round(degrees * scale) / scale;
        if (std::abs(decimal - degrees) <= kRoundingDegrees) return decimal;
    }
    return degrees;
}

SunRectangle solarpilot_rectangle() {
    std::vector<double> azimuths, elevations;
    for (int i = 0; i < 12; ++i) azimuths.push_back(30.0 * i * kRadiansPerDegree);
    for (const double zenith : {85.0, 75.0, 60.0, 45.0, 30.0, 15.0, 7.0, 0.5})
        elevations.push_back((90.0 - zenith) * kRadiansPerDegree);
    return {std::move(azimuths), std::move(elevations)};
}

}  // namespace helioray
