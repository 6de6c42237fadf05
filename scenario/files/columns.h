// SPDX-License-Identifier: MIT
// Columns of tables, declared once with name, unit, description and member. HDF5 files, CSV and
// JSON are written and read from this declaration.
#pragma once

#include "scenario/files/hdf5/file.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace helioray {

/// Values of one column, row after row. Booleans are stored as int32_t.
using ColumnValues = std::variant<std::vector<double>,
                                  std::vector<std::int64_t>,
                                  std::vector<std::int32_t>,
                                  std::vector<std::string>>;

/// Description of a column.
struct ColumnInfo {
    std::string name{};         ///< name in files, JSON and Python
    std::string unit{};         ///< unit, "W" or "1"
    std::string description{};  ///< one sentence
    hdf5::Shape shape{};        ///< extents of each row's value; empty for one number or text
    /// Names of the axes of `shape` in files whose axes have dimension scales.
    std::vector<std::string> axes{};
    /// Headers in CSV tables, one for each value of a row; an empty list leaves the column out. Not
    /// set: see csv_headers().
    std::optional<std::vector<std::string>> csv{};
    /// Name in JSON objects; an empty text leaves the column out. Not set: `name`.
    std::optional<std::string> json{};
    bool is_optional = false;  ///< files may lack the column; rows then keep their defaults
    bool is_constant = false;  ///< the column is equal in all steps of a series
    ColumnValues type{};       ///< empty list of the type of the values; set by column()
    /// Each row has a list of values: a leading axis of any length before `shape`. Set by column().
    bool is_list = false;
};

/// A column of a table whose rows are `Row`.
template <typename Row>
struct Column : ColumnInfo {
    /// Appends the value of a row. Appends nothing for an empty std::optional.
    std::function<void(const Row&, ColumnValues&)> append;
    /// Sets the value of a row from `count` values, from the value `first` on. Not set for derived
    /// columns, which are only written.
    std::function<void(Row&, const ColumnValues&, std::size_t first, std::size_t count)> assign;
};

/// All columns of a table, in the order in which they are written.
template <typename Row>
using Columns = std::vector<Column<Row>>;

/// Conversions between members of structs and values of columns.
namespace column_values {

/// Type and shape of the values for a member of type V: a number, a boolean or a text.
template <typename V>
struct Traits {
    /// Type in files.
    using Stored = std::conditional_t<
        std::is_same_v<V, bool>,
        std::int32_t,
        std::conditional_t<std::is_integral_v<V>,
                           std::int64_t,
                           std::conditional_t<std::is_floating_point_v<V>, double, std::string>>>;
    static constexpr bool is_list = false;     ///< true for vectors
    static hdf5::Shape shape() { return {}; }  ///< returns the shape of a value
    /// Appends the value.
    static void append(std::vector<Stored>& to, const V& value) {
        to.push_back(static_cast<Stored>(value));
    }
    /// Returns the value from `count` elements.
    static V make(const Stored* from, std::size_t /*count*/) {
        if constexpr (std::is_same_v<V, bool>) {
            return *from != 0;
        } else if constexpr (std::is_unsigned_v<V>) {
            return static_cast<V>(std::max<Stored>(*from, 0));
        } else {
            return static_cast<V>(*from);
        }
    }
};

/// Lists of elements, which have the members of Traits in common.
template <typename List>
struct ListTraits {
    using Element = Traits<typename List::value_type>;  ///< traits of an element
    using Stored = typename Element::Stored;            ///< type in files
    /// Appends all elements.
    static void append(std::vector<Stored>& to, const List& values) {
        for (const auto& value : values) Element::append(to, value);
    }
    /// Sets all elements from equal parts of `count` values.
    static void fill(List& values, const Stored* from, std::size_t count) {
        const std::size_t each = values.empty() ? 0 : count / values.size();
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = Element::make(from + i * each, each);
    }
};

/// Arrays, whose length is part of the shape.
template <typename V, std::size_t N>
struct Traits<std::array<V, N>> : ListTraits<std::array<V, N>> {
    static constexpr bool is_list = false;  ///< the length is known
    /// Returns the shape of a value.
    static hdf5::Shape shape() {
        hdf5::Shape shape = Traits<V>::shape();
        shape.insert(shape.begin(), N);
        return shape;
    }
    /// Returns the array from `count` values.
    static std::array<V, N> make(const typename Traits<V>::Stored* from, std::size_t count) {
        std::array<V, N> values{};
        Traits::fill(values, from, count);
        return values;
    }
};

/// Vectors of any length.
template <typename V>
struct Traits<std::vector<V>> : ListTraits<std::vector<V>> {
    static constexpr bool is_list = true;                      ///< the length is not known
    static hdf5::Shape shape() { return Traits<V>::shape(); }  ///< returns an element's shape
    /// Returns the vector from `count` values.
    static std::vector<V> make(const typename Traits<V>::Stored* from, std::size_t count) {
        std::vector<V> values(count / hdf5::num_elements(shape()));
        Traits::fill(values, from, count);
        return values;
    }
};

/// Values that may be unknown.
template <typename V>
struct Traits<std::optional<V>> : Traits<V> {
    /// Appends the value if it is known.
    static void append(std::vector<typename Traits<V>::Stored>& to, const std::optional<V>& value) {
        if (value) Traits<V>::append(to, *value);
    }
};

/// Returns a reference to the member at the end of a path of members.
template <typename Row, typename Member, typename... Rest>
auto& follow(Row& row, Member member, Rest... rest) {
    if constexpr (sizeof...(rest) == 0)
        return row.*member;
    else
        return follow(row.*member, rest...);
}

}  // namespace column_values

/// Returns a column that is only written, with the values get(row).
template <typename Row, typename Get>
Column<Row> derived_column(ColumnInfo info, const Get& get) {
    using Values = column_values::Traits<std::decay_t<std::invoke_result_t<Get, const Row&>>>;
    using Stored = typename Values::Stored;
    // An explicit shape gives the length of a list.
    info.is_list = Values::is_list && info.shape.empty();
    if (info.shape.empty()) info.shape = Values::shape();
    info.type = std::vector<Stored>();
    Column<Row> column;
    static_cast<ColumnInfo&>(column) = std::move(info);
    column.append = [get](const Row& row, ColumnValues& to) {
        Values::append(std::get<std::vector<Stored>>(to), get(row));
    };
    return column;
}

/// Returns a column with the values get(row), which set(row, value) sets.
template <typename Row, typename Get, typename Set>
Column<Row> converted_column(ColumnInfo info, const Get& get, const Set& set) {
    using Values = column_values::Traits<std::decay_t<std::invoke_result_t<Get, const Row&>>>;
    using Stored = typename Values::Stored;
    Column<Row> column = derived_column<Row>(std::move(info), get);
    column.assign = [set](
                        Row& row, const ColumnValues& from, std::size_t first, std::size_t count) {
        set(row, Values::make(std::get<std::vector<Stored>>(from).data() + first, count));
    };
    return column;
}

/// Returns the column of a member of Row, or of a member of this member, and so on. Its type is a
/// number, a boolean or a text, or an array, a vector or a std::optional of those.
template <typename Row, typename Member, typename... Rest>
Column<Row> column(ColumnInfo info, Member Row::*member, Rest... rest) {
    return converted_column<Row>(
        std::move(info),
        [=](const Row& row) -> const auto& { return column_values::follow(row, member, rest...); },
        [=](Row& row, auto value) {
            column_values::follow(row, member, rest...) = std::move(value);
        });
}

/// Storage of the columns of a table.
struct ColumnStorage {
    /// Texts have equal length, see hdf5::Group::write_padded_strings().
    bool has_padded_texts = false;
    std::size_t chunk_rows = 0;  ///< rows of a chunk; 0: contiguous
};

/// Place and description of the columns that are read.
struct ColumnReading {
    std::optional<std::size_t> step{};  ///< reads one row of datasets with a leading axis of steps
    std::size_t num_steps = 0;          ///< length of this axis
    std::string why{};                  ///< reason for InputError
    std::string advice = "use a result file that HelioRay wrote";  ///< advice for InputError
};

/// Writes the attributes unit and description, which every dataset has.
void annotate(hdf5::Object object, const std::string& unit, const std::string& description);

/// Writes one column. lead: extents of the rows. Throws std::runtime_error if there are more or
/// less values; without any value an optional column is not written.
void write_values(hdf5::Group& group,
                  const ColumnInfo& info,
                  const hdf5::Shape& lead,
                  const ColumnValues& values,
                  const ColumnStorage& storage = {});

/// Reads one column whose rows have the extents `lead`. Returns no value if an optional column is
/// missing. Throws InputError for another shape.
std::optional<ColumnValues> read_values(const hdf5::Group& group,
                                        const ColumnInfo& info,
                                        const hdf5::Shape& lead,
                                        const ColumnReading& reading = {});

/// Writes the values of one row as an attribute; writes nothing without values.
void write_attribute(hdf5::Object& object, const ColumnInfo& info, const ColumnValues& values);

/// Reads an attribute. Returns no value if an optional column is missing. Throws InputError for
/// another number of values.
std::optional<ColumnValues> read_attribute(const hdf5::Object& object,
                                           const ColumnInfo& info,
                                           const ColumnReading& reading = {});

/// Returns true if each row has one floating-point number.
bool is_number(const ColumnInfo& info);

/// Returns the number of values in a list.
std::size_t count_values(const ColumnValues& values);

/// Returns the unit as the end of a name: "_w_m2" for "W/m2", and "" for "1" and texts.
std::string unit_ending(const std::string& unit);

/// Returns the headers of a column in CSV tables: ColumnInfo::csv, or by default the name with its
/// unit. Several values of a row are numbered from 1.
std::vector<std::string> csv_headers(const ColumnInfo& info);

/// Returns ",VALUE" for each value of a row.
std::string csv_cells(const ColumnInfo& info, const ColumnValues& values);

/// Returns the values of a column for all rows. Without a value in some rows there is none at all.
template <typename Rows, typename Row>
ColumnValues collect_values(const Rows& rows, const Column<Row>& column) {
    ColumnValues values = column.type;
    for (const Row& row : rows) {
        const std::size_t before = count_values(values);
        column.append(row, values);
        if (column.is_optional && count_values(values) == before) return column.type;
    }
    return values;
}

/// Returns false for an optional column that some row lacks.
template <typename Row>
bool is_known(const std::vector<Row>& rows, const Column<Row>& column) {
    return !column.is_optional || rows.empty() || count_values(collect_values(rows, column)) > 0;
}

/// Returns the values of one row.
template <typename Row>
ColumnValues row_values(const Row& row, const Column<Row>& column) {
    ColumnValues values = column.type;
    column.append(row, values);
    return values;
}

/// Writes a dataset for each column. lead: extents of the rows; not set: their number.
template <typename Row>
void write_columns(hdf5::Group& group,
                   const std::vector<Row>& rows,
                   const Columns<Row>& columns,
                   const ColumnStorage& storage = {},
                   const std::optional<hdf5::Shape>& lead = std::nullopt) {
    for (const Column<Row>& column : columns)
        write_values(group,
                     column,
                     lead.value_or(hdf5::Shape{rows.size()}),
                     collect_values(rows, column),
                     storage);
}

/// Sets the values of all rows, whose number is that of the file. lead: as in write_columns().
/// Throws InputError for missing columns and other shapes.
template <typename Row>
void read_columns(const hdf5::Group& group,
                  std::vector<Row>& rows,
                  const Columns<Row>& columns,
                  const ColumnReading& reading = {},
                  const std::optional<hdf5::Shape>& lead = std::nullopt) {
    for (const Column<Row>& column : columns) {
        if (!column.assign) continue;
        const auto values =
            read_values(group, column, lead.value_or(hdf5::Shape{rows.size()}), reading);
        if (!values) continue;
        const std::size_t each = hdf5::num_elements(column.shape);
        for (std::size_t i = 0; i < rows.size(); ++i)
            column.assign(rows[i], *values, i * each, each);
    }
}

/// Sets the list of a single row from a dataset of the extents `shape`. Throws InputError as
/// read_columns() does.
template <typename Row>
void read_list(const hdf5::Group& group,
               Row& row,
               const Column<Row>& column,
               const hdf5::Shape& shape) {
    ColumnInfo info = column;
    info.shape.clear();
    if (const auto values = read_values(group, info, shape))
        column.assign(row, *values, 0, count_values(*values));
}

/// Writes an attribute for each column of a single row.
template <typename Row>
void write_attributes(hdf5::Object& object, const Row& row, const Columns<Row>& columns) {
    for (const Column<Row>& column : columns)
        write_attribute(object, column, row_values(row, column));
}

/// Sets the values of a row from attributes, or with a step from a row of datasets. Throws
/// InputError for missing columns and other numbers of values.
template <typename Row>
void read_attributes(const hdf5::Group& object,
                     Row& row,
                     const Columns<Row>& columns,
                     const ColumnReading& reading = {}) {
    for (const Column<Row>& column : columns) {
        if (!column.assign) continue;
        const auto values = reading.step ? read_values(object, column, {}, reading)
                                         : read_attribute(object, column, reading);
        if (values) column.assign(row, *values, 0, count_values(*values));
    }
}

/// Returns a CSV line for each row after a line of headers, without optional columns that some row
/// lacks.
template <typename Row>
std::string csv_table(const std::vector<Row>& rows, Columns<Row> columns) {
    std::erase_if(columns, [&](const Column<Row>& column) { return !is_known(rows, column); });
    std::string text;
    for (const Column<Row>& column : columns)
        for (const std::string& header : csv_headers(column))
            text += (text.empty() ? "" : ",") + header;
    text += "\n";
    for (const Row& row : rows) {
        std::string line;
        for (const Column<Row>& column : columns)
            line += csv_cells(column, row_values(row, column));
        text.append(line, 1).append("\n");
    }
    return text;
}

}  // namespace helioray
