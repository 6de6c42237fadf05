// SPDX-License-Identifier: MIT
// Writes and reads the yield of a year.
#include "raytracer/studies/annual/annual_file.h"

#include "raytracer/results/axes.h"
#include "raytracer/results/geometry_json.h"
#include "raytracer/results/result_columns.h"
#include "raytracer/results/result_layout.h"
#include "raytracer/studies/annual/annual.h"
#include "scenario/files/error.h"
#include "scenario/files/hdf5/file.h"
#include "scenario/files/units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace helioray {

namespace {

void write_column(hdf5::Group& group,
                  const std::string& name,
                  const std::vector<double>& values,
                  const hdf5::Shape& shape,
                  const std::string& unit,
                  const std::string& description) {
    annotate(group.write_array<double>(name, values, shape), unit, description);
}

/// Writes an energy and its errors as attributes, and its months as a dataset.
void write_energy(hdf5::Group& group, const YearEnergy& energy) {
    group.write_attribute("energy_j", energy.value);
    group.write_attribute("std_error_j", energy.std_error);
    group.write_attribute("quadrature_error_j", energy.quadrature_error);
    write_column(group,
                 "monthly_energy",
                 {energy.months.begin(), energy.months.end()},
                 {12},
                 "J",
                 "Energy on the target, January to December.");
}

void write_year_heliostats(hdf5::Group group, const AnnualYield& yield) {
    const size_t count = yield.heliostats.size();
    std::vector<std::string> names, targets;
    std::vector<double> std_errors, quadrature_errors, months;
    for (const AnnualHeliostat& heliostat : yield.heliostats) {
        names.push_back(heliostat.name);
        targets.push_back(heliostat.target);
        std_errors.push_back(heliostat.on_target.std_error);
        quadrature_errors.push_back(heliostat.on_target.quadrature_error);
        months.insert(
            months.end(), heliostat.on_target.months.begin(), heliostat.on_target.months.end());
    }
    annotate(group.write_strings("name", names), "", "Name of each heliostat.");
    annotate(group.write_strings("target", targets), "", "Name of each heliostat's target.");
    for (const EnergyTermInfo& term : energy_term_infos()) {
        std::vector<double> values;
        for (const AnnualHeliostat& heliostat : yield.heliostats)
            values.push_back(heliostat.energy.*term.member);
        write_column(group,
                     energy_name(term.name),
                     values,
                     {count},
                     "J",
                     std::string("Over the year: ") + term.description);
    }
    std::vector<double> defocused;
    for (const AnnualHeliostat& heliostat : yield.heliostats)
        defocused.push_back(heliostat.defocus_loss);
    write_column(group,
                 "defocus_loss",
                 defocused,
                 {count},
                 "J",
                 "Over the year: not used because flux limits turn the heliostat off.");
    write_column(group,
                 "target_energy_std_error",
                 std_errors,
                 {count},
                 "J",
                 "Upper limit of target_energy's standard error from the finite number of rays.");
    write_column(group,
                 "target_energy_quadrature_error",
                 quadrature_errors,
                 {count},
                 "J",
                 "Change of target_energy with half of the declinations, plus with half of the "
                 "hour angles.");
    write_column(group,
                 "monthly_target_energy",
                 months,
                 {count, 12},
                 "J",
                 "Energy on the target, January to December.");
    // Write the poses at noon in the middle of the grid.
    if (yield.plan) write_columns(group, yield.plan->heliostats, mirror_columns());
}

void write_sky(hdf5::Group group, const AnnualYield& yield) {
    const hdf5::Shape shape{static_cast<size_t>(yield.declinations),
                            static_cast<size_t>(yield.hours)};
    const auto angles =
        [&](const char* name, double SkyGrid::Node::*member, const char* description) {
            std::vector<double> values;
            for (const SkyGrid::Node& node : yield.nodes)
                values.push_back(node.*member / kRadiansPerDegree);
            write_column(group, name, values, shape, "deg", description);
        };
    angles("declination_deg", &SkyGrid::Node::declination, "Declination of the sun.");
    angles("hour_angle_deg", &SkyGrid::Node::hour_angle, "Hour angle, positive after noon.");
    angles("azimuth_deg", &SkyGrid::Node::azimuth, "Azimuth, clockwise from north.");
    angles("elevation_deg", &SkyGrid::Node::elevation, "Elevation above the horizon.");
    write_column(group,
                 "weight",
                 yield.weights,
                 shape,
                 "J/m2",
                 "Share of the usable insolation that stands at each position: the year's energy "
                 "is the sum of weight times mirror area times efficiency.");
    write_column(group,
                 "field_efficiency",
                 yield.field_efficiency,
                 shape,
                 "1",
                 "Power on all targets / (irradiance times area of all mirrors); under flux limits "
                 "in the light of a cloudless sky.");
    hdf5::Shape each = shape;
    each.push_back(yield.heliostats.size());
    write_column(group,
                 "efficiency",
                 yield.efficiency,
                 each,
                 "1",
                 "Power on the target / (irradiance times mirror area), [declination, hour angle, "
                 "heliostat]; under flux limits in the light of a cloudless sky.");
}

void write_aiming(hdf5::Group& root, const YearAiming& aiming) {
    root.write_attribute("aiming_strategy", aiming.strategy);
    root.write_attribute("center_energy_j", aiming.center_energy);
    root.write_attribute("limited_positions", aiming.limited_positions);
    root.write_attribute("aiming_violation", aiming.violation);
    if (!aiming.worst_limit_share) return;
    root.write_attribute("worst_limit_share", *aiming.worst_limit_share);
    root.write_attribute("worst_limit_share_std_error", aiming.worst_limit_share_std_error);
}

void fill(hdf5::Group root, const AnnualYield& yield) {
    const Provenance& p = yield.provenance;
    root.write_attribute("format", "helioray-annual");
    root.write_attribute("format_version", 1);
    write_origin(root, p);
    root.write_attribute("irradiance", yield.irradiance);
    root.write_attribute("notes", fmt::format("{}", fmt::join(yield.notes, "\n")));
    root.write_attribute("latitude_deg", yield.plant.latitude_deg);
    root.write_attribute("longitude_deg", yield.plant.longitude_deg);
    root.write_attribute("altitude_m", yield.plant.altitude_m);
    root.write_attribute("min_elevation_deg", yield.min_elevation_deg);
    root.write_attribute("insolation_j_m2", yield.insolation);
    root.write_attribute("usable_insolation_j_m2", yield.usable.value);
    root.write_attribute("energy_j", yield.on_targets.value);
    root.write_attribute("std_error_j", yield.on_targets.std_error);
    root.write_attribute("quadrature_error_j", yield.on_targets.quadrature_error);
    for (const EnergyTermInfo& term : energy_term_infos())
        root.write_attribute(energy_name(term.name) + "_j", yield.energy.*term.member);
    root.write_attribute("defocus_loss_j", yield.defocus_loss);
    if (yield.aiming) write_aiming(root, *yield.aiming);

    hdf5::Group months = root.create_group("months");
    write_column(months,
                 "usable_insolation",
                 {yield.usable.months.begin(), yield.usable.months.end()},
                 {12},
                 "J/m2",
                 "Direct normal insolation while the sun stands high enough, January to December.");
    write_column(months,
                 "target_energy",
                 {yield.on_targets.months.begin(), yield.on_targets.months.end()},
                 {12},
                 "J",
                 "Energy on all targets, January to December.");
    for (size_t i = 0; i < yield.targets.size(); ++i) {
        hdf5::Group group = root.create_group("targets/" + yield.targets[i].name);
        write_energy(group, yield.targets[i].energy);
        if (!yield.plan) continue;
        const Target& target = yield.plan->targets[i].target;
        group.write_attribute("kind", target_kind(target));
        group.write_attribute("geometry", geometry_to_json(target));
    }
    write_year_heliostats(root.create_group("heliostats"), yield);
    write_sky(root.create_group("sky"), yield);
    for (const char* group : {"months", "heliostats", "sky"}) attach_axes(root.group(group));
    for (const AnnualTarget& target : yield.targets)
        attach_axes(root.group("targets/" + target.name));
}

}  // namespace

void write_annual(const AnnualYield& yield, const std::filesystem::path& path) {
    write_image(path, [&](hdf5::Group root) { fill(std::move(root), yield); });
}

namespace {

Months months(const hdf5::Group& group, const std::string& name) {
    Months found;
    std::ranges::copy(read_shaped(group, name, {12}), found.begin());
    return found;
}

YearEnergy read_energy(const hdf5::Object& object) {
    return {object.read_attribute_number("energy_j"),
            object.read_attribute_number("std_error_j"),
            object.read_attribute_number("quadrature_error_j"),
            {}};
}

void check_format(const hdf5::Group& root) {
    if (is_annual(root) && root.read_attribute_integer("format_version") == 1) return;
    throw InputError(Problem{root.where(),
                             "is not a yield of a year that this version can read",
                             "",
                             "use a file that 'helioray annual' wrote"});
}

std::vector<AnnualHeliostat> read_heliostats(const hdf5::Group& group) {
    const std::vector<std::string> names = group.read_strings("name");
    const size_t count = names.size();
    const std::vector<std::string> targets = read_texts(group, "target", count);
    std::vector<AnnualHeliostat> heliostats(count);
    for (const EnergyTermInfo& term : energy_term_infos()) {
        const auto values = read_shaped(group, energy_name(term.name), {count});
        for (size_t i = 0; i < count; ++i) heliostats[i].energy.*term.member = values[i];
    }
    // Files of earlier versions have no flux limits.
    if (group.contains("defocus_loss")) {
        const auto defocused = read_shaped(group, "defocus_loss", {count});
        for (size_t i = 0; i < count; ++i) heliostats[i].defocus_loss = defocused[i];
    }
    const auto std_errors = read_shaped(group, "target_energy_std_error", {count});
    const auto quadrature_errors = read_shaped(group, "target_energy_quadrature_error", {count});
    const auto monthly = read_shaped(group, "monthly_target_energy", {count, 12});
    for (size_t i = 0; i < count; ++i) {
        heliostats[i].name = names[i];
        heliostats[i].target = targets[i];
        YearEnergy& energy = heliostats[i].on_target;
        energy = {heliostats[i].energy.target_power, std_errors[i], quadrature_errors[i], {}};
        std::copy_n(
            monthly.begin() + static_cast<std::ptrdiff_t>(12 * i), 12, energy.months.begin());
    }
    return heliostats;
}

/// Reads the aiming results; returns no value if the file has the default aim points.
std::optional<YearAiming> read_aiming(const hdf5::Group& root) {
    if (!root.has_attribute("aiming_strategy")) return std::nullopt;
    YearAiming aiming;
    aiming.strategy = root.read_attribute_string("aiming_strategy");
    aiming.center_energy = root.read_attribute_number("center_energy_j");
    aiming.limited_positions = static_cast<int>(root.read_attribute_integer("limited_positions"));
    aiming.violation = root.read_attribute_string("aiming_violation");
    if (!root.has_attribute("worst_limit_share")) return aiming;
    aiming.worst_limit_share = root.read_attribute_number("worst_limit_share");
    aiming.worst_limit_share_std_error = root.read_attribute_number("worst_limit_share_std_error");
    return aiming;
}

/// Reads the plant; returns no value for files of earlier versions.
std::optional<RunResult> read_plant(const hdf5::Group& root,
                                    const std::vector<AnnualHeliostat>& heliostats) {
    const hdf5::Group group = root.group("heliostats");
    if (!group.contains("orientation")) return std::nullopt;
    RunResult plant;
    for (const AnnualHeliostat& heliostat : heliostats) {
        plant.heliostats.emplace_back();
        plant.heliostats.back().name = heliostat.name;
    }
    read_heliostat_columns(plant.heliostats, group, StepRows::whole(), mirror_columns());
    const hdf5::Group targets = root.group("targets");
    for (const std::string& name : targets.names()) {
        const hdf5::Group target = targets.group(name);
        plant.targets.emplace_back();
        plant.targets.back().target = {name,
                                       geometry_from_json(target.read_attribute_string("kind"),
                                                          target.read_attribute_string("geometry"),
                                                          target.where() + "@geometry")};
    }
    return plant;
}

}  // namespace

bool is_annual(const hdf5::Group& root) {
    return root.has_attribute("format") &&
           root.read_attribute_string("format") == "helioray-annual";
}

AnnualYield read_annual(const std::filesystem::path& path) {
    const hdf5::File file = hdf5::File::open(path);
    const hdf5::Group root = file.root();
    check_format(root);
    AnnualYield yield;
    yield.provenance = read_origin(root);
    yield.irradiance = root.read_attribute_string("irradiance");
    yield.plant = {root.read_attribute_number("latitude_deg"),
                   root.read_attribute_number("longitude_deg"),
                   root.read_attribute_number("altitude_m")};
    yield.min_elevation_deg = root.read_attribute_number("min_elevation_deg");
    yield.insolation = root.read_attribute_number("insolation_j_m2");
    yield.usable.value = root.read_attribute_number("usable_insolation_j_m2");
    yield.usable.months = months(root.group("months"), "usable_insolation");
    for (const EnergyTermInfo& term : energy_term_infos())
        yield.energy.*term.member = root.read_attribute_number(energy_name(term.name) + "_j");
    yield.on_targets = read_energy(root);
    yield.on_targets.months = months(root.group("months"), "target_energy");
    const hdf5::Group targets = root.group("targets");
    for (const std::string& name : targets.names()) {
        const hdf5::Group target = targets.group(name);
        yield.targets.push_back({name, read_energy(target)});
        yield.targets.back().energy.months = months(target, "monthly_energy");
    }
    yield.heliostats = read_heliostats(root.group("heliostats"));
    for (const AnnualHeliostat& heliostat : yield.heliostats)
        yield.defocus_loss += heliostat.defocus_loss;
    yield.aiming = read_aiming(root);

    const hdf5::Group sky = root.group("sky");
    const hdf5::Shape shape = sky.dataset("weight").shape();
    const size_t count = hdf5::num_elements(shape);
    if (shape.size() == 2) {
        yield.declinations = static_cast<int>(shape[0]);
        yield.hours = static_cast<int>(shape[1]);
    }
    yield.weights = read_shaped(sky, "weight", shape);
    yield.field_efficiency = read_shaped(sky, "field_efficiency", shape);
    hdf5::Shape each = shape;
    each.push_back(yield.heliostats.size());
    yield.efficiency = read_shaped(sky, "efficiency", each);
    yield.nodes.resize(count);
    const auto angles = [&](const char* name, double SkyGrid::Node::*member) {
        const std::vector<double> values = read_shaped(sky, name, shape);
        for (size_t i = 0; i < count; ++i) yield.nodes[i].*member = values[i] * kRadiansPerDegree;
    };
    angles("declination_deg", &SkyGrid::Node::declination);
    angles("hour_angle_deg", &SkyGrid::Node::hour_angle);
    angles("azimuth_deg", &SkyGrid::Node::azimuth);
    angles("elevation_deg", &SkyGrid::Node::elevation);
    if (const auto plant = read_plant(root, yield.heliostats)) set_plan(yield, *plant);
    return yield;
}

}  // namespace helioray
