// SPDX-License-Identifier: MIT
// Writes targets and light sources.
#include "scenario/type_names.h"
#include "scenario/writer/sections.h"

namespace helioray {

namespace {

void write_plane(hdf5::Group group, const PlanarTarget& plane) {
    write_vector(group, "position_center", plane.center, 1.0);
    write_vector(group, "normal_vector", plane.normal, 0.0);
    group.write_number("plane_e", plane.width);
    group.write_number("plane_u", plane.height);
}

void write_cylinder(hdf5::Group group, const CylindricalTarget& cylinder) {
    write_vector(group, "cylinder_center", cylinder.center, 1.0);
    write_vector(group, "cylinder_axis", cylinder.axis, 0.0);
    write_vector(group, "cylinder_normal", cylinder.normal, 0.0);
    group.write_number("cylinder_radius", cylinder.radius);
    group.write_number("cylinder_height", cylinder.height);
    group.write_number("cylinder_opening_angle", cylinder.opening_angle);
    if (cylinder.side != CylindricalTarget::Side::outer) {
        group.write_string("side", to_string(cylinder.side));
    }
}

// Parameters of each distribution; squaring and the reader's square root are exact inverses.
struct ShapeWriter {
    hdf5::Group group;

    void operator()(const GaussianShape& shape) {
        group.write_number("covariance", shape.sigma * shape.sigma);
    }
    void operator()(const PillboxShape& shape) {
        group.write_number("half_angle", shape.half_angle);
    }
    void operator()(const BuieShape& shape) { group.write_number("csr", shape.csr); }
    void operator()(const LimbDarkenedShape&) {}
    void operator()(const CollimatedShape&) {}
    void operator()(const TableShape& shape) {
        group.write_array("angle", shape.angle, {shape.angle.size()});
        group.write_array("radiance", shape.radiance, {shape.radiance.size()});
    }
};

}  // namespace

void write_targets(hdf5::Group& root, const std::vector<Target>& targets) {
    // ARTIST needs both groups, also when they are empty.
    hdf5::Group planes = root.create_group("target_areas_planar");
    hdf5::Group cylinders = root.create_group("target_areas_cylindrical");
    for (const Target& target : targets) {
        if (const auto* plane = std::get_if<PlanarTarget>(&target.geometry)) {
            write_plane(create_named_group(planes, target.name), *plane);
        } else {
            write_cylinder(create_named_group(cylinders, target.name),
                           std::get<CylindricalTarget>(target.geometry));
        }
    }
}

void write_light_sources(hdf5::Group& root, const std::vector<LightSource>& sources) {
    hdf5::Group group = root.create_group("lightsources");
    for (const LightSource& source : sources) {
        hdf5::Group own = create_named_group(group, source.name);
        own.write_string("type", "sun");
        own.write_integer("number_of_rays", source.number_of_rays);
        hdf5::Group parameters = own.create_group("distribution_parameters");
        parameters.write_string("distribution_type", sun_shape_name(source.shape));
        parameters.write_number("mean", source.mean);
        std::visit(ShapeWriter{parameters}, source.shape);
    }
}

}  // namespace helioray
