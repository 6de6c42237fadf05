// SPDX-License-Identifier: MIT
// Converts the sun, its position and the attenuation of the air.
#include "scenario/files/units.h"
#include "scenario/import/solarpilot/conversion.h"
#include "scenario/sun/solar_position.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

namespace helioray::solarpilot {

namespace {

constexpr int kYear = 2011;  // year of all dates in SolarPILOT

enum class Sun { pillbox, gaussian, limb_darkened, point, buie, user };
enum class Air { clear, hazy, user };

TableShape user_sun(const Instance& from) {
    constexpr double kMilliradian = 1e-3;
    TableShape table;
    for (const std::vector<double>& row : from.table("user_sun")) {
        const bool is_next = row.size() == 2 && row[0] >= 0.0 && row[1] >= 0.0 &&
                             (table.angle.empty() || row[0] * kMilliradian > table.angle.back());
        if (!is_next) {
            from.refuse("user_sun",
                        "a table whose angles do not ascend, or whose rows do not have two values",
                        "give an angle in mrad and an intensity in each row, by ascending angle");
            return {};
        }
        table.angle.push_back(row[0] * kMilliradian);
        table.radiance.push_back(row[1]);
    }
    if (table.angle.size() < 2 || table.angle.front() != 0.0 ||
        !kSunWidths.contains(table.angle.back()))
        from.refuse("user_sun",
                    "a table that does not describe a sun",
                    "give angles in mrad from 0 to at most 100, two rows or more");
    return table;
}

/// Returns the transmittance by powers of the distance in km: 1 less SolarPILOT's attenuation.
std::array<double, 5> transmittance(const Instance& from, Air model) {
    std::vector<std::vector<double>> rows =
        from.has("atm_coefs") ? from.table("atm_coefs") : std::vector<std::vector<double>>();
    if (rows.empty())
        rows = {{0.006789, 0.1046, -0.0170, 0.002845},
                {0.01293, 0.2748, -0.03394, 0.0},
                {0.006789, 0.1046, -0.0170, 0.002845}};
    const auto row = static_cast<size_t>(model);
    std::array<double, 5> coefficients{1.0};
    if (row >= rows.size() || rows[row].size() > coefficients.size()) {
        from.refuse("atm_coefs",
                    fmt::format("{} rows of coefficients", rows.size()),
                    "give three rows of at most five");
        return coefficients;
    }
    for (size_t power = 0; power < rows[row].size(); ++power)
        coefficients[power] -= rows[row][power];
    return coefficients;
}

}  // namespace

SunShape convert_sun_shape(const Source& source) {
    const Instance from = source.of("ambient");
    const auto width = [&] {
        return 1e-3 * from.number("sun_rad_limit", "mrad", 4.65, 1e-3, 100.0);
    };
    switch (from.choice<Sun>("sun_type",
                             {{"Pillbox sun", Sun::pillbox},
                              {"Gaussian sun", Sun::gaussian},
                              {"Limb-darkened sun", Sun::limb_darkened},
                              {"Point sun", Sun::point},
                              {"Buie CSR", Sun::buie},
                              {"User sun", Sun::user}})) {
        case Sun::pillbox:
            return PillboxShape{width()};
        case Sun::gaussian:
            return GaussianShape{width()};
        case Sun::limb_darkened:
            return LimbDarkenedShape{};
        case Sun::point:
            return CollimatedShape{};
        case Sun::buie:
            return BuieShape{from.number(
                "sun_csr", "none", 0.1, kCircumsolarRatios.low, kCircumsolarRatios.high)};
        case Sun::user:
            return user_sun(from);
    }
    return CollimatedShape{};
}

std::string time_text(const Source& source, int day_of_year, double hour) {
    const double zone = source.of("ambient").number("time_zone", "hr", -8.0, -14.0, 14.0);
    using namespace std::chrono;
    const sys_days midnight = sys_days(year(kYear) / January / 1) + days(day_of_year - 1);
    const sys_seconds time = midnight + seconds(static_cast<int64_t>(std::llround(hour * 3600.0)));
    const year_month_day date(floor<days>(time));
    const hh_mm_ss clock(time - floor<days>(time));
    const auto offset = static_cast<int>(std::lround(std::abs(zone) * 60.0));
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}{:02}:{:02}",
                       static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()),
                       static_cast<unsigned>(date.day()),
                       clock.hours().count(),
                       clock.minutes().count(),
                       clock.seconds().count(),
                       zone < 0.0 ? '-' : '+',
                       offset / 60,
                       offset % 60);
}

void convert_conditions(const Source& source, const GeodeticPosition& site, RunConfig& run) {
    const Instance flux = source.of("fluxsim");
    run.sun.dni = flux.number("flux_dni", "W/m2", 950.0, 1e-3, 1e4);
    const bool has_angles =
        flux.choice<bool>("flux_time_type", {{"Hour/Day", false}, {"Sun position", true}});
    if (has_angles) {
        run.sun.position = SunAngles{
            flux.number("flux_solar_az_in", "none", 180.0, -360.0, 360.0) * kRadiansPerDegree,
            flux.number("flux_solar_el_in", "none", 85.0, 0.01, 90.0) * kRadiansPerDegree};
    } else {
        const int month = flux.count("flux_month", 3, 1, 12);
        const int day = flux.count("flux_day", 20, 1, 31);
        const double hour = flux.number("flux_hour", "hr", 12.0, 0.0, 24.0);
        const std::chrono::year_month_day date(std::chrono::year(kYear),
                                               std::chrono::month(static_cast<unsigned>(month)),
                                               std::chrono::day(static_cast<unsigned>(day)));
        const std::chrono::sys_days new_year(std::chrono::year(kYear) / std::chrono::January / 1);
        const auto day_of_year = (std::chrono::sys_days(date) - new_year).count() + 1;
        const std::string time = time_text(source, static_cast<int>(day_of_year), hour);
        if (!date.ok())
            flux.refuse("flux_day", fmt::format("day {} of month {}", day, month), "correct it");
        else if (solar_position(time, site).elevation <= 0.0)
            flux.refuse("flux_hour", "the sun is below the horizon", "choose an hour by day");
        run.sun.position = SunTime{time};
    }
    if (flux.has("is_cloudy") && flux.flag("is_cloudy", false))
        flux.remark("is_cloudy", "clouds are left out; see sun.clouds of the configuration");

    const Instance ambient = source.of("ambient");
    const auto model = ambient.choice<Air>("atm_model",
                                           {{"DELSOL3 clear day", Air::clear},
                                            {"DELSOL3 hazy day", Air::hazy},
                                            {"User-defined", Air::user}});
    run.optics.attenuation.model = AttenuationConfig::Model::polynomial;
    run.optics.attenuation.coefficients = transmittance(ambient, model);
}

}  // namespace helioray::solarpilot
