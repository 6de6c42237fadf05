// SPDX-License-Identifier: MIT
// Writes tables of a whole series: by step, by heliostat, and the power of heliostats by step.
#include "app/output/export/export_files.h"
#include "raytracer/results/heliostat_quantity.h"
#include "raytracer/results/result_columns.h"
#include "raytracer/results/series/series_energy.h"
#include "raytracer/tracing/job/mirror_outline.h"
#include "scenario/files/text_encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace helioray {

namespace {

/// Returns the number of a step of the series, to which the row belongs.
std::size_t find_index(const SeriesResult& series, const SeriesStep& step) {
    return static_cast<std::size_t>(&step - series.steps.data());
}

/// Returns the columns of steps.csv: number, time and sun, powers and energy terms of the field.
Columns<SeriesStep> field_columns(const SeriesResult& series) {
    using Row = SeriesStep;
    Columns<Row> columns = step_columns();
    // Columns about the run stand at the end.
    const auto is_of_run = [](const Column<Row>& column) {
        return column.name == "rays" || column.name == "fingerprint" ||
               column.name == "trace_seconds";
    };
    const auto first_of_run = std::ranges::stable_partition(
        columns, [&](const Column<Row>& column) { return !is_of_run(column); });
    Columns<Row> run(first_of_run.begin(), first_of_run.end());
    columns.erase(first_of_run.begin(), columns.end());
    std::erase_if(columns,
                  [](const Column<Row>& column) { return column.name == "sun_direction"; });
    columns.insert(columns.begin(), derived_column<Row>({.name = "step"}, [&](const Row& row) {
                       return static_cast<std::int64_t>(find_index(series, row));
                   }));
    if (auto durations = series_durations(series))
        columns.push_back(
            derived_column<Row>({.name = "duration", .unit = "s"},
                                [&series, seconds = std::move(durations->seconds)](const Row& row) {
                                    return seconds[find_index(series, row)];
                                }));
    columns.push_back(derived_column<Row>({.name = "efficiency"}, [&](const Row& row) {
        const EnergyTerms energy = series.field_energy(find_index(series, row));
        return energy.target_power / energy.solar_power;
    }));
    columns.push_back(derived_column<Row>({.name = "efficiency_std_error"}, [&](const Row& row) {
        const std::size_t step = find_index(series, row);
        return power_std_error(series, step) / series.field_energy(step).solar_power;
    }));
    for (const EnergyTermInfo& term : energy_terms_of(series))
        columns.push_back(derived_column<Row>({term.name, "W", ""}, [&](const Row& row) {
            return series.field_energy(find_index(series, row)).*term.member;
        }));
    columns.push_back(derived_column<Row>({"target_power_std_error", "W", ""}, [&](const Row& row) {
        return power_std_error(series, find_index(series, row));
    }));
    columns.insert(columns.end(), run.begin(), run.end());
    return columns;
}

/// Returns the headers ",power_w:NAME" of a target's columns, which are named like those of a run.
std::string target_headers(const SeriesTarget& target) {
    std::string text;
    for (const Column<TargetResult>& column : target_columns())
        for (const std::string& header : csv_headers(column))
            text += "," + csv_cell(header + ":" + target.name);
    return text;
}

/// Returns the values of a target in one step, in the order of target_headers().
std::string target_cells(const SeriesTarget& target, std::size_t step) {
    std::string text;
    const Columns<SeriesTarget>& columns = series_target_columns();
    for (std::size_t k = 0; k < columns.size(); ++k) {
        const auto all = std::get<std::vector<double>>(row_values(target, columns[k]));
        const std::size_t each = csv_headers(target_columns()[k]).size();
        for (std::size_t i = 0; i < each; ++i) text += fmt::format(",{}", all[step * each + i]);
    }
    return text;
}

std::string steps_csv(const SeriesResult& series) {
    const std::string field = csv_table(series.steps, field_columns(series));
    std::string text;
    std::size_t line = 0;
    for (std::size_t at = 0; at < field.size(); ++line) {
        const std::size_t end = field.find('\n', at);
        text += field.substr(at, end - at);
        for (const SeriesTarget& target : series.targets)
            text += line == 0 ? target_headers(target) : target_cells(target, line - 1);
        text += "\n";
        at = end + 1;
    }
    return text;
}

std::string power_csv(const SeriesResult& series) {
    std::string text = "step,time";
    for (const std::string& name : series.heliostats) text += "," + csv_cell(name);
    text += "\n";
    const std::size_t count = series.heliostats.size();
    for (std::size_t step = 0; step < series.steps.size(); ++step) {
        text += fmt::format("{},{}", step, series.steps[step].time);
        for (std::size_t i = 0; i < count; ++i)
            text += fmt::format(",{}", series.energy[step * count + i].target_power);
        text += "\n";
    }
    return text;
}

std::string heliostats_csv(const RunResult& plan) {
    using Row = HeliostatResult;
    const std::string unit = energy_unit(plan);
    Columns<Row> columns{
        derived_column<Row>({.name = "name"}, [](const Row& row) { return row.name; }),
        derived_column<Row>({.name = "target"}, [](const Row& row) { return row.target; }),
        derived_column<Row>({.name = "origin", .csv = {{"east_m", "north_m", "up_m"}}},
                            &mirror_origin),
        derived_column<Row>({.name = "efficiency"}, heliostat_quantities().front().value)};
    for (const Column<Row>& column : heliostat_columns(plan)) {
        if (!is_number(column) || column.unit != unit) continue;
        columns.push_back(column);
        if (unit != "J") continue;
        std::string& name = columns.back().name;
        if (const std::size_t at = name.find("_power"); at != std::string::npos)
            name.replace(at, 6, "_energy");
    }
    return csv_table(plan.heliostats, columns);
}

}  // namespace

std::vector<ExportFile> series_csv_files(const SeriesResult& series, const RunResult& plan) {
    return {{"steps.csv", steps_csv(series)},
            {"heliostats.csv", heliostats_csv(plan)},
            {"heliostat_power.csv", power_csv(series)}};
}

}  // namespace helioray
