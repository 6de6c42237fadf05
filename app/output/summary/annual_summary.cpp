// SPDX-License-Identifier: MIT
// Creates tables and JSON of a year's yield.
#include "app/output/summary/summary.h"
#include "app/output/summary/text_table.h"
#include "raytracer/results/heliostat_quantity.h"
#include "raytracer/studies/annual/annual_file.h"
#include "scenario/files/columns_json.h"
#include "scenario/files/number_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace helioray {

namespace {

constexpr double kKilowattHour = 3.6e6;

std::string share(double part, double whole) {
    return whole > 0.0 ? significant(100.0 * part / whole, 2) + " %" : "-";
}

std::string percent_of(double part, double whole) {
    return whole > 0.0 ? fmt::format("{:.2f} %", 100.0 * part / whole) : "-";
}

std::string terms_table(const AnnualYield& yield) {
    TextTable table({{"energy of a year", Align::left}, {"MWh"}, {"% of solar"}});
    const auto add_row = [&](const std::string& label, double joules) {
        table.add_row({label,
                       fmt::format("{:.4f}", joules / kKilowattHour / 1e3),
                       fmt::format("{:.2f}", 100.0 * joules / yield.energy.solar_power)});
    };
    for (const EnergyTermInfo& term : energy_term_infos()) {
        if (!is_shown(term, yield.energy)) continue;
        if (term.member == &EnergyTerms::target_power)
            for (const YearLoss& loss : year_losses())
                if (loss.is_shown(yield)) add_row(with_spaces(loss.name), yield.*loss.field);
        add_row(term.member == &EnergyTerms::target_power ? "on targets"
                                                          : with_spaces(energy_name(term.name)),
                yield.energy.*term.member);
    }
    return table.str();
}

void add_energy(TextTable& table, const std::string& name, const YearEnergy& energy) {
    table.add_row({shortened(name, kNameWidth),
                   energy_text(energy.value),
                   share(energy.std_error, energy.value),
                   share(energy.quadrature_error, energy.value)});
}

std::string targets_of_year(const AnnualYield& yield) {
    TextTable table(
        {{"target", Align::left}, {"energy"}, {"± from rays"}, {"± from sun positions"}});
    for (const AnnualTarget& target : yield.targets) add_energy(table, target.name, target.energy);
    if (yield.targets.size() > 1) add_energy(table, "all", yield.on_targets);
    return table.str();
}

std::string months_table(const AnnualYield& yield) {
    const double area = yield.energy.solar_power / yield.usable.value;
    TextTable table(
        {{"month", Align::left}, {"insolation in kWh/m2"}, {"on targets in MWh"}, {"efficiency"}});
    for (size_t i = 0; i < 12; ++i) {
        table.add_row({kMonthNames[i],
                       fmt::format("{:.2f}", yield.usable.months[i] / kKilowattHour),
                       fmt::format("{:.4f}", yield.on_targets.months[i] / kKilowattHour / 1e3),
                       percent_of(yield.on_targets.months[i], area * yield.usable.months[i])});
    }
    return table.str();
}

std::string worst_pixel_of_year(const AnnualYield& yield) {
    if (!yield.aiming || !yield.aiming->worst_limit_share) return "";
    return fmt::format("{:.2f} ± {:.2f} % of its limit",
                       100.0 * *yield.aiming->worst_limit_share,
                       100.0 * yield.aiming->worst_limit_share_std_error);
}

nlohmann::json aiming_of_year(const YearAiming& aiming) {
    nlohmann::json out = json_of(aiming, year_aiming_columns());
    out["limits_kept"] = aiming.violation.empty();
    return out;
}

nlohmann::json energy_json(const YearEnergy& energy) {
    nlohmann::json out = json_of(energy, year_energy_columns());
    out["monthly_energy_j"] = energy.months;
    return out;
}

}  // namespace

std::string not_modelled(const AnnualYield& yield) {
    return fmt::format("start{} of receivers; wind{}",
                       yield.aiming ? " and shut-down" : ", shut-down and defocusing",
                       yield.state ? "" : "; cleaning");
}

std::string aim_points_of_year(const AnnualYield& yield) {
    if (!yield.aiming) return "";
    const double center = yield.aiming->center_energy;
    const double brought = yield.on_targets.value;
    // Ignore differences caused by rounding.
    const double more = std::abs(center - brought) < 1e-6 * brought ? 0.0 : center - brought;
    return fmt::format(
        "{}; {} positions where center exceeds a limit; center without limits would bring {} "
        "({} {})",
        yield.aiming->strategy,
        yield.aiming->limited_positions,
        energy_text(center),
        percent_of(std::abs(more), brought),
        more < 0.0 ? "less" : "more");
}

std::string annual_heliostats(const AnnualYield& yield, std::size_t max_heliostats) {
    std::vector<const AnnualHeliostat*> order;
    for (const AnnualHeliostat& heliostat : yield.heliostats) order.push_back(&heliostat);
    std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
        return a->on_target.value > b->on_target.value;
    });
    const std::size_t count = std::min(max_heliostats, order.size());
    TextTable table({{"heliostat", Align::left},
                     {"target", Align::left},
                     {"energy"},
                     {"± from rays"},
                     {"± from sun positions"},
                     {"efficiency"}});
    for (std::size_t i = 0; i < count; ++i) {
        const AnnualHeliostat& heliostat = *order[i];
        table.add_row({shortened(heliostat.name, kNameWidth),
                       shortened(heliostat.target, kNameWidth),
                       energy_text(heliostat.on_target.value),
                       share(heliostat.on_target.std_error, heliostat.on_target.value),
                       share(heliostat.on_target.quadrature_error, heliostat.on_target.value),
                       percent_of(heliostat.on_target.value, heliostat.energy.solar_power)});
    }
    std::string text = table.str();
    if (count < order.size()) text += fmt::format("  ... and {} more\n", order.size() - count);
    return text;
}

std::string annual_text(const AnnualYield& yield) {
    const Provenance& p = yield.provenance;
    return terms_table(yield) + "\n" + targets_of_year(yield) + "\n" + months_table(yield) + "\n" +
           key_value_lines({
               {"irradiance", yield.irradiance},
               {"insolation",
                fmt::format("{:.1f} kWh/m2, of which {:.1f} with the sun above {:.1f}°",
                            yield.insolation / kKilowattHour,
                            yield.usable.value / kKilowattHour,
                            yield.min_elevation_deg)},
               {"efficiency",
                percent_of(yield.on_targets.value, yield.energy.solar_power) + " of that"},
               {"positions",
                fmt::format("{} of the sun ({} declinations x {} hour angles)",
                            yield.nodes.size(),
                            yield.declinations,
                            yield.hours)},
               {"rays", grouped(p.rays)},
               {"fingerprint", p.fingerprint},
               {"aim points", aim_points_of_year(yield)},
               {"worst pixel", worst_pixel_of_year(yield)},
               {"not modelled", not_modelled(yield)},
           });
}

nlohmann::json annual_json(const AnnualYield& yield) {
    using nlohmann::json;
    const Provenance& p = yield.provenance;
    json out = energy_json(yield.on_targets);
    out["fingerprint"] = p.fingerprint;
    out["rays"] = p.rays;
    out.update(json_of(yield, year_columns()));
    out["notes"] = yield.notes;
    out["warnings"] = yield.notes;
    for (std::string& warning : light_warnings(yield))
        out["warnings"].push_back(std::move(warning));
    out["monthly_usable_insolation_j_m2"] = yield.usable.months;
    out["efficiency"] = yield.on_targets.value / yield.energy.solar_power;
    out["num_positions"] = yield.nodes.size();
    for (const EnergyTermInfo& term : energy_term_infos())
        if (is_shown(term, yield.energy)) out["energy"][term.name] = yield.energy.*term.member;
    for (const YearLoss& loss : year_losses()) out["energy"][loss.name] = yield.*loss.field;
    if (yield.state) out["state"] = json_of(*yield.state, year_state_columns());
    if (yield.aiming) out["aiming"] = aiming_of_year(*yield.aiming);
    for (const AnnualTarget& target : yield.targets)
        out["targets"][target.name] = energy_json(target.energy);
    for (const AnnualHeliostat& heliostat : yield.heliostats) {
        json entry = energy_json(heliostat.on_target);
        entry["target"] = heliostat.target;
        entry["efficiency"] = heliostat.on_target.value / heliostat.energy.solar_power;
        for (const YearLoss& loss : year_losses())
            entry[std::string(loss.name) + "_j"] = heliostat.*loss.heliostat;
        out["heliostats"][heliostat.name] = std::move(entry);
    }
    return out;
}

}  // namespace helioray
