// SPDX-License-Identifier: MIT
// Joins the sections of a scenario file and assigns components to every heliostat.
#include "scenario/reader/scenario_reader.h"

#include "scenario/columns/field_columns.h"
#include "scenario/files/hdf5/file.h"
#include "scenario/reader/sections.h"
#include "scenario/receivers/add_receivers.h"
#include "scenario/types/components/component_pool.h"
#include "scenario/types/field_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace helioray {

namespace {

// Refuses result files, for which reading would report all data as missing.
void refuse_results(const hdf5::Group& root) {
    if (!root.has_attribute("format")) return;
    const std::string format = root.read_attribute_string("format");
    const auto refuse = [&](const std::string& kind) {
        hdf5::fail(root.file(), "is " + kind + ", not a scenario", "name a scenario file");
    };
    if (format == "helioray-result") refuse("a result file");
    if (format == "helioray-annual") refuse("the yield of a year");
    if (format == "helioray-efficiency") refuse("an efficiency table");
    if (format == "helioray-sweep") refuse("the table of a sweep");
}

double read_version(const hdf5::Group& root, ReadLog& log) {
    if (!root.has_attribute("version")) {
        log.warn(root.where() + "@version", "missing, taken as 1.0; ARTIST refuses such a file");
        return 1.0;
    }
    double version = 1.0;
    log.attempt([&] { version = root.read_attribute_number("version"); });
    return version;
}

GeodeticPosition read_position(const hdf5::Group& root, ReadLog& log) {
    GeodeticPosition position;
    log.attempt([&] {
        const hdf5::Group group = root.group("power_plant");
        const Fields fields(group, log);
        const auto numbers = fields.numbers("position", {3});
        fields.warn_of_unread();
        if (!numbers) return;
        position = {(*numbers)[0], (*numbers)[1], (*numbers)[2]};
        if (std::abs(position.latitude_deg) > 90.0 || std::abs(position.longitude_deg) > 360.0) {
            log.problem(fields.where("position"),
                        fmt::format("({}, {}) is no latitude and longitude in degrees",
                                    position.latitude_deg,
                                    position.longitude_deg));
        }
    });
    return position;
}

// Reads one of the three kinds of component, with sharing and fallback to the prototype.
template <typename Component>
class ComponentReader {
  public:
    using ReadFunction = Component (*)(const hdf5::Group&, ReadLog&);
    using Pointer = std::shared_ptr<const Component>;

    ComponentReader(std::string name, ReadFunction function, ReadLog& log)
        : name_(std::move(name)), read_function_(function), log_(log) {}

    void read_prototype(const hdf5::Group& prototypes) {
        if (prototypes.contains(name_)) prototype_ = read(prototypes);
    }

    Pointer of_heliostat(const hdf5::Group& heliostat, const std::vector<std::string>& links) {
        if (std::binary_search(links.begin(), links.end(), name_)) return read(heliostat);
        if (!prototype_) {
            log_.problem(heliostat.where_of(name_),
                         "group is missing, and there is no prototype for it",
                         "",
                         "add it here or as /prototypes/" + name_);
        }
        return prototype_;
    }

    const Pointer& prototype() const { return prototype_; }

  private:
    // An unreadable component counts as present, because its problems are already in the log.
    Pointer read(const hdf5::Group& parent) {
        Component component;
        Pointer* known = nullptr;
        log_.attempt([&] {
            // Heliostats may share a group by links.
            const hdf5::Group group = parent.group(name_);
            known = &groups_[group.address()];
            if (!*known) component = read_function_(group, log_);
        });
        if (known && *known) return *known;
        const Pointer pointer = pool_.share(std::move(component));
        if (known) *known = pointer;
        return pointer;
    }

    std::string name_;
    ReadFunction read_function_;
    ReadLog& log_;
    ComponentPool<Component> pool_;
    std::unordered_map<std::uint64_t, Pointer> groups_;  // components by address of their group
    Pointer prototype_;
};

void read_heliostats(const hdf5::Group& root,
                     const std::optional<std::set<std::string>>& only,
                     ReadLog& log,
                     Scenario& scenario) {
    ComponentReader<Surface> surfaces("surface", read_surface, log);
    ComponentReader<Kinematics> kinematics("kinematics", read_kinematics, log);
    ComponentReader<ActuatorPair> actuators("actuator", read_actuators, log);
    if (root.contains("prototypes")) {
        log.attempt([&] {
            const hdf5::Group prototypes = root.group("prototypes");
            surfaces.read_prototype(prototypes);
            kinematics.read_prototype(prototypes);
            actuators.read_prototype(prototypes);
        });
    }

    const hdf5::Group field = root.group("heliostats");
    const std::vector<std::string> names = field.names();
    if (names.empty()) log.problem(field.where(), "there is no heliostat", "one is needed");
    scenario.heliostats.reserve(names.size());
    for (const std::string& name : names) {
        if (only && !only->contains(name)) {
            scenario.heliostats.emplace_back().name = name;
            continue;
        }
        log.attempt([&] {
            const hdf5::Group group = field.group(name);
            const std::vector<std::string> links = group.names();
            const Fields fields(group, log);
            Heliostat heliostat;
            heliostat.name = name;
            if (std::binary_search(links.begin(), links.end(), "id")) {
                heliostat.id = fields.integer("id").value_or(0);
            }
            heliostat.position = fields.vector("position").value_or(Vec3{});
            heliostat.surface = surfaces.of_heliostat(group, links);
            heliostat.kinematics = kinematics.of_heliostat(group, links);
            heliostat.actuators = actuators.of_heliostat(group, links);
            fields.warn_of_unread({"id", "surface", "kinematics", "actuator"});
            scenario.heliostats.push_back(std::move(heliostat));
        });
    }
    scenario.prototypes = {surfaces.prototype(), kinematics.prototype(), actuators.prototype()};
}

/// Warns of groups of the file that no reader knows.
void warn_of_unknown_groups(const hdf5::Group& root, ReadLog& log) {
    std::vector<std::string> known{"calibration",
                                   "heliostat_columns",
                                   "heliostats",
                                   "lightsources",
                                   "number_of_heliostat_groups",
                                   "power_plant",
                                   "prototypes",
                                   kReceiverGroup};
    for_each_target_shape([&]<typename Shape>(const Shape&) { known.emplace_back(Shape::kGroup); });
    Fields(root, log).warn_of_unread(known);
}

/// Sets missing prototypes: readers may rely on them, and ARTIST refuses files without them.
void complete_prototypes(Scenario& scenario) {
    if (scenario.heliostats.empty()) return;
    const Heliostat& first = scenario.heliostats.front();
    Prototypes& prototypes = scenario.prototypes;
    if (!prototypes.surface) prototypes.surface = first.surface;
    if (!prototypes.kinematics) prototypes.kinematics = first.kinematics;
    if (!prototypes.actuators) prototypes.actuators = first.actuators;
}

}  // namespace

Scenario read_scenario(const std::filesystem::path& path,
                       const std::optional<std::set<std::string>>& only) {
    const hdf5::File file = hdf5::File::open(path);
    const hdf5::Group root = file.root();
    refuse_results(root);
    ReadLog log;
    Scenario scenario;
    scenario.version = read_version(root, log);
    scenario.position = read_position(root, log);
    read_targets(root, log, scenario);
    scenario.light_sources = read_light_sources(root, log);
    log.attempt([&] {
        if (columns::has_field(root)) {
            columns::read_field(
                root,
                only,
                [&](const std::string& where, const std::string& text) { log.warn(where, text); },
                scenario);
        } else {
            read_heliostats(root, only, log, scenario);
        }
    });
    warn_of_unknown_groups(root, log);
    log.throw_if_any();
    complete_prototypes(scenario);
    scenario.warnings = log.warnings();
    for (const std::string& remark : unlikely_places(scenario))
        scenario.warnings.push_back(path.string() + ": " + remark);
    return scenario;
}

Scenario read_scenario(const RunConfig& config) {
    Scenario scenario = read_scenario(config.scenario);
    add_receivers(config, scenario);
    return scenario;
}

}  // namespace helioray
