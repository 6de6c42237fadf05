// SPDX-License-Identifier: MIT
// Joins a scenario's targets with the receivers of a configuration.
#include "scenario/receivers/add_receivers.h"

#include "scenario/receivers/shapes.h"
#include "scenario/types/receivers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace helioray {

void add_receiver(const std::string& name, const ReceiverConfig& receiver, Scenario& scenario) {
    ReceiverSurfaces made = make_receiver(name, receiver);
    scenario.receivers.push_back({name, made.aim_point});
    std::move(made.targets.begin(), made.targets.end(), std::back_inserter(scenario.targets));
    const auto by_name = [](const auto& a, const auto& b) { return a.name < b.name; };
    std::stable_sort(scenario.receivers.begin(), scenario.receivers.end(), by_name);
    std::stable_sort(
        scenario.targets.begin(), scenario.targets.end(), [](const Target& a, const Target& b) {
            return std::pair(a.geometry.index(), a.name) < std::pair(b.geometry.index(), b.name);
        });
}

void add_receivers(const RunConfig& config, Scenario& scenario) {
    if (config.receivers.empty()) return;
    std::vector<Problem> problems;
    for (const auto& [name, receiver] : config.receivers) {
        std::vector<std::string> names{name};
        for (const Target& target : make_receiver(name, receiver).targets)
            names.push_back(target.name);
        for (const std::string& taken : names) {
            if (!scenario.find_target(taken) && !scenario.find_receiver(taken)) continue;
            problems.push_back({place_of(config, "receivers." + name),
                                fmt::format("the scenario has '{}' already", taken),
                                "targets and receivers are known by name",
                                "choose another name"});
            break;
        }
    }
    if (!problems.empty()) throw InputError(std::move(problems));
    for (const auto& [name, receiver] : config.receivers) add_receiver(name, receiver, scenario);
    const auto place = [&](const std::string& receiver, const std::string& surface) {
        return place_of(config, "receivers." + receiver) + (surface.empty() ? "" : " " + surface);
    };
    problems = check_receivers(
        scenario.targets,
        scenario.receivers,
        {[&](const Target& target, const std::string& member) {
             return place(target.receiver, target.name + (member.empty() ? "" : "." + member));
         },
         [&](const Receiver& receiver, const std::string&) { return place(receiver.name, ""); }});
    if (!problems.empty()) throw InputError(std::move(problems));
}

std::shared_ptr<const Scenario> with_receivers(const RunConfig& config,
                                               std::shared_ptr<const Scenario> scenario) {
    if (config.receivers.empty() || !scenario) return scenario;
    Scenario changed = *scenario;
    add_receivers(config, changed);
    return std::make_shared<const Scenario>(std::move(changed));
}

}  // namespace helioray
