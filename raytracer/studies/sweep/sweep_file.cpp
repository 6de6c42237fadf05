// SPDX-License-Identifier: MIT
// Columns of a sweep, and its files.
#include "raytracer/studies/sweep/sweep_file.h"

#include "raytracer/results/result_layout.h"
#include "raytracer/studies/sweep/sweep_columns.h"
#include "scenario/files/error.h"
#include "scenario/files/output_files.h"
#include "scenario/files/text_encoding.h"
#include "scenario/types/choices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

namespace helioray::sweep {

namespace {

// A new member does not compile before it is named here: declare its column in columns_of().
[[maybe_unused]] void name_members(const SweepRow& row) {
    [[maybe_unused]] const auto& [energy, power_error, targets, rays, seconds, fingerprint, unit] =
        row;
}

/// Returns the names of all targets in the order of their first appearance in the variants.
std::vector<std::string> target_names(const SweepTable& table) {
    std::vector<std::string> names;
    for (const SweepRow& row : table.rows) {
        for (const SweepTarget& target : row.targets)
            if (std::find(names.begin(), names.end(), target.name) == names.end())
                names.push_back(target.name);
    }
    return names;
}

std::vector<double> collect_numbers(const SweepTable& table,
                                    const std::function<double(const SweepRow&)>& get) {
    std::vector<double> numbers;
    for (const SweepRow& row : table.rows) numbers.push_back(get(row));
    return numbers;
}

double of_target(const SweepRow& row, const std::string& name, double SweepTarget::*member) {
    for (const SweepTarget& target : row.targets)
        if (target.name == name) return target.*member;
    return std::numeric_limits<double>::quiet_NaN();
}

bool is_csv(const std::filesystem::path& path) {
    return lower_extension(path) == ".csv";
}

std::string format_csv(const SweepTable& table) {
    const std::vector<SweepColumn> columns = columns_of(table);
    std::vector<std::string> cells;
    for (const Variation& variation : table.variants.variations())
        cells.push_back(csv_cell(variation.key));
    for (const SweepColumn& column : columns) cells.push_back(csv_cell(column.name));
    std::string text = fmt::format("{},fingerprint\n", fmt::join(cells, ","));
    for (size_t i = 0; i < table.rows.size(); ++i) {
        cells.clear();
        for (const std::string& value : table.variants.values(i)) cells.push_back(csv_cell(value));
        for (const SweepColumn& column : columns)
            cells.push_back(fmt::format("{}", column.numbers[i]));
        text += fmt::format("{},{}\n", fmt::join(cells, ","), table.rows[i].fingerprint);
    }
    return text;
}

/// Writes the values of a key for each variant, as numbers if all values are numbers.
void write_values(hdf5::Group& group, const SweepTable& table, size_t key) {
    const Variation& variation = table.variants.variations()[key];
    const size_t count = table.rows.size();
    std::vector<std::string> texts;
    for (size_t i = 0; i < count; ++i) texts.push_back(table.variants.values(i)[key]);
    std::vector<double> numbers;
    for (const std::string& text : texts) {
        if (const auto number = number_of(text)) numbers.push_back(*number);
    }
    const char* description = "The key's value in each variant, in the unit of its name.";
    if (numbers.size() == count) {
        annotate(group.write_array<double>(variation.key, numbers, {count}), "", description);
    } else {
        annotate(group.write_strings(variation.key, texts), "", description);
    }
}

void write_hdf5(const SweepTable& table, const std::filesystem::path& path) {
    write_image(path, [&](hdf5::Group root) {
        root.write_attribute("format", "helioray-sweep");
        root.write_attribute("format_version", 1);
        hdf5::Group vary = root.create_group("vary");
        for (size_t key = 0; key < table.variants.variations().size(); ++key)
            write_values(vary, table, key);
        hdf5::Group results = root.create_group("results");
        for (const SweepColumn& column : columns_of(table)) {
            const hdf5::Shape shape{column.numbers.size()};
            annotate(column.is_count
                         ? results.write_array<std::int64_t>(
                               column.name, {column.numbers.begin(), column.numbers.end()}, shape)
                         : results.write_array<double>(column.name, column.numbers, shape),
                     column.unit,
                     column.description);
        }
        std::vector<std::string> fingerprints;
        for (const SweepRow& row : table.rows) fingerprints.push_back(row.fingerprint);
        annotate(results.write_strings("fingerprint", fingerprints), "", "Of each variant.");
    });
}

}  // namespace

std::vector<SweepColumn> columns_of(const SweepTable& table) {
    // Model artist has other units.
    const std::string unit = table.rows.empty() ? "W" : table.rows.front().energy_unit;
    std::vector<SweepColumn> columns;
    columns.push_back(
        {kEfficiency,
         "1",
         "Power on all targets over the power on the area of all mirrors.",
         collect_numbers(table, [](const SweepRow& row) { return row.efficiency(); })});
    columns.push_back({kEfficiencyError,
                       "1",
                       "Standard error of the efficiency.",
                       collect_numbers(table, [](const SweepRow& row) {
                           return row.energy.solar_power > 0.0
                                      ? row.target_power_std_error / row.energy.solar_power
                                      : 0.0;
                       })});
    for (const EnergyTermInfo& term : energy_term_infos()) {
        std::vector<double> values =
            collect_numbers(table, [&](const SweepRow& row) { return row.energy.*term.member; });
        const bool is_zero = std::ranges::all_of(values, [](double value) { return value == 0.0; });
        if (term.is_of_receivers && is_zero) continue;
        columns.push_back(
            {term.name + unit_ending(unit), unit, term.description, std::move(values)});
    }
    for (const std::string& name : target_names(table))
        for (const TargetNumber& number : kTargetNumbers)
            columns.push_back({number.prefix(unit) + name,
                               unit_of(number.dimension, unit),
                               number.description,
                               collect_numbers(table, [&](const SweepRow& row) {
                                   return of_target(row, name, number.member);
                               })});
    columns.push_back(
        {"rays",
         "1",
         "Rays traced.",
         collect_numbers(table, [](const SweepRow& row) { return static_cast<double>(row.rays); }),
         true});
    columns.push_back({"trace_seconds",
                       "s",
                       "Time that tracing took.",
                       collect_numbers(table, [](const SweepRow& row) { return row.seconds; })});
    return columns;
}

void write_sweep(const SweepTable& table, const std::filesystem::path& path) {
    check_sweep_ending(path);
    if (!is_csv(path)) return write_hdf5(table, path);
    write_text_file(path, format_csv(table));
}

void check_sweep_ending(const std::filesystem::path& path) {
    std::vector<std::string> endings{".csv"};
    endings.insert(endings.end(), kResultEndings.begin(), kResultEndings.end());
    check_ending("--output", path, "the ending chooses the format of the table", endings);
}

}  // namespace helioray::sweep
