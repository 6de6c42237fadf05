// SPDX-License-Identifier: MIT
// Target areas: planes and sectors of cylinders.
#include "scenario/reader/fields.h"
#include "scenario/reader/sections.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace helioray {

namespace {

constexpr double kFullTurn = 2.0 * std::numbers::pi;

PlanarTarget read_plane(const Fields& fields) {
    PlanarTarget plane;
    plane.center = fields.vector("position_center").value_or(Vec3{});
    plane.normal = fields.unit_vector("normal_vector").value_or(plane.normal);
    plane.width = fields.positive("plane_e").value_or(0.0);
    plane.height = fields.positive("plane_u").value_or(0.0);
    return plane;
}

// More than a full turn is nonsense, but ARTIST's own samples store 60 and mean degrees. These
// files must load, for ARTIST's formulas give numbers with it; who needs the real sector has to
// refuse it.
double read_opening_angle(const Fields& fields) {
    const std::string name = "cylinder_opening_angle";
    const double angle = fields.positive(name).value_or(1.0);
    if (std::abs(angle - kFullTurn) < 1e-6) return kFullTurn;
    if (angle > 360.0) {
        fields.log().problem(fields.where(name),
                             fmt::format("is {}, more than a full turn", angle),
                             "the opening angle is in radians",
                             "store a value of at most 2 pi");
    } else if (angle > kFullTurn) {
        fields.log().warn(
            fields.where(name),
            fmt::format(
                "{} rad is more than a full turn and probably meant in degrees ({:.7g} rad); "
                "kept as it is, only model artist can use this target",
                angle,
                angle / 180.0 * std::numbers::pi));
    }
    return angle;
}

CylindricalTarget read_cylinder(const Fields& fields) {
    CylindricalTarget cylinder;
    cylinder.center = fields.vector("cylinder_center").value_or(Vec3{});
    const auto axis = fields.unit_vector("cylinder_axis");
    const auto normal = fields.unit_vector("cylinder_normal");
    cylinder.axis = axis.value_or(cylinder.axis);
    cylinder.normal = normal.value_or(cylinder.normal);
    cylinder.radius = fields.positive("cylinder_radius").value_or(0.0);
    cylinder.height = fields.positive("cylinder_height").value_or(0.0);
    cylinder.opening_angle = read_opening_angle(fields);
    if (fields.contains("side")) {
        cylinder.side =
            fields.choice<CylindricalTarget::Side>("side").value_or(CylindricalTarget::Side::outer);
    }
    if (axis && normal) {
        const double cosine =
            (*axis)[0] * (*normal)[0] + (*axis)[1] * (*normal)[1] + (*axis)[2] * (*normal)[2];
        if (std::abs(cosine) > 1e-4) {
            fields.log().problem(
                fields.where("cylinder_normal"),
                fmt::format("is not perpendicular to cylinder_axis (cosine {:.3g})", cosine),
                "it points from the axis to the middle of the sector",
                "remove its component along the axis");
        }
    }
    return cylinder;
}

template <typename Read>
void read_group(const hdf5::Group& root,
                const std::string& name,
                ReadLog& log,
                std::vector<Target>& targets,
                Read read) {
    if (!root.contains(name)) return;
    log.attempt([&] {
        const hdf5::Group areas = root.group(name);
        for (const std::string& area : areas.names()) {
            log.attempt([&] {
                const hdf5::Group group = areas.group(area);
                targets.push_back({area, read(Fields(group, log))});
            });
        }
    });
}

}  // namespace

std::vector<Target> read_targets(const hdf5::Group& root, ReadLog& log) {
    std::vector<Target> targets;
    read_group(root, "target_areas_planar", log, targets, read_plane);
    const auto first_cylinder = targets.size();
    read_group(root, "target_areas_cylindrical", log, targets, read_cylinder);

    // Results and configurations know targets by name alone.
    for (size_t i = first_cylinder; i < targets.size(); ++i) {
        for (size_t j = 0; j < first_cylinder; ++j) {
            if (targets[i].name != targets[j].name) continue;
            log.problem(root.where_of("target_areas_cylindrical/" + targets[i].name),
                        "a planar target area has the same name",
                        "targets are known by name",
                        "rename one of them");
        }
    }
    if (!root.contains("target_areas_planar") && !root.contains("target_areas_cylindrical")) {
        log.problem(root.where_of("target_areas_planar"),
                    "group is missing, and target_areas_cylindrical too",
                    "rays need a target area");
    } else if (targets.empty()) {
        log.problem(root.where(), "there is no target area", "rays need one");
    }
    return targets;
}

}  // namespace helioray
