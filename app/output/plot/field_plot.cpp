// SPDX-License-Identifier: MIT
// Arranges and draws the plan of the field.
#include "app/output/plot/field_plot.h"

#include "app/output/plot/drawing/panel_style.h"
#include "app/output/plot/maps/footprint.h"
#include "app/output/summary/run_context.h"
#include "app/output/summary/summary.h"
#include "raytracer/tracing/geometry/frames.h"
#include "raytracer/tracing/job/mirror_outline.h"
#include "scenario/files/error.h"
#include "scenario/files/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

namespace helioray {

using namespace panel_style;

namespace {

constexpr double kSideBar = kBarGap;

std::string solar_name(const std::string& unit) {
    return unit == "J" ? "solar energy" : "solar power";
}

UnitScale choose_scale(const std::string& unit, double largest) {
    if (unit == "J") return energy_scale(largest);
    return unit == "W" ? power_scale(largest) : UnitScale{1.0, "sum of ray weights"};
}

// Returns "12.3 %" of the field's sun, or the sum of powers.
std::string field_total(const RunResult& result,
                        const HeliostatQuantity& quantity,
                        const std::string& unit) {
    double sum = 0.0;
    double solar = 0.0;
    const bool share = quantity.kind == HeliostatQuantity::Kind::share;
    for (const HeliostatResult& h : result.heliostats) {
        solar += h.energy.solar_power;
        sum += share ? h.energy.target_power : quantity.value(h);
    }
    if (!(solar > 0.0)) return "no sun on the field";
    const std::string percent = significant(100.0 * sum / solar, 4) + " %";
    if (share) return "field " + percent;
    const std::string part = percent + " of " + solar_name(unit);
    if (unit == "1") return "field " + part;
    return fmt::format("field {}, {}", unit == "J" ? energy_text(sum) : power_text(sum), part);
}

}  // namespace

FieldNumbers field_numbers(const RunResult& result,
                           const HeliostatQuantity& quantity,
                           FieldUnit unit) {
    const bool share = quantity.kind == HeliostatQuantity::Kind::share;
    const bool percent = share || unit == FieldUnit::percent;
    FieldNumbers numbers;
    numbers.title = quantity.title;
    // Standard errors of independent rays do not add up to a total.
    if (share || quantity.name.find("std_error") == std::string::npos) {
        numbers.subtitle = field_total(result, quantity, energy_unit(result));
    }
    double largest = 0.0;
    for (const HeliostatResult& h : result.heliostats) {
        const double value = percent ? 100.0 * quantity.share(h) : quantity.value(h);
        numbers.values.push_back(value);
        if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    }
    if (percent) {
        const std::string of = " (% of " + solar_name(energy_unit(result)) + ")";
        numbers.label = quantity.title + (share ? " (%)" : of);
        return numbers;
    }
    const UnitScale scale = choose_scale(energy_unit(result), largest);
    for (double& value : numbers.values) value /= scale.factor;
    numbers.label = fmt::format("{} ({})", quantity.title, scale.unit);
    return numbers;
}

FieldPanel::FieldPanel(const RunResult& result,
                       FieldNumbers numbers,
                       double shrink,
                       Canvas& measure,
                       Surroundings surroundings)
    : result_(result), numbers_(std::move(numbers)), surroundings_(std::move(surroundings)) {
    if (numbers_.values.size() != result.heliostats.size())
        throw std::logic_error("FieldPanel: one number per heliostat");
    measure_field(shrink);
    make_axes(measure);
    text_width_ = std::max(measure.text_width(numbers_.title, kTitle),
                           measure.text_width(numbers_.subtitle, kSubtitle));
}

void FieldPanel::measure_field(double shrink) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    Bounds b{kInfinity, -kInfinity, kInfinity, -kInfinity};
    const auto include = [&b](const Vec3& p) {
        b.east_low = std::min(b.east_low, p[0]);
        b.east_high = std::max(b.east_high, p[0]);
        b.north_low = std::min(b.north_low, p[1]);
        b.north_high = std::max(b.north_high, p[1]);
    };
    for (const HeliostatResult& h : result_.heliostats) {
        include(mirror_origin(h));
        if (!h.mirror_outline) continue;
        for (const Vec3& corner : outline_in_field(h)) include(corner);
    }
    for (const IdleHeliostat& heliostat : surroundings_.idle) include(heliostat.position);
    for (const TargetResult& t : result_.targets) {
        for (const double share : {-0.5, -0.25, 0.0, 0.25, 0.5}) {
            include(surface_point(t.target, share * surface_extent(t.target)[0], 0.0));
        }
    }
    const double extent = std::max({b.east_high - b.east_low, b.north_high - b.north_low, 1.0});
    const double margin = 0.05 * extent + 1.0;
    b = {b.east_low - margin, b.east_high + margin, b.north_low - margin, b.north_high + margin};

    // Widen the plan of long and narrow fields.
    constexpr double kLongest = 2.5;
    const double shortest =
        std::max(b.east_high - b.east_low, b.north_high - b.north_low) / kLongest;
    const auto widen = [shortest](double& low, double& high) {
        const double more = std::max(0.0, shortest - (high - low)) / 2.0;
        low -= more;
        high += more;
    };
    widen(b.east_low, b.east_high);
    widen(b.north_low, b.north_high);
    bounds_ = b;

    constexpr double kArea = 620.0 * 520.0;
    const double aspect = (b.east_high - b.east_low) / (b.north_high - b.north_low);
    plot_height_ = shrink * std::sqrt(kArea / aspect);
    plot_width_ = plot_height_ * aspect;
    points_per_metre_ = plot_width_ / (b.east_high - b.east_low);
}

void FieldPanel::make_axes(Canvas& measure) {
    const Bounds b = bounds_;
    x_axis_ = {nice_ticks(b.east_low, b.east_high, ticks_that_fit(plot_width_, 48.0, 13)),
               "East (m)",
               [b](double e) { return (e - b.east_low) / (b.east_high - b.east_low); }};
    y_axis_ = {nice_ticks(b.north_low, b.north_high, ticks_that_fit(plot_height_, 36.0, 13)),
               "North (m)",
               [b](double n) { return (n - b.north_low) / (b.north_high - b.north_low); }};
    left_ = axis_width(measure, y_axis_);

    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const double value : numbers_.values) {
        if (!std::isfinite(value)) continue;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    if (!(high >= low)) low = high = 0.0;
    // Equal numbers need a range too, wider than their rounding errors.
    const double least = std::max(1e-6 * std::max(std::abs(low), std::abs(high)), 1e-9);
    if (high - low < least) {
        const double room = std::max(0.05 * std::abs(high), 1e-3);
        low = low == 0.0 ? 0.0 : low - room;
        high += room;
    }
    bar_.emplace(ColorScale::linear(low, high, true), numbers_.label, true, plot_height_, measure);
}

double FieldPanel::width() const {
    constexpr double kArrows = 80.0;
    return left_ + std::max(plot_width_ + kSideBar + bar_->thickness(), text_width_ + kArrows);
}

double FieldPanel::height() const {
    return kTitleHeight + plot_height_ + axis_height();
}

PagePoint FieldPanel::place(const PageBox& box, double east, double north) const {
    return {box.x + x_axis_.place(east) * box.width,
            box.y + (1.0 - y_axis_.place(north)) * box.height};
}

void FieldPanel::draw(Canvas& canvas, double x, double y) const {
    const PageBox box{x + left_, y + kTitleHeight, plot_width_, plot_height_};
    draw_graph(canvas,
               {y, box, numbers_.title, numbers_.subtitle, x_axis_, y_axis_, left_, false, true},
               [&] {
                   draw_obstacles(canvas, box);
                   draw_idle(canvas, box);
                   draw_heliostats(canvas, box);
                   draw_targets(canvas, box);
               });
    bar_->draw(canvas, box.x + box.width + kBarGap, box.y);
    draw_arrows(canvas, box);
}

void FieldPanel::draw_heliostats(Canvas& canvas, const PageBox& box) const {
    for (size_t i = 0; i < result_.heliostats.size(); ++i) {
        const HeliostatResult& h = result_.heliostats[i];
        const double value = numbers_.values[i];
        if (numbers_.cross_out && std::isnan(value)) continue;
        const Color color = canvas_color(bar_->scale().color(value, canvas.theme()));
        std::vector<PagePoint> outline;
        double size = 0.0;
        if (h.mirror_outline) {
            for (const Vec3& corner : outline_in_field(h)) {
                outline.push_back(place(box, corner[0], corner[1]));
            }
            const auto& m = *h.mirror_outline;
            size = std::hypot(m[2][0] - m[0][0], m[2][1] - m[0][1]) * points_per_metre_;
        }
        constexpr double kSmallest = 2.0;
        if (size < kSmallest) {
            const PagePoint at = place(box, mirror_origin(h)[0], mirror_origin(h)[1]);
            canvas.on_image([&] { canvas.disc(at.x, at.y, outline.empty() ? 2.5 : 1.2, color); });
            continue;
        }
        canvas.on_image([&] { canvas.fill(outline, color); });
        // A mirror seen edge-on is a line.
        outline.push_back(outline.front());
        constexpr double kLarge = 9.0;
        if (size > kLarge)
            canvas.polyline(outline, 0.5, kGrey);
        else
            canvas.on_image([&] { canvas.polyline(outline, 0.3, color); });
    }
    if (numbers_.cross_out) draw_crosses(canvas, box);
}

void FieldPanel::draw_crosses(Canvas& canvas, const PageBox& box) const {
    // The cross is drawn above all mirrors, with a size that is visible in large fields.
    constexpr double kArm = 2.4;
    for (size_t i = 0; i < result_.heliostats.size(); ++i) {
        if (!std::isnan(numbers_.values[i])) continue;
        const Vec3 origin = mirror_origin(result_.heliostats[i]);
        const auto [x, y] = place(box, origin[0], origin[1]);
        for (const auto& [width, color] : {std::pair{2.2, kWhite}, {1.1, kBlack}}) {
            canvas.line(x - kArm, y - kArm, x + kArm, y + kArm, width, color);
            canvas.line(x - kArm, y + kArm, x + kArm, y - kArm, width, color);
        }
    }
}

void FieldPanel::draw_obstacles(Canvas& canvas, const PageBox& box) const {
    constexpr Color kBody{0.80, 0.80, 0.80};
    for (const ObstacleConfig& obstacle : surroundings_.obstacles) {
        std::vector<PagePoint> outline;
        for (const auto& [east, north] : footprint(obstacle))
            outline.push_back(place(box, east, north));
        canvas.fill(outline, kBody);
        outline.push_back(outline.front());
        canvas.polyline(outline, 0.8, kGrey);
    }
}

void FieldPanel::draw_idle(Canvas& canvas, const PageBox& box) const {
    constexpr double kArm = 2.2;
    for (const IdleHeliostat& heliostat : surroundings_.idle) {
        const auto [x, y] = place(box, heliostat.position[0], heliostat.position[1]);
        canvas.line(x - kArm, y - kArm, x + kArm, y + kArm, 0.9, kGrey);
        canvas.line(x - kArm, y + kArm, x + kArm, y - kArm, 0.9, kGrey);
    }
}

void FieldPanel::draw_targets(Canvas& canvas, const PageBox& box) const {
    constexpr double kSymbol = 3.2, kRim = 1.0;
    std::vector<PageBox> taken;  // boxes of symbols, later also of names
    for (const TargetResult& t : result_.targets) {
        // Draw the surface seen from above; planes and cylinders appear as their middle line.
        const double width = surface_extent(t.target)[0];
        std::vector<PagePoint> line;
        PagePoint middle{};
        constexpr int kSteps = 64;
        for (int i = 0; i <= kSteps; ++i) {
            const double share = static_cast<double>(i) / kSteps - 0.5;
            const Vec3 p = surface_point(t.target, share * width, 0.0);
            line.push_back(place(box, p[0], p[1]));
            middle.x += line.back().x / (kSteps + 1);
            middle.y += line.back().y / (kSteps + 1);
        }
        for (const auto& [stroke, color] : {std::pair{5.0, kWhite}, {2.6, kBlack}}) {
            canvas.polyline(line, stroke, color);
        }
        canvas.disc(middle.x, middle.y, kSymbol + kRim, kWhite);
        canvas.disc(middle.x, middle.y, kSymbol, kBlack);
        const auto [first, last] = std::minmax_element(
            line.begin(), line.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
        const double left = std::min(first->x, middle.x - kSymbol);
        const double right = std::max(last->x, middle.x + kSymbol);
        taken.push_back({left, middle.y - kSymbol, right - left, 2.0 * kSymbol});
    }
    constexpr double kHeight = 12.0;
    // The surfaces of a receiver share its name, beside the first of them.
    std::set<std::string> named;
    for (size_t i = 0; i < result_.targets.size(); ++i) {
        const Target& target = result_.targets[i].target;
        const std::string& name = target.receiver.empty() ? target.name : target.receiver;
        if (!named.insert(name).second) continue;
        const PageBox symbol = taken[i];
        const PageBox label =
            label_place(box, symbol, taken, canvas.text_width(name, kTargetName), kHeight);
        taken.push_back(label);
        // A line connects a name that is away from its symbol.
        const double y = symbol.y + symbol.height / 2.0;
        if (y < label.y || y > label.y + label.height) {
            const bool is_right = label.x > symbol.x;
            canvas.line(is_right ? symbol.x + symbol.width : symbol.x,
                        y,
                        is_right ? label.x - 1.0 : label.x + label.width + 1.0,
                        label.y + kHeight / 2.0,
                        0.6,
                        kGrey);
        }
        canvas.text_with_halo(label.x + label.width / 2.0,
                              label.y + kHeight / 2.0,
                              name,
                              kTargetName,
                              kBlack,
                              kWhite);
    }
}

void FieldPanel::draw_arrows(Canvas& canvas, const PageBox& box) const {
    // Arrows above the plan on the right show north and the direction of the sun.
    constexpr double kReach = 11.0;
    const auto arrow = [&](double x, double east, double north, const char* name) {
        const double y = box.y - 25.0;
        const PagePoint tip{x + kReach * east, y - kReach * north};
        const PagePoint tail{x - kReach * east, y + kReach * north};
        canvas.polyline({tail, tip}, 1.3, kBlack);
        const auto wing = [&](double side) {
            return PagePoint{tip.x - 5.0 * east - side * 3.0 * north,
                             tip.y + 5.0 * north - side * 3.0 * east};
        };
        canvas.fill({tip, wing(1.0), wing(-1.0)}, kBlack);
        canvas.text(x, box.y - 4.0, name, kCompass, TextAnchor::middle, kGrey);
    };
    arrow(box.x + box.width - 12.0, 0.0, 1.0, "North");
    const Vec3& sun = result_.provenance.sun_direction;
    const double level = std::hypot(sun[0], sun[1]);
    constexpr double kOverhead = 1e-3;
    if (level > kOverhead) {
        arrow(box.x + box.width - 52.0, sun[0] / level, sun[1] / level, "to sun");
    }
}

PageBox label_place(const PageBox& frame,
                    const PageBox& symbol,
                    const std::vector<PageBox>& taken,
                    double width,
                    double height) {
    constexpr double kGap = 5.0, kMargin = 3.0, kStep = 2.0;
    const double right = symbol.x + symbol.width + kGap, left = symbol.x - kGap - width;
    const double level = symbol.y + (symbol.height - height) / 2.0;
    const auto is_free = [&](const PageBox& label) {
        const bool inside = label.x >= frame.x + kMargin && label.y >= frame.y + kMargin &&
                            label.x + width <= frame.x + frame.width - kMargin &&
                            label.y + height <= frame.y + frame.height - kMargin;
        return inside && std::none_of(taken.begin(), taken.end(), [&](const PageBox& o) {
                   return label.x < o.x + o.width && o.x < label.x + width &&
                          label.y < o.y + o.height && o.y < label.y + height;
               });
    };
    const int steps = static_cast<int>(frame.height / kStep);
    for (int step = 0; step <= steps; ++step) {
        const double away = step * kStep;
        for (const double y : {level + away, level - away}) {
            for (const double x : {right, left}) {
                const PageBox label{x, y, width, height};
                if (is_free(label)) return label;
            }
        }
    }
    const auto within = [](double at, double low, double high) {
        return std::max(low, std::min(at, high));
    };
    return {within(right, frame.x + kMargin, frame.x + frame.width - kMargin - width),
            within(level, frame.y + kMargin, frame.y + frame.height - kMargin - height),
            width,
            height};
}

PlotPage field_page(const RunResult& result, const HeliostatQuantity& quantity, FieldUnit unit) {
    if (result.heliostats.empty()) {
        throw InputError(Problem{"/heliostats",
                                 "the result has no heliostats",
                                 "there is nothing to draw",
                                 "plot the result of a run"});
    }
    PlotPage page;
    page.title = scenario_title(result.provenance, "Field");
    Surroundings surroundings = read_surroundings(result);
    page.subtitle = run_text(result);
    if (const std::string idle = idle_text(surroundings); !idle.empty())
        page.subtitle += surroundings.idle.empty() ? "\n" + idle : "\n× " + idle;
    page.footer = origin_text(result.provenance);
    Canvas measure;
    page.panels.push_back(std::make_unique<FieldPanel>(
        result, field_numbers(result, quantity, unit), 1.0, measure, std::move(surroundings)));
    return page;
}

}  // namespace helioray
