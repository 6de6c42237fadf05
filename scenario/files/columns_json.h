// SPDX-License-Identifier: MIT
// JSON of tables whose columns are declared once.
#pragma once

#include "scenario/files/columns.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace helioray {

/// Returns the name of a column in JSON objects; empty if they leave it out.
inline std::string json_name(const ColumnInfo& info) {
    return info.json.value_or(info.name);
}

/// Returns values as JSON: one value, or arrays within arrays with the extents `lead` and those of
/// the column. list: extents of a list; not set: it is one array.
nlohmann::json json_values(const ColumnInfo& info,
                           const ColumnValues& values,
                           const hdf5::Shape& lead = {},
                           const std::optional<hdf5::Shape>& list = std::nullopt);

/// Returns an object with the values of a row by the names of the columns; null for a value that
/// the row does not have. list: as in json_values().
template <typename Row>
nlohmann::json json_of(const Row& row,
                       const Columns<Row>& columns,
                       const std::optional<hdf5::Shape>& list = std::nullopt) {
    nlohmann::json object = nlohmann::json::object();
    for (const Column<Row>& column : columns) {
        const std::string name = json_name(column);
        if (name.empty()) continue;
        const ColumnValues values = row_values(row, column);
        object[name] = count_values(values) > 0 ? json_values(column, values, {}, list)
                                                : nlohmann::json(nullptr);
    }
    return object;
}

/// Returns an object with an array of all rows for each column, without optional columns that some
/// row lacks.
template <typename Row>
nlohmann::json json_columns(const std::vector<Row>& rows, const Columns<Row>& columns) {
    nlohmann::json object = nlohmann::json::object();
    for (const Column<Row>& column : columns) {
        const std::string name = json_name(column);
        if (!name.empty() && is_known(rows, column))
            object[name] = json_values(column, collect_values(rows, column), {rows.size()});
    }
    return object;
}

}  // namespace helioray
