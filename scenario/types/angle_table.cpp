// SPDX-License-Identifier: MIT
// Interpolates tables by angle.
#include "scenario/types/angle_table.h"

#include <algorithm>

namespace helioray {

double value_at(std::span<const AngleValue> table, double angle) {
    const auto above =
        std::ranges::upper_bound(table, angle, {}, [](const AngleValue& row) { return row[0]; });
    if (above == table.begin()) return table.front()[1];
    if (above == table.end()) return table.back()[1];
    const AngleValue& low = *(above - 1);
    return low[1] + (angle - low[0]) / ((*above)[0] - low[0]) * ((*above)[1] - low[1]);
}

}  // namespace helioray
