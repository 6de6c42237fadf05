// SPDX-License-Identifier: MIT
// Draws dots of aim points, and curves over the rounds.
#include "app/output/plot/panels/aiming_panels.h"

#include "app/output/plot/drawing/panel_style.h"
#include "scenario/files/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace helioray {

using namespace panel_style;

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr const char* kConvergence = "Convergence";
constexpr double kLegendHeight = 20.0;
constexpr double kLegendSample = 18.0;  // length of a curve's sample in the legend

// These colours are distinct for every kind of colour vision (M. Okabe and K. Ito, Color universal
// design, 2008).
constexpr Color kPower{0.0, 0.447, 0.698};
constexpr Color kBound{0.0, 0.620, 0.451};
constexpr Color kShare{0.835, 0.369, 0.0};

/// Returns the lowest and highest number with a margin, which is positive even if all numbers are
/// equal.
std::pair<double, double> find_range(const std::vector<const std::vector<double>*>& all) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const auto* values : all) {
        for (const double value : *values) {
            if (!std::isfinite(value)) continue;
            low = std::min(low, value);
            high = std::max(high, value);
        }
    }
    if (!(high >= low)) return {0.0, 1.0};
    constexpr double kRoom = 0.08;
    // Relative to the number, so that noise does not fill the panel.
    constexpr double kLeast = 0.002;
    const double room = std::max({kRoom * (high - low), kLeast * std::abs(high), 1e-12});
    return {low - room, high + room};
}

Axis axis_over(double low, double high, double length, const std::string& label) {
    return {nice_ticks(low, high, ticks_that_fit(length, 28.0, 9)),
            label,
            [low, high](double value) { return (value - low) / (high - low); }};
}

}  // namespace

AimPointsPanel::AimPointsPanel(const Target& target,
                               std::vector<AimDot> aims,
                               const std::string& title,
                               double shrink,
                               Canvas& measure)
    : SurfacePanel(target, shrink), aims_(std::move(aims)) {
    double nearest = std::numeric_limits<double>::infinity();
    double farthest = 0.0;
    for (const AimDot& aim : aims_) {
        nearest = std::min(nearest, aim.distance);
        farthest = std::max(farthest, aim.distance);
    }
    // The colour scale needs a range even if all distances are equal.
    if (!(farthest > nearest)) nearest = aims_.empty() ? 0.0 : 0.9 * farthest;
    if (!(farthest > nearest)) farthest = nearest + 1.0;
    const auto count = static_cast<int64_t>(aims_.size());
    lay_out(title,
            fmt::format("{} heliostat{} aim{} here",
                        grouped(count),
                        count == 1 ? "" : "s",
                        count == 1 ? "s" : ""),
            ColorScale::linear(nearest, farthest, true),
            "Distance of the heliostat (m)",
            measure);
}

void AimPointsPanel::draw_map(Canvas& canvas, const PageBox& map) const {
    // The colours of the dots differ from the ground.
    canvas.fill({{map.x, map.y},
                 {map.x + map.width, map.y},
                 {map.x + map.width, map.y + map.height},
                 {map.x, map.y + map.height}},
                kWhite);
    const PagePoint middle = place(map, {0.0, 0.0});
    canvas.line(map.x, middle.y, map.x + map.width, middle.y, 0.5, kPaleGrey);
    canvas.line(middle.x, map.y, middle.x, map.y + map.height, 0.5, kPaleGrey);
    if (aims_.empty()) return;
    constexpr double kCovered = 0.12;  // fraction of the map, if no two dots overlap
    constexpr double kSmallest = 0.9;
    constexpr double kLargest = 3.2;
    const double area = map.width * map.height / static_cast<double>(aims_.size());
    const double radius =
        std::clamp(std::sqrt(kCovered * area / std::numbers::pi), kSmallest, kLargest);
    for (const AimDot& aim : aims_) {
        const PagePoint at = place(map, aim.point);
        canvas.disc(
            at.x, at.y, radius, canvas_color(bar_scale().color(aim.distance, canvas.theme())));
    }
}

ConvergencePanel::ConvergencePanel(const aiming::AimingResult& result,
                                   double shrink,
                                   Canvas& measure)
    : plot_width_(520.0 * shrink), plot_height_(360.0 * shrink) {
    make_axes(result, measure);
    subtitle_ = fmt::format("{} iterations, {} traces of the field, {}",
                            grouped(result.iterations),
                            grouped(result.traces),
                            duration_text(result.rounds.back().seconds));
    text_width_ = std::max(measure.text_width(kConvergence, kTitle),
                           measure.text_width(subtitle_, kSubtitle));
}

void ConvergencePanel::make_axes(const aiming::AimingResult& result, Canvas& measure) {
    with_limits_ = result.worst_limit_share.has_value();
    Curve power{"power", {}, false, kPower};
    Curve bound{"bound", {}, false, kBound, 5.0};
    Curve share{"largest flux (right axis; dotted: the limit)", {}, true, kShare};
    double largest = 0.0;
    for (const aiming::Round& round : result.rounds) {
        largest = std::max({largest, round.power, round.bound});
        power.values.push_back(round.power);
        bound.values.push_back(result.power_bound && round.bound > 0.0 ? round.bound : kNone);
        share.values.push_back(100.0 * round.worst_limit_share);
    }
    const UnitScale scale = power_scale(largest);
    for (Curve* curve : {&power, &bound})
        for (double& value : curve->values) value /= scale.factor;

    const auto rounds = static_cast<double>(result.rounds.size());
    round_axis_.place = [rounds](double round) { return (round - 0.5) / rounds; };
    round_axis_.label = "Traced round";
    const auto count = static_cast<int>(result.rounds.size());
    const int step = 1 + (count - 1) / ticks_that_fit(plot_width_, 24.0, 20);
    for (int round = 1; round <= count; round += step) {
        round_axis_.ticks.positions.push_back(round);
        round_axis_.ticks.labels.push_back(std::to_string(round));
    }
    const auto [low, high] = find_range({&power.values, &bound.values});
    power_axis_ = axis_over(low, high, plot_height_, fmt::format("Power ({})", scale.unit));
    left_ = axis_width(measure, power_axis_);
    curves_.push_back(std::move(power));
    if (result.power_bound) curves_.push_back(std::move(bound));
    if (!with_limits_) return;
    // The limit itself is always visible.
    const std::vector<double> limit{100.0};
    const auto [least, most] = find_range({&share.values, &limit});
    share_axis_ = axis_over(least, most, plot_height_, "Largest flux (% of the limit)");
    right_ = axis_width(measure, share_axis_);
    curves_.push_back(std::move(share));
}

double ConvergencePanel::width() const {
    return left_ + std::max(plot_width_ + right_, text_width_);
}

double ConvergencePanel::height() const {
    return kTitleHeight + plot_height_ + axis_height() + kLegendHeight;
}

void ConvergencePanel::draw(Canvas& canvas, double x, double y) const {
    const PageBox box{x + left_, y + kTitleHeight, plot_width_, plot_height_};
    draw_graph(
        canvas, {y, box, kConvergence, subtitle_, round_axis_, power_axis_, left_, true}, [&] {
            if (with_limits_) {
                const double at = box.y + (1.0 - share_axis_.place(100.0)) * box.height;
                canvas.polyline({{box.x, at}, {box.x + box.width, at}}, 0.9, kShare, 2.0);
            }
            for (const Curve& curve : curves_) draw_curve(canvas, box, curve);
        });
    if (with_limits_) draw_axis_right(canvas, box, share_axis_, right_);
    draw_legend(canvas, box);
}

void ConvergencePanel::draw_curve(Canvas& canvas, const PageBox& box, const Curve& curve) const {
    const Axis& axis = curve.of_limit ? share_axis_ : power_axis_;
    std::vector<PagePoint> points;
    for (size_t i = 0; i < curve.values.size(); ++i) {
        if (!std::isfinite(curve.values[i])) continue;
        points.push_back({box.x + round_axis_.place(static_cast<double>(i + 1)) * box.width,
                          box.y + (1.0 - axis.place(curve.values[i])) * box.height});
    }
    if (points.size() > 1) canvas.polyline(points, 1.4, curve.color, curve.dash);
    for (const PagePoint& point : points) canvas.disc(point.x, point.y, 2.4, curve.color);
}

void ConvergencePanel::draw_legend(Canvas& canvas, const PageBox& box) const {
    constexpr double kBetween = 18.0;
    double x = box.x;
    const double y = box.y + box.height + axis_height() + kLegendHeight / 2.0;
    for (const Curve& curve : curves_) {
        canvas.polyline({{x, y - 3.5}, {x + kLegendSample, y - 3.5}}, 1.4, curve.color, curve.dash);
        canvas.disc(x + kLegendSample / 2.0, y - 3.5, 2.4, curve.color);
        canvas.text(x + kLegendSample + kGap, y, curve.name, kLabel);
        x += kLegendSample + kGap + canvas.text_width(curve.name, kLabel) + kBetween;
    }
}

}  // namespace helioray
