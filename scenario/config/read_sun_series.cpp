// SPDX-License-Identifier: MIT
// Several positions of the sun: times, positions, or rows of a file.
#include "scenario/config/column_table.h"
#include "scenario/config/iso_time.h"
#include "scenario/config/read_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace helioray {

namespace {

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr size_t kMostSteps = 1'000'000;
constexpr double kHighestIrradiance = 10000.0;
constexpr const char* kExampleTime = "write for example 2026-06-21T12:00:00+02:00";

std::optional<std::string> read_iso_time(const Section& section, const std::string& key) {
    if (!section.has(key)) {
        section.fail(key, "is missing", "a range of times has both ends and a step", "add it");
        return std::nullopt;
    }
    const auto text = section.text(key);
    if (!text) return std::nullopt;
    const IsoTime time = parse_iso_time(*text);
    if (time.error.empty()) return time.normalised;
    section.fail(key, fmt::format("'{}' {}", *text, time.error), "", kExampleTime);
    return std::nullopt;
}

/// start, start + step, ... up to the end, which belongs to the range.
void read_time_range(const Section& range, double dni, SunSeries& series) {
    series.leave_out_dark = true;
    const auto start = read_iso_time(range, "start");
    const auto end = read_iso_time(range, "end");
    if (!range.has("step_minutes"))
        range.fail("step_minutes", "is missing", "", "add for example step_minutes: 60");
    const auto minutes = range.number(
        "step_minutes", {0.0, 527040.0, true, false, "it is the time between two steps"});
    if (!start || !end || !minutes) return;
    const auto step = static_cast<std::int64_t>(std::llround(*minutes * 60e3));
    const std::int64_t first = milliseconds_of(*start);
    const std::int64_t last = milliseconds_of(*end);
    if (step < 1000) {
        range.fail("step_minutes", "is shorter than a second", "", "give a longer step");
    } else if (last < first) {
        range.fail("end",
                   fmt::format("{} is before the start {}", *end, *start),
                   "there is nothing to trace",
                   "exchange the two");
    } else if (static_cast<size_t>((last - first) / step) >= kMostSteps) {
        range.fail("step_minutes",
                   fmt::format("gives {} steps", (last - first) / step + 1),
                   fmt::format("a series has at most {}", kMostSteps),
                   "give a longer step");
    } else {
        for (std::int64_t time = first; time <= last; time += step) {
            series.steps.push_back({SunTime{iso_time_at(time, *start)}, dni, range.place("")});
        }
    }
}

void read_times(const Section& sun, double dni, SunSeries& series) {
    const YamlNode* node = sun.find("times");
    if (node->kind == YamlNode::Kind::map) {
        return read_time_range(sun.section("times"), dni, series);
    }
    const auto times = sun.texts("times");
    if (!times) return;
    for (size_t i = 0; i < times->size(); ++i) {
        const IsoTime time = parse_iso_time((*times)[i]);
        if (!time.error.empty()) {
            sun.fail_item(
                "times", i, fmt::format("'{}' {}", (*times)[i], time.error), "", kExampleTime);
            continue;
        }
        series.steps.push_back({SunTime{time.normalised},
                                dni,
                                where(node->items[i].at, fmt::format("sun.times[{}]", i))});
    }
}

void read_positions(const Section& sun, double dni, SunSeries& series) {
    for (const Section& entry : sun.sections("positions")) {
        SunConfig one;
        read_sun_angles(entry, one);
        const auto own = entry.number(
            "dni_w_m2", {0.0, kHighestIrradiance, true, false, "direct normal irradiance in W/m2"});
        series.steps.push_back({one.position, own.value_or(dni), entry.place("")});
    }
}

/// Rows of time or angles, with an irradiance of their own if they have that column.
void read_sun_file(const Section& sun,
                   const std::filesystem::path& base_dir,
                   double dni,
                   SunSeries& series) {
    series.leave_out_dark = true;
    const auto name = sun.text("file");
    if (!name) return;
    const auto file = resolve_input(base_dir, *name);
    if (!std::filesystem::is_regular_file(file)) {
        sun.fail("file",
                 fmt::format("there is no file '{}'", file.string()),
                 "",
                 "paths are relative to the configuration file");
        return;
    }
    std::vector<Problem>& problems = sun.problems();
    const ColumnTable table(
        file, {}, {"time", "azimuth_deg", "elevation_deg", "dni_w_m2"}, problems);
    const bool angles = table.has("azimuth_deg") && table.has("elevation_deg");
    if (table.num_rows() > 0 && angles == table.has("time")) {
        problems.push_back({file.string(),
                            angles ? "has times and angles" : "has neither times nor angles",
                            angles ? "they may contradict each other" : "",
                            "give the column time, or azimuth_deg and elevation_deg"});
        return;
    }
    for (size_t row = 0; row < table.num_rows(); ++row) {
        SunStep step{SunAngles{}, dni, table.place(row)};
        if (angles) {
            const auto azimuth = table.number(row, "azimuth_deg", -360.0, 360.0);
            const auto elevation = table.number(row, "elevation_deg", -90.0, 90.0);
            if (azimuth && elevation)
                step.position = SunAngles{*azimuth * kDegree, *elevation * kDegree};
        } else if (const auto time = table.time(row, "time")) {
            step.position = SunTime{*time};
        }
        if (table.has("dni_w_m2"))
            step.dni = table.number(row, "dni_w_m2", 0.0, kHighestIrradiance).value_or(dni);
        series.steps.push_back(std::move(step));
    }
}

}  // namespace

void read_sun_series(const Section& sun, const std::filesystem::path& base_dir, SunConfig& config) {
    SunSeries series;
    const size_t before = sun.problems().size();
    const char* key = sun.has("times") ? "times" : sun.has("positions") ? "positions" : "file";
    if (sun.has("times")) {
        read_times(sun, config.dni, series);
    } else if (sun.has("positions")) {
        read_positions(sun, config.dni, series);
    } else {
        read_sun_file(sun, base_dir, config.dni, series);
    }
    if (series.steps.empty() && sun.problems().size() == before) {
        sun.fail(key, "names no position of the sun", "there is nothing to trace", "add one");
    }
    config.series = std::move(series);
}

}  // namespace helioray
