// SPDX-License-Identifier: MIT
// Finds the interval between rows, checks values and counts missing ones.
#include "raytracer/studies/annual/weather/weather_values.h"

#include "scenario/files/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace helioray {

namespace {

constexpr double kHighestIrradiance = 1500.0;
// Pyrheliometers report values slightly below 0 in the dark.
constexpr double kLowestOfDarkness = -20.0;
constexpr std::int64_t kMinute = 60000;

bool is_irradiance(const WeatherRow& row) {
    return row.dni && *row.dni >= 0.0 && *row.dni <= kHighestIrradiance;
}

/// Returns the most frequent distance between rows with an irradiance; loggers may omit nights.
std::int64_t find_interval(const WeatherTable& table) {
    std::map<std::int64_t, size_t> counts;
    const WeatherRow* previous = nullptr;
    for (const WeatherRow& row : table.rows) {
        if (!is_irradiance(row)) continue;
        if (previous != nullptr) ++counts[row.time - previous->time];
        previous = &row;
    }
    if (counts.empty()) {
        throw InputError(Problem{table.name,
                                 "has fewer than two rows with an irradiance",
                                 "their distance in time is the interval",
                                 ""});
    }
    return std::max_element(counts.begin(),
                            counts.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
}

/// Counts rows of one kind and stores the first of them as examples.
class RowCount {
  public:
    void add(const WeatherRow& row) {
        constexpr size_t kMaxListed = 3;
        if (count_++ < kMaxListed)
            examples_ += fmt::format("{}'{}' at {} ({})",
                                     count_ > 1 ? ", " : "",
                                     row.dni.value_or(0.0),
                                     row.text,
                                     row.place);
    }
    size_t count() const { return count_; }
    /// Returns the first three rows.
    const std::string& examples() const { return examples_; }

  private:
    size_t count_ = 0;
    std::string examples_;
};

/// The intervals of a table and the sun during them.
class Intervals {
  public:
    Intervals(const WeatherTable& table, const Place& place, std::int64_t length)
        : table_(table), place_(place), length_(length) {}

    std::int64_t start(const WeatherRow& row) const {
        switch (table_.stamp) {
            case TimeStamp::start:
                return row.time;
            case TimeStamp::middle:
                return row.time - length_ / 2;
            case TimeStamp::end:
                break;
        }
        return row.time - length_;
    }

    /// Returns true if the sun is up at some time between two instants.
    bool is_day(std::int64_t from, std::int64_t until) const {
        const std::int64_t steps = std::max<std::int64_t>(2, (until - from) / (10 * kMinute));
        for (std::int64_t i = 0; i <= steps; ++i) {
            if (place_.moment(from + (until - from) * i / steps)) return true;
        }
        return false;
    }

    bool is_day(const WeatherRow& row) const { return is_day(start(row), start(row) + length_); }

  private:
    const WeatherTable& table_;
    const Place& place_;
    std::int64_t length_;
};

/// Adds notes about gaps between rows while the sun is up and about missing parts of the year.
/// Throws InputError for rows that overlap.
void check_gaps(const WeatherTable& table,
                const std::vector<const WeatherRow*>& rows,
                const Intervals& intervals,
                std::int64_t length,
                std::vector<std::string>& notes) {
    std::int64_t missing = 0;
    std::string first;
    for (size_t i = 1; i < rows.size(); ++i) {
        const WeatherRow &row = *rows[i], &before = *rows[i - 1];
        const std::int64_t distance = row.time - before.time;
        if (distance < length) {
            throw InputError(Problem{
                table.name,
                fmt::format(
                    "{} is only {} minutes after {}", row.text, distance / kMinute, before.text),
                fmt::format("most rows are {} minutes apart, and their values "
                            "are means over that time",
                            length / kMinute),
                "use rows at equal intervals"});
        }
        for (std::int64_t from = intervals.start(before) + length; from < intervals.start(row);
             from += length) {
            const std::int64_t until = std::min(from + length, intervals.start(row));
            if (!intervals.is_day(from, until)) continue;
            if (missing == 0) first = before.text;
            missing += until - from;
        }
    }
    if (missing > 0) {
        notes.push_back(
            fmt::format("{}: {:.1f} hours are missing, the first after {}; they count "
                        "as dark",
                        table.name,
                        static_cast<double>(missing) / 3.6e6,
                        first));
    }
    const double days =
        static_cast<double>(table.rows.back().time - table.rows.front().time + length) /
        kMillisecondsPerDay;
    if (days < 364.9 || days > 366.1) {
        notes.push_back(fmt::format(
            "{}: the rows cover {:.2f} days, not a year; energies are those of that time",
            table.name,
            days));
    }
}

/// Returns true if every time lies half an interval after a whole number of intervals of its local
/// day, for example at 0:30, 1:30, 2:30.
bool are_at_half_intervals(const std::vector<const WeatherRow*>& rows, std::int64_t length) {
    return std::all_of(rows.begin(), rows.end(), [&](const WeatherRow* row) {
        // The text is ISO 8601 with the row's own offset from UTC.
        const std::int64_t minute =
            std::stoll(row->text.substr(11, 2)) * 60 + std::stoll(row->text.substr(14, 2));
        return minute * kMinute % length == length / 2;
    });
}

}  // namespace

LitIntervals find_lit_intervals(const WeatherTable& table,
                                const Place& place,
                                std::vector<std::string>& notes) {
    LitIntervals result;
    result.length = find_interval(table);
    const Intervals intervals(table, place, result.length);
    RowCount refused, below_zero;
    std::vector<const WeatherRow*> rows;
    for (const WeatherRow& row : table.rows) {
        double dni = 0.0;
        const bool is_too_high = row.dni && *row.dni > kHighestIrradiance;
        if (is_irradiance(row)) {
            dni = *row.dni;
        } else if (!is_too_high && (!row.dni || !intervals.is_day(row))) {
            // Distances between rows may differ between night and day.
            continue;
        } else if (is_too_high || *row.dni < kLowestOfDarkness) {
            refused.add(row);
        } else {
            below_zero.add(row);
        }
        rows.push_back(&row);
        if (dni > 0.0) result.rows.push_back({intervals.start(row), dni, row.temperature});
    }
    if (refused.count() > 0) {
        throw InputError(
            Problem{table.name,
                    fmt::format("{} rows have no irradiance from 0 to {:.0f} W/m2, the first {}",
                                refused.count(),
                                kHighestIrradiance,
                                refused.examples()),
                    "values below 0 count as dark only where the sun is down, or as 0 from -20 on",
                    "correct them, or leave their cells empty: they then count as dark"});
    }
    if (below_zero.count() > 0) {
        notes.push_back(
            fmt::format("{}: {} values below 0 while the sun is up count as 0, the "
                        "first {}",
                        table.name,
                        below_zero.count(),
                        below_zero.examples()));
    }
    check_gaps(table, rows, intervals, result.length, notes);
    if (table.is_stamp_assumed && !rows.empty() && are_at_half_intervals(rows, result.length)) {
        notes.push_back(fmt::format(
            "{}: all times lie half an interval ({} minutes) after the full one and are "
            "used as the start of their intervals; if they are the middle, give "
            "--weather-time middle (weather_time='middle' in Python), otherwise "
            "--weather-time start",
            table.name,
            result.length / 2 / kMinute));
    }
    return result;
}

}  // namespace helioray
