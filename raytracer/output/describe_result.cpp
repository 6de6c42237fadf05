// SPDX-License-Identifier: MIT
// Tables of a result file's contents.
#include "raytracer/output/describe_result.h"

#include "raytracer/output/geometry_json.h"
#include "raytracer/output/number_text.h"
#include "raytracer/output/summary.h"
#include "raytracer/output/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace helioray {

namespace {

constexpr std::size_t kNameWidth = 20;

std::string provenance_lines(const Provenance& p) {
    return key_value_lines({
        {"created", p.created},
        {"by", fmt::format("helioray {} ({})", p.helioray_version, p.git_commit)},
        {"scenario", p.scenario_file},
        {"sha256", p.scenario_sha256},
        {"sun", sun_text(p.sun_direction)},
        {"rays", grouped(p.rays)},
        {"seed", std::to_string(p.seed)},
        {"device",
         fmt::format("{}, {} process{} ({}), backend {}",
                     device_text(p),
                     p.world_size,
                     p.world_size == 1 ? "" : "es",
                     p.launcher,
                     p.backend)},
        {"fingerprint", p.fingerprint},
    });
}

std::string maps_table(const RunResult& result) {
    TextTable table({{"target", Align::left},
                     {"kind", Align::left},
                     {"width x height in m"},
                     {"pixels"},
                     {"pixel in mm"},
                     {"unit", Align::left}});
    for (const TargetResult& t : result.targets) {
        const auto [width, height] = surface_extent(t.target);
        constexpr double kMilli = 1e3;
        table.add_row({shortened(t.target.name, kNameWidth),
                       target_kind(t.target),
                       fmt::format("{} x {}", significant(width, 4), significant(height, 4)),
                       fmt::format("{} x {}", t.width, t.height),
                       fmt::format("{} x {}",
                                   significant(width / static_cast<double>(t.width) * kMilli, 3),
                                   significant(height / static_cast<double>(t.height) * kMilli, 3)),
                       t.unit});
    }
    return table.str();
}

std::string heliostats_table(const RunResult& result, std::size_t max_heliostats) {
    // Strongest first; equal ones stay in the file's order.
    std::vector<std::size_t> order(result.heliostats.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return result.heliostats[a].energy.target_power > result.heliostats[b].energy.target_power;
    });
    if (max_heliostats > 0 && order.size() > max_heliostats) order.resize(max_heliostats);

    TextTable table({{"heliostat", Align::left},
                     {"target", Align::left},
                     {"power in kW"},
                     {"± kW"},
                     {"efficiency"},
                     {"rays"}});
    for (const std::size_t i : order) {
        const HeliostatResult& h = result.heliostats[i];
        const bool lit = h.energy.solar_power > 0.0;
        table.add_row(
            {shortened(h.name, kNameWidth),
             shortened(h.target, kNameWidth),
             fmt::format("{:.3f}", h.energy.target_power / 1e3),
             significant(h.target_power_std_error / 1e3, 2),
             lit ? fmt::format("{:.2f} %", 100.0 * h.energy.target_power / h.energy.solar_power)
                 : "-",
             grouped(h.rays)});
    }
    std::string out = table.str();
    if (order.size() < result.heliostats.size()) {
        out += fmt::format("  ... and {} more\n", result.heliostats.size() - order.size());
    }
    return out;
}

}  // namespace

std::string describe_result(const RunResult& result, std::size_t max_heliostats) {
    std::string out = "HelioRay result\n" + provenance_lines(result.provenance);
    out += fmt::format(
        "\n{} target{}\n", result.targets.size(), result.targets.size() == 1 ? "" : "s");
    out += maps_table(result) + "\n" + targets_table(result);
    const std::string energy = energy_table(result);
    if (!energy.empty()) out += "\nField energy\n" + energy;
    out += fmt::format("\n{} heliostat{}{}\n",
                       grouped(static_cast<std::int64_t>(result.heliostats.size())),
                       result.heliostats.size() == 1 ? "" : "s",
                       result.heliostats.size() > 1 ? ", strongest first" : "");
    out += heliostats_table(result, max_heliostats);
    return out;
}

}  // namespace helioray
