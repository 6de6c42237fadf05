// SPDX-License-Identifier: MIT
// Names of the files of pages and pictures.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace helioray {

/// Throws InputError unless the name ends in .html or .htm, since another extension most likely
/// belongs to another file. `option` is the option that gave the name, for the message.
void check_page_name(const std::string& option, const std::filesystem::path& page);

/// Returns the files of --image and --report, without those that are empty. Throws InputError if
/// the ending of a file is not that of a picture or of a page.
std::vector<std::filesystem::path> picture_and_page(const std::string& image,
                                                    const std::string& report);

}  // namespace helioray
