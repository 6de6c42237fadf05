// SPDX-License-Identifier: MIT
// Reading a year's yield back.
#include "raytracer/annual/annual_output.h"
#include "raytracer/annual/energy_name.h"
#include "raytracer/output/geometry_json.h"
#include "raytracer/output/origin_attributes.h"
#include "raytracer/output/result_datasets.h"
#include "raytracer/output/step_rows.h"
#include "scenario/error.h"
#include "scenario/hdf5/file.h"

#include <algorithm>

namespace helioray {

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
                             "is no yield of a year that this version knows",
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

/// Nothing in files of earlier versions.
std::optional<RunResult> read_standing_plant(const hdf5::Group& root,
                                             const std::vector<AnnualHeliostat>& heliostats) {
    const hdf5::Group group = root.group("heliostats");
    if (!group.contains("orientation")) return std::nullopt;
    RunResult standing;
    for (const AnnualHeliostat& heliostat : heliostats) {
        standing.heliostats.emplace_back();
        standing.heliostats.back().name = heliostat.name;
    }
    read_standing(standing.heliostats, group, StepRows::whole());
    const hdf5::Group targets = root.group("targets");
    for (const std::string& name : targets.names()) {
        const hdf5::Group target = targets.group(name);
        standing.targets.emplace_back();
        standing.targets.back().target = {
            name,
            geometry_from_json(target.read_attribute_string("kind"),
                               target.read_attribute_string("geometry"),
                               target.where() + "@geometry")};
    }
    return standing;
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
    if (const auto standing = read_standing_plant(root, yield.heliostats))
        set_plan(yield, *standing);
    return yield;
}

}  // namespace helioray
