// SPDX-License-Identifier: MIT
// Detects the instruction sets of this processor and chooses the one for a trace.
#pragma once

#include <vector>

namespace helioray::kernels {

/// Instruction sets of the CPU kernels. All give bitwise equal sums. Each named set contains the
/// preceding ones.
enum class InstructionSet { automatic, portable, avx2, avx512 };

/// Environment variable with the best set that this process may use, in the form of to_string();
/// unset or empty: the processor's best. With "avx2", a processor with AVX-512 behaves like one
/// without.
inline constexpr const char* kInstructionSetVariable = "HELIORAY_INSTRUCTION_SET";

/// Returns "automatic", "portable", "avx2" or "avx512".
const char* to_string(InstructionSet set);

/// Returns the sets of this processor, ascending from "portable", regardless of the environment.
std::vector<InstructionSet> processor_instruction_sets();

/// Returns the sets that this process may use, ascending: those of the processor up to the one in
/// HELIORAY_INSTRUCTION_SET. Throws std::invalid_argument if the variable names no set or one that
/// the processor lacks.
std::vector<InstructionSet> usable_instruction_sets();

/// Returns the set for a trace that requests `wanted`: "automatic" is the best usable one. Reads
/// the environment in every call. Throws std::invalid_argument like usable_instruction_sets(), and
/// for a requested set that is not usable.
InstructionSet resolve_instruction_set(InstructionSet wanted = InstructionSet::automatic);

}  // namespace helioray::kernels
