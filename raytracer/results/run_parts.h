// SPDX-License-Identifier: MIT
// The folder in which the finished part of a run waits for the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Everything that determines the numbers of a run, as hashes and names.
struct RunIdentity {
    std::string configuration;  ///< without outputs, device and processes
    std::string scenario;       ///< of the file's bytes
    std::string positions;      ///< of the sun in a series, with their irradiances
    std::string build;          ///< of the program: version and commit
    std::string device;         ///< "cpu" or "cuda"
    std::size_t num_steps = 1;  ///< how many positions of the sun
};

/// The steps that one of several programs traces for the same series: every `count`-th one.
struct Shard {
    std::size_t index = 1;  ///< from 1 to count
    std::size_t count = 1;  ///< of all shards

    /// Whether a step belongs to it.
    bool has(std::size_t step) const { return step % count == index - 1; }
};

/// `<output>.parts`: manifest.json with the identity of the run, one file per finished step of a
/// series, and what each rank has traced of the step in work.
class RunParts {
  public:
    /// Changes nothing yet: check(), then open().
    RunParts(const std::filesystem::path& output, const RunIdentity& identity);
    RunParts(const RunParts&) = delete;
    RunParts& operator=(const RunParts&) = delete;
    /// Unlocks; parts stay.
    ~RunParts();

    /// Its path, whether it exists or not.
    const std::filesystem::path& folder() const { return folder_; }
    /// A hash of the identity.
    const std::string& identity_hash() const { return identity_hash_; }

    /// Throws InputError when the folder holds anything but parts, or, unless they are to be
    /// removed, parts of another run. Changes nothing.
    void check(bool to_be_removed) const;

    /// Locks the folder for this process and makes it and its manifest where there are none; one
    /// process for each shard where it traces one. to_be_removed: removes earlier parts before.
    /// Throws InputError when another process works there or the folder cannot be made.
    void open(bool to_be_removed = false, const std::optional<Shard>& shard = {});
    /// Whether this process has opened it.
    bool is_open() const { return lock_ >= 0; }
    /// Whether the folder is there, with parts of this run.
    bool exists() const;

    /// Path of a step's file, whether it exists or not.
    std::filesystem::path part(std::size_t step) const;
    /// The files of all steps, whether they exist or not.
    std::vector<std::filesystem::path> all() const;
    /// How many steps there are, finished or not.
    std::size_t num_steps() const { return num_steps_; }
    /// Steps that are not finished, ascending.
    std::vector<std::size_t> missing() const;

    /// Path for what a rank has traced of a step since a start of the program.
    std::filesystem::path work(std::size_t step, std::int64_t start, int rank) const;
    /// Such a file.
    struct Work {
        std::int64_t start;          ///< as of work()
        int rank;                    ///< as of work()
        std::filesystem::path path;  ///< where it is
    };
    /// Those of a step, the latest start first, each by rank.
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
    int lock_ = -1;        // of the folder
    int shard_lock_ = -1;  // of a shard's file
};

}  // namespace helioray
