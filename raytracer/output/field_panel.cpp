// SPDX-License-Identifier: MIT
// Layout of the plan.
#include "raytracer/output/field_panel.h"

#include "raytracer/mirror_outline.h"
#include "raytracer/output/number_text.h"
#include "raytracer/output/panel_style.h"
#include "raytracer/output/summary.h"
#include "raytracer/target_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace helioray {

using namespace panel_style;

namespace {

constexpr double kSideBar = kBarGap;

std::string solar_name(const std::string& unit) {
    return unit == "J" ? "solar energy" : "solar power";
}

UnitScale scale_of(const std::string& unit, double largest) {
    if (unit == "J") return energy_scale(largest);
    return unit == "W" ? power_scale(largest) : UnitScale{1.0, "sum of ray weights"};
}

// "12.3 %" of the field's sun, or the sum of powers.
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

FieldPanel::FieldPanel(const RunResult& result,
                       const HeliostatQuantity& quantity,
                       FieldUnit unit,
                       Canvas& measure)
    : result_(result), quantity_(quantity) {
    choose_values(unit);
    measure_field();
    make_axes(measure);
    const bool share = quantity.kind == HeliostatQuantity::Kind::share;
    // Standard errors of independent rays do not add up to a total.
    if (share || quantity.name.find("std_error") == std::string::npos) {
        subtitle_ = field_total(result, quantity, energy_unit(result));
    }
    text_width_ = std::max(measure.text_width(quantity.title, kTitle),
                           measure.text_width(subtitle_, kSubtitle));
}

void FieldPanel::choose_values(FieldUnit unit) {
    const bool share = quantity_.kind == HeliostatQuantity::Kind::share;
    const bool percent = share || unit == FieldUnit::percent;
    double largest = 0.0;
    for (const HeliostatResult& h : result_.heliostats) {
        values_.push_back(percent ? 100.0 * quantity_.share(h) : quantity_.value(h));
        if (std::isfinite(values_.back())) largest = std::max(largest, std::abs(values_.back()));
    }
    if (percent) {
        const std::string of = " (% of " + solar_name(energy_unit(result_)) + ")";
        value_label_ = quantity_.title + (share ? " (%)" : of);
        return;
    }
    const UnitScale scale = scale_of(energy_unit(result_), largest);
    for (double& value : values_) value /= scale.factor;
    value_label_ = fmt::format("{} ({})", quantity_.title, scale.unit);
}

void FieldPanel::measure_field() {
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
    for (const TargetResult& t : result_.targets) {
        for (const double share : {-0.5, -0.25, 0.0, 0.25, 0.5}) {
            include(surface_point(t.target, share * surface_extent(t.target)[0], 0.0));
        }
    }
    const double extent = std::max({b.east_high - b.east_low, b.north_high - b.north_low, 1.0});
    const double margin = 0.05 * extent + 1.0;
    b = {b.east_low - margin, b.east_high + margin, b.north_low - margin, b.north_high + margin};

    // Long and narrow fields get ground to their sides.
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
    plot_height_ = std::sqrt(kArea / aspect);
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
    for (const double value : values_) {
        if (!std::isfinite(value)) continue;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    if (!(high >= low)) low = high = 0.0;
    // Equal numbers need a range too; what rounding makes of equal ones is not worth colours.
    const double least = std::max(1e-6 * std::max(std::abs(low), std::abs(high)), 1e-9);
    if (high - low < least) {
        const double room = std::max(0.05 * std::abs(high), 1e-3);
        low = low == 0.0 ? 0.0 : low - room;
        high += room;
    }
    bar_.emplace(ColorScale::linear(low, high, true), value_label_, true, plot_height_, measure);
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

}  // namespace helioray
