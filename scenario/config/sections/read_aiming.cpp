// SPDX-License-Identifier: MIT
// Reads section aiming: the choice of aim points by `helioray aim`.
#include "scenario/config/bound_key.h"

#include <fmt/format.h>

#include <cmath>

namespace helioray {

namespace {

void read_limit(const Section& aiming, AimingConfig& config) {
    if (!aiming.has("flux_limit")) return;
    if (aiming.has("flux_limit_kw_m2")) {
        aiming.fail("flux_limit",
                    "stands beside flux_limit_kw_m2",
                    "both set the limits",
                    "keep one of the two");
    }
    const size_t before = aiming.problems().size();
    const Section table = aiming.section("flux_limit");
    if (aiming.problems().size() != before) return;
    if (table.require("file", "limits by place are read from a file")) read_members(table, config);
}

void read_objective(const Section& aiming, AimingConfig& config) {
    const YamlNode* node = aiming.find("objective");
    if (!node) return;
    if (node->kind == YamlNode::Kind::scalar) {
        if (node->text != "power") {
            aiming.fail("objective",
                        fmt::format("'{}' is not an objective", node->text),
                        "",
                        "write power, or {target_map: wanted.h5}");
        }
        return;
    }
    const size_t before = aiming.problems().size();
    const Section objective = aiming.section("objective");
    if (aiming.problems().size() != before) return;
    if (!objective.require("target_map", "an objective that is not power is a map")) return;
    if (config.strategy != AimingConfig::Strategy::optimize) {
        objective.fail(
            "target_map",
            fmt::format("strategy {} takes no map", find_word(kStrategies, config.strategy)),
            "only optimize comes close to one",
            "set aiming.strategy: optimize, or aiming.objective: power");
    }
    read_members(objective, config);
}

void read_shares(const Section& aiming, AimingConfig& config) {
    if (!aiming.has("target_shares")) return;
    const size_t before = aiming.problems().size();
    const Section shares = aiming.section("target_shares");
    double sum = 0.0;
    for (const std::string& name : shares.keys()) {
        const double share = shares.number(name).value_or(0.0);
        config.target_shares[name] = share;
        sum += share;
    }
    if (aiming.problems().size() != before) return;
    // Decimal numbers of a few digits do not always sum up exactly.
    constexpr double kRounding = 1e-6;
    const auto fail = [&](const std::string& what, const char* why, const char* advice) {
        aiming.fail("target_shares", what, why, advice);
    };
    if (config.target_shares.size() < 2) {
        fail(fmt::format("names {} target(s)", config.target_shares.size()),
             "there is nothing to share",
             "name two or more targets, or set aim.target for all heliostats");
    } else if (!(std::abs(sum - 1.0) <= kRounding)) {
        fail(fmt::format("the shares add up to {:.9g}", sum),
             "they are shares of the whole power",
             "give shares with the sum 1, for example {north: 0.6, south: 0.4}");
    } else if (config.target_map) {
        fail("stands beside aiming.objective.target_map",
             "wanted maps say how much power each target gets",
             "keep one of the two");
    }
    for (auto& [name, share] : config.target_shares) share /= sum;
}

}  // namespace

void read_aiming(const Section& root, AimingConfig& config) {
    const Section aiming = root.section("aiming");
    read_members(aiming, config);
    read_limit(aiming, config);
    read_objective(aiming, config);
    read_shares(aiming, config);
    if (config.robust_confidence && config.robust_sigma > 0.0) {
        aiming.fail("robust_confidence",
                    "stands beside robust_sigma",
                    "both say how much room limits leave for aim errors",
                    "keep one of the two");
    }
}

}  // namespace helioray
