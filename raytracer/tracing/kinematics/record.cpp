// SPDX-License-Identifier: MIT
// Builds kinematics records from scenario data and checks the parameters that the formulas need.
#include "raytracer/tracing/kinematics/record.h"

#include "scenario/files/error.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <string>
#include <utility>

namespace helioray {

namespace {

constexpr const char* kActuatorAdvice =
    "check increment, offset, pivot_radius and initial_stroke_length under parameters";

void check_linear(const Actuator& drive, const std::string& where, std::vector<Problem>& problems) {
    // The triangle of offset, pivot radius and stroke must exist at motor position 0.
    const auto report = [&](std::string what, const char* why) {
        problems.push_back({where, std::move(what), why, kActuatorAdvice});
    };
    if (!(drive.increment > 0)) {
        report(fmt::format("increment {} is not positive", drive.increment),
               "motor steps cannot be converted to a stroke");
    }
    if (!(drive.offset > 0) || !(drive.pivot_radius > 0)) {
        report(fmt::format("offset {} m or pivot radius {} m is not positive",
                           drive.offset,
                           drive.pivot_radius),
               "the drive's triangle does not exist");
        return;
    }
    const double shortest = std::abs(drive.offset - drive.pivot_radius);
    const double longest = drive.offset + drive.pivot_radius;
    if (!(drive.initial_stroke_length > shortest && drive.initial_stroke_length < longest)) {
        report(fmt::format("initial stroke length {} m lies outside ({:.6g}, {:.6g}) m",
                           drive.initial_stroke_length,
                           shortest,
                           longest),
               "offset, pivot radius and stroke form no triangle at motor position 0");
    }
}

void check_deviations(const Kinematics& kinematics,
                      const std::string& where,
                      std::vector<Problem>& problems) {
    if (kinematics.type != KinematicsType::azimuth_elevation) return;
    KinematicsDeviations allowed;
    allowed.concentrator_translation = kinematics.deviations.concentrator_translation;
    if (kinematics.deviations == allowed) return;
    problems.push_back({where,
                        "azimuth_elevation kinematics with joint translations or tilts",
                        "its axes have no deviations, they would be ignored",
                        "remove them or use rigid_body"});
}

DriveRecord drive_record(const Actuator& drive, bool counts_from_flat) {
    const bool linear = drive.type == ActuatorType::linear;
    // Files give the angle relative to a mirror that lies flat; the joint angles are relative to
    // one that faces south.
    const double reference = linear && counts_from_flat ? std::numbers::pi / 2 : 0.0;
    return {linear,
            drive.clockwise,
            drive.increment,
            drive.offset,
            drive.pivot_radius,
            drive.initial_stroke_length,
            drive.initial_angle - reference,
            drive.min_motor_position,
            drive.max_motor_position};
}

KinematicsRecord make_record(const Heliostat& heliostat) {
    const Kinematics& kinematics = *heliostat.kinematics;
    const KinematicsDeviations& deviations = kinematics.deviations;
    KinematicsRecord record;
    record.type = kinematics.type;
    record.position = heliostat.position;
    for (size_t i = 0; i < 3; ++i) {
        record.translations[i] = deviations.first_joint_translation[i];
        record.translations[3 + i] = deviations.second_joint_translation[i];
        record.translations[6 + i] = deviations.concentrator_translation[i];
    }
    record.rotations = {deviations.first_joint_tilt_n,
                        deviations.first_joint_tilt_u,
                        deviations.second_joint_tilt_e,
                        deviations.second_joint_tilt_n};
    const bool rigid = kinematics.type == KinematicsType::rigid_body;
    for (size_t axis = 0; axis < 2; ++axis) {
        record.drives[axis] = drive_record((*heliostat.actuators)[axis], rigid && axis == 0);
    }
    return record;
}

}  // namespace

std::vector<KinematicsRecord> kinematics_records(const Scenario& scenario,
                                                 std::span<const size_t> heliostats) {
    // Report all parameters that the formulas cannot use.
    std::vector<Problem> problems;
    for (const size_t index : heliostats) {
        const Heliostat& heliostat = scenario.heliostats.at(index);
        const std::string path = "heliostats/" + heliostat.name;
        check_deviations(*heliostat.kinematics, path + "/kinematics/deviations", problems);
        for (const Actuator& drive : *heliostat.actuators) {
            if (drive.type != ActuatorType::linear) continue;
            check_linear(drive, path + "/actuator/" + drive.name, problems);
        }
    }
    if (!problems.empty()) throw InputError(std::move(problems));

    std::vector<KinematicsRecord> records;
    records.reserve(heliostats.size());
    for (const size_t index : heliostats)
        records.push_back(make_record(scenario.heliostats[index]));
    return records;
}

}  // namespace helioray
