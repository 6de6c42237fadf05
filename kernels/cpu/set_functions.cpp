// SPDX-License-Identifier: MIT
// Selects the code of an instruction set.
#include "kernels/cpu/set_functions.h"

namespace helioray::kernels {

SetFunctions select_functions(InstructionSet wanted) {
    switch (resolve_instruction_set(wanted)) {
        case InstructionSet::avx512:
            return {avx512::trace_blocks,
                    avx512::add_tiles,
                    avx512::trace_block_backward,
                    avx512::facet_pack()};
        case InstructionSet::avx2:
            return {avx2::trace_blocks,
                    avx2::add_tiles,
                    avx2::trace_block_backward,
                    avx2::facet_pack()};
        default:
            return {portable::trace_blocks,
                    portable::add_tiles,
                    portable::trace_block_backward,
                    portable::facet_pack()};
    }
}

}  // namespace helioray::kernels
