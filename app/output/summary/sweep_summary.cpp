// SPDX-License-Identifier: MIT
// Creates tables and JSON of a sweep.
#include "app/output/summary/peak_text.h"
#include "app/output/summary/summary.h"
#include "app/output/summary/text_table.h"
#include "raytracer/studies/sweep/sweep_file.h"
#include "raytracer/studies/sweep/sweep_reader.h"
#include "scenario/files/number_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>

namespace helioray {

namespace {

constexpr size_t kMostLines = 40;
constexpr size_t kValueWidth = 24;

}  // namespace

std::string sweep_text(const sweep::SweepTable& table,
                       const std::filesystem::path& output,
                       double seconds) {
    std::vector<TableColumn> header;
    for (const sweep::Variation& variation : table.variants.variations())
        header.push_back({variation.key});
    const bool is_power = table.rows.front().energy_unit == "W";
    header.push_back({"efficiency"});
    header.push_back({is_power ? "power" : "sum"});
    header.push_back({"peak flux"});
    TextTable lines(std::move(header));
    for (size_t i = 0; i < std::min(table.rows.size(), kMostLines); ++i) {
        const sweep::SweepRow& row = table.rows[i];
        std::vector<std::string> cells;
        for (const std::string& value : table.variants.values(i))
            cells.push_back(shortened(value, kValueWidth));
        double peak = 0.0, error = 0.0;
        for (const sweep::SweepTarget& target : row.targets) {
            if (!(target.peak_flux > peak)) continue;
            peak = target.peak_flux;
            error = target.peak_flux_std_error;
        }
        cells.push_back(fmt::format("{:.4f}", row.efficiency()));
        cells.push_back(is_power ? fmt::format("{:.3f} kW", row.energy.target_power / 1e3)
                                 : fmt::format("{:.6g}", row.energy.target_power));
        cells.push_back(is_power ? with_error(peak / 1e3, error / 1e3) + " kW/m2"
                                 : fmt::format("{:.6g}", peak));
        lines.add_row(std::move(cells));
    }
    std::string text = lines.str();
    if (table.rows.size() > kMostLines)
        text += fmt::format("  ... and {} more in the table\n", table.rows.size() - kMostLines);
    text += "\n" + key_value_lines({{"variants", grouped(std::ssize(table.rows))},
                                    {"done before",
                                     table.done_before > 0 ? fmt::format("{}", table.done_before)
                                                           : std::string()},
                                    {"time", duration_text(seconds)},
                                    {"table", output.string()}});
    return text;
}

namespace {

/// A column with its errors.
struct ShownColumn {
    std::string title;
    sweep::SweptNumber number;
    UnitScale scale;
};

std::vector<ShownColumn> choose_columns(const sweep::StoredSweep& table) {
    std::vector<ShownColumn> shown;
    const auto add =
        [&](const std::string& title, const sweep::SweptNumber& number, const UnitScale& scale) {
            if (number.values != nullptr) shown.push_back({title, number, scale});
        };
    add("efficiency", table.efficiency(), {1.0, ""});
    // Model artist may have numbers without a unit.
    const bool is_power = table.target_power() != nullptr;
    for (const sweep::SweptTarget& target : table.targets()) {
        const std::string on = " on " + shortened(target.name, kValueWidth);
        add("power" + on, target.power, is_power ? UnitScale{1e3, " kW"} : UnitScale{1.0, ""});
        add("peak flux" + on,
            target.peak_flux,
            is_power ? UnitScale{1e3, " kW/m2"} : UnitScale{1.0, ""});
    }
    return shown;
}

std::string cell_text(const ShownColumn& column, size_t variant) {
    const double value = column.number.values->numbers[variant] / column.scale.factor;
    const sweep::SweptColumn* errors = column.number.errors;
    if (errors == nullptr) return significant(value, 5) + column.scale.unit;
    return with_error(value, errors->numbers[variant] / column.scale.factor) + column.scale.unit;
}

}  // namespace

std::string stored_sweep_text(const sweep::StoredSweep& table) {
    std::vector<TableColumn> header;
    for (const sweep::SweptKey& key : table.keys) header.push_back({key.key});
    std::vector<ShownColumn> columns = choose_columns(table);
    for (const ShownColumn& column : columns) header.push_back({column.title});
    TextTable lines(std::move(header));
    for (size_t i = 0; i < std::min(table.size(), kMostLines); ++i) {
        std::vector<std::string> cells;
        for (const sweep::SweptKey& key : table.keys)
            cells.push_back(shortened(key.values[i], kValueWidth));
        for (const ShownColumn& column : columns) cells.push_back(cell_text(column, i));
        lines.add_row(std::move(cells));
    }
    std::string text = lines.str();
    if (table.size() > kMostLines)
        text += fmt::format("  ... and {} more in the table\n", table.size() - kMostLines);
    return text + "\n" + key_value_lines({{"variants", grouped(std::ssize(table.fingerprints))}});
}

nlohmann::json sweep_json(const sweep::SweepTable& table,
                          const std::filesystem::path& output,
                          double seconds) {
    const std::vector<sweep::SweepColumn> columns = sweep::columns_of(table);
    nlohmann::json rows = nlohmann::json::array();
    for (size_t i = 0; i < table.rows.size(); ++i) {
        nlohmann::json row;
        const std::vector<std::string> values = table.variants.values(i);
        for (size_t key = 0; key < values.size(); ++key)
            row["vary"][table.variants.variations()[key].key] = values[key];
        for (const sweep::SweepColumn& column : columns) {
            if (column.is_count)
                row[column.name] = static_cast<std::int64_t>(column.numbers[i]);
            else
                row[column.name] = column.numbers[i];
        }
        row["fingerprint"] = table.rows[i].fingerprint;
        rows.push_back(std::move(row));
    }
    return {{"variants", std::move(rows)},
            {"warnings", sweep::light_warnings(table)},
            {"done_before", table.done_before},
            {"seconds", seconds},
            {"output", output.string()}};
}

}  // namespace helioray
