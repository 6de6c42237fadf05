// SPDX-License-Identifier: MIT
// Recognises file formats by their first bytes.
#include "scenario/files/foreign_file.h"

#include "scenario/files/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace helioray {

namespace {

using namespace std::string_view_literals;

struct Signature {
    std::string_view bytes;
    std::string_view format;
    std::string_view advice;
};

constexpr std::string_view kUnpack = "unpack it and name the file inside";
constexpr std::string_view kSaveAsUtf8 = "save it as UTF-8 (Excel: 'CSV UTF-8')";
constexpr std::string_view kExportText = "export the table as text";
constexpr std::string_view kSaveAsCsv = "save the sheet as 'CSV UTF-8'";

// If one signature begins with another, the longer one comes first.
constexpr std::array kSignatures{
    Signature{"\xFF\xFE\0\0"sv, "a text in UTF-32", kSaveAsUtf8},
    Signature{"\0\0\xFE\xFF"sv, "a text in UTF-32", kSaveAsUtf8},
    Signature{"\xFF\xFE"sv, "a text in UTF-16", kSaveAsUtf8},
    Signature{"\xFE\xFF"sv, "a text in UTF-16", kSaveAsUtf8},
    Signature{"\x89HDF\r\n\x1A\n"sv, "an HDF5 file (or NetCDF 4)", kExportText},
    Signature{"CDF\x01"sv, "a NetCDF file", kExportText},
    Signature{"CDF\x02"sv, "a NetCDF file", kExportText},
    Signature{"CDF\x05"sv, "a NetCDF file", kExportText},
    Signature{"PAR1"sv, "a Parquet file", kExportText},
    Signature{"ARROW1"sv, "an Arrow (Feather) file", kExportText},
    Signature{"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv, "an Excel workbook (xls)", kSaveAsCsv},
    Signature{"\x1F\x8B"sv, "a gzip file", kUnpack},
    Signature{"BZh"sv, "a bzip2 file", kUnpack},
    Signature{"\xFD"
              "7zXZ\0"sv,
              "an xz file",
              kUnpack},
    Signature{"\x28\xB5\x2F\xFD"sv, "a zstd file", kUnpack},
    Signature{"7z\xBC\xAF\x27\x1C"sv, "a 7z archive", kUnpack},
    Signature{"Rar!"sv, "a RAR archive", kUnpack},
    Signature{"SQLite format 3\0"sv, "an SQLite database", kExportText},
    Signature{"\x89PNG"sv, "a PNG picture", ""},
    Signature{"%PDF"sv, "a PDF document", ""},
};

/// Returns true if the first bytes look like Latin letters in UTF-16 without a byte order mark.
bool looks_like_utf16(std::string_view bytes) {
    const std::size_t pairs = std::min<std::size_t>(bytes.size() / 2, 64);
    if (pairs < 4) return false;
    std::size_t low = 0, high = 0;
    for (std::size_t i = 0; i < pairs; ++i) {
        low += bytes[2 * i] != '\0' && bytes[2 * i + 1] == '\0';
        high += bytes[2 * i] == '\0' && bytes[2 * i + 1] != '\0';
    }
    return low == pairs || high == pairs;
}

std::string beginning_in_lower_case(std::string_view bytes) {
    const std::size_t first = bytes.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return "";
    std::string text(bytes.substr(first, 14));
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

[[noreturn]] void refuse(const std::string& file,
                         std::string_view format,
                         const std::string& wanted,
                         std::string_view advice) {
    const std::string name_other = fmt::format("name {}", wanted);
    throw InputError(Problem{file,
                             fmt::format("is {}", format),
                             fmt::format("{} is read", wanted),
                             advice.empty() ? name_other : std::string(advice)});
}

}  // namespace

std::string without_byte_order_mark(std::string text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
    return text;
}

void refuse_foreign_file(const std::string& bytes,
                         const std::string& file,
                         const std::string& wanted) {
    for (const Signature& signature : kSignatures) {
        if (std::string_view(bytes).starts_with(signature.bytes))
            refuse(file, signature.format, wanted, signature.advice);
    }
    if (bytes.starts_with("PK\x03\x04")) {
        const bool is_excel = bytes.find("xl/") != std::string::npos &&
                              bytes.find("[Content_Types].xml") != std::string::npos;
        const bool is_sheet = bytes.find("application/vnd.oasis.opendocument") != std::string::npos;
        if (is_excel) refuse(file, "an Excel workbook (xlsx)", wanted, kSaveAsCsv);
        if (is_sheet) refuse(file, "an OpenDocument spreadsheet (ods)", wanted, kSaveAsCsv);
        refuse(file, "a ZIP archive", wanted, kUnpack);
    }
    if (looks_like_utf16(bytes)) refuse(file, "a text in UTF-16", wanted, kSaveAsUtf8);
    const std::string beginning = beginning_in_lower_case(bytes);
    if (beginning.starts_with("<!doctype html") || beginning.starts_with("<html")) {
        refuse(file,
               "a web page (HTML)",
               wanted,
               "download the file itself; the page may hold the message of a server");
    }
}

}  // namespace helioray
