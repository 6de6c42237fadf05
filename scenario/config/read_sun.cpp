// SPDX-License-Identifier: MIT
// Section sun: one position in one of three forms, or several; irradiance, shape.
#include "scenario/config/iso_time.h"
#include "scenario/config/read_sections.h"
#include "scenario/config/sun_table.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace helioray {

namespace {

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr const char* kBelowHorizon =
    "the sun is at or below the horizon: no direct light reaches the mirrors";

}  // namespace

void read_sun_angles(const Section& sun, SunConfig& config) {
    for (const char* key : {"azimuth_deg", "elevation_deg"}) {
        if (sun.has(key)) continue;
        sun.fail(key, "is missing", "azimuth and elevation make the position together", "add it");
    }
    const auto azimuth =
        sun.number("azimuth_deg", {-360.0, 360.0, false, false, "it is a compass bearing"});
    const auto elevation =
        sun.number("elevation_deg", {-90.0, 90.0, true, false, "it is an angle above the horizon"});
    if (elevation && *elevation <= 0.0) {
        sun.fail("elevation_deg",
                 fmt::format("{} is not above 0", sun.find("elevation_deg")->text),
                 kBelowHorizon,
                 "give an elevation above 0 to 90");
    } else if (azimuth && elevation) {
        config.position = SunAngles{*azimuth * kDegree, *elevation * kDegree};
    }
}

namespace {

void read_incident_direction(const Section& sun, SunConfig& config) {
    const auto values = sun.numbers("incident_direction", 3);
    if (!values) return;
    const double length = std::hypot((*values)[0], (*values)[1], (*values)[2]);
    if (!(length > 0.0) || !std::isfinite(length)) {
        sun.fail("incident_direction",
                 length > 0.0 ? "is too long" : "has length 0",
                 "it has no direction",
                 "give for example [0.0, 0.7, -0.7]");
    } else if (!((*values)[2] < 0.0)) {
        sun.fail("incident_direction",
                 fmt::format("has the up component {}, not below 0", (*values)[2]),
                 kBelowHorizon,
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
                 "write for example 2026-06-21T12:00:00+02:00");
        return;
    }
    config.position = SunTime{time.normalised};
}

constexpr const char* kForms =
    "exactly one of azimuth_deg with elevation_deg, time, incident_direction, or for several "
    "positions times, positions, file";

void read_position(const Section& sun, const std::filesystem::path& base_dir, SunConfig& config) {
    const bool angles = sun.has("azimuth_deg") || sun.has("elevation_deg");
    std::vector<const char*> forms;
    if (angles) forms.push_back(sun.has("azimuth_deg") ? "azimuth_deg" : "elevation_deg");
    for (const char* key : {"time", "incident_direction", "times", "positions", "file"}) {
        if (sun.has(key)) forms.push_back(key);
    }
    config.has_position = !forms.empty();
    if (forms.size() > 1) {
        sun.fail(forms.back(),
                 "the sun's position is given in more than one form",
                 "they may contradict each other",
                 fmt::format("keep {}", kForms));
    }
    if (angles) read_sun_angles(sun, config);
    if (sun.has("time")) read_time(sun, config);
    if (sun.has("incident_direction")) read_incident_direction(sun, config);
    if (sun.has("times") || sun.has("positions") || sun.has("file"))
        read_sun_series(sun, base_dir, config);
}

enum class Kind { gaussian, pillbox, buie, limb_darkened, collimated, table };

std::optional<SunShape> read_table(const Section& shape, const std::filesystem::path& base_dir) {
    if (!shape.has("file")) {
        shape.fail("file", "is missing", "a table shape is read from a file", "add it");
        return std::nullopt;
    }
    const auto text = shape.text("file");
    if (!text) return std::nullopt;
    const auto file = resolve_input(base_dir, *text);
    if (!std::filesystem::is_regular_file(file)) {
        shape.fail("file",
                   fmt::format("there is no file '{}'", file.string()),
                   "",
                   "paths are relative to the configuration file");
        return std::nullopt;
    }
    try {
        return read_sun_table(file);
    } catch (const InputError& error) {
        auto& problems = shape.problems();
        problems.insert(problems.end(), error.problems().begin(), error.problems().end());
        return std::nullopt;
    }
}

std::optional<SunShape> read_shape(const Section& shape, const std::filesystem::path& base_dir) {
    if (!shape.has("type")) {
        shape.fail("type",
                   "is missing",
                   "",
                   "choose gaussian, pillbox, buie, limb_darkened, collimated or table");
        return std::nullopt;
    }
    const auto kind = shape.choice<Kind>("type",
                                         {{"gaussian", Kind::gaussian},
                                          {"pillbox", Kind::pillbox},
                                          {"buie", Kind::buie},
                                          {"limb_darkened", Kind::limb_darkened},
                                          {"collimated", Kind::collimated},
                                          {"table", Kind::table}});
    if (!kind) return std::nullopt;
    const std::string name = shape.find("type")->text;
    const auto takes = [&](const std::vector<std::string>& keys) {
        refuse_other_keys(shape, "type", name, keys);
    };
    switch (*kind) {
        case Kind::gaussian:
            takes({"sigma_mrad"});
            return GaussianShape{read_width(shape, "sigma_mrad", name)};
        case Kind::pillbox:
            takes({"half_angle_mrad"});
            return PillboxShape{read_width(shape, "half_angle_mrad", name)};
        case Kind::buie: {
            takes({"csr", "calibration"});
            if (!shape.has("csr"))
                shape.fail("csr", "is missing", "buie needs it", "add for example csr: 0.05");
            const auto csr =
                shape.number("csr",
                             {0.0,
                              0.8,
                              false,
                              true,
                              "Buie's sun shape is defined for circumsolar ratios below 0.8"});
            const auto calibration =
                shape.choice<BuieCalibration>("calibration",
                                              {{"exact", BuieCalibration::exact},
                                               {"tonatiuh", BuieCalibration::tonatiuh},
                                               {"tracer", BuieCalibration::tracer}});
            return BuieShape{csr.value_or(0.0), calibration.value_or(BuieCalibration::exact)};
        }
        case Kind::limb_darkened:
            takes({});
            return LimbDarkenedShape{};
        case Kind::collimated:
            takes({});
            return CollimatedShape{};
        case Kind::table:
            takes({"file"});
            return read_table(shape, base_dir);
    }
    return std::nullopt;
}

}  // namespace

void check_sun_position(const Section& root, const SunConfig& config) {
    if (config.has_position) return;
    root.fail("sun",
              "the sun has no position",
              "only 'helioray annual' works without one",
              fmt::format("give {}", kForms));
}

void read_sun(const Section& root, const std::filesystem::path& base_dir, SunConfig& config) {
    const Section sun = root.section("sun");
    assign(config.dni,
           sun.number("dni_w_m2", {0.0, 10000.0, true, false, "direct normal irradiance in W/m2"}));
    read_position(sun, base_dir, config);
    if (sun.has("shape")) {
        const size_t before = sun.problems().size();
        const Section shape = sun.section("shape");
        if (sun.problems().size() == before) config.shape = read_shape(shape, base_dir);
    }
}

}  // namespace helioray
