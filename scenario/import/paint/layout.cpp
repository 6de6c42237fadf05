// SPDX-License-Identifier: MIT
// Finds files of the PAINT database by the layout of its folders.
#include "scenario/files/error.h"
#include "scenario/import/paint/paint.h"

#include <fmt/format.h>

#include <algorithm>

namespace helioray {

namespace fs = std::filesystem;

namespace {

const std::string kRecordEnding = "-calibration-properties.json";

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

bool ends_with(const std::string& text, const std::string& end) {
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::vector<fs::path> entries(const fs::path& folder, bool folders) {
    std::vector<fs::path> paths;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        if (entry.is_directory() == folders) paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

/// Returns the files of `home/kind` that match, or those of `home` itself if there are none.
template <typename Match>
std::vector<fs::path> find_files(const fs::path& home,
                                 const std::string& kind,
                                 const Match& match) {
    for (const fs::path& folder : {home / kind, home}) {
        std::vector<fs::path> files = entries(folder, false);
        files.erase(
            std::remove_if(files.begin(),
                           files.end(),
                           [&](const fs::path& f) { return !match(f.filename().string()); }),
            files.end());
        if (!files.empty()) return files;
    }
    return {};
}

/// Returns the name of a folder, also for "." and "AA39/".
std::string name_of_folder(const fs::path& folder) {
    fs::path path = fs::absolute(folder).lexically_normal();
    if (!path.has_filename()) path = path.parent_path();
    return path.filename().string();
}

/// Returns the folder of a heliostat: the subfolder, or the folder itself if it has the heliostat's
/// name.
fs::path find_home(const fs::path& folder, const std::string& heliostat) {
    const fs::path below = folder / heliostat;
    return !fs::is_directory(below) && name_of_folder(folder) == heliostat ? folder : below;
}

[[noreturn]] void nothing_found(const fs::path& folder, const std::string& pattern) {
    throw InputError(Problem{folder.string(),
                             fmt::format("there is no <heliostat>/{} below it", pattern),
                             "folders are expected in the layout of the PAINT database",
                             "check the folder, or name the files"});
}

}  // namespace

std::vector<PaintHeliostat> find_paint_heliostats(const fs::path& folder) {
    const auto is_properties = [](const std::string& name) {
        return contains(name, "heliostat-properties") && ends_with(name, ".json") &&
               !ends_with(name, "-stac.json");
    };
    std::map<std::string, fs::path> found;
    for (const fs::path& file : entries(folder, false)) {
        const std::string name = file.filename().string();
        const size_t dash = name.find("-heliostat-properties");
        if (is_properties(name) && dash != std::string::npos) found[name.substr(0, dash)] = file;
    }
    for (const fs::path& home : entries(folder, true)) {
        const std::vector<fs::path> files = find_files(home, "Properties", is_properties);
        if (files.empty()) continue;
        // The folder of one heliostat contains folders for the kinds of its files.
        const bool own = home.filename() == "Properties";
        found[own ? name_of_folder(folder) : home.filename().string()] = files.back();
    }
    if (found.empty() && find_paint_benchmark(folder).empty())
        nothing_found(folder, "Properties/*heliostat-properties*.json");
    std::vector<PaintHeliostat> heliostats;
    for (const auto& [name, file] : found) heliostats.push_back({file, name});
    return heliostats;
}

std::vector<PaintFile> find_paint_deflectometry(const fs::path& folder,
                                                const std::vector<std::string>& heliostats) {
    std::vector<PaintFile> found;
    for (const std::string& heliostat : heliostats) {
        std::vector<fs::path> files =
            find_files(find_home(folder, heliostat), "Deflectometry", [](const std::string& name) {
                return ends_with(name, "-deflectometry.h5");
            });
        if (files.empty()) continue;
        // Sort filled files last, and each group by name.
        std::stable_partition(files.begin(), files.end(), [](const fs::path& file) {
            return !contains(file.filename().string(), "-filled-");
        });
        found.push_back({heliostat, files.back()});
    }
    if (found.empty()) nothing_found(folder, "Deflectometry/*-deflectometry.h5");
    return found;
}

std::vector<PaintFile> find_paint_calibrations(const fs::path& folder,
                                               const std::vector<std::string>& heliostats) {
    std::vector<PaintFile> found;
    for (const std::string& heliostat : heliostats) {
        for (const fs::path& file :
             find_files(find_home(folder, heliostat), "Calibration", [](const std::string& name) {
                 return ends_with(name, kRecordEnding);
             })) {
            found.push_back({heliostat, file});
        }
    }
    if (found.empty()) nothing_found(folder, "Calibration/*-calibration-properties.json");
    return found;
}

std::vector<std::pair<fs::path, size_t>> find_unknown_paint_calibrations(
    const fs::path& folder, const std::vector<std::string>& heliostats) {
    std::vector<std::pair<fs::path, size_t>> unknown;
    for (const fs::path& home : entries(folder, true)) {
        const std::string name = home.filename().string();
        if (std::find(heliostats.begin(), heliostats.end(), name) != heliostats.end()) continue;
        const std::vector<fs::path> records = entries(home / "Calibration", false);
        const auto count = std::count_if(records.begin(), records.end(), [](const fs::path& file) {
            return ends_with(file.filename().string(), kRecordEnding);
        });
        if (count > 0) unknown.emplace_back(home, static_cast<size_t>(count));
    }
    return unknown;
}

std::string paint_record_id(const fs::path& record) {
    const std::string stem = record.stem().string();
    return stem.substr(0, stem.find("-calibration-properties"));
}

std::vector<PaintBenchmarkFile> find_paint_benchmark(const fs::path& folder) {
    std::vector<PaintBenchmarkFile> found;
    for (const std::string split : {"train", "test", "validation"}) {
        const fs::path home = name_of_folder(folder) == split ? folder : folder / split;
        for (const fs::path& file : entries(home, false)) {
            const std::string name = file.filename().string();
            if (!ends_with(name, kRecordEnding)) continue;
            found.push_back({file, paint_record_id(file), split});
        }
    }
    return found;
}

std::string paint_heliostat_of(const fs::path& file, const std::vector<std::string>& heliostats) {
    const auto known = [&](const std::string& name) {
        return std::find(heliostats.begin(), heliostats.end(), name) != heliostats.end();
    };
    const std::string name = file.filename().string();
    if (const std::string start = name.substr(0, name.find('-')); known(start)) return start;
    const fs::path folder = fs::absolute(file).lexically_normal().parent_path();
    for (fs::path at = folder; at.has_filename(); at = at.parent_path()) {
        if (known(at.filename().string())) return at.filename().string();
    }
    if (!fs::exists(file))
        throw InputError(Problem{file.string(), "there is no such file", "", "check the path"});
    throw InputError(Problem{file.string(),
                             "neither file name nor folders name a heliostat that is known here",
                             suggest("", heliostats),
                             "write NAME=" + file.string() + " with the heliostat's name"});
}

}  // namespace helioray
