// SPDX-License-Identifier: MIT
// Sums over columns for each instruction set, defined by column_sums.cpp in the namespace of every
// set.
#pragma once

#include "kernels/core/column_sums.h"

namespace helioray::kernels {

namespace portable {
ColumnSums column_functions();
}  // namespace portable
namespace avx2 {
ColumnSums column_functions();
}  // namespace avx2
namespace avx512 {
ColumnSums column_functions();
}  // namespace avx512

}  // namespace helioray::kernels
