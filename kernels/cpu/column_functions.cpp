// SPDX-License-Identifier: MIT
// Selects the sums over columns of an instruction set.
#include "kernels/cpu/column_functions.h"

namespace helioray::kernels {

ColumnSums column_sums(InstructionSet wanted) {
    switch (resolve_instruction_set(wanted)) {
        case InstructionSet::avx512:
            return avx512::column_functions();
        case InstructionSet::avx2:
            return avx2::column_functions();
        default:
            return portable::column_functions();
    }
}

}  // namespace helioray::kernels
