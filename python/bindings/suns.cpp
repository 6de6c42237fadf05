// SPDX-License-Identifier: MIT
// Converts the columns of frames to a series of sun positions and to weather.
#include "python/bindings/suns.h"

#include "raytracer/studies/annual/weather/irradiance.h"
#include "scenario/config/key_table.h"
#include "scenario/files/error.h"
#include "scenario/files/units.h"
#include "scenario/sun/solar_position.h"
#include "scenario/types/run_config.h"
#include "scenario/types/utc_time.h"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/convert/text.h"
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace helioray::python {

namespace nb = nanobind;

namespace {

using Numbers = std::vector<double>;
using Texts = std::vector<std::string>;

/// Reads the rows of a frame and collects the problems of all of them.
class Rows {
  public:
    explicit Rows(std::string where) : where_(std::move(where)) {}

    double number(const char* column, const Numbers& values, size_t row, const Range& limits) {
        const double value = values[row];
        if (value >= limits.low && value <= limits.high) return value;
        problems_.push_back(
            {place(column, row),
             fmt::format("{} is not a number from {} to {}", value, limits.low, limits.high),
             "",
             "correct it, or leave the row out"});
        return limits.low;
    }

    std::string time(const Texts& values, size_t row) {
        IsoTime time = parse_iso_time(values[row]);
        if (time.error.empty()) return std::move(time.normalised);
        problems_.push_back({place("time", row),
                             fmt::format("'{}' {}", values[row], time.error),
                             "",
                             "write for example 2026-06-21T12:00:00+02:00"});
        return "";
    }

    std::string place(const char* column, size_t row) const {
        return fmt::format("{}: {}[{}]", where_, column, row);
    }

    void throw_if_any() {
        if (!problems_.empty()) throw InputError(std::move(problems_));
    }

  private:
    std::string where_;
    std::vector<Problem> problems_;
};

/// Returns the series of a frame with either both angles in degrees, or times, or all of them.
/// Without irradiance or temperature, its steps have those of the configuration. Steps without
/// light are left out.
FrameSuns make_suns(const std::optional<Numbers>& azimuth_deg,
                    const std::optional<Numbers>& elevation_deg,
                    const std::optional<Texts>& time,
                    const std::optional<Numbers>& dni,
                    const std::optional<Numbers>& temperature_c,
                    const std::string& time_zone,
                    const std::string& where) {
    Rows rows(where);
    SunSeries series;
    series.leave_out_dark = true;
    const size_t count = azimuth_deg ? azimuth_deg->size() : time->size();
    for (size_t row = 0; row < count; ++row) {
        SunStep step{SunAngles{}, std::nan(""), ""};
        step.where = fmt::format("{}[{}]", where, row);
        std::string label = time ? rows.time(*time, row) : "";
        if (azimuth_deg) {
            step.position = SunAngles{
                rows.number("azimuth_deg", *azimuth_deg, row, kBearings) * kRadiansPerDegree,
                rows.number("elevation_deg", *elevation_deg, row, kElevations) * kRadiansPerDegree,
                std::move(label)};
        } else {
            step.position = SunTime{std::move(label)};
        }
        if (dni) step.dni = rows.number("dni_w_m2", *dni, row, kIrradiances);
        if (temperature_c && !std::isnan((*temperature_c)[row]))
            step.temperature = rows.number("temperature_c", *temperature_c, row, kTemperatures);
        series.steps.push_back(std::move(step));
    }
    rows.throw_if_any();
    return {std::move(series), time_zone};
}

}  // namespace

void bind_suns(nb::module_& m) {
    const nb::class_<FrameSuns> suns(m, "Suns", "Positions of the sun.");
    m.def("make_suns",
          &make_suns,
          nb::arg("azimuth_deg").none(),
          nb::arg("elevation_deg").none(),
          nb::arg("time").none(),
          nb::arg("dni").none(),
          nb::arg("temperature_c").none(),
          nb::arg("time_zone"),
          nb::arg("where"));
    m.def(
        "unlikely_sun",
        [](double azimuth_deg, double elevation_deg, const std::optional<double>& dni) {
            std::vector<std::string> warnings;
            if (const auto angles = unlikely_angles(azimuth_deg, elevation_deg))
                warnings.push_back(*angles);
            const auto irradiance =
                dni ? warn_of_unit(find_declaration("sun.dni_w_m2"), *dni) : std::nullopt;
            if (irradiance) warnings.push_back("dni: " + *irradiance);
            return warnings;
        },
        nb::arg("azimuth_deg"),
        nb::arg("elevation_deg"),
        nb::arg("dni").none(),
        "Returns warnings about a position that is most likely in other units.");
    nb::class_<WeatherSeries>(m, "Weather", "Irradiances and temperatures by time.")
        .def(
            "__init__",
            [](WeatherSeries* weather,
               const std::string& name,
               const std::vector<std::int64_t>& times,
               const Numbers& dni,
               const Numbers& temperature_c) {
                new (weather) WeatherSeries{name, times, dni, temperature_c};
            },
            nb::arg("name"),
            nb::arg("times"),
            nb::arg("dni"),
            nb::arg("temperature_c"));
}

}  // namespace helioray::python
