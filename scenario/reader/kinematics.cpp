// SPDX-License-Identifier: MIT
// Reads kinematics: type, initial orientation, deviations from the ideal geometry.
#include "scenario/reader/sections.h"
#include "scenario/types/components/component_rules.h"
#include "scenario/types/type_names.h"

namespace helioray {

Kinematics read_kinematics(const hdf5::Group& group, ReadLog& log) {
    const Fields fields(group, log);
    Kinematics kinematics;
    kinematics.type = fields.choice<KinematicsType>("type").value_or(KinematicsType::rigid_body);
    kinematics.initial_orientation =
        fields.vector("initial_orientation").value_or(kinematics.initial_orientation);
    if (!points_south(kinematics)) {
        log.warn(fields.where("initial_orientation"),
                 "initial orientations other than south have no influence");
    }

    // An azimuth-elevation mount has no joint offsets, so missing ones need no remark.
    const bool is_rigid_body = kinematics.type == KinematicsType::rigid_body;
    log.attempt([&] {
        const bool has_group = fields.contains("deviations");
        const hdf5::Group parent = has_group ? group.group("deviations") : group;
        const Fields deviations(parent, log);
        const std::string prefix = has_group ? "" : "deviations/";
        for_each_deviation(kinematics.deviations, [&](const char* key, double& value) {
            value = deviations.number_or_zero(prefix + key, is_rigid_body);
        });
        if (has_group) deviations.warn_of_unread();
    });
    fields.warn_of_unread();
    return kinematics;
}

}  // namespace helioray
