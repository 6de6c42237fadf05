// SPDX-License-Identifier: MIT
// Reads the variables of a project with their types, units and defaults.
#include "scenario/files/number_text.h"
#include "scenario/import/solarpilot/conversion.h"
#include "scenario/inputs/raw_table.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <sstream>

namespace helioray::solarpilot {

const Variable* Instance::find(const std::string& name, const std::string& fallback) const {
    const Variable* found = project_.find(component_, number_, name);
    if (!found)
        log_.warn(project_.file,
                  fmt::format("{}.{}.{} is not in the file: SolarPILOT's default {}",
                              component_,
                              number_,
                              name,
                              fallback.empty() ? "''" : fallback));
    return found;
}

int Instance::line(const std::string& name) const {
    const Variable* found = project_.find(component_, number_, name);
    return found ? found->line : 0;
}

std::string Instance::where(const std::string& name) const {
    return fmt::format("{}: {}.{}.{}", project_.where(line(name)), component_, number_, name);
}

void Instance::refuse(const std::string& name,
                      const std::string& what,
                      const std::string& advice) const {
    log_.problem(where(name), what, "it cannot be represented", advice);
}

void Instance::remark(const std::string& name, const std::string& text) const {
    log_.warn(where(name), text);
}

double Instance::number(const std::string& name,
                        const std::string& unit,
                        double fallback,
                        double lowest,
                        double highest) const {
    const Variable* found = find(name, fmt::format("{}", fallback));
    if (!found) return fallback;
    const auto value = parse_number(found->value);
    if (!value || !std::isfinite(*value)) {
        log_.problem(where(name), fmt::format("'{}' is not a finite number", found->value));
        return fallback;
    }
    if (!found->units.empty() && found->units != "none" && found->units != unit) {
        log_.problem(where(name),
                     fmt::format("the unit is '{}'", found->units),
                     fmt::format("'{}' is expected", unit),
                     "open the project with a newer version of SolarPILOT and save it again");
        return fallback;
    }
    if (*value < lowest || *value > highest) {
        log_.problem(where(name),
                     fmt::format("{} is out of range", *value),
                     std::isinf(highest) ? fmt::format("it is {} or more", lowest)
                                         : fmt::format("it lies from {} to {}", lowest, highest),
                     "correct it in SolarPILOT");
        return fallback;
    }
    return *value;
}

double Instance::number(const std::string& name, const std::string& unit, double fallback) const {
    constexpr double kAny = std::numeric_limits<double>::infinity();
    return number(name, unit, fallback, -kAny, kAny);
}

double Instance::length(const std::string& name, double fallback) const {
    constexpr double kShortest = 1e-6, kLongest = 1e5;  // metres
    return number(name, "m", fallback, kShortest, kLongest);
}

int Instance::count(const std::string& name, int fallback, int lowest, int highest) const {
    const Variable* found = find(name, fmt::format("{}", fallback));
    if (!found) return fallback;
    const auto value = parse_number(found->value);
    if (value && *value == std::floor(*value) && *value >= lowest && *value <= highest)
        return static_cast<int>(*value);
    log_.problem(
        where(name),
        fmt::format("'{}' is not a whole number from {} to {}", found->value, lowest, highest),
        "",
        "correct it in SolarPILOT");
    return fallback;
}

bool Instance::flag(const std::string& name, bool fallback) const {
    const Variable* found = find(name, fallback ? "true" : "false");
    if (!found) return fallback;
    if (const auto value = parse_switch(found->value)) return *value;
    log_.problem(where(name), fmt::format("'{}' is neither true nor false", found->value));
    return fallback;
}

std::string Instance::text(const std::string& name, const std::string& fallback) const {
    const Variable* found = find(name, fallback);
    return found ? found->value : fallback;
}

std::vector<std::vector<double>> Instance::table(const std::string& name) const {
    std::vector<std::vector<double>> rows;
    std::istringstream lines(text(name, ""));
    for (std::string line; std::getline(lines, line, ';');) {
        if (line.find_first_not_of(" \t\r\n") == std::string::npos) continue;
        std::vector<double>& row = rows.emplace_back();
        std::istringstream cells(line);
        for (std::string cell; std::getline(cells, cell, ',');) {
            const auto value = parse_number(cell);
            if (value && std::isfinite(*value)) {
                row.push_back(*value);
                continue;
            }
            log_.problem(where(name), fmt::format("'{}' is not a finite number", cell));
            return {};
        }
    }
    return rows;
}

}  // namespace helioray::solarpilot
