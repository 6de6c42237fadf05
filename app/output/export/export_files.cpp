// SPDX-License-Identifier: MIT
// Names and stores exported files.
#include "app/output/export/export_files.h"

#include "scenario/files/error.h"
#include "scenario/files/output_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <deque>
#include <limits>
#include <set>
#include <span>
#include <stdexcept>

namespace helioray {

namespace fs = std::filesystem;

namespace {

std::string lower_case(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
        return static_cast<char>(c < 0x80 ? std::tolower(c) : c);
    });
    return text;
}

}  // namespace

std::string file_name_part(const std::string& name) {
    std::string part;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
                           (byte >= 'a' && byte <= 'z') || byte >= 0x80 || c == '.' || c == '-' ||
                           c == '_';
        part += plain ? c : '_';
    }
    constexpr std::size_t kLongest = 120;
    // Do not cut in the middle of a character.
    std::size_t end = std::min(part.size(), kLongest);
    while (end < part.size() && end > 0 && (static_cast<unsigned char>(part[end]) & 0xC0U) == 0x80U)
        --end;
    return part.substr(0, end);
}

std::vector<std::string> target_file_names(const RunResult& result) {
    std::vector<std::string> names;
    std::set<std::string> taken;
    for (const TargetResult& t : result.targets) {
        const std::string plain = file_name_part(t.target.name);
        std::string name = plain;
        for (int i = 2; !taken.insert(lower_case(name)).second; ++i) {
            name = fmt::format("{}_{}", plain, i);
        }
        names.push_back(name);
    }
    return names;
}

std::vector<double> std_errors(const TargetResult& target) {
    if (!target.flux_std_error.empty()) return target.flux_std_error;
    return std::vector<double>(target.flux.size(), std::numeric_limits<double>::quiet_NaN());
}

void check_export_folder(const fs::path& folder) {
    if (folder.empty()) {
        throw InputError(Problem{"--output", "the folder's name is empty", "", "name a folder"});
    }
    if (fs::is_directory(folder)) {
        check_writable(folder / "probe");
        return;
    }
    if (fs::exists(folder)) {
        throw InputError(Problem{folder.string(),
                                 "is a file, not a folder",
                                 "several files are written",
                                 "name a folder"});
    }
    // Treat "out/" and "out" as the same folder.
    check_writable(folder.has_filename() ? folder : folder.parent_path());
}

void write_files(const std::vector<ExportFile>& files, const fs::path& folder) {
    check_export_folder(folder);
    const bool created =
        fs::create_directory(folder.has_filename() ? folder : folder.parent_path());
    try {
        std::deque<AtomicFile> stored;
        for (const ExportFile& file : files) {
            stored.emplace_back(folder / file.name)
                .write(std::as_bytes(std::span(file.content.data(), file.content.size())));
        }
        for (AtomicFile& file : stored) file.commit();
    } catch (const std::runtime_error&) {
        // Remove the folder only if this function created it and it is empty.
        std::error_code ignored;
        if (created) fs::remove(folder, ignored);
        throw;
    }
}

}  // namespace helioray
