// SPDX-License-Identifier: MIT
// A mirror whose facets are bent by polynomials: the unknowns of a reconstruction.
#pragma once

#include "scenario/types.h"

#include <array>
#include <span>
#include <vector>

namespace helioray::reconstruction {

/// A point of a facet at the start, and the effect of each coefficient on it. Vectors are in the
/// mirror frame.
struct ShapePoint {
    Vec3 point{};                   ///< metres
    std::array<double, 2> slope{};  ///< du/de and du/dn in the facet's frame
    /// By coefficient of the facet: height (metres), du/de and du/dn, of 1 rad.
    std::vector<std::array<double, 3>> effect;
};

/// Kinds of errors that mirrors have, each of its own size.
enum ErrorKind : size_t {
    common_canting,    ///< all facets canted too much or too little
    common_curvature,  ///< second order that all facets have in common
    own_canting,       ///< of single facets
    own_curvature,     ///< second order
    own_waves,         ///< third and fourth order
};
/// How many there are.
inline constexpr size_t kErrorKinds = 5;

/// By kind: how large the errors of one mirror are in units of what is expected of any.
using ErrorScales = std::array<double, kErrorKinds>;
/// Those of the prior.
inline constexpr ErrorScales kUsualErrors{1.0, 1.0, 1.0, 1.0, 1.0};

/// An error of one kind that does not depend on the others.
struct ErrorMode {
    ErrorKind kind;                ///< what its size belongs to
    std::vector<double> unknowns;  ///< of one expected standard deviation, radians
};

/// Heights above a start surface, a polynomial in each facet's own frame.
///
/// The polynomials have the terms (x/h)^i (y/h)^j h with 1 <= i + j <= order, h the mean of the
/// facet's half extents, so that every coefficient is a slope in radians: tilts (canting) first,
/// then focal lengths and twist, then higher orders. The heights of facet centres are those of the
/// start, as images do not show them.
class MirrorShape {
  public:
    /// start: every facet shape. most_order: of the polynomials; with more than eight facets they
    /// have the second order at most, with more than 32 the first. Throws InputError as
    /// evaluate_facet.
    explicit MirrorShape(const Surface& start, int most_order = 4);

    /// What the heights are above.
    const Surface& start() const { return start_; }

    /// Of the mirror.
    size_t num_facets() const { return facets_.size(); }
    size_t num_coefficients() const { return powers_.size(); }  ///< of each facet
    /// Of all facets.
    size_t num_unknowns() const { return num_facets() * num_coefficients(); }

    /// Points spread evenly over a facet.
    const std::vector<ShapePoint>& points(size_t facet) const { return facets_[facet].points; }
    /// Area that each point of a facet stands for, m2.
    double point_area(size_t facet) const { return facets_[facet].point_area; }
    /// Unit axes e, n, u of a facet in the mirror frame.
    const std::array<Vec3, 3>& axes(size_t facet) const { return facets_[facet].axes; }

    /// What mirrors consist of: every facet differs from its start in its own way, and all of them
    /// in the same way, as they have been canted and made on the same tools.
    std::vector<ErrorMode> error_modes() const;

    /// Covariance that is expected of the unknowns, [unknowns, unknowns], rad^2.
    std::vector<double> expected_covariance(const ErrorScales& scales = kUsualErrors) const;

    /// Unknowns of mirrors that are canted more or less than the start along east and north, by
    /// `far` times what is expected. An image of a mirror canted too much resembles one of a mirror
    /// canted too little, so that a fit has to begin on either side.
    std::vector<std::vector<double>> cantings_to_try(double far) const;

    /// The larger part of these unknowns that is such a canting, in units of what is expected.
    double canting_of(const std::vector<double>& unknowns) const;

    /// The bent mirror in ARTIST's form of fitted surfaces: the control points contain canting and
    /// translation. unknowns: [facets, coefficients], radians. covariance: [unknowns, unknowns],
    /// rad^2; it gives the facets' slope_deviation. unresolved: of normals besides, by what the
    /// polynomials do not describe, radians, both components together.
    Surface surface(std::span<const double> unknowns,
                    std::span<const double> covariance,
                    double unresolved = 0.0) const;

    /// Root mean square over the mirror of the standard deviation of a normal's direction, radians,
    /// both components together. covariance and unresolved as for surface().
    double slope_deviation(std::span<const double> covariance, double unresolved = 0.0) const;

  private:
    struct FacetPoints {
        std::array<Vec3, 3> axes{};
        double half = 0.0;  ///< metres, mean of the half extents
        std::vector<ShapePoint> points;
        double point_area = 0.0;  ///< m2
    };
    using Effects = std::vector<std::array<double, 3>>;

    /// Of the coefficients at a place of a facet, metres from its centre.
    Effects effects_at(size_t facet, double x, double y) const;
    ShapePoint shape_point(size_t facet, const Vec3& point, const Vec3& normal) const;
    /// Standard deviations of the slopes along e and n.
    std::array<double, 2> deviation(const Effects& effects,
                                    size_t facet,
                                    std::span<const double> covariance,
                                    double unresolved) const;

    using Places = std::vector<std::array<double, 2>>;
    /// Ways in which all facets differ alike: canting east, canting north, second order.
    std::vector<ErrorMode> common_modes() const;
    /// Facet centres along east and north in units of their root mean square.
    Places facet_places() const;

    Surface start_;
    std::vector<std::array<int, 2>> powers_;  ///< i, j of each coefficient
    std::vector<FacetPoints> facets_;
};

/// Slopes of a mirror less those of another one, in the rectangle about its facets: pixels in rows
/// from the north, columns from the west. Not a number between facets.
struct SlopeMap {
    int width = 0;                   ///< pixels
    int height = 0;                  ///< pixels
    std::array<double, 2> extent{};  ///< metres, east and north
    std::vector<double> east;        ///< radians, of du/de
    std::vector<double> north;       ///< radians, of du/dn
    /// Radians, both components together, of the mirror's slope_deviation; 0 where it has none.
    std::vector<double> deviation;
};

/// 96 pixels along the longer edge. Throws InputError where the numbers of facets differ.
SlopeMap slope_map(const Surface& mirror, const Surface& other);

/// Root mean square of the difference between two mirrors' normals in the same places, radians,
/// both components together. The places are regular in the parameters of `truth`. Throws InputError
/// where the numbers of facets differ.
double slope_difference(const Surface& mirror, const Surface& truth);

}  // namespace helioray::reconstruction
