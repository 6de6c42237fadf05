// SPDX-License-Identifier: MIT
// Builds a scenario with the heliostat of a STRAL file.
#include "scenario/import/paint/paint.h"
#include "scenario/import/stral/stral_file.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <numbers>

namespace helioray {

namespace {

constexpr double kPi = std::numbers::pi;

/// Smallest sine of the angle between canting vectors of a facet.
constexpr double kLeastSine = 1e-3;

void check_canting(const StralFacet& facet, const std::string& where, ReadLog& log) {
    const Vec3 &e = facet.canting_e, &n = facet.canting_n;
    const double product = norm(e) * norm(n);
    if (!(product > 0.0) || norm(cross(e, n)) < kLeastSine * product) {
        log.problem(where, "the canting vectors are zero or parallel", "they span the facet");
    }
}

/// Returns ideal drives; the second turns the other way, as for rigid bodies in ARTIST's samples.
ActuatorPair free_drives() {
    ActuatorPair drives;
    for (size_t axis = 0; axis < 2; ++axis) {
        drives[axis].name = fmt::format("actuator_{}", axis + 1);
        drives[axis].clockwise = axis == 1;
        drives[axis].min_motor_position = -kPi;
        drives[axis].max_motor_position = kPi;
    }
    return drives;
}

std::vector<Target> assumed_targets() {
    PlanarTarget plane;
    plane.center = {0.0, -50.0, 0.0};
    plane.width = 8.629666667;
    plane.height = 7.0;
    CylindricalTarget cylinder;
    cylinder.center = {0.0, 0.0, 0.0};
    cylinder.radius = 4.14;
    cylinder.height = 6.0;
    cylinder.opening_angle = kPi / 3.0;
    return {{"planar", plane}, {"cylinder", cylinder}};
}

void report_file(const StralFile& file, const std::string& name, ReadLog& log) {
    size_t samples = 0;
    for (const StralFacet& facet : file.facets) samples += facet.points.size();
    log.warn(name,
             fmt::format("heliostat of {:.3f} x {:.3f} m with {} facets and {} points",
                         file.width,
                         file.height,
                         file.facets.size(),
                         samples));
    log.warn(name, "facet ids and power coefficients ignored");
    if (file.axis_offset != 0.0) {
        log.warn(name, fmt::format("axis offset of {} m ignored", file.axis_offset));
    }
    if (file.num_trailing_bytes > 0) {
        log.warn(name, fmt::format("{} bytes behind the facets ignored", file.num_trailing_bytes));
    }
}

}  // namespace

MeasuredSurface measured_surface(const StralFile& file, const std::string& name) {
    ReadLog log;
    MeasuredSurface surface;
    for (size_t i = 0; i < file.facets.size(); ++i) {
        const StralFacet& facet = file.facets[i];
        MeasuredFacet samples{
            fmt::format("{}: facet {}", name, i + 1), facet.points, facet.normals};
        check_canting(facet, samples.where, log);
        check_samples(samples, log);
        surface.facets.push_back(std::move(samples));
    }
    log.throw_if_any();
    return surface;
}

Surface stral_facets(const StralFile& file) {
    Surface surface;
    for (size_t i = 0; i < file.facets.size(); ++i) {
        Facet facet;
        facet.name = facet_name(i, file.facets.size());
        facet.translation = file.facets[i].translation;
        facet.canting_e = file.facets[i].canting_e;
        facet.canting_n = file.facets[i].canting_n;
        surface.facets.push_back(std::move(facet));
    }
    return surface;
}

Scenario scenario_from_stral(const StralFile& file,
                             std::shared_ptr<const Surface> surface,
                             const StralInputs& inputs,
                             std::vector<std::string>* report) {
    ReadLog log;
    report_file(file, inputs.file, log);
    Scenario scenario;
    if (inputs.tower.empty()) {
        scenario.targets = assumed_targets();
        log.warn("targets",
                 "assumed: plane 'planar' of 8.630 x 7 m at (0, -50, 0) that faces north, cylinder "
                 "'cylinder' of radius 4.14 m, height 6 m and 60 degrees at the origin; the plant "
                 "at latitude and longitude 0");
    } else {
        const PaintTower tower = read_paint_tower(inputs.tower, false, log);
        scenario.position = tower.position;
        scenario.targets = tower.targets;
    }

    auto kinematics = std::make_shared<Kinematics>();
    kinematics->deviations.concentrator_translation = {0.0, file.mirror_offset, 0.0};
    log.warn(
        "kinematics",
        fmt::format("assumed: rigid body without offsets but the mirror's {:g} m, ideal drives "
                    "that turn freely",
                    file.mirror_offset));
    const auto actuators = std::make_shared<const ActuatorPair>(free_drives());
    const Vec3 position = inputs.position.value_or(file.position);
    log.warn("position",
             fmt::format("({:g}, {:g}, {:g}) m, {}",
                         position[0],
                         position[1],
                         position[2],
                         inputs.position ? "as asked for" : "from the file"));
    scenario.heliostats = {{inputs.name, 0, position, surface, kinematics, actuators}};
    scenario.prototypes = {surface, kinematics, actuators};
    scenario.light_sources = {usual_sun()};
    log.warn("sun", "assumed to be Gaussian with 2.09 mrad per axis, 10 rays per surface point");
    log.throw_if_any();
    if (report) *report = log.warnings();
    return scenario;
}

}  // namespace helioray
