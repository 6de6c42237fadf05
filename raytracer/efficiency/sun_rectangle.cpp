// SPDX-License-Identifier: MIT
// Interpolation on a rectangle of sun positions.
#include "raytracer/efficiency/sun_rectangle.h"

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
// Angles come from decimal degrees.
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

double longest_step(const std::vector<double>& angles) {
    double longest = 0.0;
    for (std::size_t i = 1; i < angles.size(); ++i)
        longest = std::max(longest, angles[i] - angles[i - 1]);
    return longest;
}

/// Neighbours of a number on an axis and the share of the upper one.
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

/// On the circle, where the last azimuth is followed by the first. From outside of a range of
/// azimuths the nearer end counts.
Neighbours neighbours_of_azimuth(const std::vector<double>& axis, bool all_around, double value) {
    const double past_first = value - kTurn * std::floor((value - axis.front()) / kTurn);
    if (past_first < axis.back()) return neighbours(axis, past_first);
    const double gap = axis.front() + kTurn - axis.back();
    const double share = (past_first - axis.back()) / gap;
    if (all_around) return {axis.size() - 1, 0, share};
    return share < 0.5 ? Neighbours{axis.size() - 1, axis.size() - 1, 0.0} : Neighbours{0, 0, 0.0};
}

/// Step^2 / 8 times the second derivative at every point of a line of numbers, at its ends that of
/// the neighbour. before, after: steps to the neighbours.
std::vector<double> errors_of_line(const std::vector<double>& axis,
                                   bool periodic,
                                   const std::vector<double>& values) {
    const std::size_t count = axis.size();
    std::vector<double> second(count), errors(count);
    const auto step_after = [&](std::size_t i) {
        return i + 1 < count ? axis[i + 1] - axis[i] : axis.front() + kTurn - axis.back();
    };
    const auto before = [&](std::size_t i) { return i > 0 ? i - 1 : count - 1; };
    for (std::size_t i = 0; i < count; ++i) {
        if (!periodic && (i == 0 || i + 1 == count)) continue;
        const double left = step_after(before(i)), right = step_after(i);
        second[i] = 2.0 *
                    ((values[(i + 1) % count] - values[i]) / right -
                     (values[i] - values[before(i)]) / left) /
                    (left + right);
    }
    if (!periodic) {
        second.front() = second[1];
        second.back() = second[count - 2];
    }
    for (std::size_t i = 0; i < count; ++i) {
        // A kink next to an entry bends its cells as well.
        double largest = std::abs(second[i]);
        if (periodic || i > 0) largest = std::max(largest, std::abs(second[before(i)]));
        if (periodic || i + 1 < count)
            largest = std::max(largest, std::abs(second[(i + 1) % count]));
        double step = 0.0;
        if (periodic || i > 0) step = step_after(before(i));
        if (periodic || i + 1 < count) step = std::max(step, step_after(i));
        errors[i] = largest * step * step / 8.0;
    }
    return errors;
}

}  // namespace

SunRectangle::SunRectangle(std::vector<double> azimuths, std::vector<double> elevations)
    : azimuths_(std::move(azimuths)), elevations_(std::move(elevations)) {
    std::vector<Problem> problems;
    check_angles("azimuths",
                 azimuths_,
                 0.0,
                 kTurn - 2.0 * kRounding,
                 "they count clockwise from north, from 0 to less than 360",
                 problems);
    check_angles("elevations",
                 elevations_,
                 0.01 * kRadiansPerDegree,
                 0.5 * std::numbers::pi,
                 "the sun stands above the horizon, up to 90 degrees",
                 problems);
    if (!problems.empty()) throw InputError(std::move(problems));
    all_around_ =
        azimuths_.front() + kTurn - azimuths_.back() <= longest_step(azimuths_) + kRounding;
}

SunRectangle::Sun SunRectangle::sun(std::size_t entry) const {
    return {azimuths_[entry / elevations_.size()], elevations_[entry % elevations_.size()]};
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

std::vector<double> SunRectangle::interpolation_error(const std::vector<double>& values) const {
    const std::size_t columns = elevations_.size();
    std::vector<double> errors(size());
    std::vector<double> line(azimuths_.size());
    for (std::size_t k = 0; k < columns; ++k) {
        for (std::size_t i = 0; i < line.size(); ++i) line[i] = values[i * columns + k];
        const std::vector<double> found = errors_of_line(azimuths_, all_around_, line);
        for (std::size_t i = 0; i < line.size(); ++i) errors[i * columns + k] = found[i];
    }
    line.resize(columns);
    for (std::size_t i = 0; i < azimuths_.size(); ++i) {
        for (std::size_t k = 0; k < columns; ++k) line[k] = values[i * columns + k];
        const std::vector<double> found = errors_of_line(elevations_, false, line);
        for (std::size_t k = 0; k < columns; ++k) errors[i * columns + k] += found[k];
    }
    return errors;
}

SunRectangle solarpilot_rectangle() {
    std::vector<double> azimuths, elevations;
    for (int i = 0; i < 12; ++i) azimuths.push_back(30.0 * i * kRadiansPerDegree);
    for (const double zenith : {85.0, 75.0, 60.0, 45.0, 30.0, 15.0, 7.0, 0.5})
        elevations.push_back((90.0 - zenith) * kRadiansPerDegree);
    return {std::move(azimuths), std::move(elevations)};
}

}  // namespace helioray
