// SPDX-License-Identifier: MIT
// Declares the columns of a year.
#include "raytracer/studies/annual/annual_file.h"
#include "scenario/files/units.h"
#include "scenario/files/visit_members.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

namespace {

/// JSON has the energies in an object, and leaves out the place of the plant.
const std::optional<std::string> kNotInJson = "";

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

[[maybe_unused]] void name_members(const YearEnergy& energy) {
    [[maybe_unused]] const auto& [value, std_error, quadrature_error, months] = energy;
}
[[maybe_unused]] void name_members(const YearState& state) {
    [[maybe_unused]] const auto& [mean_soiling, outage_share] = state;
}
static_assert(count_members<AnnualYield>() == 23,
              "declare the column of a new number in year_columns(), then count its member here");
[[maybe_unused]] void name_members(const YearAiming& aiming) {
    [[maybe_unused]] const auto& [strategy,
                                  center_energy,
                                  limited_positions,
                                  worst_share,
                                  worst_share_error,
                                  violation] = aiming;
}

}  // namespace

const Columns<YearEnergy>& year_energy_columns() {
    using E = YearEnergy;
    static const Columns<E> all{
        column({"energy_j", "J", "Energy."}, &E::value),
        column({"std_error_j", "J", "Standard error."}, &E::std_error),
        column({"quadrature_error_j", "J", "Error of the sun positions."}, &E::quadrature_error)};
    return all;
}

const Columns<AnnualYield>& year_columns() {
    using Y = AnnualYield;
    static const Columns<Y> all = [] {
        const auto place = [](const char* name,
                              const char* unit,
                              const char* description,
                              double GeodeticPosition::*member) {
            return column(
                {.name = name, .unit = unit, .description = description, .json = kNotInJson},
                &Y::plant,
                member);
        };
        Columns<Y> columns{
            column({"irradiance", "", "Source of the irradiance."}, &Y::irradiance),
            place("latitude_deg", "deg", "Latitude of the plant.", &GeodeticPosition::latitude_deg),
            place("longitude_deg",
                  "deg",
                  "Longitude of the plant.",
                  &GeodeticPosition::longitude_deg),
            place("altitude_m", "m", "Altitude of the plant.", &GeodeticPosition::altitude_m),
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
                 .json = kNotInJson,
                 .is_optional = term.is_of_receivers},
                [term](const Y& yield) {
                    return is_shown(term, yield.energy) ? std::optional(yield.energy.*term.member)
                                                        : std::nullopt;
                },
                [term](Y& yield, double energy) { yield.energy.*term.member = energy; }));
        // The reader adds up the losses of the heliostats, which files of earlier versions lack.
        for (const YearLoss& loss : year_losses())
            columns.push_back(derived_column<Y>({.name = std::string(loss.name) + "_j",
                                                 .unit = "J",
                                                 .description = loss.description,
                                                 .json = kNotInJson,
                                                 .is_optional = loss.is_of_state},
                                                [loss](const Y& yield) {
                                                    return loss.is_of_state && !yield.state
                                                               ? std::nullopt
                                                               : std::optional(yield.*loss.field);
                                                }));
        return columns;
    }();
    return all;
}

const Columns<YearState>& year_state_columns() {
    using S = YearState;
    static const Columns<S> all{
        column({"mean_soiling", "1", "Mean fraction of the reflectivity that soiling took."},
               &S::mean_soiling),
        column({"outage_share", "1", "Fraction of the days on which heliostats were out of order."},
               &S::outage_share)};
    return all;
}

const Columns<YearAiming>& year_aiming_columns() {
    using A = YearAiming;
    static const Columns<A> all{
        column({.name = "aiming_strategy",
                .unit = "",
                .description = "Name of the strategy.",
                .json = "strategy"},
               &A::strategy),
        column({"center_energy_j", "J", "Energy with strategy center, without regard to limits."},
               &A::center_energy),
        column(
            {"limited_positions", "1", "Sun positions at which strategy center exceeds a limit."},
            &A::limited_positions),
        column({.name = "aiming_violation",
                .unit = "",
                .description = "The worst violated limit.",
                .json = "violation"},
               &A::violation),
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
        for (const YearLoss& loss : year_losses())
            columns.push_back(column({.name = loss.name,
                                      .unit = "J",
                                      .description = loss.heliostat_description,
                                      .is_optional = true},
                                     loss.heliostat));
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
        columns.push_back(column({.name = "temperature_c",
                                  .unit = "degC",
                                  .description = "Temperature of the air; only if it is known.",
                                  .csv = {{"temperature_c"}},
                                  .is_optional = true},
                                 &Node::temperature));
        return columns;
    }();
    return all;
}

}  // namespace helioray
