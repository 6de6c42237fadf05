// SPDX-License-Identifier: MIT
// Web pages as files.
#pragma once

#include <filesystem>
#include <string>

namespace helioray {

/// Throws InputError unless the name ends in .html or .htm: another ending is most likely a mix-up
/// with another file. option: that the name was given with, for the message.
void check_page_name(const std::string& option, const std::filesystem::path& page);

/// Stores a page, completely or not at all. Throws std::runtime_error naming the file.
void write_page(const std::string& text, const std::filesystem::path& page);

}  // namespace helioray
