// SPDX-License-Identifier: MIT
// Names of file formats and encodings that the readers of text do not know.
#pragma once

#include <string>

namespace helioray {

/// The text without a byte order mark of UTF-8 at its beginning.
std::string without_byte_order_mark(std::string text);

/// Throws InputError for bytes that are not text in UTF-8 and whose format is known by its content:
/// UTF-16 and UTF-32, archives, Excel, HDF5, NetCDF, Parquet, PDF, web pages. The message names the
/// format and what to do. `file` is for the message, `wanted` says what is read instead, such as
/// "a CSV file in UTF-8".
void refuse_foreign_file(const std::string& bytes,
                         const std::string& file,
                         const std::string& wanted);

}  // namespace helioray
