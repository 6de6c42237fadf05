// SPDX-License-Identifier: MIT
// Creates tables of series.
#include "app/output/summary/peak_text.h"
#include "app/output/summary/run_context.h"
#include "app/output/summary/summary.h"
#include "app/output/summary/text_table.h"
#include "raytracer/results/series/series_energy.h"
#include "scenario/files/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace helioray {

namespace {

std::string sun_lines(const SeriesResult& series) {
    double lowest = 90.0, highest = -90.0;
    for (const SeriesStep& step : series.steps) {
        lowest = std::min(lowest, step.elevation_deg);
        highest = std::max(highest, step.elevation_deg);
    }
    return fmt::format(
        "{}, elevation {:.1f}° to {:.1f}°", counted(series.steps.size(), "step"), lowest, highest);
}

std::string format_percentage(double value, double of) {
    return of > 0.0 ? percent(value / of) : "-";
}

/// Returns a table of the energy on the targets by day; empty without times.
std::string days_table(const SeriesResult& series) {
    const auto durations = series_durations(series);
    if (!durations) return {};
    TextTable table({{"day", Align::left},
                     {"from", Align::left},
                     {"to", Align::left},
                     {"energy"},
                     {"± from rays"},
                     {"± from steps"}});
    constexpr std::size_t kDateLength = 10;
    for (const SeriesDay& day : durations->days) {
        const SeriesEnergy energy = energy_on_targets(series, *durations, day);
        const std::string& first = series.steps[day.first].time;
        const std::string& last = series.steps[day.end - 1].time;
        table.add_row({first.substr(0, kDateLength),
                       first.substr(std::min(first.size(), kDateLength + 1)),
                       last.substr(std::min(last.size(), kDateLength + 1)),
                       energy_text(energy.value),
                       format_percentage(energy.std_error, energy.value),
                       format_percentage(energy.step_error, energy.value)});
    }
    return "\n" + table.str();
}

std::string targets_of_steps(const SeriesResult& series) {
    TextTable table({{"target", Align::left},
                     {"lowest power"},
                     {"highest power"},
                     {"highest peak flux in kW/m2"},
                     {"at step"}});
    for (const SeriesTarget& target : series.targets) {
        const auto [low, high] = std::minmax_element(target.power_w.begin(), target.power_w.end());
        // Files of earlier versions contain only the largest pixels.
        const bool has_peak = std::isfinite(target.peak_flux_w_m2.front());
        const std::vector<double>& peaks =
            has_peak ? target.peak_flux_w_m2 : target.peak_pixel_w_m2;
        const auto peak = std::max_element(peaks.begin(), peaks.end());
        const auto step = static_cast<std::size_t>(peak - peaks.begin());
        const std::string flux =
            has_peak ? with_error(*peak / 1e3, target.peak_flux_std_error_w_m2[step] / 1e3)
                     : significant(*peak / 1e3, 4) + " (largest pixel)";
        table.add_row({shortened(target.name, kNameWidth),
                       power_text(*low),
                       power_text(*high),
                       *peak > 0.0 ? flux : "-",
                       *peak > 0.0 ? std::to_string(step) : "-"});
    }
    return table.str();
}

}  // namespace

std::string steps_table(const SeriesResult& series, std::size_t max_steps) {
    const bool timed = std::any_of(series.steps.begin(), series.steps.end(), [](const auto& step) {
        return !step.time.empty();
    });
    std::vector<TableColumn> columns{{"step"}};
    if (timed) columns.push_back({"time", Align::left});
    const bool has_temperatures = series.has_temperatures();
    for (const char* name : {"azimuth", "elevation", "DNI"}) columns.push_back({name});
    if (has_temperatures) columns.push_back({"temperature"});
    for (const char* name : {"power in kW", "±", "efficiency"}) columns.push_back({name});
    TextTable table(columns);
    const std::size_t count =
        max_steps == 0 ? series.steps.size() : std::min(max_steps, series.steps.size());
    for (std::size_t i = 0; i < count; ++i) {
        const SeriesStep& step = series.steps[i];
        const EnergyTerms energy = series.field_energy(i);
        const double power = series.power(i);
        std::vector<std::string> row{std::to_string(i)};
        if (timed) row.push_back(step.time);
        row.push_back(fmt::format("{:.2f}°", step.azimuth_deg));
        row.push_back(fmt::format("{:.2f}°", step.elevation_deg));
        row.push_back(significant(step.dni_w_m2, 4));
        if (has_temperatures) row.push_back(fmt::format("{:.1f} °C", *step.temperature_c));
        row.push_back(fmt::format("{:.3f}", power / 1e3));
        row.push_back(power > 0.0 && std::isfinite(power_std_error(series, i))
                          ? significant(100.0 * power_std_error(series, i) / power, 2) + " %"
                          : "-");
        row.push_back(
            energy.solar_power > 0.0
                ? fmt::format("{:.2f} %", 100.0 * energy.target_power / energy.solar_power)
                : "-");
        table.add_row(row);
    }
    std::string text = table.str();
    if (count < series.steps.size())
        text += fmt::format("  ... and {} more\n", series.steps.size() - count);
    return text;
}

std::string series_text(const SeriesResult& series, const OutputFiles& files) {
    const Provenance& p = series.provenance;
    std::string rays = grouped(p.rays);
    if (series.rays_per_second > 0.0)
        rays += "  (" + significant(series.rays_per_second / 1e6, 3) + " Mrays/s)";
    return steps_table(series) + "\n" + targets_of_steps(series) + "\n" +
           key_value_lines({
               {"rays", rays},
               {"time",
                fmt::format("{} tracing, {} in all",
                            duration_text(series.trace_seconds),
                            duration_text(series.total_seconds))},
               {"memory", significant(series.peak_rss_mb, 3) + " MB"},
               {"device",
                fmt::format("{}, {} process{} ({})",
                            p.device,
                            p.world_size,
                            p.world_size == 1 ? "" : "es",
                            p.launcher)},
               {"fingerprint", p.fingerprint},
               {"result", files.result ? files.result->string() : ""},
               {"image", files.image ? files.image->string() : ""},
           });
}

std::string describe_series(const SeriesResult& series, const RunResult& step) {
    const Provenance& p = series.provenance;
    std::string out = "HelioRay result of a series\n";
    out += key_value_lines({
        {"created", p.created},
        {"by", fmt::format("helioray {} ({})", p.helioray_version, p.git_commit)},
        {"scenario", p.scenario_file},
        {"sha256", p.scenario_sha256},
        {"sun", sun_lines(series)},
        {"field", field_extent_text(step)},
        {"idle", idle_text(read_surroundings(step))},
        {"rays", grouped(p.rays)},
        {"seed", std::to_string(p.seed)},
        {"device", device_text(p)},
        {"tracing", duration_text(series.trace_seconds)},
        {"fingerprint", p.fingerprint},
    });
    return out + days_table(series) + "\n" + targets_of_steps(series) + "\n" + steps_table(series);
}

}  // namespace helioray
