// SPDX-License-Identifier: MIT
// Transmittance of the air and position of the sun, which are formulas without rays.
#include "app/validation/validate.h"
#include "scenario/files/units.h"
#include "scenario/sun/attenuation.h"
#include "scenario/sun/solar_position.h"

#include <fmt/format.h>

#include <array>

namespace helioray::validation {

namespace {

using Air = AttenuationConfig::Model;

struct Transmittance {
    const char* id;
    const char* title;
    Air model;
    std::array<double, 5> values;  ///< transmittances at kDistances
};

constexpr std::array kDistances{250.0, 500.0, 1000.0, 1500.0, 2000.0};  ///< metres

constexpr Transmittance kTransmittance[] = {
    {"T1", "Mirval", Air::mirval, {0.965041, 0.939335, 0.895310, 0.847131, 0.801556}},
    {"T2",
     "Vittitoe and Biggs, clear",
     Air::vittitoe_biggs_clear,
     {0.968128, 0.944854, 0.902815, 0.865008, 0.829300}},
    {"T3",
     "Vittitoe and Biggs, hazy",
     Air::vittitoe_biggs_hazy,
     {0.920491, 0.858155, 0.746210, 0.651235, 0.573230}},
};

constexpr double kLastAngleDigit = 1e-6;

void compare_air(const Transmittance& published, Study& study) {
    AttenuationConfig config;
    config.model = published.model;
    for (size_t i = 0; i < kDistances.size(); ++i) {
        study.compare(fmt::format("transmittance at {:g} m", kDistances[i]),
                      "",
                      published.values[i],
                      "Tonatiuh++'s formulas",
                      transmittance(config, kDistances[i]),
                      0.0,
                      kLastAngleDigit);
    }
}

struct SunPosition {
    const char* id;
    const char* title;
    const char* time;
    double delta_t;
    GeodeticPosition plant;
    double pressure;     ///< Pa
    double temperature;  ///< K
    double azimuth;      ///< degrees
    double zenith;       ///< degrees, apparent
    const char* source;
    double tolerance;  ///< degrees
};

constexpr double kSpa = 0.0003;  ///< published tolerance of the algorithm, degrees
constexpr GeodeticPosition kColorado{39.742476, -105.1786, 1830.14};
constexpr GeodeticPosition kAuckland{-36.840556, 174.74, 0.0};
constexpr const char* kReport = "NREL/TP-560-34302";
constexpr const char* kCrate = "solar-positioning's reference values";

const SunPosition kSunPositions[] = {
    {"P1",
     "2003-10-17 12:30:30, Colorado",
     "2003-10-17T12:30:30-07:00",
     67.0,
     kColorado,
     82000.0,
     284.0,
     194.340241,
     50.111622,
     kReport,
     kSpa},
    {"P2",
     "1910-03-15 00:30 UTC, Auckland",
     "1910-03-15T00:30Z",
     0.0,
     kAuckland,
     1e5,
     283.0,
     0.188643,
     34.269919,
     kCrate,
     kSpa},
    {"P3",
     "1910-03-15 03:30 UTC, Auckland",
     "1910-03-15T03:30Z",
     0.0,
     kAuckland,
     1e5,
     283.0,
     298.894756,
     53.637925,
     kCrate,
     kSpa},
    {"P4",
     "1910-03-15 06:30 UTC, Auckland",
     "1910-03-15T06:30Z",
     0.0,
     kAuckland,
     1e5,
     283.0,
     268.082350,
     88.143823,
     kCrate,
     kSpa},
    {"P5",
     "1910-03-15 09:30 UTC, Auckland",
     "1910-03-15T09:30Z",
     0.0,
     kAuckland,
     1e5,
     283.0,
     237.156205,
     122.642657,
     kCrate,
     kSpa},
};

void compare_sun(const SunPosition& sun_position, Study& study) {
    const SolarPosition sun =
        solar_position(parse_iso8601(sun_position.time),
                       sun_position.delta_t,
                       sun_position.plant,
                       Atmosphere{sun_position.pressure, sun_position.temperature});
    const char* degrees = "degrees";
    study.compare("azimuth",
                  degrees,
                  sun_position.azimuth,
                  sun_position.source,
                  sun.azimuth / kRadiansPerDegree,
                  0.0,
                  sun_position.tolerance);
    study.compare("zenith angle",
                  degrees,
                  sun_position.zenith,
                  sun_position.source,
                  90.0 - sun.elevation / kRadiansPerDegree,
                  0.0,
                  sun_position.tolerance);
}

}  // namespace

std::vector<Case> air_cases() {
    std::vector<Case> cases;
    for (const Transmittance& published : kTransmittance)
        cases.push_back({published.id, published.title, [&published](Study& study) {
                             compare_air(published, study);
                         }});
    return cases;
}

std::vector<Case> sun_position_cases() {
    std::vector<Case> cases;
    for (const SunPosition& sun_position : kSunPositions)
        cases.push_back({sun_position.id, sun_position.title, [&sun_position](Study& study) {
                             compare_sun(sun_position, study);
                         }});
    return cases;
}

}  // namespace helioray::validation
