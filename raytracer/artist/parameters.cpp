// SPDX-License-Identifier: MIT
// Kinematic and actuator parameters of the rows of one group, as ARTIST holds them after loading.
#include "raytracer/artist/parameters.h"

#include <ATen/ops/zeros.h>

#include <numbers>

namespace helioray::artist {
namespace {

void set_position(const Heliostat& heliostat, float* out) {
    for (size_t k = 0; k < 3; ++k) out[k] = static_cast<float>(heliostat.position[k]);
    out[3] = 1.0F;
}

void set_deviations(const KinematicsDeviations& d, float* translation, float* rotation) {
    for (size_t k = 0; k < 3; ++k) {
        translation[k] = static_cast<float>(d.first_joint_translation[k]);
        translation[3 + k] = static_cast<float>(d.second_joint_translation[k]);
        translation[6 + k] = static_cast<float>(d.concentrator_translation[k]);
    }
    rotation[0] = static_cast<float>(d.first_joint_tilt_n);
    rotation[1] = static_cast<float>(d.first_joint_tilt_u);
    rotation[2] = static_cast<float>(d.second_joint_tilt_e);
    rotation[3] = static_cast<float>(d.second_joint_tilt_n);
}

}  // namespace

Parameters load_parameters(const Scenario& scenario, const std::vector<size_t>& heliostats) {
    const auto n = static_cast<int64_t>(heliostats.size());
    Parameters p;
    p.position = at::zeros({n, 4}, at::kFloat);
    p.translation = at::zeros({n, 9}, at::kFloat);
    p.rotation = at::zeros({n, 4}, at::kFloat);
    p.clockwise = at::zeros({n, 2}, at::kBool);
    for (at::Tensor* t : {&p.minimum,
                          &p.maximum,
                          &p.initial_angle,
                          &p.initial_stroke,
                          &p.increment,
                          &p.offset,
                          &p.pivot_radius}) {
        *t = at::zeros({n, 2}, at::kFloat);
    }
    for (int64_t row = 0; row < n; ++row) {
        const Heliostat& heliostat = scenario.heliostats[heliostats[static_cast<size_t>(row)]];
        set_position(heliostat, p.position.data_ptr<float>() + 4 * row);
        set_deviations(heliostat.kinematics->deviations,
                       p.translation.data_ptr<float>() + 9 * row,
                       p.rotation.data_ptr<float>() + 4 * row);
        for (int64_t axis = 0; axis < 2; ++axis) {
            const Actuator& a = (*heliostat.actuators)[static_cast<size_t>(axis)];
            const auto put = [&](at::Tensor& t, double value) {
                t.data_ptr<float>()[2 * row + axis] = static_cast<float>(value);
            };
            p.linear = a.type == ActuatorType::linear;
            p.clockwise.data_ptr<bool>()[2 * row + axis] = a.clockwise;
            put(p.minimum, a.min_motor_position);
            put(p.maximum, a.max_motor_position);
            if (!p.linear) continue;
            put(p.initial_angle, a.initial_angle);
            put(p.initial_stroke, a.initial_stroke_length);
            put(p.increment, a.increment);
            put(p.offset, a.offset);
            put(p.pivot_radius, a.pivot_radius);
        }
    }
    // Surfaces lie flat, the kinematics' reference points south: axis 1 takes up the difference.
    if (p.linear) p.initial_angle.select(1, 0).sub_(std::numbers::pi / 2);
    return p;
}

Parameters select_rows(const Parameters& all, const at::Tensor& index) {
    Parameters p;
    p.linear = all.linear;
    p.position = all.position.index_select(0, index);
    p.translation = all.translation.index_select(0, index);
    p.rotation = all.rotation.index_select(0, index);
    p.clockwise = all.clockwise.index_select(0, index);
    p.minimum = all.minimum.index_select(0, index);
    p.maximum = all.maximum.index_select(0, index);
    p.initial_angle = all.initial_angle.index_select(0, index);
    p.initial_stroke = all.initial_stroke.index_select(0, index);
    p.increment = all.increment.index_select(0, index);
    p.offset = all.offset.index_select(0, index);
    p.pivot_radius = all.pivot_radius.index_select(0, index);
    return p;
}

}  // namespace helioray::artist
