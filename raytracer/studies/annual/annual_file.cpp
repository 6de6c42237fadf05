// SPDX-License-Identifier: MIT
// Writes and reads the yield of a year.
#include "raytracer/studies/annual/annual_file.h"

#include "raytracer/results/axes.h"
#include "raytracer/results/geometry_json.h"
#include "raytracer/results/result_columns.h"
#include "raytracer/results/result_layout.h"
#include "raytracer/studies/annual/annual.h"
#include "scenario/files/columns.h"
#include "scenario/files/error.h"
#include "scenario/files/hdf5/file.h"
#include "scenario/files/units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace helioray {

namespace {

/// Writes one number for each month.
void write_months(hdf5::Group& group,
                  const char* name,
                  const Months& months,
                  const char* unit,
                  const char* description) {
    write_values(
        group, {name, unit, description}, {12}, std::vector<double>(months.begin(), months.end()));
}

/// Returns the columns of the whole sky: one number for each sun position, or for each sun position
/// and heliostat.
const Columns<AnnualYield>& sky_sum_columns() {
    using Y = AnnualYield;
    static const Columns<Y> all{
        column({"weight",
                "J/m2",
                "Share of the usable insolation that stands at each position: the year's energy "
                "is the sum of weight times mirror area times efficiency."},
               &Y::weights),
        column({"field_efficiency",
                "1",
                "Power on all targets / (irradiance times area of all mirrors); under flux limits "
                "in the light of a cloudless sky."},
               &Y::field_efficiency),
        column({.name = "efficiency",
                .unit = "1",
                .description =
                    "Power on the target / (irradiance times mirror area), [declination, hour "
                    "angle, heliostat]; under flux limits in the light of a cloudless sky.",
                .axes = {"heliostat"}},
               &Y::efficiency)};
    return all;
}

/// Returns the extents of a column of the sky.
hdf5::Shape sky_shape(const ColumnInfo& column, hdf5::Shape grid, size_t num_heliostats) {
    if (!column.axes.empty()) grid.push_back(num_heliostats);
    return grid;
}

void write_sky(hdf5::Group group, const AnnualYield& yield) {
    const hdf5::Shape shape{static_cast<size_t>(yield.declinations),
                            static_cast<size_t>(yield.hours)};
    write_columns(group, yield.nodes, sky_columns(), {}, shape);
    for (const Column<AnnualYield>& column : sky_sum_columns())
        write_values(group,
                     column,
                     sky_shape(column, shape, yield.heliostats.size()),
                     row_values(yield, column));
}

void fill(hdf5::Group root, const AnnualYield& yield) {
    const Provenance& p = yield.provenance;
    root.write_attribute("format", "helioray-annual");
    root.write_attribute("format_version", 1);
    write_origin(root, p);
    root.write_attribute("notes", fmt::format("{}", fmt::join(yield.notes, "\n")));
    write_attributes(root, yield, year_columns());
    write_attributes(root, yield.on_targets, year_energy_columns());
    if (yield.state) write_attributes(root, *yield.state, year_state_columns());
    if (yield.aiming) write_attributes(root, *yield.aiming, year_aiming_columns());

    hdf5::Group months = root.create_group("months");
    write_months(months,
                 "usable_insolation",
                 yield.usable.months,
                 "J/m2",
                 "Direct normal insolation while the sun stands high enough, January to December.");
    write_months(months,
                 "target_energy",
                 yield.on_targets.months,
                 "J",
                 "Energy on all targets, January to December.");
    for (size_t i = 0; i < yield.targets.size(); ++i) {
        hdf5::Group group = root.create_group("targets/" + yield.targets[i].name);
        const YearEnergy& energy = yield.targets[i].energy;
        write_attributes(group, energy, year_energy_columns());
        write_months(group,
                     "monthly_energy",
                     energy.months,
                     "J",
                     "Energy on the target, January to December.");
        if (!yield.plan) continue;
        const Target& target = yield.plan->targets[i].target;
        group.write_attribute("kind", target_kind(target));
        group.write_attribute("geometry", geometry_to_json(target));
    }
    hdf5::Group heliostats = root.create_group("heliostats");
    const Columns<AnnualHeliostat> columns = annual_heliostat_columns(yield);
    write_columns(heliostats, yield.heliostats, columns);
    // Write the poses at noon in the middle of the grid.
    if (yield.plan) write_columns(heliostats, yield.plan->heliostats, mirror_columns());
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

YearEnergy read_energy(const hdf5::Group& object) {
    YearEnergy energy;
    read_attributes(object, energy, year_energy_columns());
    return energy;
}

void check_format(const hdf5::Group& root) {
    if (is_annual(root) && root.read_attribute_integer("format_version") == 1) return;
    throw InputError(Problem{root.where(),
                             "is not a yield of a year that this version can read",
                             "",
                             "use a file that 'helioray annual' wrote"});
}

std::vector<AnnualHeliostat> read_heliostats(const hdf5::Group& group) {
    std::vector<AnnualHeliostat> heliostats(group.read_strings("name").size());
    read_columns(group, heliostats, annual_heliostat_columns());
    for (AnnualHeliostat& heliostat : heliostats)
        heliostat.on_target.value = heliostat.energy.target_power;
    return heliostats;
}

/// Reads the aiming results; returns no value if the file has the default aim points.
std::optional<YearAiming> read_aiming(const hdf5::Group& root) {
    if (!root.has_attribute("aiming_strategy")) return std::nullopt;
    YearAiming aiming;
    read_attributes(root, aiming, year_aiming_columns());
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
    read_attributes(root, yield, year_columns());
    yield.usable.months = months(root.group("months"), "usable_insolation");
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
        for (const YearLoss& loss : year_losses()) yield.*loss.field += heliostat.*loss.heliostat;
    if (root.has_attribute("mean_soiling"))
        read_attributes(root, yield.state.emplace(), year_state_columns());
    yield.aiming = read_aiming(root);

    const hdf5::Group sky = root.group("sky");
    const hdf5::Shape shape = sky.dataset("weight").shape();
    const size_t count = hdf5::num_elements(shape);
    if (shape.size() == 2) {
        yield.declinations = static_cast<int>(shape[0]);
        yield.hours = static_cast<int>(shape[1]);
    }
    for (const Column<AnnualYield>& column : sky_sum_columns())
        read_list(sky, yield, column, sky_shape(column, shape, yield.heliostats.size()));
    yield.nodes.resize(count);
    read_columns(sky, yield.nodes, sky_columns(), {}, shape);
    if (const auto plant = read_plant(root, yield.heliostats)) set_plan(yield, *plant);
    return yield;
}

}  // namespace helioray
