// SPDX-License-Identifier: MIT
// Reads actuators: two axes of one type; axis 1 is the first by name.
#include "scenario/reader/sections.h"

#include <fmt/format.h>

namespace helioray {

namespace {

// Reads the lever: without increment, offset or pivot radius, motor positions have no meaning.
void read_lever(const Fields& fields, Actuator& actuator) {
    actuator.increment = fields.positive("parameters/increment").value_or(1.0);
    actuator.offset = fields.positive("parameters/offset").value_or(1.0);
    actuator.pivot_radius = fields.positive("parameters/pivot_radius").value_or(1.0);
    actuator.initial_stroke_length =
        fields.number_or_zero("parameters/initial_stroke_length", true);
    actuator.initial_angle = fields.number_or_zero("parameters/initial_angle", true);
}

// Reads an actuator. `known` is set to true if the type could be read.
Actuator read_actuator(const std::string& name,
                       const hdf5::Group& group,
                       ReadLog& log,
                       bool& known) {
    const Fields fields(group, log);
    Actuator actuator;
    actuator.name = name;
    const auto type = fields.choice<ActuatorType>("type");
    known = type.has_value();
    actuator.type = type.value_or(ActuatorType::ideal);
    actuator.clockwise = fields.boolean("clockwise_axis_movement").value_or(false);
    if (const auto limits = fields.numbers("min_max_motor_positions", {2})) {
        actuator.min_motor_position = (*limits)[0];
        actuator.max_motor_position = (*limits)[1];
        if ((*limits)[0] > (*limits)[1]) {
            log.problem(
                fields.where("min_max_motor_positions"),
                fmt::format("the minimum {} is above the maximum {}", (*limits)[0], (*limits)[1]));
        }
    }
    if (actuator.type == ActuatorType::linear) read_lever(fields, actuator);
    // Files of ARTIST have parameters for ideal actuators, too, which have no lever.
    fields.warn_of_unread({"parameters"});
    return actuator;
}

}  // namespace

ActuatorPair read_actuators(const hdf5::Group& group, ReadLog& log) {
    ActuatorPair pair;
    const std::vector<std::string> names = group.names();
    if (names.size() != pair.size()) {
        log.problem(group.where(),
                    fmt::format("expected 2 actuators, found {}", names.size()),
                    "the kinematics has two axes");
        return pair;
    }
    bool all_known = true;
    for (size_t i = 0; i < pair.size(); ++i) {
        bool known = false;
        log.attempt([&] { pair[i] = read_actuator(names[i], group.group(names[i]), log, known); });
        all_known = all_known && known;
    }
    if (all_known && pair[0].type != pair[1].type) {
        log.problem(group.where_of(names[1] + "/type"),
                    fmt::format("expected '{}' as in {}, found '{}'",
                                to_string(pair[0].type),
                                names[0],
                                to_string(pair[1].type)),
                    "both axes of a heliostat have one type of actuator");
    }
    return pair;
}

}  // namespace helioray
