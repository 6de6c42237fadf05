// SPDX-License-Identifier: MIT
// Edges of mirrors and bodies as rays pass them: how the power that gets by changes when rays move.
//
// The share of a ray that passes occluders k is the product of H(s_k), where H is the unit step and
// s_k the distance of the ray from the outline of occluder k, negative where the ray meets it. The
// derivative of the product is a sum over occluders of delta(s_k) ds_k times the other steps: an
// integral over the outlines as the mirror point sees them, with the light that arrives along the
// outline. It is what the coarea formula makes of the derivative of an integral over a region that
// moves; differentiable renderers know it as the boundary integral of visibility (Li et al.,
// "Differentiable Monte Carlo ray tracing through edge sampling", ACM TOG 37 (2018) 222).
//
// Here no rays are drawn on the outlines. The rays that there are stand for them: delta is a
// parabola of the width 2 * reach, 3 / (4 reach) (1 - (s / reach)^2). What rays carry that meet the
// occluder is known as well, because paths are traced to their end. The parabola has no first
// moment, so the error of a smooth distribution of light is of second order in the reach: a tenth
// of its second derivative times reach^2.
#pragma once

#include "kernels/ray/occlusion.h"

namespace helioray::kernels {

/// Reach of edges in shares of a mirror's size, the square root of its area.
inline constexpr float kEdgeReach = 0.04f;

/// Metres from an edge within which rays of the heliostat stand for those on it.
HELIORAY_HD float edge_reach(const FieldView& field, const HeliostatRecord& h) {
    // The first facet's share of the area begins at 0.
    const FacetRecord& first = field.facets[h.first_facet];
    return kEdgeReach * sqrt_(first.area / first.cumulative_area);
}

/// Where the line of a ray comes closest to an occluder's outline, as far as looked for.
template <typename Real>
struct NearestEdge {
    using Mask = typename LaneTraits<Real>::Mask;
    Real outside{
        -kNoLimit};  ///< metres from the outline; negative where the line meets the occluder
    Vec<Real> away;  ///< unit, to the outside; of the occluder's axes while it is a body's
    Real distance;   ///< metres along the ray

    /// Takes an edge that is farther outside than those before. margin: any function of the ray
    /// with the sign of its distance from the edge, which grows with the ray's origin as `growth`,
    /// a vector of the length^2 `square`.
    HELIORAY_HD void take(const Mask& is_edge,
                          const Real& margin,
                          const Vec<Real>& growth,
                          const Real& square,
                          const Real& along) {
        const Real inverse = Real(1.0f) / sqrt_(square);
        const Real distance_across = margin * inverse;
        const Mask farther = is_edge & (distance_across > outside);
        outside = select(farther, distance_across, outside);
        away.x = select(farther, growth.x * inverse, away.x);
        away.y = select(farther, growth.y * inverse, away.y);
        away.z = select(farther, growth.z * inverse, away.z);
        distance = select(farther, along, distance);
    }
};

/// 1 with the sign of x.
template <typename Real>
HELIORAY_HD Real sign_of(Real x) {
    return select(x < Real(0.0f), Real(-1.0f), Real(1.0f));
}

/// A margin as NearestEdge::take has it, not yet divided by its growth.
template <typename Real>
struct EdgeMargin {
    Real margin, square;

    /// Within `reach` metres of the edge.
    HELIORAY_HD auto is_near(Real reach) const { return margin * margin < reach * reach * square; }
    /// Inside, or within reach.
    HELIORAY_HD auto is_inside(Real reach) const { return (margin <= Real(0.0f)) | is_near(reach); }
};

/// The edge of a facet next to a hit on its surface; false where no lane comes within reach.
template <typename Real>
HELIORAY_HD bool find_edge(const FacetInView& facet,
                           const FacetHit<Real>& hit,
                           Real reach,
                           NearestEdge<Real>& edge) {
    // Where the ray moves by d o, the hit's x changes by (X - (X . d) / (N . d) N) . d o: the hit
    // slides along the surface as far as that is tilted against the ray.
    const Vec<Real> axis_x = broadcast<Real>(facet.axis_x);
    const Vec<Real> axis_y = broadcast<Real>(facet.axis_y);
    const Vec<Real> normal = add_scaled(
        add_scaled(broadcast<Real>(facet.normal), -hit.rise_x, axis_x), -hit.rise_y, axis_y);
    const Real inverse = Real(1.0f) / hit.toward;
    const Vec<Real> growth_x = add_scaled(axis_x, -(hit.along_x * inverse), normal);
    const Vec<Real> growth_y = add_scaled(axis_y, -(hit.along_y * inverse), normal);
    const EdgeMargin<Real> x{abs_(hit.x) - Real(1.0f), dot(growth_x, growth_x)};
    const EdgeMargin<Real> y{abs_(hit.y) - Real(1.0f), dot(growth_y, growth_y)};
    const typename LaneTraits<Real>::Mask near =
        x.is_inside(reach) & y.is_inside(reach) & (x.is_near(reach) | y.is_near(reach));
    if (!any(near)) return false;
    edge.take(near, x.margin, scaled(sign_of(hit.x), growth_x), x.square, hit.distance);
    edge.take(near, y.margin, scaled(sign_of(hit.y), growth_y), y.square, hit.distance);
    return true;
}

/// A body's axes i and j, and a ray in their coordinates.
template <typename Real>
struct BodyPlane {
    Real o_i, o_j, d_i, d_j;

    /// Twice the area between ray and centre per metre of the ray; grows as d_j along i and as -d_i
    /// along j.
    HELIORAY_HD Real turn() const { return fma_(o_i, d_j, -(o_j * d_i)); }
    /// Of the edges of a box along its third axis: a box is as wide as two of them are apart.
    HELIORAY_HD EdgeMargin<Real> margin(float square_i, float square_j) const {
        return {abs_(turn()) - (abs_(d_i) + abs_(d_j)),
                fma_(d_j * d_j, Real(square_i), d_i * d_i * Real(square_j))};
    }
    /// Metres along the ray to the point closest to that edge.
    HELIORAY_HD Real distance() const {
        const Real side = sign_of(turn());
        const Real to_i = side * sign_of(d_j) - o_i;
        const Real to_j = -(side * sign_of(d_i)) - o_j;
        return fma_(to_i, d_i, to_j * d_j) / fma_(d_i, d_i, d_j * d_j);
    }
};

/// The edge of a box on its outline as seen along a ray; the outline is a hexagon, of which two
/// opposite sides are edges along each of the axes. o, d: the ray in the box's coordinates;
/// squares: of the lengths of its axes.
template <typename Real>
HELIORAY_HD bool find_box_edge(const Vec<Real>& o,
                               const Vec<Real>& d,
                               const Vec<float>& squares,
                               Real reach,
                               NearestEdge<Real>& edge) {
    const BodyPlane<Real> yz{o.y, o.z, d.y, d.z};
    const BodyPlane<Real> zx{o.z, o.x, d.z, d.x};
    const BodyPlane<Real> xy{o.x, o.y, d.x, d.y};
    const EdgeMargin<Real> x = yz.margin(squares.y, squares.z);
    const EdgeMargin<Real> y = zx.margin(squares.z, squares.x);
    const EdgeMargin<Real> z = xy.margin(squares.x, squares.y);
    const typename LaneTraits<Real>::Mask near =
        x.is_inside(reach) & y.is_inside(reach) & z.is_inside(reach) &
        (x.is_near(reach) | y.is_near(reach) | z.is_near(reach));
    if (!any(near)) return false;
    const Real zero(0.0f);
    const Real side_x = sign_of(yz.turn());
    const Real side_y = sign_of(zx.turn());
    const Real side_z = sign_of(xy.turn());
    edge.take(near, x.margin, {zero, side_x * d.z, -(side_x * d.y)}, x.square, yz.distance());
    edge.take(near, y.margin, {-(side_y * d.z), zero, side_y * d.x}, y.square, zx.distance());
    edge.take(near, z.margin, {side_z * d.y, -(side_z * d.x), zero}, z.square, xy.distance());
    return true;
}

/// The same of a cylinder about z: its outline consists of two lines along its sides and of half of
/// the rim of each end.
template <typename Real>
HELIORAY_HD bool find_cylinder_edge(const Vec<Real>& o,
                                    const Vec<Real>& d,
                                    const Vec<float>& squares,
                                    Real reach,
                                    NearestEdge<Real>& edge) {
    const Real one(1.0f);
    const Real zero(0.0f);
    const BodyPlane<Real> xy{o.x, o.y, d.x, d.y};
    const Real turn = xy.turn();
    const Real a = fma_(d.x, d.x, d.y * d.y);
    const Real length = sqrt_(a);
    const EdgeMargin<Real> side{abs_(turn) - length, a * Real(squares.x)};
    const typename LaneTraits<Real>::Mask near = side.is_inside(reach);
    if (!any(near)) return false;

    // Sides, between the ends.
    const Real middle = -fma_(o.x, d.x, o.y * d.y) / a;
    const Real sign = sign_of(turn);
    edge.take(near & (abs_(fma_(middle, d.z, o.z)) <= one),
              side.margin,
              {sign * d.y, -(sign * d.x), zero},
              side.square,
              middle);

    // Ends: the height at which the ray enters or leaves the sides, in direction of its rise.
    const Real discriminant = a - turn * turn;
    const auto meets_sides = near & (discriminant > zero);
    const Real root = sqrt_(max_(discriminant, zero));
    const Real rise = sign_of(d.z);
    const Real square = fma_(d.z * d.z, Real(squares.x), root * root * Real(squares.z));
    const Real half = root / a;
    for (const float end : {1.0f, -1.0f}) {
        // It passes above the end that it rises towards, or below the other.
        const Real t = middle - Real(end) * half;
        const Real up = Real(end) * rise;
        const Real height = up * fma_(t, d.z, o.z) - one;
        const Real turned = rise * d.z;
        edge.take(meets_sides,
                  height * root,
                  {turned * fma_(t, d.x, o.x), turned * fma_(t, d.y, o.y), up * root},
                  square,
                  t);
    }
    return true;
}

/// The outline of a body next to a ray of unit direction d; false where no lane comes within reach.
template <typename Real>
HELIORAY_HD bool find_edge(const ObstacleRecord& body,
                           const Vec<float>& origin,
                           const Vec<Real>& d,
                           Real reach,
                           NearestEdge<Real>& edge) {
    const float(&axes)[9] = body.axes;
    const Vec<Real> o = broadcast<Real>(rotate(axes, origin - to_vec(body.center)));
    const Vec<Real> local = rotate(axes, d);
    Vec<float> squares{};
    squares.x = fma_(axes[0], axes[0], fma_(axes[1], axes[1], axes[2] * axes[2]));
    squares.y = fma_(axes[3], axes[3], fma_(axes[4], axes[4], axes[5] * axes[5]));
    squares.z = fma_(axes[6], axes[6], fma_(axes[7], axes[7], axes[8] * axes[8]));
    const bool found = body.kind == ObstacleRecord::Kind::box
                           ? find_box_edge(o, local, squares, reach, edge)
                           : find_cylinder_edge(o, local, squares, reach, edge);
    if (found) edge.away = rotate_back(axes, edge.away);
    return found;
}

/// Derivative of the share of a ray that passes.
template <typename Real>
struct PassingAdjoint {
    Vec<Real> origin{Real(0.0f), Real(0.0f), Real(0.0f)};     ///< per metre
    Vec<Real> direction{Real(0.0f), Real(0.0f), Real(0.0f)};  ///< per radian

    HELIORAY_HD void add(const typename LaneTraits<Real>::Mask& where,
                         const Real& weight,
                         const NearestEdge<Real>& edge) {
        const Vec<Real> pull = {select(where, weight * edge.away.x, Real(0.0f)),
                                select(where, weight * edge.away.y, Real(0.0f)),
                                select(where, weight * edge.away.z, Real(0.0f))};
        origin = add_scaled(origin, Real(1.0f), pull);
        direction = add_scaled(direction, select(where, edge.distance, Real(0.0f)), pull);
    }
};

/// What a Meeting finds, and the edges of all that rays pass or meet.
template <typename Real>
struct EdgeMeeting {
    const Vec<Real>& d;  ///< unit
    Real limit;
    Real body_limit;
    float reach_of_edges;           ///< metres, see edge_reach
    Real count{0.0f};               ///< of the facets and bodies that a ray meets
    PassingAdjoint<Real> passed{};  ///< by edges of those that it does not meet
    PassingAdjoint<Real> met{};     ///< by edges of those that it does

    HELIORAY_HD void see(const FacetInView& facet) {
        FacetHit<Real> hit;
        hit_facet(facet, d, hit);
        const auto ahead = (hit.distance > Real(0.0f)) & (hit.distance < limit);
        const auto is_met = ahead & is_within(hit);
        count = count + select(is_met, Real(1.0f), Real(0.0f));
        NearestEdge<Real> edge;
        if (find_edge(facet, hit, Real(reach_of_edges), edge)) add(is_met, ahead, edge);
    }
    HELIORAY_HD void see(const ObstacleRecord& body, const Vec<float>& origin) {
        const auto is_met = meets_obstacle(body, origin, d, body_limit);
        count = count + select(is_met, Real(1.0f), Real(0.0f));
        NearestEdge<Real> edge;
        if (!find_edge(body, origin, d, Real(reach_of_edges), edge)) return;
        add(is_met, (edge.distance > Real(0.0f)) & (edge.distance < body_limit), edge);
    }
    HELIORAY_HD float reach() const { return reach_of_edges; }
    /// Nothing that two of them hide comes into sight at an edge.
    HELIORAY_HD bool is_done() const { return !any(count < Real(2.0f)); }

  private:
    HELIORAY_HD void add(const typename LaneTraits<Real>::Mask& is_met,
                         const typename LaneTraits<Real>::Mask& ahead,
                         const NearestEdge<Real>& edge) {
        const Real share = edge.outside * Real(1.0f / reach_of_edges);
        const Real weight = fma_(-share, share, Real(1.0f)) * Real(0.75f / reach_of_edges);
        const auto near = ahead & (weight > Real(0.0f));
        passed.add(near & !is_met & (edge.outside >= Real(0.0f)), weight, edge);
        met.add(near & is_met & (edge.outside < Real(0.0f)), weight, edge);
    }
};

/// Rays that nothing is in the way of, and what light edges add where rays move.
template <typename Real>
struct FreeRays {
    typename LaneTraits<Real>::Mask mask;
    Vec<Real> to_origin;     ///< derivatives of the share that passes by the mirror point,
    Vec<Real> to_sun;        ///< by the direction to the sun,
    Vec<Real> to_reflected;  ///< and by the reflected one
};

/// Of rays that meet none, or a single one; else zero.
template <typename Real>
HELIORAY_HD Vec<Real> unhidden(const Real& count, const Vec<Real>& passed, const Vec<Real>& met) {
    const Real zero(0.0f);
    const auto none = count < Real(0.5f);
    const auto single = count < Real(1.5f);
    return {select(none, passed.x, select(single, met.x, zero)),
            select(none, passed.y, select(single, met.y, zero)),
            select(none, passed.z, select(single, met.z, zero))};
}

/// sunward, targetward: all that rays may come by on both ways. An edge counts for rays that
/// nothing else hides.
template <typename Real>
HELIORAY_HD FreeRays<Real> free_rays(const EdgeMeeting<Real>& sunward,
                                     const EdgeMeeting<Real>& targetward) {
    const Real count = sunward.count + targetward.count;
    FreeRays<Real> rays;
    rays.mask = count < Real(0.5f);
    rays.to_sun = unhidden(count, sunward.passed.direction, sunward.met.direction);
    rays.to_reflected = unhidden(count, targetward.passed.direction, targetward.met.direction);
    rays.to_origin = add_scaled(unhidden(count, sunward.passed.origin, sunward.met.origin),
                                Real(1.0f),
                                unhidden(count, targetward.passed.origin, targetward.met.origin));
    return rays;
}

}  // namespace helioray::kernels
