// SPDX-License-Identifier: MIT
// Facts that results record: hashes of inputs, time, memory.
#pragma once

#include <filesystem>
#include <string>

namespace helioray {

/// SHA-256 of a file's bytes, hex. Throws InputError when it cannot be read.
std::string sha256_of_file(const std::filesystem::path& file);

/// SHA-256 of a text, hex.
std::string sha256_of_text(const std::string& text);

/// Now in UTC, ISO 8601 with seconds: 2026-06-21T10:00:00Z.
std::string utc_now();

/// Largest resident memory of this process so far, in MB (1e6 bytes).
double peak_rss_mb();

}  // namespace helioray
