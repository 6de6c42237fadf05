// SPDX-License-Identifier: MIT
// Computes the image of one mirror on a plane without random numbers, and its exact derivatives.
#pragma once

#include "raytracer/solvers/reconstruction/images/convolution.h"
#include "raytracer/solvers/reconstruction/images/mirror_shape.h"
#include "scenario/types/types.h"

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace helioray::reconstruction {

/// Position of a mirror, direction of its light, and position of the image.
struct ImageGeometry {
    /// Transform from the mirror frame to ENU, 4 x 4 row-major.
    std::array<double, 16> orientation{};
    Vec3 to_sun{0, 0, 1};  ///< Unit vector to the sun, ENU.
    Vec3 centre{};         ///< Centre of the image on the target plane, m, ENU.
    Vec3 normal{0, 1, 0};  ///< Unit normal of the target's front, ENU.
};

/// Effects that widen an image in addition to the mirror's shape. Both are nearly interchangeable
/// with a curvature of the facets, so fits have priors about their usual size.
struct ImageOptics {
    /// Circumsolar ratio of a Buie sun, within kCircumsolarRatios.
    double circumsolar_ratio = 0.05;
    /// Standard deviation of the surface normal about each tangent (Gaussian), radians.
    double slope_error = 1.2e-3;

    bool operator==(const ImageOptics&) const = default;
};

/// Parameters that shift and widen a single image.
struct ImageNuisances {
    std::array<double, 2> shift{};  ///< Shift to the right and up, m.
    /// Variance of normals that adds to the slope error's, rad^2; it describes a camera out of
    /// focus or a mirror in the wind. It is negative for an image that is sharper than others.
    double blur = 0.0;

    bool operator==(const ImageNuisances&) const = default;
};

/// Computes images [kImagePixels * kImagePixels] in rows from the top, as seen by an observer in
/// front of the target: the power per pixel for 1 W/m2 without losses.
///
/// The central ray of every point of the mirror is intersected with the plane; the hits are then
/// widened by sun and slope error as seen from the mirror's centre. Without random numbers the
/// image is a smooth function of all unknowns. Large mirrors at short distances would widen
/// differently at their rims; the ray tracer checks results.
class ImageModel {
  public:
    /// Prepares the model. The plane must lie in front of the mirror; to_sun must not be the
    /// direction to the image.
    explicit ImageModel(const ImageGeometry& geometry);

    /// Computes the image. `unknowns` are those of the shape. The blur in `own` must leave slopes a
    /// variance of 0 or more.
    std::vector<double> image(const MirrorShape& shape,
                              std::span<const double> unknowns,
                              const ImageOptics& optics,
                              const ImageNuisances& own) const;

    /// Returns the centre of an image's light without shift, in metres to the right and up of the
    /// image's centre. It may lie outside the image. Returns nothing if no ray meets the plane.
    std::optional<std::array<double, 2>> centroid(const MirrorShape& shape,
                                                  std::span<const double> unknowns) const;

    /// Rows after the derivatives with respect to the unknowns in with_derivatives().
    enum Row : size_t { circumsolar_ratio, slope_error, shift_right, shift_up, own_blur, num_rows };

    /// An image and its derivatives.
    struct Derivatives {
        std::vector<double> image;  ///< The image, as image() computes it.
        /// Consecutive derivative images: with respect to the shape's unknowns (per rad), then
        /// circumsolar ratio, slope error (per rad), shift (per metre) and blur (per rad^2).
        std::vector<float> rows;
    };
    /// Computes image() and its derivatives with respect to all parameters.
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
    /// Returns the transform for the convolution of hits in a grid, by wave number in the order of
    /// convolve().
    std::vector<double> transform(const ImageOptics& optics, double blur) const;

    ImageGeometry geometry_;
    Vec3 right_, up_;  ///< Unit vectors in the plane.
    /// Terms by wave number: the transforms of the sun's disc and aureole, each times the factor
    /// that turns hits in a grid into pixels, and the coefficient of a variance of slopes in the
    /// exponent.
    std::vector<double> disc_, aureole_, spread_;
};

}  // namespace helioray::reconstruction
