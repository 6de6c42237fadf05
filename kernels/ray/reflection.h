// SPDX-License-Identifier: MIT
// Light that the fronts of receivers' surfaces reflect: absorptance by angle of incidence, specular
// and diffuse directions, and the next surface that a reflected ray meets.
#pragma once

#include "kernels/core/elementary.h"
#include "kernels/core/look_up.h"
#include "kernels/random/sequence.h"
#include "kernels/ray/near_surfaces.h"
#include "kernels/ray/reflect.h"
#include "kernels/ray/surface_groups.h"

namespace helioray::kernels {

/// Distance from the start of a reflected ray within which rounding decides on which side of a
/// neighbouring surface it starts, metres.
inline constexpr float kStartGap = 2e-4f;

/// Returns a member of the record of each lane's surface; of_first: that of FieldView::surfaces[0].
template <typename Real>
HELIORAY_HD Real of_surface(const float& of_first,
                            typename LaneTraits<Real>::Int surface,
                            Real any_real) {
    constexpr auto kFloats = static_cast<int32_t>(sizeof(SurfaceRecord) / sizeof(float));
    return gather(&of_first, surface * make_int(kFloats, any_real), any_real);
}

/// Returns true if mirrors are among the surfaces of receivers.
HELIORAY_HD bool has_mirrors(const FieldView& field) {
    bool found = false;
    for (int32_t i = 0; i < field.num_surfaces; ++i)
        found = found || field.surfaces[i].optics.is_mirror != 0.0f;
    return found;
}

/// Returns true for surfaces that are mirrors.
template <typename Real>
HELIORAY_HD auto is_mirror(const FieldView& field,
                           typename LaneTraits<Real>::Int surface,
                           Real any_real) {
    return of_surface(field.surfaces[0].optics.is_mirror, surface, any_real) > Real(0.0f);
}

/// A place in the tables of absorptance by angle.
template <typename Real>
struct AbsorptancePlace {
    typename LaneTraits<Real>::Mask has_table;  ///< the surface has a table
    Real tangent;                               ///< tangent of half the angle of incidence
    Real part;                                  ///< part of the way to the next knot
    Real low;                                   ///< absorptance at the knot
    Real high;                                  ///< absorptance at the next one
};

/// Returns the place of light that meets surfaces with a cosine of incidence between 0 and 1.
/// Requires a field with tables.
template <typename Real>
HELIORAY_HD AbsorptancePlace<Real> absorptance_place(const FieldView& field,
                                                     typename LaneTraits<Real>::Int surface,
                                                     Real cosine) {
    const Real one(1.0f), zero(0.0f);
    const Real table = of_surface(field.surfaces[0].optics.table, surface, cosine);
    const Real tangent = sqrt_((one - cosine) / (one + cosine));
    const Real position = tangent * Real(static_cast<float>(kAbsorptanceTableSize));
    const auto knot = min_(truncate_to_int(position), make_int(kAbsorptanceTableSize - 1, cosine));
    const auto index =
        knot + truncate_to_int(max_(table, zero)) * make_int(kAbsorptanceTableSize + 1, cosine);
    const float* tables = field.floats + field.absorptance_tables;
    return {table >= zero,
            tangent,
            position - to_real(knot, cosine),
            gather(tables, index, cosine),
            gather(tables + 1, index, cosine)};
}

/// Returns the absorbed fraction of light on the fronts of surfaces. cosine: of the angle of
/// incidence, used only if a surface has a table.
template <typename Real>
HELIORAY_HD Real absorptance(const FieldView& field,
                             typename LaneTraits<Real>::Int surface,
                             Real cosine) {
    const Real constant = of_surface(field.surfaces[0].optics.absorptance, surface, cosine);
    if (field.absorptance_tables < 0) return constant;
    const Real bounded = max_(min_(cosine, Real(1.0f)), Real(0.0f));
    const AbsorptancePlace<Real> place = absorptance_place(field, surface, bounded);
    return select(place.has_table, fma_(place.high - place.low, place.part, place.low), constant);
}

/// Returns the derivative of absorptance() with respect to the cosine. Requires a field with
/// tables.
template <typename Real>
HELIORAY_HD Real absorptance_slope(const FieldView& field,
                                   typename LaneTraits<Real>::Int surface,
                                   Real cosine) {
    // Next to normal incidence the slope of the table's position is unbounded.
    const Real bounded = max_(min_(cosine, Real(0.9999f)), Real(0.0f));
    const AbsorptancePlace<Real> place = absorptance_place(field, surface, bounded);
    const Real whole = Real(1.0f) + bounded;
    const Real by_cosine =
        Real(-static_cast<float>(kAbsorptanceTableSize)) / (whole * whole * place.tangent);
    return select(place.has_table, (place.high - place.low) * by_cosine, Real(0.0f));
}

/// Returns the angle by which the normal of a mirror is tilted, radians. u: uniform number.
template <typename Real>
HELIORAY_HD Real mirror_tilt(Real slope_width, Real u) {
    return slope_width * sqrt_(Real(-2.0f) * log_positive(u));
}

/// Returns the directions in which light goes on that arrives along `direction` at a surface with
/// the unit normal n: the mirror image with the probability specular_fraction, otherwise diffuse
/// (Lambertian). slope_width: standard deviation of the normal about each tangent, which specular
/// light sees, radians.
template <typename Real>
HELIORAY_HD Vec<Real> reflected_direction(const Vec<Real>& direction,
                                          const Vec<Real>& n,
                                          Real specular_fraction,
                                          Real slope_width,
                                          const PhiloxWords<Real>& random) {
    const Real u = unit_interval(random.word[1], n.x);
    const Real sine = sqrt_(u);
    const Real cosine = sqrt_(Real(1.0f) - u);
    Real y, x;
    sincos_turn(unit_interval(random.word[2], n.x), y, x);
    Vec<Real> t1, t2;
    tangent_basis(n, t1, t2);
    const Vec<Real> diffuse = add_scaled(add_scaled(scaled(cosine, n), sine * x, t1), sine * y, t2);
    const Real along = dot(direction, n);
    Vec<Real> specular = add_scaled(direction, Real(-2.0f) * along, n);
    if (any(slope_width > Real(0.0f))) {
        // Diffuse light and slopes never need the same numbers.
        const Real slope = mirror_tilt(slope_width, u);
        const Vec<Real> tilted = add_scaled(add_scaled(n, slope * x, t1), slope * y, t2);
        const Real factor = Real(-2.0f) * dot(direction, tilted) / fma_(slope, slope, Real(1.0f));
        const Vec<Real> turned = add_scaled(direction, factor, tilted);
        // Light at grazing incidence does not go on behind the mirror.
        const auto is_before = (slope_width > Real(0.0f)) & (dot(turned, n) > Real(0.0f));
        specular = select_vec(is_before, turned, specular);
    }
    const auto is_specular = unit_interval(random.word[0], n.x) < specular_fraction;
    return select_vec(is_specular, specular, diffuse);
}

/// Returns the slopes of the normal of mirrors with which reflected_direction() tilts it for the
/// same numbers.
template <typename Real>
HELIORAY_HD Offset<Real> slope_offset(Real slope_width, const PhiloxWords<Real>& random) {
    const Real tilt = mirror_tilt(slope_width, unit_interval(random.word[1], slope_width));
    Real y, x;
    sincos_turn(unit_interval(random.word[2], slope_width), y, x);
    return {tilt * x, tilt * y};
}

/// Numbers of up to 128 surfaces, each kind in a row of its own, for lanes with different surfaces.
class SurfaceRows {
  public:
    static constexpr int32_t kCapacity = 128;

    /// Numbers of a flat surface, see FlatSurface and ReflectingSurfaces::PlacedFlat; not of
    /// others.
    enum Row {
        kNormal = 0,
        kAcross = 3,
        kUp = 6,
        kAtNormal = 9,
        kAtAcross,
        kAtUp,
        kLimitAcross,
        kLimitUp,
        kIsAbsorber,
        kCavity,
        kIsOutermost,
        kNumRows
    };

    HELIORAY_HD void set(Row row, int32_t surface, float value) {
        rows_[row][surface] = value;
        if (surface >= size_) size_ = surface + 1;
    }
    HELIORAY_HD void set(Row row, int32_t surface, const Vec<float>& value) {
        set(row, surface, value.x);
        set(static_cast<Row>(row + 1), surface, value.y);
        set(static_cast<Row>(row + 2), surface, value.z);
    }

    /// Returns a number of each lane's surface.
    template <typename Real>
    HELIORAY_HD Real get(int row, typename LaneTraits<Real>::Int surface, Real any_real) const {
        return size_ <= 32 ? look_up(rows_[row], surface, any_real)
                           : gather(rows_[row], surface, any_real);
    }
    /// Returns a vector of each lane's surface.
    template <typename Real>
    HELIORAY_HD Vec<Real> get_vec(Row row,
                                  typename LaneTraits<Real>::Int surface,
                                  Real any_real) const {
        return {get(row, surface, any_real),
                get(row + 1, surface, any_real),
                get(row + 2, surface, any_real)};
    }

  private:
    int32_t size_ = 0;
    alignas(64) float rows_[kNumRows][kCapacity] = {};
};

/// Returns the pixels of hits in the maps of their surfaces, which name the triangles of meshes; 0
/// in fields without meshes, where nothing needs them.
template <typename Real>
HELIORAY_HD typename LaneTraits<Real>::Int needed_pixel(const FieldView& field,
                                                        const SurfaceHit<Real>& hit) {
    if (field.meshes == nullptr) return make_int(0, hit.across);
    return nearest_pixel(hit, field.bitmap_width, field.bitmap_height);
}

/// A flat surface in the shared frame, with the coordinates of its centre along its axes.
struct PlacedFlat {
    FlatSurface flat;
    float at_normal, at_across, at_up;

    HELIORAY_HD static PlacedFlat from(const SurfaceRecord& surface) {
        const FlatSurface flat = flat_surface(surface);
        const Vec<float> center = to_vec(surface.origin);
        return {flat, dot(flat.normal, center), dot(flat.across, center), dot(flat.up, center)};
    }
};

/// Tables of the surfaces of a field for rays that start on them. Host and device use the same
/// bytes.
class ReflectingTables {
  public:
    static constexpr int32_t kCapacity = SurfaceRows::kCapacity;

    HELIORAY_HD ReflectingTables(const FieldView& field, const SurfaceGroups& groups) {
        const int32_t placed = field.num_surfaces < kCapacity ? field.num_surfaces : kCapacity;
        for (int32_t i = 0; i < placed; ++i) place(field.surfaces[i], groups, i);
        has_rows = placed == field.num_surfaces;
        has_mirrors = kernels::has_mirrors(field);
        for (int32_t i = 0; i < field.num_surfaces; ++i) {
            const SurfaceRecord& surface = field.surfaces[i];
            has_unrolled = has_unrolled || !has_flat_map(surface.shape.kind);
            if (surface.is_absorber == 0) continue;
            if (!has_absorbers) optics = surface.optics;
            has_absorbers = true;
            is_uniform = is_uniform && is_equal(surface.optics, optics);
        }
    }

    bool has_unrolled = false;   ///< surfaces without a flat map are among them
    bool has_rows = false;       ///< `rows` contains all surfaces
    bool is_uniform = true;      ///< all absorbers have the same optics
    bool has_absorbers = false;  ///< there is one
    bool has_mirrors = false;    ///< mirrors are among the surfaces
    SurfaceOptics optics{};      ///< optics of the first absorber
    PlacedFlat flats[kCapacity];
    SurfaceRows rows;

  private:
    HELIORAY_HD static bool is_equal(const SurfaceOptics& a, const SurfaceOptics& b) {
        return a.absorptance == b.absorptance && a.table == b.table &&
               a.specular_fraction == b.specular_fraction && a.bounces == b.bounces &&
               a.is_mirror == b.is_mirror && a.slope_width == b.slope_width;
    }

    HELIORAY_HD void place(const SurfaceRecord& surface, const SurfaceGroups& groups, int32_t i) {
        const PlacedFlat& placed = flats[i] = PlacedFlat::from(surface);
        rows.set(SurfaceRows::kNormal, i, placed.flat.normal);
        rows.set(SurfaceRows::kAcross, i, placed.flat.across);
        rows.set(SurfaceRows::kUp, i, placed.flat.up);
        rows.set(SurfaceRows::kAtNormal, i, placed.at_normal);
        rows.set(SurfaceRows::kAtAcross, i, placed.at_across);
        rows.set(SurfaceRows::kAtUp, i, placed.at_up);
        rows.set(SurfaceRows::kLimitAcross, i, placed.flat.limit_across);
        rows.set(SurfaceRows::kLimitUp, i, placed.flat.limit_up);
        rows.set(SurfaceRows::kIsAbsorber, i, static_cast<float>(surface.is_absorber));
        rows.set(SurfaceRows::kCavity, i, static_cast<float>(groups.cavity(i)));
        rows.set(SurfaceRows::kIsOutermost, i, groups.is_outermost(i) ? 1.0f : 0.0f);
    }
};

/// The surfaces of all receivers as rays meet them that start on one of these surfaces.
/// has_meshes: surfaces may be meshes.
template <bool has_meshes = true>
class BasicReflectingSurfaces {
  public:
    /// groups and tables: of the same field, must exist as long as this object.
    HELIORAY_HD BasicReflectingSurfaces(const FieldView& field,
                                        const SurfaceGroups& groups,
                                        const ReflectingTables& tables)
        : field_(&field), groups_(groups), tables_(tables) {}

    HELIORAY_HD bool has_mirrors() const { return tables_.has_mirrors; }

    /// Returns a number of the optics of each lane's surface; anything for surfaces that do not
    /// absorb. Most receivers have the same optics everywhere, and gathering takes longer.
    template <typename Real>
    HELIORAY_HD Real optic(float SurfaceOptics::*member,
                           typename LaneTraits<Real>::Int surface,
                           Real any_real) const {
        if (tables_.is_uniform && tables_.has_absorbers) return Real(tables_.optics.*member);
        return of_surface(field_->surfaces[0].optics.*member, surface, any_real);
    }

    /// Moves points of hits onto their surfaces and returns the unit normals of the fronts there.
    /// pixel: of the hits in the maps of their surfaces; direction: of the light that arrives.
    template <typename Real>
    HELIORAY_HD Vec<Real> settle(typename LaneTraits<Real>::Int surface,
                                 typename LaneTraits<Real>::Int pixel,
                                 const Vec<Real>& direction,
                                 Vec<Real>& point) const {
        if (tables_.has_rows && !tables_.has_unrolled) {
            const Vec<Real> normal = tables_.rows.get_vec(SurfaceRows::kNormal, surface, point.x);
            const Real above =
                dot(normal, point) - tables_.rows.get(SurfaceRows::kAtNormal, surface, point.x);
            point = add_scaled(point, -above, normal);
            return normal;
        }
        const SurfaceRecord& first = field_->surfaces[0];
        const auto member = [&](const float& of_first) {
            return of_surface(of_first, surface, point.x);
        };
        Vec<Real> normal{
            member(first.rotation[6]), member(first.rotation[7]), member(first.rotation[8])};
        const Vec<Real> origin{
            member(first.origin[0]), member(first.origin[1]), member(first.origin[2])};
        const Vec<Real> hit = point;
        point = add_scaled(hit, -dot(normal, hit - origin), normal);
        if (!tables_.has_unrolled) return normal;
        for (int32_t i = 0; i < field_->num_surfaces; ++i) {
            const SurfaceRecord& record = field_->surfaces[i];
            const auto is_here = surface == make_int(i, point.x);
            if (has_flat_map(record.shape.kind) || !any(is_here)) continue;
            const Vec<Real> center = broadcast<Real>(to_vec(record.origin));
            Vec<Real> own = rotate(record.rotation, hit - center);
            Vec<Real> own_normal;
            if (has_meshes && record.shape.kind == TargetKind::mesh) {
                if constexpr (has_meshes)
                    own_normal =
                        settle_on_mesh(field_->meshes[record.shape.mesh], pixel, direction, own);
            } else {
                own_normal = settle_on_surface(record.shape, own);
            }
            const Vec<Real> settled =
                add_scaled(rotate_back(record.rotation, own), Real(1.0f), center);
            point = select_vec(is_here, settled, point);
            normal = select_vec(is_here, rotate_back(record.rotation, own_normal), normal);
        }
        return normal;
    }

    /// Sets `hit` to the nearest surfaces that rays from points of the surfaces `start` meet;
    /// pixel: of the points in the maps of these surfaces.
    template <typename Real>
    HELIORAY_HD void meet(const Vec<Real>& o,
                          const Vec<Real>& r,
                          typename LaneTraits<Real>::Int start,
                          typename LaneTraits<Real>::Int pixel,
                          SurfaceHit<Real>& hit) const {
        const Real zero(0.0f);
        clear(hit);
        Real cavity = zero;
        Real is_outermost = zero;
        if (tables_.has_rows) {
            is_outermost = tables_.rows.get(SurfaceRows::kIsOutermost, start, zero);
            if (groups_.num_cavities() > 0)
                cavity = tables_.rows.get(SurfaceRows::kCavity, start, zero);
        }
        const auto may_meet_others = is_outermost <= zero;
        if (!any(may_meet_others)) return;
        for (int32_t number = 1; number <= groups_.num_cavities(); ++number)
            meet_walls(number, cavity, o, r, start, hit);
        for (int32_t i = 0; i < field_->num_surfaces; ++i) {
            const SurfaceRecord& surface = field_->surfaces[i];
            // Rays have already been compared with the walls of the cavity in which they are. Lanes
            // of other rays must not have them compared again: results would depend on the lanes.
            const int32_t number = i < kCapacity ? groups_.cavity(i) : 0;
            const Real own(static_cast<float>(number));
            typename LaneTraits<Real>::Mask may_meet = may_meet_others;
            if (number > 0) may_meet = may_meet & ((cavity < own) | (cavity > own));
            if (!any(may_meet)) continue;
            TargetHit<Real> other;
            typename LaneTraits<Real>::Mask front;
            if (has_flat_map(surface.shape.kind)) {
                front = meet_flat(surface.shape,
                                  i < kCapacity ? tables_.flats[i] : PlacedFlat::from(surface),
                                  o,
                                  r,
                                  hit.distance,
                                  other);
                // A ray never returns to the plane on which it starts.
                other.mask = other.mask & !(start == make_int(i, zero));
            } else if (surface.shape.kind == TargetKind::concentrator) {
                // Next to an edge between two sides, rounding may put the start behind the other.
                const auto is_start = start == make_int(i, zero);
                const Vec<Real> center = broadcast<Real>(to_vec(surface.origin));
                front = meet_concentrator(surface.shape,
                                          rotate(surface.rotation, o - center),
                                          rotate(surface.rotation, r),
                                          kEdgeOverlap,
                                          select(is_start, Real(kStartGap), Real(-kStartGap)),
                                          Real(kStartGap),
                                          other);
            } else if (has_meshes && surface.shape.kind == TargetKind::mesh) {
                if constexpr (has_meshes) {
                    const auto is_here = start == make_int(i, zero);
                    front = meet_mesh(*field_,
                                      surface,
                                      o - broadcast<Real>(to_vec(surface.origin)),
                                      r,
                                      {select(is_here, pixel, make_int(-1, zero)), kStartGap},
                                      hit.distance,
                                      other);
                }
            } else {
                // It may return to a curved surface, but starts before it.
                const Vec<Real> ahead = add_scaled(o, Real(kStartGap), r);
                const Vec<Real> center = broadcast<Real>(to_vec(surface.origin));
                front = meet_unrolled_surface(
                    surface, field_->floats, rotate(surface.rotation, ahead - center), r, other);
                other.distance = other.distance + Real(kStartGap);
            }
            other.mask = other.mask & may_meet;
            keep_nearer(other, front, surface.is_absorber != 0, make_int(i, zero), hit);
        }
    }

  private:
    static constexpr int32_t kCapacity = ReflectingTables::kCapacity;

    /// Intersects the walls of a convex cavity in lanes whose rays start on one of them. A ray
    /// leaves the cavity through the first plane that it approaches, so that only this wall's
    /// outline is compared. cavity: that of each lane's start.
    template <typename Real>
    HELIORAY_HD void meet_walls(int32_t number,
                                Real cavity,
                                const Vec<Real>& o,
                                const Vec<Real>& r,
                                typename LaneTraits<Real>::Int start,
                                SurfaceHit<Real>& hit) const {
        const Real zero(0.0f);
        const Real own(static_cast<float>(number));
        const typename LaneTraits<Real>::Mask here = (cavity >= own) & (cavity <= own);
        if (!any(here)) return;
        Real t(kNoLimit);
        auto wall = make_int(0, zero);
        for (int32_t i = 0; i < field_->num_surfaces; ++i) {
            if (groups_.cavity(i) != number) continue;
            const PlacedFlat& placed = tables_.flats[i];
            const Vec<Real> normal = broadcast<Real>(placed.flat.normal);
            const Real approach = dot(normal, r);
            const Real distance = (Real(placed.at_normal) - dot(normal, o)) / approach;
            const auto index = make_int(i, zero);
            const auto is_first = (approach < zero) & (distance > Real(-kStartGap)) &
                                  (distance < t) & !(start == index);
            t = select(is_first, distance, t);
            wall = select(is_first, index, wall);
        }
        const Vec<Real> point = add_scaled(o, t, r);
        const auto coordinate = [&](SurfaceRows::Row axis, SurfaceRows::Row at) {
            return dot(tables_.rows.get_vec(axis, wall, zero), point) -
                   tables_.rows.get(at, wall, zero);
        };
        const Real across = coordinate(SurfaceRows::kAcross, SurfaceRows::kAtAcross);
        const Real up = coordinate(SurfaceRows::kUp, SurfaceRows::kAtUp);
        typename LaneTraits<Real>::Mask inside =
            here & (t < Real(kNoLimit)) &
            (abs_(across) <= tables_.rows.get(SurfaceRows::kLimitAcross, wall, zero)) &
            (abs_(up) <= tables_.rows.get(SurfaceRows::kLimitUp, wall, zero));
        for (int32_t i = 0; i < field_->num_surfaces; ++i) {
            const TargetRecord& shape = field_->surfaces[i].shape;
            if (groups_.cavity(i) != number || shape.num_edges == 0) continue;
            const auto is_this = wall == make_int(i, zero);
            TargetHit<Real> outline;
            outline.mask = inside & is_this;
            if (!any(outline.mask)) continue;
            outline.across = across;
            outline.up = up;
            keep_inside_outline(*field_, shape, kEdgeOverlap, outline);
            inside = outline.mask | (inside & !is_this);
        }
        hit.distance = select(inside, t, hit.distance);
        hit.across = select(inside, across, hit.across);
        hit.up = select(inside, up, hit.up);
        hit.surface = select(inside, wall, hit.surface);
        hit.meets = hit.meets | inside;
        hit.front = hit.front | inside;
        hit.mask =
            hit.mask | (inside & (tables_.rows.get(SurfaceRows::kIsAbsorber, wall, zero) > zero));
    }

    /// Intersects a flat surface from either side. Returns the rays that come from its front. Next
    /// to an edge that it shares with the surface of the start, rounding may put the start behind
    /// it: light that goes on behind it has met its front.
    template <typename Real>
    HELIORAY_HD auto meet_flat(const TargetRecord& shape,
                               const PlacedFlat& placed,
                               const Vec<Real>& o,
                               const Vec<Real>& r,
                               Real limit,
                               TargetHit<Real>& hit) const {
        const FlatSurface& flat = placed.flat;
        const Vec<Real> normal = broadcast<Real>(flat.normal);
        const Real approach = dot(normal, r);
        const Real t = (Real(placed.at_normal) - dot(normal, o)) / approach;
        const auto front = approach < Real(0.0f);
        const Vec<Real> point = add_scaled(o, t, r);
        hit.distance = t;
        hit.across = dot(broadcast<Real>(flat.across), point) - Real(placed.at_across);
        hit.up = dot(broadcast<Real>(flat.up), point) - Real(placed.at_up);
        hit.mask = (t > select(front, Real(-kStartGap), Real(kStartGap))) & (t < limit) &
                   (abs_(hit.across) <= Real(flat.limit_across)) &
                   (abs_(hit.up) <= Real(flat.limit_up));
        keep_inside_rim(flat_rim(shape.kind), flat, hit);
        keep_inside_outline(*field_, shape, kEdgeOverlap, hit);
        return front;
    }

    const FieldView* field_;
    const SurfaceGroups& groups_;
    const ReflectingTables& tables_;
};
using ReflectingSurfaces = BasicReflectingSurfaces<>;

/// Light that meets surfaces, divided; all in quanta.
template <typename Real>
struct DividedLight {
    typename LaneTraits<Real>::Int counted;   ///< absorbed as power on absorbers
    typename LaneTraits<Real>::Int lost;      ///< absorbed by mirrors
    typename LaneTraits<Real>::Int left;      ///< reflected beyond the limit of reflections
    typename LaneTraits<Real>::Int goes_on;   ///< reflected
    typename LaneTraits<Real>::Int on_map;    ///< on the map of absorbed light
    typename LaneTraits<Real>::Int incident;  ///< on the map of incident light
};

/// Returns the cosine of the angle of incidence at points of surfaces; 1 if no absorptance depends
/// on it.
template <typename Real, bool has_meshes>
HELIORAY_HD Real incidence(const FieldView& field,
                           const BasicReflectingSurfaces<has_meshes>& surfaces,
                           typename LaneTraits<Real>::Int surface,
                           typename LaneTraits<Real>::Int pixel,
                           Vec<Real> point,
                           const Vec<Real>& direction) {
    if (field.absorptance_tables < 0) return Real(1.0f);
    return -dot(direction, surfaces.settle(surface, pixel, direction, point));
}

/// Divides the light that arrives at surfaces after a number of reflections. cosine: of the angle
/// of incidence.
template <typename Real, bool has_meshes>
HELIORAY_HD DividedLight<Real> divide_light(const FieldView& field,
                                            const BasicReflectingSurfaces<has_meshes>& surfaces,
                                            const SurfaceHit<Real>& hit,
                                            Real cosine,
                                            typename LaneTraits<Real>::Int arriving,
                                            Real reflections) {
    const auto zero = make_int(0, cosine);
    const Real part = field.absorptance_tables < 0
                          ? surfaces.optic(&SurfaceOptics::absorptance, hit.surface, cosine)
                          : absorptance(field, hit.surface, select(hit.mask, cosine, Real(1.0f)));
    // Counts above 2^24 are rounded, also upwards.
    const auto absorbed =
        select(hit.mask, min_(round_to_int(to_real(arriving, cosine) * part), arriving), zero);
    const auto rest = select(hit.mask, arriving - absorbed, zero);
    const auto goes_on = reflections < surfaces.optic(&SurfaceOptics::bounces, hit.surface, cosine);
    DividedLight<Real> light;
    light.goes_on = select(goes_on, rest, zero);
    light.left = rest - light.goes_on;
    light.incident = select(hit.front, arriving, zero);
    light.lost = zero;
    // Shields and mirrors have all light on their first maps.
    typename LaneTraits<Real>::Mask absorbs = hit.mask;
    if (surfaces.has_mirrors()) {
        const auto on_mirror = is_mirror(field, hit.surface, cosine);
        light.lost = select(on_mirror, absorbed, zero);
        absorbs = absorbs & !on_mirror;
    }
    light.counted = absorbed - light.lost;
    light.on_map = select(absorbs, absorbed, light.incident);
    return light;
}

}  // namespace helioray::kernels
