// SPDX-License-Identifier: MIT
// Creates tables and JSON of efficiency by sun position.
#include "app/output/summary/summary.h"
#include "app/output/summary/text_table.h"
#include "raytracer/studies/efficiency/efficiency_file.h"
#include "raytracer/studies/efficiency/sky_coverage.h"
#include "scenario/files/columns_json.h"
#include "scenario/files/number_text.h"
#include "scenario/files/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace helioray {

namespace {

std::string degrees(double radians) {
    return fmt::format("{:.6g}", radians / kRadiansPerDegree);
}

/// Returns a matrix of efficiencies in per cent; rows are elevations, columns some of the azimuths.
std::string efficiency_matrix(const EfficiencyTable& table) {
    constexpr std::size_t kMostColumns = 12;
    const auto& azimuths = table.suns.azimuths();
    const auto& elevations = table.suns.elevations();
    const std::size_t stride = (azimuths.size() + kMostColumns - 1) / kMostColumns;
    std::vector<TableColumn> columns{{"elevation", Align::right}};
    for (std::size_t i = 0; i < azimuths.size(); i += stride)
        columns.push_back({degrees(azimuths[i]) + "°"});
    TextTable text(std::move(columns));
    for (std::size_t k = elevations.size(); k-- > 0;) {
        std::vector<std::string> row{degrees(elevations[k]) + "°"};
        for (std::size_t i = 0; i < azimuths.size(); i += stride) {
            const std::size_t entry = i * elevations.size() + k;
            row.push_back(table.reached[entry]
                              ? fmt::format("{:.2f}", 100.0 * table.shares[entry].target_power)
                              : "-");
        }
        text.add_row(std::move(row));
    }
    return text.str();
}

double largest(const EfficiencyTable& table, const std::vector<double>& values) {
    double found = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (table.reached[i]) found = std::max(found, values[i]);
    return found;
}

}  // namespace

std::string efficiency_text(const EfficiencyTable& table) {
    const auto points = [](double share) { return significant(100.0 * share, 2) + " points"; };
    std::string targets;
    for (const EfficiencyTarget& target : table.targets) {
        if (!targets.empty()) targets += ", ";
        targets +=
            fmt::format("{} ({} x {} pixels)", target.target.name, target.width, target.height);
    }
    std::vector<std::pair<std::string, std::string>> facts{
        {"errors",
         fmt::format("at most ± {} from rays, ± {} from linear interpolation",
                     points(largest(table, table.std_error)),
                     points(largest(table, table.interpolation_error)))},
        {"positions",
         fmt::format(
             "{} of the sun, {} entries ({} azimuths x {} elevations){}",
             table.positions,
             table.suns.size(),
             table.suns.azimuths().size(),
             table.suns.elevations().size(),
             table.checks > 0 ? fmt::format(", {} to check interpolation", table.checks) : "")},
        {"heliostats",
         fmt::format(
             "{}, {} m2 of mirrors", grouped(table.heliostats), significant(table.mirror_area, 6))},
        {"targets", targets},
        {"rays", grouped(table.provenance.rays)},
        {"fingerprint", table.provenance.fingerprint}};
    const auto with_parked =
        std::ranges::count_if(table.parked_loss, [](double share) { return share > 0.0; });
    if (with_parked > 0)
        facts.insert(
            facts.begin() + 3,
            {"parked",
             fmt::format("mirrors that cannot follow the sun at {} entries, at most {:.2f} "
                         "% of all",
                         with_parked,
                         100.0 * largest(table, table.parked_loss))});
    const std::string warning = coverage_warning(table.suns, table.latitude);
    if (!warning.empty()) facts.insert(facts.begin() + 2, {"warning", warning});
    return fmt::format("  efficiency in % of the sun on the mirrors, by azimuth of the sun\n{}\n{}",
                       efficiency_matrix(table),
                       key_value_lines(facts));
}

nlohmann::json efficiency_json(const EfficiencyTable& table) {
    const auto angles = [](const std::vector<double>& radians) {
        std::vector<double> found;
        for (const double angle : radians) found.push_back(decimal_degrees(angle));
        return found;
    };
    nlohmann::json object = json_of(table, efficiency_facts());
    object.update(json_of(table,
                          efficiency_columns(),
                          {{table.suns.azimuths().size(), table.suns.elevations().size()}}));
    object["fingerprint"] = table.provenance.fingerprint;
    object["rays"] = table.provenance.rays;
    object["azimuth_deg"] = angles(table.suns.azimuths());
    object["elevation_deg"] = angles(table.suns.elevations());
    object["warnings"] = light_warnings(table);
    object["targets"] = nlohmann::json::array();
    for (const EfficiencyTarget& target : table.targets)
        object["targets"].push_back(target.target.name);
    const std::string warning = coverage_warning(table.suns, table.latitude);
    if (!warning.empty()) object["warning"] = warning;
    return object;
}

}  // namespace helioray
