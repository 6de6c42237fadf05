// SPDX-License-Identifier: MIT
// Kinematics parameters from scenario data, with the checks that the formulas need.
#include "raytracer/kinematics/parameters.h"

#include "scenario/error.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/where.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <string>

namespace helioray {

namespace {

constexpr const char* kActuatorAdvice =
    "check increment, offset, pivot_radius and initial_stroke_length under parameters";

at::Tensor new_tensor(at::IntArrayRef shape, at::ScalarType type = at::kDouble) {
    return at::empty(shape, at::TensorOptions().dtype(type));
}

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

void write_kinematics(const Heliostat& heliostat, KinematicsParameters& parameters, int64_t row) {
    parameters.types.data_ptr<int64_t>()[row] = static_cast<int64_t>(heliostat.kinematics->type);
    const KinematicsDeviations& deviations = heliostat.kinematics->deviations;
    double* position = parameters.positions.data_ptr<double>() + 3 * row;
    double* translation = parameters.translations.data_ptr<double>() + 9 * row;
    for (size_t i = 0; i < 3; ++i) {
        position[i] = heliostat.position[i];
        translation[i] = deviations.first_joint_translation[i];
        translation[3 + i] = deviations.second_joint_translation[i];
        translation[6 + i] = deviations.concentrator_translation[i];
    }
    double* rotation = parameters.rotations.data_ptr<double>() + 4 * row;
    rotation[0] = deviations.first_joint_tilt_n;
    rotation[1] = deviations.first_joint_tilt_u;
    rotation[2] = deviations.second_joint_tilt_e;
    rotation[3] = deviations.second_joint_tilt_n;
}

void write_actuators(const Heliostat& heliostat, ActuatorParameters& actuators, int64_t row) {
    const bool rigid = heliostat.kinematics->type == KinematicsType::rigid_body;
    for (int64_t axis = 0; axis < 2; ++axis) {
        const Actuator& drive = (*heliostat.actuators)[static_cast<size_t>(axis)];
        const bool linear = drive.type == ActuatorType::linear;
        const int64_t i = 2 * row + axis;
        // Files state the angle for a mirror that lies flat, the joints count from one facing
        // south.
        const double reference = linear && rigid && axis == 0 ? std::numbers::pi / 2 : 0.0;
        actuators.is_linear.data_ptr<bool>()[i] = linear;
        actuators.clockwise.data_ptr<bool>()[i] = drive.clockwise;
        actuators.increment.data_ptr<double>()[i] = drive.increment;
        actuators.offset.data_ptr<double>()[i] = drive.offset;
        actuators.pivot_radius.data_ptr<double>()[i] = drive.pivot_radius;
        actuators.initial_stroke.data_ptr<double>()[i] = drive.initial_stroke_length;
        actuators.initial_angle.data_ptr<double>()[i] = drive.initial_angle - reference;
        actuators.min_position.data_ptr<double>()[i] = drive.min_motor_position;
        actuators.max_position.data_ptr<double>()[i] = drive.max_motor_position;
    }
}

// Calls change(tensor) for every tensor of the drives, in place.
template <typename Change>
ActuatorParameters transformed(ActuatorParameters actuators, Change change) {
    for (at::Tensor* tensor : {&actuators.is_linear,
                               &actuators.clockwise,
                               &actuators.increment,
                               &actuators.offset,
                               &actuators.pivot_radius,
                               &actuators.initial_stroke,
                               &actuators.initial_angle,
                               &actuators.min_position,
                               &actuators.max_position}) {
        *tensor = change(*tensor);
    }
    return actuators;
}

KinematicsParameters allocate(int64_t n) {
    KinematicsParameters parameters;
    parameters.types = new_tensor({n}, at::kLong);
    parameters.positions = new_tensor({n, 3});
    parameters.translations = new_tensor({n, 9});
    parameters.rotations = new_tensor({n, 4});
    parameters.actuators = transformed({}, [n](const at::Tensor&) { return new_tensor({n, 2}); });
    parameters.actuators.is_linear = new_tensor({n, 2}, at::kBool);
    parameters.actuators.clockwise = new_tensor({n, 2}, at::kBool);
    return parameters;
}

}  // namespace

KinematicsParameters kinematics_parameters(const Scenario& scenario,
                                           const std::vector<size_t>& heliostats) {
    // Report everything that the formulas cannot work with.
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

    // Copy the numbers.
    KinematicsParameters parameters = allocate(static_cast<int64_t>(heliostats.size()));
    for (size_t row = 0; row < heliostats.size(); ++row) {
        const Heliostat& heliostat = scenario.heliostats[heliostats[row]];
        write_kinematics(heliostat, parameters, static_cast<int64_t>(row));
        write_actuators(heliostat, parameters.actuators, static_cast<int64_t>(row));
    }
    return parameters;
}

ActuatorParameters select(const ActuatorParameters& parameters, const at::Tensor& indices) {
    return transformed(parameters,
                       [&](const at::Tensor& tensor) { return tensor.index_select(0, indices); });
}

KinematicsParameters select(const KinematicsParameters& parameters, const at::Tensor& indices) {
    return {parameters.types.index_select(0, indices),
            parameters.positions.index_select(0, indices),
            parameters.translations.index_select(0, indices),
            parameters.rotations.index_select(0, indices),
            select(parameters.actuators, indices)};
}

ActuatorParameters artist_effective_parameters(const ActuatorParameters& parameters) {
    constexpr double kSharpness = 100.0;
    constexpr double kLinearAbove = 20.0;
    constexpr double kShift = 1e-6;
    const auto effective = [&](const at::Tensor& x) {
        const at::Tensor shifted = at::softplus(x, kSharpness, kLinearAbove) + kShift;
        return at::where(parameters.is_linear, shifted, x);
    };
    ActuatorParameters result = parameters;
    result.increment = effective(parameters.increment);
    result.offset = effective(parameters.offset);
    result.pivot_radius = effective(parameters.pivot_radius);
    result.initial_stroke = effective(parameters.initial_stroke);
    return result;
}

}  // namespace helioray
