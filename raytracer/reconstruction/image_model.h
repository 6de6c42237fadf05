// SPDX-License-Identifier: MIT
// The image of one mirror on a plane, without random numbers, and its exact derivatives.
#pragma once

#include "raytracer/reconstruction/convolution.h"
#include "raytracer/reconstruction/mirror_shape.h"
#include "scenario/types.h"

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace helioray::reconstruction {

/// Where a mirror stands, where its light comes from and where an image of it was taken.
struct ImageGeometry {
    std::array<double, 16> orientation{};  ///< 4 x 4 row-major: mirror frame to ENU
    Vec3 to_sun{0, 0, 1};                  ///< unit vector, ENU
    Vec3 centre{};                         ///< metres, ENU: the image's centre on the target plane
    Vec3 normal{0, 1, 0};                  ///< unit vector, ENU, of the target's front
};

/// What widens an image besides the mirror's shape. Both are nearly exchangeable with a curvature
/// of the facets, so that fits know their usual size.
struct ImageOptics {
    double circumsolar_ratio = 0.05;  ///< of a Buie sun, kCircumsolarRatios
    double slope_error = 1.2e-3;  ///< radians, Gaussian, of the surface normal about each tangent

    bool operator==(const ImageOptics&) const = default;
};

/// What moves and widens one image besides.
struct ImageNuisances {
    std::array<double, 2> shift{};  ///< metres to the right and up
    /// Variance of normals that adds to the slope error's, rad^2: a camera out of focus, a mirror
    /// in the wind. Less than 0 for an image that is sharper than others.
    double blur = 0.0;

    bool operator==(const ImageNuisances&) const = default;
};

/// Images [kImagePixels * kImagePixels] in rows from the top, as an observer in front of the target
/// sees them: the power per pixel of 1 W/m2 without losses.
///
/// The central ray of every point of the mirror meets the plane; the hits are then widened by sun
/// and slope error as they are seen from the mirror's centre. Without random numbers the image is a
/// smooth function of all unknowns. Mirrors that are large for their distance would widen
/// differently at their rims: the tracer checks results.
class ImageModel {
  public:
    /// The plane lies in front of the mirror; to_sun is not the direction to the image.
    explicit ImageModel(const ImageGeometry& geometry);

    /// unknowns: of the shape. own: with a blur that leaves slopes a variance of 0 or more.
    std::vector<double> image(const MirrorShape& shape,
                              std::span<const double> unknowns,
                              const ImageOptics& optics,
                              const ImageNuisances& own) const;

    /// Where the centre of an image's light lies, metres to the right and up of the image's centre,
    /// without shift; also beyond the image. Nothing where no ray meets the plane.
    std::optional<std::array<double, 2>> centroid(const MirrorShape& shape,
                                                  std::span<const double> unknowns) const;

    /// Rows after the derivatives by the unknowns in with_derivatives().
    enum Row : size_t { circumsolar_ratio, slope_error, shift_right, shift_up, own_blur, num_rows };

    /// An image and how it changes.
    struct Derivatives {
        std::vector<double> image;  ///< as image() makes it
        /// Images one after the other: by the shape's unknowns (per rad), then by circumsolar
        /// ratio, slope error (per rad), shift (per metre) and blur (per rad^2).
        std::vector<float> rows;
    };
    /// image() and its derivatives by all that it depends on.
    Derivatives with_derivatives(const MirrorShape& shape,
                                 std::span<const double> unknowns,
                                 const ImageOptics& optics,
                                 const ImageNuisances& own) const;

  private:
    struct Hit;

    Hit hit(const MirrorShape& shape,
            size_t facet,
            const ShapePoint& point,
            std::span<const double> of_facet,
            const std::array<double, 2>& shift) const;
    /// What hits in a grid are convolved with, by wave number as convolve() wants it.
    std::vector<double> transform(const ImageOptics& optics, double blur) const;

    ImageGeometry geometry_;
    Vec3 right_, up_;  ///< unit vectors in the plane
    /// By wave number: the transforms of the sun's disc and aureole, each times the factor that
    /// turns hits in a grid into pixels, and the exponent's share that a variance of slopes has.
    std::vector<double> disc_, aureole_, spread_;
};

}  // namespace helioray::reconstruction
