// SPDX-License-Identifier: MIT
// Reads section sun: one position in one of three forms, or several; irradiance and shape.
#include "scenario/config/bound_key.h"
#include "scenario/files/error.h"
#include "scenario/files/units.h"
#include "scenario/inputs/column_table.h"
#include "scenario/sun/solar_position.h"
#include "scenario/types/utc_time.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace helioray {

namespace {

/// Warns of positions whose angles all seem to be in radians.
void warn_of_radians(const Section& sun,
                     const std::string& key,
                     const std::vector<SunAngles>& positions) {
    std::optional<std::string> warning;
    for (const SunAngles& position : positions) {
        warning = unlikely_angles(position.azimuth / kRadiansPerDegree,
                                  position.elevation / kRadiansPerDegree);
        if (!warning) return;
    }
    if (warning) sun.warn(fmt::format("{}: {}", sun.place(key), *warning));
}

/// Reads a position by azimuth and elevation, which the section must both contain.
void read_sun_angles(const Section& sun, SunConfig& config) {
    for (const char* key : {"azimuth_deg", "elevation_deg"}) {
        if (sun.has(key)) continue;
        sun.fail(key, "is missing", "azimuth and elevation make the position together", "add it");
    }
    const auto azimuth = sun.si_number("azimuth_deg");
    const auto elevation = sun.number("elevation_deg", kElevations);
    const Range& by_day = sun.declaration("elevation_deg").limits;
    if (elevation && !by_day.contains(*elevation)) {
        sun.fail("elevation_deg",
                 fmt::format("{} is not above {}", sun.find("elevation_deg")->text, by_day.low),
                 by_day.why,
                 fmt::format("give an elevation {}", by_day.sentence()));
    } else if (azimuth && elevation) {
        config.position = SunAngles{*azimuth, *elevation * kRadiansPerDegree};
    }
}

constexpr size_t kMostSteps = 1'000'000;

std::optional<std::string> read_iso_time(const Section& section, const std::string& key) {
    if (!section.has(key)) {
        section.fail(key, "is missing", "a range of times has both ends and a step", "add it");
        return std::nullopt;
    }
    const auto text = section.text(key);
    if (!text) return std::nullopt;
    const IsoTime time = parse_iso_time(*text);
    if (time.error.empty()) return time.normalised;
    section.fail(key,
                 fmt::format("'{}' {}", *text, time.error),
                 "",
                 "write for example " + section.declaration(key).example);
    return std::nullopt;
}

/// Adds the times start, start + step, ... up to and including the end.
void read_time_range(const Section& range, double dni, SunSeries& series) {
    series.leave_out_dark = true;
    const auto start = read_iso_time(range, "start");
    const auto end = read_iso_time(range, "end");
    range.require("step_minutes", "");
    const auto minutes = range.number("step_minutes");
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
            sun.fail_item("times",
                          i,
                          fmt::format("'{}' {}", (*times)[i], time.error),
                          "",
                          "write for example " + sun.section("times").declaration("start").example);
            continue;
        }
        series.steps.push_back({SunTime{time.normalised},
                                dni,
                                where(node->items[i].at, fmt::format("sun.times[{}]", i))});
    }
}

void read_positions(const Section& sun, double dni, SunSeries& series) {
    std::vector<SunAngles> angles;
    for (const Section& entry : sun.sections("positions")) {
        SunConfig parsed;
        read_sun_angles(entry, parsed);
        if (const auto* own = std::get_if<SunAngles>(&parsed.position)) angles.push_back(*own);
        const auto dni_of_entry = entry.number("dni_w_m2");
        series.steps.push_back({parsed.position,
                                dni_of_entry.value_or(dni),
                                entry.place(""),
                                false,
                                entry.number("temperature_c")});
    }
    warn_of_radians(sun, "positions", angles);
}

}  // namespace

Problem missing_dni(const SunStep& step) {
    return {step.where + ": dni_w_m2",
            "is missing while the sun is above the horizon",
            "the power depends on it",
            "give the irradiance, or leave the row out"};
}

namespace {

/// Reads the irradiance of a row of a measured table. Instruments read slightly below zero in the
/// dark, and loggers mark missing values, which lit_steps() refuses while the sun is up.
void read_measured_dni(const ColumnTable& table, size_t row, SunStep& step) {
    constexpr double kNoise = 10.0;
    constexpr double kMarkOfMissing = 1e5;
    step.dni = 0.0;
    step.dni_is_missing = true;
    if (table.is_missing(row, "dni_w_m2")) return;
    const auto value = table.number(row, "dni_w_m2", -kMarkOfMissing, kIrradiances.high);
    step.dni_is_missing = value && *value < -kNoise;
    if (value && *value > 0.0) step.dni = *value;
}

/// Checks the magnitude of angles and irradiances whose columns name no unit. Refuses angles that
/// must be in radians, and warns of azimuths that may count in another direction and of irradiances
/// that may be in kW/m2.
void check_sizes(const Section& sun, const ColumnTable& table, const SunSeries& series) {
    double farthest = 0.0, highest = 0.0, brightest = 0.0, lowest_azimuth = 0.0;
    for (const SunStep& step : series.steps) {
        brightest = std::max(brightest, step.dni);
        const auto* const angles = std::get_if<SunAngles>(&step.position);
        if (!angles || !table.has("elevation_deg")) continue;
        const double azimuth = angles->azimuth / kRadiansPerDegree;
        const double elevation = angles->elevation / kRadiansPerDegree;
        const bool from_zenith = table.match("elevation_deg").offset != 0.0;
        farthest = std::max(farthest, std::abs(azimuth));
        lowest_azimuth = std::min(lowest_azimuth, azimuth);
        // The largest number in the file, relative to the largest possible value in radians.
        highest = std::max(highest,
                           from_zenith ? (90.0 - elevation) / std::numbers::pi
                                       : std::abs(elevation) / (0.5 * std::numbers::pi));
    }
    const std::string file = sun.text("file").value_or("");
    const auto lacks_unit = [&](const char* column) {
        return table.has(column) && !table.match(column).has_unit;
    };
    if (lacks_unit("azimuth_deg") && lacks_unit("elevation_deg")) {
        if (farthest > 0.0 && farthest <= 2.0 * std::numbers::pi && highest <= 1.0) {
            sun.problems().push_back(
                {file,
                 "azimuth and elevation seem to be in radians",
                 "without a unit in the header they are taken as degrees",
                 "name the columns azimuth_rad and elevation_rad, or azimuth_deg and "
                 "elevation_deg"});
        } else if (lowest_azimuth < 0.0) {
            sun.warn(
                fmt::format("{}: azimuths below 0 are taken as clockwise from north (-90 is "
                            "west); convert azimuths that count from south or to the west",
                            file));
        }
    }
    if (lacks_unit("dni_w_m2") && brightest > 0.0 && brightest < 2.0) {
        sun.warn(
            fmt::format("{}: the irradiance is at most {} W/m2; if it is in kW/m2, name the "
                        "column dni_kw_m2, and else dni_w_m2",
                        file,
                        brightest));
    }
}

/// Reads rows of times or angles, with their own irradiance and temperature if they have these
/// columns. Beside angles, times only label the positions.
void read_sun_file(const Section& sun, const SunConfig& config, SunSeries& series) {
    series.leave_out_dark = true;
    const auto& file = config.series_file;
    if (!file) return;
    std::vector<Problem>& problems = sun.problems();
    const size_t before = problems.size();
    const ColumnTable table(
        *file, {}, {"time", "azimuth_deg", "elevation_deg", "dni_w_m2", "temperature_c"}, problems);
    sun.warn(table.warning());
    const bool angles = table.has("azimuth_deg") && table.has("elevation_deg");
    const bool half = table.has("azimuth_deg") != table.has("elevation_deg");
    if (table.num_rows() > 0 && !angles && (half || !table.has("time"))) {
        // A refused column may be the missing one under another name.
        if (problems.size() != before) return;
        problems.push_back({file->string(),
                            table.has("time") ? "has only one of azimuth_deg and elevation_deg"
                                              : "has neither times nor angles",
                            half ? "both angles make the position together" : "",
                            "give the column time, or azimuth_deg and elevation_deg, or all"});
        return;
    }
    for (size_t row = 0; row < table.num_rows(); ++row) {
        SunStep step{SunAngles{}, config.dni, table.place(row)};
        const auto time = table.has("time") ? table.time(row, "time") : std::nullopt;
        if (angles) {
            const auto azimuth = table.number(row, "azimuth_deg", kBearings.low, kBearings.high);
            const auto elevation =
                table.number(row, "elevation_deg", kElevations.low, kElevations.high);
            if (azimuth && elevation)
                step.position = SunAngles{*azimuth * kRadiansPerDegree,
                                          *elevation * kRadiansPerDegree,
                                          time.value_or("")};
        } else if (time) {
            step.position = SunTime{*time};
        }
        if (table.has("dni_w_m2")) read_measured_dni(table, row, step);
        if (table.has("temperature_c") && !table.is_missing(row, "temperature_c"))
            step.temperature =
                table.number(row, "temperature_c", kTemperatures.low, kTemperatures.high);
        const auto* const angles_of_step = std::get_if<SunAngles>(&step.position);
        if (step.dni_is_missing && angles_of_step && angles_of_step->elevation > 0.0)
            problems.push_back(missing_dni(step));
        series.steps.push_back(std::move(step));
    }
    check_sizes(sun, table, series);
}

/// Reads several positions, each with the irradiance of `config` unless it has its own.
void read_sun_series(const Section& sun, SunConfig& config) {
    SunSeries series;
    const size_t before = sun.problems().size();
    const char* key = sun.has("times") ? "times" : sun.has("positions") ? "positions" : "file";
    if (sun.has("times")) {
        read_times(sun, config.dni, series);
    } else if (sun.has("positions")) {
        read_positions(sun, config.dni, series);
    } else {
        read_sun_file(sun, config, series);
    }
    if (series.steps.empty() && sun.problems().size() == before) {
        sun.fail(key, "names no position of the sun", "there is nothing to trace", "add one");
    }
    // The problems of faulty positions have been reported; a part of the series would be
    // misleading.
    if (sun.problems().size() != before) series.steps.clear();
    config.series = std::move(series);
}

void read_incident_direction(const Section& sun, SunConfig& config) {
    const auto values = sun.numbers("incident_direction", 3);
    if (!values) return;
    const double length = std::hypot((*values)[0], (*values)[1], (*values)[2]);
    if (!(length > 0.0) || !std::isfinite(length)) {
        sun.fail("incident_direction",
                 length > 0.0 ? "is too long" : "has length 0",
                 "it has no direction",
                 "give for example " + sun.declaration("incident_direction").example);
    } else if (!((*values)[2] < 0.0)) {
        sun.fail("incident_direction",
                 fmt::format("has the up component {}, not below 0", (*values)[2]),
                 kElevationsByDay.why,
                 "light travels downwards: give east, north and a negative up component");
    } else {
        Vec3 direction{};
        for (size_t i = 0; i < 3; ++i) direction[i] = (*values)[i] / length;
        config.position = SunIncidentDirection{direction};
    }
}

void read_time(const Section& sun, SunConfig& config) {
    const auto text = sun.text("time");
    if (!text) return;
    const IsoTime time = parse_iso_time(*text);
    if (!time.error.empty()) {
        sun.fail("time",
                 fmt::format("'{}' {}", *text, time.error),
                 "",
                 "write for example " + sun.declaration("time").example);
        return;
    }
    config.position = SunTime{time.normalised};
}

constexpr const char* kForms =
    "exactly one of azimuth_deg with elevation_deg, time, incident_direction, or for several "
    "positions times, positions, file";

/// Returns the options that remove all keys of the position but one.
std::vector<std::string> removals(const Section& sun, const std::string& kept) {
    std::vector<std::string> options;
    for (const std::string& key : position_keys())
        if (sun.has(key) && key != kept) options.push_back(fmt::format("--set sun.{}=null", key));
    return options;
}

void read_position(const Section& sun, SunConfig& config) {
    const bool angles = sun.has("azimuth_deg") || sun.has("elevation_deg");
    std::vector<std::string> forms;
    for (const std::string& key : position_keys()) {
        const bool is_counted = key == "elevation_deg" && sun.has("azimuth_deg");
        if (sun.has(key) && !is_counted) forms.push_back(key);
    }
    config.has_position = !forms.empty();
    if (forms.size() > 1) {
        sun.fail(forms.back(),
                 "the sun's position is given in more than one form",
                 "they may contradict each other",
                 fmt::format("keep {}; on the command line {} removes the others, and --set "
                             "'sun={{{}: ...}}' replaces the whole section",
                             kForms,
                             fmt::join(removals(sun, forms.back()), " "),
                             forms.back()));
    }
    if (angles) {
        read_sun_angles(sun, config);
        if (const auto* position = std::get_if<SunAngles>(&config.position))
            warn_of_radians(sun, "azimuth_deg", {*position});
    }
    if (sun.has("time")) read_time(sun, config);
    if (sun.has("incident_direction")) read_incident_direction(sun, config);
    if (sun.has("times") || sun.has("positions") || sun.has("file")) read_sun_series(sun, config);
}

/// Reads a table from its file or from the list of its points.
std::optional<TableShape> read_table_points(const Section& shape, SunConfig& config) {
    if (shape.has("radiance")) return read_sun_points(shape);
    read_members(shape, config);
    if (!config.shape_file) return std::nullopt;
    try {
        return read_sun_table(*config.shape_file);
    } catch (const InputError& error) {
        auto& problems = shape.problems();
        problems.insert(problems.end(), error.problems().begin(), error.problems().end());
        return std::nullopt;
    }
}

std::optional<SunShape> read_table(const Section& shape, SunConfig& config) {
    if (shape.has("file") == shape.has("radiance")) {
        const bool has_both = shape.has("file");
        shape.fail("file",
                   has_both ? "is given together with radiance" : "is missing",
                   "the points of a table come from a file or from the list radiance",
                   has_both ? "remove one of the two" : "add one of the two");
        return std::nullopt;
    }
    const auto table = read_table_points(shape, config);
    if (!table) return std::nullopt;
    const double centre = *std::ranges::max_element(table->radiance);
    const double last = table->radiance.back() / centre;
    // A pillbox ends at full radiance by definition.
    if (last > 0.01 && last < 0.9) {
        shape.warn(
            fmt::format("{}: the radiance at the last angle, {:.4g} mrad, is still {:.1f} "
                        "% of the highest; beyond it the sun is taken as dark",
                        config.shape_file ? config.shape_file->string() : shape.place("radiance"),
                        1e3 * table->angle.back(),
                        100.0 * last));
    }
    return table;
}

std::optional<SunShape> read_gauss_sum(const Section& shape) {
    if (!shape.require("terms", "gauss_sum needs it")) return std::nullopt;
    const auto terms = shape.pairs("terms");
    if (!terms) return std::nullopt;
    GaussSumShape sum;
    for (const auto& [sigma_mrad, share] : *terms) {
        sum.sigma.push_back(sigma_mrad * 1e-3);
        sum.share.push_back(share);
    }
    const std::string problem = problem_of(sum);
    if (problem.empty()) return sum;
    shape.fail("terms",
               problem,
               "each term is sigma in mrad and its share of the power",
               "write for example terms: [[1.9, 0.9], [6.0, 0.1]]");
    return std::nullopt;
}

std::optional<SunShape> read_shape(const Section& shape, SunConfig& config) {
    const auto kind = shape.required_choice("type", kSunShapeKinds);
    if (!kind) return std::nullopt;
    switch (*kind) {
        case SunShapeKind::gaussian:
            shape.refuse_other_keys("type", {"sigma_mrad"});
            return GaussianShape{read_width(shape, "sigma_mrad")};
        case SunShapeKind::pillbox:
            shape.refuse_other_keys("type", {"half_angle_mrad"});
            return PillboxShape{read_width(shape, "half_angle_mrad")};
        case SunShapeKind::buie: {
            shape.refuse_other_keys("type", {"csr", "calibration"});
            shape.require("csr", "buie needs it");
            BuieShape buie;
            assign(buie.csr, shape.number("csr"));
            assign(buie.calibration, shape.choice("calibration", kBuieCalibrations));
            return buie;
        }
        case SunShapeKind::limb_darkened:
            shape.refuse_other_keys("type", {});
            return LimbDarkenedShape{};
        case SunShapeKind::collimated:
            shape.refuse_other_keys("type", {});
            return CollimatedShape{};
        case SunShapeKind::table:
            shape.refuse_other_keys("type", {"file", "radiance"});
            return read_table(shape, config);
        case SunShapeKind::gauss_sum:
            shape.refuse_other_keys("type", {"terms"});
            return read_gauss_sum(shape);
    }
    return std::nullopt;
}

}  // namespace

void check_sun_position(const Section& root, const SunConfig& config) {
    if (config.has_position) return;
    root.fail("sun",
              "the sun has no position",
              "only 'helioray annual' and 'efficiency' work without one",
              fmt::format("give {}", kForms));
}

void read_sun(const Section& root, SunConfig& config) {
    const Section sun = root.section("sun");
    read_members(sun, config);
    read_position(sun, config);
    if (sun.has("shape")) {
        const size_t before = sun.problems().size();
        const Section shape = sun.section("shape");
        if (sun.problems().size() == before) config.shape = read_shape(shape, config);
    }
    if (sun.has("clouds")) {
        const size_t before = sun.problems().size();
        const Section clouds = sun.section("clouds");
        if (sun.problems().size() == before) config.clouds = read_clouds(clouds);
    }
}

}  // namespace helioray
