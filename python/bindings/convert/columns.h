// SPDX-License-Identifier: MIT
// Passes tables whose columns are declared once to Python.
#pragma once

#include "scenario/files/columns.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/convert/arrays.h"
#include "python/bindings/convert/text.h"
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace helioray::python {

/// Returns the columns of a table by their names: lists of texts and arrays of numbers. Columns
/// that some rows do not have are left out.
template <typename Row>
nanobind::dict make_columns(const std::vector<Row>& rows, const Columns<Row>& columns) {
    nanobind::dict dict;
    for (const Column<Row>& column : columns) {
        hdf5::Shape shape = column.shape;
        shape.insert(shape.begin(), rows.size());
        std::visit(
            [&]<typename T>(std::vector<T>&& values) {
                if (values.size() != hdf5::num_elements(shape)) return;
                if constexpr (std::is_same_v<T, std::string>) {
                    nanobind::list list;
                    for (const std::string& text : values) list.append(text);
                    dict[column.name.c_str()] = list;
                } else {
                    dict[column.name.c_str()] = make_array(std::move(values), shape);
                }
            },
            collect_values(rows, column));
    }
    return dict;
}

/// Returns the units of columns with one floating-point number, by their names.
template <typename Row>
nanobind::dict make_units(const Columns<Row>& columns) {
    nanobind::dict dict;
    for (const Column<Row>& column : columns)
        if (is_number(column)) dict[column.name.c_str()] = column.unit;
    return dict;
}

/// Adds the values of a row by the names of their columns: texts, numbers, and tuples of several
/// numbers. Values that the row does not have are left out.
template <typename Row>
void add_values(nanobind::dict& dict, const Row& row, const Columns<Row>& columns) {
    for (const Column<Row>& column : columns)
        std::visit(
            [&](const auto& values) {
                if (values.empty()) return;
                dict[column.name.c_str()] =
                    column.shape.empty()
                        ? nanobind::cast(values.front())
                        : nanobind::object(nanobind::tuple(nanobind::cast(values)));
            },
            row_values(row, column));
}

}  // namespace helioray::python
