// SPDX-License-Identifier: MIT
// Writes and reads the values of columns as HDF5 and CSV.
#include "scenario/files/columns.h"

#include "scenario/files/error.h"
#include "scenario/files/text_encoding.h"

#include <fmt/format.h>

#include <cctype>
#include <stdexcept>

namespace helioray {

namespace {

/// Returns the number of values of each row; 0 for lists.
std::size_t values_per_row(const ColumnInfo& info) {
    return info.is_list ? 0 : hdf5::num_elements(info.shape);
}

hdf5::Shape joined(const hdf5::Shape& lead, const hdf5::Shape& row) {
    hdf5::Shape shape = lead;
    shape.insert(shape.end(), row.begin(), row.end());
    return shape;
}

[[noreturn]] void refuse(const std::string& where,
                         const std::string& what,
                         const ColumnReading& reading) {
    throw InputError(Problem{where, what, reading.why, reading.advice});
}

/// Reads a dataset, or one of its rows, as the type of the column.
ColumnValues read_as(const hdf5::Dataset& dataset,
                     const ColumnValues& type,
                     const std::optional<std::size_t>& row) {
    return std::visit(
        [&]<typename T>(const std::vector<T>&) -> ColumnValues {
            if constexpr (std::is_same_v<T, std::string>) {
                std::vector<std::string> all = dataset.read_strings();
                if (!row) return all;
                const auto count = static_cast<std::ptrdiff_t>(all.size() / dataset.shape()[0]);
                const auto first = all.begin() + static_cast<std::ptrdiff_t>(*row) * count;
                return std::vector<std::string>(first, first + count);
            } else {
                return row ? dataset.read_rows<T>(*row, 1) : dataset.read<T>();
            }
        },
        type);
}

}  // namespace

void annotate(hdf5::Object object, const std::string& unit, const std::string& description) {
    object.write_attribute("unit", unit);
    object.write_attribute("description", description);
}

bool is_number(const ColumnInfo& info) {
    return std::holds_alternative<std::vector<double>>(info.type) && info.shape.empty() &&
           !info.is_list;
}

std::size_t count_values(const ColumnValues& values) {
    return std::visit([](const auto& list) { return list.size(); }, values);
}

void write_values(hdf5::Group& group,
                  const ColumnInfo& info,
                  const hdf5::Shape& lead,
                  const ColumnValues& values,
                  const ColumnStorage& storage) {
    const hdf5::Shape shape = joined(lead, info.shape);
    const std::size_t count = count_values(values);
    if (info.is_optional && count == 0) return;
    if (count != hdf5::num_elements(shape)) {
        throw std::runtime_error(fmt::format("the column '{}' cannot be written: {} values, not {}",
                                             info.name,
                                             count,
                                             hdf5::to_string(shape)));
    }
    hdf5::Storage chunks;
    if (storage.chunk_rows > 0) chunks.chunk = joined({storage.chunk_rows}, info.shape);
    const hdf5::Dataset dataset = std::visit(
        [&]<typename T>(const std::vector<T>& list) {
            if constexpr (!std::is_same_v<T, std::string>)
                return group.write_array<T>(info.name, list, shape, chunks);
            else if (storage.has_padded_texts)
                return group.write_padded_strings(info.name, list, chunks);
            else
                return group.write_strings(info.name, list);
        },
        values);
    annotate(dataset, info.unit, info.description);
}

std::optional<ColumnValues> read_values(const hdf5::Group& group,
                                        const ColumnInfo& info,
                                        const hdf5::Shape& lead,
                                        const ColumnReading& reading) {
    if (info.is_optional && !group.contains(info.name)) return std::nullopt;
    const hdf5::Dataset dataset = group.dataset(info.name);
    const hdf5::Shape expected = joined(lead, info.shape);
    hdf5::Shape found = dataset.shape();
    // Steps share constant columns; files of earlier versions have them for each step.
    const bool is_shared = info.is_constant && found.size() == expected.size();
    const std::optional<std::size_t> row = is_shared ? std::nullopt : reading.step;
    if (row) {
        if (found.empty() || found[0] != reading.num_steps) {
            refuse(dataset.where(),
                   fmt::format("has shape {}, not one row for each of {} steps",
                               hdf5::to_string(found),
                               reading.num_steps),
                   reading);
        }
        found.erase(found.begin());
    }
    if (found != expected) {
        refuse(dataset.where(),
               fmt::format(
                   "has shape {}, expected {}", hdf5::to_string(found), hdf5::to_string(expected)),
               reading);
    }
    return read_as(dataset, info.type, row);
}

void write_attribute(hdf5::Object& object, const ColumnInfo& info, const ColumnValues& values) {
    if (count_values(values) == 0) return;
    std::visit(
        [&]<typename T>(const std::vector<T>& list) {
            const bool is_single = !info.is_list && info.shape.empty();
            if constexpr (std::is_same_v<T, std::int32_t>) {
                object.write_attribute(info.name, list.front() != 0);
            } else if (is_single) {
                object.write_attribute(info.name, list.front());
            } else {
                object.write_attribute(info.name, list);
            }
        },
        values);
}

std::optional<ColumnValues> read_attribute(const hdf5::Object& object,
                                           const ColumnInfo& info,
                                           const ColumnReading& reading) {
    if (info.is_optional && !object.has_attribute(info.name)) return std::nullopt;
    const bool is_single = !info.is_list && info.shape.empty();
    ColumnValues values = std::visit(
        [&]<typename T>(const std::vector<T>&) -> ColumnValues {
            if constexpr (std::is_same_v<T, std::string>) {
                return std::vector<T>{object.read_attribute_string(info.name)};
            } else {
                if (std::is_same_v<T, std::int64_t> && is_single)
                    return std::vector<T>{static_cast<T>(object.read_attribute_integer(info.name))};
                if (is_single)
                    return std::vector<T>{static_cast<T>(object.read_attribute_number(info.name))};
                const std::vector<double> numbers = object.read_attribute_numbers(info.name);
                return std::vector<T>(numbers.begin(), numbers.end());
            }
        },
        info.type);
    const std::size_t expected = values_per_row(info);
    if (expected > 0 && count_values(values) != expected) {
        refuse(object.where() + "@" + info.name,
               fmt::format("has {} numbers, not {}", count_values(values), expected),
               reading);
    }
    return values;
}

std::string unit_ending(const std::string& unit) {
    if (unit.empty() || unit == "1") return "";
    std::string ending = "_";
    for (const char c : unit)
        ending += c == '/' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return ending;
}

std::vector<std::string> csv_headers(const ColumnInfo& info) {
    if (info.csv) return *info.csv;
    const std::string ending = unit_ending(info.unit);
    const std::string name = info.name.ends_with(ending)
                                 ? info.name.substr(0, info.name.size() - ending.size())
                                 : info.name;
    const std::size_t count = values_per_row(info);
    if (count == 1 && info.shape.empty()) return {name + ending};
    std::vector<std::string> headers;
    for (std::size_t i = 1; i <= count; ++i)
        headers.push_back(fmt::format("{}_{}{}", name, i, ending));
    return headers;
}

std::string csv_cells(const ColumnInfo& info, const ColumnValues& values) {
    if (info.csv && info.csv->empty()) return "";
    std::string text;
    std::visit(
        [&]<typename T>(const std::vector<T>& list) {
            for (const T& value : list) {
                if constexpr (std::is_same_v<T, std::string>)
                    text += "," + csv_cell(value);
                else
                    text += fmt::format(",{}", value);
            }
        },
        values);
    return text;
}

}  // namespace helioray
