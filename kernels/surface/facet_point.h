// SPDX-License-Identifier: MIT
// Points of a heliostat's mirror, uniformly distributed by true area, one in each lane of Real; and
// the adjoint from a point to the heliostat's pose and the facet's control points.
#pragma once

#include "kernels/core/trace_types.h"
#include "kernels/surface/analytic.h"
#include "kernels/surface/bspline.h"
#include "kernels/surface/outline.h"

namespace helioray::kernels {

/// Starting point of a bundle of rays, in the frame of the heliostat's target.
template <typename Real>
struct BasicMirrorPoint {
    Vec<Real> position;
    Vec<Real> normal;     ///< unit, towards the lit side
    Vec<Real> tangent_e;  ///< unit, perpendicular to the normal, along the mirror's e axis
    Vec<Real> tangent_n;  ///< normal cross tangent_e
    Real residual;        ///< true area element / area element of the sampling density; mean 1
};
using MirrorPoint = BasicMirrorPoint<float>;

/// A facet in each lane. Kind and sizes of arrays are those of `record` in all lanes.
template <typename Real>
struct ChosenFacet {
    using Int = typename LaneTraits<Real>::Int;
    const FacetRecord* record;  ///< one lane: the facet; several lanes: the heliostat's first facet
    Int words;                  ///< 32-bit words from `record` to each lane's facet

    /// Returns a number of the facets; `member` is that of `record`.
    HELIORAY_HD Real operator()(const float& member) const {
        return gather(&member, words, Real());
    }
    HELIORAY_HD Vec<Real> vector(const float (&v)[3]) const {
        return {(*this)(v[0]), (*this)(v[1]), (*this)(v[2])};
    }
    /// Returns the difference of an offset into the floats of the field from that of `record`.
    HELIORAY_HD Int offset_difference(const int64_t& member) const {
        if constexpr (LaneTraits<Real>::kWidth == 1) {
            return 0;
        } else {
            return low_words(&member, words, Real()) -
                   make_int(static_cast<int32_t>(member), Real());
        }
    }
};

/// Returns the parameter for a uniform number from a piecewise linear table, and its slope. `part`
/// is the start of the lanes' tables.
template <typename Real>
HELIORAY_HD Real
from_table(const float* table, typename LaneTraits<Real>::Int part, Real uniform, Real& slope) {
    const Real size(static_cast<float>(kSamplingTableSize));
    const Real x = uniform * size;
    const auto i = min_(truncate_to_int(x), make_int(kSamplingTableSize - 1, x));
    HELIORAY_ASSERT(smallest(i) >= 0, "a uniform number is finite and not negative");
    const Real low = gather(table, i + part, x);
    const Real rise = gather(table + 1, i + part, x) - low;
    slope = rise * size;
    return fma_(rise, x - to_real(i, x), low);
}

/// A point of a facet in the facet's frame.
template <typename Real>
struct FacetPoint {
    ChosenFacet<Real> facet;
    Vec<Real> point;
    Vec<Real> normal;  ///< normal towards the lit side; its length is part of the area element
    Real area;         ///< |normal| * area = area element per unit square of numbers
    SurfacePatch<Real> patch;  ///< B-splines: normal = tangent_u cross tangent_v
};

/// Computes a point of a facet's outline that is not the whole rectangle, uniform in its plane, in
/// units of the half extents.
template <typename Real>
HELIORAY_HD void point_in_outline(
    const float* floats, const ChosenFacet<Real>& facet, Real xi, Real eta, Real& x, Real& y) {
    const FacetRecord& record = *facet.record;
    if (record.outline == FacetOutline::ellipse) {
        point_in_ellipse(xi, eta, facet(record.hole), x, y);
    } else {
        point_in_polygon(floats + record.triangles,
                         facet.offset_difference(record.triangles),
                         record.num_triangles,
                         xi,
                         eta,
                         x,
                         y);
    }
    // Rounding may leave the rectangle.
    x = min_(max_(x, Real(-1.0f)), Real(1.0f));
    y = min_(max_(y, Real(-1.0f)), Real(1.0f));
}

/// Computes the point of its facet from two uniform numbers.
template <typename Real>
HELIORAY_HD void facet_point(const float* floats, Real xi, Real eta, FacetPoint<Real>& result) {
    const ChosenFacet<Real>& facet = result.facet;
    const FacetRecord& record = *facet.record;
    const bool is_rectangle = record.outline == FacetOutline::rectangle;
    if (record.kind == FacetKind::bspline) {
        Real u, v;
        if (is_rectangle) {
            const float* tables = floats + record.sampling_tables;
            const auto part = facet.offset_difference(record.sampling_tables);
            Real slope_u, slope_v;
            u = from_table(tables, part, xi, slope_u);
            v = from_table(tables + kSamplingTableSize + 1, part, eta, slope_v);
            result.area = slope_u * slope_v;
        } else {
            point_in_outline(floats, facet, xi, eta, u, v);
            u = fma_(Real(0.5f), u, Real(0.5f));
            v = fma_(Real(0.5f), v, Real(0.5f));
            result.area = facet(record.outline_fraction);
        }
        evaluate_bspline(floats + record.control_points,
                         facet.offset_difference(record.control_points),
                         record.num_control_points,
                         record.degrees,
                         u,
                         v,
                         result.patch);
        result.point = result.patch.point;
        result.normal = cross(result.patch.tangent_u, result.patch.tangent_v);
        return;
    }
    const Real half_e = facet(record.half_extent[0]);
    const Real half_n = facet(record.half_extent[1]);
    result.area = Real(4.0f) * half_e * half_n;
    Real x = fma_(Real(2.0f), xi, Real(-1.0f));
    Real y = fma_(Real(2.0f), eta, Real(-1.0f));
    if (!is_rectangle) {
        point_in_outline(floats, facet, xi, eta, x, y);
        result.area = result.area * facet(record.outline_fraction);
    }
    analytic_surface(record.kind,
                     facet(record.focal_length),
                     x * half_e,
                     y * half_n,
                     result.point,
                     result.normal);
}

/// One heliostat in all lanes.
template <typename Real>
struct OneHeliostat {
    const HeliostatRecord& record;

    /// These functions return a number of the heliostat and of its facet i; `member` is that of
    /// `record` or facet i.
    HELIORAY_HD Real operator()(const float& member) const { return Real(member); }
    HELIORAY_HD Real of_facet(const float& member) const { return Real(member); }
    HELIORAY_HD typename LaneTraits<Real>::Int first_facet() const { return make_int(0, Real()); }
};

/// A heliostat in each lane, see have_facets_alike().
template <typename Real>
struct HeliostatLanes {
    using Int = typename LaneTraits<Real>::Int;
    const HeliostatRecord& record;  ///< record of one of them
    Int words;                      ///< 32-bit words from `record` to each lane's heliostat
    Int facet_words;  ///< 32-bit words from the first facet of `record` to each lane's

    HELIORAY_HD Real operator()(const float& member) const {
        return gather(&member, words, Real());
    }
    HELIORAY_HD Real of_facet(const float& member) const {
        return gather(&member, facet_words, Real());
    }
    HELIORAY_HD Int first_facet() const { return facet_words; }
};

/// Returns a vector of three numbers of heliostats.
template <typename Heliostat>
HELIORAY_HD auto make_vector(const Heliostat& h, const float& x, const float& y, const float& z)
    -> Vec<decltype(h(x))> {
    return {h(x), h(y), h(z)};
}

/// Chooses facets by area with uniform numbers, and rescales the numbers for the points within
/// them.
template <typename Heliostat, typename Real>
HELIORAY_HD ChosenFacet<Real> choose_facet(const FieldView& field,
                                           const Heliostat& h,
                                           Real xi,
                                           Real& within) {
    const FacetRecord* first = field.facets + h.record.first_facet;
    const auto zero = make_int(0, xi);
    auto index = zero;
    Real begin(0.0f);
    for (int32_t i = 0; i + 1 < h.record.num_facets; ++i) {
        const Real end = h.of_facet(first[i].cumulative_area);
        const auto beyond = xi >= end;
        index = index + select(beyond, make_int(1, xi), zero);
        begin = select(beyond, end, begin);
    }
    ChosenFacet<Real> facet;
    if constexpr (LaneTraits<Real>::kWidth == 1) {
        facet = {first + index, zero};
    } else {
        facet = {first, h.first_facet() + index * make_int(sizeof(FacetRecord) / 4, xi)};
    }
    const Real end = facet(facet.record->cumulative_area);
    within = min_(max_((xi - begin) / (end - begin), Real(0.0f)), Real(1.0f));
    return facet;
}

/// Returns true if different lanes may choose a and b: they differ in numbers only, and their
/// B-splines are cubic and within reach of each other, as are the triangles of their outlines.
HELIORAY_HD bool are_alike(const FacetRecord& a, const FacetRecord& b) {
    if (a.kind != b.kind || a.outline != b.outline) return false;
    constexpr int64_t kReach = int64_t{1} << 30;
    if (a.outline == FacetOutline::polygon) {
        const int64_t polygons_apart = a.triangles - b.triangles;
        if (a.num_triangles != b.num_triangles || polygons_apart <= -kReach ||
            polygons_apart >= kReach)
            return false;
    }
    if (a.kind != FacetKind::bspline) return true;
    const int64_t apart = a.control_points - b.control_points;
    const int64_t tables_apart = a.sampling_tables - b.sampling_tables;
    if (apart <= -kReach || apart >= kReach || tables_apart <= -kReach || tables_apart >= kReach)
        return false;
    for (int k = 0; k < 2; ++k) {
        if (a.degrees[k] != 3 || b.degrees[k] != 3 ||
            a.num_control_points[k] != b.num_control_points[k])
            return false;
    }
    return true;
}

/// Returns true if lanes may choose any facets of two heliostats, which must have equally many.
HELIORAY_HD bool have_facets_alike(const FieldView& field,
                                   const HeliostatRecord& h,
                                   const HeliostatRecord& other) {
    if (h.num_facets != other.num_facets) return false;
    const FacetRecord& first = field.facets[h.first_facet];
    for (int32_t i = 0; i < other.num_facets; ++i) {
        if (!are_alike(first, field.facets[other.first_facet + i])) return false;
    }
    return true;
}

/// Returns true if lanes may choose different facets of heliostat h.
HELIORAY_HD bool has_facets_alike(const FieldView& field, const HeliostatRecord& h) {
    return have_facets_alike(field, h, h);
}

/// Returns points of heliostats for two uniform numbers in (0, 1); the first one also chooses the
/// facet. `local` receives the points in the facet's frame. Several lanes need alike facets.
template <typename Heliostat, typename Real>
HELIORAY_HD BasicMirrorPoint<Real> compute_points(
    const FieldView& field, const Heliostat& h, Real xi, Real eta, FacetPoint<Real>& local) {
    Real within;
    local.facet = choose_facet(field, h, xi, within);
    const ChosenFacet<Real>& facet = local.facet;
    const FacetRecord& record = *facet.record;
    facet_point(field.floats, within, eta, local);
    const Real length = sqrt_(dot(local.normal, local.normal));

    BasicMirrorPoint<Real> result;
    // The float width of the interval is the sampled fraction of area, so the weight remains
    // unbiased.
    result.residual = length * local.area / facet(record.area);
    const Vec<Real> in_mirror = add_scaled(rotate_in_lanes(facet, record.rotation, local.point),
                                           Real(1.0f),
                                           facet.vector(record.translation));
    const float(&rotation)[9] = h.record.rotation;
    const float(&translation)[3] = h.record.translation;
    result.position = add_scaled(rotate_in_lanes(h, rotation, in_mirror),
                                 Real(1.0f),
                                 make_vector(h, translation[0], translation[1], translation[2]));
    result.normal = rotate_in_lanes(
        h,
        rotation,
        rotate_in_lanes(facet, record.rotation, scaled(Real(1.0f) / length, local.normal)));
    const Vec<Real> e = make_vector(h, rotation[0], rotation[3], rotation[6]);
    result.tangent_e = normalized(add_scaled(e, -dot(e, result.normal), result.normal));
    result.tangent_n = cross(result.normal, result.tangent_e);
    return result;
}

/// Returns the point of one heliostat.
template <typename Real>
HELIORAY_HD BasicMirrorPoint<Real> mirror_point(
    const FieldView& field, const HeliostatRecord& h, Real xi, Real eta, FacetPoint<Real>& local) {
    return compute_points(field, OneHeliostat<Real>{h}, xi, eta, local);
}

template <typename Real>
HELIORAY_HD BasicMirrorPoint<Real> mirror_point(const FieldView& field,
                                                const HeliostatRecord& h,
                                                Real xi,
                                                Real eta) {
    FacetPoint<Real> local;
    return mirror_point(field, h, xi, eta, local);
}

/// Derivatives at a mirror point.
struct PointAdjoint {
    Vec<float> position;  ///< target frame
    Vec<float> normal;    ///< target frame
    float value;  ///< derivative of the loss, which is proportional to the point's area element
};

/// Adds column times row of two vectors to the derivatives with respect to the rotation.
template <typename Sink>
HELIORAY_HD void add_outer(const Vec<float>& column, const Vec<float>& row, Sink& sink) {
    const float columns[3] = {column.x, column.y, column.z};
    for (int i = 0; i < 3; ++i) {
        sink.add(kRotationGradient + 3 * i, columns[i] * row.x);
        sink.add(kRotationGradient + 3 * i + 1, columns[i] * row.y);
        sink.add(kRotationGradient + 3 * i + 2, columns[i] * row.z);
    }
}

/// Adds the derivatives of the mirror point `local` in its facet's frame: those of the rotation and
/// translation, and on a B-spline facet those of its control points. Sink offers
/// add(HeliostatGradient, float) and add_float(index into FieldView::floats, float).
///
/// The choice of the facet and the position of the point on it are held fixed; the area that the
/// point represents is not.
template <typename Sink>
HELIORAY_HD void point_adjoint(const HeliostatRecord& h,
                               const FacetPoint<float>& local,
                               const PointAdjoint& adjoint,
                               Sink& sink) {
    const FacetRecord& facet = *local.facet.record;

    const Vec<float> in_mirror =
        add_scaled(rotate(facet.rotation, local.point), 1.0f, to_vec(facet.translation));
    const float length = sqrt_(dot(local.normal, local.normal));
    const Vec<float> unit = scaled(1.0f / length, local.normal);
    add_outer(adjoint.position, in_mirror, sink);
    add_outer(adjoint.normal, rotate(facet.rotation, unit), sink);
    sink.add(kTranslationGradient, adjoint.position.x);
    sink.add(kTranslationGradient + 1, adjoint.position.y);
    sink.add(kTranslationGradient + 2, adjoint.position.z);
    if (facet.kind != FacetKind::bspline) return;

    // Differentiate the direction of the normal, and its length as area element.
    const Vec<float> to_point =
        rotate_back(facet.rotation, rotate_back(h.rotation, adjoint.position));
    const Vec<float> to_unit = rotate_back(facet.rotation, rotate_back(h.rotation, adjoint.normal));
    const float inverse_length = 1.0f / length;
    const Vec<float> to_normal =
        scaled(inverse_length, add_scaled(to_unit, adjoint.value - dot(to_unit, unit), unit));
    const Vec<float> to_tangent_u = cross(local.patch.tangent_v, to_normal);
    const Vec<float> to_tangent_v = cross(to_normal, local.patch.tangent_u);
    if (facet.degrees[0] == 3 && facet.degrees[1] == 3) {
        bspline_adjoint<3>(facet.control_points,
                           facet.num_control_points,
                           facet.degrees,
                           local.patch,
                           to_point,
                           to_tangent_u,
                           to_tangent_v,
                           sink);
    } else {
        bspline_adjoint<0>(facet.control_points,
                           facet.num_control_points,
                           facet.degrees,
                           local.patch,
                           to_point,
                           to_tangent_u,
                           to_tangent_v,
                           sink);
    }
}

}  // namespace helioray::kernels
