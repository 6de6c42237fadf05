// SPDX-License-Identifier: MIT
// Computes years of clear skies and of weather files.
#include "raytracer/studies/annual/weather/irradiance.h"

#include "raytracer/studies/annual/weather/place.h"
#include "raytracer/studies/annual/weather/weather_file.h"
#include "raytracer/studies/annual/weather/weather_values.h"
#include "scenario/files/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

namespace helioray {

namespace {

constexpr std::int64_t kSecond = 1000;
constexpr std::int64_t kMoment = 600 * kSecond;
// Day on which the sun is at its mean distance, see extraterrestrial_irradiance().
constexpr int kDayOfMeanDistance = 91;
// Measured irradiances exceed this clearness only at low sun, where those of the model are small,
// and in partly lit intervals.
constexpr double kHighestClearness = 1.25;

int day_of_year(const std::chrono::year_month_day& day) {
    const std::chrono::year_month_day first{day.year(), std::chrono::January, std::chrono::day(1)};
    return static_cast<int>((std::chrono::sys_days(day) - std::chrono::sys_days(first)).count()) +
           1;
}

}  // namespace

std::array<double, 2> IrradianceYear::clearness(double min_elevation) const {
    std::array<double, 2> range{0.0, 0.0};
    for (const SunMoment& moment : moments) {
        if (moment.elevation < min_elevation || moment.irradiance <= 0.0) continue;
        const double own = moment.irradiance / clear_sky(moment.elevation);
        range[0] = range[1] > 0.0 ? std::min(range[0], own) : own;
        range[1] = std::max(range[1], own);
    }
    for (double& value : range) value = std::min(value, kHighestClearness);
    return range;
}

IrradianceYear year_of_sky(const GeodeticPosition& plant, int year, const Sky& sky) {
    const Place place(plant);
    const auto new_year = [&](int y) {
        const std::chrono::year_month_day day{
            std::chrono::year(y), std::chrono::January, std::chrono::day(1)};
        const auto shift =
            static_cast<std::int64_t>(plant.longitude_deg / 360.0 * kMillisecondsPerDay);
        return std::chrono::sys_days(day).time_since_epoch().count() * kMillisecondsPerDay - shift;
    };
    IrradianceYear result;
    result.clear_sky = [sky](double elevation) { return sky(elevation, kDayOfMeanDistance); };
    const std::int64_t first = new_year(year);
    for (std::int64_t day = 0; first + day * kMillisecondsPerDay < new_year(year + 1); ++day) {
        // Each day samples its ten-minute intervals at a different offset. The offsets are evenly
        // distributed over the days, so that sunrise and sunset are not cut at the same moments
        // every day.
        constexpr double kGolden = 0.6180339887498949;
        const double turns = 0.5 + kGolden * static_cast<double>(day);
        const auto shift = static_cast<std::int64_t>((turns - std::floor(turns)) * kMoment);
        for (std::int64_t time = first + day * kMillisecondsPerDay;
             time < first + (day + 1) * kMillisecondsPerDay;
             time += kMoment) {
            auto moment = place.moment(time + shift);
            if (!moment) continue;
            moment->irradiance = sky(moment->elevation, day_of_year(place.day(time + shift)));
            moment->insolation = moment->irradiance * static_cast<double>(kMoment) / kSecond;
            result.moments.push_back(*moment);
        }
    }
    return result;
}

IrradianceYear clear_year(const GeodeticPosition& plant, int year, ClearSky model) {
    if (plant.altitude_m > highest_altitude(model)) {
        throw InputError(
            Problem{"--dni",
                    fmt::format("the plant stands at {:.0f} m", plant.altitude_m),
                    fmt::format("the model is known up to {:.0f} m", highest_altitude(model)),
                    "choose another model or a weather file"});
    }
    const auto sky = [model, altitude = plant.altitude_m](double elevation, int day) {
        return clear_sky_dni(model, elevation, altitude, day);
    };
    IrradianceYear result = year_of_sky(plant, year, sky);
    result.source =
        fmt::format("clear sky of {}, {}", year, model == ClearSky::hottel ? "Hottel" : "Meinel");
    return result;
}

namespace {

/// Returns the sunlight of a weather table.
IrradianceYear year_of_table(const GeodeticPosition& plant, const WeatherTable& table) {
    const Place place(plant);
    IrradianceYear result;
    result.source = table.name;
    result.notes = table.notes;
    const double altitude = std::min(plant.altitude_m, highest_altitude(ClearSky::meinel));
    result.clear_sky = [altitude](double elevation) {
        return clear_sky_dni(ClearSky::meinel, elevation, altitude, kDayOfMeanDistance);
    };
    const LitIntervals lit_intervals = find_lit_intervals(table, place, result.notes);
    const std::int64_t interval = lit_intervals.length;
    const std::int64_t count = std::max<std::int64_t>(1, (interval + kMoment - 1) / kMoment);
    for (const LitInterval& row : lit_intervals.rows) {
        const double insolation = row.dni * static_cast<double>(interval) / kSecond;
        std::vector<SunMoment> lit;
        for (std::int64_t i = 0; i < count; ++i) {
            if (auto moment = place.moment(row.start + interval * (2 * i + 1) / (2 * count)))
                lit.push_back(*moment);
        }
        if (lit.empty()) result.dark_insolation += insolation;
        for (SunMoment& moment : lit) {
            moment.insolation = insolation / static_cast<double>(lit.size());
            moment.irradiance = moment.insolation * static_cast<double>(count * kSecond) /
                                static_cast<double>(interval);
            moment.temperature = row.temperature;
            result.moments.push_back(moment);
        }
    }
    double all_insolation = result.dark_insolation;
    for (const SunMoment& moment : result.moments) all_insolation += moment.insolation;
    // Ignore the hours of sunrise and sunset, and small readings of instruments in the dark.
    constexpr double kRemarkable = 1e-3;
    if (result.dark_insolation > kRemarkable * all_insolation) {
        result.notes.push_back(fmt::format(
            "{}: {:.1f} kWh/m2 are given for times when the sun is down, and left out; check the "
            "offset from UTC and what the times stand for",
            table.name,
            result.dark_insolation / 3.6e6));
    }
    return result;
}

}  // namespace

IrradianceYear weather_year(const GeodeticPosition& plant,
                            const std::filesystem::path& file,
                            std::optional<TimeStamp> stamp,
                            int year) {
    return year_of_table(plant, read_weather(plant, file, stamp, year));
}

IrradianceYear weather_year(const GeodeticPosition& plant,
                            const WeatherSeries& series,
                            std::optional<TimeStamp> stamp,
                            int year) {
    return year_of_table(plant, weather_table(series, stamp, year));
}

}  // namespace helioray
