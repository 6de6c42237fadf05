// SPDX-License-Identifier: MIT
// Targets as rows of numbers, the form in which tensors describe them.
#pragma once

#include "scenario/types/types.h"

#include <array>
#include <cstdint>
#include <string>

namespace helioray::physical {

/// Columns of a row.
struct TargetColumns {
    static constexpr int64_t kind = 0;     ///< a kernels::TargetKind
    static constexpr int64_t centre = 1;   ///< centre, 3 columns
    static constexpr int64_t normal = 4;   ///< normal, 3 columns
    static constexpr int64_t axis = 7;     ///< axis of a cylinder, 3 columns
    static constexpr int64_t width = 10;   ///< width of a plane, or radius of a cylinder or disc
    static constexpr int64_t height = 11;  ///< height of a plane or cylinder
    static constexpr int64_t opening_angle = 12;  ///< opening angle of a cylinder
    static constexpr int64_t count = 13;          ///< number of columns
};

/// The numbers of a target. Columns that its kind does not use are 0.
using TargetRow = std::array<double, TargetColumns::count>;

/// Returns the row of a shape.
TargetRow target_row(const TargetShape& shape);

/// Returns the problem of a row of finite numbers; empty if there is none.
std::string target_row_problem(const double* row);

/// Returns the shape of a row. Throws std::invalid_argument for an unknown kind.
TargetShape target_shape(const double* row);

}  // namespace helioray::physical
