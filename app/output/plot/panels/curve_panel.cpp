// SPDX-License-Identifier: MIT
// Arranges and draws curves over steps.
#include "app/output/plot/panels/curve_panel.h"

#include "app/output/plot/drawing/panel_style.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace helioray {

using namespace panel_style;

namespace {

constexpr double kHeadroom = 1.06;
constexpr double kLegendRow = 16.0;
constexpr double kSample = 16.0;
constexpr double kRight = 16.0;  // half of the last tick's label
constexpr double kDot = 2.2;

double find_error(const StepCurve& curve, std::size_t step) {
    const double error = step < curve.errors.size() ? curve.errors[step] : 0.0;
    return std::isfinite(error) ? error : 0.0;
}

}  // namespace

CurvePanel::CurvePanel(CurveGraph graph, std::vector<StepCurve> curves, Canvas& measure)
    : graph_(std::move(graph)), curves_(std::move(curves)) {
    make_axis(measure);
    place_legend(measure);
    text_width_ = std::max(measure.text_width(graph_.title, kTitle),
                           measure.text_width(graph_.subtitle, kSubtitle));
}

void CurvePanel::make_axis(Canvas& measure) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const StepCurve& curve : curves_) {
        for (std::size_t step = 0; step < curve.values.size(); ++step) {
            const double value = curve.values[step];
            if (!std::isfinite(value)) continue;
            low = std::min(low, value - find_error(curve, step));
            high = std::max(high, value + find_error(curve, step));
        }
    }
    if (!(high >= low)) low = high = 0.0;
    if (graph_.from_zero) low = std::min(low, 0.0);
    if (!(high > low)) high = low + std::max(std::abs(low), 1.0);
    const double room = (kHeadroom - 1.0) * (high - low);
    high += room;
    if (!graph_.from_zero) low -= room;
    values_ = {nice_ticks(low, high, ticks_that_fit(graph_.height, 28.0, 9)),
               graph_.label,
               [low, high](double value) { return (value - low) / (high - low); }};
    left_ = axis_width(measure, values_);
}

void CurvePanel::place_legend(Canvas& measure) {
    if (curves_.size() < 2) return;
    constexpr double kBetween = 18.0;
    PagePoint at{0.0, kLegendRow / 2.0};
    for (const StepCurve& curve : curves_) {
        const double width = kSample + kGap + measure.text_width(curve.name, kLabel);
        if (at.x > 0.0 && at.x + width > graph_.width) at = {0.0, at.y + kLegendRow};
        legend_.push_back(at);
        at.x += width + kBetween;
    }
    legend_height_ = at.y + kLegendRow / 2.0;
}

double CurvePanel::width() const {
    return left_ + std::max(graph_.width + kRight, text_width_);
}

double CurvePanel::height() const {
    return title_height(graph_.title, graph_.subtitle) + graph_.height + axis_height() +
           legend_height_;
}

void CurvePanel::draw(Canvas& canvas, double x, double y) const {
    const PageBox box{
        x + left_, y + title_height(graph_.title, graph_.subtitle), graph_.width, graph_.height};
    draw_graph(
        canvas, {y, box, graph_.title, graph_.subtitle, graph_.steps, values_, left_, true}, [&] {
            for (const StepCurve& curve : curves_) draw_curve(canvas, box, curve);
        });
    draw_legend(canvas, box);
}

void CurvePanel::draw_curve(Canvas& canvas, const PageBox& box, const StepCurve& curve) const {
    const auto place = [&](std::size_t step, double value) {
        return PagePoint{box.x + graph_.steps.place(graph_.places[step]) * box.width,
                         box.y + (1.0 - values_.place(value)) * box.height};
    };
    std::vector<PagePoint> line;
    const auto finish = [&] {
        if (line.size() > 1) canvas.polyline(line, 1.2, curve.color);
        line.clear();
    };
    for (std::size_t step = 0; step < curve.values.size(); ++step) {
        if (std::ranges::binary_search(graph_.breaks, step)) finish();
        if (std::isfinite(curve.values[step])) line.push_back(place(step, curve.values[step]));
    }
    finish();
    for (std::size_t step = 0; step < curve.values.size(); ++step) {
        if (!std::isfinite(curve.values[step])) continue;
        const double error = find_error(curve, step);
        const PagePoint above = place(step, curve.values[step] + error);
        const PagePoint below = place(step, curve.values[step] - error);
        canvas.line(above.x, above.y, below.x, below.y, 0.8, curve.color);
        const PagePoint at = place(step, curve.values[step]);
        canvas.disc(at.x, at.y, kDot, curve.color);
    }
}

void CurvePanel::draw_legend(Canvas& canvas, const PageBox& box) const {
    for (std::size_t i = 0; i < legend_.size(); ++i) {
        const double x = box.x + legend_[i].x;
        const double y = box.y + box.height + axis_height() + legend_[i].y;
        canvas.polyline({{x, y - 3.5}, {x + kSample, y - 3.5}}, 1.2, curves_[i].color);
        canvas.disc(x + kSample / 2.0, y - 3.5, kDot, curves_[i].color);
        canvas.text(x + kSample + kGap, y, curves_[i].name, kLabel);
    }
}

}  // namespace helioray
