// SPDX-License-Identifier: MIT
// Writes mirrors, kinematics and actuators, targets and light sources, heliostats.
#include "scenario/writer/scenario_writer.h"

#include "scenario/columns/field_columns.h"
#include "scenario/files/error.h"
#include "scenario/files/hdf5/file.h"
#include "scenario/types/type_names.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

namespace helioray {

namespace {

/// Creates a child group; refuses names that are not a single HDF5 link or already exist.
hdf5::Group create_named_group(hdf5::Group& parent, const std::string& name) {
    columns::require_name(parent.where(), name);
    std::optional<hdf5::Group> group = parent.create_new_group(name);
    if (!group) {
        throw InputError(Problem{parent.where_of(name), "the name occurs twice", "", "rename one"});
    }
    return std::move(*group);
}

/// Writes a homogeneous vector of shape (4,); `w` is 1 for points and 0 for directions and offsets.
void write_vector(hdf5::Group& group, const std::string& name, const Vec3& v, double w) {
    group.write_array(name, std::vector<double>{v[0], v[1], v[2], w}, {4});
}

void write_facet(hdf5::Group group, const Facet& facet) {
    // A plain B-spline is ARTIST's only kind of facet, which has no name there.
    if (facet.shape != FacetShape::bspline) group.write_string("shape", to_string(facet.shape));
    if (facet.shape == FacetShape::paraboloid || facet.shape == FacetShape::sphere) {
        group.write_number("focal_length", facet.focal_length);
    }
    if (facet.shape == FacetShape::bspline || !facet.control_points.empty()) {
        group.write_array("control_points",
                          facet.control_points,
                          {static_cast<size_t>(facet.num_control_points[0]),
                           static_cast<size_t>(facet.num_control_points[1]),
                           3});
    }
    group.write_array(
        "degrees", std::vector<int64_t>(facet.degrees.begin(), facet.degrees.end()), {2});
    write_vector(group, "position", facet.translation, 0.0);
    const Vec3& e = facet.canting_e;
    const Vec3& n = facet.canting_n;
    group.write_array(
        "canting", std::vector<double>{e[0], e[1], e[2], 0.0, n[0], n[1], n[2], 0.0}, {2, 4});
    const FacetOutline& outline = facet.outline;
    if (outline.kind != FacetOutlineKind::rectangle)
        group.write_string("outline", to_string(outline.kind));
    if (outline.kind == FacetOutlineKind::round && outline.hole > 0.0)
        group.write_number("outline_hole", outline.hole);
    if (outline.kind == FacetOutlineKind::polygon) {
        std::vector<double> corners;
        for (const auto& corner : outline.corners)
            corners.insert(corners.end(), corner.begin(), corner.end());
        group.write_array("outline_corners", corners, {outline.corners.size(), 2});
    }
    if (!facet.slope_deviation.empty()) {
        constexpr auto kCells = static_cast<size_t>(Facet::kDeviationsAlongEdge);
        group.write_array("slope_deviation", facet.slope_deviation, {kCells, kCells, 2});
    }
}

void write_actuator(hdf5::Group group, const Actuator& actuator) {
    group.write_string("type", to_string(actuator.type));
    group.write_boolean("clockwise_axis_movement", actuator.clockwise);
    group.write_array("min_max_motor_positions",
                      std::vector<double>{actuator.min_motor_position, actuator.max_motor_position},
                      {2});
    if (actuator.type != ActuatorType::linear) return;
    hdf5::Group parameters = group.create_group("parameters");
    parameters.write_number("increment", actuator.increment);
    parameters.write_number("initial_stroke_length", actuator.initial_stroke_length);
    parameters.write_number("offset", actuator.offset);
    parameters.write_number("pivot_radius", actuator.pivot_radius);
    parameters.write_number("initial_angle", actuator.initial_angle);
}

void write_facets(hdf5::Group& group, const std::vector<Facet>& facets) {
    hdf5::Group written = group.create_group("facets");
    for (const Facet& facet : facets) write_facet(create_named_group(written, facet.name), facet);
}

void write_component(hdf5::Group group, const Surface& surface) {
    write_facets(group, surface.facets);
    if (!surface.is_bent()) return;
    const std::string axis = to_string(surface.bending_axis);
    hdf5::Group rows = group.create_group("by_" + axis);
    for (const BentFacets& row : surface.bent) {
        hdf5::Group written = rows.create_group(fmt::format("{:03}", rows.names().size() + 1));
        written.write_number(axis, row.at);
        write_facets(written, row.facets);
    }
}

void write_component(hdf5::Group group, const Kinematics& kinematics) {
    group.write_string("type", to_string(kinematics.type));
    write_vector(group, "initial_orientation", kinematics.initial_orientation, 0.0);
    hdf5::Group deviations = group.create_group("deviations");
    for_each_deviation(kinematics.deviations, [&](const char* key, const double& value) {
        deviations.write_number(key, value);
    });
}

void write_component(hdf5::Group group, const ActuatorPair& actuators) {
    for (const Actuator& actuator : actuators) {
        write_actuator(create_named_group(group, actuator.name), actuator);
    }
}

/// Writes the members of a shape.
struct MemberWriter {
    hdf5::Group group;

    void operator()(const TargetMember& member, const Vec3& vector) {
        // ARTIST's vectors are homogeneous.
        const double last = member.kind == TargetMember::Kind::point ? 1.0 : 0.0;
        write_vector(group, member.in_file, vector, last);
    }
    void operator()(const TargetMember& member, double number) {
        group.write_number(member.in_file, number);
    }
    template <typename Enum>
    void operator()(const TargetMember& member, Enum choice) {
        if (choice != Enum{}) group.write_string(member.in_file, to_string(choice));
    }
};

// Writes the parameters of each distribution; squaring and the reader's square root are exact
// inverses.
struct ShapeWriter {
    hdf5::Group group;

    void operator()(const GaussianShape& shape) {
        group.write_number("covariance", shape.sigma * shape.sigma);
    }
    void operator()(const PillboxShape& shape) {
        group.write_number("half_angle", shape.half_angle);
    }
    void operator()(const BuieShape& shape) {
        group.write_number("csr", shape.csr);
        if (shape.calibration != BuieCalibration{})
            group.write_string("calibration", to_string(shape.calibration));
    }
    void operator()(const LimbDarkenedShape&) {}
    void operator()(const CollimatedShape&) {}
    void operator()(const TableShape& shape) {
        group.write_array("angle", shape.angle, {shape.angle.size()});
        group.write_array("radiance", shape.radiance, {shape.radiance.size()});
    }
    /// Writes shapes that name their members.
    void operator()(const auto& shape) {
        shape.members(shape, [&](const char* name, const auto& member) { write(name, member); });
    }

  private:
    void write(const char* name, double number) { group.write_number(name, number); }
    void write(const char* name, const std::vector<double>& values) {
        group.write_array(name, values, {values.size()});
    }
};

/// Writes the absorption of a surface, without the members that have their default.
void write_absorption(hdf5::Group& group, const SurfaceAbsorption& surface) {
    const SurfaceAbsorption usual;
    const auto write = [&](const char* name, double value, double usual_value) {
        if (value != usual_value) group.write_number(name, value);
    };
    if (surface.table.empty()) group.write_number("absorptance", surface.absorptance);
    if (surface.law != usual.law) group.write_string("absorptance_law", to_string(surface.law));
    write(
        "martin_ruiz_coefficient", surface.martin_ruiz_coefficient, usual.martin_ruiz_coefficient);
    write("specular_fraction", surface.specular_fraction, usual.specular_fraction);
    write("slope_error", surface.slope_error, usual.slope_error);
    write("bounces", static_cast<double>(surface.bounces), 0.0);
    if (surface.table.empty()) return;
    std::vector<double> table;
    for (const auto& row : surface.table) table.insert(table.end(), row.begin(), row.end());
    group.write_array("absorptance_table", table, {surface.table.size(), 2});
}

/// Writes the receiver of a surface, its use, absorption and outline.
void write_role(hdf5::Group& group, const Target& target) {
    if (!target.receiver.empty()) group.write_string("receiver", target.receiver);
    if (target.use != SurfaceUse{}) group.write_string("use", to_string(target.use));
    if (target.absorption) write_absorption(group, *target.absorption);
    if (target.outline.empty()) return;
    std::vector<double> corners;
    for (const auto& corner : target.outline)
        corners.insert(corners.end(), corner.begin(), corner.end());
    group.write_array("outline", corners, {target.outline.size(), 2});
}

void write_receivers(hdf5::Group& root, const std::vector<Receiver>& receivers) {
    if (receivers.empty()) return;
    hdf5::Group group = root.create_group(kReceiverGroup);
    for (const Receiver& receiver : receivers) {
        hdf5::Group own = create_named_group(group, receiver.name);
        if (receiver.aim_point) write_vector(own, "aim_point", *receiver.aim_point, 1.0);
    }
}

void write_targets(hdf5::Group& root, const std::vector<Target>& targets) {
    // ARTIST needs these two groups even if they are empty.
    root.create_group(PlanarTarget::kGroup);
    root.create_group(CylindricalTarget::kGroup);
    for (const Target& target : targets) {
        std::visit(
            [&](const auto& shape) {
                hdf5::Group areas = root.contains(shape.kGroup) ? root.group(shape.kGroup)
                                                                : root.create_group(shape.kGroup);
                hdf5::Group group = create_named_group(areas, target.name);
                shape.members(shape, MemberWriter{group});
                if constexpr (std::is_same_v<std::decay_t<decltype(shape)>, MeshTarget>)
                    group.write_array(
                        kTrianglesName, triangle_corners(shape), {num_triangles(shape), 3, 3});
                write_role(group, target);
            },
            target.geometry);
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

// Returns the number of ARTIST's groups: heliostats with one kind of kinematics and actuators.
int64_t number_of_groups(const Scenario& scenario) {
    std::set<std::pair<KinematicsType, ActuatorType>> groups;
    for (const Heliostat& heliostat : scenario.heliostats) {
        groups.emplace(heliostat.kinematics->type, (*heliostat.actuators)[0].type);
    }
    return static_cast<int64_t>(groups.size());
}

void require_components(const Scenario& scenario, const std::string& path) {
    if (scenario.heliostats.empty()) {
        throw InputError(Problem{path, "the scenario has no heliostat", "", "add one"});
    }
    for (const Heliostat& heliostat : scenario.heliostats) {
        if (heliostat.surface && heliostat.kinematics && heliostat.actuators) continue;
        throw InputError(Problem{path,
                                 fmt::format("heliostat '{}' is incomplete", heliostat.name),
                                 "it needs surface, kinematics and actuators",
                                 ""});
    }
}

Prototypes complete_prototypes(const Scenario& scenario) {
    const Heliostat& first = scenario.heliostats.front();
    Prototypes prototypes = scenario.prototypes;
    if (!prototypes.surface) prototypes.surface = first.surface;
    if (!prototypes.kinematics) prototypes.kinematics = first.kinematics;
    if (!prototypes.actuators) prototypes.actuators = first.actuators;
    return prototypes;
}

/// Writes every component once; heliostats that share one receive links to its group. Otherwise,
/// fields of thousands of heliostats with a few kinds of mirrors would take minutes and gigabytes.
class SharedComponents {
  public:
    template <typename Component>
    void write(hdf5::Group& parent,
               const std::string& name,
               const std::shared_ptr<const Component>& component) {
        const auto known = groups_.find(component.get());
        if (known != groups_.end()) {
            parent.link(name, known->second);
            return;
        }
        hdf5::Group group = parent.create_group(name);
        write_component(group, *component);
        groups_.emplace(component.get(), std::move(group));
    }

  private:
    std::map<const void*, hdf5::Group> groups_;
};

void write_heliostat(hdf5::Group group,
                     const Heliostat& heliostat,
                     const Prototypes& prototypes,
                     SharedComponents& shared) {
    group.write_integer("id", heliostat.id);
    write_vector(group, "position", heliostat.position, 1.0);
    if (heliostat.surface != prototypes.surface) {
        shared.write(group, "surface", heliostat.surface);
    }
    // ARTIST reads the number of actuators from a heliostat's own kinematics, so both are written
    // together.
    const bool own_actuators = heliostat.actuators != prototypes.actuators;
    if (own_actuators || heliostat.kinematics != prototypes.kinematics) {
        shared.write(group, "kinematics", heliostat.kinematics);
    }
    if (own_actuators) {
        shared.write(group, "actuator", heliostat.actuators);
    }
}

/// Writes prototypes and heliostats in ARTIST's format.
void write_groups(hdf5::Group& root, const Scenario& scenario, const Prototypes& prototypes) {
    hdf5::Group shared = root.create_group("prototypes");
    write_component(shared.create_group("surface"), *prototypes.surface);
    write_component(shared.create_group("kinematics"), *prototypes.kinematics);
    write_component(shared.create_group("actuator"), *prototypes.actuators);

    SharedComponents components;
    hdf5::Group field = root.create_group("heliostats");
    for (const Heliostat& heliostat : scenario.heliostats) {
        write_heliostat(
            create_named_group(field, heliostat.name), heliostat, prototypes, components);
    }
}

/// Replaces positions, kinematics and actuators in ARTIST's format.
void change_groups(hdf5::Group& root, const Scenario& scenario) {
    const hdf5::Group field = root.group("heliostats");
    for (const Heliostat& heliostat : scenario.heliostats) {
        if (!heliostat.kinematics || !heliostat.actuators) continue;
        hdf5::Group group = field.group(heliostat.name);
        // Other heliostats may share the groups, so remove only the links.
        for (const char* name : {"position", "kinematics", "actuator"})
            if (group.contains(name)) group.remove(name);
        write_vector(group, "position", heliostat.position, 1.0);
        write_component(group.create_group("kinematics"), *heliostat.kinematics);
        write_component(group.create_group("actuator"), *heliostat.actuators);
    }
}

}  // namespace

ScenarioFormat scenario_format(const Scenario& scenario, ScenarioFormat wanted) {
    if (wanted != ScenarioFormat::automatic) return wanted;
    if (scenario.heliostats.size() >= kHeliostatsOfColumns) return ScenarioFormat::columns;
    size_t facets = 0;
    std::set<const Surface*> known;
    for (const Heliostat& heliostat : scenario.heliostats) {
        if (heliostat.surface && known.insert(heliostat.surface.get()).second)
            facets += heliostat.surface->facets.size();
    }
    return facets >= kFacetsOfColumns ? ScenarioFormat::columns : ScenarioFormat::artist;
}

void write_scenario(const Scenario& scenario,
                    const std::filesystem::path& path,
                    const std::function<void(hdf5::Group& root)>& extend,
                    ScenarioFormat format) {
    require_components(scenario, path.string());
    const Prototypes prototypes = complete_prototypes(scenario);
    hdf5::write_file(path, [&](hdf5::Group root) {
        root.write_attribute("version", scenario.version);
        root.write_integer("number_of_heliostat_groups", number_of_groups(scenario));
        const GeodeticPosition& at = scenario.position;
        root.write_array("power_plant/position",
                         std::vector<double>{at.latitude_deg, at.longitude_deg, at.altitude_m},
                         {3});
        write_targets(root, scenario.targets);
        write_receivers(root, scenario.receivers);
        write_light_sources(root, scenario.light_sources);

        if (scenario_format(scenario, format) == ScenarioFormat::columns) {
            columns::write_field(root, scenario, prototypes);
        } else {
            write_groups(root, scenario, prototypes);
        }
        if (extend) extend(root);
    });
}

void change_scenario(const std::filesystem::path& from,
                     const std::filesystem::path& path,
                     const Scenario& scenario,
                     const std::function<void(hdf5::Group& root)>& change) {
    hdf5::change_file(from, path, [&](hdf5::Group root) {
        if (columns::has_field(root)) {
            columns::change_field(root, scenario);
        } else {
            change_groups(root, scenario);
        }
        change(root);
    });
}

}  // namespace helioray
