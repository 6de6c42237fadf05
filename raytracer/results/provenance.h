// SPDX-License-Identifier: MIT
// Provenance data that results record: hashes of inputs, time, memory.
#pragma once

#include <filesystem>
#include <string>

namespace helioray {

struct Provenance;

/// Returns the folder to which the paths of input files in a result's configuration are relative.
/// Files of earlier versions do not have it: there it follows from the path of the scenario.
std::filesystem::path input_folder(const Provenance& provenance);

/// Returns the SHA-256 hash of a file's bytes, hexadecimal. Throws InputError if the file cannot be
/// read.
std::string sha256_of_file(const std::filesystem::path& file);

/// Returns the SHA-256 hash of a text, hexadecimal.
std::string sha256_of_text(const std::string& text);

/// Returns the present time in UTC, ISO 8601 with seconds: 2026-06-21T10:00:00Z.
std::string utc_now();

/// Returns the largest resident memory of this process so far, MB (1e6 bytes).
double peak_rss_mb();

}  // namespace helioray
