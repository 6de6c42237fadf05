// SPDX-License-Identifier: MIT
// Stores web pages as files.
#pragma once

#include <filesystem>
#include <string>

namespace helioray {

/// Throws InputError unless the name ends in .html or .htm, since another extension most likely
/// belongs to another file. `option` is the option that gave the name, for the message.
void check_page_name(const std::string& option, const std::filesystem::path& page);

/// Stores a page, completely or not at all. Throws std::runtime_error with the file's name.
void write_page(const std::string& text, const std::filesystem::path& page);

}  // namespace helioray
