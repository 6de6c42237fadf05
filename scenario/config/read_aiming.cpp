// SPDX-License-Identifier: MIT
// Section aiming: how `helioray aim` chooses aim points.
#include "scenario/config/section.h"

#include <fmt/format.h>

namespace helioray {

namespace {

void read_limit(const Section& aiming,
                const std::filesystem::path& base_dir,
                AimingConfig& config) {
    if (const auto limit = aiming.number("flux_limit_kw_m2")) config.flux_limit = *limit * 1e3;
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
    if (table.require("file", "limits by place are read from a file"))
        config.flux_limit_file = existing_file(table, "file", base_dir);
}

void read_objective(const Section& aiming,
                    const std::filesystem::path& base_dir,
                    AimingConfig& config) {
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
            fmt::format("strategy {} takes no map", word_of(kStrategies, config.strategy)),
            "only optimize comes close to one",
            "set aiming.strategy: optimize, or aiming.objective: power");
    }
    config.target_map = existing_file(objective, "target_map", base_dir);
    assign(config.map_measure, objective.choice("measure", kMapMeasures));
}

}  // namespace

void read_aiming(const Section& root, const std::filesystem::path& base_dir, AimingConfig& config) {
    const Section aiming = root.section("aiming");
    assign(config.strategy, aiming.choice("strategy", kStrategies));
    read_limit(aiming, base_dir, config);
    read_objective(aiming, base_dir, config);
    assign(config.robust_sigma, aiming.number("robust_sigma"));
    assign(config.sigma_factor, aiming.number("sigma_factor"));
    config.max_move_m_per_minute = aiming.number("max_move_m_per_minute");
    assign(config.min_move, aiming.number("min_move_m"));
}

}  // namespace helioray
