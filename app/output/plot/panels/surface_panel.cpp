// SPDX-License-Identifier: MIT
// Arranges and draws the frame around the map of an unrolled surface.
#include "app/output/plot/panels/surface_panel.h"

#include "app/output/plot/drawing/panel_style.h"
#include "raytracer/tracing/geometry/frames.h"
#include "scenario/files/number_text.h"
#include "scenario/types/vector_math.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <variant>
#include <vector>

namespace helioray {

using namespace panel_style;

namespace {

// Returns true if up on the surface is up in the world.
bool is_upright(const Target& target) {
    const Vec3 up = subtract(surface_point(target, 0.0, 1.0), surface_point(target, 0.0, 0.0));
    return std::hypot(up[0], up[1]) < 1e-3;
}

// A map is a view of the surface, the unrolled surface, or an unrolled one whose rows are rings of
// equal area, which are not equally wide.
enum class MapForm { view, unrolled, rings };

MapForm map_form(const PlanarTarget&) {
    return MapForm::view;
}
MapForm map_form(const DiscTarget&) {
    return MapForm::view;
}
MapForm map_form(const QuadricTarget&) {
    return MapForm::view;
}
MapForm map_form(const CylindricalTarget&) {
    return MapForm::unrolled;
}
MapForm map_form(const SphericalTarget&) {
    return MapForm::unrolled;
}
MapForm map_form(const MeshTarget&) {
    return MapForm::unrolled;
}
MapForm map_form(const AnnularTarget&) {
    return MapForm::rings;
}
MapForm map_form(const ConicalTarget&) {
    return MapForm::rings;
}
MapForm map_form(const ConcentratorTarget&) {
    return MapForm::rings;
}

/// Covers the corners of the map, in which a round receiver has no surface.
void draw_circle(Canvas& canvas, const PageBox& map) {
    const double a = 0.5 * map.width;
    const double b = 0.5 * map.height;
    constexpr int kPointsOfQuarter = 64;
    for (const auto& [right, down] : {std::pair{1, 1}, {-1, 1}, {-1, -1}, {1, -1}}) {
        std::vector<PagePoint> arc;
        for (int i = 0; i <= kPointsOfQuarter; ++i) {
            const double angle = 0.5 * std::numbers::pi * i / kPointsOfQuarter;
            arc.push_back({map.x + a * (1.0 + right * std::cos(angle)),
                           map.y + b * (1.0 + down * std::sin(angle))});
        }
        std::vector<PagePoint> corner = arc;
        corner.push_back({map.x + a * (1.0 + right), map.y + b * (1.0 + down)});
        canvas.fill(corner, kWhite);
        canvas.polyline(arc, kLine, kBlack);
    }
}
void draw_rim(Canvas& canvas, const PageBox& map, const DiscTarget&) {
    draw_circle(canvas, map);
}
void draw_rim(Canvas& canvas, const PageBox& map, const QuadricTarget&) {
    draw_circle(canvas, map);
}
/// Covers what lies outside of the outline of a flat receiver. Corners are points of the page.
void draw_outline(Canvas& canvas, const std::vector<PagePoint>& corners, const PageBox& map) {
    double area = 0.0;  // twice the area, above 0 if the corners go round clockwise on the page
    for (size_t i = 0; i < corners.size(); ++i) {
        const PagePoint& a = corners[i];
        const PagePoint& b = corners[(i + 1) % corners.size()];
        area += a.x * b.y - b.x * a.y;
    }
    std::vector<PagePoint> rim = corners;
    // The frame goes round clockwise and the rim anticlockwise, so that the rim is a hole.
    if (area > 0.0) std::reverse(rim.begin(), rim.end());
    rim.push_back(rim.front());
    std::vector<PagePoint> outside{{map.x, map.y},
                                   {map.x + map.width, map.y},
                                   {map.x + map.width, map.y + map.height},
                                   {map.x, map.y + map.height},
                                   {map.x, map.y}};
    outside.insert(outside.end(), rim.begin(), rim.end());
    canvas.fill(outside, kWhite);
    canvas.polyline(rim, kLine, kBlack);
}
/// These draw nothing, since the receiver fills its map.
void draw_rim(Canvas&, const PageBox&, const PlanarTarget&) {}
void draw_rim(Canvas&, const PageBox&, const CylindricalTarget&) {}
void draw_rim(Canvas&, const PageBox&, const AnnularTarget&) {}
void draw_rim(Canvas&, const PageBox&, const ConicalTarget&) {}
void draw_rim(Canvas&, const PageBox&, const SphericalTarget&) {}
void draw_rim(Canvas&, const PageBox&, const ConcentratorTarget&) {}
void draw_rim(Canvas&, const PageBox&, const MeshTarget&) {}

}  // namespace

SurfacePanel::SurfacePanel(const Target& target, double shrink) : target_(target) {
    const auto [width, height] = surface_extent(target);
    extent_width_ = width;
    extent_height_ = height;
    size_map(shrink);
}

// Chooses the size of the map: it keeps its proportions within an area, and within the longest
// edges of a page.
void SurfacePanel::size_map(double shrink) {
    constexpr double kArea = 520.0 * 400.0;
    constexpr double kLongestWidth = 800.0;
    constexpr double kLongestHeight = 560.0;
    constexpr double kShortest = 4.0;
    const double aspect = extent_width_ / extent_height_;
    double height = std::min(std::sqrt(kArea / aspect), kLongestHeight);
    height = std::min(height, kLongestWidth / aspect);
    map_height_ = std::max(kShortest, height * shrink);
    map_width_ = std::max(kShortest, height * aspect * shrink);
    constexpr double kWide = 2.2;
    wide_ = aspect > kWide;
}

void SurfacePanel::lay_out(const std::string& title,
                           const std::string& subtitle,
                           const ColorScale& scale,
                           const std::string& scale_label,
                           Canvas& measure) {
    title_ = title;
    subtitle_ = subtitle;
    bar_.emplace(scale, scale_label, !wide_, wide_ ? map_width_ : map_height_, measure);
    make_axes(measure);
    measure_margins(measure);
}

void SurfacePanel::make_axes(Canvas& measure) {
    x_axis_.ticks =
        nice_ticks(-extent_width_ / 2.0, extent_width_ / 2.0, ticks_that_fit(map_width_, 42.0, 13));
    y_axis_.ticks = nice_ticks(
        -extent_height_ / 2.0, extent_height_ / 2.0, ticks_that_fit(map_height_, 30.0, 13));
    x_axis_.place = [extent = extent_width_](double x) { return x / extent + 0.5; };
    y_axis_.place = [extent = extent_height_](double y) { return y / extent + 0.5; };

    const MapForm form =
        std::visit([](const auto& shape) { return map_form(shape); }, target_.geometry);
    x_axis_.label =
        form == MapForm::view ? "Horizontal from centre (m)" : "Unrolled around the axis (m)";
    y_axis_.label = form == MapForm::rings ? "Rings of equal area (m)"
                    : is_upright(target_)  ? "Vertical from centre (m)"
                                           : "Along height (m)";
    // Short maps have no space for a long rotated label.
    if (measure.text_width(y_axis_.label, kLabel) > map_height_ + 30.0) {
        y_axis_.label = "Height (m)";
    }
    if (measure.text_width(x_axis_.label, kLabel) > map_width_ + 60.0) x_axis_.label = "Width (m)";
    // If an edge is too short for two ticks, the label contains its length.
    if (x_axis_.ticks.positions.size() < 2) {
        x_axis_.label = "Width " + significant(extent_width_, 3) + " m";
    }
    if (y_axis_.ticks.positions.size() < 2) {
        y_axis_.label = "Height " + significant(extent_height_, 3) + " m";
    }
}

void SurfacePanel::measure_margins(Canvas& measure) {
    left_ = axis_width(measure, y_axis_);
    below_ = axis_height();
    // Half of the last tick's label extends beyond the map.
    right_ = widest(measure, x_axis_.ticks.labels) / 2.0;
    if (wide_) {
        below_ += kGap + bar_->thickness();
    } else {
        right_ = kBarGap + bar_->thickness();
    }
    // Titles start at the map's left edge and may extend over the colour bar.
    const double titles =
        std::max(measure.text_width(title_, kTitle), measure.text_width(subtitle_, kSubtitle));
    middle_ = std::max(map_width_, titles - right_);
}

double SurfacePanel::height() const {
    return title_height(title_, subtitle_) + map_height_ + below_;
}

PagePoint SurfacePanel::place(const PageBox& map, const SurfacePoint& point) const {
    return {map.x + x_axis_.place(point.x) * map.width,
            map.y + (1.0 - y_axis_.place(point.y)) * map.height};
}

void SurfacePanel::draw(Canvas& canvas, double x, double y) const {
    const PageBox map{x + left_, y + title_height(title_, subtitle_), map_width_, map_height_};
    draw_titles(canvas, {y, map, title_, subtitle_, x_axis_, y_axis_, left_});
    if (is_image())
        canvas.on_image([&] { draw_map(canvas, map); });
    else
        draw_map(canvas, map);
    std::visit([&](const auto& shape) { draw_rim(canvas, map, shape); }, target_.geometry);
    if (std::holds_alternative<PlanarTarget>(target_.geometry) && !target_.outline.empty()) {
        std::vector<PagePoint> corners;
        for (const auto& [right, up] : target_.outline) corners.push_back(place(map, {right, up}));
        draw_outline(canvas, corners, map);
    }
    canvas.frame(map.x, map.y, map.width, map.height, kLine);
    draw_compass(canvas, map);
    draw_axis_below(canvas, map, x_axis_);
    draw_axis_left(canvas, map, y_axis_, left_);
    if (wide_) {
        bar_->draw(canvas, map.x, map.y + map.height + axis_height() + kGap);
    } else {
        bar_->draw(canvas, map.x + map.width + kBarGap, map.y);
    }
}

void SurfacePanel::draw_compass(Canvas& canvas, const PageBox& map) const {
    const bool flat = is_flat(target_);
    double free_from = -1e9;
    for (const CompassMark& mark : compass_marks(target_)) {
        const double at = place(map, {mark.x, 0.0}).x;
        const double width = canvas.text_width(mark.label, kCompass);
        // Labels of a plane stay inside its edges, those of a cylinder are centred above their
        // place.
        const double start = !flat ? at - width / 2.0 : mark.x < 0.0 ? at : at - width;
        if (start < free_from) continue;
        free_from = start + width + kGap;
        canvas.text(start, map.y - 5.0, mark.label, kCompass, TextAnchor::start, kGrey);
        if (!flat) canvas.line(at, map.y - 3.0, at, map.y, kLine, kGrey);
    }
}

}  // namespace helioray
