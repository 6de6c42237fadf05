// SPDX-License-Identifier: MIT
// Reads calibration records, and writes run configurations that repeat them.
#include "scenario/import/paint/calibration.h"

#include "scenario/files/error.h"
#include "scenario/files/units.h"
#include "scenario/import/paint/conversion.h"
#include "scenario/import/paint/paint.h"
#include "scenario/reader/read_log.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace helioray {

namespace {

constexpr double kPi = std::numbers::pi;

/// Returns a text that YAML reads back unchanged; strings of JSON are also strings of YAML.
std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump();
}

/// Formats an angle in degrees without the digits that the conversion from radians adds.
std::string degrees(double radians) {
    return fmt::format("{:.10f}", radians / kRadiansPerDegree);
}

}  // namespace

PaintCalibration read_paint_calibration(const std::filesystem::path& path,
                                        const GeodeticPosition& plant,
                                        bool exact_geodesy) {
    nlohmann::json storage;
    const JsonField file = JsonField::parse_file(path, storage);
    PaintCalibration record;
    record.file = path;
    record.id = paint_record_id(path);
    ReadLog log;
    log.attempt([&] { record.target = file.at("target_name").text(); });
    log.attempt([&] {
        const JsonField motors = file.at("motor_position");
        for (size_t axis = 0; axis < 2; ++axis) {
            log.attempt([&] {
                record.motor_positions[axis] =
                    motors.at(fmt::format("axis_{}_motor_position", axis + 1)).number();
            });
        }
    });
    log.attempt([&] {
        // Convert from azimuths relative to south, positive towards east, to clockwise from north.
        const double azimuth = kPi - kRadiansPerDegree * file.at("sun_azimuth").number();
        record.sun_azimuth = azimuth - 2.0 * kPi * std::floor(azimuth / (2.0 * kPi));
    });
    log.attempt([&] {
        const JsonField field = file.at("sun_elevation");
        if (field.number() > 90.0) field.fail(fmt::format("is {} degrees", field.number()));
        record.sun_elevation = kRadiansPerDegree * field.positive();
    });
    if (file.contains("focal_spot")) {
        log.attempt([&] {
            const JsonField spots = file.at("focal_spot");
            for (const std::string& method : spots.keys()) {
                const GeodeticPosition spot = spots.at(method).position();
                record.focal_spots[method] = exact_geodesy ? wgs84_to_enu_exact(spot, plant)
                                                           : wgs84_to_enu_linear(spot, plant);
            }
        });
    }
    const std::filesystem::path item =
        path.parent_path() / (record.id + "-calibration-item-stac.json");
    if (std::filesystem::exists(item)) {
        log.attempt([&] {
            nlohmann::json item_storage;
            record.time =
                JsonField::parse_file(item, item_storage).at("properties").at("datetime").text();
            // Fix times of the form 2021-07-20Z05:09:00Z, which the database writes.
            if (record.time.size() > 10 && record.time[10] == 'Z') record.time[10] = 'T';
        });
    }
    log.throw_if_any();
    return record;
}

void check_calibration(const PaintCalibration& calibration,
                       const std::string& heliostat,
                       const Scenario& scenario) {
    ReadLog log;
    const std::string file = calibration.file.string();
    if (!scenario.find_target(calibration.target)) {
        std::vector<std::string> names;
        for (const Target& target : scenario.targets) names.push_back(target.name);
        log.problem(file + ": target_name",
                    fmt::format("there is no target '{}'", calibration.target),
                    "the tower file holds the targets",
                    suggest(calibration.target, names));
    }
    const auto index = scenario.find_heliostat(heliostat);
    if (!index) {
        log.problem(file,
                    fmt::format("there is no heliostat '{}' in this scenario", heliostat),
                    "a record belongs to one",
                    "name its properties file too");
        log.throw_if_any();
    }
    const ActuatorPair& actuators = *scenario.heliostats[*index].actuators;
    for (size_t axis = 0; axis < 2; ++axis) {
        const Actuator& actuator = actuators[axis];
        const std::string where =
            fmt::format("{}: motor_position.axis_{}_motor_position", file, axis + 1);
        const double position = calibration.motor_positions[axis];
        if (actuator.type != ActuatorType::linear) {
            log.problem(where,
                        fmt::format("the drives of '{}' are ideal", heliostat),
                        "their positions are angles, the record counts steps",
                        "");
        } else if (position < actuator.min_motor_position ||
                   position > actuator.max_motor_position) {
            log.problem(where,
                        fmt::format("{} lies outside of {} to {}",
                                    position,
                                    actuator.min_motor_position,
                                    actuator.max_motor_position),
                        fmt::format("the drive of '{}' cannot stand there", heliostat),
                        "check that the record belongs to this heliostat");
        }
    }
    log.throw_if_any();
}

std::string calibration_config(const PaintCalibration& calibration,
                               const std::string& heliostat,
                               const std::string& scenario_file,
                               const std::string& stem) {
    std::string text = fmt::format(
        "# Calibration record {} of heliostat {} (PAINT database).\n", calibration.id, heliostat);
    for (const auto& [method, spot] : calibration.focal_spots) {
        text += fmt::format("# Measured focal spot by {}: [{:.4f}, {:.4f}, {:.4f}]\n",
                            method,
                            spot[0],
                            spot[1],
                            spot[2]);
    }
    text += fmt::format(R"(scenario: {}
sun:
  azimuth_deg: {}
  elevation_deg: {}
  dni_w_m2: 1000   # assumed: the record holds none
aim:
  target: {}
  active: [{}]
  heliostats: {{{}: {{motor_positions: [{}, {}]}}}}
output: {{file: {}, image: {}}}
)",
                        quoted(scenario_file),
                        degrees(calibration.sun_azimuth),
                        degrees(calibration.sun_elevation),
                        quoted(calibration.target),
                        quoted(heliostat),
                        quoted(heliostat),
                        calibration.motor_positions[0],
                        calibration.motor_positions[1],
                        quoted(stem + ".h5"),
                        quoted(stem + ".png"));
    return text;
}

}  // namespace helioray
