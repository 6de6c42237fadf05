// SPDX-License-Identifier: MIT
// Draws bars by month: the energy on the targets beside the sun on the mirrors.
#include "app/output/plot/annual_plot.h"

#include "app/output/plot/drawing/panel_style.h"
#include "app/output/plot/series_plot.h"
#include "app/output/summary/run_context.h"
#include "raytracer/studies/annual/annual.h"
#include "scenario/files/error.h"
#include "scenario/files/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace helioray {

using namespace panel_style;

namespace {

constexpr double kWidth = 640.0;
constexpr double kHeight = 340.0;
constexpr double kHeadroom = 1.06;
constexpr double kBar = 0.38;  // relative to a month's width
constexpr double kSwatch = 9.0;
constexpr double kLegendRow = 16.0;
constexpr double kKilowattHour = 3.6e6;
constexpr Font kNumber{7.0, false};
constexpr const char* kYearTitle = "Energy on the targets and direct sun, by month";

// These colours are distinct for every kind of colour vision (M. Okabe and K. Ito, Color universal
// design, 2008) and differ in lightness from the sun's.
constexpr Color kSun{0.902, 0.624, 0.0};
constexpr std::array<Color, 5> kTargets{Color{0.0, 0.447, 0.698},
                                        Color{0.0, 0.620, 0.451},
                                        Color{0.800, 0.475, 0.655},
                                        Color{0.337, 0.706, 0.914},
                                        Color{0.835, 0.369, 0.0}};
constexpr Color kOthers{0.35, 0.35, 0.35};

std::vector<PagePoint> rectangle(double x, double y, double width, double height) {
    return {{x, y}, {x + width, y}, {x + width, y + height}, {x, y + height}};
}

std::string errors_text(const YearEnergy& energy) {
    if (!(energy.value > 0.0)) return "";
    return fmt::format(" (± {} % from rays, ± {} % from sun positions)",
                       significant(100.0 * energy.std_error / energy.value, 2),
                       significant(100.0 * energy.quadrature_error / energy.value, 2));
}

}  // namespace

MonthsPanel::MonthsPanel(const AnnualYield& yield, Canvas& measure) {
    choose_parts(yield);
    make_axes(yield, measure);
    place_legend(measure);
    const YearEnergy& year = yield.on_targets;
    subtitle_ = energy_text(year.value) + " in the year" + errors_text(year);
    if (yield.energy.solar_power > 0.0) {
        subtitle_ += fmt::format("  ·  {:.2f} % of the sun on the mirrors",
                                 100.0 * year.value / yield.energy.solar_power);
    }
    text_width_ =
        std::max(measure.text_width(kYearTitle, kTitle), measure.text_width(subtitle_, kSubtitle));
}

void MonthsPanel::choose_parts(const AnnualYield& yield) {
    std::vector<const AnnualTarget*> order;
    for (const AnnualTarget& target : yield.targets)
        if (target.energy.value > 0.0) order.push_back(&target);
    std::ranges::stable_sort(
        order, [](const auto* a, const auto* b) { return a->energy.value > b->energy.value; });
    const auto add = [](Months& to, const Months& more) {
        std::ranges::transform(to, more, to.begin(), std::plus<>());
    };
    for (const AnnualTarget* target : order) {
        add(on_targets_, target->energy.months);
        if (parts_.size() < kTargets.size()) {
            parts_.push_back({target->name, target->energy.months, kTargets[parts_.size()]});
        } else if (parts_.size() == kTargets.size()) {
            parts_.push_back({"other targets", target->energy.months, kOthers});
        } else {
            add(parts_.back().energy, target->energy.months);
        }
    }
}

void MonthsPanel::make_axes(const AnnualYield& yield, Canvas& measure) {
    // Without usable light the axes are drawn, but no bars.
    const double area =
        yield.usable.value > 0.0 ? yield.energy.solar_power / yield.usable.value : 1.0;
    for (size_t i = 0; i < sun_.size(); ++i) sun_[i] = area * yield.usable.months[i];
    const double largest =
        std::max(*std::ranges::max_element(sun_), *std::ranges::max_element(on_targets_));
    if (largest > 0.0) highest_ = kHeadroom * largest;

    const int most = ticks_that_fit(kHeight, 30.0, 11);
    const auto axis = [most](double high, const std::string& label) {
        return Axis{
            nice_ticks(0.0, high, most), label, [high](double value) { return value / high; }};
    };
    const UnitScale scale = energy_scale(highest_);
    energy_axis_ = axis(highest_ / scale.factor, fmt::format("Energy ({})", scale.unit));
    insolation_axis_ = axis(highest_ / (area * kKilowattHour),
                            fmt::format("Direct insolation with the sun above {:.4g}° (kWh/m²)",
                                        yield.min_elevation_deg));
    for (size_t i = 0; i < kMonthNames.size(); ++i) {
        month_axis_.ticks.positions.push_back(static_cast<double>(i));
        month_axis_.ticks.labels.push_back(kMonthNames[i]);
    }
    month_axis_.place = [](double month) { return (month + 0.5) / 12.0; };
    left_ = axis_width(measure, energy_axis_);
    right_ = axis_width(measure, insolation_axis_);
    sun_name_ = fmt::format(
        "direct sun on {} m² of mirrors (right axis: per m²); numbers: energy in % of it",
        significant(area, 4));
}

void MonthsPanel::place_legend(Canvas& measure) {
    constexpr double kBetween = 22.0;
    PagePoint at{0.0, axis_height() + 4.0};
    const auto add = [&](const std::string& name) {
        const double width = kSwatch + kGap + measure.text_width(name, kLabel);
        if (at.x > 0.0 && at.x + width > kWidth) at = {0.0, at.y + kLegendRow};
        legend_.push_back(at);
        at.x += width + kBetween;
    };
    constexpr size_t kNameWidth = 40;
    for (Part& part : parts_) {
        part.name = shortened(part.name, kNameWidth);
        add(part.name);
    }
    add(sun_name_);
    legend_height_ = at.y + kLegendRow;
}

double MonthsPanel::width() const {
    return left_ + std::max(kWidth + right_, text_width_);
}

double MonthsPanel::height() const {
    return kTitleHeight + kHeight + legend_height_;
}

void MonthsPanel::draw(Canvas& canvas, double x, double y) const {
    const PageBox box{x + left_, y + kTitleHeight, kWidth, kHeight};
    draw_graph(canvas,
               {y, box, kYearTitle, subtitle_, month_axis_, energy_axis_, left_, true},
               [&] { draw_bars(canvas, box); });
    draw_axis_right(canvas, box, insolation_axis_, right_);
    draw_legend(canvas, box);
}

void MonthsPanel::draw_bars(Canvas& canvas, const PageBox& box) const {
    const double month = box.width / 12.0;
    const double bar = kBar * month;
    const auto bottom = box.y + box.height;
    // Returns a bar's upper end. Interpolation can make dark months slightly negative.
    const auto draw = [&](double x, double low, double energy, const Color& color) {
        const double height = std::max(0.0, energy) / highest_ * box.height;
        if (height > 0.0) canvas.fill(rectangle(x, low - height, bar, height), color);
        return low - height;
    };
    for (size_t i = 0; i < sun_.size(); ++i) {
        const double middle = box.x + month_axis_.place(static_cast<double>(i)) * box.width;
        double top = bottom;
        for (const Part& part : parts_) {
            const double before = top;
            top = draw(middle - bar, top, part.energy[i], part.color);
            if (before < bottom && top < before)
                canvas.line(middle - bar, before, middle, before, 0.6, kWhite);
        }
        draw(middle, bottom, sun_[i], kSun);
        if (!(sun_[i] > 0.0)) continue;
        canvas.text(middle - 0.5 * bar,
                    top - 3.0,
                    fmt::format("{:.0f} %", 100.0 * on_targets_[i] / sun_[i]),
                    kNumber,
                    TextAnchor::middle,
                    kGrey);
    }
}

void MonthsPanel::draw_legend(Canvas& canvas, const PageBox& box) const {
    const auto entry = [&](size_t i, const Color& color, const std::string& name) {
        const double x = box.x + legend_[i].x;
        const double y = box.y + box.height + legend_[i].y;
        canvas.fill(rectangle(x, y, kSwatch, kSwatch), color);
        canvas.text(x + kSwatch + kGap, y + kSwatch - 0.5, name, kLabel);
    };
    for (size_t i = 0; i < parts_.size(); ++i) entry(i, parts_[i].color, parts_[i].name);
    entry(parts_.size(), kSun, sun_name_);
}

namespace {

std::vector<HeliostatQuantity> make_quantities() {
    std::vector<HeliostatQuantity> all = energy_quantities("the year");
    // Insert the losses before the energy that arrives and its error.
    for (const YearLoss& loss : year_losses())
        all.insert(all.end() - 2,
                   {loss.name,
                    title_of(loss.name),
                    loss.heliostat_description,
                    HeliostatQuantity::Kind::power,
                    [member = loss.plan](const HeliostatResult& h) { return h.*member; }});
    return all;
}

}  // namespace

const std::vector<HeliostatQuantity>& annual_quantities() {
    static const std::vector<HeliostatQuantity> all = make_quantities();
    return all;
}

std::string year_text(const AnnualYield& yield) {
    const std::string light =
        fmt::format("{}  ·  {} rays", yield.irradiance, count_text(yield.provenance.rays));
    if (!yield.plan) return light + "\n" + counted(yield.heliostats.size(), "heliostat");
    const std::string idle = idle_text(read_surroundings(*yield.plan));
    return light + "\n" + field_extent_text(*yield.plan) + (idle.empty() ? "" : "\n" + idle);
}

PlotPage months_page(const AnnualYield& yield) {
    PlotPage page;
    page.title = scenario_title(yield.provenance, "Year");
    page.subtitle = year_text(yield);
    page.footer = origin_text(yield.provenance);
    Canvas measure;
    page.panels.push_back(std::make_unique<MonthsPanel>(yield, measure));
    return page;
}

const RunResult& find_plan(const AnnualYield& yield, const std::string& where) {
    if (yield.plan) return *yield.plan;
    throw InputError(Problem{where,
                             "the file does not say where the heliostats stand",
                             "an earlier version wrote it",
                             "run 'helioray annual' again"});
}

}  // namespace helioray
