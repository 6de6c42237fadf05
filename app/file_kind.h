// SPDX-License-Identifier: MIT
// What kind of file a user has named.
#pragma once

#include <filesystem>

namespace helioray::app {

enum class FileKind { hdf5, text };

/// Told by content, not by name. Throws InputError for what is not a readable file.
FileKind kind_of(const std::filesystem::path& file);

}  // namespace helioray::app
