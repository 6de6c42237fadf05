// SPDX-License-Identifier: MIT
// Creates tables of runs.
#include "app/output/summary/summary.h"

#include "app/output/summary/peak_text.h"
#include "app/output/summary/run_context.h"
#include "app/output/summary/text_table.h"
#include "raytracer/results/geometry_json.h"
#include "raytracer/results/heliostat_quantity.h"
#include "scenario/files/number_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace helioray {

namespace {

std::vector<std::string> physical_row(const TargetResult& t, const UnitScale& scale) {
    const bool lit = t.power_w > 0.0;
    const bool known = lit && std::isfinite(t.power_std_error_w);
    return {shortened(t.target.name, kNameWidth),
            fmt::format("{:.3f} {}", t.power_w / scale.factor, scale.unit),
            known ? fmt::format("± {} %", significant(100.0 * t.power_std_error_w / t.power_w, 2))
                  : "-",
            lit ? point_text(t.centroid_m) : "-"};
}

/// Returns "peak 5.130 ± 0.052 kW/m2 over 0.091 m2 (largest pixel 6.018)" for every lit target.
std::string peak_lines(const RunResult& result) {
    std::string lines;
    for (const TargetResult& t : result.targets) {
        // Tables show the peaks of receivers.
        if (t.unit != "W/m2" || !(t.power_w > 0.0) || !t.target.receiver.empty()) continue;
        const std::string of =
            result.targets.size() > 1 ? " of " + shortened(t.target.name, kNameWidth) : "";
        lines += fmt::format("  peak flux{} {}\n", of, peak_text(t, "kW/m2"));
    }
    return lines;
}

// Returns the row of an ARTIST bitmap, which contains a value per pixel, in watts or without a
// unit.
std::vector<std::string> bitmap_row(const TargetResult& t) {
    const double sum = std::accumulate(t.flux.begin(), t.flux.end(), 0.0);
    const double peak = t.flux.empty() ? 0.0 : *std::max_element(t.flux.begin(), t.flux.end());
    const bool watts = t.unit == "W";
    return {shortened(t.target.name, kNameWidth),
            watts ? power_text(sum) : "sum " + significant(sum, 6),
            "-",
            significant(peak, 4) + (watts ? " W/pixel" : " per pixel"),
            sum > 0.0 ? point_text(t.centroid_m) : "-"};
}

std::string accuracy_text(const RunResult& result) {
    if (!result.accuracy) return "";
    const AccuracyReport& a = *result.accuracy;
    const char* of = a.of == AccuracyOf::peak ? "peak flux " : "";
    if (!a.is_reached()) {
        return fmt::format("{}± {} instead of {} after all {} rays per heliostat",
                           of,
                           percent(a.reached),
                           percent(a.wanted),
                           grouped(a.rays_per_heliostat));
    }
    const std::string within = a.target.empty()
                                   ? "no target received power"
                                   : fmt::format("{}within ± {}", of, percent(a.reached));
    if (a.rays_per_heliostat == a.most_rays_per_heliostat) {
        return fmt::format("all {} rays per heliostat: {}", grouped(a.rays_per_heliostat), within);
    }
    return fmt::format("stopped after {} of {} rays per heliostat: {}",
                       grouped(a.rays_per_heliostat),
                       grouped(a.most_rays_per_heliostat),
                       within);
}

std::string run_lines(const RunResult& result, const OutputFiles& files) {
    const Provenance& p = result.provenance;
    const std::string rate = result.rays_per_second > 0.0
                                 ? significant(result.rays_per_second / 1e6, 3) + " Mrays/s"
                                 : "";
    std::string rays = grouped(p.rays);
    if (!rate.empty()) rays += "  (" + rate + ")";
    const std::string processes =
        p.world_size == 1 ? "1 process" : fmt::format("{} processes, {}", p.world_size, p.backend);
    const std::string memory =
        result.peak_rss_mb > 0.0 ? significant(result.peak_rss_mb, 3) + " MB" : "";
    return key_value_lines({
        {"rays", rays},
        {"accuracy", accuracy_text(result)},
        {"time",
         fmt::format("{} tracing, {} in all",
                     duration_text(result.trace_seconds),
                     duration_text(result.total_seconds))},
        {"memory", memory},
        {"device", fmt::format("{}, {} ({})", p.device, processes, p.launcher)},
        {"fingerprint", p.fingerprint},
        {"result", files.result ? files.result->string() : ""},
        {"image", files.image ? files.image->string() : ""},
    });
}

}  // namespace

std::string device_text(const Provenance& p) {
    return p.instruction_set.empty() ? p.device
                                     : fmt::format("{} ({})", p.device, p.instruction_set);
}

namespace {

/// Returns a table of receivers of several surfaces; nothing without them.
std::string receivers_table(const RunResult& result, const UnitScale& scale) {
    const std::vector<ReceiverResult> receivers = receiver_results(result);
    if (receivers.empty()) return "";
    // Reflecting surfaces absorb this part of the light that meets any surface first.
    const bool reflects = has_reflection(result);
    std::vector<TableColumn> columns{
        {"receiver", Align::left}, {"power"}, {"std error"}, {"peak [kW/m2]"}};
    if (reflects) columns.push_back({"incident"});
    if (reflects) columns.push_back({"incident peak [kW/m2]"});
    TextTable table(columns);
    for (const ReceiverResult& receiver : receivers) {
        std::vector<std::string> row{
            receiver.name,
            fmt::format("{} {}", significant(receiver.power_w / scale.factor, 5), scale.unit),
            receiver.power_w > 0.0 ? percent(receiver.power_std_error_w / receiver.power_w) : "-",
            significant(receiver.peak_flux_w_m2 / 1e3, 4)};
        if (reflects) {
            row.push_back(fmt::format(
                "{} {}", significant(receiver.incident_power_w / scale.factor, 5), scale.unit));
            row.push_back(significant(receiver.incident_peak_flux_w_m2 / 1e3, 4));
        }
        table.add_row(row);
    }
    return "\n" + table.str();
}

}  // namespace

std::string targets_table(const RunResult& result) {
    double largest = 0.0;
    for (const TargetResult& t : result.targets) largest = std::max(largest, t.power_w);
    const UnitScale scale = power_scale(largest);
    const auto is_physical = [](const TargetResult& t) { return t.unit == "W/m2"; };
    const bool physical = std::all_of(result.targets.begin(), result.targets.end(), is_physical);
    const bool has_mirrors = std::ranges::any_of(
        result.targets, [](const TargetResult& t) { return t.target.use == SurfaceUse::mirror; });
    std::vector<TableColumn> columns{{"target", Align::left}};
    if (has_mirrors) columns.push_back({"use", Align::left});
    columns.insert(columns.end(), {{"power"}, {"std error"}});
    if (!physical) columns.push_back({"peak"});
    columns.push_back({"centroid (east, north, up) in m"});
    TextTable table(columns);
    for (const TargetResult& t : result.targets) {
        // The light on shields is a loss, which the energy terms show.
        if (t.target.use == SurfaceUse::shield) continue;
        std::vector<std::string> row = is_physical(t) ? physical_row(t, scale) : bitmap_row(t);
        if (!physical && is_physical(t)) row.insert(row.end() - 1, "-");
        if (has_mirrors) row.insert(row.begin() + 1, to_string(t.target.use));
        table.add_row(row);
    }
    return table.str() + receivers_table(result, scale) + peak_lines(result);
}

std::string energy_table(const RunResult& result) {
    const EnergyTerms total = total_energy(result);
    if (!(total.solar_power > 0.0)) return {};
    TextTable table({{"energy", Align::left}, {"kW"}, {"% of solar"}});
    for (const EnergyTermInfo& term : energy_terms_of(result)) {
        const double watts = total.*term.member;
        table.add_row({with_spaces(term.name),
                       fmt::format("{:.3f}", watts / 1e3),
                       fmt::format("{:.2f}", 100.0 * watts / total.solar_power)});
    }
    return table.str();
}

std::string summary_text(const RunResult& result, const OutputFiles& files) {
    std::string out = targets_table(result) + "\n";
    const std::string energy = energy_table(result);
    if (!energy.empty()) out += energy + "\n";
    return out + run_lines(result, files);
}

namespace {

constexpr std::size_t kNarrowName = 20;

std::string bodies_text(const Surroundings& surroundings) {
    std::vector<std::string> names;
    for (const ObstacleConfig& obstacle : surroundings.obstacles) names.push_back(obstacle.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string provenance_lines(const RunResult& result) {
    const Provenance& p = result.provenance;
    const Surroundings surroundings = read_surroundings(result);
    return key_value_lines({
        {"created", p.created},
        {"by", fmt::format("helioray {} ({})", p.helioray_version, p.git_commit)},
        {"scenario", p.scenario_file},
        {"sha256", p.scenario_sha256},
        {"light", light_text(result)},
        {"sun", sun_text(p.sun_direction)},
        {"field", field_extent_text(result)},
        {"idle", idle_text(surroundings)},
        {"bodies", bodies_text(surroundings)},
        {"terrain", surroundings.terrain},
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
        if (const auto* mesh = std::get_if<MeshTarget>(&t.target.geometry)) {
            table.add_row({shortened(t.target.name, kNarrowName),
                           target_kind(t.target),
                           fmt::format("{} m2", significant(width * height, 4)),
                           fmt::format("{} triangles", num_triangles(*mesh)),
                           "-",
                           t.unit});
            continue;
        }
        table.add_row({shortened(t.target.name, kNarrowName),
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
    // List the heliostats with the most power first; equal ones keep the file's order.
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
            {shortened(h.name, kNarrowName),
             shortened(h.target, kNarrowName),
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
    std::string out = "HelioRay result\n" + provenance_lines(result);
    out += fmt::format("\n{}\n", counted(result.targets.size(), "target"));
    out += maps_table(result) + "\n" + targets_table(result);
    const std::string energy = energy_table(result);
    if (!energy.empty()) out += "\nField energy\n" + energy;
    out += fmt::format("\n{}{}\n",
                       counted(result.heliostats.size(), "heliostat"),
                       result.heliostats.size() > 1 ? ", strongest first" : "");
    out += heliostats_table(result, max_heliostats);
    return out;
}

}  // namespace helioray
