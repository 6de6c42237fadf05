// SPDX-License-Identifier: MIT
// The folder with the finished parts of an unfinished run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// All inputs that determine the numbers of a run, as hashes and names.
struct RunIdentity {
    std::string configuration;  ///< hash of the configuration without outputs, device and processes
    std::string scenario;       ///< hash of the scenario file's bytes
    /// Hash of the positions of the sun in a series, with their irradiances.
    std::string positions;
    std::string build;          ///< version and commit of the program
    std::string device;         ///< device, "cpu" or "cuda"
    std::size_t num_steps = 1;  ///< number of positions of the sun
};

/// The steps of a series that one of several programs traces: every `count`-th step.
struct Shard {
    std::size_t index = 1;  ///< number of this shard, from 1 to count
    std::size_t count = 1;  ///< number of shards

    /// Returns true if a step belongs to this shard.
    bool has(std::size_t step) const { return step % count == index - 1; }
};

/// The folder `<output>.parts`: manifest.json with the identity of the run, one file per finished
/// step of a series, and the work of each rank on the unfinished step.
class RunParts {
  public:
    /// Creates the object without accessing files; call check(), then open().
    RunParts(const std::filesystem::path& output, const RunIdentity& identity);
    RunParts(const RunParts&) = delete;
    RunParts& operator=(const RunParts&) = delete;
    /// Unlocks the folder; the parts remain.
    ~RunParts();

    /// Returns the path of the folder, which may not exist.
    const std::filesystem::path& folder() const { return folder_; }
    /// Returns a hash of the identity.
    const std::string& identity_hash() const { return identity_hash_; }

    /// Throws InputError if the folder contains other files than parts or, unless to_be_removed is
    /// set, parts of another run. Changes nothing.
    void check(bool to_be_removed) const;

    /// Locks the folder for this process, and creates it and its manifest if they do not exist.
    /// With a shard, one process per shard may lock the folder. to_be_removed: removes earlier
    /// parts before. Throws InputError if another process works there or the folder cannot be
    /// created.
    void open(bool to_be_removed = false, const std::optional<Shard>& shard = {});
    /// Returns true if this process has opened the folder.
    bool is_open() const { return lock_ >= 0; }
    /// Returns true if the folder exists with parts of this run.
    bool exists() const;

    /// Returns the path of a step's file, which may not exist.
    std::filesystem::path part(std::size_t step) const;
    /// Returns the paths of the files of all steps, which may not exist.
    std::vector<std::filesystem::path> all() const;
    /// Returns the number of steps, finished or not.
    std::size_t num_steps() const { return num_steps_; }
    /// Returns the steps that are not finished, ascending.
    std::vector<std::size_t> missing() const;

    /// Returns the path for a rank's work on a step. start: identifies the start of the program.
    std::filesystem::path work(std::size_t step, std::int64_t start, int rank) const;
    /// A file with the work of a rank on a step.
    struct Work {
        std::int64_t start;          ///< start of the program, as in work()
        int rank;                    ///< rank, as in work()
        std::filesystem::path path;  ///< path of the file
    };
    /// Returns the files with work on a step, sorted by descending start, then by rank.
    std::vector<Work> works(std::size_t step) const;

    /// Removes manifest, parts and folder.
    void remove();

  private:
    std::filesystem::path manifest() const { return folder_ / "manifest.json"; }
    int lock(const std::filesystem::path& path, int operation, const std::string& work) const;
    void remove_content() const;

    std::filesystem::path folder_;
    std::string manifest_text_;
    std::string identity_hash_;
    std::size_t num_steps_;
    int lock_ = -1;        // descriptor of the lock of the folder
    int shard_lock_ = -1;  // descriptor of the lock of a shard's file
};

}  // namespace helioray
