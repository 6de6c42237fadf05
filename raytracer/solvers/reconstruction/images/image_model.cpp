// SPDX-License-Identifier: MIT
// Spreads hits of central rays over a grid by quadratic B-splines and widens them by a convolution.
#include "raytracer/solvers/reconstruction/images/image_model.h"

#include "raytracer/tracing/physical/aimed_heliostat.h"
#include "scenario/sun/buie.h"
#include "scenario/types/quadrature.h"
#include "scenario/types/vector_math.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace helioray::reconstruction {

namespace {

/// Fourier transforms of the sun's disc and of its aureole as functions of the conjugate of the
/// angle (1/rad). The aureole has the profile of the usual ratio; only its fraction of the power
/// varies.
class SunTransforms {
  public:
    SunTransforms() {
        const BuieParameters buie = buie_parameters(BuieShape{ImageOptics{}.circumsolar_ratio});
        const auto ring = [&](double q, double from, double to, int parts) {
            return integrate([&](double t) { return buie_radiance(buie, t) * t * ::j0(q * t); },
                             from,
                             to,
                             parts);
        };
        // Evaluate just inside and outside of the edge, where the radiance is discontinuous.
        const double disc = kBuieDisc * (1.0 - 1e-12), outside = kBuieDisc * (1.0 + 1e-12);
        for (int i = 0; i <= kKnots; ++i) {
            disc_.push_back(ring(i * kStep, 0.0, disc, 8));
            // The Bessel function oscillates 28 times up to the last knot.
            aureole_.push_back(ring(i * kStep, outside, kBuieAureole, 10 + 30 * i / kKnots));
        }
        for (size_t i = disc_.size(); i-- > 0;) {
            disc_[i] /= disc_[0];
            aureole_[i] /= aureole_[0];
        }
    }

    double disc(double q) const { return at(disc_, q); }
    double aureole(double q) const { return at(aureole_, q); }

  private:
    // Slope errors remove all finer structures.
    static constexpr int kKnots = 1000;
    static constexpr double kStep = 4.0;  // 1/rad

    static double at(const std::vector<double>& values, double q) {
        const double position = q / kStep;
        if (position >= kKnots) return 0.0;
        const auto i = static_cast<size_t>(position);
        const double t = position - static_cast<double>(i);
        return values[i] + t * (values[i + 1] - values[i]);
    }

    std::vector<double> disc_, aureole_;
};

const SunTransforms& sun_transforms() {
    static const SunTransforms transforms;
    return transforms;
}

double sinc(double x) {
    return std::abs(x) < 1e-9 ? 1.0 : std::sin(x) / x;
}

/// Quadratic B-spline weights of three neighbouring grid points, and their derivatives.
struct Taps {
    size_t first = 0;  ///< First grid point, modulo the grid.
    std::array<double, 3> value{}, derivative{};
    explicit Taps(double position) {
        const double nearest = std::floor(position + 0.5);
        const double f = position - nearest;
        first = static_cast<size_t>(static_cast<int64_t>(nearest) - 1) & (kGrid - 1);
        value = {0.5 * (0.5 - f) * (0.5 - f), 0.75 - f * f, 0.5 * (0.5 + f) * (0.5 + f)};
        derivative = {f - 0.5, -2.0 * f, f + 0.5};
    }
};

/// Weights of the nine grid points about a hit, and their derivatives.
struct Deposit {
    std::array<size_t, 9> index{};
    /// Weights and derivatives per metre to the right and up.
    std::array<double, 9> value{}, by_x{}, by_y{};
    Deposit(double x, double y) {
        // Positions of pixel centres are relative to the first pixel; rows are numbered downwards.
        const Taps columns(x / kPixel + 0.5 * kGrid - 0.5);
        const Taps rows(-y / kPixel + 0.5 * kGrid - 0.5);
        for (size_t r = 0; r < 3; ++r) {
            for (size_t c = 0; c < 3; ++c) {
                const size_t k = 3 * r + c;
                const size_t row = (rows.first + r) & (kGrid - 1);
                const size_t column = (columns.first + c) & (kGrid - 1);
                index[k] = row * kGrid + column;
                value[k] = rows.value[r] * columns.value[c];
                by_x[k] = rows.value[r] * columns.derivative[c] / kPixel;
                by_y[k] = -rows.derivative[r] * columns.value[c] / kPixel;
            }
        }
    }
};

/// Copies the middle of a grid.
template <typename Number>
void crop(const std::array<Number, kGridSize>& grid, Number* image) {
    for (size_t row = 0; row < kImagePixels; ++row) {
        const Number* from = &grid[(row + kMargin) * kGrid + kMargin];
        std::copy(from, from + kImagePixels, image + row * kImagePixels);
    }
}

/// Zero-initialised grids that are convolved two at a time.
template <typename Number>
class Grids {
  public:
    explicit Grids(size_t count) : count_(count), pairs_((count + 1) / 2) {}
    std::array<Number, kGridSize>& operator[](size_t i) {
        return i % 2 == 0 ? pairs_[i / 2].first : pairs_[i / 2].second;
    }
    /// Convolves all grids and writes them consecutively.
    void finish(const std::vector<Number>& transform, Number* images) {
        GridPair<Number> scratch;
        for (GridPair<Number>& pair : pairs_) convolve(pair, transform, scratch);
        for (size_t i = 0; i < count_; ++i) crop((*this)[i], images + i * kImageSize);
    }

  private:
    size_t count_;
    std::vector<GridPair<Number>> pairs_;
};

std::array<float, kGridSize> narrowed(const std::array<double, kGridSize>& grid) {
    std::array<float, kGridSize> result;
    for (size_t i = 0; i < kGridSize; ++i) result[i] = static_cast<float>(grid[i]);
    return result;
}

}  // namespace

/// A point of the bent mirror and its central ray.
struct ImageModel::Hit {
    double x = 0.0, y = 0.0;  ///< Metres to the right and up of the image's centre.
    double weight = 0.0;      ///< Power for 1 W/m2, m2.
    bool meets = false;       ///< True if the ray meets the plane from its front.
    // Values for derivatives, in ENU.
    Vec3 normal{}, ray{};
    double length = 0.0;  ///< Length of the unnormalised normal in the facet's frame.
    double cosine = 0.0, distance = 0.0, area = 0.0;

    /// Derivatives with respect to the mirror's height or a component of its slope.
    struct Change {
        Vec3 moved{};         ///< Movement of the hit in the plane.
        double dimmed = 0.0;  ///< Change of the weight.
    };
    /// Returns the changes by the height and by the slopes along two axes. `axes` are those of the
    /// facet, ENU.
    std::array<Change, 3> changes(const ImageGeometry& geometry,
                                  const std::array<Vec3, 3>& axes) const;
};

std::array<ImageModel::Hit::Change, 3> ImageModel::Hit::changes(
    const ImageGeometry& geometry, const std::array<Vec3, 3>& axes) const {
    // Project the movement of the hit onto the plane, along the ray.
    const double toward = dot(ray, geometry.normal);
    const auto in_plane = [&](const Vec3& v) {
        return add_scaled(v, -dot(v, geometry.normal) / toward, ray);
    };
    std::array<Change, 3> result{Change{in_plane(axes[2]), 0.0}};
    for (size_t axis = 0; axis < 2; ++axis) {
        const Vec3 across = add_scaled(axes[axis], -dot(axes[axis], normal), normal);
        const Vec3 turned = scaled(-1.0 / length, across);
        const Vec3 turned_ray =
            scaled(2.0, add_scaled(scaled(dot(turned, geometry.to_sun), normal), cosine, turned));
        result[axis + 1] = {scaled(distance, in_plane(turned_ray)),
                            area * dot(turned, geometry.to_sun)};
    }
    return result;
}

ImageModel::ImageModel(const ImageGeometry& geometry) : geometry_(geometry) {
    const std::array<Vec3, 3> axes = flat_axes(geometry.normal);
    right_ = axes[0];
    up_ = axes[1];
    const auto& m = geometry.orientation;
    const Vec3 way = subtract(geometry.centre, {m[3], m[7], m[11]});
    const double distance = norm(way);
    const Vec3 ray = scaled(1.0 / distance, way);
    // Angles of the ray in the plane of incidence and perpendicular to it, as lengths on the plane.
    const Vec3 in_plane = normalized(perpendicular(geometry.to_sun, ray));
    const Vec3 across = cross(ray, in_plane);
    const auto on_plane = [&](const Vec3& angle) {
        const Vec3 moved = scaled(
            distance,
            add_scaled(angle, -dot(angle, geometry.normal) / dot(ray, geometry.normal), ray));
        return std::array{dot(moved, right_), dot(moved, up_)};
    };
    const auto a = on_plane(in_plane), b = on_plane(across);
    const double cosine = dot({m[2], m[6], m[10]}, geometry.to_sun);
    const SunTransforms& sun = sun_transforms();
    for (size_t column = 0; column < kGrid; ++column) {
        for (size_t row = 0; row < kGrid; ++row) {
            const double kx = wave_number(column), ky = -wave_number(row);
            // Conjugates of the angles in the plane of incidence and perpendicular to it.
            const double u = kx * a[0] + ky * a[1], v = kx * b[0] + ky * b[1];
            const double q = std::hypot(u, v);
            // Undo the B-spline of the deposit; a pixel holds the mean over its area.
            const double box = sinc(0.5 * kx * kPixel) * sinc(0.5 * ky * kPixel);
            disc_.push_back(sun.disc(q) / (box * box));
            aureole_.push_back(sun.aureole(q) / (box * box));
            // A normal turned in the plane of incidence turns the ray twice as far; one turned
            // perpendicular to it turns the ray less.
            spread_.push_back(4.0 * (u * u + cosine * cosine * v * v));
        }
    }
}

std::vector<double> ImageModel::transform(const ImageOptics& optics, double blur) const {
    const double ratio = optics.circumsolar_ratio;
    const double half_square = 0.5 * (optics.slope_error * optics.slope_error + blur);
    std::vector<double> made(kGridSize);
    for (size_t i = 0; i < kGridSize; ++i)
        made[i] =
            std::exp(-half_square * spread_[i]) * ((1.0 - ratio) * disc_[i] + ratio * aureole_[i]);
    return made;
}

ImageModel::Hit ImageModel::hit(const MirrorShape& shape,
                                size_t facet,
                                const ShapePoint& point,
                                std::span<const double> of_facet,
                                const std::array<double, 2>& shift) const {
    const auto& [e, n, u] = shape.axes(facet);
    double height = 0.0, slope_e = point.slope[0], slope_n = point.slope[1];
    for (size_t k = 0; k < of_facet.size(); ++k) {
        height += of_facet[k] * point.effect[k][0];
        slope_e += of_facet[k] * point.effect[k][1];
        slope_n += of_facet[k] * point.effect[k][2];
    }
    Hit made;
    made.length = std::sqrt(1.0 + slope_e * slope_e + slope_n * slope_n);
    const Vec3 in_mirror =
        scaled(1.0 / made.length, add_scaled(add_scaled(u, -slope_e, e), -slope_n, n));
    made.normal = physical::direction_to_enu(geometry_.orientation, in_mirror);
    const Vec3 start =
        physical::point_to_enu(geometry_.orientation, add_scaled(point.point, height, u));
    made.cosine = dot(made.normal, geometry_.to_sun);
    made.ray = subtract(scaled(2.0 * made.cosine, made.normal), geometry_.to_sun);
    made.distance =
        dot(subtract(geometry_.centre, start), geometry_.normal) / dot(made.ray, geometry_.normal);
    made.meets = made.cosine > 0.0 && made.distance > 0.0 && dot(made.ray, geometry_.normal) < 0.0;
    const Vec3 offset = subtract(add_scaled(start, made.distance, made.ray), geometry_.centre);
    made.x = dot(offset, right_) + shift[0];
    made.y = dot(offset, up_) + shift[1];
    made.area = shape.point_area(facet);
    made.weight = made.cosine * made.area;
    return made;
}

std::vector<double> ImageModel::image(const MirrorShape& shape,
                                      std::span<const double> unknowns,
                                      const ImageOptics& optics,
                                      const ImageNuisances& own) const {
    Grids<double> grids(1);
    const size_t count = shape.num_coefficients();
    for (size_t facet = 0; facet < shape.num_facets(); ++facet) {
        for (const ShapePoint& point : shape.points(facet)) {
            const Hit at =
                hit(shape, facet, point, unknowns.subspan(facet * count, count), own.shift);
            if (!at.meets) continue;
            const Deposit deposit(at.x, at.y);
            for (size_t i = 0; i < 9; ++i)
                grids[0][deposit.index[i]] += at.weight * deposit.value[i];
        }
    }
    std::vector<double> result(kImageSize);
    grids.finish(transform(optics, own.blur), result.data());
    return result;
}

std::optional<std::array<double, 2>> ImageModel::centroid(const MirrorShape& shape,
                                                          std::span<const double> unknowns) const {
    const size_t count = shape.num_coefficients();
    double x = 0.0, y = 0.0, weight = 0.0;
    for (size_t facet = 0; facet < shape.num_facets(); ++facet) {
        for (const ShapePoint& point : shape.points(facet)) {
            const Hit at = hit(shape, facet, point, unknowns.subspan(facet * count, count), {});
            if (!at.meets) continue;
            x += at.weight * at.x;
            y += at.weight * at.y;
            weight += at.weight;
        }
    }
    if (weight == 0.0) return std::nullopt;
    return std::array{x / weight, y / weight};
}

ImageModel::Derivatives ImageModel::with_derivatives(const MirrorShape& shape,
                                                     std::span<const double> unknowns,
                                                     const ImageOptics& optics,
                                                     const ImageNuisances& own) const {
    const std::vector<double> exact = transform(optics, own.blur);
    const std::vector<float> transform(exact.begin(), exact.end());
    const size_t count = shape.num_coefficients();
    Derivatives result{std::vector<double>(kImageSize),
                       std::vector<float>((num_rows + shape.num_unknowns()) * kImageSize)};
    Grids<double> whole(3);  // the image, and its derivatives with respect to shift right and up
    for (size_t facet = 0; facet < shape.num_facets(); ++facet) {
        const auto& [e, n, u] = shape.axes(facet);
        const std::array<Vec3, 3> axes{physical::direction_to_enu(geometry_.orientation, e),
                                       physical::direction_to_enu(geometry_.orientation, n),
                                       physical::direction_to_enu(geometry_.orientation, u)};
        Grids<float> grids(count);
        for (const ShapePoint& point : shape.points(facet)) {
            const Hit at =
                hit(shape, facet, point, unknowns.subspan(facet * count, count), own.shift);
            if (!at.meets) continue;
            const Deposit deposit(at.x, at.y);
            for (size_t i = 0; i < 9; ++i) {
                whole[0][deposit.index[i]] += at.weight * deposit.value[i];
                whole[1][deposit.index[i]] += at.weight * deposit.by_x[i];
                whole[2][deposit.index[i]] += at.weight * deposit.by_y[i];
            }
            const std::array<Hit::Change, 3> changes = at.changes(geometry_, axes);
            std::array<std::array<double, 9>, 3> by{};
            for (size_t k = 0; k < 3; ++k) {
                const double x = at.weight * dot(changes[k].moved, right_);
                const double y = at.weight * dot(changes[k].moved, up_);
                for (size_t i = 0; i < 9; ++i)
                    by[k][i] = changes[k].dimmed * deposit.value[i] + x * deposit.by_x[i] +
                               y * deposit.by_y[i];
            }
            for (size_t k = 0; k < count; ++k) {
                const auto& effect = point.effect[k];
                std::array<float, kGridSize>& grid = grids[k];
                for (size_t i = 0; i < 9; ++i)
                    grid[deposit.index[i]] += static_cast<float>(
                        effect[0] * by[0][i] + effect[1] * by[1][i] + effect[2] * by[2][i]);
            }
        }
        grids.finish(transform, &result.rows[facet * count * kImageSize]);
    }
    const auto row = [&](Row which) {
        return &result.rows[(which + shape.num_unknowns()) * kImageSize];
    };
    const double variance = optics.slope_error * optics.slope_error + own.blur;
    std::vector<float> ratio_transform(kGridSize), variance_transform(kGridSize);
    for (size_t i = 0; i < kGridSize; ++i) {
        const double width = std::exp(-0.5 * variance * spread_[i]);
        ratio_transform[i] = static_cast<float>(width * (aureole_[i] - disc_[i]));
        variance_transform[i] = static_cast<float>(-0.5 * exact[i] * spread_[i]);
    }
    Grids<float> by_ratio(1), by_variance(1), by_shift(2);
    by_ratio[0] = by_variance[0] = narrowed(whole[0]);
    by_shift[0] = narrowed(whole[1]);
    by_shift[1] = narrowed(whole[2]);
    by_ratio.finish(ratio_transform, row(circumsolar_ratio));
    by_variance.finish(variance_transform, row(own_blur));
    const auto slope_by_variance = static_cast<float>(2.0 * optics.slope_error);
    std::transform(row(own_blur), row(own_blur) + kImageSize, row(slope_error), [&](float by_blur) {
        return slope_by_variance * by_blur;
    });
    by_shift.finish(transform, row(shift_right));
    Grids<double> image(1);
    image[0] = whole[0];
    image.finish(exact, result.image.data());
    return result;
}

}  // namespace helioray::reconstruction
