// SPDX-License-Identifier: MIT
// Which instruction sets this processor has, and which one a trace uses.
#pragma once

#include <vector>

namespace helioray::kernels {

/// Instruction sets of the CPU kernels. All give the same sums bit for bit. Each that is named
/// contains those before it.
enum class InstructionSet { automatic, portable, avx2, avx512 };

/// The environment variable that names the best set this process may use, by to_string; unset or
/// empty: the processor's best. Under "avx2" a processor with AVX-512 behaves as one without.
inline constexpr const char* kInstructionSetVariable = "HELIORAY_INSTRUCTION_SET";

/// "automatic", "portable", "avx2" or "avx512".
const char* to_string(InstructionSet set);

/// The sets that this processor has, ascending from "portable", regardless of the environment.
std::vector<InstructionSet> processor_instruction_sets();

/// The sets that this process may use, ascending: those of the processor up to the one that
/// HELIORAY_INSTRUCTION_SET names. Throws std::invalid_argument where the variable names no set or
/// one that the processor lacks.
std::vector<InstructionSet> usable_instruction_sets();

/// The set that a trace uses which asks for `wanted`: "automatic" is the best usable one. Reads the
/// environment in every call. Throws std::invalid_argument as usable_instruction_sets() does, and
/// for a wanted set that is not usable.
InstructionSet resolve_instruction_set(InstructionSet wanted = InstructionSet::automatic);

}  // namespace helioray::kernels
