// SPDX-License-Identifier: MIT
// Describes a mirror whose facets are bent by polynomials, the unknowns of a reconstruction.
#pragma once

#include "scenario/types/types.h"

#include <array>
#include <span>
#include <vector>

namespace helioray::reconstruction {

/// A point of a facet of the start surface, and the effect of each coefficient on it. Vectors are
/// in the mirror frame.
struct ShapePoint {
    Vec3 point{};                   ///< Position, m.
    std::array<double, 2> slope{};  ///< Slopes du/de and du/dn in the facet's frame.
    /// Effect of 1 rad of each coefficient of the facet: height (m), du/de and du/dn.
    std::vector<std::array<double, 3>> effect;
};

/// Kinds of errors of mirrors, each with a separate scale.
enum ErrorKind : size_t {
    common_canting,    ///< All facets canted too much or too little.
    common_curvature,  ///< Second order common to all facets.
    own_canting,       ///< Canting of single facets.
    own_curvature,     ///< Second order of single facets.
    own_waves,         ///< Third and fourth order of single facets.
};
/// Number of kinds.
inline constexpr size_t kErrorKinds = 5;

/// Size of the errors of one mirror relative to the expected size, by kind.
using ErrorScales = std::array<double, kErrorKinds>;
/// Scales of the prior.
inline constexpr ErrorScales kUsualErrors{1.0, 1.0, 1.0, 1.0, 1.0};

/// An error of one kind that is independent of the others.
struct ErrorMode {
    ErrorKind kind;                ///< Kind that determines its scale.
    std::vector<double> unknowns;  ///< Unknowns for one expected standard deviation, radians.
};

/// Heights above a start surface, a polynomial in the frame of each facet.
///
/// The polynomials have the terms (x/h)^i (y/h)^j h with 1 <= i + j <= order, where h is the mean
/// of the facet's half extents, so that every coefficient is a slope in radians: tilts (canting)
/// first, then focal lengths and twist, then higher orders. The heights of facet centres are those
/// of the start surface because images do not show them.
class MirrorShape {
  public:
    /// Creates the shape above a start surface with any facet shapes. `most_order` is the highest
    /// order of the polynomials; it is limited to the second order for more than eight facets and
    /// to the first order for more than 32. Throws InputError as evaluate_facet() does.
    explicit MirrorShape(const Surface& start, int most_order = 4);

    /// Returns the start surface.
    const Surface& start() const { return start_; }

    /// Number of facets of the mirror.
    size_t num_facets() const { return facets_.size(); }
    /// Number of coefficients of each facet.
    size_t num_coefficients() const { return powers_.size(); }
    /// Number of unknowns of all facets.
    size_t num_unknowns() const { return num_facets() * num_coefficients(); }

    /// Returns points spread evenly over a facet.
    const std::vector<ShapePoint>& points(size_t facet) const { return facets_[facet].points; }
    /// Returns the area of each point of a facet, m2.
    double point_area(size_t facet) const { return facets_[facet].point_area; }
    /// Returns the unit axes e, n, u of a facet in the mirror frame.
    const std::array<Vec3, 3>& axes(size_t facet) const { return facets_[facet].axes; }

    /// Returns the independent errors of a mirror: every facet differs from its start separately,
    /// and all of them in the same way, because they were canted and made on the same tools.
    std::vector<ErrorMode> error_modes() const;

    /// Returns the prior covariance of the unknowns, [unknowns, unknowns], rad^2.
    std::vector<double> expected_covariance(const ErrorScales& scales = kUsualErrors) const;

    /// Returns the unknowns of mirrors that are canted more or less than the start along east and
    /// north, by `far` times the expected error. An image of a mirror canted too much resembles one
    /// of a mirror canted too little, so that a fit has to begin on either side.
    std::vector<std::vector<double>> cantings_to_try(double far) const;

    /// Returns the larger component (east or north) of such a canting in these unknowns, in units
    /// of the expected error.
    double canting_of(const std::vector<double>& unknowns) const;

    /// Returns the bent mirror in ARTIST's form of fitted surfaces, in which the control points
    /// contain canting and translation. `unknowns` are [facets, coefficients] in radians.
    /// `covariance`, [unknowns, unknowns] in rad^2, yields the facets' slope_deviation.
    /// `unresolved` is the standard deviation of normals due to shapes beyond the polynomials,
    /// radians, both components together.
    Surface surface(std::span<const double> unknowns,
                    std::span<const double> covariance,
                    double unresolved = 0.0) const;

    /// Returns the root mean square over the mirror of the standard deviation of a normal's
    /// direction, radians, both components together. `covariance` and `unresolved` are described in
    /// surface().
    double slope_deviation(std::span<const double> covariance, double unresolved = 0.0) const;

  private:
    struct FacetPoints {
        std::array<Vec3, 3> axes{};
        double half = 0.0;  ///< Mean of the half extents, m.
        std::vector<ShapePoint> points;
        double point_area = 0.0;  ///< Area of each point, m2.
    };
    using Effects = std::vector<std::array<double, 3>>;

    /// Returns the effects of the coefficients at a point of a facet, metres from its centre.
    Effects effects_at(size_t facet, double x, double y) const;
    ShapePoint shape_point(size_t facet, const Vec3& point, const Vec3& normal) const;
    /// Returns the standard deviations of the slopes along e and n.
    std::array<double, 2> deviation(const Effects& effects,
                                    size_t facet,
                                    std::span<const double> covariance,
                                    double unresolved) const;

    using Places = std::vector<std::array<double, 2>>;
    /// Returns the errors common to all facets: canting east, canting north, second order.
    std::vector<ErrorMode> common_modes() const;
    /// Returns the facet centres along east and north in units of their root mean square.
    Places facet_places() const;

    Surface start_;
    std::vector<std::array<int, 2>> powers_;  ///< Exponents i, j of each coefficient.
    std::vector<FacetPoints> facets_;
};

/// Difference of the slopes of two mirrors in the rectangle about the facets of the first: pixels
/// in rows from the north, columns from the west. Pixels between facets are not a number.
struct SlopeMap {
    int width = 0;                   ///< Number of columns, pixels.
    int height = 0;                  ///< Number of rows, pixels.
    std::array<double, 2> extent{};  ///< Extent east and north, m.
    std::vector<double> east;        ///< Differences of du/de, radians.
    std::vector<double> north;       ///< Differences of du/dn, radians.
    /// Slope_deviation of the mirror, both components together, radians; 0 if it has none.
    std::vector<double> deviation;
};

/// Computes a slope map with 96 pixels along the longer edge. Throws InputError if the numbers of
/// facets differ.
SlopeMap slope_map(const Surface& mirror, const Surface& other);

/// Returns the root mean square of the difference between two mirrors' normals at the same points,
/// radians, both components together. The points are regular in the parameters of `truth`. Throws
/// InputError if the numbers of facets differ.
double slope_difference(const Surface& mirror, const Surface& truth);

}  // namespace helioray::reconstruction
