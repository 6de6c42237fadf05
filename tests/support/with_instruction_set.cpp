// SPDX-License-Identifier: MIT
// with_instruction_set SET COMMAND...: runs a command as on a processor whose best instruction set
// is SET. Where the processor lacks the set it says so, which CTest counts as skipped.
#include "kernels/core/instruction_set.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace helioray::kernels;

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: with_instruction_set portable|avx2|avx512 COMMAND...\n");
        return 2;
    }
    bool has_set = false;
    for (const InstructionSet set : processor_instruction_sets())
        has_set = has_set || std::strcmp(argv[1], to_string(set)) == 0;
    if (!has_set) {
        std::printf("SKIP: this processor has no %s\n", argv[1]);
        return 77;
    }
    setenv(kInstructionSetVariable, argv[1], 1);
    execvp(argv[2], argv + 2);
    std::perror(argv[2]);
    return 1;
}
