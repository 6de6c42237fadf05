// SPDX-License-Identifier: MIT
// Lists the quantities and finds them by name.
#include "raytracer/results/heliostat_quantity.h"

#include "scenario/files/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace helioray {

namespace {

double efficiency(const HeliostatResult& heliostat) {
    const EnergyTerms& energy = heliostat.energy;
    return energy.solar_power > 0.0 ? energy.target_power / energy.solar_power
                                    : std::numeric_limits<double>::quiet_NaN();
}

// Converts "cosine_loss" to "Cosine loss".
std::string make_title(std::string name) {
    std::replace(name.begin(), name.end(), '_', ' ');
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
    return name;
}

std::vector<HeliostatQuantity> make_quantities() {
    using Kind = HeliostatQuantity::Kind;
    std::vector<HeliostatQuantity> all{
        {"efficiency", "Efficiency", "Target power over solar power.", Kind::share, efficiency}};
    for (const EnergyTermInfo& info : energy_term_infos()) {
        all.push_back({info.name,
                       make_title(info.name),
                       info.description,
                       Kind::power,
                       [&info](const HeliostatResult& h) { return h.energy.*info.member; }});
    }
    all.push_back({"target_power_std_error",
                   "Standard error of target power",
                   "Standard error of target power from the finite number of rays.",
                   Kind::power,
                   [](const HeliostatResult& h) { return h.target_power_std_error; }});
    return all;
}

}  // namespace

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
