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

/// Returns the columns of the aiming results: attributes of the file.
const Columns<YearAiming>& year_aiming_columns() {
    using A = YearAiming;
    static const Columns<A> all{
        column({"aiming_strategy", "", "Name of the strategy."}, &A::strategy),
        column({"center_energy_j", "J", "Energy with strategy center, without regard to limits."},
               &A::center_energy),
        column(
            {"limited_positions", "1", "Sun positions at which strategy center exceeds a limit."},
            &A::limited_positions),
        column({"aiming_violation", "", "The worst violated limit."}, &A::violation),
        column({.name = "worst_limit_share",
                .unit = "1",
                .description = "Largest ratio of flux to limit.",
                .is_optional = true},
               &A::worst_limit_share),
        converted_column<A>(
            {.name = "worst_limit_share_std_error",
             .unit = "1",
             .description = "Standard error of worst_limit_share.",
             .is_optional = true},
            [](const A& aiming) {
                return aiming.worst_limit_share ? std::optional(aiming.worst_limit_share_std_error)
                                                : std::nullopt;
            },
            [](A& aiming, double error) { aiming.worst_limit_share_std_error = error; })};
    return all;
}

// A new member must be in the columns above. It does not compile until it is also listed here.
[[maybe_unused]] void name_members(const YearAiming& aiming) {
    [[maybe_unused]] const auto& [strategy,
                                  center_energy,
                                  limited_positions,
                                  worst_share,
                                  worst_share_error,
                                  violation] = aiming;
}

/// Returns the columns of the whole year: attributes of the file.
const Columns<AnnualYield>& year_columns() {
    using Y = AnnualYield;
    static const Columns<Y> all = [] {
        Columns<Y> columns{
            column({"irradiance", "", "Source of the irradiance."}, &Y::irradiance),
            column({"latitude_deg", "deg", "Latitude of the plant."},
                   &Y::plant,
                   &GeodeticPosition::latitude_deg),
            column({"longitude_deg", "deg", "Longitude of the plant."},
                   &Y::plant,
                   &GeodeticPosition::longitude_deg),
            column({"altitude_m", "m", "Altitude of the plant."},
                   &Y::plant,
                   &GeodeticPosition::altitude_m),
            column(
                {"min_elevation_deg", "deg", "Elevation of the sun below which the field rests."},
                &Y::min_elevation_deg),
            column({"insolation_j_m2", "J/m2", "Direct normal insolation while the sun is up."},
                   &Y::insolation),
            column({"usable_insolation_j_m2", "J/m2", "Insolation from the minimal elevation on."},
                   &Y::usable,
                   &YearEnergy::value)};
        for (const EnergyTermInfo& term : energy_term_infos())
            columns.push_back(converted_column<Y>(
                {.name = energy_name(term.name) + "_j",
                 .unit = "J",
                 .description = term.description,
                 .is_optional = term.is_of_receivers},
                [term](const Y& yield) {
                    return is_shown(term, yield.energy) ? std::optional(yield.energy.*term.member)
                                                        : std::nullopt;
                },
                [term](Y& yield, double energy) { yield.energy.*term.member = energy; }));
        // The reader adds up the losses of the heliostats, which files of earlier versions lack.
        columns.push_back(derived_column<Y>(
            {"defocus_loss_j", "J", "Energy lost while flux limits kept heliostats off."},
            [](const Y& yield) { return yield.defocus_loss; }));
        const auto with_state = [](double Y::*loss) {
            return [loss](const Y& yield) {
                return yield.state ? std::optional(yield.*loss) : std::nullopt;
            };
        };
        columns.push_back(derived_column<Y>({.name = "soiling_loss_j",
                                             .unit = "J",
                                             .description = "Energy lost to soiled mirrors.",
                                             .is_optional = true},
                                            with_state(&Y::soiling_loss)));
        columns.push_back(
            derived_column<Y>({.name = "outage_loss_j",
                               .unit = "J",
                               .description = "Energy lost to heliostats out of order.",
                               .is_optional = true},
                              with_state(&Y::outage_loss)));
        return columns;
    }();
    return all;
}

/// Returns the columns of the heliostats' state in the year: attributes of the file.
const Columns<YearState>& year_state_columns() {
    using S = YearState;
    static const Columns<S> all{
        column({"mean_soiling", "1", "Mean fraction of the reflectivity that soiling took."},
               &S::mean_soiling),
        column({"outage_share", "1", "Fraction of the days on which heliostats were out of order."},
               &S::outage_share)};
    return all;
}

void fill(hdf5::Group root, const AnnualYield& yield) {
    const Provenance& p = yield.provenance;
    root.write_attribute("format", "helioray-annual");
    root.write_attribute("format_version", 1);
    write_origin(root, p);
    root.write_attribute("notes", fmt::format("{}", fmt::join(yield.notes, "\n")));
    write_attributes(root, yield, year_columns());
    write_attributes(root, yield.on_targets, energy_columns());
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

const Columns<AnnualHeliostat>& annual_heliostat_columns() {
    static const Columns<AnnualHeliostat> all = [] {
        using Row = AnnualHeliostat;
        Columns<Row> columns{
            column({"name", "", "Name of each heliostat."}, &Row::name),
            column({"target", "", "Name of each heliostat's target."}, &Row::target)};
        for (const EnergyTermInfo& term : energy_term_infos())
            columns.push_back(
                column({.name = energy_name(term.name),
                        .unit = "J",
                        .description = std::string("Over the year: ") + term.description,
                        .is_optional = term.is_of_receivers},
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

Columns<AnnualHeliostat> annual_heliostat_columns(const AnnualYield& yield) {
    Columns<AnnualHeliostat> columns = annual_heliostat_columns();
    for (const EnergyTermInfo& term : energy_term_infos())
        if (!is_shown(term, yield.energy))
            std::erase_if(
                columns, [&](const auto& column) { return column.name == energy_name(term.name); });
    return columns;
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
        yield.defocus_loss += heliostat.defocus_loss;
    for (const AnnualHeliostat& heliostat : yield.heliostats) {
        yield.soiling_loss += heliostat.soiling_loss;
        yield.outage_loss += heliostat.outage_loss;
    }
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
