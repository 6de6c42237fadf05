// SPDX-License-Identifier: MIT
// Folder, manifest and lock of a series in work.
#include "raytracer/results/series_parts.h"

#include "raytracer/results/result_file.h"
#include "scenario/files/error.h"
#include "scenario/files/output_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <span>
#include <system_error>
#include <utility>

namespace helioray {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr const char* kFormat = "helioray-series-parts";
constexpr int kVersion = 1;

json to_json(const SeriesIdentity& identity) {
    return {{"format", kFormat},
            {"version", kVersion},
            {"configuration", identity.configuration},
            {"scenario", identity.scenario},
            {"positions", identity.positions},
            {"build", identity.build},
            {"device", identity.device},
            {"steps", identity.num_steps}};
}

[[noreturn]] void refuse(const fs::path& folder,
                         const std::string& what,
                         const std::string& why,
                         const std::string& advice) {
    throw InputError(Problem{folder.string(), what, why, advice});
}

/// The differences between two manifests in words.
std::string differences(const json& found, const json& wanted) {
    const std::pair<const char*, const char*> kNames[] = {{"configuration", "the configuration"},
                                                          {"scenario", "the scenario"},
                                                          {"positions", "the sun's positions"},
                                                          {"build", "the program's build"},
                                                          {"device", "the kind of device"},
                                                          {"steps", "the number of steps"}};
    std::vector<std::string> names;
    for (const auto& [key, name] : kNames) {
        if (found.value(key, json()) != wanted[key]) names.emplace_back(name);
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

SeriesParts::SeriesParts(const fs::path& output, SeriesIdentity identity)
    : folder_(output.string() + ".parts"), identity_(std::move(identity)) {}

SeriesParts::~SeriesParts() {
    if (lock_ >= 0) ::close(lock_);
}

void SeriesParts::check(bool to_be_removed) const {
    std::error_code error;
    if (!fs::exists(folder_, error)) return;
    if (!fs::is_directory(folder_, error)) {
        refuse(folder_,
               "is a file",
               "finished steps are kept in a folder of this name",
               "move it away or choose another output");
    }
    if (fs::is_empty(folder_, error)) return;
    if (!fs::exists(manifest(), error)) {
        refuse(folder_,
               "has no manifest.json",
               "its files are not parts of a series, so nothing is removed or written here",
               "move the folder away or choose another output");
    }
    if (to_be_removed) return;
    std::ifstream stream(manifest());
    const json found = json::parse(stream, nullptr, false);
    if (!found.is_object() || found.value("format", json()) != kFormat ||
        found.value("version", json()) != kVersion) {
        refuse(manifest(),
               "cannot be read",
               "it does not say to which series the parts belong",
               "start over with --restart or choose another output");
    }
    const std::string other = differences(found, to_json(identity_));
    if (other.empty()) return;
    refuse(folder_,
           fmt::format("holds finished steps of another series: not the same are {}", other),
           "steps of two series cannot be joined to one result",
           "start over with --restart (removes them), or choose another output");
}

void SeriesParts::open() {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) {
        refuse(folder_, "cannot be created", error.message(), "choose another output");
    }
    if (!fs::exists(manifest())) {
        const std::string text = to_json(identity_).dump(2) + "\n";
        AtomicFile file(manifest());
        file.write(std::as_bytes(std::span(text)));
        file.commit();
    }
    lock_ = ::open(manifest().c_str(), O_RDONLY | O_CLOEXEC);
    // File systems without locks cannot detect another process; all others can.
    if (lock_ >= 0 && ::flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        refuse(folder_,
               "another process works on this series",
               "two of them would trace the same steps",
               "wait for it or choose another output");
    }
}

fs::path SeriesParts::part(std::size_t step) const {
    return folder_ / fmt::format("step_{:06}.h5", step);
}

std::vector<std::size_t> SeriesParts::missing() const {
    std::vector<std::size_t> steps;
    for (std::size_t step = 0; step < identity_.num_steps; ++step) {
        if (!is_series_part(part(step))) steps.push_back(step);
    }
    return steps;
}

void SeriesParts::remove() {
    std::error_code error;
    if (!fs::is_directory(folder_, error)) return;
    // Remove only the files of this program, the manifest last.
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
        const std::string name = entry.path().filename().string();
        const bool part = name.starts_with("step_") && name.ends_with(".h5");
        const bool unfinished = name.starts_with(".helioray-") && name.ends_with(".part");
        if (part || unfinished) fs::remove(entry.path(), error);
    }
    fs::remove(manifest(), error);
    fs::remove(folder_, error);
}

}  // namespace helioray
