// SPDX-License-Identifier: MIT
// Values that depend on an angle, as a table.
#pragma once

#include <array>
#include <span>

namespace helioray {

/// An angle in radians and the value there.
using AngleValue = std::array<double, 2>;

/// Returns the value at an angle: linear between rows, which ascend, and that of the first or last
/// row beyond them. Requires a row.
double value_at(std::span<const AngleValue> table, double angle);

}  // namespace helioray
