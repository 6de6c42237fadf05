// SPDX-License-Identifier: MIT
// The sums over columns of each instruction set, which column_sums.cpp defines in the namespace of
// every set.
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
