// SPDX-License-Identifier: MIT
// Recognises file formats and encodings that the text readers do not support.
#pragma once

#include <string>

namespace helioray {

/// Returns the text without the UTF-8 byte order mark at its beginning.
std::string without_byte_order_mark(std::string text);

/// Throws InputError for bytes that are not text in UTF-8 and whose format is recognised by its
/// content: UTF-16 and UTF-32, archives, Excel, HDF5, NetCDF, Parquet, PDF, web pages. The message
/// names the format and what to do. `file` is the name for the message; `wanted` describes the
/// expected format, such as "a CSV file in UTF-8".
void refuse_foreign_file(const std::string& bytes,
                         const std::string& file,
                         const std::string& wanted);

}  // namespace helioray
