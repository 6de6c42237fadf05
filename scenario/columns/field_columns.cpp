// SPDX-License-Identifier: MIT
// The table of heliostats, which name their components by row.
#include "scenario/columns/field_columns.h"

#include "scenario/columns/drive_columns.h"
#include "scenario/columns/surface_columns.h"
#include "scenario/columns/table.h"
#include "scenario/types/components/component_pool.h"
#include "scenario/types/components/component_rules.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace helioray::columns {

namespace {

constexpr const char* kGroup = "heliostat_columns";
constexpr const char* kHeliostat = "heliostat";
constexpr const char* kPrototype = "prototype";
constexpr std::int64_t kFormat = 1;

/// Rows of components, for each heliostat or for the prototypes.
struct Components {
    std::vector<std::int64_t> surface, kinematics, actuator;
};

struct Heliostats {
    std::vector<std::string> names;
    std::vector<std::int64_t> ids;
    std::vector<double> positions;  // [number of heliostats, 3]
    Components components;
    Components prototypes;  // components of one row

    Vec3 position(std::size_t row) const {
        return {positions[3 * row], positions[3 * row + 1], positions[3 * row + 2]};
    }
};

hdf5::Group open_field(const hdf5::Group& root) {
    hdf5::Group group = root.group(kGroup);
    if (root.contains("heliostats")) {
        throw InputError(Problem{group.where(),
                                 "the file has a group 'heliostats', too",
                                 "it would be unclear which heliostats count",
                                 "remove one of the two groups"});
    }
    const std::int64_t format = group.read_attribute_integer("format_version");
    if (format != kFormat) {
        throw InputError(Problem{group.where(),
                                 fmt::format("has format version {}", format),
                                 fmt::format("this program reads version {}", kFormat),
                                 "use a newer version of HelioRay"});
    }
    return group;
}

/// Number of rows of each kind of component.
struct Counts {
    std::size_t surface, kinematics, actuator;
};

Components read_components(const Table& table, const Counts& counts) {
    return {table.indices("surface", counts.surface),
            table.indices("kinematics", counts.kinematics),
            table.indices("actuator", counts.actuator)};
}

void write_components(TableWriter& table, const Components& components) {
    table.integers("surface", components.surface, {}, "row of the table surface");
    table.integers("kinematics", components.kinematics, {}, "row of the table kinematics");
    table.integers(
        "actuator", components.actuator, {}, "row of the tables actuator/axis_1, axis_2");
}

Heliostats read_heliostats(const hdf5::Group& group, const Counts& counts) {
    const Table table(group, kHeliostat, "name");
    Heliostats heliostats;
    heliostats.names = table.texts("name");
    const std::vector<std::string>& names = heliostats.names;
    for (const std::string& name : names) require_name(table.where("name"), name);
    table.require(
        "name",
        1,
        names.size() - 1,
        [&](std::size_t row) { return names[row - 1] < names[row]; },
        "is not in order",
        "names ascend byte by byte and occur once");
    heliostats.ids = table.integers("id", {});
    heliostats.positions = table.numbers("position", {3});
    heliostats.components = read_components(table, counts);
    heliostats.prototypes = read_components(Table(group, kPrototype, "surface"), counts);
    return heliostats;
}

void write_heliostats(hdf5::Group& group, const Heliostats& heliostats) {
    TableWriter table(group, kHeliostat);
    table.texts("name", heliostats.names, "names, ascending byte by byte");
    table.integers("id", heliostats.ids, {}, "numbers without influence, as in ARTIST");
    table.numbers("position", heliostats.positions, {3}, "m", "pivots: east, north, up");
    write_components(table, heliostats.components);
    TableWriter prototypes(group, kPrototype);
    write_components(prototypes, heliostats.prototypes);
}

/// Heliostats by name, as HDF5 orders groups.
std::vector<const Heliostat*> by_name(const Scenario& scenario, const std::string& where) {
    std::vector<const Heliostat*> heliostats;
    heliostats.reserve(scenario.heliostats.size());
    for (const Heliostat& heliostat : scenario.heliostats) {
        require_name(where, heliostat.name);
        heliostats.push_back(&heliostat);
    }
    std::sort(heliostats.begin(), heliostats.end(), [](const Heliostat* a, const Heliostat* b) {
        return a->name < b->name;
    });
    const auto twice = std::adjacent_find(
        heliostats.begin(), heliostats.end(), [](const Heliostat* a, const Heliostat* b) {
            return a->name == b->name;
        });
    if (twice != heliostats.end()) {
        throw InputError(Problem{
            where, fmt::format("the name '{}' occurs twice", (*twice)->name), "", "rename one"});
    }
    return heliostats;
}

/// Throws for names that occur twice in one component, or that are no names.
void require_component_names(const std::string& where, const std::vector<std::string>& names) {
    std::set<std::string> known;
    for (const std::string& name : names) {
        require_name(where, name);
        if (known.insert(name).second) continue;
        throw InputError(
            Problem{where, fmt::format("the name '{}' occurs twice", name), "", "rename one"});
    }
}

void require_component_names(const std::string& where, const Surface& surface) {
    std::vector<std::string> names;
    for (const Facet& facet : surface.facets) names.push_back(facet.name);
    require_component_names(where, names);
}

void require_component_names(const std::string& where, const ActuatorPair& pair) {
    require_component_names(where, std::vector<std::string>{pair[0].name, pair[1].name});
}

template <typename Component>
std::shared_ptr<const Component> at(const std::vector<std::shared_ptr<const Component>>& items,
                                    std::int64_t row) {
    return items[static_cast<std::size_t>(row)];
}

/// Gives equal components one index. `Component` is Surface, Kinematics or ActuatorPair.
template <typename Component>
class ComponentList {
  public:
    using Pointer = std::shared_ptr<const Component>;

    /// Returns the index of the component in items(), and appends the component if it is new.
    std::int64_t find_or_add(const Pointer& component) {
        const auto known = indices_.find(component.get());
        if (known != indices_.end()) return known->second;
        const Pointer shared = pool_.share(component);
        const auto [place, is_new] =
            indices_.try_emplace(shared.get(), static_cast<std::int64_t>(items_.size()));
        if (is_new) items_.push_back(shared);
        const std::int64_t index = place->second;
        indices_.emplace(component.get(), index);
        return index;
    }

    const std::vector<Pointer>& items() const { return items_; }

  private:
    ComponentPool<Component> pool_;
    std::unordered_map<const Component*, std::int64_t> indices_;
    std::vector<Pointer> items_;
};

/// Stores components of heliostats and prototypes, and their rows.
template <typename Component>
ComponentList<Component> list_components(
    const std::vector<std::shared_ptr<const Component>>& components,
    const std::shared_ptr<const Component>& prototype,
    std::vector<std::int64_t>& rows,
    std::vector<std::int64_t>& prototype_row) {
    ComponentList<Component> list;
    prototype_row = {list.find_or_add(prototype)};
    rows.clear();
    rows.reserve(components.size());
    for (const auto& component : components) rows.push_back(list.find_or_add(component));
    return list;
}

template <typename Component>
std::vector<std::shared_ptr<const Component>> of_heliostats(
    const std::vector<std::shared_ptr<const Component>>& items,
    const std::vector<std::int64_t>& rows) {
    std::vector<std::shared_ptr<const Component>> components;
    components.reserve(rows.size());
    for (const std::int64_t row : rows) components.push_back(at(items, row));
    return components;
}

}  // namespace

void require_name(const std::string& where, const std::string& name) {
    const bool is_link = !name.empty() && name != "." && name.find('/') == std::string::npos &&
                         name.find('\0') == std::string::npos;
    if (is_link) return;
    throw InputError(Problem{where,
                             fmt::format("'{}' cannot be a name in a scenario file", name),
                             "names are HDF5 links",
                             "use a name without '/'"});
}

bool has_field(const hdf5::Group& root) {
    return root.contains(kGroup);
}

void write_field(hdf5::Group& root, const Scenario& scenario, const Prototypes& prototypes) {
    hdf5::Group group = root.create_group(kGroup);
    group.write_attribute("format_version", kFormat);
    Heliostats heliostats;
    std::vector<std::shared_ptr<const Surface>> surfaces;
    std::vector<std::shared_ptr<const Kinematics>> kinematics;
    std::vector<std::shared_ptr<const ActuatorPair>> actuators;
    for (const Heliostat* heliostat : by_name(scenario, group.where_of(kHeliostat))) {
        heliostats.names.push_back(heliostat->name);
        heliostats.ids.push_back(heliostat->id);
        for (const double coordinate : heliostat->position)
            heliostats.positions.push_back(coordinate);
        surfaces.push_back(heliostat->surface);
        kinematics.push_back(heliostat->kinematics);
        actuators.push_back(heliostat->actuators);
    }
    Components& rows = heliostats.components;
    Components& own = heliostats.prototypes;
    const auto surface_list =
        list_components(surfaces, prototypes.surface, rows.surface, own.surface);
    const auto kinematics_list =
        list_components(kinematics, prototypes.kinematics, rows.kinematics, own.kinematics);
    const auto actuator_list =
        list_components(actuators, prototypes.actuators, rows.actuator, own.actuator);
    for (const auto& surface : surface_list.items())
        require_component_names(group.where_of("facet"), *surface);
    for (const auto& pair : actuator_list.items())
        require_component_names(group.where_of("actuator"), *pair);
    write_surfaces(group, surface_list.items());
    write_kinematics(group, kinematics_list.items());
    write_actuators(group, actuator_list.items());
    write_heliostats(group, heliostats);
}

void read_field(const hdf5::Group& root,
                const std::optional<std::set<std::string>>& only,
                const std::function<void(const std::string& where, const std::string& text)>& warn,
                Scenario& scenario) {
    const hdf5::Group group = open_field(root);
    const auto kinematics = read_kinematics(group);
    const auto actuators = read_actuators(group);
    const Heliostats heliostats =
        read_heliostats(group, {count_surfaces(group), kinematics.size(), actuators.size()});
    const Components& rows = heliostats.components;
    const Components& own = heliostats.prototypes;
    const std::size_t count = heliostats.names.size();

    std::vector<bool> is_read(count, true), needed(count_surfaces(group), false);
    needed[static_cast<std::size_t>(own.surface[0])] = true;
    for (std::size_t i = 0; i < count; ++i) {
        is_read[i] = !only || only->contains(heliostats.names[i]);
        if (is_read[i]) needed[static_cast<std::size_t>(rows.surface[i])] = true;
    }
    const auto surfaces = read_surfaces(group, needed);
    for (const auto& shared : kinematics) {
        if (points_south(*shared)) continue;
        warn(group.where_of("kinematics/initial_orientation"),
             "initial orientations other than south have no influence");
    }

    scenario.heliostats.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        Heliostat& heliostat = scenario.heliostats.emplace_back();
        heliostat.name = heliostats.names[i];
        if (!is_read[i]) continue;
        heliostat.id = heliostats.ids[i];
        heliostat.position = heliostats.position(i);
        heliostat.surface = at(surfaces, rows.surface[i]);
        heliostat.kinematics = at(kinematics, rows.kinematics[i]);
        heliostat.actuators = at(actuators, rows.actuator[i]);
    }
    scenario.prototypes = {at(surfaces, own.surface[0]),
                           at(kinematics, own.kinematics[0]),
                           at(actuators, own.actuator[0])};
}

void change_field(hdf5::Group& root, const Scenario& scenario) {
    hdf5::Group group = open_field(root);
    const auto kinematics = read_kinematics(group);
    const auto actuators = read_actuators(group);
    Heliostats heliostats =
        read_heliostats(group, {count_surfaces(group), kinematics.size(), actuators.size()});
    Components& rows = heliostats.components;
    Components& own = heliostats.prototypes;
    auto new_kinematics = of_heliostats(kinematics, rows.kinematics);
    auto new_actuators = of_heliostats(actuators, rows.actuator);
    for (const Heliostat& heliostat : scenario.heliostats) {
        if (!heliostat.kinematics || !heliostat.actuators) continue;
        const auto place =
            std::lower_bound(heliostats.names.begin(), heliostats.names.end(), heliostat.name);
        if (place == heliostats.names.end() || *place != heliostat.name) {
            throw InputError(Problem{group.where_of(kHeliostat),
                                     fmt::format("there is no heliostat '{}'", heliostat.name),
                                     "only heliostats of the file can be changed",
                                     ""});
        }
        const auto row = static_cast<std::size_t>(place - heliostats.names.begin());
        std::copy(heliostat.position.begin(),
                  heliostat.position.end(),
                  heliostats.positions.begin() + static_cast<std::ptrdiff_t>(3 * row));
        new_kinematics[row] = heliostat.kinematics;
        new_actuators[row] = heliostat.actuators;
    }
    const auto kinematics_list = list_components(
        new_kinematics, at(kinematics, own.kinematics[0]), rows.kinematics, own.kinematics);
    const auto actuator_list =
        list_components(new_actuators, at(actuators, own.actuator[0]), rows.actuator, own.actuator);
    for (const char* table : {kHeliostat, kPrototype, "kinematics", "actuator"})
        group.remove(table);
    write_kinematics(group, kinematics_list.items());
    write_actuators(group, actuator_list.items());
    write_heliostats(group, heliostats);
}

}  // namespace helioray::columns
