// SPDX-License-Identifier: MIT
// Writes the sections of a scenario and the heliostats.
#include "scenario/scenario_writer.h"

#include "scenario/error.h"
#include "scenario/hdf5/file.h"
#include "scenario/writer/sections.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

namespace helioray {

hdf5::Group create_named_group(hdf5::Group& parent, const std::string& name) {
    const bool is_link = !name.empty() && name != "." && name.find('/') == std::string::npos &&
                         name.find('\0') == std::string::npos;
    if (!is_link) {
        throw InputError(Problem{parent.where(),
                                 fmt::format("'{}' cannot be a name in a scenario file", name),
                                 "names are HDF5 links",
                                 "use a name without '/'"});
    }
    std::optional<hdf5::Group> group = parent.create_new_group(name);
    if (!group) {
        throw InputError(Problem{parent.where_of(name), "the name occurs twice", "", "rename one"});
    }
    return std::move(*group);
}

void write_vector(hdf5::Group& group, const std::string& name, const Vec3& v, double w) {
    group.write_array(name, std::vector<double>{v[0], v[1], v[2], w}, {4});
}

namespace {

// Heliostats whose kinematics and actuators are of one kind form a group in ARTIST.
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

/// Writes every component once; heliostats that share one get links to the same group. Fields of
/// thousands of heliostats with a few kinds of mirrors would take minutes and gigabytes otherwise.
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
    // ARTIST learns the number of actuators from a heliostat's own kinematics, so both go together.
    const bool own_actuators = heliostat.actuators != prototypes.actuators;
    if (own_actuators || heliostat.kinematics != prototypes.kinematics) {
        shared.write(group, "kinematics", heliostat.kinematics);
    }
    if (own_actuators) {
        shared.write(group, "actuator", heliostat.actuators);
    }
}

}  // namespace

void write_scenario(const Scenario& scenario, const std::filesystem::path& path) {
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
        write_light_sources(root, scenario.light_sources);

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
    });
}

}  // namespace helioray
