// SPDX-License-Identifier: MIT
// A canted, curved, rippled facet in closed form, and samples of it as a measurement has them.
#pragma once

#include "scenario/reader/measured_surface.h"
#include "scenario/types/types.h"

#include <array>
#include <cmath>
#include <random>

namespace helioray::test {

/// z(x, y) = (x^2 + y^2) / (4 f) + ripple in the facet's frame. The ripple is made of truncated
/// cubes that bend at inner knots of a cubic spline with 10 control points over [low, high], so
/// that such a spline represents it exactly.
struct CantedFacet {
    std::array<double, 2> half{0.8, 0.6};
    std::array<double, 2> low{-0.8, -0.6}, high{0.8, 0.6};
    double focal_length = 30.0;
    double ripple = 60e-6;  // metres
    Vec3 translation{0.9, -0.7, 0.04};
    double tilt_e = 0.025, tilt_n = -0.04;  // radians

    double height(double x, double y) const {
        return (x * x + y * y) / (4 * focal_length) + ripple * (bump(x, 0) - 0.7 * bump(y, 1));
    }
    std::array<double, 2> slopes(double x, double y) const {
        return {x / (2 * focal_length) + ripple * bump_slope(x, 0),
                y / (2 * focal_length) - 0.7 * ripple * bump_slope(y, 1)};
    }

    /// Turned by tilt_n about n, then by tilt_e about e.
    Vec3 to_mirror(const Vec3& v) const {
        const double x = v[0] * std::cos(tilt_n) + v[2] * std::sin(tilt_n);
        const double z = -v[0] * std::sin(tilt_n) + v[2] * std::cos(tilt_n);
        return {x,
                v[1] * std::cos(tilt_e) - z * std::sin(tilt_e),
                v[1] * std::sin(tilt_e) + z * std::cos(tilt_e)};
    }
    Vec3 point(double x, double y) const {
        Vec3 p = to_mirror({x, y, height(x, y)});
        for (size_t i = 0; i < 3; ++i) p[i] += translation[i];
        return p;
    }
    Vec3 normal(double x, double y) const { return normal_of(slopes(x, y)); }
    Vec3 normal_of(const std::array<double, 2>& slope) const {
        const double length = std::sqrt(1 + slope[0] * slope[0] + slope[1] * slope[1]);
        return to_mirror({-slope[0] / length, -slope[1] / length, 1 / length});
    }

    Facet ideal() const {
        Facet facet;
        facet.name = "facet_1";
        facet.translation = translation;
        facet.canting_e = to_mirror({half[0], 0, 0});
        facet.canting_n = to_mirror({0, half[1], 0});
        return facet;
    }

    /// num x num samples at the middles of equal cells of [low, high], with Gaussian noise.
    MeasuredFacet measure(int num, double height_noise = 0, double slope_noise = 0) const {
        std::mt19937_64 generator(7);
        std::normal_distribution<double> gaussian;
        MeasuredFacet samples;
        samples.where = "samples";
        for (int i = 0; i < num; ++i) {
            for (int j = 0; j < num; ++j) {
                const double x = low[0] + (high[0] - low[0]) * (i + 0.5) / num;
                const double y = low[1] + (high[1] - low[1]) * (j + 0.5) / num;
                Vec3 p = point(x, y);
                const Vec3 up = to_mirror({0, 0, height_noise * gaussian(generator)});
                for (size_t k = 0; k < 3; ++k) p[k] += up[k];
                std::array<double, 2> slope = slopes(x, y);
                for (double& s : slope) s += slope_noise * gaussian(generator);
                samples.points.push_back(p);
                samples.normals.push_back(normal_of(slope));
            }
        }
        return samples;
    }

  private:
    // ((x - knot)_+ / width)^3 with the sixth of seven knot intervals' start, and its derivative.
    double bump(double x, size_t axis) const { return std::pow(past(x, axis), 3); }
    double bump_slope(double x, size_t axis) const {
        return 3 * std::pow(past(x, axis), 2) * 7 / (high[axis] - low[axis]);
    }
    double past(double x, size_t axis) const {
        const double width = (high[axis] - low[axis]) / 7;
        return std::max(0.0, (x - low[axis]) / width - 5);
    }
};

}  // namespace helioray::test
