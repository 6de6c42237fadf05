// SPDX-License-Identifier: MIT
// Draws residual arrows on targets, errors against the distance of suns, and uncertainty over the
// field.
#include "app/output/plot/calibration_plot.h"

#include "app/output/plot/drawing/axes.h"
#include "app/output/plot/drawing/panel_style.h"
#include "app/output/plot/field_plot.h"
#include "app/output/summary/calibration_summary.h"
#include "raytracer/solvers/calibration/field_records.h"
#include "raytracer/tracing/job/mirror_outline.h"
#include "scenario/files/number_text.h"
#include "scenario/files/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace helioray {

namespace {

using namespace panel_style;
using calibration::Comparison;
using calibration::HeliostatCalibration;
using calibration::TargetPlane;

constexpr Color kBefore{0.84, 0.37, 0.10};
constexpr Color kAfter{0.10, 0.35, 0.65};
constexpr double kPixelsPerPoint = 2.0;

Axis axis_over(double low, double high, double length, std::string label) {
    Axis axis;
    axis.ticks = nice_ticks(low, high, ticks_that_fit(length, 48.0, 9));
    axis.label = std::move(label);
    axis.place = [low, high](double value) { return (value - low) / (high - low); };
    return axis;
}

/// A rectangle with two axes, a title and a line below it.
class PointsPanel : public Panel {
  public:
    double width() const override { return left_ + box_width_ + kRoom; }
    double height() const override { return kTitleHeight + box_height_ + axis_height(); }

    void draw(Canvas& canvas, double x, double y) const override {
        const PageBox box{x + left_, y + kTitleHeight, box_width_, box_height_};
        draw_graph(canvas,
                   {y, box, title_, subtitle_, horizontal_, vertical_, left_, false, true},
                   [&] { draw_inside(canvas, box); });
    }

  protected:
    PointsPanel(std::string title, std::string subtitle, double width, double height)
        : title_(std::move(title)),
          subtitle_(std::move(subtitle)),
          box_width_(width),
          box_height_(height) {}

    void set_axes(Axis horizontal, Axis vertical, Canvas& measure) {
        horizontal_ = std::move(horizontal);
        vertical_ = std::move(vertical);
        left_ = axis_width(measure, vertical_);
    }
    PagePoint place(const PageBox& box, double x, double y) const {
        return {box.x + horizontal_.place(x) * box.width,
                box.y + (1.0 - vertical_.place(y)) * box.height};
    }
    virtual void draw_inside(Canvas& canvas, const PageBox& box) const = 0;

  private:
    static constexpr double kRoom = 24.0;
    std::string title_, subtitle_;
    double box_width_, box_height_;
    Axis horizontal_, vertical_;
};

/// Arrow from the measured spot to the predicted one, metres on the target.
struct Arrow {
    std::array<double, 2> from{}, to{};
    Color color;
};

class ArrowPanel : public PointsPanel {
  public:
    ArrowPanel(const std::string& name,
               std::array<double, 2> extent,
               std::vector<Arrow> arrows,
               Canvas& measure)
        : PointsPanel(name,
                      "from measured to predicted spots: nominal (orange), calibrated (blue)",
                      kSide,
                      kSide),
          extent_(extent),
          arrows_(std::move(arrows)) {
        // The margin around the target shows light that misses it.
        const double half = 0.7 * std::max(extent[0], extent[1]);
        set_axes(axis_over(-half, half, kSide, "Right of the centre (m)"),
                 axis_over(-half, half, kSide, "Above the centre (m)"),
                 measure);
    }

  private:
    static constexpr double kSide = 330.0;

    void draw_inside(Canvas& canvas, const PageBox& box) const override {
        const double x = 0.5 * extent_[0], y = 0.5 * extent_[1];
        canvas.polyline({place(box, -x, -y),
                         place(box, x, -y),
                         place(box, x, y),
                         place(box, -x, y),
                         place(box, -x, -y)},
                        1.0,
                        kGrey);
        for (const Arrow& arrow : arrows_) {
            const PagePoint from = place(box, arrow.from[0], arrow.from[1]);
            const PagePoint to = place(box, arrow.to[0], arrow.to[1]);
            const double length = std::hypot(to.x - from.x, to.y - from.y);
            canvas.line(from.x, from.y, to.x, to.y, 1.1, arrow.color);
            canvas.disc(from.x, from.y, 1.8, kBlack);
            if (length < 4.0) continue;
            // Draw the head of the arrow.
            const double u = (to.x - from.x) / length, v = (to.y - from.y) / length;
            canvas.fill({to,
                         {to.x - 5.0 * u - 2.2 * v, to.y - 5.0 * v + 2.2 * u},
                         {to.x - 5.0 * u + 2.2 * v, to.y - 5.0 * v - 2.2 * u}},
                        arrow.color);
        }
    }

    std::array<double, 2> extent_;
    std::vector<Arrow> arrows_;
};

class SunDistancePanel : public PointsPanel {
  public:
    SunDistancePanel(std::vector<std::array<double, 2>> points,
                     const std::string& subtitle,
                     Canvas& measure)
        : PointsPanel("Records predicted from the others", subtitle, kWidth, kHeight),
          points_(std::move(points)) {
        double farthest = 10.0, largest = 1.0;
        for (const auto& [distance, error] : points_) {
            farthest = std::max(farthest, distance);
            largest = std::max(largest, error);
        }
        set_axes(axis_over(0.0, 1.05 * farthest, kWidth, "Distance to the nearest sun (deg)"),
                 axis_over(0.0, 1.05 * largest, kHeight, "Tilt of the normal (mrad)"),
                 measure);
    }

  private:
    static constexpr double kWidth = 400.0, kHeight = 330.0;

    void draw_inside(Canvas& canvas, const PageBox& box) const override {
        for (const auto& [distance, error] : points_) {
            const PagePoint at = place(box, distance, error);
            canvas.disc(at.x, at.y, points_.size() > 500 ? 1.2 : 2.6, kAfter);
        }
    }

    std::vector<std::array<double, 2>> points_;
};

void add_arrows(const std::vector<Comparison>& list,
                const std::string& target,
                const TargetPlane& plane,
                const Color& color,
                std::vector<Arrow>& arrows) {
    const auto on_target = [&](const Vec3& point) {
        const Vec3 offset = subtract(point, plane.centre);
        return std::array<double, 2>{dot(offset, plane.right), dot(offset, plane.up)};
    };
    for (const Comparison& c : list) {
        if (c.target != target || !c.predicted) continue;
        arrows.push_back({on_target(c.measured), on_target(*c.predicted), color});
    }
}

/// Returns the plan of a field that has not been traced, with flat mirrors.
RunResult make_plan(const Scenario& scenario) {
    RunResult plan;
    for (const Target& target : scenario.targets) plan.targets.emplace_back().target = target;
    for (const Heliostat& heliostat : scenario.heliostats) {
        HeliostatResult result;
        result.name = heliostat.name;
        const Vec3& at = heliostat.position;
        result.orientation = {1, 0, 0, at[0], 0, 1, 0, at[1], 0, 0, 1, at[2], 0, 0, 0, 1};
        result.mirror_outline = mirror_outline(*heliostat.surface);
        plan.heliostats.push_back(std::move(result));
    }
    return plan;
}

FieldNumbers aim_errors(const std::vector<HeliostatCalibration>& field, const Scenario& scenario) {
    FieldNumbers numbers;
    numbers.title = "Uncertainty";
    numbers.label = "Expected aim error (mrad)";
    numbers.cross_out = true;
    numbers.values.assign(scenario.heliostats.size(), std::numeric_limits<double>::quiet_NaN());
    size_t unknown = scenario.heliostats.size();
    for (const HeliostatCalibration& heliostat : field) {
        const auto index = scenario.find_heliostat(heliostat.name);
        if (!index || heliostat.used == 0) continue;
        numbers.values[*index] = 1e3 * heliostat.aim_error;
        --unknown;
    }
    numbers.subtitle = unknown == 0
                           ? "standard deviation of the normal, over the suns of the year"
                           : fmt::format("×: {} of {} heliostats without a record that counted",
                                         unknown,
                                         scenario.heliostats.size());
    return numbers;
}

/// Data of a field's plan, stored as long as the panel.
struct OwnedPlan {
    RunResult plan;
};

class AimErrorPanel : private OwnedPlan, public FieldPanel {
  public:
    AimErrorPanel(RunResult field, FieldNumbers numbers, Canvas& measure)
        : OwnedPlan{std::move(field)}, FieldPanel(plan, std::move(numbers), kShrink, measure) {}

  private:
    static constexpr double kShrink = 0.62;
};

}  // namespace

PlotPage residual_arrows(const std::vector<HeliostatCalibration>& field, const Scenario& scenario) {
    Canvas measure;
    PlotPage page;
    for (const auto& [name, plane] : calibration::target_planes(scenario)) {
        std::vector<Arrow> arrows;
        for (const HeliostatCalibration& heliostat : field)
            add_arrows(heliostat.before, name, plane, kBefore, arrows);
        for (const HeliostatCalibration& heliostat : field)
            add_arrows(heliostat.fitted, name, plane, kAfter, arrows);
        if (arrows.empty()) continue;
        const Target& target = scenario.targets[*scenario.find_target(name)];
        page.panels.push_back(
            std::make_unique<ArrowPanel>(name, surface_extent(target), std::move(arrows), measure));
    }
    return page;
}

PlotPage expected_errors(const std::vector<HeliostatCalibration>& field, const Scenario& scenario) {
    Canvas measure;
    PlotPage page;
    const std::vector<Comparison> left_out = all_left_out(field);
    std::vector<std::array<double, 2>> points;
    for (const Comparison& c : left_out) {
        if (!std::isfinite(c.sun_distance)) continue;
        points.push_back({c.sun_distance / kRadiansPerDegree, 1e3 * c.error});
    }
    const ComparisonFigures figures = compute_figures(left_out);
    page.panels.push_back(std::make_unique<SunDistancePanel>(
        std::move(points),
        fmt::format(
            "median {:.2f} mrad, mean {:.2f} mrad", 1e3 * figures.median, 1e3 * figures.mean),
        measure));
    page.panels.push_back(
        std::make_unique<AimErrorPanel>(make_plan(scenario), aim_errors(field, scenario), measure));
    return page;
}

void plot_calibration(const std::vector<HeliostatCalibration>& field,
                      const Scenario& scenario,
                      const std::filesystem::path& picture) {
    PlotPage page = residual_arrows(field, scenario);
    page.title = "Calibration";
    size_t records = 0;
    for (const HeliostatCalibration& heliostat : field) records += heliostat.used;
    page.subtitle =
        fmt::format("{}, {}", counted(field.size(), "heliostat"), counted(records, "record"));
    for (auto& panel : expected_errors(field, scenario).panels)
        page.panels.push_back(std::move(panel));
    store_page(page, picture, kPixelsPerPoint);
}

}  // namespace helioray
