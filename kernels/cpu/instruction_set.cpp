// SPDX-License-Identifier: MIT
// Which instruction sets this processor has.
#include "kernels/cpu/instruction_set.h"

#include <stdexcept>
#include <string>

namespace helioray::kernels {

namespace {

bool available(InstructionSet set) {
    switch (set) {
        case InstructionSet::avx512:
            return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
        case InstructionSet::avx2:
            return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
        default:
            return true;
    }
}

}  // namespace

InstructionSet require_available(InstructionSet set) {
    if (set == InstructionSet::automatic) return best_instruction_set();
    if (!available(set))
        throw std::invalid_argument(std::string("this processor has no ") + to_string(set));
    return set;
}

InstructionSet best_instruction_set() {
    for (const InstructionSet set : {InstructionSet::avx512, InstructionSet::avx2}) {
        if (available(set)) return set;
    }
    return InstructionSet::portable;
}

const char* to_string(InstructionSet set) {
    switch (set) {
        case InstructionSet::avx512:
            return "AVX-512";
        case InstructionSet::avx2:
            return "AVX2";
        case InstructionSet::portable:
            return "portable";
        default:
            return "automatic";
    }
}

}  // namespace helioray::kernels
