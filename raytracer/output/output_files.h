// SPDX-License-Identifier: MIT
// All files that a command writes, checked together before any work.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace helioray {

/// A file to be written.
struct OutputFile {
    std::filesystem::path path;        ///< as the user named it
    std::uint64_t expected_bytes = 0;  ///< room that it will need; 0: not known
};

/// Checks that every output can be written (see check_writable()), that no two of them are the same
/// file, and that none is a file that the command reads, under whatever names and links. Inputs
/// need not exist. Throws InputError with every problem.
void check_outputs(const std::vector<OutputFile>& outputs,
                   const std::vector<std::filesystem::path>& inputs);

}  // namespace helioray
