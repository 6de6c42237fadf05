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

// A new member does not compile before it is named here: declare its column below.
[[maybe_unused]] void name_members(const AnnualHeliostat& row) {
    [[maybe_unused]] const auto& [name,
                                  target,
                                  energy,
                                  defocus_loss,
                                  soiling_loss,
                                  outage_loss,
                                  on_target] = row;
}

/// Returns the columns of an energy: attributes.
const Columns<YearEnergy>& energy_columns() {
    using E = YearEnergy;
    static const Columns<E> all{
        column({"energy_j", "J", "Energy."}, &E::value),
        column({"std_error_j", "J", "Standard error."}, &E::std_error),
        column({"quadrature_error_j", "J", "Error of the sun positions."}, &E::quadrature_error)};
    return all;
}

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
    write_attributes(root, yield.on_targets, energy_columns());
    for (const EnergyTermInfo& term : energy_term_infos())
        root.write_attribute(energy_name(term.name) + "_j", yield.energy.*term.member);
    root.write_attribute("defocus_loss_j", yield.defocus_loss);
    root.write_attribute("soiling_loss_j", yield.soiling_loss);
    root.write_attribute("outage_loss_j", yield.outage_loss);
    if (yield.state) {
        root.write_attribute("mean_soiling", yield.state->mean_soiling);
        root.write_attribute("outage_share", yield.state->outage_share);
    }
    if (yield.aiming) write_aiming(root, *yield.aiming);

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
        write_attributes(group, energy, energy_columns());
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
    write_columns(heliostats, yield.heliostats, annual_heliostat_columns());
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
    read_attributes(object, energy, energy_columns());
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

const Columns<AnnualHeliostat>& annual_heliostat_columns() {
    static const Columns<AnnualHeliostat> all = [] {
        using Row = AnnualHeliostat;
        Columns<Row> columns{
            column({"name", "", "Name of each heliostat."}, &Row::name),
            column({"target", "", "Name of each heliostat's target."}, &Row::target)};
        for (const EnergyTermInfo& term : energy_term_infos())
            columns.push_back(column(
                {energy_name(term.name), "J", std::string("Over the year: ") + term.description},
                &Row::energy,
                term.member));
        // Files of earlier versions have no flux limits.
        columns.push_back(column(
            {.name = "defocus_loss",
             .unit = "J",
             .description = "Over the year: not used because flux limits turn the heliostat off.",
             .is_optional = true},
            &Row::defocus_loss));
        columns.push_back(column(
            {.name = "soiling_loss",
             .unit = "J",
             .description = "Over the year: what clean mirrors would have brought in addition.",
             .is_optional = true},
            &Row::soiling_loss));
        columns.push_back(
            column({.name = "outage_loss",
                    .unit = "J",
                    .description = "Over the year: what the heliostat would have brought while it "
                                   "was out of order.",
                    .is_optional = true},
                   &Row::outage_loss));
        columns.push_back(column({"target_energy_std_error",
                                  "J",
                                  "Upper limit of target_energy's standard error from the finite "
                                  "number of rays."},
                                 &Row::on_target,
                                 &YearEnergy::std_error));
        columns.push_back(column({"target_energy_quadrature_error",
                                  "J",
                                  "Change of target_energy with half of the declinations, plus "
                                  "with half of the hour angles."},
                                 &Row::on_target,
                                 &YearEnergy::quadrature_error));
        std::vector<std::string> months;
        for (int month = 1; month <= 12; ++month)
            months.push_back(fmt::format("target_energy_month_{:02}_j", month));
        columns.push_back(column({.name = "monthly_target_energy",
                                  .unit = "J",
                                  .description = "Energy on the target, January to December.",
                                  .axes = {"month"},
                                  .csv = months},
                                 &Row::on_target,
                                 &YearEnergy::months));
        return columns;
    }();
    return all;
}

const Columns<SkyGrid::Node>& sky_columns() {
    static const Columns<SkyGrid::Node> all = [] {
        using Node = SkyGrid::Node;
        Columns<Node> columns;
        const auto add = [&](const char* name, const char* description, double Node::*angle) {
            columns.push_back(converted_column<Node>(
                {name, "deg", description},
                [=](const Node& node) { return node.*angle / kRadiansPerDegree; },
                [=](Node& node, double degrees) { node.*angle = degrees * kRadiansPerDegree; }));
        };
        add("declination_deg", "Declination of the sun.", &Node::declination);
        add("hour_angle_deg", "Hour angle, positive after noon.", &Node::hour_angle);
        add("azimuth_deg", "Azimuth, clockwise from north.", &Node::azimuth);
        add("elevation_deg", "Elevation above the horizon.", &Node::elevation);
        return columns;
    }();
    return all;
}

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
    for (const AnnualHeliostat& heliostat : yield.heliostats) {
        yield.soiling_loss += heliostat.soiling_loss;
        yield.outage_loss += heliostat.outage_loss;
    }
    if (root.has_attribute("mean_soiling"))
        yield.state = YearState{root.read_attribute_number("mean_soiling"),
                                root.read_attribute_number("outage_share")};
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
