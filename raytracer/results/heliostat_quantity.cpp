// SPDX-License-Identifier: MIT
// Lists the quantities and finds them by name.
#include "raytracer/results/heliostat_quantity.h"

#include "raytracer/results/result_columns.h"
#include "scenario/files/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <variant>

namespace helioray {

namespace {

double efficiency(const HeliostatResult& heliostat) {
    const EnergyTerms& energy = heliostat.energy;
    return energy.solar_power > 0.0 ? energy.target_power / energy.solar_power
                                    : std::numeric_limits<double>::quiet_NaN();
}

std::vector<HeliostatQuantity> make_quantities() {
    using Kind = HeliostatQuantity::Kind;
    std::vector<HeliostatQuantity> all{
        {"efficiency", "Efficiency", "Target power over solar power.", Kind::share, efficiency}};
    for (const Column<HeliostatResult>& column : heliostat_columns()) {
        if (!is_number(column) || (column.unit != "W" && column.unit != "1")) continue;
        all.push_back(
            {column.name,
             title_of(column.name),
             with_spaces(column.description),
             column.unit == "W" ? Kind::power : Kind::share,
             [&column](const HeliostatResult& heliostat) {
                 return std::get<std::vector<double>>(row_values(heliostat, column)).at(0);
             }});
    }
    return all;
}

}  // namespace

std::string with_spaces(std::string text) {
    std::replace(text.begin(), text.end(), '_', ' ');
    return text;
}

std::string title_of(const std::string& name) {
    constexpr std::string_view kError = "_std_error";
    std::string title = with_spaces(name);
    if (name.ends_with(kError))
        return "Standard error of " + title.substr(0, title.size() - kError.size());
    title[0] = static_cast<char>(title[0] - 'a' + 'A');
    return title;
}

double HeliostatQuantity::share(const HeliostatResult& heliostat) const {
    if (kind == Kind::share) return value(heliostat);
    const double solar = heliostat.energy.solar_power;
    return solar > 0.0 ? value(heliostat) / solar : std::numeric_limits<double>::quiet_NaN();
}

const std::vector<HeliostatQuantity>& heliostat_quantities() {
    static const std::vector<HeliostatQuantity> all = make_quantities();
    return all;
}

const HeliostatQuantity& heliostat_quantity(const std::string& name,
                                            const std::string& where,
                                            const std::vector<HeliostatQuantity>& among) {
    std::vector<std::string> names;
    for (const HeliostatQuantity& quantity : among) {
        if (name == quantity.name || name + "_loss" == quantity.name ||
            name + "_power" == quantity.name || name + "_energy" == quantity.name) {
            return quantity;
        }
        names.push_back(quantity.name);
    }
    std::string advice = fmt::format("choose one of {}", fmt::join(names, ", "));
    if (const auto near = closest(name, names))
        advice = fmt::format("did you mean '{}'? {}", *near, advice);
    throw InputError(Problem{where, "'" + name + "' is no quantity of heliostats", "", advice});
}

std::string energy_unit(const RunResult& result) {
    const auto any_in = [&](const char* unit) {
        return std::any_of(result.targets.begin(),
                           result.targets.end(),
                           [unit](const TargetResult& t) { return t.unit == unit; });
    };
    return any_in("1") ? "1" : any_in("J") ? "J" : "W";
}

}  // namespace helioray
