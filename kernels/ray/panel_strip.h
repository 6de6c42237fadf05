// SPDX-License-Identifier: MIT
// Panels that stand side by side, such as those of a polygon or of a cavity's wall: the edges
// between which a ray passes say which one it meets.
#pragma once

#include "kernels/core/look_up.h"
#include "kernels/ray/flat_surface.h"
#include "kernels/ray/occlusion.h"
#include "kernels/ray/surface_groups.h"
#include "kernels/receiver/hit.h"

namespace helioray::kernels {

/// Consecutive panels of a strip whose fronts are in view.
struct PanelsInView {
    uint32_t fronts = 0;  ///< bit mask of the panels that show their fronts
    int32_t count = 0;    ///< number of these panels; 0 also if they are not consecutive
    int32_t begin = 0;    ///< entry of the first one
};

/// A strip as seen from one mirror point. Lanes is the type in which panels lie side by side.
template <typename Lanes>
struct StripView {
    /// Entries of the tables of panels in view, see look_up_few() and look_up().
    static constexpr int32_t kFewEntries = 16;
    static constexpr int32_t kManyEntries = 32;

    int32_t num_in_view = 0;  ///< number of panels in view
    PanelsInView panels;
    Vec<float> forward{}, to_right{};  ///< horizontal axes of the view
    float length_forward = 0.0f;       ///< length of forward, at most 1
    float start_up = 0.0f;             ///< height of the mirror point, in heights
    /// Coordinates of edges to the right divided by forward.
    float edges[kManyEntries + LaneTraits<Lanes>::kWidth] = {};
    float above[kManyEntries] = {};   ///< height of the mirror point above the panels, metres
    float across[kManyEntries] = {};  ///< its coordinates across them, in widths

    /// Returns the panels in view: bit i is surface PanelStrip::first() + i.
    HELIORAY_HD uint32_t in_view() const { return num_in_view > 0 ? panels.fronts : 0u; }

    /// Makes the edges in view ascend. Rounding can put the edges of a panel that is seen from its
    /// side in the wrong order; rays then belong to the last panel whose left edge they have
    /// passed.
    HELIORAY_HD void put_edges_in_order() {
        for (int32_t i = num_in_view - 1; i >= 0; --i) edges[i] = min_(edges[i], edges[i + 1]);
    }
};

/// Consecutive rectangles of which each shares its right edge, all of equal height, with the left
/// edge of the next one. As seen from a mirror point, the edges of those whose fronts are in view
/// follow each other from left to right. A ray is compared with four or five of these edges
/// and intersects one panel, where a search would intersect every panel that its bundle may meet:
/// 10,000 heliostats and a polygon of 24 panels are traced 1.7 times as fast.
class PanelStrip {
  public:
    static constexpr int32_t kMostPanels = 31;

    /// Takes the panels from surface `first` on that form a strip. Returns their number, at
    /// least 1.
    HELIORAY_HD int32_t take(const FieldView& field, const SurfaceGroups& groups, int32_t first) {
        first_ = first;
        size_ = 0;
        const SurfaceRecord* panel = field.surfaces + first;
        if (!is_panel(*panel)) return 1;
        size_ = 1;
        while (first + size_ < field.num_surfaces && size_ < kMostPanels &&
               is_panel(panel[size_]) && is_joined(panel[size_ - 1], panel[size_]))
            ++size_;
        const int32_t count = size_;
        // A search is as fast.
        constexpr int32_t kFewestPanels = 4;
        if (count < kFewestPanels) {
            size_ = 0;
            return count;
        }
        cavity_ = groups.cavity(first);
        for (int32_t i = 0; i < size_; ++i) {
            if (groups.cavity(first + i) != cavity_) cavity_ = 0;
        }
        is_closed_ = is_joined(panel[size_ - 1], panel[0]);
        is_outermost_ = true;
        for (int32_t i = 0; i < size_; ++i)
            is_outermost_ = is_outermost_ && groups.is_outermost(first + i);
        // Panels of a closed strip follow each other twice, so that those in view have consecutive
        // numbers.
        const int32_t entries = is_closed_ ? 2 * size_ : size_;
        for (int32_t i = 0; i < entries; ++i) set(panel[i % size_], i);
        const Vec<float> end = edge(panel[size_ - 1], 0.5f);
        set_vec(kEdge, entries, is_closed_ ? edge(panel[0], -0.5f) : end);
        const FlatSurface flat = flat_surface(*panel);
        up_ = flat.up;
        square_up_ = dot(up_, up_);
        at_up_ = dot(up_, to_vec(panel->origin));
        limit_up_ = flat.limit_up;
        is_absorber_ = panel->is_absorber != 0;
        find_longest_chord(panel);
        find_ends(field);
        return count;
    }

    /// Finds the panels whose fronts are in view.
    template <typename Lanes>
    HELIORAY_HD void find(const RayCone& cone, StripView<Lanes>& view) const {
        constexpr int kWidth = LaneTraits<Lanes>::kWidth;
        view.num_in_view = 0;
        if (size_ == 0) return;
        uint32_t fronts = 0;
        for (int32_t i = 0; i < size_; i += kWidth)
            fronts |= lane_bits(height<Lanes>(i, cone.origin) > Lanes(0.0f)) << i;
        fronts &= (1u << size_) - 1u;
        // Most bundles see the same panels as the one before, so that the processor predicts the
        // branch and goes on before it knows.
        if (fronts != view.panels.fronts) view.panels = follow_fronts(fronts);
        const PanelsInView& panels = view.panels;
        if (panels.count == 0) return;
        turn_to(cone, view);
        for (int32_t i = 0; i <= panels.count; i += kWidth) {
            const EdgeInView<Lanes> edge = view_edge<Lanes>(panels.begin + i, cone, view);
            const uint32_t used = panels.count + 1 - i < kWidth
                                      ? (1u << (panels.count + 1 - i)) - 1u
                                      : ~0u >> (32 - kWidth);
            // Behind the mirror point the order is another one.
            if ((lane_bits(edge.ahead > Lanes(0.0f)) & used) != used) return;
            store(view.edges + i, edge.position);
            store(view.above + i, height<Lanes>(panels.begin + i, cone.origin));
            store(view.across + i, coordinate_across<Lanes>(panels.begin + i, cone.origin));
        }
        view.num_in_view = panels.count;
        put_edges_in_order(view);
    }

    /// Returns the panels that are in view if those of a bit mask show their fronts: consecutive
    /// ones; none if there are several parts.
    HELIORAY_HD PanelsInView follow_fronts(uint32_t fronts) const {
        PanelsInView panels{fronts, 0, 0};
        const uint32_t all = (1u << size_) - 1u;
        const uint32_t last = is_closed_ ? fronts >> (size_ - 1) & 1u : 0u;
        const uint32_t begins = fronts & ~(fronts << 1 | last);
        if (begins == 0 || (begins & (begins - 1)) != 0) return panels;  // none, all, several parts
        panels.begin = trailing_zeros(begins);
        // Panels after the last one are the first ones again.
        uint32_t in_order = fronts >> panels.begin;
        if (panels.begin > 0 && is_closed_) in_order |= fronts << (size_ - panels.begin) & all;
        panels.count = trailing_zeros(~in_order);
        return panels;
    }

    /// Sets the axes of a view along those of a cone.
    template <typename Lanes>
    HELIORAY_HD void turn_to(const RayCone& cone, StripView<Lanes>& view) const {
        view.forward = add_scaled(cone.axis, -dot(cone.axis, up_) / square_up_, up_);
        view.to_right = cross(view.forward, up_);
        view.start_up = dot(up_, cone.origin) - at_up_;
        view.length_forward = sqrt_(dot(view.forward, view.forward));
    }

    /// The left edge of a panel in a view.
    template <typename Real>
    struct EdgeInView {
        Real ahead;     ///< coordinate forward
        Real position;  ///< coordinate to the right divided by that forward
    };

    /// @{
    /// Numbers of entries i, i + 1, ... in lanes.
    template <typename Real, typename Lanes>
    HELIORAY_HD EdgeInView<Real> view_edge(int32_t i,
                                           const RayCone& cone,
                                           const StripView<Lanes>& view) const {
        const Vec<Real> to_edge = row_vec<Real>(kEdge, i) - broadcast<Real>(cone.origin);
        const Real ahead = dot(to_edge, broadcast<Real>(view.forward));
        return {ahead, dot(to_edge, broadcast<Real>(view.to_right)) / ahead};
    }
    /// Returns the heights of a point above panels, metres.
    template <typename Real>
    HELIORAY_HD Real height(int32_t i, const Vec<float>& point) const {
        return dot(row_vec<Real>(kNormal, i), broadcast<Real>(point)) - row<Real>(kAtNormal, i);
    }
    /// Returns the coordinates of a point across panels, in widths.
    template <typename Real>
    HELIORAY_HD Real coordinate_across(int32_t i, const Vec<float>& point) const {
        return dot(row_vec<Real>(kAcross, i), broadcast<Real>(point)) - row<Real>(kAtAcross, i);
    }
    /// @}

    HELIORAY_HD int32_t first() const { return first_; }
    HELIORAY_HD int32_t size() const { return size_; }
    HELIORAY_HD bool is_absorber() const { return is_absorber_; }
    /// Returns the number of the cavity of which all panels are walls; 0: none.
    HELIORAY_HD int32_t cavity() const { return cavity_; }
    /// Returns true if nothing can be before panels that show their fronts.
    HELIORAY_HD bool is_outermost() const { return is_outermost_; }

    /// Intersects the panels in view with rays along r from the mirror point. Sets the surfaces of
    /// hits, and the rays that can meet no other surface either.
    template <typename Real, typename Lanes>
    HELIORAY_HD void meet(const StripView<Lanes>& view,
                          const Vec<Real>& r,
                          TargetHit<Real>& hit,
                          typename LaneTraits<Real>::Int& surface,
                          typename LaneTraits<Real>::Mask& misses) const {
        const Real zero(0.0f);
        const Real ahead = dot(broadcast<Real>(view.forward), r);
        const Real position = dot(broadcast<Real>(view.to_right), r) / ahead;
        const auto is_ahead = ahead > zero;
        const auto between = is_ahead & (position >= Real(view.edges[0])) &
                             !(position >= Real(view.edges[view.num_in_view]));
        typename LaneTraits<Real>::Int panel;
        Real limit_across;
        if (view.num_in_view <= StripView<Lanes>::kFewEntries) {
            meet_panel<true>(view, r, position, panel, limit_across, hit);
        } else {
            meet_panel<false>(view, r, position, panel, limit_across, hit);
        }
        const Real t = hit.distance;
        const Real climb = dot(broadcast<Real>(up_), r);
        hit.up = fma_(t, climb, Real(view.start_up));
        const Real limit_up(limit_up_);
        hit.mask =
            between & (t > zero) & (abs_(hit.across) <= limit_across) & (abs_(hit.up) <= limit_up);
        const auto index = panel + make_int(first_ + view.panels.begin, zero);
        const auto end = make_int(first_ + size_, zero);
        surface = select(index < end, index, index - make_int(size_, zero));
        misses = Real(1.0f) < zero;
        if (!is_outermost_ || !is_closed_) return;
        // All surfaces lie in the prism of the panels. Rays pass beside it, or above or below it
        // on their whole way between its sides.
        misses = is_ahead & !between;
        // Coordinates upwards are compared times `ahead`. Many rays of low fields pass below panels
        // and climb: without this comparison they search the backs behind them.
        const Real up = hit.up * ahead;
        const Real longest(longest_chord_ * view.length_forward);
        if (is_top_) {
            const auto stays_above = fma_(climb, longest, up) > Real(limit_up_ + kSlack) * ahead;
            misses = misses | (between & (hit.up > limit_up) & ((climb >= zero) | stays_above));
        }
        if (is_bottom_) {
            const auto stays_below = fma_(climb, longest, up) < Real(-limit_up_ - kSlack) * ahead;
            misses = misses | (between & (hit.up < -limit_up) & ((climb <= zero) | stays_below));
        }
    }

  private:
    /// Part of the height of panels by which rays that meet nothing pass them; for rounding.
    static constexpr float kSlack = 1e-3f;

    /// Makes the edges in view ascend, and puts edges that no ray passes behind them.
    template <typename Lanes>
    HELIORAY_HD static void put_edges_in_order(StripView<Lanes>& view) {
        constexpr int kWidth = LaneTraits<Lanes>::kWidth;
        const int32_t count = view.num_in_view;
        const int32_t entries = count <= view.kFewEntries ? view.kFewEntries : view.kManyEntries;
        for (int32_t i = count + 1; i < entries; i += kWidth)
            store(view.edges + i, Lanes(kNoLimit));
        uint32_t descends = 0;
        for (int32_t i = 0; i < count; i += kWidth) {
            const uint32_t used =
                count - i < kWidth ? (1u << (count - i)) - 1u : ~0u >> (32 - kWidth);
            descends |=
                lane_bits(load(view.edges + i, Lanes()) > load(view.edges + i + 1, Lanes())) & used;
        }
        if (descends != 0) view.put_edges_in_order();
    }

    /// Intersects rays with the panels between whose edges they pass; any panel for other rays.
    /// position: coordinate to the right divided by forward. Sets distances and coordinates across.
    /// is_few: a table of kFewEntries holds all panels in view.
    template <bool is_few, typename Real, typename Lanes>
    HELIORAY_HD void meet_panel(const StripView<Lanes>& view,
                                const Vec<Real>& r,
                                Real position,
                                typename LaneTraits<Real>::Int& panel,
                                Real& limit_across,
                                TargetHit<Real>& hit) const {
        const Real zero(0.0f);
        const auto read = [&](const float* table, typename LaneTraits<Real>::Int i)
            __attribute__((always_inline)) {
            if constexpr (is_few) {
                return look_up_few(table, i, zero);
            } else {
                return look_up(table, i, zero);
            }
        };
        // Searching in steps takes half the instructions of comparing with every edge.
        panel = make_int(0, zero);
        for (int32_t step = (is_few ? view.kFewEntries : view.kManyEntries) / 2; step > 0;
             step /= 2) {
            const auto next = panel + make_int(step, zero);
            panel = select(position >= read(view.edges, next), next, panel);
        }
        const auto number = [&](int k) __attribute__((always_inline)) {
            return read(rows_[k] + view.panels.begin, panel);
        };
        const auto vec = [&](int k) __attribute__((always_inline)) {
            return Vec<Real>{number(k), number(k + 1), number(k + 2)};
        };
        const Real t = -read(view.above, panel) / dot(vec(kNormal), r);
        hit.distance = t;
        hit.across = fma_(t, dot(vec(kAcross), r), read(view.across, panel));
        limit_across = number(kLimitAcross);
    }

    /// Each panel twice, the last edge, and what vectors read beyond it.
    static constexpr int32_t kEntries = 2 * kMostPanels + 1 + 48;

    enum Row {
        kNormal = 0,
        kAcross = 3,
        kEdge = 6,
        kAtNormal = 9,
        kAtAcross,
        kLimitAcross,
        kNumRows
    };

    HELIORAY_HD static bool is_panel(const SurfaceRecord& surface) {
        return surface.shape.kind == TargetKind::plane && surface.shape.num_edges == 0;
    }

    /// Returns the middle of an edge; side: -0.5 on the left, 0.5 on the right.
    HELIORAY_HD static Vec<float> edge(const SurfaceRecord& panel, float side) {
        const Vec<float> right{panel.rotation[0], panel.rotation[1], panel.rotation[2]};
        return add_scaled(to_vec(panel.origin), side * panel.shape.width, right);
    }

    /// Returns true if the right edge of a panel is the left edge of another one.
    HELIORAY_HD static bool is_joined(const SurfaceRecord& left, const SurfaceRecord& right) {
        constexpr float kGap = 0.5f * kEdgeOverlap;
        const auto is_short = [](const Vec<float>& v, float limit) {
            return dot(v, v) < limit * limit;
        };
        const auto half_height = [](const SurfaceRecord& panel) {
            const float* row = panel.rotation + 3;
            return scaled(0.5f * panel.shape.height, Vec<float>{row[0], row[1], row[2]});
        };
        return left.is_absorber == right.is_absorber &&
               is_short(edge(left, 0.5f) - edge(right, -0.5f), kGap) &&
               is_short(half_height(left) - half_height(right), kGap);
    }

    HELIORAY_HD void set_vec(int k, int32_t i, const Vec<float>& value) {
        rows_[k][i] = value.x;
        rows_[k + 1][i] = value.y;
        rows_[k + 2][i] = value.z;
    }

    HELIORAY_HD void set(const SurfaceRecord& panel, int32_t i) {
        const FlatSurface flat = flat_surface(panel);
        const Vec<float> center = to_vec(panel.origin);
        set_vec(kNormal, i, flat.normal);
        set_vec(kAcross, i, flat.across);
        set_vec(kEdge, i, edge(panel, -0.5f));
        rows_[kAtNormal][i] = dot(flat.normal, center);
        rows_[kAtAcross][i] = dot(flat.across, center);
        rows_[kLimitAcross][i] = flat.limit_across;
    }

    HELIORAY_HD void find_longest_chord(const SurfaceRecord* panel) {
        Vec<float> middle{0.0f, 0.0f, 0.0f};
        for (int32_t i = 0; i < size_; ++i)
            middle = add_scaled(middle, 1.0f / static_cast<float>(size_), edge(panel[i], 0.5f));
        float square = 0.0f;
        for (int32_t i = 0; i < size_; ++i) {
            const Vec<float> from_middle = edge(panel[i], 0.5f) - middle;
            square = max_(square, dot(from_middle, from_middle));
        }
        longest_chord_ = 2.0f * (1.0f + kSlack) * sqrt_(square);
    }

    /// Finds out whether other surfaces reach above or below the strip.
    HELIORAY_HD void find_ends(const FieldView& field) {
        const SurfaceRecord& panel = field.surfaces[first_];
        const Vec<float> axis{panel.rotation[3], panel.rotation[4], panel.rotation[5]};
        const float middle = dot(axis, to_vec(panel.origin));
        is_top_ = is_bottom_ = true;
        for (int32_t i = 0; i < field.num_surfaces; ++i) {
            if (i >= first_ && i < first_ + size_) continue;
            const SurfaceRecord& other = field.surfaces[i];
            const float height = dot(axis, to_vec(other.origin)) - middle;
            const float reach = 0.5f * panel.shape.height - other.radius;
            is_top_ = is_top_ && height <= reach;
            is_bottom_ = is_bottom_ && height >= -reach;
        }
    }

    template <typename Lanes>
    HELIORAY_HD Lanes row(int k, int32_t i) const {
        return load(rows_[k] + i, Lanes());
    }
    template <typename Lanes>
    HELIORAY_HD Vec<Lanes> row_vec(int k, int32_t i) const {
        return {row<Lanes>(k, i), row<Lanes>(k + 1, i), row<Lanes>(k + 2, i)};
    }

    int32_t first_ = 0;  ///< index of the first panel into FieldView::surfaces
    int32_t size_ = 0;   ///< number of panels, 0: not a strip
    int32_t cavity_ = 0;
    bool is_closed_ = false;
    bool is_outermost_ = false;
    bool is_absorber_ = false;
    bool is_top_ = false;         ///< no surface reaches above the strip
    bool is_bottom_ = false;      ///< no surface reaches below the strip
    Vec<float> up_{};             ///< axis upwards divided by the height
    float square_up_ = 0.0f;      ///< square of its length
    float at_up_ = 0.0f;          ///< coordinate of the panels' centres along it
    float longest_chord_ = 0.0f;  ///< no two points of the panels are further apart across the axis
    float limit_up_ = 0.0f;       ///< half of the height with the overlap, in heights
    float rows_[kNumRows][kEntries] = {};
};

}  // namespace helioray::kernels
