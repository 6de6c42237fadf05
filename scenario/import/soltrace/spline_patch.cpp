// SPDX-License-Identifier: MIT
// Interpolates heights by B-splines.
#include "scenario/import/soltrace/spline_patch.h"

#include <algorithm>
#include <cmath>

namespace helioray::soltrace {

namespace {

constexpr int kDegree = 3;

/// Deviation that is small enough, radians.
constexpr double kGoodDeviation = 1e-6;

/// Number of places along either edge at which slopes are compared.
constexpr int kPlaces = 41;

/// Basis functions of a cubic B-spline with clamped uniform knots (Piegl and Tiller, The NURBS
/// Book, equation 2.5).
class Basis {
  public:
    explicit Basis(int count) : count_(count), spans_(count - kDegree) {}

    /// Returns the values of all functions at t from 0 to 1.
    std::vector<double> values(double t) const {
        const double x = t * spans_;
        const int last = std::clamp(static_cast<int>(x), 0, spans_ - 1) + kDegree;
        std::vector<double> value(static_cast<size_t>(count_) + 1);
        value[static_cast<size_t>(last)] = 1.0;
        for (int p = 1; p <= kDegree; ++p) {
            for (int i = std::max(0, last - p); i <= last; ++i) {
                const double left = knot(i + p) - knot(i);
                const double right = knot(i + p + 1) - knot(i + 1);
                const auto at = static_cast<size_t>(i);
                value[at] = (left > 0.0 ? (x - knot(i)) / left * value[at] : 0.0) +
                            (right > 0.0 ? (knot(i + p + 1) - x) / right * value[at + 1] : 0.0);
            }
        }
        value.pop_back();
        return value;
    }

    /// Returns the Greville point of a control point, from 0 to 1.
    double greville(int i) const {
        double sum = 0.0;
        for (int k = 1; k <= kDegree; ++k) sum += knot(i + k);
        return sum / (kDegree * spans_);
    }

  private:
    double knot(int i) const { return std::clamp(i - kDegree, 0, spans_); }

    int count_, spans_;
};

/// Solves the equations of interpolation along one direction for all columns in place.
class Interpolation {
  public:
    explicit Interpolation(int count) : size_(static_cast<size_t>(count)) {
        const Basis basis(count);
        for (int i = 0; i < count; ++i) rows_.push_back(basis.values(basis.greville(i)));
        // Without pivots: the matrix is totally positive.
        for (size_t k = 0; k < size_; ++k) {
            for (size_t i = k + 1; i < size_; ++i) {
                rows_[i][k] /= rows_[k][k];
                for (size_t j = k + 1; j < size_; ++j) rows_[i][j] -= rows_[i][k] * rows_[k][j];
            }
        }
    }

    /// Solves for the values `first`, `first + step`, ...
    void solve(std::vector<double>& values, size_t first, size_t step) const {
        const auto at = [&](size_t i) -> double& { return values[first + i * step]; };
        for (size_t i = 0; i < size_; ++i)
            for (size_t k = 0; k < i; ++k) at(i) -= rows_[i][k] * at(k);
        for (size_t i = size_; i-- > 0;) {
            for (size_t k = i + 1; k < size_; ++k) at(i) -= rows_[i][k] * at(k);
            at(i) /= rows_[i][i];
        }
    }

  private:
    size_t size_;
    std::vector<std::vector<double>> rows_;
};

/// A surface over the rectangle of a mirror by coordinates along its edges, -1 to 1.
class Sheet {
  public:
    Sheet(const MirrorRectangle& rectangle, const Heights& heights)
        : rectangle_(rectangle), heights_(heights) {
        for (const double right : {-1.0, 1.0})
            for (const double up : {-1.0, 1.0}) {
                const Vec2 corner = point_of(rectangle, right, up);
                is_whole_ = is_whole_ && std::isfinite(heights(corner[0], corner[1]));
            }
        if (!is_whole_) find_rim();
    }

    double height(double right, double up) const {
        const Vec2 place = point_of(rectangle_, right, up);
        const double radius = std::hypot(place[0], place[1]);
        if (is_whole_ || (radius <= rim_ && radius >= hole_)) return heights_(place[0], place[1]);
        const Vec2 way = radius > 0.0 ? Vec2{place[0] / radius, place[1] / radius} : Vec2{1.0, 0.0};
        const auto at = [&](double distance) {
            return heights_(distance * way[0], distance * way[1]);
        };
        const double edge = radius > rim_ ? rim_ : hole_;
        const double step = radius > rim_ ? -1e-4 * rim_ : 1e-4 * rim_;
        return at(edge) + (radius - edge) * (at(edge + step) - at(edge)) / step;
    }

  private:
    /// Finds the smallest and the largest distance of the mirror from the element's origin.
    void find_rim() {
        constexpr int kSteps = 256;
        for (int i = 0; i <= kSteps; ++i)
            for (int k = 0; k <= kSteps; ++k) {
                const double right = 2.0 * i / kSteps - 1.0, up = 2.0 * k / kSteps - 1.0;
                if (!is_inside(rectangle_.outline, right, up)) continue;
                const Vec2 place = point_of(rectangle_, right, up);
                const double radius = std::hypot(place[0], place[1]);
                rim_ = std::max(rim_, radius);
                hole_ = hole_ < 0.0 ? radius : std::min(hole_, radius);
            }
    }

    const MirrorRectangle& rectangle_;
    const Heights& heights_;
    bool is_whole_ = true;
    double rim_ = 0.0, hole_ = -1.0;
};

/// Returns the control heights of the spline that interpolates a sheet.
std::vector<double> interpolate_sheet(const Sheet& sheet, int count) {
    const Basis basis(count);
    const auto n = static_cast<size_t>(count);
    std::vector<double> heights;
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < count; ++k)
            heights.push_back(
                sheet.height(2.0 * basis.greville(i) - 1.0, 2.0 * basis.greville(k) - 1.0));
    const Interpolation along(count);
    for (size_t i = 0; i < n; ++i) along.solve(heights, i * n, 1);
    for (size_t i = 0; i < n; ++i) along.solve(heights, i, n);
    return heights;
}

/// Returns the root mean square angle between the normals of a spline and a sheet, within the
/// outline; no finite number if the sheet has no points there.
double deviation_of(const MirrorRectangle& rectangle,
                    const Sheet& sheet,
                    const std::vector<double>& heights,
                    int count) {
    constexpr double kStep = 1e-4;
    const Basis basis(count);
    const auto n = static_cast<size_t>(count);
    const auto spline = [&](double right, double up) {
        const auto a = basis.values(0.5 * (right + 1.0)), b = basis.values(0.5 * (up + 1.0));
        double sum = 0.0;
        for (size_t i = 0; i < n; ++i)
            for (size_t k = 0; k < n && a[i] != 0.0; ++k) sum += a[i] * b[k] * heights[i * n + k];
        return sum;
    };
    const auto normal = [&](const auto& surface, double right, double up) {
        const double along = (surface(right + kStep, up) - surface(right - kStep, up)) / kStep;
        const double across = (surface(right, up + kStep) - surface(right, up - kStep)) / kStep;
        return normalized({-along / rectangle.width, -across / rectangle.height, 1.0});
    };
    const auto exact = [&](double right, double up) { return sheet.height(right, up); };
    double sum = 0.0;
    int places = 0;
    for (int i = 0; i < kPlaces; ++i) {
        for (int k = 0; k < kPlaces; ++k) {
            const double right = (2.0 * i + 1.0) / kPlaces - 1.0;
            const double up = (2.0 * k + 1.0) / kPlaces - 1.0;
            if (!is_inside(rectangle.outline, right, up)) continue;
            const Vec3 way = subtract(normal(exact, right, up), normal(spline, right, up));
            sum += dot(way, way);
            ++places;
        }
    }
    return std::sqrt(sum / std::max(1, places));
}

}  // namespace

SplinePatch quadratic_patch(const MirrorRectangle& rectangle, const Vec2& curvature) {
    const Vec2 half_x{0.5 * rectangle.width * rectangle.x_axis[0],
                      0.5 * rectangle.width * rectangle.x_axis[1]};
    const Vec2 half_y{-0.5 * rectangle.height * rectangle.x_axis[1],
                      0.5 * rectangle.height * rectangle.x_axis[0]};
    const auto form = [&](const Vec2& a, const Vec2& b) {
        return 0.5 * (curvature[0] * a[0] * b[0] + curvature[1] * a[1] * b[1]);
    };
    SplinePatch patch{2, 3, {}, 0.0};
    for (const double u : {-1.0, 0.0, 1.0}) {
        for (const double v : {-1.0, 0.0, 1.0}) {
            const Vec2& center = rectangle.center;
            const double square_u = u == 0.0 ? -1.0 : 1.0, square_v = v == 0.0 ? -1.0 : 1.0;
            patch.control_points.push_back(
                {center[0] + u * half_x[0] + v * half_y[0],
                 center[1] + u * half_x[1] + v * half_y[1],
                 form(center, center) + 2.0 * u * form(center, half_x) +
                     2.0 * v * form(center, half_y) + square_u * form(half_x, half_x) +
                     square_v * form(half_y, half_y) + 2.0 * u * v * form(half_x, half_y)});
        }
    }
    return patch;
}

std::optional<SplinePatch> fit_patch(const MirrorRectangle& rectangle, const Heights& heights) {
    const Sheet sheet(rectangle, heights);
    SplinePatch best;
    for (const int count : {4, 8, 16, 32}) {
        const std::vector<double> fitted = interpolate_sheet(sheet, count);
        const double deviation = deviation_of(rectangle, sheet, fitted, count);
        if (!std::isfinite(deviation)) return std::nullopt;
        if (!best.control_points.empty() && !(deviation < best.deviation)) continue;
        best = {kDegree, count, {}, deviation};
        const Basis basis(count);
        auto height = fitted.begin();
        for (int i = 0; i < count; ++i) {
            for (int k = 0; k < count; ++k) {
                const Vec2 place = point_of(
                    rectangle, 2.0 * basis.greville(i) - 1.0, 2.0 * basis.greville(k) - 1.0);
                best.control_points.push_back({place[0], place[1], *height++});
            }
        }
        if (deviation <= kGoodDeviation) break;
    }
    return best;
}

}  // namespace helioray::soltrace
