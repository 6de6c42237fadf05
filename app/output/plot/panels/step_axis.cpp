// SPDX-License-Identifier: MIT
// Chooses the ticks of steps.
#include "app/output/plot/panels/step_axis.h"

#include "raytracer/results/series/series_energy.h"
#include "scenario/types/utc_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace helioray {

namespace {

constexpr double kHour = 3600.0;
constexpr double kDay = 24.0;            // hours
constexpr double kLongest = 40.0;        // days
constexpr double kTickSpacing = 46.0;    // points
constexpr std::size_t kDateLength = 10;  // "2026-06-21"

/// A time in its parts: "2026-06-21", "12:00", "+02:00".
struct LocalTime {
    std::string date, clock, offset;
};

LocalTime split_time(const std::string& normalised) {
    constexpr std::size_t kClockLength = 5;
    constexpr std::size_t kOffsetLength = 6;
    return {normalised.substr(0, kDateLength),
            normalised.substr(kDateLength + 1, kClockLength),
            normalised.substr(normalised.size() - kOffsetLength)};
}

/// Returns the normalised time at an instant (s since 1970), with the offset of the first step.
std::string time_at(const SeriesResult& series, double instant) {
    return iso_time_at(static_cast<std::int64_t>(std::llround(instant * 1e3)),
                       parse_iso_time(series.steps.front().time).normalised);
}

AxisTicks time_ticks(
    const SeriesResult& series, double midnight, double low, double high, int most) {
    constexpr std::array kSteps{
        1.0 / 12, 1.0 / 6, 0.25, 0.5, 1.0, 2.0, 3.0, 6.0, 12.0, 24.0, 48.0, 120.0, 240.0};
    AxisTicks ticks;
    for (const double step : kSteps) {
        ticks.step = step;
        if (std::floor(high / step) - std::ceil(low / step) + 1.0 <= most) break;
    }
    constexpr double kHair = 1e-6;
    const auto first = static_cast<int>(std::ceil(low / ticks.step - kHair));
    const auto last = static_cast<int>(std::floor(high / ticks.step + kHair));
    for (int k = first; k <= last; ++k) {
        const double hours = k * ticks.step;
        const LocalTime time = split_time(time_at(series, midnight + hours * kHour));
        ticks.positions.push_back(hours);
        // A date in place of midnight, if there are several days.
        const bool is_date = std::abs(std::remainder(hours, kDay)) < kHair && high - low > kDay;
        ticks.labels.push_back(is_date ? time.date.substr(5) : time.clock);
    }
    return ticks;
}

AxisTicks number_ticks(double low, double high, int most) {
    AxisTicks ticks = nice_ticks(low, high, most);
    if (ticks.step >= 1.0) return ticks;
    ticks = {{}, {}, 1.0};
    for (int k = static_cast<int>(std::ceil(low)); k <= static_cast<int>(std::floor(high)); ++k) {
        ticks.positions.push_back(k);
        ticks.labels.push_back(std::to_string(k));
    }
    return ticks;
}

Axis make_axis(double low, double high, std::string label) {
    return {{}, std::move(label), [low, high](double at) { return (at - low) / (high - low); }};
}

}  // namespace

StepAxis make_step_axis(const SeriesResult& series, double width) {
    StepAxis found;
    const std::vector<double> instants = step_instants(series);
    const bool is_timed = instants.size() > 1 && std::ranges::is_sorted(instants) &&
                          instants.back() > instants.front() &&
                          instants.back() - instants.front() <= kLongest * kDay * kHour;
    const int most = ticks_that_fit(width, kTickSpacing, 14);
    constexpr double kMargin = 0.02;
    if (!is_timed) {
        for (std::size_t i = 0; i < series.steps.size(); ++i)
            found.places.push_back(static_cast<double>(i));
        const double last = found.places.back();
        const double margin = std::max(0.5, kMargin * last);
        found.axis = make_axis(-margin, last + margin, "Step");
        found.axis.ticks = number_ticks(-margin, last + margin, most);
        return found;
    }
    const LocalTime first = split_time(time_at(series, instants.front()));
    const double midnight =
        static_cast<double>(milliseconds_of(first.date + "T00:00:00" + first.offset)) * 1e-3;
    for (const double instant : instants) found.places.push_back((instant - midnight) / kHour);
    const double margin = kMargin * (found.places.back() - found.places.front());
    const double low = found.places.front() - margin;
    const double high = found.places.back() + margin;
    const bool one_day = split_time(time_at(series, instants.back())).date == first.date;
    found.axis =
        make_axis(low,
                  high,
                  one_day ? fmt::format("Time of {} (UTC{})", first.date, first.offset)
                          : fmt::format("Time from {} on (UTC{})", first.date, first.offset));
    found.axis.ticks = time_ticks(series, midnight, low, high, most);
    if (const auto durations = series_durations(series)) {
        for (const SeriesDay& day : durations->days)
            if (day.first > 0) found.breaks.push_back(day.first);
    }
    return found;
}

std::string short_step_name(const SeriesResult& series, std::size_t step) {
    const IsoTime time = parse_iso_time(series.steps.at(step).time);
    if (!time.error.empty()) return fmt::format("step {}", step);
    const IsoTime first = parse_iso_time(series.steps.front().time);
    const IsoTime last = parse_iso_time(series.steps.back().time);
    const LocalTime parts = split_time(time.normalised);
    const bool one_day =
        first.error.empty() && last.error.empty() &&
        first.normalised.substr(0, kDateLength) == last.normalised.substr(0, kDateLength);
    return one_day ? parts.clock : parts.date + " " + parts.clock;
}

std::string time_span_text(const SeriesResult& series) {
    const std::vector<double> instants = step_instants(series);
    if (instants.empty()) return {};
    const auto [low, high] = std::ranges::minmax(instants);
    const LocalTime first = split_time(time_at(series, low));
    const LocalTime last = split_time(time_at(series, high));
    if (low == high) return fmt::format("{} {} (UTC{})", first.date, first.clock, first.offset);
    return fmt::format("{} {} to {}{} (UTC{})",
                       first.date,
                       first.clock,
                       first.date == last.date ? "" : last.date + " ",
                       last.clock,
                       first.offset);
}

}  // namespace helioray
