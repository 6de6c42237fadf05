// SPDX-License-Identifier: MIT
// The instruction set of the CPU kernels, as the program checks, shows and records it.
#pragma once

#include <string>

namespace helioray::app {

/// Throws InputError where HELIORAY_INSTRUCTION_SET names no instruction set or one that this
/// processor lacks.
void check_instruction_set();

/// The set in use and where it comes from: "avx2 (HELIORAY_INSTRUCTION_SET; this processor has
/// portable, avx2, avx512)".
std::string describe_instruction_set();

}  // namespace helioray::app
