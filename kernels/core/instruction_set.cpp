// SPDX-License-Identifier: MIT
// Detects the instruction sets of this processor and chooses the one for a trace.
#include "kernels/core/instruction_set.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace helioray::kernels {

namespace {

constexpr InstructionSet kAllSets[] = {
    InstructionSet::portable, InstructionSet::avx2, InstructionSet::avx512};

// Checks all features for which the translation unit of a set is compiled.
bool processor_has(InstructionSet set) {
    switch (set) {
        case InstructionSet::avx512:
            return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                   processor_has(InstructionSet::avx2);
        case InstructionSet::avx2:
            return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                   __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
        default:
            return true;
    }
}

bool contains(const std::vector<InstructionSet>& sets, InstructionSet set) {
    return std::find(sets.begin(), sets.end(), set) != sets.end();
}

std::string list(const std::vector<InstructionSet>& sets) {
    std::string text;
    for (const InstructionSet set : sets)
        text += (text.empty() ? "" : ", ") + std::string(to_string(set));
    return text;
}

std::string value_of_variable() {
    const char* value = std::getenv(kInstructionSetVariable);
    return value == nullptr ? "" : value;
}

[[noreturn]] void refuse_variable(const std::string& value, const std::string& problem) {
    throw std::invalid_argument(std::string(kInstructionSetVariable) + "=" + value + ": " +
                                problem + "; this processor has " +
                                list(processor_instruction_sets()) +
                                "; set the variable to one of these, or unset it to use the best");
}

/// Returns the best set that the environment allows; "automatic" if it sets no limit.
InstructionSet limit_from_environment() {
    const std::string value = value_of_variable();
    if (value.empty()) return InstructionSet::automatic;
    for (const InstructionSet set : kAllSets) {
        if (value != to_string(set)) continue;
        if (!processor_has(set))
            refuse_variable(value, "this processor lacks that instruction set");
        return set;
    }
    refuse_variable(value, "no instruction set has that name");
}

}  // namespace

const char* to_string(InstructionSet set) {
    switch (set) {
        case InstructionSet::avx512:
            return "avx512";
        case InstructionSet::avx2:
            return "avx2";
        case InstructionSet::portable:
            return "portable";
        default:
            return "automatic";
    }
}

std::vector<InstructionSet> processor_instruction_sets() {
    std::vector<InstructionSet> sets;
    for (const InstructionSet set : kAllSets) {
        if (processor_has(set)) sets.push_back(set);
    }
    return sets;
}

std::vector<InstructionSet> usable_instruction_sets() {
    const InstructionSet limit = limit_from_environment();
    std::vector<InstructionSet> sets = processor_instruction_sets();
    if (limit != InstructionSet::automatic)
        std::erase_if(sets, [&](InstructionSet set) { return set > limit; });
    return sets;
}

InstructionSet resolve_instruction_set(InstructionSet wanted) {
    const std::vector<InstructionSet> usable = usable_instruction_sets();
    if (wanted == InstructionSet::automatic) return usable.back();
    if (contains(usable, wanted)) return wanted;
    const std::string cause = processor_has(wanted) ? std::string(kInstructionSetVariable) + "=" +
                                                          value_of_variable() + " rules out "
                                                    : std::string("this processor has no ");
    throw std::invalid_argument(cause + to_string(wanted) + "; usable here: " + list(usable));
}

}  // namespace helioray::kernels
