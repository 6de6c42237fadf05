// SPDX-License-Identifier: MIT
// Arranges the values of columns as JSON.
#include "scenario/files/columns_json.h"

namespace helioray {

namespace {

/// Returns the values from `next` on as nested arrays of the extents from `axis` on.
template <typename T>
nlohmann::json nested(const std::vector<T>& values,
                      const hdf5::Shape& shape,
                      std::size_t axis,
                      std::size_t& next) {
    if (axis == shape.size()) {
        if constexpr (std::is_same_v<T, std::int32_t>)
            return values.at(next++) != 0;
        else
            return values.at(next++);
    }
    nlohmann::json array = nlohmann::json::array();
    for (std::size_t i = 0; i < shape[axis]; ++i)
        array.push_back(nested(values, shape, axis + 1, next));
    return array;
}

}  // namespace

nlohmann::json json_values(const ColumnInfo& info,
                           const ColumnValues& values,
                           const hdf5::Shape& lead,
                           const std::optional<hdf5::Shape>& list) {
    hdf5::Shape shape = lead;
    if (info.is_list) {
        const hdf5::Shape one{count_values(values) / hdf5::num_elements(info.shape)};
        const hdf5::Shape& extents = list ? *list : one;
        shape.insert(shape.end(), extents.begin(), extents.end());
    }
    shape.insert(shape.end(), info.shape.begin(), info.shape.end());
    std::size_t next = 0;
    return std::visit([&](const auto& all) { return nested(all, shape, 0, next); }, values);
}

}  // namespace helioray
