// SPDX-License-Identifier: MIT
// Where a file is written before it gets its name.
#pragma once

#include <filesystem>

namespace helioray {

/// Folder of a path; "." where it names none.
std::filesystem::path folder_of(const std::filesystem::path& path);

/// What a link leads to, also when nothing is there yet; any other path as it is.
std::filesystem::path followed(const std::filesystem::path& path);

/// A new name in the target's folder, unique among processes and threads, and so short that it fits
/// wherever the target's own name does.
std::filesystem::path temporary_beside(const std::filesystem::path& target);

}  // namespace helioray
