// SPDX-License-Identifier: MIT
// The instruction set of the CPU kernels, as the program checks, shows and records it.
#include "app/instruction_set.h"

#include "kernels/instruction_set.h"
#include "scenario/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>
#include <vector>

namespace helioray::app {

void check_instruction_set() {
    try {
        kernels::resolve_instruction_set();
    } catch (const std::invalid_argument& error) {
        throw InputError(Problem{"environment", error.what(), "", ""});
    }
}

std::string describe_instruction_set() {
    const kernels::InstructionSet used = kernels::resolve_instruction_set();
    std::vector<std::string> names;
    for (const kernels::InstructionSet set : kernels::processor_instruction_sets())
        names.emplace_back(kernels::to_string(set));
    const bool is_best = kernels::to_string(used) == names.back();
    return fmt::format("{} ({}; this processor has {})",
                       kernels::to_string(used),
                       is_best ? "the best" : kernels::kInstructionSetVariable,
                       fmt::join(names, ", "));
}

}  // namespace helioray::app
