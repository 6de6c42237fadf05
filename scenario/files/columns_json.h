// SPDX-License-Identifier: MIT
// JSON of tables whose columns are declared once.
#pragma once

#include "scenario/files/columns.h"

#include <nlohmann/json.hpp>

namespace helioray {

/// Returns values as JSON: one value, or arrays within arrays with the extents `lead` and those of
/// the column.
nlohmann::json json_values(const ColumnInfo& info,
                           const ColumnValues& values,
                           const hdf5::Shape& lead = {});

/// Returns an object with the values of a row by the names of the columns; null for a value that
/// the row does not have.
template <typename Row>
nlohmann::json json_of(const Row& row, const Columns<Row>& columns) {
    nlohmann::json object = nlohmann::json::object();
    for (const Column<Row>& column : columns) {
        const ColumnValues values = row_values(row, column);
        object[column.name] =
            count_values(values) > 0 ? json_values(column, values) : nlohmann::json(nullptr);
    }
    return object;
}

/// Returns an object with an array of all rows for each column.
template <typename Row>
nlohmann::json json_columns(const std::vector<Row>& rows, const Columns<Row>& columns) {
    nlohmann::json object = nlohmann::json::object();
    for (const Column<Row>& column : columns)
        object[column.name] = json_values(column, collect_values(rows, column), {rows.size()});
    return object;
}

}  // namespace helioray
