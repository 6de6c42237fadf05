// SPDX-License-Identifier: MIT
// Folder, manifest and lock of an unfinished run.
#include "raytracer/results/series/run_parts.h"

#include "raytracer/results/provenance.h"
#include "raytracer/results/result_file.h"
#include "scenario/files/error.h"
#include "scenario/files/output_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

namespace helioray {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr const char* kFormat = "helioray-run-parts";
constexpr int kVersion = 1;
// Prefix of the files with the work of a rank.
constexpr std::string_view kWork = "work_";

json to_json(const RunIdentity& identity) {
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

/// Describes the differences between two manifests.
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

json read_json(const fs::path& path) {
    std::ifstream stream(path);
    return json::parse(stream, nullptr, false);
}

/// Returns true for temporary files that a killed process has left.
bool is_unfinished(const fs::path& path) {
    const std::string name = path.filename().string();
    return name.starts_with(".helioray-") && name.ends_with(".part");
}

/// Returns true for files that this program creates in the folder, except the manifest.
bool is_own(const fs::path& path) {
    const std::string name = path.filename().string();
    return (name.starts_with("step_") && name.ends_with(".h5")) ||
           (name.starts_with(kWork) && name.ends_with(".sums")) ||
           (name.starts_with("shard_") && name.ends_with(".lock")) || is_unfinished(path);
}

}  // namespace

RunParts::RunParts(const fs::path& output, const RunIdentity& identity)
    : folder_(output.string() + ".parts"),
      manifest_text_(to_json(identity).dump(2) + "\n"),
      identity_hash_(sha256_of_text(manifest_text_)),
      num_steps_(identity.num_steps) {}

RunParts::~RunParts() {
    for (const int lock : {shard_lock_, lock_}) {
        if (lock >= 0) ::close(lock);
    }
}

void RunParts::check(bool to_be_removed) const {
    std::error_code error;
    if (!fs::exists(folder_, error)) return;
    if (!fs::is_directory(folder_, error)) {
        refuse(folder_,
               "is a file",
               "what is finished of a run is kept in a folder of this name",
               "move it away or choose another output");
    }
    const auto begin = fs::directory_iterator(folder_, error);
    if (std::all_of(begin, fs::directory_iterator{}, is_unfinished)) return;
    if (!fs::exists(manifest(), error)) {
        refuse(folder_,
               "has no manifest.json",
               "its files are not parts of a run, so nothing is removed or written here",
               "move the folder away or choose another output");
    }
    if (to_be_removed) return;
    const json found = read_json(manifest());
    if (!found.is_object() || found.value("format", json()) != kFormat ||
        found.value("version", json()) != kVersion) {
        refuse(manifest(),
               "cannot be read",
               "it does not say to which run the parts belong",
               "start over with --restart or choose another output");
    }
    const std::string other = differences(found, json::parse(manifest_text_));
    if (other.empty()) return;
    refuse(folder_,
           fmt::format("holds finished parts of another run: not the same are {}", other),
           "parts of two runs cannot be joined to one result",
           "start over with --restart (removes them), or choose another output");
}

/// Locks a file or folder and returns the descriptor that holds the lock.
int RunParts::lock(const fs::path& path, int operation, const std::string& work) const {
    const int descriptor = fs::is_directory(path)
                               ? ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                               : ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        refuse(path, "cannot be opened", std::generic_category().message(errno), "");
    }
    // File systems without locks cannot detect another process; all others can.
    if (::flock(descriptor, operation | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        ::close(descriptor);
        refuse(folder_,
               "another process works on " + work,
               "two of them would trace the same rays",
               "wait for it or choose another output");
    }
    return descriptor;
}

void RunParts::open(bool to_be_removed, const std::optional<Shard>& shard) {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) {
        refuse(folder_, "cannot be created", error.message(), "choose another output");
    }
    lock_ = lock(folder_, shard ? LOCK_SH : LOCK_EX, shard ? "all of this run" : "this run");
    if (to_be_removed) remove_content();
    // Write the manifest first: without it, another shard would treat the other files as foreign.
    if (!exists()) {
        write_text_file(manifest(), manifest_text_);
    }
    if (!shard) return;
    const std::string name = fmt::format("{}_of_{}", shard->index, shard->count);
    shard_lock_ = lock(folder_ / ("shard_" + name + ".lock"), LOCK_EX, "shard " + name);
}

bool RunParts::exists() const {
    std::error_code error;
    return fs::exists(manifest(), error) && read_json(manifest()) == json::parse(manifest_text_);
}

fs::path RunParts::part(std::size_t step) const {
    return folder_ / fmt::format("step_{:06}.h5", step);
}

std::vector<fs::path> RunParts::all() const {
    std::vector<fs::path> paths;
    for (std::size_t step = 0; step < num_steps_; ++step) paths.push_back(part(step));
    return paths;
}

std::vector<std::size_t> RunParts::missing() const {
    std::vector<std::size_t> steps;
    for (std::size_t step = 0; step < num_steps_; ++step) {
        if (!is_series_part(part(step))) steps.push_back(step);
    }
    return steps;
}

fs::path RunParts::work(std::size_t step, std::int64_t start, int rank) const {
    return folder_ / fmt::format("{}{:06}_{:06}_{:06}.sums", kWork, step, start, rank);
}

std::vector<RunParts::Work> RunParts::works(std::size_t step) const {
    std::vector<Work> found;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
        std::size_t of_step = 0;
        Work work{0, 0, entry.path()};
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(kWork)) continue;
        std::istringstream numbers(name.substr(kWork.size()));
        numbers >> of_step;
        numbers.ignore() >> work.start;
        numbers.ignore() >> work.rank;
        // Ignore files whose name is not exactly the one for these numbers.
        if (of_step == step && name == this->work(step, work.start, work.rank).filename())
            found.push_back(std::move(work));
    }
    std::sort(found.begin(), found.end(), [](const Work& a, const Work& b) {
        return std::tuple(-a.start, a.rank) < std::tuple(-b.start, b.rank);
    });
    return found;
}

void RunParts::remove_content() const {
    // Remove only the files of this program, the manifest last.
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
        if (is_own(entry.path())) fs::remove(entry.path(), error);
    }
    fs::remove(manifest(), error);
}

void RunParts::remove() {
    std::error_code error;
    if (!fs::is_directory(folder_, error)) return;
    remove_content();
    fs::remove(folder_, error);
}

}  // namespace helioray
