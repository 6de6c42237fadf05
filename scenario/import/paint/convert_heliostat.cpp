// SPDX-License-Identifier: MIT
// Converts heliostat properties: position, facets, kinematics, actuators.
#include "scenario/import/paint/conversion.h"
#include "scenario/import/paint/paint.h"
#include "scenario/types/type_names.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>

namespace helioray::paint {

std::vector<double> flat_control_points(const Vec3& canting_e,
                                        const Vec3& canting_n,
                                        const std::array<int64_t, 2>& count) {
    const double e = norm(canting_e);
    const double n = norm(canting_n);
    const auto at = [](double half, int64_t i, int64_t num) {
        return half * (2.0 * static_cast<double>(i) / static_cast<double>(num - 1) - 1.0);
    };
    std::vector<double> points;
    points.reserve(static_cast<size_t>(count[0] * count[1] * 3));
    for (int64_t i = 0; i < count[0]; ++i) {
        for (int64_t j = 0; j < count[1]; ++j) {
            points.insert(points.end(), {at(e, i, count[0]), at(n, j, count[1]), 0.0});
        }
    }
    return points;
}

namespace {

Surface convert_surface(const JsonField& properties,
                        const std::array<int64_t, 2>& control_points,
                        ReadLog& log) {
    const JsonField list = properties.at("facets");
    const std::vector<JsonField> facets = list.elements();
    if (facets.empty()) list.fail("is empty", "a heliostat needs a facet");
    if (properties.contains("number_of_facets")) {
        const double number = properties.at("number_of_facets").number();
        if (number != static_cast<double>(facets.size())) {
            properties.at("number_of_facets")
                .fail(fmt::format("is {}, but there are {} facets", number, facets.size()));
        }
    }
    if (properties.contains("canting_type")) {
        log.warn(properties.at("canting_type").where(),
                 "ignored: the canting vectors give the angles of the facets");
    }

    Surface surface;
    for (size_t i = 0; i < facets.size(); ++i) {
        Facet facet;
        facet.name = facet_name(i, facets.size());
        facet.translation = facets[i].at("translation_vector").vector();
        facet.canting_e = facets[i].at("canting_e").vector();
        facet.canting_n = facets[i].at("canting_n").vector();
        if (norm(cross(facet.canting_e, facet.canting_n)) < 1e-12) {
            facets[i].at("canting_e").fail("and canting_n are zero or parallel");
        }
        facet.num_control_points = control_points;
        facet.control_points =
            flat_control_points(facet.canting_e, facet.canting_n, control_points);
        surface.facets.push_back(std::move(facet));
    }
    return surface;
}

// Reads the first key that exists; returns 0, with a remark, if there is none.
double deviation(const JsonField& kinematics,
                 const std::string& key,
                 const std::string& older_key,
                 ReadLog& log) {
    if (kinematics.contains(key) || kinematics.contains(older_key)) {
        return kinematics.at({key, older_key}).number();
    }
    log.warn(kinematics.where() + "." + key, "missing offsets are taken as 0");
    return 0.0;
}

Kinematics convert_kinematics(const JsonField& properties, const JsonField& field, ReadLog& log) {
    Kinematics kinematics;
    if (properties.contains("initial_orientation")) {
        kinematics.initial_orientation = properties.at("initial_orientation").vector();
    } else {
        log.warn(properties.where(), "initial orientation is missing, south assumed");
    }
    KinematicsDeviations& d = kinematics.deviations;
    const std::array<std::string, 3> axes{"e", "n", "u"};
    for (size_t i = 0; i < 3; ++i) {
        const std::string& a = axes[i];
        const auto offset = [&](const std::string& key, const std::string& older_key) {
            return deviation(field, key, older_key, log);
        };
        d.first_joint_translation[i] =
            offset("joint_translation_" + a + "_1", "first_joint_translation_" + a);
        d.second_joint_translation[i] =
            offset("joint_translation_" + a + "_2", "second_joint_translation_" + a);
        d.concentrator_translation[i] =
            offset("concentrator_translation_" + a, "concentrator_translation_" + a);
    }

    // Current files have no tilts; older ones may have them.
    const auto tilt = [&](const char* key) {
        return field.contains(key) ? field.at(key).number() : 0.0;
    };
    d.first_joint_tilt_n = tilt("first_joint_tilt_n");
    d.first_joint_tilt_u = tilt("first_joint_tilt_u");
    d.second_joint_tilt_e = tilt("second_joint_tilt_e");
    d.second_joint_tilt_n = tilt("second_joint_tilt_n");
    return kinematics;
}

/// Returns true if all parameters of a linear drive are given and the limits are steps, far beyond
/// any angle.
bool has_lever(const JsonField& field) {
    constexpr double kMostAngles = 100.0;  // radians
    for (const char* key :
         {"increment", "initial_stroke_length", "offset", "pivot_radius", "initial_angle"}) {
        if (!field.contains(key) || field.at(key).number() == 0.0) return false;
    }
    return field.at("max_increment").number() > kMostAngles;
}

Actuator convert_actuator(const JsonField& field,
                          const std::string& name,
                          const std::optional<ActuatorType>& called_ideal,
                          ReadLog& log) {
    Actuator actuator;
    actuator.name = name;
    const JsonField type_field = field.at({"type_axis", "type"});
    const auto type = from_string<ActuatorType>(type_field.text());
    if (!type) {
        type_field.fail(fmt::format("'{}' is unknown", type_field.text()),
                        "known are " + all_names<ActuatorType>());
    }
    actuator.type = *type == ActuatorType::ideal ? called_ideal.value_or(*type) : *type;
    if (!called_ideal && *type == ActuatorType::ideal && has_lever(field)) {
        actuator.type = ActuatorType::linear;
        log.warn(field.where(), kIdealTakenAsLinear);
    }
    actuator.clockwise = field.at("clockwise_axis_movement").boolean();
    actuator.min_motor_position = field.at("min_increment").number();
    actuator.max_motor_position = field.at("max_increment").number();
    if (actuator.min_motor_position > actuator.max_motor_position) {
        field.at("min_increment").fail("is above max_increment");
    }
    if (actuator.type != ActuatorType::linear) {
        log.warn(field.where(), "lever parameters of an ideal actuator ignored");
        return actuator;
    }
    actuator.increment = field.at("increment").positive();
    actuator.initial_stroke_length = field.at("initial_stroke_length").number();
    actuator.offset = field.at("offset").positive();
    actuator.pivot_radius = field.at("pivot_radius").positive();
    actuator.initial_angle = field.at("initial_angle").number();
    for (const char* key : {"offset_shift", "radius_shift"}) {
        if (field.contains(key) && field.at(key).number() != 0.0) {
            log.warn(field.at(key).where(), "ignored, though it is not 0");
        }
    }
    return actuator;
}

ActuatorPair convert_actuators(const JsonField& kinematics,
                               const std::optional<ActuatorType>& called_ideal,
                               ReadLog& log) {
    const JsonField list = kinematics.at("actuators");
    const std::vector<JsonField> fields = list.elements();
    if (fields.size() != 2) list.fail(fmt::format("expected 2 actuators, found {}", fields.size()));
    ActuatorPair pair{convert_actuator(fields[0], "actuator_0", called_ideal, log),
                      convert_actuator(fields[1], "actuator_1", called_ideal, log)};
    if (pair[0].type != pair[1].type) {
        fields[1]
            .at({"type_axis", "type"})
            .fail(fmt::format("expected '{}' as in the first actuator, found '{}'",
                              to_string(pair[0].type),
                              to_string(pair[1].type)));
    }
    return pair;
}

}  // namespace

Heliostat convert_heliostat(const JsonField& properties,
                            const ToLocal& to_local,
                            const std::array<int64_t, 2>& control_points,
                            const std::optional<ActuatorType>& called_ideal,
                            ReadLog& log) {
    const JsonField kinematics = properties.at({"kinematics_properties", "kinematic_properties"});
    Heliostat heliostat;
    heliostat.position = to_local(properties.at("heliostat_position").position());
    heliostat.surface = std::make_shared<const Surface>(
        convert_surface(properties.at("facet_properties"), control_points, log));
    heliostat.kinematics =
        std::make_shared<const Kinematics>(convert_kinematics(properties, kinematics, log));
    heliostat.actuators =
        std::make_shared<const ActuatorPair>(convert_actuators(kinematics, called_ideal, log));

    static const std::vector<std::string> used{"facet_properties",
                                               "heliostat_position",
                                               "initial_orientation",
                                               "kinematic_properties",
                                               "kinematics_properties"};
    for (const std::string& key : properties.keys()) {
        if (!std::binary_search(used.begin(), used.end(), key)) {
            log.warn(properties.at(key).where(), fmt::format("'{}' ignored", key));
        }
    }
    return heliostat;
}

}  // namespace helioray::paint
